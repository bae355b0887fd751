"""`make near`: changed files, the tests near to them, and the time limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.near import __main__ as near
from tests.near.choice import Change, Choice, importers
from tests.near.words import holding, lost


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    return near.texts(root)


def ranks(texts: dict[str, str], name: str, old: str = "", new: str = "") -> dict[str, int]:
    """The chosen test files, "file" or "file -k expression", of one changed file."""
    picks = Choice(texts).near([Change(name, old, new)])
    return {f"{file} -k {key}" if key else file: rank for (file, key), rank in picks.items()}


@pytest.mark.parametrize(
    ("changed", "test", "rank"),
    [
        ("tests/unit/cli/test_man.py", "tests/unit/cli/test_man.py", 0),
        ("roce_lint/nos/eos/ports.py", "tests/nos/eos/test_ports.py", 2),
        ("roce_lint/nos/eos/ports.py", "tests/nos/test_cases.py -k eos/", 2),
        ("roce_lint/nos/eos/ports.py", "tests/captures/test_matrix.py -k eos", 4),
        ("templates/sonic/parse/new.ttp", "tests/nos/sonic/test_ports.py", 2),
        ("roce_lint/nos/switch_ports.py", "tests/nos/test_cases.py", 2),
        ("tests/nos/eos/breakout/eos.cfg", "tests/nos/test_cases.py -k eos/", 3),
        ("roce_lint/report/blocks.py", "tests/unit/report/test_excerpt.py", 3),
        ("roce_lint/model/device.py", "tests/unit/model/test_dump.py", 3),
        ("tests/unit/report/sample.py", "tests/unit/report/test_sarif.py", 3),
        ("tests/contract/conftest.py", "tests/contract/test_plugin.py", 2),
        ("rules/hardware/broadcom.toml", "tests/unit/catalog/test_hardware.py", 3),
        ("rules/mtu/MTU001-gone.md", "tests/unit/checks/mtu/test_links.py", 2),
        ("docs/nos/eos.md", "tests/house/test_defaults.py", 3),
    ],
)
def test_what_is_near(texts: dict[str, str], changed: str, test: str, rank: int) -> None:
    assert ranks(texts, changed)[test] == rank


def test_a_check_is_near_to_the_examples_of_its_rules(texts: dict[str, str]) -> None:
    found = ranks(texts, "roce_lint/checks/mtu/links.py", '"mtu.too_small_for_roce"')
    assert found["tests/rules/test_pages.py -k MTU001"] == 2
    assert found["tests/unit/checks/mtu/test_links.py"] == 2
    assert "tests/unit/checks/pfc/test_pause.py" not in found


def test_a_file_that_nobody_names_is_near_to_house_tests_alone(texts: dict[str, str]) -> None:
    assert {name.split("/")[1] for name in ranks(texts, "no" + "body.txt")} == {"house"}


def test_imports_in_every_form() -> None:
    texts = {
        "roce_lint/a/__init__.py": "from roce_lint.a import (\n    b,\n    c as d,\n)\n",
        "roce_lint/a/b.py": "import roce_lint.a.c",
        "roce_lint/a/c.py": "",
        "tests/test_c.py": 'patch("roce_lint.a.c.value")',
        "tests/test_gone.py": "    from roce_lint.gone import Thing",
    }
    found = importers(texts, ["roce_lint/gone.py"])
    assert found["roce_lint/a/b.py"] == {"roce_lint/a/__init__.py"}
    assert found["roce_lint/a/c.py"] == {
        "roce_lint/a/b.py",
        "roce_lint/a/__init__.py",
        "tests/test_c.py",
    }
    assert found["roce_lint/gone.py"] == {"tests/test_gone.py"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("def _a(): pass", "def _b(): pass", ["_a"]),
        ("from x import y", "", ["y"]),
        ("class A:\n    mtu: int", "class A: pass", ["mtu"]),
        ("class A:\n    def f(self):\n        self.x = 1\n        y = 2", "", ["A", "f", "x"]),
        ('"""Words of a docstring."""', "", []),
        ('m = f"{a} weighs {n} stones, {c}"', 'm = f"{a} takes {n}"', ["weighs \0 stones"]),
        ('m = ("Rain is off "\n"on {port}.")', 'm = "Rain {port}"', ["Rain is off", "is off on"]),
        ('m = ["a spoon falls", "a spoon falls"]', 'm = ["a spoon falls"]', ["spoon falls"]),
        ("m = 'one'", "m = 'two'", []),
        ("m = 'no Python", "", []),
    ],
)
def test_words_that_are_no_longer_there(old: str, new: str, words: list[str]) -> None:
    assert lost([("roce_lint/a.py", old, new)]) == words


def test_words_are_found_with_any_value_and_names_as_whole_words() -> None:
    texts = {"a": "leaf1 weighs 1500 stones.", "b": "weighs 1500 millstones", "c": 'patch(m, "_a")'}
    assert holding("weighs \0 stones", texts) == ["a"]
    assert holding("_a", texts | {"d": "_ab or b_a"}) == ["c"]
    assert lost([("rules/a.md", "# One two three\nfour", "four")]) == ["One two three"]


def test_rare_words_come_first_and_common_ones_late(texts: dict[str, str]) -> None:
    made = {f"tests/unit/test_{n}.py": "Some old words" for n in range(40)}
    held = {"tests/unit/test_x.py": "Rain was quite off", "tests/fix/y.txt": "Rain was quite off"}
    old = 'm = ["Rain was quite off", "Some old words"]'
    found = ranks(texts | made | held, "roce_lint/checks/mtu/links.py", old)
    assert found["tests/unit/test_x.py"] == 1
    assert min(r for test, r in found.items() if test.startswith("tests/fix/")) == 2
    assert found["tests/unit/test_0.py"] == 5


def test_near_tests_run_first_and_dear_ones_last() -> None:
    picks = {
        ("tests/hostile/test_places.py", ""): 1,
        ("tests/unit/a/test_b.py", ""): 2,
        ("tests/unit/a/test_a.py", ""): 1,
        ("tests/nos/test_cases.py", "eos/"): 2,
    }
    runs = near.test_runs(picks)
    assert [str(job) for job in runs] == [
        "pytest tests/unit/a/test_a.py tests/unit/a/test_b.py",
        "pytest -k eos/ tests/nos/test_cases.py",
        "pytest tests/hostile/test_places.py",
    ]
    assert near.commands(runs[1:]) == [
        ".venv/bin/pytest -k eos/ tests/nos/test_cases.py",
        ".venv/bin/pytest tests/hostile/test_places.py",
    ]


def test_static_checks_look_at_what_can_be_affected() -> None:
    def names(*changed: str) -> list[str]:
        return [str(job) for job in near.static_checks([Change(n, "", "x") for n in changed])]

    test = "tests/test_a.py"
    assert names(test) == [f"ruff check {test}", f"ruff format --check {test}"]
    assert names("docs/a.md") == ["codespell docs/a.md"]
    assert names("roce_lint/a.py")[2:] == ["lint-imports --no-logo", "mypy"]
    assert names("pyproject.toml")[0] == "ruff check ."
    assert near.static_checks([Change("roce_lint/gone.py", "x", "")])[-1].command == ["mypy"]


def test_failures_count_and_what_takes_too_long_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(near, "BIN", Path(sys.executable).parent)
    python = Path(sys.executable).name
    bad = near.Job([python, "-c", "print('why'); raise SystemExit(1)"])
    empty = near.Job([python, "-c", f"raise SystemExit({near.NO_TESTS})"])
    dear = near.Job([python, "-c", ""], seconds=1000)
    assert near.run([bad, dear, empty], 500) == (1, [dear])
    printed = capsys.readouterr().out
    assert "why" in printed
    assert printed.count("FAILED") == 1


def test_what_changed_is_seen_in_commits_index_and_new_files(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=True, capture_output=True)

    def write(**files: str) -> None:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")

    git("init", "-b", "main")
    write(a="1", b="1", c="1", d="1")
    git("add", ".")
    git("commit", "-m", "one")
    assert near.changes(tmp_path, "main") == []
    git("checkout", "-b", "work")
    write(a="2")
    git("commit", "-am", "two")
    write(b="2")
    git("add", "b")
    write(e="2")
    (tmp_path / "c").unlink()
    seen = [
        Change("a", "1", "2"),
        Change("b", "1", "2"),
        Change("c", "1", ""),
        Change("e", "", "2"),
    ]
    assert near.changes(tmp_path, "main") == seen
    git("checkout", "-f", "main")
    assert near.changes(tmp_path, "main") == seen[3:]
    git("merge", "work")
    git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    assert near.changes(tmp_path, "main") == [seen[0], seen[3]]
