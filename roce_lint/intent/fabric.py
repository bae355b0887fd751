"""How an intent says what the fabric is made of: switches by tier, hosts, or a list of links."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_interface, ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from roce_lint.catalog.plan_schema import Strict
from roce_lint.intent.names import PORT, fault_of, fault_of_host

MOST = 100_000
"""Devices that one count may ask for; what all of them come to is bounded when it is known."""

Text = Annotated[str, Field(max_length=200, pattern=r"^[\x20-\x7e]*$")]
"""One line of printable text: what is put into a configuration may not begin another line."""


def _pattern(*known: str) -> Callable[[str], str]:
    def checked(value: str) -> str:
        if fault := fault_of(value, known):
            raise ValueError(fault)
        return value

    return checked


def _host(value: str) -> str:
    if fault := fault_of_host(value):
        raise ValueError(fault)
    return value


def _port(value: str) -> str:
    if not PORT.fullmatch(value):
        raise ValueError(f"is no name of a port, found {value[:40]!a}")
    return value


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

DevicePattern = Annotated[str, AfterValidator(_pattern(*DEVICE_KEYS))]
PortPattern = Annotated[str, AfterValidator(_pattern(*PORT_KEYS))]
NicPattern = Annotated[str, AfterValidator(_pattern(*NIC_KEYS))]
HostName = Annotated[str, AfterValidator(_host)]
PortName = Annotated[str, AfterValidator(_port)]
Network = Annotated[str, AfterValidator(_network)]
Address = Annotated[str, AfterValidator(_address)]
Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]
Speed = Annotated[float, Field(gt=0, le=3200)]
Metres = Annotated[float, Field(gt=0, le=100_000)]
Breakout = Annotated[int, AfterValidator(_breakout), WithJsonSchema({"enum": [1, 2, 4, 8]})]
FecWord = Literal["none", "rs", "fc", "auto"]


def none_yet(what: str) -> object:
    """The type of a key that is known and that nothing uses yet: given, it is refused."""

    def refuse(value: object) -> object:
        if value is not None:
            raise ValueError(f"is not designed yet ({what}): leave it out")
        return value

    return Annotated[object, AfterValidator(refuse), WithJsonSchema({"not": {}})]


class PortsSchema(Strict):
    """Ports of a switch in one direction; they are taken one after the other."""

    first: int = Field(ge=1, le=1024)
    """Number of the first port on the front of the switch."""

    last: int | None = Field(default=None, ge=1, le=1024)
    """Number of the last port that may be taken. Left out: as many as are needed."""

    speed_gbps: Speed
    """Speed of a link in Gb/s; of a port that is broken out, of each part."""

    breakout: Breakout = 1
    """Into how many links each port is broken out."""

    lanes: int | None = Field(default=None, ge=1, le=16)
    """Lanes of a whole port; names of ports are counted by them on some systems."""

    fec: FecWord | None = None
    """Forward error correction. Left out: what the platform chooses."""

    name: PortPattern | None = None
    """What a port is called, with {n}, {n0} (one less), {s}, {s0} (part of a breakout), {lane} and
    {sublane}. Left out: as the system names its ports."""


class AsnSchema(Strict):
    """Numbers of autonomous systems of a tier."""

    first: Asn
    """The first number."""

    each: Literal["device", "pod", "tier"] = "device"
    """Who has a number of its own: each device, each pod, or the tier as a whole."""


class TierSchema(Strict):
    """The switches of one tier."""

    count: int = Field(ge=1, le=MOST)
    """How many there are; of leafs and spines, in each pod."""

    name: DevicePattern
    """What they are called, with {n} (number in the tier), {pod}, {i} (number in the pod) and
    {rail}."""

    nos: str = Field(min_length=1, max_length=40)
    """The operating system, by the name that roce-lint has for it (eos, nxos, sonic, ...)."""

    platform: Text = ""
    """The model of the switch, as the vendor calls it."""

    release: Text = ""
    """The release of the operating system, where what is printed differs by it."""

    asn: AsnSchema | None = None
    """Numbers of autonomous systems for BGP. Left out: no sessions are designed."""

    down: PortsSchema | None = None
    """Ports to the tier below; of leafs, to hosts."""

    up: PortsSchema | None = None
    """Ports to the tier above."""

    cable_m: Metres | None = None
    """Length in metres of the cables to the tier above."""

    links: int = Field(default=1, ge=1, le=64)
    """Parallel links to each switch of the tier above."""


class OpenPortSchema(Strict):
    """A port of which the intent has no cable."""

    speed_gbps: Speed
    """Its speed in Gb/s."""

    cable_m: Metres | None = None
    """Length in metres of its cable."""


class DeviceSchema(Strict):
    """One switch by name, where links are listed and not counted."""

    role: Literal["leaf", "spine", "superspine"]
    """Its place in the fabric."""

    nos: str = Field(min_length=1, max_length=40)
    """Its operating system."""

    platform: Text = ""
    """Its model, as the vendor calls it."""

    release: Text = ""
    """The release of the operating system, where what is printed differs by it."""

    asn: Asn | None = None
    """Its number for BGP."""

    fec: FecWord | None = None
    """Forward error correction of its ports."""

    ports: dict[PortName, OpenPortSchema] = Field(default_factory=dict)
    """Ports besides those of the links, by their names: nothing is said of what they lead to."""


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
    """How many tiers of switches there are; told, it is compared with what is given."""

    pods: int = Field(default=1, ge=1, le=4096)
    """Groups of leafs and spines; more than one need a superspine."""

    rails: int | None = Field(default=None, ge=1, le=64)
    """Rails: NIC number r of every host of a group goes to the leaf of rail r."""

    planes: int | None = Field(default=None, ge=1, le=64)
    """Planes of superspines: spine i of a pod goes to those of plane i alone."""

    leaf: TierSchema | None = None
    """The switches that hosts are linked to."""

    spine: TierSchema | None = None
    """The tier above the leafs."""

    superspine: TierSchema | None = None
    """The tier above the spines."""

    devices: dict[HostName, DeviceSchema] = Field(default_factory=dict)
    """The switches by name, instead of tiers."""

    links: str | tuple[LinkSchema, ...] = ()
    """The cables, as a list or as the name of a links.yaml or CSV file beside the intent."""


class AddressingSchema(Strict):
    """Networks that addresses are taken from, in the order of devices and links."""

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
    """How many there are."""

    name: DevicePattern
    """What they are called, with {n}."""

    first: int = Field(default=1, ge=0, le=MOST)
    """The {n} of the first."""

    nics: int = Field(ge=1, le=64)
    """RDMA network interfaces of a host."""

    family: Literal["nvidia", "broadcom", "intel", "amd"]
    """Whose network adapters they are; a design of hosts says so."""

    ports: NicPattern | tuple[PortName, ...]
    """What the interfaces are called: a pattern with {r} (from 0) or {r1}, or a list (slots)."""

    rdma: NicPattern | tuple[PortName, ...] | None = None
    """What the RDMA devices are called, likewise. Left out: as the interfaces."""

    speed_gbps: Speed
    """Speed of an interface in Gb/s."""

    cable_m: Metres | None = None
    """Length in metres of the cables to the leafs."""

    system: Literal["linux"] = "linux"
    """The operating system."""

    form: none_yet("files for hosts") = None  # type: ignore[valid-type]
    """The form in which settings are wanted. Refused until files for hosts are made."""


class PortOverride(Strict):
    """What is otherwise on one port."""

    speed_gbps: Speed | None = None
    """Its speed in Gb/s."""

    fec: FecWord | None = None
    """Its forward error correction."""

    mtu: int | None = Field(default=None, ge=576, le=65535)
    """Its largest IP packet in bytes."""

    cable_m: Metres | None = None
    """Length of its cable in metres."""

    address: Address | None = None
    """Its address with the length of the network."""

    enabled: bool | None = None
    """False: it is shut."""


class Override(Strict):
    """What is otherwise on one device."""

    asn: Asn | None = None
    """Its number for BGP."""

    loopback: Address | None = None
    """Its loopback address."""

    platform: Text | None = None
    """Its model."""

    ports: dict[PortName, PortOverride] = Field(default_factory=dict)
    """What is otherwise on its ports, by their names."""
