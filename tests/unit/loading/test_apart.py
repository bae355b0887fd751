"""Systems are distinguished: whole files, excerpts, and commands that several systems have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.identify import identify
from roce_lint.nos.registry import all_nos
from tests.nos.test_cases import HERE, cases, inputs, source_list

CASES = cases()
SYSTEMS = sorted({case.parent.name for case in CASES})

FOLDERS = {"sonic-ent": "esonic"}
"""Corpus folders with another name than their system."""

SAME = {("cumulus", "linux"): "iface"}
"""Texts of several systems, by a word they contain: ifupdown2 also reads ifupdown files."""

PARTS = 150
"""Examined parts of one real configuration."""


def samples(case: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of the files that are identified by content, as for a user."""
    said = source_list(case)
    for path in inputs(case):
        name = path.relative_to(case).as_posix()
        if name not in said.sources:
            yield name, path.read_text(encoding="utf-8", errors="replace")


def taken_for(text: str, name: str = "x") -> str | None:
    """The identified system of a text; None if it could be several or none."""
    try:
        found = identify(name, text)
        return None if found.undecided else found.nos
    except (UnknownFormat, AmbiguousFormat):
        return None


def parts(text: str, length: int, most: int | None = None) -> Iterator[str]:
    """Every so many consecutive lines of a text, each excerpt once."""
    lines = text.split("\n")
    step = 1 if most is None else max(1, len(lines) // most)
    starts = range(0, max(1, len(lines) - length + 1), step)
    yield from dict.fromkeys("\n".join(lines[at : at + length]) + "\n" for at in starts)


def mistaken(system: str, text: str, length: int, most: int | None = None) -> list[tuple[str, str]]:
    """Parts of a text that are identified as another system, with that system."""
    return [
        (other, part)
        for part in parts(text, length, most)
        if (other := taken_for(part)) not in (None, system)
        and SAME.get((system, other or ""), "\0") not in part
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_sample_is_known_for_what_it_is(case: Path) -> None:
    found = {name: taken_for(text, name) for name, text in samples(case)}
    assert found == dict.fromkeys(found, case.parent.name)


@pytest.mark.parametrize("system", [name for name in SYSTEMS if not all_nos()[name].is_host])
def test_no_few_lines_of_a_sample_are_taken_for_another_system(system: str) -> None:
    wrong = [
        (case.name, name, other, part)
        for case in CASES
        if case.parent.name == system
        for name, text in samples(case)
        for length in (3, 5)
        for other, part in mistaken(system, text, length)
    ]
    assert wrong == []


TYPICAL = "typical.txt"
"""A few lines as a user would paste them, in the folder of each system, separated by `----`."""


def typical(system: str) -> list[str]:
    """The parts of a system's typical.txt; none if it has no such file."""
    path = HERE / system / TYPICAL
    return path.read_text(encoding="utf-8").split("----\n") if path.is_file() else []


SWITCHES = [name for name, nos in all_nos().items() if not nos.is_host]


@pytest.mark.parametrize("system", SWITCHES)
def test_a_few_typical_lines_are_enough(system: str) -> None:
    texts = typical(system)
    assert texts != []
    for text in texts:
        assert text.count("\n") <= 5
        assert taken_for(text) == system
        assert taken_for(text.replace("\n", "\r\n")) == system


LINES = "vlan 20\nvlan 21\n"
"""Lines common to all of them."""


def having(command: str) -> list[str]:
    """Systems that have a command, in registration order."""
    return [
        name
        for name, nos in all_nos().items()
        if any(source.command and re.fullmatch(source.command, command) for source in nos.sources)
    ]


@pytest.mark.parametrize(
    ("command", "some"),
    [
        ("show running-config", {"aoscx", "eos", "iosxr", "nxos"}),
        ("show running-configuration", {"esonic", "os10"}),
        ("display current-configuration", {"comware", "vrp"}),
    ],
)
def test_of_a_command_that_several_have_the_content_tells_whose_it_was(
    command: str, some: set[str]
) -> None:
    header, systems = f"# command: {command}  host: leaf1\n", having(command)
    assert set(systems) >= some
    for system in systems:
        found = identify("x", header + typical(system)[0])
        assert (found.nos, found.source, found.header) == (system, "running-config", True)
        assert identify("x", header + LINES, system).nos == system
    with pytest.raises(AmbiguousFormat) as raised:
        identify("x", header + LINES)
    assert str(raised.value) == (
        f"x: its header names the command {command!r}, which exists on {', '.join(systems)}, "
        "and the content fits more than one"
    )


def folders(corpus: Path) -> Iterator[tuple[str, Path]]:
    """Switch systems, and the files that they wrote."""
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        system = FOLDERS.get(folder.name, folder.name)
        if system in SYSTEMS:
            yield from ((system, path) for path in sorted(folder.iterdir()))


def test_every_real_configuration_is_known_for_what_it_is(corpus: Path) -> None:
    found = {
        (system, path.name): taken_for(
            path.read_text(encoding="utf-8", errors="replace"), path.name
        )
        for system, path in folders(corpus)
    }
    assert len(found) > 100
    assert [key for key, other in found.items() if other != key[0]] == []


@pytest.mark.deep
def test_no_few_lines_of_a_real_configuration_are_taken_for_another_system(corpus: Path) -> None:
    wrong = [
        (system, path.name, other, part)
        for system, path in folders(corpus)
        for other, part in mistaken(
            system, path.read_text(encoding="utf-8", errors="replace"), 5, PARTS
        )
    ]
    assert wrong == []
