"""Settings files: keys, lines of mistakes, search, pyproject.toml."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import SettingsError
from roce_lint.model.device import Role
from roce_lint.settings import SIZE_LIMIT, RoleName, Settings, Waiver, find, load, rule_prefix

WHOLE = """\
# a site
select = ["mtu", "PFC0", "ECN001"]
ignore = ["NIC"]
fail-on = "warning"
profile = "nvidia-roce"

[files."lab/*.cfg"]
ignore = true

[files."a#b[1].txt"]
nos = "eos"
device = "leaf1"
role = "leaf"

[roles]
"gpu-*" = "host"

[rules.MTU001]
severity = "warning"
params = { headers = 58 }

[[waiver]]
rule = "PFC002"
device = "old*"
subjects = ["Ethernet7", "Ethernet8"]
reason = \"\"\"replaced
in spring\"\"\"
expires = 2027-03-31

[[waiver]]
rule = "MTU"
reason = "lab"
expires = "2027-04-01"

[catalog]
profiles = ["site"]
"""


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "roce-lint.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_everything_that_may_be_said(tmp_path: Path) -> None:
    settings = load(written(tmp_path, WHOLE))
    assert settings.select == ("MTU", "PFC0", "ECN001")
    assert settings.ignore == ("NIC",)
    assert settings.fail_on == "warning"
    assert settings.profile == "nvidia-roce"
    assert list(settings.files) == ["lab/*.cfg", "a#b[1].txt"]
    assert settings.files["lab/*.cfg"].ignore is True
    one = settings.files["a#b[1].txt"]
    assert (one.nos, one.device, one.role, one.ignore) == ("eos", "leaf1", "leaf", False)
    assert settings.roles == {"gpu-*": "host"}
    assert settings.rules["MTU001"].severity == "warning"
    assert settings.rules["MTU001"].params == {"headers": 58}
    assert settings.waivers == (
        Waiver(
            rule="PFC002",
            device="old*",
            subjects=("Ethernet7", "Ethernet8"),
            reason="replaced\nin spring",
            expires=date(2027, 3, 31),
        ),
        Waiver(rule="MTU", reason="lab", expires=date(2027, 4, 1)),
    )
    assert settings.waivers[1].device == "*"
    assert settings.catalog.profiles == ("site",)


def test_lines_are_known(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    settings = load(path)
    assert settings.path == path
    assert settings.line("select") == 2
    assert settings.line("files", "a#b[1].txt", "nos") == 11
    assert settings.line("waiver", 0) == 22
    assert settings.line("waiver", 0, "expires") == 28
    assert settings.line("waiver", 1, "reason") == 32
    assert settings.line("waiver", 2) is None


def test_nothing_needs_to_be_said(tmp_path: Path) -> None:
    assert load(written(tmp_path, "")).model_dump() == Settings().model_dump()
    assert Settings().path is None
    assert Settings().fail_on is None


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = written(tmp_path, b'\xef\xbb\xbfselect = ["MTU"]\r\n[roles]\r\n"x" = "spine"\r\n')
    assert load(path).roles == {"x": "spine"}
    assert load(path).line("roles", "x") == 3


@pytest.mark.parametrize("spelling", ["fail-on", "fail_on"])
def test_both_spellings(tmp_path: Path, spelling: str) -> None:
    assert load(written(tmp_path, f'{spelling} = "never"\n')).fail_on == "never"


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ('profile = "x"\nselekt = []\n', 2, "unknown key 'selekt'", "did you mean 'select'?"),
        ("[waivers]\n", 1, "unknown key 'waivers'", "did you mean 'waiver'?"),
        (
            "[zzz]\nx = 1\n", 1, "unknown key 'zzz'",
            "known are catalog, fail-on, files, help-url, ignore, limits, profile, roles, rules, select, waiver",
        ),
        (
            '[rules.MTU001]\nseverity = "info"\n\n[rules.MTU002]\nsevirity = "info"\n', 5,
            "unknown key 'rules.MTU002.sevirity'", "did you mean 'severity'?",
        ),
        (
            '[[waiver]]\nrule = "MTU"\nreason = "x"\n[[waiver]]\nrule = "MTU"\nreason = "y"\nexpire = 1\n',
            7, "unknown key 'waiver.expire'", "did you mean 'expires'?",
        ),
        ('\n[[waiver]]\nrule = "MTU"\n', 2, "'waiver.reason' is missing", None),
        ('[[waiver]]\nrule = "MTU"\nreason = ""\n', 3, "waiver.reason: must not be empty", None),
        (
            '[[waiver]]\nrule = "MTU"\nreason = "x"\nexpires = 2027-01-01T10:00:00\n', 4,
            "waiver.expires: must be a date such as 2027-01-31", None,
        ),
        ('select = "MTU"\n', 1, "select: must be a list", None),
        (
            '\nselect = ["mtu1x"]\n', 2,
            "select: 'mtu1x' is not a rule id or prefix (such as MTU001, MTU or PFC0)", None,
        ),
        (
            '[roles]\n"leaf*" = "leef"\n', 2,
            "roles.leaf*: must be 'leaf', 'spine', 'superspine', 'border', 'storage', 'host' or 'other'",
            None,
        ),
        ('[rules.mtu1]\nseverity = "info"\n', 1, "rules.mtu1: is not a rule id (such as MTU001)", None),
        ('[[waiver]]\nrule = "M"\nreason = "  "\n', 3, "waiver.reason: must not be empty", None),
        (
            '[[waiver]]\nrule = "M"\nreason = "x"\nexpires = "soon"\n', 4,
            "waiver.expires: must be a date such as 2027-01-31", None,
        ),
        (
            '[waiver]\nrule = "M"\n', 1, "waiver: must be a list",
            "each waiver begins with [[waiver]]",
        ),
        (
            'help-url = "rules/"\n', 1,
            "help-url: must be a URL with {id} or {path} (https://docs.site/{path}.html)", None,
        ),
        ('[files."*"]\nignore = "yes"\n', 2, "files.*.ignore: must be true or false", None),
        ("files = 3\n", 1, "files: must be a table", None),
        ('fail-on = "fatal"\n', 1, "fail-on: must be 'error', 'warning', 'info' or 'never'", None),
        ("select = [\n", 1, "not valid TOML: Invalid value", None),
        ("a = 1\na = 2\n", 2, "not valid TOML: Cannot overwrite a value", None),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line(
    tmp_path: Path, text: str, line: int, message: str, hint: str | None
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert (caught.value.location, caught.value.message, caught.value.hint) == (
        f"{path}:{line}",
        message,
        hint,
    )


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"select = []\n\xff\n", "not UTF-8 text", ":2"),
        (b"#" * (SIZE_LIMIT + 1), "larger than 1 MiB", ""),
        (b"a = " + b"[" * 100_000, "nests deeper than can be read", ":1"),
        (b"a = 1\nb = " + b"9" * 5000, "not valid TOML: a number of more than 64 bits", ":2"),
        (b"\x00\x01\x02", "not valid TOML: Invalid statement", ":1"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, data: bytes, message: str, line: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert (caught.value.message, caught.value.location) == (message, f"{path}{line}")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"roce-lint\.toml: No such file or directory"):
        load(tmp_path / "roce-lint.toml")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters='\r"\\'), max_size=20))
def test_any_glob_keeps_its_line(glob: str) -> None:
    printable = "".join(c for c in glob if c.isprintable())
    text = f'x = """{printable}\n"""\n[files."{printable}"]\nignore = true\n'.removeprefix("x = ")
    text = "profile = " + text
    from roce_lint.settings import _index  # noqa: PLC0415

    assert _index(text)[("files", printable.replace("-", "_"))] == 3


# ------------------------------------------------------------------------------------------ find


def test_found_upwards_as_far_as_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    inside = repository / "configs" / "dc1"
    inside.mkdir(parents=True)
    (repository / ".git").mkdir()
    outside = written(tmp_path, "")
    assert find([str(inside)]) is None
    at_root = written(repository, "")
    assert find([str(inside)]) == at_root
    nearer = written(inside.parent, "")
    assert find([str(inside), str(repository)]) == nearer
    assert find([str(repository), str(inside)]) == at_root
    assert find([str(tmp_path)]) == outside


def test_a_folder_that_may_not_be_looked_into_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "roce-lint.toml").write_text("")
    look = os.stat

    def refuse(path: object, *args: Any, **kwargs: Any) -> os.stat_result:
        if Path(str(path)).parent == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return look(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refuse)
    found = find([str(folder)])
    assert found is not None
    assert found.resolve() == tmp_path / "roce-lint.toml"


def test_found_beside_a_file(tmp_path: Path) -> None:
    settings = written(tmp_path, "")
    (tmp_path / "leaf1.cfg").touch()
    assert find([str(tmp_path / "leaf1.cfg")]) == settings


@pytest.mark.parametrize("paths", [["-"], [], ["."]])
def test_found_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str]
) -> None:
    written(tmp_path, "")
    monkeypatch.chdir(tmp_path)
    assert find(paths) == Path("roce-lint.toml")


# ------------------------------------------------------------------------------- pyproject.toml


def test_a_table_of_pyproject_is_settings_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nname = "x"\n\n[tool.roce-lint]\nselect = ["MTU"]\n\n'
        '[[tool.roce-lint.waiver]]\nrule = "PFC"\nreason = "lab"\n'
    )
    settings = load(path)
    assert (settings.select, settings.waivers[0].rule) == (("MTU",), "PFC")
    assert settings.place("select") == f"{path}:5"
    assert settings.place("waiver", 0, "reason") == f"{path}:9"
    assert settings.place("profile") == f"{path}:4"


def test_a_pyproject_without_the_table_is_not_settings(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\ndependencies = ["roce-lint"]\n')
    assert find([str(tmp_path)]) is None
    with pytest.raises(SettingsError, match=r"has no table \[tool.roce-lint\]"):
        load(path)
    path.write_text("[tool.roce-lint]\n")
    assert find([str(tmp_path)]) == path
    own = written(tmp_path, "")
    assert find([str(tmp_path)]) == own


def test_a_broken_pyproject_is_refused_where_it_may_hold_settings(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.roce-lint]\nfail-on = "warning\n')
    assert find([str(tmp_path)]) == path
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert caught.value.location == f"{path}:2"
    path.write_text("[tool]\nroce-lint = 3\n")
    with pytest.raises(SettingsError, match="must be a table"):
        load(path)
    path.write_text('[project]\nname = "other\n')
    assert find([str(tmp_path)]) != path


def test_a_pyproject_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[tool.roce-lint]\n# \xff\n")
    assert find([str(tmp_path)]) == path
    with pytest.raises(SettingsError, match="not UTF-8 text"):
        load(path)


# ---------------------------------------------------------------------------------------- others


def test_roles_are_those_of_the_model() -> None:
    assert set(get_args(RoleName)) == {role.value for role in Role}


@pytest.mark.parametrize("text", ["M", "mtu", " PFC0 ", "ecn001"])
def test_prefixes(text: str) -> None:
    assert rule_prefix(text) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "M1", "MTU0001", "MTUX", "*", "mtu-too-small"])
def test_no_prefixes(text: str) -> None:
    with pytest.raises(ValueError, match="is not a rule id or prefix"):
        rule_prefix(text)


def test_a_rule_may_be_written_small(tmp_path: Path) -> None:
    settings = load(written(tmp_path, '[rules.mtu001]\nseverity = "info"\n'))
    assert list(settings.rules) == ["MTU001"]


def test_places(tmp_path: Path) -> None:
    path = written(tmp_path, 'profile = "x"\n\n[rules.MTU001]\nseverity = "info"\n')
    settings = load(path)
    assert settings.place("profile") == f"{path}:1"
    assert settings.place("rules", "MTU001", "params") == f"{path}:3"
    assert settings.place("select") == str(path)
    assert Settings().place("profile") is None
