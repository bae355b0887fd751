"""Reading any file ends with a Device of plain values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.eos.reading import read, whole
from tests.nos.hostile import kinds_of_text, misplaced, mixed, some_of
from tests.nos.reader import notes

CASES = sorted(Path(__file__).resolve().parent.glob("*/*.cfg"))
LINES = [line for path in CASES for line in path.read_text().split("\n")]


@given(some_of(LINES))
def test_lines_in_any_order(text: str) -> None:
    dump(read(text))


@given(mixed(LINES))
def test_any_word_anywhere(text: str) -> None:
    dump(read(text))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text(text: str, lldp: str) -> None:
    dump(
        read(
            "interface Ethernet1\n" + text, lldp="Interface Et1 detected 1 LLDP neighbors:\n" + lldp
        )
    )


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_beginning_of_a_file(path: Path) -> None:
    text = path.read_text()
    for end in range(0, len(text), 97):
        read(text[:end])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_device_holds_plain_text(path: Path) -> None:
    assert kinds_of_text(read(path.read_text())) == {str}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_line_ends_and_indent_change_nothing(path: Path) -> None:
    text = path.read_text()
    expected = dump(read(text))
    assert dump(read(text.replace("\n", "\r\n"))) == expected
    for step in (" ", "\t"):
        lines = [
            step * ((len(line) - len(line.lstrip()) + 2) // 3) + line.lstrip()
            for line in text.split("\n")
        ]
        assert dump(read("\n".join(lines))) == expected


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_value_has_a_place_in_the_files(path: Path) -> None:
    assert misplaced(read(path.read_text())) == []


def test_a_range_without_end_is_cut() -> None:
    device = whole("interface Ethernet1/1-99999999\n   mtu 9214\n   no switchport\n")
    assert sorted(device.interfaces) == ["Ethernet1/1"]
    assert notes(device) == [
        (
            2,
            (
                "interface range 'Ethernet1/1-99999999' is not understood, "
                "or names more than 4096 interfaces"
            ),
        )
    ]


def test_one_remark_about_a_line_however_many_ports_it_holds_for() -> None:
    device = whole("interface Ethernet1-64\n   speed warp\n")
    assert notes(device) == [(3, "'warp' is not a speed")]


def test_many_names_and_deep_nesting_end() -> None:
    device = read(
        "interface Ethernet" + ",".join(f"1/{n}-{n + 3000}" for n in range(1, 400)) + "\n   mtu 9214\n"
        + "".join(" " * depth + "class X\n" for depth in range(300))
        + "interface Ethernet1/1\n   switchport mode trunk\n   switchport trunk allowed vlan "
        + "1-4094," * 5000 + "1\n"
    )  # fmt: skip
    assert len(device.interfaces) <= 4096
