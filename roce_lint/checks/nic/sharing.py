"""NICs of a host: shared priorities, subnets, addresses and slots; PCI; LLDP of the firmware."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.cabling import nics_with_ports
from roce_lint.analysis.classes import cnp_class
from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.scope import wires
from roce_lint.engine import api
from roce_lint.engine.api import Change, Fabric, Given, Outcome, Problem, Stage, Unknown, Where
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.sourced import Concern


@api.device_check("nic.cnp_with_data")
def cnp_sent_with_data_priority(device: Device, given: Given) -> Iterator[Outcome]:
    """A NIC that sends CNPs with the priority of the data."""
    analysis = given.analysis
    sent = {(port, nic.cnp_dscp): nic for nic, port in nics_with_ports(analysis, device)}
    harm = "CNPs queue behind the data they should slow down, and stop while it is paused"
    for port, dscp in sent:
        if dscp is None:
            continue
        traffic = cnp_class(analysis, dscp)
        yield from api.outcomes(diagnose(analysis, traffic, port), Stage.CODE_POINT, harm)
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
            message = (
                f"{port} sends CNPs with priority {level}, shared by RoCE DSCP {paused[level]}"
            )
            at = [nic.where("cnp_priority")]
            yield Problem(message, harm, at, device.hostname, (port.interface.name,), str(level))


ARP = (("arp_ignore", ("1", "2")), ("arp_announce", ("2",)))
"""Settings that confine ARP to the interface of an address, with the values that do."""


@api.device_check("nic.rails_share_subnet")
def rails_sharing_subnet(device: Device, given: Given) -> Iterator[Outcome]:
    """RoCE interfaces of a host that share a subnet without ARP isolation."""
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


@api.fabric_check("nic.address_used_twice")
def duplicate_nic_address(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """RoCE interfaces of one network with the same address."""
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
        # One address on most hosts is a placeholder from anonymisation.
        if len(places) == 2 or 2 < len(places) <= len(owners):
            (device, name), *_ = places
            message = f"{' and '.join(map(' '.join, places))} have the same address {shared}"
            harm = "packets to it reach only one of them: connections of the others hang or break"
            at = list(places.values())
            yield Problem(message, harm, at, device, (name,), shared, compares=True)


def _subnet(address: str) -> str | None:
    """IPv4 subnet of an address; None if it holds at most two addresses."""
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
            values = {
                key: device.kernel.get(key)
                for key in (f"net.ipv4.conf.all.{setting}", f"net.ipv4.conf.{port.name}.{setting}")
            }
            if any(value in good for value in values.values()):
                continue  # the larger of the two is in force
            if None in values.values():
                missing = "how a host's interfaces answer ARP (sysctl arp_ignore, arp_announce)"
                yield Unknown(missing, [first], device.hostname, names)
                return
            key = next(iter(values))
            message = f"{device.hostname} has {len(ports)} RoCE interfaces in {subnet} "
            message += f"({', '.join(names)}), but {setting} is {values[key]}"
            harm = "each answers ARP for the addresses of the others (ARP flux): data of several "
            harm += "rails enters by one NIC, or is lost"
            at = [device.where(key), *(port.where("addresses") for port in ports)]
            who = (device.hostname, names, f"{setting}={values[key]}")
            changes = tuple(
                Change.on_entry(device, ("kernel", f"net.ipv4.conf.all.{name}"), "", confining[0])
                for name, confining in ARP
            )
            yield Problem(message, harm, at, *who, changes=changes)
            return


@api.device_check("nic.slot_too_slow")
def slot_slower_than_ports(device: Device, given: Given) -> Iterator[Outcome]:
    """A NIC whose PCIe slot is slower than its ports together."""
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
        message = f"{device.hostname} {known[0].name} is in a PCIe slot of "
        message += f"{known[0].pcie_gbps:g} Gb/s, but its ports carry {total:g} Gb/s "
        message += f"({', '.join(speeds)})"
        harm = "the NIC cannot drain packets fast enough and sends PFC to the switch"
        places = [device.interfaces[name].where("speed_gbps") for name in speeds]
        at = [known[0].where("pcie_gbps"), *places]
        yield Problem(message, harm, at, device.hostname, tuple(speeds), value)


# PCI bridges, write ordering, and LLDP of the firmware.

ORDERING = "NCCL_IB_PCI_RELAXED_ORDERING"
"""Variable by which NCCL requests relaxed ordering: 0 no, 1 yes, 2 where possible."""


@api.device_check("nic.gpu_traffic_redirected")
def gpu_traffic_redirected(device: Device, given: Given) -> Iterator[Outcome]:
    """A PCI bridge whose access control redirects GPUDirect traffic to the root complex."""
    for nic in given.analysis.nics_of(device):
        names = (nic.port or nic.name,)
        if nic.gpu_by_switch and nic.gpu_redirected is None:
            missing = "the access control of PCI bridges (lspci -vvv as root)"
            yield Unknown(missing, [nic.where("gpu_by_switch")], device.hostname, names)
        if not nic.gpu_redirected:
            continue
        shared = bool(nic.gpu_by_switch)
        between = "a GPU behind the same PCI switch" if shared else "the GPUs"
        yield Problem(
            f"{device.hostname} {nic.name}: a PCI bridge between it and {between} redirects "
            "requests to the root complex (ACS)",
            "GPUDirect traffic makes a detour over the root complex: half the speed is usual, and "
            "the NIC sends PFC to the switch"
            if shared
            else "GPUDirect traffic is first checked at the root complex",
            [nic.where("gpu_redirected"), nic.where("gpu_by_switch")],
            subjects=names,
            value="behind a switch" if shared else "at the root",
            severity=None if shared else Severity.INFO,
        )


@api.device_check("nic.relaxed_ordering_off")
def relaxed_ordering_off(device: Device, given: Given) -> Iterator[Outcome]:
    """A NIC with strict ordering of PCI writes in a host with GPUs."""
    requested = device.environment.get(ORDERING, "").strip()
    for nic in given.analysis.nics_of(device):
        names = (nic.port or nic.name,)
        if nic.relaxed_ordering is False and (_is_required(nic) or requested == "1"):
            by = nic.where("all_writes_relaxed") if _is_required(nic) else device.where(ORDERING)
            message = f"{device.hostname} {nic.name} is set to relaxed ordering of PCI writes, "
            harm = "each write waits for the previous one: the NIC does not reach the speed of its "
            at = [nic.where("relaxed_ordering"), by]
            message += "but its PCI function forbids it"
            harm += "port and sends PFC to the switch"
            yield Problem(message, harm, at, device.hostname, names, "forbidden")
        elif nic.relaxed_ordering is False and nic.gpu_by_switch is not None:
            yield _strict(device, nic, "relaxed ordering is off on its PCI function")
        elif requested == "0" and nic.all_writes_relaxed is False:
            yield _strict(device, nic, f"{ORDERING}=0, and its firmware relaxes on request only")


def _is_required(nic: Nic) -> bool:
    return bool(nic.all_writes_relaxed) and nic.stated("all_writes_relaxed")


def _strict(device: Device, nic: Nic, why: str) -> Problem:
    own = nic.relaxed_ordering is False
    return Problem(
        f"{device.hostname} {nic.name} sends PCI writes in strict order: {why}",
        "on CPUs that process relaxed writes in parallel the NIC is slower than its port",
        [nic.where("relaxed_ordering")]
        if own
        else [device.where(ORDERING), nic.where("all_writes_relaxed")],
        subjects=(nic.port or nic.name,),
        value="function" if own else ORDERING,
        severity=Severity.INFO,
        changes=() if own else (Change.on_entry(device, ("environment", ORDERING), "", "2"),),
    )


@api.device_check("nic.two_lldp_agents")
def two_lldp_agents_on_port(device: Device, given: Given) -> Iterator[Outcome]:
    """A port on which both the NIC firmware and an agent of the host send LLDP."""
    for nic in given.analysis.nics_of(device):
        agents = nic.announced_by or frozenset()
        if "firmware" not in agents or len(agents) < 2:
            continue
        others = " and ".join(sorted(agents - {"firmware"}))
        heard = [nic.where(Concern.OTHER_AGENT)] if nic.stated(Concern.OTHER_AGENT) else []
        message = f"{device.hostname} {nic.name}: the firmware sends LLDP, and so does {others}"
        harm = "the switch sees two neighbours on one port: DCBX stops at more than one peer, and "
        harm += "the cabling is ambiguous"
        at, names = [nic.where("announced_by"), *heard], (nic.port or nic.name,)
        yield Problem(message, harm, at, device.hostname, names, others)
