"""Copies of equal hosts: one is read, the others get its values and positions.

The hosts of a fabric are set up alike; their files differ in names, addresses and times, which a
source declares as the device's own (`Source.own`). Hosts with otherwise equal texts, and equalities
between own values at the same places, have one shape. The model of a shape is read from the texts
of its first host with placeholders for own values; a copy is the model with the values of a host.
Some hosts are read in full as well: a model that differs from one of them is not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import Any

from roce_lint.errors import ReadError
from roce_lint.loading.file_part import FilePart, text_of
from roce_lint.loading.group import Group
from roce_lint.loading.identify import header_of
from roce_lint.loading.serialization import Own, flat, is_plain, pack_model, unpack_copy
from roce_lint.model.device import Device
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import SourceFile, digest

FEWEST = 8
"""Hosts of one shape that are worth a model, which is read besides its samples."""

SCRIPTS = (Form.SHELL, Form.INI, Form.YAML)
"""Forms whose readers compare the host's name with patterns."""

LONGEST = 64
"""Characters of an own value."""

LIMIT = 1000
"""Own values of one host: their placeholders have three digits."""

MARK = "roce-lint-own"
"""Beginning of the placeholders of names."""

_SIMPLE = re.compile(r"[\w.:+-]{0,128}")
_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
_NO_HOST = ("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff")
_SPELLINGS: dict[str, Callable[[IPv6Address], str]] = {
    "long": lambda address: address.exploded,
    "short": lambda address: address.compressed,
    "dotted": lambda address: f"::ffff:{address.ipv4_mapped}",
}


def take_apart(part: FilePart, text: str) -> None:
    """Set the frame of a host's file (a hash of its text without own values) and the own values,
    unless it may be read differently on another host.
    """
    source, identity = part.source, part.identity
    if not all_nos()[identity.nos].is_host or source.apart or source.form in SCRIPTS:
        return
    command = ""
    if identity.header:
        header = header_of(text) if text.startswith("#") else None
        if header is None or not _SIMPLE.fullmatch(f"{header.host or ''}{header.time or ''}"):
            return
        command = header.command
    pieces, own = _split(source, _body(part, text)[1])
    frame = "\0".join((command, *pieces)).encode("utf-8", "surrogatepass")
    part.frame, part.own = sha256(frame).digest(), tuple(own)


def _body(part: FilePart, text: str) -> tuple[str, str]:
    """The header of a text with its line end, and the rest."""
    begin = text.find("\n") + 1 or len(text) if part.identity.header else 0
    return text[:begin], text[begin:]


def _split(source: Source, body: str) -> tuple[list[str], list[str]]:
    """The text between the matches of `own`, and the values that are read."""
    pieces, own, at = [], [], 0
    for found in re.finditer(source.own, body, re.MULTILINE) if source.own else ():
        begin, end = found.span(found.lastindex or 0)
        pieces.append(body[at:begin])
        own += [body[begin:end]] if found.lastindex else []
        at = end
    return [*pieces, body[at:]], own


@lru_cache(maxsize=1 << 14)
def _kind(value: str) -> tuple[str, str]:
    """Kind of an own value, and its normal spelling. Values of one kind are read alike; one with a
    meaning, such as the address of no host, is a kind by itself.
    """
    if _MAC.fullmatch(value):
        return (value if value in _NO_HOST else "MAC"), value
    try:
        address = ip_address(value)
    except ValueError:
        return "name", value
    spelled, begin = "", "IPv4"
    v4 = address
    if isinstance(address, IPv6Address):
        spelled = next((name for name, spell in _SPELLINGS.items() if spell(address) == value), "")
        v4 = address.ipv4_mapped or address
        begin = begin if address.ipv4_mapped else address.exploded[:4]
        meant = address.ipv4_mapped or (begin != "0000" and any(address.packed[8:]))
        if not spelled or not meant:
            return value, value
    if v4.version == 4 and (v4.is_unspecified or v4.is_loopback or v4.is_multicast):
        return value, value
    return f"{spelled} {begin}", str(v4)


def _placeholder(kind: str, number: int) -> str:
    """A value of a kind in its normal spelling."""
    if kind == "name":
        return f"{MARK}-{number:03}"
    if kind == "MAC":
        return f"02:72:6f:63:1{number // 100}:{number % 100:02}"
    _, _, begin = kind.partition(" ")
    if begin == "IPv4":
        return f"198.18.{100 + number // 100}.{100 + number % 100}"
    return str(IPv6Address(f"{begin}::726f:6365:{0x1000 + number:x}")) if begin else kind


