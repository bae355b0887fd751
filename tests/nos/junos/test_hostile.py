"""Reading any file ends with a Device of plain values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.hostile import kinds_of_text, misplaced, mixed, some_of
from tests.nos.junos.reading import read
from tests.nos.reader import notes

HERE = Path(__file__).resolve().parent
CASES = [HERE / "leaf" / "leaf4.conf", HERE / "set-form" / "leaf5.set"]
LINES = [line for path in CASES for line in path.read_text().split("\n")]
ODD = ["99999999999999999999", "-1", "٣", "[", "]", "{", "}", ";", '"', "/*", "\x00", "\u2028", "<*>", "apply-groups"]  # fmt: skip


@given(some_of(LINES))
def test_lines_in_any_order(text: str) -> None:
    dump(read(text))


@given(mixed(LINES, ODD))
def test_any_word_anywhere(text: str) -> None:
    dump(read(text))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text(text: str, lldp: str) -> None:
    dump(read("interfaces { et-0/0/0 {\n" + text, lldp="Local Interface Parent\n" + lldp))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_beginning_of_a_file(path: Path) -> None:
    text = path.read_text()
    for end in range(0, len(text), 97):
        read(text[:end])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_line_left_out(path: Path) -> None:
    lines = path.read_text().split("\n")
    for number in range(0, len(lines), 3):
        read("\n".join(lines[:number] + lines[number + 1 :]))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_device_holds_plain_text(path: Path) -> None:
    assert kinds_of_text(read(path.read_text())) == {str}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_value_has_a_place_in_the_files(path: Path) -> None:
    assert misplaced(read(path.read_text())) == []


def test_deep_nesting_ends() -> None:
    deep = "groups { G { interfaces { " + "a { " * 3000 + "\n" + "}" * 3000
    device = read(deep + "\napply-groups G;\ninterfaces {\n" + " a {\n" * 3000)
    assert [message for _, message in notes(device)][:1] == [
        "nested deeper than any device allows; left out"
    ]
    read(
        "set groups G interfaces "
        + "<*> " * 90
        + "\nset apply-groups G\nset interfaces "
        + "a " * 90
        + "\n"
    )


@pytest.mark.deep
def test_many_wildcards_over_many_ports_end() -> None:
    ports = "".join(f"set interfaces et-0/0/{n} unit 0\n" for n in range(300))
    groups = "".join(f"set groups G interfaces <*> unit <*> x{n} y\n" for n in range(300))
    device = read(ports + groups + "set apply-groups G\n")
    assert len(device.interfaces) == 300
