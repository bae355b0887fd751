from __future__ import annotations

import pytest

from roce_lint.errors import SettingsError
from roce_lint.loading import intake
from roce_lint.loading.intake import FileRule
from roce_lint.loading.load import LoadResult, load
from roce_lint.phases import report_progress
from roce_lint.settings import FileSettings, Settings
from tests.unit.loading.making import (
    PAUSE,
    check,
    diagnostics_of,
    eos,
    names,
    nxos,
    put,
    tar,
    zipped,
)

SNAPSHOT = {
    "leaf1.cfg": eos(),
    "gpu-1/ethtool-a-ens1.txt": PAUSE.format(port="ens1"),
    "gpu-1/notes.txt": "nothing of interest\n",
    "gpu-1/pause.txt": "# command: ethtool -a ens2  host: gpu-1\n" + PAUSE.format(port="ens2"),
    "README.md": "# snapshot\n",
}


def loaded(*paths: object, **given: object) -> LoadResult:
    return load(tuple(map(str, paths)), **given)  # type: ignore[arg-type]


def hostnames(result: LoadResult) -> list[str]:
    return [device.hostname for device in result.devices]


def files(result: LoadResult) -> dict[str, list[str]]:
    return {d.hostname: [ref.name for ref in d.src.files] for d in result.devices}


def test_a_folder_gives_devices_and_counts_the_rest(tmp_path) -> None:
    result = loaded(put(tmp_path, SNAPSHOT))
    assert files(result) == {
        "gpu-1": ["gpu-1/ethtool-a-ens1.txt", "gpu-1/pause.txt"],
        "leaf1": ["leaf1.cfg"],
    }
    assert (result.diagnostics, len(result.skipped), dict(result.memory)) == ([], 2, {})


@pytest.mark.parametrize("name", ["snap.tar", "snap.tar.gz", "snap.zip"])
def test_an_archive_gives_the_same(tmp_path, name: str) -> None:
    data = {
        "snap.tar": tar(SNAPSHOT),
        "snap.tar.gz": tar({f"./{key}": text for key, text in SNAPSHOT.items()}, "w:gz"),
        "snap.zip": zipped(SNAPSHOT),
    }
    result = loaded(put(tmp_path, {name: data[name]}))
    assert files(result) == {
        "gpu-1": [f"{name}!gpu-1/ethtool-a-ens1.txt", f"{name}!gpu-1/pause.txt"],
        "leaf1": [f"{name}!leaf1.cfg"],
    }
    assert (result.diagnostics, len(result.skipped)) == ([], 2)
    assert result.memory[f"{name}!leaf1.cfg"].text == eos()
    assert set(result.memory) == {entry for device in files(result).values() for entry in device}
    assert len(result.memory) == 3


def test_findings_show_lines_of_members(tmp_path) -> None:
    report = check(put(tmp_path, {"snap.zip": zipped({"a.cfg": eos(mtu=9214)})}))
    assert report.excerpts is not None
    assert report.fabric is not None
    port = report.fabric.devices["leaf1"].interfaces["Ethernet1"]
    place = report.excerpts.locate(port.where())
    assert (place.file, place.line, place.text) == ("snap.zip!a.cfg", 4, "interface Ethernet1")


def test_of_members_of_one_name_the_last_counts(tmp_path) -> None:
    first, second = (tar({"a.cfg": eos(mtu=mtu)}) for mtu in (1500, 9000))
    joined = first[: 512 + 512] + second
    report = check(put(tmp_path, {"snap.tar": joined}))
    assert diagnostics_of(report) == [("snap.tar!a.cfg", None, "archive", False)]
    assert (
        report.diagnostics[0].message == "occurs more than once in the archive; the last one counts"
    )
    assert report.fabric is not None
    port = report.fabric.devices["leaf1"].interfaces["Ethernet1"]
    assert report.excerpts is not None
    assert [r.sha256 for r in report.fabric.devices["leaf1"].src.files] == [
        report.excerpts._memory["snap.tar!a.cfg"].sha256
    ]
    assert port.name == "Ethernet1"


