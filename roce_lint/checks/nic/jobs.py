"""Settings of jobs and cluster policies compared with the fabric: timeouts, adaptive routing, queue
pairs, DSCPs, NIC policies, pod addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from roce_lint.analysis.cache import cached
from roce_lint.analysis.diagnosis.sending import marked_as
from roce_lint.analysis.paths import all_paths_of
from roce_lint.analysis.protection import intended_codes
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.catalog.applications import row_of, selects, without_rdma
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, Where, device_check, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.nic import AdapterPolicy, Certainty, Emission, Flow
from roce_lint.model.qos import WatchdogAction
from roce_lint.model.routing import Spread
from roce_lint.model.units import ranges
from roce_lint.text.numbers import whole_of

TIMEOUT, RETRIES = "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT"
DEFAULTS = {TIMEOUT: 20, RETRIES: 7}
"""Defaults of NCCL for unset variables (NCCL documentation, environment variables)."""

UNIT_MS = 4.096e-3
"""Local ACK timeout 0 (InfiniBand Architecture Specification, 9.9.2.1.1): 4.096 us, doubled by
each step."""

MOST = {TIMEOUT: 31, RETRIES: 7}
"""Maxima of the fields of 5 and 3 bits in the queue pair."""

ADAPTIVE = "NCCL_IB_ADAPTIVE_ROUTING"
QUEUE_PAIRS = "NCCL_IB_QPS_PER_CONNECTION"


@device_check("nic.gives_up_before_watchdog")
def job_timeout_below_watchdog(device: Device, given: Given) -> Iterator[Outcome]:
    """A job whose queue pairs time out before a watchdog restores a stuck queue."""
    stated = [n for n in (TIMEOUT, RETRIES) if device.stated(n)] if _uses_nccl(device) else []
    timeout, retries = (_number(device, name) for name in (TIMEOUT, RETRIES))
    if not stated or timeout is None or retries is None or not timeout:
        return  # a timeout of 0 waits for ever
    patience = UNIT_MS * 2**timeout * (retries + 1)
    slow = _slowest(given.analysis, device)
    if slow is None or patience >= slow[0]:
        return
    outage, port, places = slow
    yield Problem(
        f"{device.hostname}: NCCL queue pairs time out after {_spell(patience)}, but the PFC "
        f"watchdog of {port} takes up to {_spell(outage)} to restore a queue",
        "the job fails in a pause storm that the watchdog would have ended",
        [device.where(stated[0]), *places],
        subjects=tuple(stated),
        value=f"{timeout}/{retries}",
    )


def _number(device: Device, name: str) -> int | None:
    """Numeric value of a variable, or its default if unset; None if it is not a valid number."""
    if not device.stated(name):
        return DEFAULTS[name]
    text = device.environment.get(name, "").strip()
    number = whole_of(text) if text.isascii() and text.isdigit() and len(text) < 4 else None
    return number if number is not None and number <= MOST[name] else None


def _slowest(analysis: Analysis, device: Device) -> tuple[float, JudgedPort, list[Where]] | None:
    """Longest time in ms for which a watchdog drops packets of a queue, with port and places."""
    networks = {port.network for port in analysis.ports_of(device)}
    found: list[tuple[float, JudgedPort, list[Where]]] = []
    for port, _ in analysis.kinds:
        qos = port.interface.qos
        watchdog = qos.watchdog if qos is not None else None
        if port.device.is_host or watchdog is None or not watchdog.enabled:
            continue
        if networks and port.network not in networks:
            continue
        times = (watchdog.detection_ms, watchdog.restoration_ms)
        if watchdog.action is WatchdogAction.DROP and None not in times:
            places = [watchdog.where("restoration_ms"), watchdog.where("detection_ms")]
            found.append((sum(time or 0 for time in times), port, places))
    return max(found, key=lambda each: each[0], default=None)


def _spell(ms: float) -> str:
    return f"{ms / 1000:.3g} s" if ms >= 1000 else f"{ms:.3g} ms"


@device_check("nic.not_told_of_adaptive_routing")
def job_without_adaptive_routing(device: Device, given: Given) -> Iterator[Outcome]:
    """A job without the NCCL setting for adaptive routing in a fabric that uses it."""
    if not _uses_nccl(device) or device.environment.get(ADAPTIVE, "0").strip() != "0":
        return
    if not device.environment.get(ADAPTIVE) and device.stated(ADAPTIVE):
        return  # set to an unknown value
    of_network = _choosing(given.analysis)
    networks = {port.network for port in given.analysis.ports_of(device)} or of_network.keys()
    choosing = [each for network in sorted(networks) for each in of_network.get(network, ())]
    adapting = [(name, how) for name, how in choosing if how is not None]
    if len(adapting) * 2 <= len(choosing):
        return
    name, (words, place) = adapting[0]
    yield Problem(
        f"{device.hostname} runs NCCL without {ADAPTIVE}=1, but {len(adapting)} of "
        f"{len(choosing)} switches with several uplinks reorder packets ({name} {words})",
        "NCCL then relies on the last packet of a message to arrive last, and gains nothing from "
        "adaptive routing",
        [_line(device, ADAPTIVE), place],
        subjects=(ADAPTIVE,),
        value=ADAPTIVE,
        changes=(Change.on_entry(device, ("environment", ADAPTIVE), "", "1"),),
    )


@cached
def _choosing(analysis: Analysis) -> dict[int, list[tuple[str, tuple[str, Where] | None]]]:
    """Switches with several uplinks, by network, with their method of moving packets."""
    found: dict[int, list[tuple[str, tuple[str, Where] | None]]] = {}
    for node in all_paths_of(analysis).nodes.values():
        if len(ports := [crossing.out for crossing in node.up]) > 1:
            found.setdefault(ports[0].network, []).append((node.name, _adapts(ports)))
    return found


def _adapts(ports: list[JudgedPort]) -> tuple[str, Where] | None:
    """Method by which a switch moves packets between uplinks, and its line; None without one."""
    balancing = ports[0].device.balancing
    if balancing is not None and balancing.spread is Spread.PACKET:
        return "sprays packets", balancing.where("spread")
    if balancing is not None and balancing.adaptive is False:
        return None
    if all(port.interface.adaptive_routing for port in ports):
        return "routes adaptively", ports[0].interface.where("adaptive_routing")
    return None


@device_check("nic.few_queue_pairs_over_bond")
def few_queue_pairs_over_bond(device: Device, given: Given) -> Iterator[Outcome]:
    """A job with one queue pair per connection over an RDMA device of bonded ports."""
    if not _uses_nccl(device) or device.environment.get(QUEUE_PAIRS, "1").strip() != "1":
        return
    if not device.environment.get(QUEUE_PAIRS) and device.stated(QUEUE_PAIRS):
        return
    for nic in given.analysis.nics_of(device):
        bond = device.interfaces.get(nic.port or "")
        listed = device.environment.get("NCCL_IB_HCA", "")
        if bond is None or len(bond.members) < 2 or not selects(listed, nic.name):
            continue
        yield Problem(
            f"{device.hostname} {nic.name} is a bond of {len(bond.members)} ports, but NCCL opens "
            "one queue pair per connection",
            f"a queue pair uses one port: a connection gets at most 1/{len(bond.members)} of the "
            "bond, and hashing decides how connections share the ports",
            [_line(device, QUEUE_PAIRS), nic.where("port")],
            subjects=(nic.port or nic.name,),
            value=QUEUE_PAIRS,
        )


def _uses_nccl(device: Device) -> bool:
    """Whether the captured environment is of a job that uses NCCL over verbs."""
    names = [name for name in device.environment if device.stated(name)]
    off = without_rdma(device.environment, "NCCL")
    return not off and any(name.startswith("NCCL_IB_") for name in names)


def _line(device: Device, name: str) -> Where:
    """Line of a variable or, if it is unset, of another NCCL variable."""
    if device.stated(name):
        return device.where(name)
    others = (n for n in device.environment if n.startswith("NCCL_IB_") and device.stated(n))
    return device.where(next(others))


# Settings for many hosts: job files and cluster policies.

MTU = "MTU"
"""Setting that applies to one kind of network, identified by port names only."""


@device_check("fleet.marks_outside_lossless")
def job_marking_outside_protected_classes(device: Device, given: Given) -> Iterator[Outcome]:
    """A job whose data has a DSCP that most of the fabric does not protect."""
    if not device.fleet:
        return
    analysis, nics = given.analysis, [nic for _, nic in given.analysis.roce_nics]
    if nics and all(nic.traffic_class is not None for nic in nics):
        return  # every adapter forces a traffic class on all applications
    for emission in device.emits:
        known = emission.certainty is Certainty.STATED or row_of(emission.by) is not None
        if emission.flow is not Flow.DATA or not known:
            continue
        if not emission.dscp and any(nic.own_dscp for nic in nics):
            continue  # the adapters mark such traffic themselves
        for network in sorted({port.network for port in analysis.switch_ports()}):
            yield from _stray(analysis, device, emission, network)


def _stray(
    analysis: Analysis, device: Device, emission: Emission, network: int
) -> Iterator[Outcome]:
    mine = analysis.protected(network, emission.dscp)
    lossless = intended_codes(analysis, network)
    if mine is None:
        missing = "how the switches treat the DSCP of the host"
        yield Unknown(missing, [emission.where("dscp")], device.hostname)
    if mine is not False or not lossless:
        return
    classes = [t for t in analysis.data_classes if lossless.intersection(t.dscps)]
    required = {dscp for traffic in classes for dscp in traffic.dscps} or lossless
    byte = (emission.dscp << 2) + (emission.ect or 0)
    hint = f"; byte {byte << 2} would be DSCP {byte}" if byte in required else ""
    message = (
        f"{device.hostname} marks RDMA data with DSCP {emission.dscp} ({emission.by}), but the "
    )
    message += f"fabric protects DSCP {ranges(required)}{hint}"
    harm = "its data is in a lossy class without ECN marking throughout the fabric"
    at = [emission.where("dscp"), *(w for t in classes for w in t.where[:1])]
    meant = {byte} if hint else required
    changes = marked_as(device, emission, *meant) if len(meant) == 1 else ()
    yield Problem(message, harm, at, device.hostname, value=str(emission.dscp), changes=changes)


@device_check("fleet.policy_nowhere_applied")
def nic_policy_not_applied(device: Device, given: Given) -> Iterator[Outcome]:
    """A policy for ports that no host has, or with a setting that no adapter has."""
    if not device.fleet:
        return
    for each in device.policies:
        yield from _absent_ports(given.analysis, device, each)
    hosts = tuple(given.analysis.host_ports())
    for policy in device.interfaces.values():
        named = [port for port in hosts if port.interface.name in policy.aliases]
        for words, part, field, spell in SETTINGS:
            ports = named if policy.aliases or words == MTU else hosts
            required = _setting(policy, part, field, spell)
            if required is None:
                continue
            found = [
                (port, had)
                for port in ports
                if (had := _setting(port.interface, part, field, spell)) is not None
            ]
            if not found or any(had.value == required.value for _, had in found):
                continue
            port, other = found[0]
            message = (
                f"{device.hostname}: {policy.name} sets {words} {required.value}, but no host "
            )
            message += f"here has it ({port} has {other.value})"
            harm = "the policy was never applied here, or something else changes the adapters later"
            at, value = [required.where, other.where], f"{policy.name}: {words} {required.value}"
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
        message = f"{device.hostname}: {policy.name} selects {names}, which no host here has"
        harm = "no virtual functions are created, and pods that request them stay pending"
        at = [policy.where("ports"), next(iter(hosts.values())).where()]
        subject = (policy.name,)
        yield Problem(message, harm, at, device.hostname, subject, names, severity=Severity.INFO)


@fabric_check("fleet.functions_without_rdma")
def virtual_functions_without_rdma(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A policy that requests RDMA of functions handed to guests, or omits it on one rail."""
    policies = [(device, each) for device in fabric.devices.values() for each in device.policies]
    with_rdma = [policy for _, policy in policies if policy.rdma]
    ports = (host.interfaces.get(nic.port or "") for host, nic in given.analysis.roce_nics)
    rails = {name for port in ports if port is not None for name in (port.name, *port.aliases)}
    rails -= {port for policy in with_rdma for port in policy.ports}
    for device, policy in policies:
        bare = [port for port in policy.ports if port in rails] if policy.node is not None else []
        if policy.rdma and policy.handed_over:
            value = "hands its virtual functions to a guest's driver and asks for RDMA of them"
            message = "hands its virtual functions to a guest driver and requests RDMA for them"
            harm = "the operator rejects it: such functions have no RDMA device on the node"
            place = [policy.where("handed_over"), policy.where("rdma")]
        elif bare and with_rdma and policy.rdma is policy.handed_over is False:
            like = with_rdma[0]
            value = f"makes functions of {', '.join(bare)} without RDMA, {like.name} with it"
            message = f"creates functions of {', '.join(bare)} without RDMA, unlike {like.name}"
            harm = "pods get this rail as a plain Ethernet interface: jobs leave it unused, or fail"
            place = [policy.where("rdma"), policy.where("ports"), like.where("rdma")]
        else:
            continue
        value = f"{policy.name} {value}"  # enters the fingerprint
        message = f"{device.hostname}: {policy.name} {message}"
        yield Problem(message, harm, place, device.hostname, (policy.name,), value)


