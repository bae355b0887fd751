"""Whatever a file holds, reading ends with a Device of plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.nxos.reading import read

CASES = sorted(Path(__file__).resolve().parent.glob("*/*.cfg"))
LINES = [line for path in CASES for line in path.read_text().split("\n")]
WORDS = sorted({word for line in LINES for word in line.split()})
ODD = [
    "99999999999999999999",
    "-1",
    "٣",
    "1-",
    "-",
    ",",
    "1,,2",
    "\x00",
    "\u2028",
    "0x10",
    "é" * 50,
]


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
    odd = {
        type(v) for v in values(read(path.read_text())) if isinstance(v, str) and type(v) is not str
    }
    assert odd == set()


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
