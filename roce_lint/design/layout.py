"""Layout of a design (switches, hosts, ports, cables), and its refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.catalog.refusals import Loc, Refusal
from roce_lint.intent.fabric import HostSchema, PortsSchema, fill_pattern, placeholders
from roce_lint.model.device import Role
from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds
from roce_lint.text.names import did_you_mean

HINTED = 50
"""Refusals with a hint."""

__all__ = ["Loc", "Refusals"]


@dataclass(slots=True)
class Refusals:
    """Refusals of a design, each with the path of the requirement in the intent."""

    found: dict[Refusal, None] = field(default_factory=dict)

    def add(self, keys: Loc, message: str, hint: str = "") -> None:
        """Add a refusal; duplicates are dropped."""
        self.found.setdefault(Refusal(keys, message, hint))

    def unknown(self, keys: Loc, what: str, name: str, known: list[str]) -> None:
        """Add an unknown name, with the nearest known one.

        Only as many are compared with all names as are shown.
        """
        hint = did_you_mean(name[:40], known) if len(self.found) < HINTED else ""
        self.add(keys, f"{what} {name[:40]!a}", hint)

    def concern(self, *sections: str) -> bool:
        """Whether a refusal concerns one of the top-level keys."""
        return any(each.keys[:1] == (section,) for each in self.found for section in sections)

    def __bool__(self) -> bool:
        return bool(self.found)


MOST_DEVICES, MOST_CABLES = 20_000, 200_000
"""Largest design; larger ones are refused before they are built."""


@dataclass(slots=True)
class PlannedPort:
    """A port with a cable; `keys` is its path in the intent."""

    name: str
    speed_gbps: float
    keys: Loc
    lanes: int | None = None
    fec: str | None = None
    fec_keys: Loc = ()
    cable_m: float | None = None
    cable_keys: Loc = ()
    peer: tuple[str, str] | None = None
    to_host: bool = False
    rail: int | None = None
    addresses: tuple[str, ...] = ()
    address_keys: Loc = ()
    parent: str | None = None  # the port that it is a part of
    parts: int = 1  # into which the parent is broken out
    parts_keys: Loc = ()


@dataclass(slots=True)
class PlannedSwitch:
    """A switch; `n` is its number in the tier, `i` in its pod, from 1."""

    name: str
    role: Role
    nos: str
    offer: Offer
    keys: Loc
    platform: str = ""
    release: str = ""
    n: int = 1
    i: int = 1
    pod: int = 1
    rail: int | None = None
    asn: int | None = None
    asn_keys: Loc = ()
    loopback: str | None = None
    loopback_keys: Loc = ()
    ports: dict[str, PlannedPort] = field(default_factory=dict)


_PAGE = "docs/nos/linux.md"

ADAPTER = Offer(
    port="",
    split="",
    loopback="lo",
    share_of=ShareKind.REMAINING,  # IEEE 802.1Qaz: shares of what strict classes leave
    pmax_percent=Bounds("probability", 0, 100, _PAGE),
    ip_mtu=Bounds("mtu", 68, 65535, _PAGE, "bytes"),
    watchdog=WatchdogOffer(actions=frozenset(), source=_PAGE),
    source=_PAGE,
)
"""Settings of the eight priorities of an adapter (IEEE 802.1Q, data centre bridging)."""


@dataclass(slots=True)
class PlannedHost:
    """A host of one type."""

    name: str
    kind: HostSchema
    keys: Loc
    ports: dict[str, PlannedPort] = field(default_factory=dict)
    rdma: dict[str, str] = field(default_factory=dict)  # by port
    role: Role = Role.HOST
    nos: str = "linux"
    offer: Offer = ADAPTER


PlannedDevice = PlannedSwitch | PlannedHost


@dataclass(slots=True)
class Cable:
    """A cable; `a` is the end nearer to hosts."""

    a: tuple[str, str]
    b: tuple[str, str]
    keys: Loc
    speed_gbps: float
    cable_m: float | None = None
    rail: int | None = None


@dataclass(slots=True)
class Layout:
    """The whole layout, in the order of the intent."""

    switches: dict[str, PlannedSwitch] = field(default_factory=dict)
    hosts: dict[str, PlannedHost] = field(default_factory=dict)
    cables: list[Cable] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """Switches, then hosts."""
        return (*self.switches, *self.hosts)

    def device(self, name: str) -> PlannedDevice | None:
        """A switch or host by its name."""
        return self.switches.get(name) or self.hosts.get(name)

    def role(self, name: str) -> Role:
        """Role of a device."""
        return self.switches[name].role if name in self.switches else Role.HOST

    def port(self, end: tuple[str, str]) -> PlannedPort:
        """Port at the end of a cable."""
        device = self.switches.get(end[0]) or self.hosts[end[0]]
        return device.ports[end[1]]

    def of_role(self, role: Role) -> list[PlannedSwitch]:
        """The switches of a tier."""
        return [each for each in self.switches.values() if each.role is role]

    def join(self, cable: Cable) -> None:
        """Add a cable between two existing ports."""
        self.cables.append(cable)
        for own, other in ((cable.a, cable.b), (cable.b, cable.a)):
            port = self.port(own)
            port.peer, port.rail = other, cable.rail
            port.to_host = other[0] in self.hosts
            port.cable_m, port.cable_keys = cable.cable_m, cable.keys


class Taker:
    """Assigns the ports of a switch in one direction, in order."""

    def __init__(self, switch: PlannedSwitch, schema: PortsSchema, keys: Loc, refusals: Refusals):
        self.switch, self.schema, self.keys, self.refusals = switch, schema, keys, refusals
        self.names = self._names()

    def _names(self) -> Iterator[tuple[str, str | None]]:
        """Names of ports, each with that of the port it is a part of."""
        schema, offer = self.schema, self.switch.offer
        split = schema.breakout > 1
        pattern = schema.name or (offer.split if split else offer.port)
        # Without a part at the end, the first part has the name of the whole port.
        whole = pattern.removesuffix(offer.split.removeprefix(offer.port)) or pattern
        lanes = schema.lanes or 0
        if not lanes and placeholders(pattern) & {"lane", "sublane"}:
            why = f"{self.switch.nos} numbers ports by lane"
            self.refusals.add(self.keys, f"{'.'.join(map(str, self.keys))}.lanes is missing: {why}")
            lanes = schema.breakout
        if "type" in placeholders(pattern) and schema.speed_gbps not in offer.types:
            why = f"{self.switch.nos} has no ports of {schema.speed_gbps:g} Gb/s"
            self.refusals.add((*self.keys, "speed_gbps"), why)
        if lanes % schema.breakout:
            self.refusals.add(
                (*self.keys, "breakout"),
                f"{lanes} lanes cannot be broken out into {schema.breakout}",
            )
        for number in range(schema.first, (schema.last or 1024) + 1):
            parent = None
            for part in range(schema.breakout):
                within = part * lanes // schema.breakout
                values: dict[str, int | str] = {
                    "n": number, "n0": number - 1, "s": part + 1, "s0": part,
                    "lane": (number - 1) * lanes + within, "sublane": within + 1,
                    "type": offer.types.get(schema.speed_gbps, ""),
                }  # fmt: skip
                if split and not part and not offer.splits_by_speed:
                    gbps = schema.speed_gbps * schema.breakout
                    parent = fill_pattern(whole, {**values, "type": offer.types.get(gbps, "")})
                yield fill_pattern(pattern, values), parent

    def take(self) -> str | None:
        """Name of the next port; None, with a refusal, if there is none."""
        name, parent = next(self.names, (None, None))
        if name is None:
            last = self.schema.last or 1024
            self.refusals.add(self.keys, f"{self.switch.name} has no port left up to {last}")
            return None
        if name in self.switch.ports:
            self.refusals.add(self.keys, f"{name} of {self.switch.name} is used twice")
            return None
        lanes = self.schema.lanes
        self.switch.ports[name] = PlannedPort(
            name,
            self.schema.speed_gbps,
            (*self.keys, "speed_gbps"),
            lanes=lanes // self.schema.breakout if lanes else None,
            fec=self.schema.fec,
            fec_keys=(*self.keys, "fec"),
            parent=parent,
            parts=self.schema.breakout,
            parts_keys=(*self.keys, "breakout"),
        )
        return name