def test_standard_input_is_a_device(tmp_path) -> None:
    report = check("-", stdin=eos(None))
    assert (names(report), diagnostics_of(report)) == (["<stdin>"], [])
    report = check("-", put(tmp_path, {"b.cfg": nxos("leaf2")}), stdin=eos())
    assert (names(report), diagnostics_of(report)) == (["leaf1", "leaf2"], [])


@pytest.mark.parametrize(
    ("stdin", "kind"), [("", "no-text"), ("\udcff" * 99, "no-text"), ("hello\n", "unknown-format")]
)
def test_standard_input_is_never_passed_over(stdin: str, kind: str) -> None:
    assert diagnostics_of(check("-", stdin=stdin)) == [("<stdin>", None, kind, True)]


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("", "no-text", "empty file"),
        (bytes(100), "no-text", "binary file"),
        ("hello\n", "unknown-format", "no reader recognises it"),
        (
            "# command: frob  host: x\nhello\n", "unknown-format",
            "its header names the command 'frob', which is not supported",
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_named_is_never_passed_over(
    tmp_path, content: str | bytes, kind: str, message: str
) -> None:
    put(tmp_path, {"a.txt": content, "b/leaf1.cfg": eos()})
    report = check(tmp_path / "a.txt", tmp_path / "b")
    assert (names(report), diagnostics_of(report)) == (["leaf1"], [("a.txt", None, kind, True)])
    assert report.diagnostics[0].message == message
    folder = check(tmp_path)
    told = [("a.txt", None, kind, False)] if kind == "no-text" else []
    assert (names(folder), diagnostics_of(folder), len(folder.skipped)) == (
        ["leaf1"],
        told,
        1 - len(told),
    )


def test_a_file_that_is_nearly_recognised_is_told(tmp_path) -> None:
    report = check(put(tmp_path, {"b.cfg": "interface Vlan10\n", "leaf1.cfg": eos()}))
    assert diagnostics_of(report) == [("b.cfg", None, "unknown-format", True)]
    assert report.diagnostics[0].message == (
        "no reader recognises it (the nearest is eos running-config (1: VLAN interfaces))"
    )


def test_a_file_of_two_kinds_is_told(tmp_path) -> None:
    both = nxos() + eos()
    report = check(put(tmp_path, {"b.cfg": both}))
    assert diagnostics_of(report) == [("b.cfg", None, "ambiguous-format", True)]


def test_the_settings_may_ignore_a_file(tmp_path) -> None:
    put(tmp_path, {"old/leaf1.cfg": eos(mtu=1500), "leaf1.cfg": eos()})
    settings = Settings(files={"old/*": FileSettings(ignore=True)})
    report = check(tmp_path, settings=settings)
    assert (names(report), diagnostics_of(report), len(report.skipped)) == (["leaf1"], [], 1)


def test_the_settings_may_ignore_an_archive_or_its_members(tmp_path) -> None:
    put(
        tmp_path,
        {"a.tar": b"broken", "b.zip": zipped({"x/leaf1.cfg": eos(), "y/leaf2.cfg": eos("leaf2")})},
    )
    settings = Settings(
        files={"a.tar": FileSettings(ignore=True), "*!y/*": FileSettings(ignore=True)}
    )
    report = check(tmp_path, settings=settings)
    assert (names(report), diagnostics_of(report), len(report.skipped)) == (["leaf1"], [], 2)


def test_the_settings_may_say_whose_a_file_is_and_its_role(tmp_path) -> None:
    put(tmp_path, {"a.cfg": eos(None), "b.cfg": eos("leaf2")})
    settings = Settings(files={"*.cfg": FileSettings(device="mine", role="border")})
    report = check(tmp_path, settings=settings)
    # A name stated in the configuration has precedence.
    assert [(d.name, d.role) for d in report.devices] == [("leaf2", "border"), ("mine", "border")]


def test_the_settings_may_say_what_a_file_is(tmp_path) -> None:
    fragment = "interface Ethernet1/1\n  mtu 9216\n"
    put(tmp_path, {"leaf1.cfg": fragment})
    assert diagnostics_of(check(tmp_path)) == [("leaf1.cfg", None, "unknown-format", True)]
    for nos in ("nxos", "eos"):
        report = check(tmp_path, settings=Settings(files={"*": FileSettings(nos=nos)}))
        assert ([(d.name, d.nos) for d in report.devices], diagnostics_of(report)) == (
            [("leaf1", nos)],
            [],
        )


def test_what_the_settings_say_a_file_is_must_fit(tmp_path) -> None:
    put(tmp_path, {"x.txt": "hello\n"})
    report = check(tmp_path, settings=Settings(files={"*": FileSettings(nos="linux")}))
    assert diagnostics_of(report) == [("x.txt", None, "unknown-format", True)]


def test_a_nos_nobody_reads_is_wrong_settings(tmp_path) -> None:
    with pytest.raises(SettingsError) as raised:
        loaded(tmp_path, rules=(FileRule("*.cfg", nos="ios"),))
    assert raised.value.message == "[files.\"*.cfg\"] nos: unknown system 'ios'"
    assert raised.value.hint is not None
    assert raised.value.hint.startswith("known are ")


def test_the_first_rule_that_fits_counts(tmp_path) -> None:
    put(tmp_path, {"a.cfg": eos(None)})
    rules = (FileRule("a*", device="one"), FileRule("*", device="two", ignore=True))
    assert hostnames(loaded(tmp_path, rules=rules)) == ["one"]


def test_files_and_groups_are_counted_while_they_are_read(tmp_path) -> None:
    put(tmp_path, {f"{n}.cfg": eos(f"leaf{n}") for n in range(70)})
    calls: list[tuple[str, int, int]] = []
    with report_progress(lambda *call: calls.append(call)):
        loaded(tmp_path)
    assert calls[:2] == [("identifying", 0, 70), ("identifying", 64, 70)]
    assert calls[2:] == [("reading", n, 70) for n in range(1, 71)]


@pytest.mark.parametrize(
    ("limit", "content", "message"),
    [
        ("FILE_LIMIT", eos() + "!\n" * 100, "larger than 0 MiB, not read"),
        ("LINE_LIMIT", eos() + "!\n" * 100, "more than 99 lines, not read"),
        (
            "SCRIPT_LIMIT", "#!/bin/sh\nmlnx_qos -i ens1 --trust dscp\n" + "true\n" * 60,
            "more than 0 KiB, too long for a script; not read",
        ),
    ],
)  # fmt: skip
def test_what_is_too_long_is_told(
    tmp_path, monkeypatch: pytest.MonkeyPatch, limit: str, content: str, message: str
) -> None:
    monkeypatch.setattr(intake, limit, 99)
    put(tmp_path, {"a.cfg": content, "b.cfg": "x" * 400, "c.bin": bytes(400)})
    report = check(tmp_path)
    assert diagnostics_of(report)[0] == ("a.cfg", None, "over-limit", True)
    assert report.diagnostics[0].message == message
    assert (names(report), len(report.skipped)) == (
        [],
        1,
    )  # what would not have mattered is passed over


def test_a_named_file_that_is_too_long_is_told_whatever_it_is(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "FILE_LIMIT", 99)
    put(tmp_path, {"a.txt": "x" * 100})
    assert diagnostics_of(check(tmp_path / "a.txt")) == [("a.txt", None, "over-limit", True)]


def test_an_unreadable_file_is_told_and_the_rest_judged(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"a.cfg": eos("leaf1"), "b.cfg": eos("leaf2")})
    read = intake.read_file

    def locked(path: str, limit: int, head: int) -> tuple[bytes, bool]:
        if path.endswith("a.cfg"):
            raise PermissionError(13, "Permission denied")
        return read(path, limit, head)

    monkeypatch.setattr(intake, "read_file", locked)
    report = check(tmp_path)
    assert (names(report), diagnostics_of(report)) == (
        ["leaf2"],
        [("a.cfg", None, "unreadable", True)],
    )
    assert report.diagnostics[0].message == "Permission denied"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "no configuration was found"),
        ({"a.md": "x"}, "no configuration was found in the only file"),
        ({"a.md": "x", "b.txt": "y"}, "no configuration was found in 2 files"),
    ],
)
def test_where_nothing_is_found_the_answer_is_none(tmp_path, content, message: str) -> None:
    report = check(put(tmp_path, content))
    assert diagnostics_of(report) == [(".", None, "nothing-found", True)]
    assert report.diagnostics[0].message == message
