"""Every source of every NOS with a file that is cut, or lost and doubled lines: no crash, ever.

The samples are the files of the cases in this folder, so that new sources are covered.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.errors import ReadError
from roce_lint.loading.decode import decode
from roce_lint.loading.identify import identify
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.nos.base import Nos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import SourceFile
from tests.nos.test_cases import cases, inputs, source_list
from tests.sampling import tries

EVERY_BYTE = 500
"""Bytes of a sample that are each tried as the end; after them every so many."""
STEP = 61
SHORT_STEP = 3
"""`make test` tries one in so many of these ends."""
LONGEST = 6000


@cache
def samples() -> dict[tuple[str, str], Path]:
    """The shortest input of each source of each NOS."""
    found: dict[tuple[str, str], Path] = {}
    for case in cases():
        nos = all_nos()[case.parent.name]
        for path in inputs(case):
            key = nos.name, source_of(nos, case, path)
            if key not in found or path.stat().st_size < found[key].stat().st_size:
                found[key] = path
    return found


def source_of(nos: Nos, case: Path, path: Path) -> str:
    name = path.relative_to(case).as_posix()
    named = source_list(case)
    if name in named.sources:
        return named.sources[name]
    return identify(name, path.read_text(encoding="utf-8"), only=nos.name).source


def read(key: tuple[str, str], text: str) -> Device | None:
    """The device of one file; None if the file is refused, with its name and a line."""
    nos = all_nos()[key[0]]
    file = SourceFile.of("sample.txt", text)
    refusal = ""
    try:
        device = read_device(nos, "sample", [IdentifiedFile(file, nos.by_source[key[1]])])
    except ReadError as error:
        device, refusal = None, f"{error.location}: {error}"
    if device is not None:
        dump(device)
        return device
    found = REFUSED.match(refusal)
    assert found is not None, refusal
    assert 1 <= int(found["line"]) <= text.count("\n") + 2
    return None


REFUSED = re.compile(r"sample\.txt:(?P<line>\d+)(?::\d+)?: \S")


@pytest.mark.parametrize("step", [SHORT_STEP, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("key", samples(), ids="/".join)
def test_a_file_may_end_at_any_byte(key: tuple[str, str], step: int) -> None:
    raw = samples()[key].read_bytes()[:LONGEST]
    ends = [*range(min(EVERY_BYTE, len(raw))), *range(EVERY_BYTE, len(raw), STEP)]
    for end in ends[::step]:
        text = decode(raw[:end]).text
        if text is not None:
            read(key, text)


@pytest.mark.parametrize("key", samples(), ids="/".join)
@settings(max_examples=tries(50))
@given(st.data())
def test_lines_may_be_lost_and_doubled(key: tuple[str, str], data: st.DataObject) -> None:
    lines = samples()[key].read_text(encoding="utf-8").split("\n")[:120]
    numbers = st.integers(0, len(lines) - 1)
    for number in sorted(data.draw(st.sets(numbers, max_size=6)), reverse=True):
        del lines[number]
    for number in data.draw(st.lists(numbers, max_size=6)):
        place = min(number, max(len(lines) - 1, 0))
        lines[place:place] = lines[place : place + data.draw(st.integers(1, 4))]
    read(key, "\n".join(lines))


ODD = {
    "tabs": lambda text: text.replace("    ", "\t").replace("  ", "\t"),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "no end of the last line": lambda text: text.rstrip("\n"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "an open quote": lambda text: text.replace("\n", '\n"', 2),
    "a NUL in a line": lambda text: text.replace(" ", "\x00", 3),
    "every line twice": lambda text: "".join(f"{line}\n{line}\n" for line in text.split("\n")),
    "no braces closed": lambda text: text.replace("}", ""),
    "braces opened twice": lambda text: text.replace("{", "{{"),
    "comments as in C": lambda text: "// generated\n" + text.replace(",\n", ", // why\n"),
    "digits of another script": lambda text: text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    "numbers without end": lambda text: text.replace("3", "3" * 400),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_odd_text_ends_in_a_device_or_a_message(odd: str) -> None:
    for key, path in samples().items():
        read(key, ODD[odd](path.read_text(encoding="utf-8")))
