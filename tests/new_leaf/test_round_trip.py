"""A leaf removed from a fabric and created again like its sister: the same files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.bench import Files
from tests.new_leaf.fabrics import KINDS, fabric, file_of
from tests.new_leaf.runs import links_of, written
from tests.sampling import sampled

FORMS = ["", "hosts", "hosts plan", "hosts lldp", "plan", "lldp"]
CASES = [(system, form) for system in KINDS for form in FORMS]

SHUT = re.compile(
    r'.*link state down|shutdown|undo enable|"?(state|admin.status)"?.*|down: \{\}|up: \{\}|.*disable'
)
"""The line that shuts a free port, removed with it."""


def without_sight(files: Files) -> Files:
    """The files without LLDP outputs: a missing device has no neighbours."""
    return {name: text for name, text in files.items() if "lldp" not in name}


def made_of(form: str) -> dict[str, bool | int]:
    return {"hosts": 2 * ("hosts" in form), "plan": "plan" in form, "lldp": "lldp" in form}


@pytest.mark.parametrize("case", sampled(CASES, 200, lambda case: case[1]))
def test_round_trip(tmp_path: Path, case: tuple[str, str]) -> None:
    system, form = case
    given = made_of(form)
    whole = fabric(system, **given)  # type: ignore[arg-type]
    rest = fabric(system, **given, without="leaf8")  # type: ignore[arg-type]
    options: list[str | int] = ["--hosts", 2] if given["hosts"] else []
    run = written(tmp_path / "one", rest, "leaf8", "leaf7", *options)
    again = written(tmp_path / "two", rest, "leaf8", "leaf7", *options)
    assert {**run.files} == {**again.files}
    old, new = without_sight(rest), without_sight(whole)
    wanted = {n: text for n, text in new.items() if old.get(n) != text and n != "links.yaml"}
    assert {name for name in run.configs if "lldp" not in name} == {*wanted}
    for name, text in wanted.items():
        assert run.configs[name] == text, name
    plan = fabric(system, **{**given, "plan": True})["links.yaml"]  # type: ignore[arg-type]
    assert run.links == links_of(plan)


@pytest.mark.parametrize("system", sampled(KINDS, 40, lambda _: 0))
def test_a_further_leaf(tmp_path: Path, system: str) -> None:
    """One behind the last, like one in the middle. Spines lose what keeps a free port down."""
    files = fabric(system, hosts=2)
    run = written(tmp_path, files, "leaf9", "leaf3", "--hosts", 2)
    whole = fabric(system, 9, hosts=2)
    spines = {file_of(f"spine{s}", system) for s in (1, 2)}
    assert {*run.configs} == {*whole} - {*files} | spines
    for name in {*whole} - {*files}:
        assert run.configs[name] == whole[name], name
    for name in spines:
        lines, new = (
            Counter(map(_bare, text.splitlines())) for text in (files[name], run.configs[name])
        )
        assert all(SHUT.fullmatch(line) for line in lines - new), lines - new
        assert any("leaf9" in line for line in new - lines)


@pytest.mark.parametrize("system", sampled(KINDS, 40, lambda _: 0))
def test_identity_alone(tmp_path: Path, system: str) -> None:
    """With the sister's words in the place of its own, the new leaf's file is the sister's."""
    files = fabric(system)
    run = written(tmp_path, files, "leaf9", "leaf8")
    text = run.configs[file_of("leaf9", system)]
    words = {"leaf9": "leaf8", "65009": "65008", "10.255.1.9": "10.255.1.8", "gpu17": "gpu15",
             "192.0.2.19": "192.0.2.18", "gpu18": "gpu16", KINDS[system].port(8): KINDS[system].port(7)}  # fmt: skip
    words |= {f"10.1.{s}.{n}": f"10.1.{s}.{n - 2}" for s in (1, 2) for n in (18, 19)}
    words |= {f"10.2.9.{n}": f"10.2.8.{n}" for n in range(4)}
    lines, new = (each.splitlines() for each in (files[file_of("leaf8", system)], text))
    assert len(lines) == len(new)
    for old_line, line in zip(lines, new, strict=True):
        like_old = line
        for word, like in words.items():
            like_old = like_old.replace(word, like)
        assert like_old == old_line


def _bare(line: str) -> str:
    return line.strip().rstrip(",;")