def _spell(kind: str, value: str) -> str:
    """A value in the spelling of a kind."""
    spelled, _, begin = kind.partition(" ")
    if spelled not in _SPELLINGS:
        return value
    return _SPELLINGS[spelled](IPv6Address(f"::ffff:{value}" if begin == "IPv4" else value))


@dataclass(slots=True)
class _Shape:
    """Key of a shape; the values of one host with their kinds, its name first; and the kinds and
    numbers of the values in each file.
    """

    key: tuple[Hashable, ...]
    values: dict[str, str]
    places: list[list[tuple[str, int]]]


def _names(group: Group) -> list[str]:
    """Names of the files, relative to the folder of the first, or as they are elsewhere."""
    folder = group.parts[0].name.rpartition("/")[0]
    return [part.name.removeprefix(f"{folder}/") for part in group.parts]


def _shape(group: Group) -> _Shape | None:
    """The shape of a host; None if it may be read differently from others."""
    if group.startup or any(part.frame is None for part in group.parts):
        return None
    values, places = {group.device: "name"}, []
    numbers = {group.device: 0}
    key: list[Hashable] = [group.nos, group.role]
    for part, name in zip(group.parts, _names(group), strict=True):
        here = []
        for kind, value in map(_kind, part.own):
            values.setdefault(value, kind)
            here.append((kind, numbers.setdefault(value, len(numbers))))
        places.append(here)
        identity, dated = part.identity, part.identity.time is not None
        key.append((name, part.path is None, identity.source, identity.header, dated, part.frame,
            *sorted(identity.args.items()), *here))  # fmt: skip
    alone = len({value.casefold() for value in values}) == len(values) <= LIMIT
    return _Shape(tuple(key), values, places) if alone else None


def _strings(group: Group, values: Sequence[str]) -> list[str]:
    """All strings of a device that other hosts do not have; the values come first."""
    strings = list(values)
    for part in group.parts:
        strings += (part.name, part.sha256, part.path or "", part.identity.time or "")
    return strings


