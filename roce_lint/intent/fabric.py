"""Fabric section of an intent: name patterns, switches by tier, hosts, or a list of links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_interface, ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from roce_lint.catalog.plan_schema import Strict

# A name pattern (`leaf{n:02d}`, `Ethernet{n}/1`) holds plain letters and the few placeholders of
# its key: it cannot become a path, a second line or a statement of a configuration or template.

_PLACEHOLDER = re.compile(r"\{(?P<name>[a-z_0-9]{1,12})(?::(?P<width>0\d)d)?\}")
_PLAIN = re.compile(r"[A-Za-z0-9._/:-]*")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")

LONGEST = 64
"""Longest pattern in characters; a host name has 63 (RFC 1123)."""

PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}[A-Za-z0-9/:._-]{0,31}")
"""Valid names of ports of a switch or host."""


def fault_of(pattern: str, known: Iterable[str]) -> str:
    """Fault of a pattern; empty if it is valid."""
    if not 0 < len(pattern) <= LONGEST:
        return f"must have 1 to {LONGEST} characters, found {len(pattern)}"
    names = tuple(known)
    for found in _PLACEHOLDER.finditer(pattern):
        if found["name"] not in names:
            allowed = ", ".join(f"{{{name}}}" for name in names)
            return f"may hold {allowed}, found {found[0]}"
    plain = _PLACEHOLDER.sub("", pattern)
    if not _PLAIN.fullmatch(plain):
        odd = next(letter for letter in plain if not _PLAIN.fullmatch(letter))
        return f"may hold letters, digits and . _ / : - beside placeholders, found {odd!a}"
    return ""


def fault_of_host(name: str) -> str:
    """Fault of a device name; empty if it is valid."""
    if _HOST.fullmatch(name):
        return ""
    return f"is no name of a device (letters, digits and . _ - within 63), found {name[:40]!a}"


def fill_pattern(pattern: str, values: Mapping[str, int | str]) -> str:
    """Fill in a pattern that `fault_of` accepts."""

    def put(found: re.Match[str]) -> str:
        return f"{values[found['name']]:{found['width'] or ''}}"

    return _PLACEHOLDER.sub(put, pattern)


def placeholders(pattern: str) -> frozenset[str]:
    """Names of the placeholders in a pattern."""
    return frozenset(found["name"] for found in _PLACEHOLDER.finditer(pattern))


MOST = 100_000
"""Largest count of devices in one place; the total is bounded later."""

Text = Annotated[str, Field(max_length=200, pattern=r"^[\x20-\x7e]*$")]
"""One line of printable text: a value in a configuration must not start another line."""


def _without(fault: Callable[[str], str]) -> AfterValidator:
    def checked(value: str) -> str:
        if found := fault(value):
            raise ValueError(found)
        return value

    return AfterValidator(checked)


def _fault_of_port(name: str) -> str:
    return "" if PORT.fullmatch(name) else f"is no name of a port, found {name[:40]!a}"


def _network(value: str) -> str:
    try:
        ip_network(value)
    except ValueError:
        raise ValueError(f"must be a network such as 10.0.0.0/16, found {value[:40]!a}") from None
    return value


def _links(value: str) -> str:
    return value if value == "unnumbered" else _network(value)


def _address(value: str) -> str:
    try:
        if "/" not in value:
            raise ValueError
        ip_interface(value)
    except ValueError:
        message = f"must be an address with its length such as 10.0.0.1/31, found {value[:40]!a}"
        raise ValueError(message) from None
    return value


def _breakout(value: int) -> int:
    if value not in (1, 2, 4, 8):
        raise ValueError(f"must be one of 1, 2, 4, 8, found {value}")
    return value


DEVICE_KEYS = ("n", "i", "pod", "rail")
PORT_KEYS = ("n", "n0", "s", "s0", "lane", "sublane")
NIC_KEYS = ("r", "r1")

DevicePattern = Annotated[str, _without(lambda pattern: fault_of(pattern, DEVICE_KEYS))]
PortPattern = Annotated[str, _without(lambda pattern: fault_of(pattern, PORT_KEYS))]
NicPattern = Annotated[str, _without(lambda pattern: fault_of(pattern, NIC_KEYS))]
HostName = Annotated[str, _without(fault_of_host)]
PortName = Annotated[str, _without(_fault_of_port)]
Network = Annotated[str, AfterValidator(_network)]
Address = Annotated[str, AfterValidator(_address)]
Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]
Speed = Annotated[float, Field(gt=0, le=3200)]
Metres = Annotated[float, Field(gt=0, le=100_000)]
Breakout = Annotated[int, AfterValidator(_breakout), WithJsonSchema({"enum": [1, 2, 4, 8]})]
FecWord = Literal["none", "rs", "fc", "auto"]


def none_yet(what: str) -> object:
    """Type of a reserved key: it is refused where it is given."""

    def refuse(value: object) -> object:
        if value is not None:
            raise ValueError(f"is not designed yet ({what}): leave it out")
        return value

    return Annotated[object, AfterValidator(refuse), WithJsonSchema({"not": {}})]


class PortsSchema(Strict):
    """Ports of a switch in one direction, used in order."""

    first: int = Field(ge=1, le=1024)
    """Number of the first port on the front of the switch."""

    last: int | None = Field(default=None, ge=1, le=1024)
    """Number of the last usable port. Left out: as many as are needed."""

    speed_gbps: Speed
    """Speed of a link in Gb/s; of a breakout port, of each part."""

    breakout: Breakout = 1
    """Links that each port is broken out into."""

    lanes: int | None = Field(default=None, ge=1, le=16)
    """Lanes of a whole port; some systems number ports by lane."""

    fec: FecWord | None = None
    """Forward error correction. Left out: default of the platform."""

    name: PortPattern | None = None
    """Name of a port, with {n}, {n0} (one less), {s}, {s0} (part of a breakout), {lane} and
    {sublane}. Left out: names of the system.
    """


class AsnSchema(Strict):
    """Autonomous system numbers of a tier."""

    first: Asn
    """The first number."""

    each: Literal["device", "pod", "tier"] = "device"
    """Scope of one number: each device, each pod, or the tier."""


class TierSchema(Strict):
    """The switches of one tier."""

    count: int = Field(ge=1, le=MOST)
    """Number of switches; of leafs and spines, in each pod."""

    name: DevicePattern
    """Name of a switch, with {n} (number in the tier), {pod}, {i} (number in the pod) and {rail}.
    """

    nos: str = Field(min_length=1, max_length=40)
    """Operating system, by its name in roce-lint (eos, nxos, sonic, ...)."""

    platform: Text = ""
    """Model of the switch, as the vendor names it."""

    release: Text = ""
    """Release of the operating system, where the configuration depends on it."""

    asn: AsnSchema | None = None
    """Autonomous system numbers for BGP. Left out: no sessions are designed."""

    down: PortsSchema | None = None
    """Ports to the tier below; of leafs, to hosts."""

    up: PortsSchema | None = None
    """Ports to the tier above."""

    cable_m: Metres | None = None
    """Length in metres of the cables to the tier above."""

    links: int = Field(default=1, ge=1, le=64)
    """Parallel links to each switch of the tier above."""


class OpenPortSchema(Strict):
    """A port without a cable in the intent."""

    speed_gbps: Speed
    """Its speed in Gb/s."""

    cable_m: Metres | None = None
    """Length in metres of its cable."""


class DeviceSchema(Strict):
    """One switch by name, where links are listed and not counted."""

    role: Literal["leaf", "spine", "superspine"]
    """Role in the fabric."""

    nos: str = Field(min_length=1, max_length=40)
    """Operating system."""

    platform: Text = ""
    """Model, as the vendor names it."""

    release: Text = ""
    """Release of the operating system, where the configuration depends on it."""

    asn: Asn | None = None
    """Autonomous system number for BGP."""

    fec: FecWord | None = None
    """Forward error correction of its ports."""

    ports: dict[PortName, OpenPortSchema] = Field(default_factory=dict)
    """Ports besides those of the links, by name; their peers are left open."""


class LinkSchema(Strict):
    """One cable."""

    a: str = Field(min_length=3, max_length=140)
    """One end, device:port."""

    b: str = Field(min_length=3, max_length=140)
    """The other end."""

    speed_gbps: Speed | None = None
    """Its speed in Gb/s."""

    cable_m: Metres | None = None
    """Its length in metres."""

    rail: int | None = Field(default=None, ge=0, le=64)
    """The rail it belongs to."""


class FabricSchema(Strict):
    """Switches and the cables between them: by counts and patterns, or device by device."""

    tiers: int | None = Field(default=None, ge=1, le=3)
    """Number of tiers of switches; if given, it must match."""

    pods: int = Field(default=1, ge=1, le=4096)
    """Groups of leafs and spines; more than one require a superspine."""

    rails: int | None = Field(default=None, ge=1, le=64)
    """Rails: NIC number r of every host of a group connects to the leaf of rail r."""

    planes: int | None = Field(default=None, ge=1, le=64)
    """Planes of superspines: spine i of a pod connects to those of plane i only."""

    leaf: TierSchema | None = None
    """Switches that hosts connect to."""

    spine: TierSchema | None = None
    """The tier above the leafs."""

    superspine: TierSchema | None = None
    """The tier above the spines."""

    devices: dict[HostName, DeviceSchema] = Field(default_factory=dict)
    """The switches by name, instead of tiers."""

    links: str | tuple[LinkSchema, ...] = ()
    """The cables, as a list or as the name of a links.yaml or CSV file beside the intent."""


class AddressingSchema(Strict):
    """Networks for addresses, assigned in the order of devices and links."""

    links: Annotated[str, AfterValidator(_links)] | None = None
    """Network of the links between switches (a /31 or /127 each), or `unnumbered`."""

    loopbacks: Network | None = None
    """Network of loopback addresses (a /32 or /128 each)."""

    hosts: Network | None = None
    """Network of the links to hosts (a /31 or /127 each); with rails each rail has an equal part
    of it."""


class HostSchema(Strict):
    """Hosts of one type."""

    count: int = Field(ge=1, le=MOST)
    """Number of hosts."""

    name: DevicePattern
    """Name of a host, with {n}."""

    first: int = Field(default=1, ge=0, le=MOST)
    """Value of {n} for the first host."""

    nics: int = Field(ge=1, le=64)
    """RDMA network interfaces of a host."""

    family: Literal["nvidia", "broadcom", "intel", "amd"]
    """Vendor family of the network adapters; required in a design of hosts."""

    ports: NicPattern | tuple[PortName, ...]
    """Names of the interfaces: a pattern with {r} (from 0) or {r1}, or a list (slots)."""

    rdma: NicPattern | tuple[PortName, ...] | None = None
    """Names of the RDMA devices, likewise. Left out: as the interfaces."""

    speed_gbps: Speed
    """Speed of an interface in Gb/s."""

    cable_m: Metres | None = None
    """Length in metres of the cables to the leafs."""

    system: Literal["linux"] = "linux"
    """The operating system."""

    form: none_yet("files for hosts") = None  # type: ignore[valid-type]
    """Form of the settings. Refused until files for hosts are supported."""
