"""What is set for many hosts at once, against what the fabric does: jobs and cluster policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from roce_lint.analysis.protection import intended_codes
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.catalog.applications import row_of
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    device_check,
    fabric_check,
)
from roce_lint.model.interface import Interface
from roce_lint.model.nic import AdapterPolicy, Certainty, Emission, Flow
from roce_lint.model.units import ranges

MTU = "MTU"
"""What a policy sets for adapters of one kind of network, which only their names tell apart."""


@device_check("fleet.marks_outside_lossless")
def job_marking_outside_protected_classes(
    device: Device, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A job marks its data with a code point that most of the fabric does not protect."""
    analysis = given.analysis
    if not device.fleet or _are_all_forced(analysis):
        return
    for emission in device.emits:
        known = emission.certainty is Certainty.STATED or row_of(emission.by) is not None
        if emission.flow is not Flow.DATA or not known:
            continue
        if not emission.dscp and any(nic.own_dscp for _, nic in analysis.roce_nics):
            continue  # the adapters mark what asks for nothing
        for network in sorted({port.network for port in analysis.switch_ports()}):
            yield from _stray(analysis, device, emission, network)


def _are_all_forced(analysis: Analysis) -> bool:
    """Whether every adapter here overrules what applications ask for."""
    nics = [nic for _, nic in analysis.roce_nics]
    return bool(nics) and all(nic.traffic_class is not None for nic in nics)


def _stray(
    analysis: Analysis, device: Device, emission: Emission, network: int
) -> Iterator[Outcome]:
    mine = analysis.protected(network, emission.dscp)
    lossless = intended_codes(analysis, network)
    if mine is None:
        missing = "what the switches do with the code point that a host sends"
        yield Unknown(missing, [emission.where("dscp")], device.hostname)
    if mine is not False or not lossless:
        return
    classes = [t for t in analysis.data_classes if lossless.intersection(t.dscps)]
    wanted = {dscp for traffic in classes for dscp in traffic.dscps} or lossless
    byte = (emission.dscp << 2) + (emission.ect or 0)
    hint = f"; byte {byte << 2} would be DSCP {byte}" if byte in wanted else ""
    message = (
        f"{device.hostname} has RDMA data sent with DSCP {emission.dscp} ({emission.by}), the "
    )
    message += f"fabric protects DSCP {ranges(wanted)}{hint}"
    harm = "on the hosts it meets, data travels in a lossy, unmarked class through the whole fabric"
    at = [emission.where("dscp"), *(w for t in classes for w in t.where[:1])]
    yield Problem(message, harm, at, device.hostname, value=str(emission.dscp))