@dataclass(slots=True)
class Model:
    """The device of a shape: the group it is read from, and its bytes once it is read."""

    key: bytes
    members: list[int]  # numbers of the hosts
    group: Group
    values: list[str]  # placeholders
    fixed: str  # all text but own values
    data: bytes = b""
    shared: list[Any] = field(default_factory=list)  # places, sets and tuples, which nobody changes
    kept: set[int] = field(default_factory=set)  # numbers of the values in the device

    @property
    def samples(self) -> list[int]:
        """Hosts that are read in full as well."""
        return [self.members[0], self.members[len(self.members) // 2], self.members[-1]]

    def settle(self, device: Device) -> None:
        """Keep the bytes of the device, unless own values are part of longer texts."""
        strings = _strings(self.group, self.values)
        numbers = {text: number for number, text in enumerate(strings) if text}
        words = "|".join(map(re.escape, sorted(numbers, key=len, reverse=True)))
        inside = re.compile(rf"(.*?)({words})(.*)", re.DOTALL)
        whole = True

        def is_shared(made: object) -> bool:
            if isinstance(made, dict):
                places = bool(made) and all(type(each) is int for each in made.values())
                return places and is_shared(tuple(made))
            kept = isinstance(made, tuple | frozenset) and is_plain(made)
            return kept and not inside.search(repr(made))

        def stand_in(made: object) -> Own | int | None:
            nonlocal whole
            if is_shared(made):
                self.shared.append(made)
                return len(self.shared) - 1
            found = inside.match(made) if isinstance(made, str) else None
            if found is None:
                return None
            before, word, after = found.groups()
            whole &= before in ("", "::ffff:") and bool(re.fullmatch(r"(/\d+)?", after))
            self.kept.add(numbers[word])
            return before, numbers[word], after

        data = pack_model(device, stand_in)
        self.data = data if whole else b""

    def fits(self, values: Sequence[str]) -> bool:
        """Whether no varying value of a host is also a word of the texts."""
        pairs = zip(values[1:], self.values[1:], strict=True)
        return not any(
            value in self.fixed and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.fixed)
            for number, (value, own) in enumerate(pairs, 1)
            if value != own and number in self.kept
        )

    def copy(self, host: Group, values: Sequence[str]) -> Device:
        """The device of a host."""
        return unpack_copy(self.data, _strings(host, values), self.shared)


def _model(host: Group, shape: _Shape, members: list[int]) -> Model | None:
    """The model of a shape from one of its hosts; None if a text holds a placeholder."""
    values = [_placeholder(kind, number) for number, kind in enumerate(shape.values.values())]
    parts, fixed = [], []
    for number, (part, name) in enumerate(zip(host.parts, _names(host), strict=True)):
        try:
            head, body = _body(part, text_of(part).text)
        except ReadError:
            return None
        pieces = _split(part.source, body)[0]
        longest = SourceFile.of("", ("x" * LONGEST).join(pieces))
        if part.source.form is not Form.JSON and longest.long_lines():
            return None
        own = iter([_spell(kind, values[place]) for kind, place in shape.places[number]])
        fixed += [name, *pieces, *part.identity.args.values()]
        parts.append(_stand_in(part, number, name, head + _fill(part.source, body, own)))
    group = Group(values[0], host.nos, parts)
    strings = [text for text in _strings(group, values) if text]
    made = _shape(group)
    if made is None or made.key != shape.key or len(set(strings)) < len(strings):
        return None
    together = "\n".join(fixed)
    varying = (p for p, value in zip(values, shape.values, strict=True) if p != value)
    if any(word in together for word in (MARK, *varying)):
        return None
    key = sha256(repr(shape.key).encode("utf-8", "surrogatepass")).digest()
    return Model(key, members, group, values, together)


def _fill(source: Source, body: str, own: Iterator[str]) -> str:
    """A text with other own values."""

    def other(found: re.Match[str]) -> str:
        if not found.lastindex:
            return found[0]
        begin, end = (at - found.start() for at in found.span(found.lastindex))
        return f"{found[0][:begin]}{next(own)}{found[0][end:]}"

    return re.sub(source.own, other, body, flags=re.MULTILINE) if source.own else body


def _stand_in(part: FilePart, number: int, name: str, text: str) -> FilePart:
    """A part with another text and with placeholders for its names and time."""
    time = f"{MARK}-time-{number:03}" if part.identity.time is not None else None
    path = f"/{MARK}-path/{name}" if part.path is not None else None
    file = SourceFile.of(f"{MARK}-folder/{name}", text, path)
    sha = digest(f"{name}\n{file.sha256}".encode("utf-8", "surrogatepass"))  # texts may be equal
    made = replace(part, name=file.name, path=path, sha256=sha, packed=None,
        identity=replace(part.identity, time=time), file=replace(file, sha256=sha))  # fmt: skip
    take_apart(made, text)
    return made


class HostCopies:
    """The hosts of a run that can be copies, by their number."""

    def __init__(self, groups: dict[int, Group]) -> None:
        self._groups = groups
        self._values: dict[int, list[str]] = {}
        self._model_of: dict[int, Model] = {}
        members: dict[Hashable, tuple[_Shape, list[int]]] = {}
        for number, group in groups.items():
            shape = _shape(group)
            if shape is not None:
                self._values[number] = list(shape.values)
                members.setdefault(shape.key, (shape, []))[1].append(number)
        many = [(shape, numbers) for shape, numbers in members.values() if len(numbers) >= FEWEST]
        models = [_model(groups[numbers[0]], shape, numbers) for shape, numbers in many]
        self.models = [model for model in models if model is not None]

    def settle(self, devices: Sequence[Device | None], reads: dict[int, Device | None]) -> None:
        """Use the models whose copies are equal to their samples; None is what was not read."""
        for model, device in zip(self.models, devices, strict=True):
            if device is not None:
                model.settle(device)
            if not all(self._is_equal(model, number, reads[number]) for number in model.samples):
                continue
            for number in model.members:
                sample = reads.get(number)
                if sample is not None:
                    sample.shape = model.key
                elif model.fits(self._values[number]):
                    self._model_of[number] = model

    def _is_equal(self, model: Model, number: int, sample: Device | None) -> bool:
        if sample is None or not model.data:
            return False
        return flat(model.copy(self._groups[number], self._values[number])) == flat(sample)

    def __contains__(self, number: int) -> bool:
        return number in self._model_of

    def make(self, number: int) -> Device:
        """The device of a copy."""
        model = self._model_of[number]
        device = model.copy(self._groups[number], self._values[number])
        device.shape = model.key
        return device
