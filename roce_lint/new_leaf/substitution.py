"""Replaces names, ports, addresses and numbers of one device by those of another."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from roce_lint.text.numbers import whole_of

# Number series: values of similar devices, by the number in their names.

LEAST = 3
"""Devices that establish a pattern; if there are only two, both must."""

_SHARE = (2, 3)

_RUN = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Series:
    """Devices whose names differ from a sister's in one number, by that number."""

    members: Mapping[str, int]
    sister: str
    number: int  # of the new device

    def extend(self, values: Mapping[str, int], least: int = 2) -> int | None:
        """The value of the new device, if the values of enough members are linear.

        Tried over all members, then over those as far apart as the sister and the new device:
        switches in pairs have other numbers. None if no line goes through the sister's value.
        """
        known = {
            self.members[name]: value for name, value in values.items() if name in self.members
        }
        here = self.members[self.sister]
        step = self.number - here
        apart = {(n - here) // step: value for n, value in known.items() if (n - here) % step == 0}
        found = _line(known, here, self.number, least)
        return found if found is not None else _line(apart, 0, 1, least)


def series_of(names: Iterable[str], sister: str, new: str) -> Series | None:
    """The series of a sister that a new name continues; None if it continues none."""
    old, wanted = _RUN.findall(sister), _RUN.findall(new)
    if _RUN.sub("#", sister) != _RUN.sub("#", new) or len(old) != len(wanted):
        return None
    other = [n for n, pair in enumerate(zip(old, wanted, strict=True)) if pair[0] != pair[1]]
    if len(other) != 1:
        return None
    (at,) = other
    members = {}
    for name in names:
        runs = _RUN.findall(name)
        rest = runs[:at] + runs[at + 1 :]
        if _RUN.sub("#", name) == _RUN.sub("#", sister) and rest == old[:at] + old[at + 1 :]:
            members[name] = whole_of(runs[at])
    return Series(members, sister, whole_of(wanted[at]))


def next_name(known: Iterable[str], like: str) -> str | None:
    """The next name of the series of `like`: its last number follows the highest."""
    runs = list(_RUN.finditer(like))
    if not runs:
        return None
    head, tail = like[: runs[-1].start()], like[runs[-1].end() :]
    pattern = re.compile(rf"{re.escape(head)}([0-9]+){re.escape(tail)}")
    highest = max(whole_of(found[1]) for name in known if (found := pattern.fullmatch(name)))
    return f"{head}{highest + 1:0{len(runs[-1][0])}}{tail}"


def _line(points: Mapping[int, int], here: int, there: int, least: int) -> int | None:
    if here not in points or len(points) < least:
        return None
    for number in sorted(points, key=lambda n: abs(n - here)):
        if number == here:
            continue
        rise, rest = divmod(points[number] - points[here], number - here)
        on = [n for n in points if points[n] == points[here] + rise * (n - here)]
        enough = len(on) == len(points) or len(on) >= LEAST
        if not rest and enough and len(on) * _SHARE[1] >= len(points) * _SHARE[0]:
            return points[here] + rise * (there - here)
    return None


# Words of a line.

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_TOKEN = re.compile(
    r"(?P<six>(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:.]))"
    r"|(?P<four>(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.]))"
    r"|(?P<number>[0-9]+)"
)
_MAC = re.compile(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")

LONGEST = 19
"""Minimum digits of a number that is not a count."""

_MASK = {"six": "@", "four": "@", "number": "#"}


@dataclass(slots=True, frozen=True)
class Token:
    """A number or an address in a line; one that is not an IP address has only a value."""

    begin: int
    end: int
    value: int | None
    address: Address | None = None


def shape_of(line: str) -> tuple[str, list[Token]]:
    """A line with a placeholder for each number and address, and these."""
    tokens: list[Token] = []
    shape, at = "", 0
    for found in _TOKEN.finditer(line):
        kind, text = found.lastgroup or "number", found[0]
        address = None if kind == "number" else parse_address(text)
        if address is not None:
            value: int | None = number_of(address)
        elif kind == "number":
            value = whole_of(text) if len(text) < LONGEST else None
        else:
            value = whole_of(text.replace(":", ""), 16) if _MAC.fullmatch(text) else None
        tokens.append(Token(found.start(), found.end(), value, address))
        shape += line[at : found.start()] + _MASK[kind]
        at = found.end()
    return shape + line[at:], tokens


def parse_address(text: str) -> Address | None:
    """Parse an address; None if it is not one."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def number_of(address: Address) -> int:
    """The number of an address."""
    return int(address)


@dataclass(slots=True)
class Moved:
    """Networks whose addresses move with a device, and their offsets."""

    by: dict[Network, int] = field(default_factory=dict)

    def of(self, address: Address) -> Address | None:
        """The replacement of an address; None if it stays."""
        inside = [net for net in self.by if net.version == address.version and address in net]
        if not inside:
            return None
        try:
            return address + self.by[max(inside, key=lambda net: net.prefixlen)]
        except ValueError:
            return None  # there is no such address

    def holds(self, address: Address) -> bool:
        """Whether an address is in one of the moved networks."""
        moved = self.of(address)
        return moved is not None and moved != address


@dataclass(slots=True)
class Words:
    """Replacements: whole words, code numbers, and addresses.

    `ports` are those of the device itself; after the name of another device they are not replaced.
    `near` has words that are replaced only in lines with another word: ports of a neighbour have
    the same names as others.
    """

    names: dict[str, str] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)
    near: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: Moved = field(default_factory=Moved)

    def rewrite(self, line: str, fits: Sequence[int | None] = (), around: str = "") -> str:
        """Rewrite a line for the new device.

        `fits` has a value for each token of the line, None if unknown; words take
        precedence. `around` is the entry that the line belongs to.
        """
        tokens = shape_of(line)[1]
        edits: list[tuple[int, int, str]] = []

        def put(begin: int, end: int, text: str) -> None:
            if all(end <= first or last <= begin for first, last, _ in edits):
                edits.append((begin, end, text))

        for word, new in sorted(self.names.items(), key=_longest_first):
            for found in _word(word).finditer(line):
                put(*found.span(), _spelled_like(found[0], word, new))
        for word, new, begin, end in self._ports_in(line, around, known=bool(fits)):
            for found in _word(word).finditer(line, begin):
                inside = [
                    None if fit is None else fit != token.value
                    for token, fit in zip(tokens, fits, strict=False)
                    if found.start() <= token.begin < found.end()
                ]
                # A number that all sisters share is another port, and so is one after a name.
                if True in inside or (found.start() < end and None in (inside or [None])):
                    put(*found.span(), _spelled_like(found[0], word, new))
        for token, fit in zip(tokens, fits or [None] * len(tokens), strict=True):
            text = self._token(line[token.begin : token.end], token, fit)
            if text is not None:
                put(token.begin, token.end, text)
        for begin, end, text in sorted(edits, reverse=True):
            line = line[:begin] + text + line[end:]
        return line

    def _ports_in(
        self, line: str, around: str, *, known: bool
    ) -> Iterator[tuple[str, str, int, int]]:
        """The ports that a line may mean, each with its new name and its span.

        Without sisters that show the differences, a port of the device itself precedes the name of
        another device, and a port of a neighbour follows its name or is in an entry with that name
        as a value.
        """
        named = [at.start() for name in self.names if (at := _word(name).search(line))]
        end = min(named, default=len(line))
        made = [(word, new, 0, end) for word, new in self.ports.items()]
        for name, ports in self.near.items():
            near = _word(name).search(line)
            values = re.split(r"[\s\",;]+", around)
            if near is not None or (_word(name).search(around) if known else name in values):
                begin = near.end() if near is not None and not known else 0
                made += [(word, new, begin, len(line)) for word, new in ports.items()]
        yield from sorted(made, key=_longest_first)

    def _token(self, text: str, token: Token, fit: int | None) -> str | None:
        if token.address is not None:
            moved = self.moved.of(token.address)
            if moved is not None:
                return str(moved) if moved != token.address else text
        if fit is None or fit == token.value or fit < 0:
            return None
        if token.address is not None:
            largest = (1 << token.address.max_prefixlen) - 1
            return str(type(token.address)(fit)) if fit <= largest else None
        if ":" in text:
            return ":".join(re.findall("..", f"{fit:012x}"))
        return f"{fit:0{len(text)}}" if text.startswith("0") else str(fit)


def _longest_first(word: tuple[object, ...]) -> int:
    return -len(str(word[0]))


def _spelled_like(found: str, word: str, new: str) -> str:
    """A new word in the spelling of another: LEAF8 becomes LEAF9, Eth 1/8 becomes Eth 1/9."""
    if " " in found and " " not in word:
        new = _GAP.sub(r"\1 \2", new)
    if found.replace(" ", "") == word.replace(" ", ""):
        return new
    return new.upper() if found.isupper() else new.lower()


_GAP = re.compile(r"^([A-Za-z]+)([0-9])")


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> re.Pattern[str]:
    """A complete word: Ethernet1/1 is neither in Ethernet1/11 nor in Ethernet1/1/2."""
    if word.isdigit():
        return re.compile(rf"(?<![A-Za-z0-9./]){word}(?![A-Za-z0-9.]|/[0-9])")
    begin = r"(?<![A-Za-z0-9/])" if word[:1].isalnum() else ""
    spelled = _GAP.sub(r"\1 ?\2", re.escape(word), count=1)  # Eth1/8 is written Eth 1/8, too
    return re.compile(rf"{begin}{spelled}(?![A-Za-z0-9]|[/:][0-9])", re.IGNORECASE)


def mentioned(line: str, words: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The keys one of whose words is in a line."""
    tight = line.replace(" ", "").lower()  # a cheap test before any pattern
    for key, own in words.items():
        if any(each.replace(" ", "").lower() in tight and _word(each).search(line) for each in own):
            yield key


def mentions(line: str, words: Iterable[str], moved: Moved) -> bool:
    """Whether a line contains one of the words, or an address that moves."""
    addresses = (token.address for token in shape_of(line)[1] if token.address is not None)
    return any(_word(word).search(line) for word in words) or any(map(moved.holds, addresses))


Key = tuple[str, ...]
"""Shapes of the headers of a line, and its own."""


class Aligned:
    """Aligns the lines of several devices by shape and order."""

    def __init__(self, lines: Mapping[str, Iterable[tuple[Key, str]]]):
        self._values: dict[str, dict[Key, list[list[Token]]]] = {}
        self._texts: dict[str, set[str]] = {}
        for name, own in lines.items():
            kept: dict[Key, list[list[Token]]] = defaultdict(list)
            texts = set()
            for above, text in own:
                shape, tokens = shape_of(text)
                kept[(*above, shape)].append(tokens)
                texts.add(text)
            self._values[name], self._texts[name] = kept, texts

    def fits(
        self, name: str, above: Key, text: str, order: int, series: Series | None
    ) -> Sequence[int | None]:
        """For each token of a line of a device, the next value of the series of the others."""
        if series is None or len(self._values) < LEAST:
            return ()
        shape, tokens = shape_of(text)
        key = (*above, shape)
        count = len(self._values[name].get(key, ()))
        rows = {
            each: kept[key][order]
            for each, kept in self._values.items()
            if len(kept.get(key, ())) == count > order
        }
        found: list[int | None] = []
        for index, token in enumerate(tokens):
            values = {each: row[index].value for each, row in rows.items()}
            known = {each: value for each, value in values.items() if value is not None}
            if token.value is None or len(known) < LEAST:
                found.append(None)
            else:
                varies = len(set(known.values())) > 1
                found.append(series.extend(known, LEAST) if varies else token.value)
        return found

    def only(self, name: str, text: str) -> bool:
        """Whether only this device has a line, if there are others."""
        others = [texts for each, texts in self._texts.items() if each != name]
        return bool(others) and not any(text in texts for texts in others)
