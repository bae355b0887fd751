"""What flows, rails and applications of one host share: priorities, subnets, slots, marks."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable, Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    device_check,
)
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Certainty, Flow, Nic
from roce_lint.text.source import Origin


def _wired(analysis: Analysis, device: Device) -> Iterator[tuple[Nic, JudgedPort]]:
    """RDMA devices of a host, each with the first judged port it is cabled by."""
    for nic in analysis.nics_of(device):
        for wire in wires(device, nic):
            port = analysis.port(device.hostname, wire)
            if port is not None:
                yield nic, port
                break


@device_check("nic.cnp_with_data")
def cnp_sent_with_data_priority(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A NIC sends congestion notification packets with the priority of the data."""
    analysis = given.analysis
    for nic, port in _wired(analysis, device):
        if nic.cnp_dscp is None or nic.np_priorities == frozenset() == nic.np_open:
            continue
        mine = analysis.treat(port, nic.cnp_dscp).ingress
        data = {
            into.tc: (traffic.name, into.tc_where)
            for traffic in analysis.data_classes
            if not analysis.misplaced(traffic, port)
            for dscp in traffic.dscps
            if (into := analysis.treat(port, dscp).ingress).tc is not None
        }
        if mine.tc is None or mine.tc not in data or _seen_at_leaf(analysis, nic.cnp_dscp, port):
            continue
        name, places = data[mine.tc]
        stated = [nic.where("cnp_dscp")] if nic.stated("cnp_dscp") else []
        mapped = mine.tc_where[:1]
        # A map that somebody changed for this code point is the cause, the code point is not.
        moved = mine.tc != nic.cnp_dscp >> 3 and any(w.origin is Origin.STATED for w in mapped)
        yield Problem(
            f"{device.hostname} {nic.name} sends CNPs with DSCP {nic.cnp_dscp}, which it maps to "
            f"priority {mine.tc}, that of {name}",
            "the packets that should end congestion wait behind the data, and stop when it is "
            "paused",
            [*(mapped if moved else stated), *(stated if moved else mapped), *places[:1]],
            device.hostname,
            (port.interface.name,),
            value=f"{nic.cnp_dscp}:{mine.tc}",
        )


def _seen_at_leaf(analysis: Analysis, cnp: int, port: JudgedPort) -> bool:
    """True where the switch puts the code point with data too: a rule of its own reports that."""
    peer = port.peer
    leaf = analysis.port(peer.device.hostname, peer.interface.name) if peer is not None else None
    if leaf is None:
        return False
    tc = analysis.treat(leaf, cnp).ingress.tc
    data = {analysis.treat(leaf, d).ingress.tc for t in analysis.data_classes for d in t.dscps}
    return tc is not None and tc in data


ARP = (("arp_ignore", ("1", "2")), ("arp_announce", ("2",)))
"""Settings that keep an address at its own interface, and the values that do."""


@device_check("nic.rails_share_subnet")
def rails_sharing_subnet(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Several RoCE interfaces are in one subnet, and each answers for the others' addresses."""
    shared: dict[str, dict[str, Interface]] = defaultdict(dict)
    for nic in given.analysis.nics_of(device):
        port = device.interfaces.get(nic.port or "")
        for address in port.addresses if port is not None else ():
            subnet = _subnet(address)
            if subnet and port is not None:
                shared[subnet][port.name] = port
    for subnet, ports in sorted(shared.items()):
        if len(ports) > 1:
            yield from _arp(device, subnet, list(ports.values()))


def _subnet(address: str) -> str | None:
    """The IPv4 subnet of an address; None where it holds two addresses at most."""
    try:
        network = ipaddress.IPv4Interface(address).network
    except ValueError:
        return None
    return str(network) if network.prefixlen < 31 else None


def _arp(device: Device, subnet: str, ports: list[Interface]) -> Iterator[Outcome]:
    names = tuple(port.name for port in ports)
    first = ports[0].where("addresses")
    for setting, good in ARP:
        for port in ports:
            said = {
                key: device.kernel.get(key)
                for key in (f"net.ipv4.conf.all.{setting}", f"net.ipv4.conf.{port.name}.{setting}")
            }
            if any(value in good for value in said.values()):
                continue  # the larger of the two is in force
            if None in said.values():
                missing = "how a host's interfaces answer ARP (sysctl arp_ignore, arp_announce)"
                yield Unknown(missing, [first], device.hostname, names)
                return
            key = next(iter(said))
            yield Problem(
                f"{device.hostname} has {len(ports)} RoCE interfaces in {subnet} "
                f"({', '.join(names)}), and {setting} is {said[key]}",
                "each answers ARP for the addresses of the others: the data of several rails "
                "enters by one NIC, or does not arrive",
                [device.where(key), *(port.where("addresses") for port in ports)],
                device.hostname,
                names,
                value=f"{setting}={said[key]}",
            )
            return


@device_check("nic.slot_too_slow")
def slot_slower_than_ports(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The ports of a card carry more than the slot it sits in."""
    slots: dict[str, list[Nic]] = defaultdict(list)
    for nic in given.analysis.nics_of(device):
        slots[nic.slot or nic.name].append(nic)
    for nics in slots.values():
        known = [nic for nic in nics if nic.pcie_gbps is not None]
        ports = {wire for nic in nics for wire in wires(device, nic)}
        speeds = {
            name: port.speed_gbps
            for name in sorted(ports)
            if (port := device.interfaces.get(name)) is not None and port.speed_gbps
        }
        total = sum(speed for speed in speeds.values() if speed)
        if not known or total <= (known[0].pcie_gbps or 0):
            continue
        yield Problem(
            f"{device.hostname} {known[0].name} sits in a slot that carries "
            f"{known[0].pcie_gbps:g} Gb/s, its ports carry {total:g} Gb/s ({', '.join(speeds)})",
            "the NIC cannot take packets off the wire fast enough and pauses the switch",
            [known[0].where("pcie_gbps"), *_speeds(device, speeds)],
            device.hostname,
            tuple(speeds),
            value=f"{known[0].pcie_gbps:g} of {total:g}",
        )


def _speeds(device: Device, names: Iterable[str]) -> list[Where]:
    return [device.interfaces[name].where("speed_gbps") for name in names]


@device_check("nic.marks_differ_in_host")
def marks_differing_inside_host(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The forced traffic class is protected, and that of queue pairs which escape it is not."""
    analysis = given.analysis
    forced = [
        emission
        for emission in device.emits
        if emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
    ]
    for emission in device.emits:
        if emission.certainty is not Certainty.POSSIBLE:
            continue
        for nic, port in _wired(analysis, device):
            if nic.name not in emission.nics or nic.traffic_class is None:
                continue
            mine = analysis.protected(port.network, emission.dscp)
            dscp = nic.traffic_class >> 2
            if mine is not False or not analysis.protected(port.network, dscp):
                continue
            force = next((e for e in forced if nic.name in e.nics), None)
            yield Problem(
                f"{device.hostname} {nic.name} forces DSCP {dscp} on queue pairs of the kernel; "
                f"those that escape it are given DSCP {emission.dscp} ({emission.by})",
                "communication that the GPU starts travels outside of the class for RoCE",
                [emission.where("dscp"), *([force.where("dscp")] if force else [])],
                device.hostname,
                (port.interface.name,),
                value=f"{emission.dscp}/{dscp}",
            )
