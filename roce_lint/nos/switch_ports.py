"""Interface stanzas of similar command lines: ranges, channels, addresses.

A NOS declares its interface names and the meaning of a stanza; the common parts are here. Identical
stanzas are parsed once.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import QosObjects
from roce_lint.nos.access_lists import AccessLists, Dialect
from roce_lint.nos.copies import Copy, Move, Stanza, move_of, settle, signature
from roce_lint.nos.port_names import LAST_VLAN, PortNames, parent_of, vlan_number
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, records
from roce_lint.text.match import Record, merge

T = TypeVar("T")

COPIED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.VLAN})
"""Kinds with many identical stanzas."""


SWITCHED = dict.fromkeys(("link_type", "access_vlan", "native_vlan", "allowed_vlans"), False)
"""Lines that show that a port is switched, in order of precedence."""


def without_range(header: str) -> str:
    """The names of `interface range 1/1-1/4`."""
    return header.removeprefix("range ")


@dataclass(slots=True)
class Port:
    """One interface while it is read, with the stanzas of the port and its channel.

    `refers` are the named structures that its lines refer to.
    """

    name: str
    kind: InterfaceKind
    reader: Reader
    channel: Reader | None = None
    refers: list[tuple[str, Value[str]]] = field(default_factory=list)

    @property
    def reading(self) -> Reading:
        """The files of the device."""
        return self.reader.reading

    def refer(self, kind: str, name: Value[str]) -> Value[str]:
        """Record a reference of a port line to a structure; returns the name."""
        if name.value is not None:
            self.refers.append((kind, name))
        return name

    def inherit(self, read: Callable[[Reader], Value[T]]) -> Value[T]:
        """Value of the port's own lines, else of its channel's."""
        own = read(self.reader)
        return own if own.position or self.channel is None else read(self.channel)

    def whole(self, name: str, limits: tuple[int, int], what: str | None = None) -> Value[int]:
        """A number within `limits`, from its own lines or its channel's.

        `what` is its name in notes; the variable's name by default.
        """
        low, high = limits
        return self.inherit(lambda lines: whole(lines, lines.text(name), high, what or name, low))

    def vlan(self, name: str) -> Value[int]:
        """Number of a VLAN, from its own lines or its channel's."""
        return self.whole(name, (1, LAST_VLAN), "VLAN")


@dataclass(slots=True)
class Ports:
    """All interface stanzas of a device by interface; those of one interface are added up."""

    reading: Reading
    names: PortNames
    lists: AccessLists
    readers: dict[str, Reader] = field(default_factory=dict)
    records: dict[str, list[Record]] = field(default_factory=dict)
    channels: dict[str, Value[str]] = field(default_factory=dict)  # of a member, in full
    members: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        reading: Reading,
        names: PortNames,
        lists: Dialect,
        channel: Callable[[Reader], Value[str]],
        header: Callable[[str], str] = without_range,
    ) -> Ports:
        """Read the stanzas and access lists.

        `channel` reads the name of a member's channel, `header` extracts the names from the text
        after `interface`. The lines `filter` of stanzas bind lists.
        """
        ports = cls(reading, names, lists.read(reading, CONFIG))
        for record in records(reading, CONFIG, "interface"):
            named = names.expand(header(record.values["name"][0][0]))
            if named.problem:
                reading.note(NoteKind.BAD_VALUE, named.problem, record.position)
            for name in named.names:
                ports.records.setdefault(name, []).append(record)
        for name, found in ports.records.items():
            starts = tuple(record.position for record in found)
            reader = ports.readers[name] = Reader(merge(found), reading, starts=starts)
            joined = channel(reader)
            if joined.value is not None:
                ports.channels[name] = joined
                ports.members.setdefault(joined.value, []).append(name)
        return ports

    def build(
        self, make: Callable[[Port], Interface], own: OwnPolicies | None = None
    ) -> dict[str, Interface]:
        """All interfaces in order of first appearance.

        `own` are the egress policies from ports' own lines.
        """
        built: dict[str, Interface] = {}
        models: dict[Hashable, _Model | None] = {}  # None: noted, so never copied
        for name, reader in self.readers.items():
            kind = self.names.kind_of(name)
            likeness = self._likeness(name, kind)
            model = models.get(likeness)
            if likeness is not None and model is not None:
                built[name] = self._copy(name, model, own)
                continue
            noted = len(self.reading.notes)
            channel = self.channels.get(name, ABSENT).value
            port = Port(name, kind, reader, self.readers.get(channel or ""))
            built[name] = make(port)
            for what, referred in port.refers:
                self.reading.names.refer(what, str(referred.value), referred.position)
            lines = [each.all("filter") for each in (port.channel, reader) if each is not None]
            self.lists.bind_lines(built[name], chain.from_iterable(lines))
            if likeness is not None:
                made = _Model(built[name], port, Stanza.of(self.records[name][0]))
                models.setdefault(likeness, made if len(self.reading.notes) == noted else None)
        for name in self.members:
            if name not in built:
                built[name] = self._make_mentioned(name)
        self.lists.spread(built)
        return built

    def interface(self, port: Port, **fields: Any) -> Interface:
        """The interface with the common settings of a stanza, and with `fields`."""
        port.reader.take()
        for _ in port.reader.all("name"):
            pass
        channel = self.channels.get(port.name, ABSENT)
        made = port.reader.build(
            Interface,
            name=port.name,
            aliases=self.names.aliases(port.name),
            kind=port.kind,
            description=port.reader.text("description").map(strip_quotes),
            addresses=_join(addresses(port.reader)),
            lag=channel,
            parent=parent_of(port.name) if port.kind is InterfaceKind.SUBINTERFACE else None,
            **fields,
        )
        made.addresses = made.addresses or ()
        if port.name in self.members:
            self._add_members(made)
        return made

    def _add_members(self, made: Interface) -> None:
        members = self.members[made.name]
        made.members = tuple(members)
        made.at["members"] = self.channels[members[0]].position

    def _make_mentioned(self, name: str) -> Interface:
        """A channel that members name without a stanza."""
        begin = self.channels[self.members[name][0]].position
        made = self.reading.build(
            Interface, begin, name=name, aliases=self.names.aliases(name), kind=InterfaceKind.LAG
        )
        self._add_members(made)
        return made

    def _likeness(self, name: str, kind: InterfaceKind) -> Hashable:
        """Key under which identical stanzas are parsed once; None to parse this one separately."""
        record, *others = self.records[name]
        if kind not in COPIED or others or record.children or name in self.members:
            return None
        if kind is InterfaceKind.VLAN and "filter" in record.values:
            return None  # its lists apply to its own VLAN's ports
        shapes = tuple(address(text) is not None for text, _ in record.values.get("ip_address", ()))
        return _family(name), kind, shapes, signature(record)

    def _copy(self, name: str, model: _Model, own: OwnPolicies | None) -> Interface:
        copy = Copy(model.interface.name, self.records[name][0], model.stanza)
        like = model.interface
        settle(self.reading, copy)
        move = move_of(copy)
        made = move.interface(like)
        made.name = name
        made.aliases = self.names.aliases(name)
        captured = copy.record.values
        if "description" in captured:
            made.description = strip_quotes(captured["description"][-1][0])
        if like.addresses:
            found = [kept for text, _ in captured.get("ip_address", ()) if (kept := address(text))]
            made.addresses = (*found, *like.addresses[len(found) :])
        if made.kind is InterfaceKind.VLAN and like.untagged_vlan is not None:
            made.untagged_vlan = vlan_number(name)
        for kind, referred in model.port.refers:
            here = move.first <= referred.position <= move.last
            by = move.by if here else 0
            self.reading.names.refer(kind, str(referred.value), referred.position + by)
        if own is not None:
            own.repeat(made, move)
        return made