@fabric_check("fleet.pod_addresses_alike")
def duplicate_pod_addresses(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Nodes that assign pod addresses of one range independently of each other."""
    hosts = {host.hostname: host for host, _ in given.analysis.roce_nics}
    ports = {None, *(nic.port for _, nic in given.analysis.roce_nics)}
    pools = [(device, pool) for device in fabric.devices.values() for pool in device.node_pools]
    subnets = {each: each.split(" ")[0] for _, pool in pools for each in pool.ranges}
    for device, pool in pools:
        # Other ranges of its subnets may be those of other nodes with separate networks.
        mine = {subnets[each] for each in pool.ranges}
        split = any(s in mine and r not in pool.ranges for r, s in subnets.items())
        if len(hosts) > 1 and not split and pool.master in ports:
            value = f"{pool.network} gives pods addresses of {', '.join(pool.ranges)} by host-local"
            message = f"{device.hostname}: {pool.network} assigns pod addresses from "
            message += f"{', '.join(pool.ranges)} with host-local, separately on each node"
            harm = "pods on two nodes get the same address: packets reach the wrong one, or none"
            at = [pool.where("ranges"), next(iter(hosts.values())).where()]
            yield Problem(message, harm, at, device.hostname, (pool.network,), value)


class StatedValue(NamedTuple):
    """Value of a setting, and its place."""

    value: str
    where: Where


def _setting(
    interface: Interface, part: str, field: str, spell: Callable[[Any], str]
) -> StatedValue | None:
    """Configured value of a port setting; None without one."""
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
"""Settings of a policy: words, part and field of an interface, and formatter."""
