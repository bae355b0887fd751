"""Words of one device put in the place of another's: names, ports, addresses, and numbers."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from roce_lint.new_leaf.series import LEAST, Series
from roce_lint.text.numbers import whole_of

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_TOKEN = re.compile(
    r"(?P<six>(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:.]))"
    r"|(?P<four>(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.]))"
    r"|(?P<number>[0-9]+)"
)
_MAC = re.compile(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")

LONGEST = 19
"""Digits of a number, at least, that counts nothing."""

_MASK = {"six": "@", "four": "@", "number": "#"}


@dataclass(slots=True, frozen=True)
class Token:
    """A number or an address in a line; one that is no IP address has a value alone."""

    begin: int
    end: int
    value: int | None
    address: Address | None = None


def shape_of(line: str) -> tuple[str, list[Token]]:
    """A line with a sign for each number and address, and these."""
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
    """The address of a text; None where it is none."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def number_of(address: Address) -> int:
    """The number of an address."""
    return int(address)


@dataclass(slots=True)
class Moved:
    """Networks whose addresses move with a device, and by how much."""

    by: dict[Network, int] = field(default_factory=dict)

    def of(self, address: Address) -> Address | None:
        """The address that takes the place of another; None where it stays."""
        inside = [net for net in self.by if net.version == address.version and address in net]
        if not inside:
            return None
        try:
            return address + self.by[max(inside, key=lambda net: net.prefixlen)]
        except ValueError:
            return None  # there is no such address

    def holds(self, address: Address) -> bool:
        """Whether an address is of one of the networks that move."""
        moved = self.of(address)
        return moved is not None and moved != address


@dataclass(slots=True)
class Words:
    """What is put in the place of what: whole words, code numbers, and addresses.

    `ports` are those of the device itself, which are not meant behind the name of another, and
    `near` has words that are replaced only in lines that hold another word: the ports of a
    neighbour are called as others are.
    """

    names: dict[str, str] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)
    near: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: Moved = field(default_factory=Moved)

    def rewrite(self, line: str, fits: Sequence[int | None] = (), around: str = "") -> str:
        """The line with the words of the new device.

        `fits` has a value for each token of the line, None where it is not known; words go first.
        `around` is the entry that the line belongs to.
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
                # What all sisters have alike is another port, and so is what is behind a name.
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
        """The ports that a line may mean, each with its new name, and from where to where.

        Without sisters that show what moves, a port of the device itself is before the name of
        another, and one of a neighbour behind its name, or in an entry with a value that is it.
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
    """A new word as another was spelled: LEAF8 becomes LEAF9, Eth 1/8 becomes Eth 1/9."""
    if " " in found and " " not in word:
        new = _GAP.sub(r"\1 \2", new)
    if found.replace(" ", "") == word.replace(" ", ""):
        return new
    return new.upper() if found.isupper() else new.lower()


_GAP = re.compile(r"^([A-Za-z]+)([0-9])")


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> re.Pattern[str]:
    """A word by itself: Ethernet1/1 is neither in Ethernet1/11 nor in Ethernet1/1/2."""
    if word.isdigit():
        return re.compile(rf"(?<![A-Za-z0-9./]){word}(?![A-Za-z0-9.]|/[0-9])")
    begin = r"(?<![A-Za-z0-9/])" if word[:1].isalnum() else ""
    spelled = _GAP.sub(r"\1 ?\2", re.escape(word), count=1)  # Eth1/8 is written Eth 1/8, too
    return re.compile(rf"{begin}{spelled}(?![A-Za-z0-9]|[/:][0-9])", re.IGNORECASE)


def mentioned(line: str, words: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The keys one of whose words is in a line."""
    tight = line.replace(" ", "").lower()  # what is not even in this needs no pattern
    for key, own in words.items():
        if any(each.replace(" ", "").lower() in tight and _word(each).search(line) for each in own):
            yield key


def mentions(line: str, words: Iterable[str], moved: Moved | None = None) -> bool:
    """Whether a line holds one of the words, or an address that moves."""
    if any(_word(word).search(line) for word in words):
        return True
    if moved is None:
        return False
    return any(
        token.address is not None and moved.holds(token.address) for token in shape_of(line)[1]
    )


Key = tuple[str, ...]
"""Shapes of the headers of a line, and its own."""


class Aligned:
    """The same lines of several devices, reasons by their shapes and their order among these."""

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
        """For each token of a line of a device, the value that goes on with that of the others."""
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
        """Whether no other device states a line, where there are others."""
        others = [texts for each, texts in self._texts.items() if each != name]
        return bool(others) and not any(text in texts for texts in others)