@dataclass(slots=True)
class _Model:
    """A parsed port that others repeat."""

    interface: Interface
    port: Port
    stanza: Stanza


@dataclass(slots=True)
class OwnPolicies:
    """Egress policies from port lines, with numbered names.

    `each` is True if the ports of one range have separate ones, although they share its lines.
    """

    objects: QosObjects
    each: bool = False

    def name(self) -> str:
        """Name of the next policy."""
        return f"queues {len(self.objects.egress) + 1}"

    def repeat(self, made: Interface, move: Move) -> None:
        """Copy the own policy of a repeated port."""
        policy = self.objects.egress.get((made.qos and made.qos.egress) or "")
        if made.qos is None or policy is None or not (move.by or self.each):
            return
        if move.first <= policy.at.get("", 0) <= move.last:
            like, name = str(made.qos.egress), self.name()
            if not move.by:  # the QoS of a range is shared
                made.qos = move(made.qos)
            made.qos.egress = name
            self.objects.egress[name] = move.policy(policy, name)
            self.objects.repeated[name] = like


def _family(name: str) -> str:
    """The part of a port name with its speed, card and split."""
    port, lane, _ = name.rpartition(":")
    return port if lane else name.rpartition("/")[0] or name.rstrip("0123456789")


def reads_as_routed(reader: Reader, lines: Mapping[str, bool]) -> Value[bool]:
    """Whether a port routes, by the first of these kinds of line that it has."""
    values = reader.record.values
    for name, routes in lines.items():
        if name in values:
            return Value(routes, values[name][-1][1])
    return ABSENT


def addresses(reader: Reader) -> Value[tuple[str, ...]]:
    """Addresses with prefix length, in file order; none for `dhcp` and similar."""
    found: list[str] = []
    position = 0
    for value in [*reader.all("ip_address"), *reader.all("ipv6_address")]:
        stated = address(value.value or "")
        if stated is not None:
            found.append(stated)
            position = position or value.position
    return Value(tuple(found), position) if found else ABSENT


_IPV4 = r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN = re.compile(rf"{_IPV4}/(?:3[0-2]|[12]?\d)", re.ASCII)
"""An IPv4 address with its prefix length, in the stored form."""

_MASKED = re.compile(rf"({_IPV4}) (\d+\.\d+\.\d+\.\d+)", re.ASCII)

_LENGTHS = {str(ipaddress.IPv4Network((0, n)).netmask): n for n in range(1, 33)}
"""Prefix lengths by their masks, without the ambiguous `0.0.0.0`."""


@lru_cache(maxsize=8192)
def address(text: str) -> str | None:
    """`10.0.0.1/31` in that form, or from an address and its mask; None for anything else."""
    if _PLAIN.fullmatch(text):
        return text
    masked = _MASKED.fullmatch(text)
    if masked and masked[2] in _LENGTHS:
        return f"{masked[1]}/{_LENGTHS[masked[2]]}"
    words = text.split()
    if words[1:2] == ["address"]:  # the whole line
        words = words[2:]
    if not words:
        return None
    joined = words[0] if "/" in words[0] else "/".join(words[:2])
    try:
        return ipaddress.ip_interface(joined).with_prefixlen if "/" in joined else None
    except ValueError:
        return None


def is_address(text: str) -> bool:
    """Whether a text is an address, with or without its prefix length."""
    if _PLAIN.fullmatch(text):
        return True
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


def strip_quotes(text: str) -> str:
    """A description without the quotes around it."""
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if quoted else text


def _join(value: Value[tuple[str, ...]]) -> Value[tuple[str, ...]]:
    return value if value.position else Value((), 0)
