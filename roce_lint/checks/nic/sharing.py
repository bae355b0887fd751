"""What flows and rails of one host share: priorities, subnets, slots."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.cabling import nics_with_ports
from roce_lint.analysis.classes import cnp_class
from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.scope import wires
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    Unknown,
    Where,
    device_check,
    fabric_check,
    outcomes,
)
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic


@device_check("nic.cnp_with_data")
def cnp_sent_with_data_priority(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A NIC sends congestion notification packets with the priority of the data."""
    analysis = given.analysis
    sent = {(port, nic.cnp_dscp): nic for nic, port in nics_with_ports(analysis, device)}
    harm = "CNPs queue behind the traffic they should slow down, and stop when it is paused"
    for port, dscp in sent:
        if dscp is None:
            continue
        traffic = cnp_class(analysis, dscp)
        yield from outcomes(diagnose(analysis, traffic, port), Stage.CODE_POINT, harm)
    for nic, port in nics_with_ports(analysis, device):
        paused = {
            taken.pause_priority.value: dscp
            for data in analysis.data_classes
            for dscp in data.dscps
            if (taken := analysis.treat(port, dscp).ingress).lossless
        }
        level, quiet = nic.cnp_priority, nic.np_priorities == frozenset()
        own = nic.cnp_dscp is None or analysis.treat(port, nic.cnp_dscp).ingress.tc != level
        if level in paused and nic.stated("cnp_priority") and own and not quiet:
            message = f"{port} sends CNPs with priority {level}, that of RoCE DSCP {paused[level]}"
            at = [nic.where("cnp_priority")]
            yield Problem(message, harm, at, device.hostname, (port.interface.name,), str(level))


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


@fabric_check("nic.address_used_twice")
def address_of_two_nics(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Two RoCE interfaces of one network have the same address."""
    owners: dict[tuple[int, str], dict[tuple[str, str], Where]] = defaultdict(dict)
    for host, nic in given.analysis.roce_nics:
        port = host.interfaces.get(nic.port or "")
        judged = given.analysis.port(host.hostname, wires(host, nic)[0])
        if port is not None and judged is not None:
            for address in map(ipaddress.ip_interface, port.addresses):
                if not address.is_link_local:
                    own = owners[judged.network, str(address.ip)]
                    own[host.hostname, port.name] = port.where("addresses")
    for (_, shared), places in owners.items():
        # One address on most hosts was put in the place of theirs, to hide them.
        if len(places) == 2 or 2 < len(places) <= len(owners):
            (device, name), *_ = places
            message = f"{' and '.join(map(' '.join, places))} have the same address {shared}"
            harm = "packets to it reach one of them: connections of the others hang or break"
            at = list(places.values())
            yield Problem(message, harm, at, device, (name,), shared, compares=True)


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
            message = f"{device.hostname} has {len(ports)} RoCE interfaces in {subnet} "
            message += f"({', '.join(names)}), and {setting} is {said[key]}"
            harm = "each answers ARP for the addresses of the others: the data of several rails "
            harm += "enters by one NIC, or does not arrive"
            at = [device.where(key), *(port.where("addresses") for port in ports)]
            yield Problem(message, harm, at, device.hostname, names, f"{setting}={said[key]}")
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
        value = f"{known[0].pcie_gbps:g} of {total:g}"
        message = f"{device.hostname} {known[0].name} sits in a slot that carries "
        message += f"{known[0].pcie_gbps:g} Gb/s, its ports carry {total:g} Gb/s "
        message += f"({', '.join(speeds)})"
        harm = "the NIC cannot take packets off the wire fast enough and pauses the switch"
        places = [device.interfaces[name].where("speed_gbps") for name in speeds]
        at = [known[0].where("pcie_gbps"), *places]
        yield Problem(message, harm, at, device.hostname, tuple(speeds), value)
