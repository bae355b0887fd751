"""The ends of VXLAN tunnels, `interface Nve1`: the bridge domains with their VNIs, and who is in
them.

A VLAN joins a bridge domain by `l2 binding vlan`, a port by a subinterface of its own; the VNI of
a VPN instance carries what it routes. Which DSCP the outer header has, no line that is read says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.port_names import LAST_VLAN, parent_of
from roce_lint.nos.quantities import number, numbers, upto, whole, write_ranges
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.segments import LAST_VNI, is_ipv6, some, union_of
from roce_lint.nos.stanzas import records
from roce_lint.nos.switch_ports import Ports
from roce_lint.nos.vrp.pause import CONFIG

LAST_DOMAIN = 16_777_215


def add_tunnels(reading: Reading, ports: Ports, interfaces: dict[str, Interface]) -> None:
    """Give the ends of tunnels what they carry."""
    domains = _domains(reading)
    bound = _members_by_domain(ports)
    vrfs = union_of(_routed_vrfs(reading))
    for name, reader in ports.readers.items():
        if not name.startswith("Nve"):
            continue
        vnis: set[int] = set()
        position = 0
        for line in reader.all("segment"):
            position = position or line.position
            vnis |= {number((line.value or "").partition(" ")[0]) or 0}
        carried = [found for found in domains.items() if found[1][0] in vnis]
        vlans = frozenset(vlan for _, (_, of_domain) in carried for vlan in of_domain)
        members = {each for domain, _ in carried for each in bound.get(domain, ())}
        touched = {parent_of(each) or each for each in members}
        full = {port for port in touched if _has_no_siblings(interfaces, port, members)}
        known = vnis <= {vni for vni, _ in domains.values()}
        interfaces[name].tunnel = reader.build(
            Tunnel,
            vlans=Value(vlans if known else None, position or reader.begin),
            ports=some(full, position),
            partly=some(touched - full, position),
            vrfs=vrfs,
            outer_ipv6=reader.text("source").map(is_ipv6),
        )


def _domains(reading: Reading) -> dict[int, tuple[int, frozenset[int]]]:
    """VNI and VLANs of every bridge domain that has a VNI."""
    found: dict[int, tuple[int, frozenset[int]]] = {}
    for record in records(reading, CONFIG, "bridge_domain"):
        reader = Reader(record, reading)
        domain = whole(reader, reader.text("number"), LAST_DOMAIN, "bridge-domain", 1).value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vni", 1).value
        vlans: frozenset[int] = frozenset()
        reader.text("layer")
        for line in reader.all("vlans"):
            vlans |= numbers(write_ranges(line.value or ""), upto(LAST_VLAN)) or frozenset()
        if domain is not None and vni is not None:
            found[domain] = vni, vlans
    return found


def _members_by_domain(ports: Ports) -> dict[int, set[str]]:
    """Subinterfaces by the bridge domain that they are in."""
    bound: dict[int, set[str]] = defaultdict(set)
    for name, reader in ports.readers.items():
        text = reader.text("bridge_domain")
        domain = whole(reader, text, LAST_DOMAIN, "bridge-domain", 1).value
        if domain is not None:
            bound[domain].add(name)
    return bound


def _has_no_siblings(interfaces: dict[str, Interface], port: str, members: set[str]) -> bool:
    """Whether a port has no VLANs of its own and no other subinterfaces than these."""
    own = interfaces.get(port)
    if own is not None and (own.untagged_vlan is not None or own.tagged_vlans or own.routed):
        return False
    return all(name in members for name, each in interfaces.items() if each.parent == port)


def _routed_vrfs(reading: Reading) -> Iterator[Value[str]]:
    """VPN instances with a VNI of their own, each at the line of the VNI."""
    for record in records(reading, CONFIG, "vpn"):
        reader = Reader(record, reading)
        name = reader.text("vrf").value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vni", 1)
        if vni.value is not None:
            yield Value(name, vni.position)
