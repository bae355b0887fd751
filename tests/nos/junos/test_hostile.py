"""Whatever a file holds, reading ends with a Device of plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.dump import dump
from tests.nos.junos.reading import notes, read

HERE = Path(__file__).resolve().parent
CASES = [HERE / "leaf" / "leaf4.conf", HERE / "set-form" / "leaf5.set"]
LINES = [line for path in CASES for line in path.read_text().split("\n")]
WORDS = sorted({word for line in LINES for word in line.split()})
ODD = ["99999999999999999999", "-1", "٣", "[", "]", "{", "}", ";", '"', "/*", "\x00", "\u2028", "<*>", "apply-groups"]  # fmt: skip


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
    texts = [v for v in values(read(path.read_text())) if isinstance(v, str)]
    assert {type(text) for text in texts} == {str}


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


def test_many_wildcards_over_many_ports_end() -> None:
    ports = "".join(f"set interfaces et-0/0/{n} unit 0\n" for n in range(300))
    groups = "".join(f"set groups G interfaces <*> unit <*> x{n} y\n" for n in range(300))
    device = read(ports + groups + "set apply-groups G\n")
    assert len(device.interfaces) == 300
