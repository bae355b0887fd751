"""Reading any file ends with a Device of plain values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.hostile import kinds_of_text, mixed, some_of
from tests.nos.nxos.reading import read

CASES = sorted(Path(__file__).resolve().parent.glob("*/*.cfg"))
LINES = [line for path in CASES for line in path.read_text().split("\n")]


@given(some_of(LINES))
def test_lines_in_any_order(text: str) -> None:
    dump(read(text))


@given(mixed(LINES))
def test_any_word_anywhere(text: str) -> None:
    dump(read(text))


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    dump(read("interface Ethernet1/1\n" + text))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_beginning_of_a_file(path: Path) -> None:
    text = path.read_text()
    for end in range(0, len(text), 97):
        read(text[:end])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_device_holds_plain_text(path: Path) -> None:
    assert kinds_of_text(read(path.read_text())) == {str}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_line_ends_and_width_of_indent_change_nothing(path: Path) -> None:
    text = path.read_text()
    wide = "\n".join(" " * (len(line) - len(line.lstrip())) + line for line in text.split("\n"))
    expected = dump(read(text))
    assert dump(read(text.replace("\n", "\r\n"))) == expected
    assert dump(read(wide)) == expected


def test_many_names_in_one_header_and_deep_nesting_end() -> None:
    device = read(
        "interface Ethernet" + ",".join(f"1/{n}-{n + 3000}" for n in range(1, 900)) + "\n  mtu 9216\n"
        + "".join(" " * depth + "class X\n" for depth in range(300))
        + "interface Ethernet1/1\n  switchport trunk allowed vlan " + "1-4094," * 5000 + "1\n"
    )  # fmt: skip
    assert len(device.interfaces) <= 4096