@device_check("fleet.policy_nowhere_applied")
def policy_applied_on_no_host(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy names ports that no host has, or sets something that no adapter here has so."""
    if not device.fleet:
        return
    for each in device.policies:
        yield from _absent_ports(given.analysis, device, each)
    ports = tuple(given.analysis.host_ports())
    for policy in device.interfaces.values():
        for words, part, field, spell in SETTINGS:
            wanted = _setting(policy, part, field, spell)
            if wanted is None:
                continue
            found = [
                (port, had)
                for port in ports
                if (had := _setting(port.interface, part, field, spell)) is not None
                and _is_for(policy, port, words)
            ]
            if not found or any(had.value == wanted.value for _, had in found):
                continue
            port, other = found[0]
            message = f"{device.hostname}: {policy.name} sets {words} {wanted.value}, and no host "
            message += f"here has it ({port} has {other.value})"
            harm = "it was never applied here, or something else sets the adapters afterwards"
            at, value = [wanted.where, other.where], f"{policy.name}: {words} {wanted.value}"
            yield Problem(message, harm, at, device.hostname, (policy.name,), value)


def _absent_ports(analysis: Analysis, device: Device, policy: AdapterPolicy) -> Iterator[Outcome]:
    node = None if policy.node is None else policy.node.split(".")[0].casefold()
    hosts = {
        host.hostname: host
        for host, _ in analysis.roce_nics
        if node in ("", host.hostname.split(".")[0].casefold())
    }
    ports = [port for host in hosts.values() for port in host.interfaces.values()]
    found = {name for port in ports for name in (port.name, *port.aliases)}
    is_known = hosts and not any(host.partial for host in hosts.values())
    if policy.ports and is_known and not found.intersection(policy.ports):
        names = ", ".join(policy.ports)
        message = f"{device.hostname}: {policy.name} is for {names}, which no host here has"
        harm = "it selects nothing: no virtual functions are made, and pods that ask for them wait"
        at = [policy.where("ports"), next(iter(hosts.values())).where()]
        subject = (policy.name,)
        yield Problem(message, harm, at, device.hostname, subject, names, severity=Severity.INFO)


@fabric_check("fleet.functions_without_rdma")
def virtual_functions_without_rdma(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy wants RDMA of functions that the kernel does not keep, or leaves it out on one rail
    of several.
    """
    policies = [(device, each) for device in fabric.devices.values() for each in device.policies]
    with_rdma = [policy for _, policy in policies if policy.rdma]
    ports = (host.interfaces.get(nic.port or "") for host, nic in given.analysis.roce_nics)
    rails = {name for port in ports if port is not None for name in (port.name, *port.aliases)}
    rails -= {port for policy in with_rdma for port in policy.ports}
    for device, policy in policies:
        bare = [port for port in policy.ports if port in rails] if policy.node is not None else []
        if policy.rdma and policy.handed_over:
            message = "hands its virtual functions to a guest's driver and asks for RDMA of them"
            harm = "the operator refuses it: such functions have no RDMA device on the node"
            place = [policy.where("handed_over"), policy.where("rdma")]
        elif bare and with_rdma and policy.rdma is policy.handed_over is False:
            like = with_rdma[0]
            message = f"makes functions of {', '.join(bare)} without RDMA, {like.name} with it"
            harm = "pods get this rail as an Ethernet interface: jobs leave it unused, or fail"
            place = [policy.where("rdma"), policy.where("ports"), like.where("rdma")]
        else:
            continue
        value = f"{policy.name} {message}"
        message = f"{device.hostname}: {value}"
        yield Problem(message, harm, place, device.hostname, (policy.name,), value)


@fabric_check("fleet.pod_addresses_alike")
def pod_addresses_alike_on_nodes(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Each node gives its pods addresses of the same range, without a look at other nodes."""
    hosts = {host.hostname: host for host, _ in given.analysis.roce_nics}
    ports = {None, *(nic.port for _, nic in given.analysis.roce_nics)}
    pools = [(device, pool) for device in fabric.devices.values() for pool in device.node_pools]
    subnets = {each: each.split(" ")[0] for _, pool in pools for each in pool.ranges}
    for device, pool in pools:
        # Other ranges of its subnets may be those of other nodes, each with a network of its own.
        mine = {subnets[each] for each in pool.ranges}
        split = any(s in mine and r not in pool.ranges for r, s in subnets.items())
        if len(hosts) > 1 and not split and pool.master in ports:
            value = f"{pool.network} gives pods addresses of {', '.join(pool.ranges)} by host-local"
            message = f"{device.hostname}: {value}, on each node by itself"
            harm = "pods on two nodes have the same address: packets reach the wrong one, or none"
            at = [pool.where("ranges"), next(iter(hosts.values())).where()]
            yield Problem(message, harm, at, device.hostname, (pool.network,), value)


def _is_for(policy: Interface, port: JudgedPort, words: str) -> bool:
    """Whether a policy may be meant for a port: by the names that it lists, if it lists any."""
    if not policy.aliases and words != MTU:
        return True
    return port.interface.name in policy.aliases


class StatedValue(NamedTuple):
    """What a setting is set to, and where."""

    value: str
    where: Where


def _setting(
    interface: Interface, part: str, field: str, spell: Callable[[Any], str]
) -> StatedValue | None:
    """A setting of a port that a line states."""
    qos = interface.qos
    owner = {"pfc": qos.pfc if qos is not None else None, "qos": qos}.get(part, interface)
    value = getattr(owner, field, None)
    if owner is None or value is None or not owner.stated(field):
        return None
    return StatedValue(spell(value), owner.where(field))


SETTINGS: tuple[tuple[str, str, str, Callable[[Any], str]], ...] = (
    ("PFC for priority", "pfc", "generate", lambda listed: ranges(listed) or "none"),
    ("trust", "qos", "trust", lambda trust: str(trust.value)),
    ("a cable length in metres of", "pfc", "cable_m", "{:g}".format),
    ("pause of the whole link", "pfc", "link_pause_rx", {True: "on", False: "off"}.__getitem__),
    (MTU, "", "ip_mtu", str),
)
"""What a policy may set, in words, the part and field of an interface, and how it is written."""
