"""Whatever a file holds, reading ends with a Device of plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.eos.reading import notes, read, whole

CASES = sorted(Path(__file__).resolve().parent.glob("*/*.cfg"))
LINES = [line for path in CASES for line in path.read_text().split("\n")]
WORDS = sorted({word for line in LINES for word in line.split()})
ODD = ["99999999999999999999", "-1", "٣", "1-", "-", ",", "1,,2", "\x00", "\u2028", "0x10", "1/0"]


def values(item: object) -> Iterator[object]:
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        for field in dataclasses.fields(item):
            if field.name != "src":
                yield from values(getattr(item, field.name))
    elif isinstance(item, dict):
        for key, value in item.items():
            yield key
            yield from values(value)
    elif isinstance(item, list | tuple | set | frozenset):
        for value in item:
            yield from values(value)
    else:
        yield item


@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_lines_in_any_order(lines: list[str]) -> None:
    dump(read("\n".join(lines)))


@given(
    st.lists(
        st.tuples(st.sampled_from(LINES), st.integers(0, 12), st.sampled_from([*WORDS, *ODD])),
        max_size=40,
    )
)
def test_any_word_anywhere(edits: list[tuple[str, int, str]]) -> None:
    lines = []
    for line, place, word in edits:
        words = line.split(" ")
        words[min(place, len(words) - 1)] = word
        lines.append(" ".join(words))
    dump(read("\n".join(lines)))


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
    texts = [v for v in values(read(path.read_text())) if isinstance(v, str)]
    assert {type(text) for text in texts} == {str}


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
    """Positions lie inside the file, or are citations; nothing points past the end."""
    device = read(path.read_text())
    end = device.src.files[-1].first + device.src.files[-1].lines

    def check(item: object) -> None:
        if dataclasses.is_dataclass(item) and not isinstance(item, type):
            for position in getattr(item, "at", {}).values():
                assert -len(device.src.citations) <= position <= end
            for field in dataclasses.fields(item):
                if field.name not in ("src", "at"):
                    check(getattr(item, field.name))
        elif isinstance(item, dict):
            for value in item.values():
                check(value)
        elif isinstance(item, list | tuple):
            for value in item:
                check(value)

    check(device)


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
