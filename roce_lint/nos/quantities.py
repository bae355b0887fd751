"""Numbers, lists, rates, queue depths and code maps of command lines, from captured text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from roce_lint.model.qos import CodeMap, PfcMode
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.refusals import Bounds
from roce_lint.text.numbers import whole_number

ETHERNET_HEADER = 14
"""Bytes of an untagged Ethernet header, which some systems count in a frame limit."""

PER_HOP = {"be": 0, "af1": 1, "af2": 2, "af3": 3, "af4": 4, "ef": 5, "cs6": 6, "cs7": 7}
"""Numbers of per-hop behaviours (RFC 4594), by which some systems name their queues."""

UNITS = {
    "bytes": (1, ThresholdUnit.BYTES),
    "kbytes": (1000, ThresholdUnit.BYTES),
    "mbytes": (1_000_000, ThresholdUnit.BYTES),
    "packets": (1, ThresholdUnit.PACKETS),
    "percent": (1, ThresholdUnit.PERCENT),
    "us": (1, ThresholdUnit.MICROSECONDS),
    "microseconds": (1, ThresholdUnit.MICROSECONDS),
    "ms": (1000, ThresholdUnit.MICROSECONDS),
    "milliseconds": (1000, ThresholdUnit.MICROSECONDS),
}
"""Units of queue depths; a kbyte counts as 1000 bytes, as vendors do not document it."""

RATES = {"bps": 1, "kbps": 10**3, "mbps": 10**6, "gbps": 10**9}
"""Units of rates in bits per second."""

MAX_RATE = 10**13
"""More bits per second than any port has; a larger number is a typing error."""

LIST_LIMIT = 1 << 16
"""Numbers in the expanded ranges of one list, repeated ones counted again."""

MODES = {"on": PfcMode.ON, "off": PfcMode.OFF, "auto": PfcMode.AUTO}
"""Words for the PFC mode of a port."""

_TO = re.compile(r"(?<!\s)\s++to\s++")


class _Read(Protocol):
    @property
    def reading(self) -> Reading: ...


def whole(reader: _Read, value: Value[str], high: int, what: str, low: int = 0) -> Value[int]:
    """A whole number within bounds; others are noted and unknown.

    Documented bounds of the platform take precedence, with a note that it refuses the value.
    """
    found = value.map(number)
    limit = reader.reading.limits.get(what)
    if value.value is not None and isinstance(limit, Bounds):
        if found.value is not None and found.value in limit:
            return found
        reader.reading.refuse(limit, value.value, value.position)
        return Value(None, value.position)
    if value.value is None or (found.value is not None and low <= found.value <= high):
        return found
    message = f"{what} {value.value[:40]!r} is not a number from {low} to {high}"
    reader.reading.bad(message, value.position)
    return Value(None, value.position)


def gbps_of(reader: Reader, text: Value[str]) -> Value[float]:
    """Gb/s from the megabits of `speed 25000`; `auto` states none."""
    if text.value is None or text.value.split()[0] == "auto":
        return ABSENT
    return whole(reader, text, 10**7, "speed", 1).map(lambda mbps: mbps / 1000)


def number(text: str) -> int | None:
    """A decimal number of sane length, or None."""
    return whole_number(text, high=10**12 - 1)


def numbers(text: str, parse: Callable[[str], int | None]) -> frozenset[int] | None:
    """The values of a list with commas and ranges (`18,20,24-31`); None if any part is wrong."""
    found: set[int] = set()
    work = 0
    for part in text.replace(",", " ").replace(" - ", "-").split():
        single = parse(part)
        if single is not None:
            found.add(single)
            continue
        low, dash, high = part.partition("-")
        low_end, high_end = parse(low), parse(high)
        if not dash or low_end is None or high_end is None or high_end < low_end:
            return None
        if (work := work + high_end - low_end) > LIST_LIMIT:
            return None
        found.update(range(low_end, high_end + 1))
    return frozenset(found) if found else None


def write_ranges(text: str) -> str:
    """Convert ranges written `10 to 20` to the form of `numbers`."""
    return _TO.sub("-", text)


def read_numbers(
    reading: Reading,
    value: Value[str],
    parse: Callable[[str], int | None],
    what: str,
    limit: str = "",
) -> Value[frozenset[int]]:
    """A list of numbers, or a note; the platform refuses numbers beyond the bounds of `limit`."""
    if value.value is None:
        return Value(None, value.position)
    found, bounds = numbers(value.value, parse), reading.limits.get(limit)
    if found is None:
        if bounds is not None and numbers(value.value, lambda text: _any(text, parse)) is not None:
            reading.refuse(bounds, value.value, value.position)
        else:
            reading.bad(f"{value.value!r} is not {what}", value.position)
    return Value(found, value.position)


def _any(text: str, parse: Callable[[str], int | None]) -> int | None:
    known = parse(text)
    return number(text) if known is None else known


def upto(limit: int) -> Callable[[str], int | None]:
    """Parser of a number from 0 to `limit`."""

    def parse(text: str) -> int | None:
        found = number(text)
        return found if found is not None and found <= limit else None

    return parse


def options(
    reading: Reading, value: Value[str], arity: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Keywords of a line with their arguments; other words are noted."""
    found: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    words = (value.value or "").split()
    while words:
        word = words.pop(0)
        if word not in arity or len(words) < arity[word]:
            unknown.append(word)
            continue
        found[word] = tuple(words[: arity[word]])
        del words[: arity[word]]
    if unknown:
        reading.bad(f"not understood: {' '.join(unknown)[:80]!r}", value.position)
    return found


