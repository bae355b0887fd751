"""Interfaces: kind, state, MTU, VLANs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.naming import kind_of, place_of
from roce_lint.nos.junos.vlans import Vlans
from roce_lint.nos.quantities import ETHERNET_HEADER
from roce_lint.nos.reading import ABSENT, Value, put
from roce_lint.nos.refusals import Bounds
from roce_lint.nos.statements import Branch, whole
from roce_lint.nos.switch_ports import address
from roce_lint.text.numbers import real, whole_of

TAG = 4
MINIMUM_MTU = 68
"""Bytes that every IPv4 link carries (RFC 791)."""

LARGEST_MTU = 65_535
SWITCHING = ("ethernet-switching", "bridge")
OPTIONS = ("ether-options", "gigether-options")
NOT_PORTS = frozenset({"interface-range", "traceoptions", "interface-set"})
FECS = {"fec74": Fec.FC, **dict.fromkeys(("fec91", "fec108", "fec119"), Fec.RS), "none": Fec.NONE}

_SPEED = re.compile(r"(?P<number>\d{1,6})(?P<unit>[mg])", re.IGNORECASE)
_LINK_LOCAL = re.compile("fe[89ab][0-9a-f]:")
_FULL = frozenset(
    {"inet6", "ccc", "mpls", "iso", "tcc", "vpls", "any", "fibre-channel", *SWITCHING}
)
"""Families that pass packets without a configured address."""


@dataclass(slots=True)
class Port:
    """The stanza of one interface.

    `units` are its units by number; `folded` is the number of the unit merged with the port (a
    single untagged one); `unit` are its statements.
    """

    name: str
    kind: InterfaceKind
    branch: Branch
    units: dict[str, Branch]
    lag: Value[str] = ABSENT
    options: list[Branch] = field(default_factory=list)
    folded: str | None = field(init=False, default=None)
    unit: Branch = field(init=False)

    def __post_init__(self) -> None:
        self.unit = Branch(self.branch.reading, None)
        if len(self.units) == 1:
            ((number, unit),) = self.units.items()
            if "vlan-id" not in unit and "vlan-tags" not in unit:
                self.folded, self.unit = number, unit

    @property
    def is_untagged(self) -> bool:
        """Whether all its packets are untagged: routed without VLANs, or an access port."""
        families = self.unit.get("family")
        mode = _mode(_switching(families))
        return bool(families) and not _tags(self) and mode.value != "trunk"

    def option(self, name: str) -> Value[bool]:
        """Whether a setting of the port is on, by `NAME` or `no-NAME`, if it is stated."""
        for option in self.options:
            for word, on in ((name, True), (f"no-{name}", False)):
                if word in option:
                    option.get(word).take_all()
                    return Value(on, option.get(word).begin)
        return ABSENT


def read_ports(context: Context) -> dict[str, Port]:
    """All interfaces by name."""
    found: dict[str, Port] = {}
    for name, branch in context.top.get("interfaces").pairs():
        if name in NOT_PORTS:
            continue
        units = dict(branch.get("unit").pairs())
        options = [branch.get(word) for word in OPTIONS if word in branch]
        port = found[name] = Port(name, kind_of(name), branch, units, options=options)
        # `802.3ad ae1;` and `802.3ad { ae1; }`, which may hold more than the name
        named = (pair for option in options for pair in option.get("802.3ad").pairs())
        for channel, below in named:
            if kind_of(channel) is InterfaceKind.LAG:
                below.take()
                port.lag = Value(channel, below.begin)
                break
    return found


def _switching(families: Branch) -> Branch:
    """The family of a switched port; without a word if it is not switched."""
    return families.get(next((word for word in SWITCHING if word in families), SWITCHING[0]))


def _mode(switching: Branch) -> Value[str]:
    return switching.text("interface-mode").or_else(switching.text("port-mode"))


class Interfaces:
    """Makes the interfaces of the model."""

    def __init__(self, context: Context, ports: dict[str, Port], vlans: Vlans) -> None:
        self.context = context
        self.ports = ports
        self.vlans = vlans
        self.vrfs = _vrfs(context)
        self.slots = _slots(context)

    def build(self, port: Port) -> list[Interface]:
        """Interfaces of a port: the port, and each unit that is not merged with it."""
        reading = self.context.reading
        port.branch.take()
        parts = self._parts(port)
        speed = self._speed(port)
        channel = self.ports.get(port.lag.value or "")
        leading = channel or port
        media = self._media(leading)
        made = reading.build(
            Interface,
            port.branch.begin,
            name=port.name,
            aliases=(f"{port.name}.{port.folded}",) if port.folded is not None else (),
            kind=InterfaceKind.BREAKOUT_PARENT if parts.position else port.kind,
            enabled=self._is_enabled(port, channel),
            description=port.branch.text("description").or_else(port.unit.text("description")),
            speed_gbps=speed,
            parts=parts,
            parts_gbps=speed if parts.position else ABSENT,
            autoneg=port.option("auto-negotiation"),
            fec=self._fec(port),
            frame_mtu=media,
            lag=port.lag,
        )
        self._layers(made, port, leading, port.unit, media)
        rest = [self._of_unit(port, *unit) for unit in port.units.items() if unit[0] != port.folded]
        if port.kind is not InterfaceKind.VLAN:
            return [made, *rest]
        return rest or [self._of_unit(port, *unit) for unit in port.units.items()]

    def _of_unit(self, port: Port, number: str, unit: Branch) -> Interface:
        """A unit that is a separate interface: tagged, or of `irb`."""
        name = f"{port.name}.{number}"
        irb = port.kind is InterfaceKind.VLAN
        kind = InterfaceKind.SUBINTERFACE if port.kind in WIRED else port.kind
        unit.take()
        made = self.context.reading.build(
            Interface,
            unit.begin,
            name=name,
            kind=kind,
            enabled=_off(unit).or_else(self._is_enabled(port, None)),
            description=unit.text("description"),
            parent=None if irb else port.name,
        )
        self._layers(made, port, port, unit, self._media(port))
        tag = unit.convert("vlan-id", whole, "a VLAN")
        if irb:
            put(made, untagged_vlan=self.vlans.by_irb.get(name) or ABSENT)
        else:
            vlans = tag.map(lambda number: frozenset({number}))
            put(made, tagged=tag.map(lambda _: True), tagged_vlans=vlans)
        return made

    def _layers(
        self, made: Interface, port: Port, leading: Port, unit: Branch, media: Value[int]
    ) -> None:
        """Set addresses, VLANs and the largest packet, routed and switched."""
        body = unit if leading is port else leading.unit
        families = body.get("family")
        switching = _switching(families)
        if switching:
            self._read_switching(made, leading, switching)
        elif families and port.kind is not InterfaceKind.OTHER:
            made.routed = True
            made.tagged = False
            for _, family in families.pairs():
                family.take()
        if leading is port:
            put(made, addresses=self._addresses(unit))
            made.vrf = self.vrfs.get(made.name) or self.vrfs.get(f"{port.name}.{port.folded}")
        if port.kind is InterfaceKind.VLAN:
            media = media or unit.integer("mtu")
        headers = ETHERNET_HEADER + (TAG if made.tagged or _tags(leading) else 0)
        room = media.map(lambda frame: frame - headers)
        mtu = room if switching else self._of_family(leading, families, room)
        mtu = mtu or self.context.reading.default(defaults.MTU)
        if made.kind not in (InterfaceKind.TUNNEL, InterfaceKind.OTHER, InterfaceKind.LOOPBACK):
            put(made, ip_mtu=mtu)
        if self.context.named and made.kind is InterfaceKind.PHYSICAL:
            made.idle = not port.lag and _idle(port)

    def _read_switching(self, made: Interface, port: Port, family: Branch) -> None:
        put(made, routed=Value(False, family.begin))
        family.take()
        mode = _mode(family) or self.context.reading.default(defaults.ACCESS)
        members = family.get("vlan").words("members")
        carried = self.vlans.numbers(members)
        native = port.branch.convert("native-vlan-id", whole, "a VLAN")
        if mode.value != "trunk":
            made.tagged, made.tagged_vlans = False, frozenset()
            if members and carried and len(carried) == 1:
                put(made, untagged_vlan=Value(next(iter(carried)), members[0].position))
            return
        plain = native.value is not None and carried is not None and native.value in carried
        made.tagged = None if plain else True
        made.at["tagged"] = mode.position
        if plain:
            put(made, untagged_vlan=native)
        if members and carried is not None:
            tagged = carried - ({native.value} if plain else set())
            put(made, tagged_vlans=Value(tagged, members[0].position))

    def _media(self, port: Port) -> Value[int]:
        """`mtu` of the interface: the frame with its Ethernet header, without checksum."""
        value = port.branch.integer("mtu")
        if value.value is not None and not ETHERNET_HEADER < value.value <= LARGEST_MTU:
            self.context.bad(f"mtu {value.value} is out of range", value.position)
            return ABSENT
        return value

    def _of_family(self, port: Port, families: Branch, room: Value[int]) -> Value[int]:
        """MTU of IPv4, else of IPv6, if stated and valid; else the remaining room."""
        stated = ((name, families.get(name).integer("mtu")) for name in ("inet", "inet6"))
        family, own = next(((name, mtu) for name, mtu in stated if mtu), ("", room))
        if not family or own.value is None:
            return room
        if not room and self.context.whole and port.kind in WIRED:
            room = Value(self.context.reading.default(defaults.MTU).value, 0)
        if room.value is None or own.value <= room.value:
            return own
        limit = Bounds(
            f"family {family} mtu",
            MINIMUM_MTU,
            room.value,
            defaults.MTU.source,
            "bytes under the interface's mtu",
            instead=f"packets above {room.value} bytes do not pass",
        )
        deciding = room.position or port.branch.begin
        self.context.reading.refuse(limit, str(own.value), own.position, port.name, deciding)
        return room if room.position else ABSENT

    def _is_enabled(self, port: Port, channel: Port | None) -> Value[bool]:
        branches = (port.branch, port.unit, *([channel.branch] if channel else ()))
        own = next(filter(None, [_off(each) for each in branches]), ABSENT)
        return own or self.context.reading.default(defaults.ENABLED)

    def _addresses(self, unit: Branch) -> Value[tuple[str, ...]]:
        found: list[str] = []
        position = 0
        for family in ("inet", "inet6"):
            for text, branch in unit.get("family", family, "address").pairs():
                if branch.word is not None and branch.word.below:
                    branch.take_all()
                branch.take()
                full = text if "/" in text else f"{text}/{128 if ':' in text else 32}"
                stated = None if " " in text else address(full)
                if stated is None:
                    self.context.bad(f"{text[:64]!r} is not an address", branch.begin)
                elif not _LINK_LOCAL.match(stated):
                    found.append(stated)
                    position = position or branch.begin
        return Value(tuple(found), position) if found else ABSENT

    def _parts(self, port: Port) -> Value[int]:
        """Number of ports that a cage is split into; no position if it is whole."""
        stated = _split(port.branch)
        place = place_of(port.name)
        if place is None or place.lane:
            return ABSENT
        slot = self.slots.get(place.slot)
        return stated if stated or slot is None else slot.parts

    def _speed(self, port: Port) -> Value[float]:
        own = port.branch.text("speed").or_else(
            next((o.text("speed") for o in port.options if "speed" in o), ABSENT)
        )
        place = place_of(port.name)
        if place is not None and not own:
            slot = self.slots.get(place.slot)
            if slot is not None:
                own = slot.lane_speed if place.lane and slot.lane_speed else slot.speed
            cage = self.ports.get(port.name.partition(":")[0])
            if not own and place.lane and cage is not None:
                own = cage.branch.text("speed")  # the speed of a split cage is that of its lanes
        if own.value is None or own.value.startswith("auto"):
            return ABSENT
        found = _SPEED.fullmatch(own.value)
        number = whole_of(found["number"]) if found else 0
        if found is None or not number:
            self.context.bad(f"speed {own.value[:32]!r} is not understood", own.position)
            return ABSENT
        return Value(number / 1000 if found["unit"] in "mM" else real(number), own.position)

    def _fec(self, port: Port) -> Value[Fec]:
        for option in port.options:
            if "fec" in option:
                return option.convert("fec", lambda text: FECS[text], f"one of {', '.join(FECS)}")
        return ABSENT


def _off(branch: Branch) -> Value[bool]:
    return branch.flag("disable").map(lambda _: False)


def _tags(port: Port) -> bool:
    """Whether the medium leaves room for a tag."""
    return any(word in port.branch for word in ("vlan-tagging", "flexible-vlan-tagging"))


def _idle(port: Port) -> bool:
    """Whether no address, VLAN or other protocol passes packets."""
    for unit in port.units.values():
        families = unit.get("family")
        if any(name in _FULL for name in families.names()):
            return False
        inet = families.get("inet")
        if any(name in inet for name in ("address", "dhcp", "dhcp-client", "unnumbered-address")):
            return False
        if "encapsulation" in unit or "bandwidth" in unit:
            return False
    return "encapsulation" not in port.branch


@dataclass(slots=True)
class _Slot:
    """Statements of `chassis fpc N pic M port K` about a cage."""

    speed: Value[str]
    lane_speed: Value[str]
    parts: Value[int]


def _split(branch: Branch) -> Value[int]:
    stated = branch.integer("number-of-sub-ports")
    return stated if (stated.value or 0) > 1 else ABSENT


def _slots(context: Context) -> dict[str, _Slot]:
    found = {}
    for fpc, below in context.top.get("chassis", "fpc").pairs():
        for pic, inside in below.get("pic").pairs():
            for number, branch in inside.get("port").pairs():
                channel = branch.text("channel-speed")
                if channel.value == "disable-auto-speed-detection":
                    channel = ABSENT
                parts = _split(branch) or channel.map(lambda _: None)  # how many is not stated
                found[f"{fpc}/{pic}/{number}"] = _Slot(branch.text("speed"), channel, parts)
    return found


def _vrfs(context: Context) -> dict[str, str]:
    """Routing instance by interface."""
    return {
        interface: name
        for name, branch in context.top.get("routing-instances").pairs()
        if branch.text("instance-type").value in ("vrf", "virtual-router", "forwarding")
        for interface in branch.get("interface").names()
    }
