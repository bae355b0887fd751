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
from typing import Any, Protocol, TypeVar

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.model.qos import QosObjects, SystemQos
from roce_lint.nos.access_lists import AccessLists, Dialect
from roce_lint.nos.copies import Copy, Move, Stanza, move_of, settle, signature
from roce_lint.nos.port_names import LAST_VLAN, HeaderNames, PortNames, parent_of, vlan_number
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, device_of, records, routed_families, text_of
from roce_lint.text.match import Record

T = TypeVar("T")

OFF = ("no", "undo")
"""First words of lines that turn something off."""

COPIED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.VLAN})
"""Kinds with many identical stanzas."""


SWITCHED = dict.fromkeys(("link_type", "access_vlan", "native_vlan", "allowed_vlans"), False)
"""Lines that show that a port is switched, in order of precedence."""

ROUTES = dict.fromkeys(("ip_address", "ipv6_address"), True) | SWITCHED
"""Lines that show whether a port routes, where an address shows that it does."""


class DeviceQos(Protocol):
    """QoS of a device, of which ports have been read."""

    objects: QosObjects

    def system(self) -> SystemQos:
        """Device-wide QoS."""


def channel_of(
    variable: str, prefix: str, what: str, high: int = 65535, low: int = 1
) -> Callable[[Reader], Value[str]]:
    """Reader of the channel of a member: `Po10` of the number in a line."""

    def read(reader: Reader) -> Value[str]:
        number = whole(reader, reader.word(variable), high, what, low)
        return number.map(lambda n: f"{prefix}{n}")

    return read


@dataclass(slots=True)
class Port:
    """One interface while it is read, with its channel; `refers`: structures its lines name."""

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

    def text(self, name: str) -> Value[str]:
        """Text of its own lines, else of its channel's."""
        return self.inherit(lambda lines: lines.text(name))

    def bound(self, kind: str, name: str, system: Reader) -> Value[str]:
        """Structure named last in its own line or its channel's, else in the whole device's."""
        own: Value[str] = self.inherit(lambda lines: lines.word(name, -1))
        return self.refer(kind, own) if own else system.word(name, -1)

    def routes(self, read: Callable[[Port], Value[bool]]) -> Value[bool]:
        """Whether it routes: as a VLAN interface, or as its lines state if packets arrive on it."""
        if self.kind is InterfaceKind.VLAN:
            return Value(True, self.reader.begin)
        return read(self) if self.kind in WIRED else ABSENT

    def whole(self, name: str, limits: tuple[int, int], what: str | None = None) -> Value[int]:
        """A number within `limits` from its own lines or the channel's; `what` is for notes."""
        low, high = limits
        return self.inherit(lambda lines: whole(lines, lines.text(name), high, what or name, low))

    def vlan(self, name: str) -> Value[int]:
        """Number of a VLAN, from its own lines or its channel's."""
        return self.whole(name, (1, LAST_VLAN), "VLAN")


