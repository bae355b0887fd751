"""Ports in scope: RoCE networks, edge ports, and the NICs that carry RoCE."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import replace
from operator import attrgetter

from roce_lint.analysis.cache import cached
from roce_lint.analysis.missing_switches import bare, find_absent, short
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import classifier_of, is_marked
from roce_lint.catalog.applications import selects
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.nic import Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import PfcMode, PortQos, Trust
from roce_lint.model.units import spell_speed

WIRES = (InterfaceKind.PHYSICAL,)
"""Kinds of interfaces with a cable. A channel is checked by its members."""

ABSENT = "(absent)"
"""Port name of a switch without a configuration."""

ABOVE_LEAVES = (Role.SPINE, Role.SUPERSPINE)
"""Roles of switches with other switches below them, and no hosts."""

OFF_PATH_ROLES = (Role.BORDER, Role.STORAGE, Role.OTHER)


def roce_nics(device: Device) -> Iterator[Nic]:
    """RDMA devices of a host that carry RoCE: Ethernet, not down, and not excluded by the
    application's own device list (NCCL_IB_HCA).
    """
    listed = device.environment.get("NCCL_IB_HCA", "")
    for name in sorted(device.nics):
        nic = device.nics[name]
        if nic.ethernet is False or nic.active is False or not nic.port:
            continue
        port = device.interfaces.get(nic.port)
        if port is not None and port.enabled is False:
            continue
        if selects(listed, name):
            yield nic


def _find_nics(fabric: Fabric, analysis: Analysis, plan: RocePlan) -> None:
    for device in fabric.devices.values():
        if device.is_host:
            known = list(roce_nics(device))
            analysis.roce_nics += [(device, nic) for nic in known]
            analysis.unset_nics += [(device, nic) for nic in _planned_nics(device, known, plan)]
    analysis.roce_nics += analysis.unset_nics


def _planned_nics(device: Device, known: list[Nic], plan: RocePlan) -> Iterator[Nic]:
    """RDMA devices that carry RoCE by the plan alone: no setting of the host shows it."""
    taken = {wire for nic in known for wire in wires(device, nic)}
    for port, name in plan.nics.get(bare(device.hostname), {}).items():
        if port not in taken:
            nic = device.nics.get(name) or Nic(name=name, src=device.src, at=dict(device.at))
            yield replace(nic, port=port)


EDGE = "edge port: enabled, no switch as peer, with trust or lossless configuration"

_PEER_LINK = re.compile(r"(?<![a-z])peer[-_ ]?link(?![a-z])", re.IGNORECASE)

FAR_SLOWER = 4
"""A port this many times slower than the slowest lossless one is for services, if its peer is
unknown or its maps differ (experience): NICs differ by less."""


def wires(device: Device, nic: Nic) -> tuple[str, ...]:
    """Ports to which an RDMA device is cabled: its own, or the members of its bond."""
    port = device.interfaces.get(nic.port or "")
    if port is not None and port.kind is InterfaceKind.LAG and port.members:
        return port.members
    return (nic.port or "",)


def find_scope(fabric: Fabric, analysis: Analysis, plan: RocePlan) -> None:
    """Fill `analysis.ports`, `roce_nics`, `absent`, `not_judged` and the number of networks."""
    _find_nics(fabric, analysis, plan)
    carriers = {
        (device.hostname, wire): nic
        for device, nic in analysis.roce_nics
        for wire in wires(device, nic)
    }
    usable = [link for link in fabric.links if _usable(link, carriers, analysis)]
    nodes = Components()
    designed = switches_with_design(fabric, everywhere=bool(plan.classes))
    _find_absent(analysis, nodes, designed)
    for link in usable:
        nodes.join(node_of(link.a), node_of(link.b))
    hosts_linked = any(nodes.knows(key) for key in carriers)
    edges = [] if hosts_linked else list(_edges(analysis, designed))
    if hosts_linked:
        roots = {nodes.find(key) for key in carriers if nodes.knows(key)}
    else:
        begins = [(device, "") for device, _ in (*edges, *analysis.absent)]
        roots = {nodes.find(node) for node in begins if nodes.knows(node)}
        roots |= _protected_roots(usable, nodes)
    number = {root: index for index, root in enumerate(sorted(roots))}
    seen: set[tuple[str, str]] = set()
    for link in usable:
        network = number.get(nodes.find(node_of(link.a)))
        if network is not None:
            _judge_link(analysis, link, network, seen)
    for key in dict.fromkeys((*carriers, *analysis.absent, *edges)):
        if key in seen or key in analysis.not_judged:
            continue
        device = fabric.devices[key[0]]
        port = device.interfaces.get(key[1])
        if port is None:
            continue
        node = node_of(Endpoint(device, port))
        network = number.get(nodes.find(node), len(number)) if nodes.knows(node) else len(number)
        if network == len(number) and key in analysis.absent:
            continue  # RoCE does not reach it
        why, faces_host = _judge_unlinked(analysis, key, carriers)
        analysis.ports.append(JudgedPort(device, port, network, None, faces_host, why))
    _sort_ports(analysis)
    if hosts_linked:
        analysis.loose = list(_loose(analysis, designed))
    analysis.networks = len({port.network for port in analysis.ports})


def _find_absent(analysis: Analysis, nodes: Components, designed: frozenset[str]) -> None:
    """Join switches without a configuration behind ports meant for RoCE, and record the ports."""
    devices = analysis.fabric.devices
    for (name, port), neighbor in find_absent(analysis.fabric).items():
        device, meant = devices[name], devices[name].interfaces[port]
        if is_meant(device, meant, designed) and not _for_services(analysis, device, meant):
            analysis.absent[name, port] = neighbor
            nodes.join((name, ""), (short(neighbor.device), ABSENT))


def _loose(analysis: Analysis, designed: frozenset[str]) -> Iterator[tuple[Device, Interface]]:
    """Ports meant for RoCE with an unknown peer, on switches that carry it."""
    by_port = analysis.fabric.by_port
    for name, (first, *_) in analysis.devices().items():
        device = first.device
        ports = () if device.is_host else device.interfaces.values()
        for port in [port for port in ports if (name, port.name) not in by_port]:
            out = port.neighbors or is_known(analysis, device, port)
            if not out and is_meant(device, port, designed):
                yield device, port


def is_known(analysis: Analysis, device: Device, port: Interface) -> bool:
    """True for a port in scope, one with a reason why not, and one with a link."""
    key = (device.hostname, port.name)
    return key in analysis.fabric.by_port or key in analysis.index() or key in analysis.not_judged


def find_bare(analysis: Analysis) -> None:
    """Add switch ports where nothing protects the class, with a line of their own that matches an
    inferred DSCP of RoCE.

    Where the switch carries RoCE and no host is linked, they are edge ports like their peers, and
    the missing settings are the fault. On a switch without ports in scope they go to `loose`: it
    may carry something else, and their peers would prove it.
    """
    dscps = {dscp for traffic in analysis.data_classes if traffic.assumed for dscp in traffic.dscps}
    if not dscps:
        return
    networks = {port.device.hostname: port.network for port in analysis.ports}
    hosts_linked = any(port.faces_host and port.peer is not None for port in analysis.ports)
    for device in analysis.fabric.devices.values():
        if device.is_host or device.above_leaves or device.role in ABOVE_LEAVES:
            continue
        for port in _ports_with_roce_lines(analysis, device, dscps):
            if device.hostname not in networks:
                analysis.loose.append((device, port))
            elif not hosts_linked and is_edge(device, port, analysis.fabric, {device.hostname}):
                network = networks[device.hostname]
                analysis.ports.append(JudgedPort(device, port, network, None, True, EDGE))
    analysis.by_key, analysis.by_device = {}, {}
    _sort_ports(analysis)


def _ports_with_roce_lines(
    analysis: Analysis, device: Device, dscps: set[int]
) -> Iterator[Interface]:
    """Ports out of scope, without a link, and with a line about one of the DSCPs."""
    for port in device.interfaces.values():
        if is_known(analysis, device, port) or not is_meant(device, port, {device.hostname}):
            continue
        codes = classifier_of(device, port.qos)
        if codes is not None and any(codes.dscp_to_tc.stated(dscp) for dscp in dscps):
            yield port


def _judge_unlinked(
    analysis: Analysis, key: tuple[str, str], carriers: dict[tuple[str, str], Nic]
) -> tuple[str, bool]:
    """Reason why a port without a link is in scope, and whether it faces hosts."""
    if key in carriers:
        return f"RoCE NIC {carriers[key].name}, peer unknown", False
    if key in analysis.absent:
        absent = analysis.absent[key].device
        return f"leads to {absent}, which has no configuration in the folder", False
    device = analysis.fabric.devices[key[0]]
    if device.above_leaves or device.role in ABOVE_LEAVES:
        return "configured for RoCE; its peer is not a host and not in the folder", False
    return EDGE, True


def _edges(analysis: Analysis, designed: frozenset[str]) -> Iterator[tuple[str, str]]:
    fabric = analysis.fabric
    for device in fabric.devices.values():
        for port in device.interfaces.values() if not device.is_host else ():
            key = (device.hostname, port.name)
            if key in analysis.absent or key in analysis.not_judged:
                continue
            if is_edge(device, port, fabric, designed) and not _for_services(
                analysis, device, port
            ):
                yield key


def _for_services(analysis: Analysis, device: Device, port: Interface) -> bool:
    """Whether a port is too slow for RoCE; the reason is recorded then."""
    slowest, maps = _lossless_ports(analysis)[device.hostname]
    speed, qos = port.speed_gbps, port.qos
    if not slowest or not speed or speed * FAR_SLOWER > slowest or qos is None:
        return False
    key = device.hostname, port.name
    led = port.neighbors or key in analysis.fabric.unread
    if states_lossless(qos) or (led and qos.forwarding in maps):
        return False
    analysis.not_judged[key] = (
        f"service port: {spell_speed(speed)} without PFC, beside lossless ports of "
        f"{spell_speed(slowest)}"
    )
    return True


@cached
def _lossless_ports(analysis: Analysis) -> dict[str, tuple[float | None, frozenset[str | None]]]:
    """Speed in Gb/s of the slowest lossless port, and the maps of all of them, by switch."""
    found = {}
    for device in analysis.fabric.devices.values():
        ports = [p for p in device.interfaces.values() if p.enabled is not False]
        own = [(p, p.qos) for p in ports if p.qos is not None and states_lossless(p.qos)]
        speeds = (port.speed_gbps for port, _ in own if port.speed_gbps)
        maps = frozenset(qos.forwarding for _, qos in own)
        found[device.hostname] = min(speeds, default=None), maps
    return found


def is_edge(
    device: Device, port: Interface, fabric: Fabric, designed: Container[str] | None = None
) -> bool:
    """True for an enabled port without a switch as peer and with lossless or trust configuration
    (on the port, or in a profile or policy bound to it).

    Trust counts on the `designed` switches only: elsewhere it serves other traffic.
    """
    if port.uplink:
        return False
    if not is_meant(device, port, switches_with_design(fabric) if designed is None else designed):
        return False
    peer = fabric.peer(device.hostname, port.name)
    if peer is not None:
        return peer.device.is_host
    planned = fabric.unread.get((device.hostname, port.name))
    named = [bare(each.device) for each in (planned, *port.neighbors) if each is not None]
    return all(fabric.devices[name].is_host for name in named if name in fabric.devices)


def is_meant(device: Device, port: Interface, designed: Container[str]) -> bool:
    """True for an enabled wire with lossless or trust configuration."""
    qos = port.qos
    if port.kind not in WIRES or port.enabled is False or qos is None:
        return False
    if port.peer_link or (not port.neighbors and _PEER_LINK.search(port.description or "")):
        return False  # no hosts behind it, possibly by its description only
    if port.idle or device.role in OFF_PATH_ROLES:
        return False
    if states_lossless(qos):
        return True
    if device.hostname not in designed:
        return False
    return qos.stated("classifier") or (qos.stated("trust") and qos.trust is not Trust.NONE)


def switches_with_design(fabric: Fabric, *, everywhere: bool = False) -> frozenset[str]:
    """Switches with some RoCE configuration: a lossless class, or a queue that marks ECN.
    `everywhere`: the plan requires it of all of them.
    """
    return frozenset(
        device.hostname
        for device in fabric.devices.values()
        if everywhere or (not device.is_host and is_protecting(device))
    )


def is_protecting(device: Device) -> bool:
    """True where a queue marks ECN, a line gives a class a PFC priority, or a port has PFC on."""
    queues = (queue for policy in device.qos.egress.values() for queue in policy.queues.values())
    tables = (maps.tc_to_pfc_priority for maps in device.qos.forwardings.values())
    return (
        any(map(is_marked, queues))
        or any(table.stated(tc) for table in tables for tc in table.entries)
        or any(port.qos and states_lossless(port.qos) for port in device.interfaces.values())
    )


def states_lossless(qos: PortQos) -> bool:
    """True where a line enables PFC or makes a priority no-drop. A line with off or auto does not
    count: captures with all defaults print it on every port.
    """
    pfc = qos.pfc
    if pfc is None:
        return False
    switched_on = pfc.mode is PfcMode.ON and pfc.stated("mode")
    return bool(pfc.generate or pfc.named or switched_on)


def _usable(link: Link, carriers: dict[tuple[str, str], Nic], analysis: Analysis) -> bool:
    for end in link.ends:
        if end.device.is_host and end.key not in carriers:
            reason = "not a RoCE NIC"
        elif end.interface.enabled is False:
            reason = "shut down"
        elif end.interface.kind not in WIRES:
            reason = f"{end.interface.kind.value} interface"
        elif end.interface.peer_link:
            reason = "link between the two switches of an MLAG pair"
        elif end.device.role in OFF_PATH_ROLES:
            reason = f"role {end.device.role.value}"
        else:
            continue
        for other in link.ends:
            analysis.not_judged.setdefault(other.key, f"{end}: {reason}")
        return False
    return True


def is_cable_of_fabric(link: Link, carriers: Container[tuple[str, str]]) -> bool:
    """Whether a cable belongs to the RoCE network, in use or not."""
    return all(
        (not end.device.is_host or end.key in carriers)
        and end.interface.kind in WIRES
        and not end.interface.peer_link
        and end.device.role not in OFF_PATH_ROLES
        for end in link.ends
    )


def _protected_roots(usable: list[Link], nodes: Components) -> set[tuple[str, str]]:
    """Roots of components with PFC on their links, for folders without hosts and edge ports."""
    return {
        nodes.find(node_of(end))
        for link in usable
        for end in link.ends
        if (qos := end.interface.qos) is not None and qos.pfc is not None and qos.pfc.generate
    }


def _judge_link(analysis: Analysis, link: Link, network: int, seen: set[tuple[str, str]]) -> None:
    assumed = link.assumed
    for end, peer in (link.ends, link.ends[::-1]):
        device = end.device
        faces_host = peer.device.is_host and not device.is_host
        port = JudgedPort(device, end.interface, network, peer, faces_host, assumed=assumed)
        if port.key not in seen:  # the host has one port on a cable shared by two switches
            seen.add(port.key)
            analysis.ports.append(port)


def node_of(end: Endpoint) -> tuple[str, str]:
    """Node of a port: switches are one node, hosts one per port, as they do not join rails."""
    device = end.device
    return (device.hostname, end.interface.name if device.is_host else "")


def _sort_ports(analysis: Analysis) -> None:
    """Sort the ports in scope by device and place: two keys take less time than pairs of both."""
    analysis.ports.sort(key=lambda port: max(0, port.interface.at.get("", 0)))
    analysis.ports.sort(key=attrgetter("device.hostname"))


class Components:
    """Union-find over (device, port) nodes."""

    def __init__(self) -> None:
        self.parent: dict[tuple[str, str], tuple[str, str]] = {}

    def knows(self, node: tuple[str, str]) -> bool:
        """Whether a node was ever looked up or joined."""
        return node in self.parent

    def find(self, node: tuple[str, str]) -> tuple[str, str]:
        """Representative of the component of a node."""
        parent = self.parent
        root = parent.setdefault(node, node)
        while (above := parent[root]) != root:
            root = above
        while (above := parent[node]) != root:
            parent[node], node = root, above
        return root

    def join(self, a: tuple[str, str], b: tuple[str, str]) -> None:
        """Merge the components of two nodes."""
        first, second = self.find(a), self.find(b)
        if first != second:
            self.parent[max(first, second)] = min(first, second)