def threshold(reading: Reading, words: tuple[str, ...] | None, position: int) -> Value[Threshold]:
    """A queue depth from its number and unit."""
    if not words:
        return ABSENT
    amount = number(words[0])
    if amount is None or words[1] not in UNITS:
        reading.bad(f"{' '.join(words)!r} is not a queue depth", position)
        return ABSENT
    factor, unit = UNITS[words[1]]
    return Value(Threshold(amount * factor, unit), position)


def rate(words: list[str]) -> int | None:
    """Bits per second from a number and its unit."""
    if len(words) < 2 or words[1].lower() not in RATES:
        return None
    amount = number(words[0])
    bps = None if amount is None else amount * RATES[words[1].lower()]
    return bps if bps is not None and bps <= MAX_RATE else None


# Code maps: stated entries, identities, inverses.


def code_map(
    reading: Reading,
    begin: int,
    entries: Mapping[int, Value[int]],
    *,
    name: str | None = None,
    otherwise: Value[int] = ABSENT,
) -> CodeMap:
    """A map of stated entries; entries with unknown values are left out."""
    made = reading.build(CodeMap, begin, name=name, otherwise=otherwise)
    for number, value in sorted(entries.items()):
        enter(made, number, value)
    return made


def enter(table: CodeMap, number: int, value: Value[int]) -> None:
    """Set an entry of a map with its line; an unknown value is left out."""
    if value.value is not None:
        table.entries[number] = value.value
        table.at[number] = value.position


def same(reading: Reading, begin: int, default: Default, numbers: Iterable[int]) -> CodeMap:
    """An identity map, justified by `default`."""
    cited = reading.default(default).position
    return code_map(reading, begin, {number: Value(number, cited) for number in numbers})


def inverse(entries: Mapping[int, Value[int]]) -> dict[int, Value[int]]:
    """Inverse map, lowest number first; each entry keeps its line."""
    found: dict[int, Value[int]] = {}
    for number, value in sorted(entries.items()):
        if value.value is not None:
            found.setdefault(value.value, Value(number, value.position))
    return found


def by_values(lines: Iterable[tuple[Value[frozenset[int]], Value[int]]]) -> dict[int, Value[int]]:
    """Entries from lines that give several numbers one value; the last line for a number counts."""
    found: dict[int, Value[int]] = {}
    for numbers, value in lines:
        for number in sorted(numbers.value or ()):
            found[number] = Value(value.value, numbers.position or value.position)
    return found


# Effective PFC priorities of a port.


def paused_priorities(mode: Value[PfcMode], named: Value[frozenset[int]]) -> Value[frozenset[int]]:
    """No-drop priorities with PFC on, none with PFC off; unknown if PFC is negotiated."""
    if mode.value is PfcMode.ON:
        return named
    return Value(frozenset(), mode.position) if mode.value is PfcMode.OFF else ABSENT