def by_name(reading: Reading, expand: Callable[[str], HeaderNames]) -> dict[str, list[Record]]:
    """Interface stanzas by name, in order of first appearance; a header may name several."""
    found: dict[str, list[Record]] = {}
    for record in records(reading, CONFIG, "interface"):
        named = expand(record.values["name"][0][0])
        if named.problem:
            reading.bad(named.problem, record.position)
        for name in named.names:
            found.setdefault(name, []).append(record)
    return found


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
        beside: str = r"(?!)",
    ) -> Ports:
        """Read the stanzas and access lists.

        `channel` reads the name of a member's channel; `beside` is a regex of the words around the
        names in a header, besides `range`. The lines `filter` of stanzas bind lists.
        """
        ports = cls(reading, names, lists.read(reading, CONFIG))
        around = re.compile(rf"^range |{beside}")
        ports.records = by_name(reading, lambda header: names.expand(around.sub("", header)))
        for name, found in ports.records.items():
            reader = ports.readers[name] = Reader.over(found, reading)
            joined = channel(reader)
            if joined.value is not None:
                ports.channels[name] = joined
                ports.members.setdefault(joined.value, []).append(name)
        return ports

    def build(
        self, make: Callable[[Port], Interface], own: OwnPolicies | None = None
    ) -> dict[str, Interface]:
        """All interfaces in order of first appearance; `own`: egress policies from port lines."""
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
        if "tunnel" not in fields:
            up = port.reader.switch(on="no_shutdown", off="shutdown")
            fields = {"enabled": up, "vrf": port.reader.text("vrf"), **fields}
        made = port.reader.build(
            Interface,
            name=port.name,
            aliases=self.names.aliases(port.name),
            kind=port.kind,
            description=port.reader.text("description").map(strip_quotes),
            addresses=addresses(port.reader),
            lag=channel,
            parent=parent_of(port.name) if port.kind is InterfaceKind.SUBINTERFACE else None,
            **fields,
        )
        made.addresses = made.addresses or ()
        if port.name in self.members:
            self._add_members(made)
        return made

    def device(
        self, hostname: Value[str], interfaces: dict[str, Interface], qos: DeviceQos, **parts: Any
    ) -> Device:
        """The Device, which forwards between ports with addresses without a line."""
        qos.objects.policing = self.lists.found
        lldp = text_of(self.reading, "lldp").map(lambda line: line.split()[0] not in OFF)
        return device_of(
            self.reading,
            hostname,
            lldp=lldp.or_else(parts.pop("lldp", ABSENT)),
            forwards=routed_families(interfaces.values()),
            interfaces=interfaces,
            qos=qos.objects,
            system=qos.system(),
            **parts,
        )

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
        records = self.records[name]
        if records[0].children or name in self.members:
            return None
        key = likeness(kind, records)
        return None if key is None else (_family(name), key)

    def _copy(self, name: str, model: _Model, own: OwnPolicies | None) -> Interface:
        copy = Copy(model.interface.name, self.records[name][0], model.stanza)
        like = model.interface
        settle(self.reading, copy)
        move = move_of(copy)
        made = move.interface(like)
        rename(made, name, self.names.aliases(name), copy.record)
        made.description = made.description and strip_quotes(made.description)
        for kind, referred in model.port.refers:
            by = move.by if referred.position in move.lines else 0
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
        if policy.at.get("", 0) in move.lines:
            like, name = str(made.qos.egress), self.name()
            if not move.by:  # the QoS of a range is shared
                made.qos = move(made.qos)
            made.qos.egress = name
            self.objects.egress[name] = move.policy(policy, name)
            self.objects.repeated[name] = like


def link_members(interfaces: Mapping[str, Interface]) -> None:
    """Fill in the members of channels, where only members name their channel."""
    for interface in interfaces.values():
        channel = interfaces.get(interface.lag or "")
        if channel is not None:
            channel.members = (*channel.members, interface.name)


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


def likeness(
    kind: InterfaceKind, records: list[Record], read: Callable[[str], str | None] = address
) -> Hashable:
    """Key under which identical stanzas are parsed once; None to parse this one separately.

    `read` reads an address: None if it is none, empty if it is left out.
    """
    record, *others = records
    if kind not in COPIED or others:
        return None
    if kind is InterfaceKind.VLAN and "filter" in record.values:
        return None  # its lists apply to its own VLAN's ports
    found = (read(text) for text, _ in record.values.get("ip_address", ()))
    return kind, tuple(each and True for each in found), signature(record)


def rename(
    made: Interface,
    name: str,
    aliases: tuple[str, ...],
    record: Record,
    read: Callable[[str], str | None] = address,
) -> None:
    """Set the parts of a copied interface that its model does not share."""
    made.name, made.aliases = name, aliases
    if made.description is not None:
        made.description = record.values["description"][-1][0]
    if made.addresses:
        texts = record.values.get("ip_address", ())
        found = [kept for text, _ in texts if (kept := read(text))]
        made.addresses = (*found, *made.addresses[len(found) :])
    if made.kind is InterfaceKind.VLAN and made.untagged_vlan is not None:
        made.untagged_vlan = vlan_number(name)


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
