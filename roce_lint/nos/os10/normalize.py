"""From the records of a Dell OS10 switch to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.one_file import as_number, device_of, text_of
from roce_lint.nos.os10.overlay import add_tunnel
from roce_lint.nos.os10.port_qos import Qos
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans, vlans_by_mode
from roce_lint.nos.quantities import read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, records
from roce_lint.nos.switch_ports import Port, Ports
from roce_lint.text.numbers import decimal_of

defaults = defaults_of("os10")

CONFIG = "running-config"
"""Name of the source."""

NAMES = PortNames(
    PortType("ethernet", InterfaceKind.PHYSICAL, shown=("eth",)),
    PortType("port-channel", InterfaceKind.LAG, shown=("po",)),
    PortType("vlan", InterfaceKind.VLAN),
    PortType("loopback", InterfaceKind.LOOPBACK),
    PortType("mgmt", InterfaceKind.MANAGEMENT),
    PortType("virtual-network", InterfaceKind.BRIDGE),
    PortType("null", InterfaceKind.OTHER),
)

PEER_CHANNEL = "port-channel1000"
"""The channel that OS10 makes of the discovery interfaces of a VLT domain (docs/nos/os10.md)."""

MTU_RANGE = 1280, 9216


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading, everything=bool(hostname))
    lists = CISCO.read(reading, CONFIG)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, lists=lists)
    splits = _splits(reading)
    interfaces = ports.build(lambda port: _interface(ports, port, qos, splits))
    _mark_peer_links(reading, interfaces)
    add_tunnel(reading, ports, NAMES, interfaces)
    qos.objects.policing = lists.found
    return device_of(
        reading,
        hostname,
        vendor="Dell",
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _channel(reader: Reader) -> Value[str]:
    """`port-channel50` from `channel-group 50 mode active`."""
    text = reader.text("channel_group").map(lambda line: line.split()[0])
    return whole(reader, text, 4096, "channel-group", 1).map(lambda n: f"port-channel{n}")


def _splits(reading: Reading) -> dict[str, Value[float]]:
    """Speed of the lanes of each split port: 25 from `interface breakout 1/1/1 map 25g-4x`."""
    found: dict[str, Value[float]] = {}
    for record in records(reading, CONFIG, "breakout"):
        reader = Reader(record, reading)
        port, split = reader.text("port"), reader.text("map")
        gbps = (split.value or "").partition("g-")[0]
        known = decimal_of(gbps) if gbps.isdigit() and len(gbps) < 5 else None
        found[f"ethernet{port.value}"] = Value(known, split.position)
    return found


def _mark_peer_links(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """The ports that join two switches to a VLT pair, and the channel that is made of them."""
    for record in records(reading, CONFIG, "vlt"):
        reader = Reader(record, reading)
        reader.take()
        reader.text("domain")
        for discovery in reader.all("discovery"):
            named = NAMES.expand(discovery.value or "")
            for name in (*named.names, PEER_CHANNEL):
                if name in interfaces:
                    interfaces[name].peer_link = True
                    interfaces[name].at["peer_link"] = discovery.position


def _interface(ports: Ports, port: Port, qos: Qos, splits: dict[str, Value[float]]) -> Interface:
    reader = port.reader
    mtu = port.whole("mtu", MTU_RANGE)
    if port.kind in WIRED or port.kind is InterfaceKind.VLAN:
        default: Value[int] = port.reading.default(defaults.MTU)
        mtu = first(mtu, default)
    routed = _reads_as_routed(port)
    lane: Value[float] = splits.get(port.name.rpartition(":")[0], ABSENT)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=first(_speed(reader), lane),
        ip_mtu=mtu,
        routed=routed,
    )
    reader.text("vlt")
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "switchport_mode", _allowed_vlans))
        made.qos = qos.of_port(port)
    else:
        set_vlans(made, Vlans())
    return made


def _speed(reader: Reader) -> Value[float]:
    """Gb/s from `speed 25000`; `auto` states none."""
    text = reader.text("speed")
    if text.value in (None, "auto"):
        return ABSENT
    return whole(reader, text, 10**7, "speed", 1).map(lambda mbps: mbps / 1000)


def _reads_as_routed(port: Port) -> Value[bool]:
    """Whether the port routes; a port without any such line is not known to be switched."""
    if port.kind not in WIRED:
        return Value(True, port.reader.begin) if port.kind is InterfaceKind.VLAN else ABSENT

    def lines(reader: Reader) -> Value[bool]:
        mode = reader.text("switchport_mode").map(lambda _: False)
        return first(reader.switch(on="no_switchport", off="switchport"), mode)

    return port.inherit(lines)


def _allowed_vlans(reader: Reader) -> Value[frozenset[int]]:
    text = reader.text("allowed_vlans")
    return read_numbers(reader.reading, text, upto(LAST_VLAN), "a list of VLANs")
