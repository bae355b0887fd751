"""What is set for many hosts at once, against what the fabric does: jobs and cluster policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from roce_lint.analysis.protection import intended_codes
from roce_lint.analysis.result import Analysis, JudgedPort
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
from roce_lint.model.nic import Certainty, Emission, Flow
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
        if emission.flow is not Flow.DATA or emission.certainty is not Certainty.STATED:
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
    yield Problem(
        f"{device.hostname} has RDMA data sent with DSCP {emission.dscp} ({emission.by}), the "
        f"fabric protects DSCP {ranges(wanted)}{hint}",
        "on the hosts it meets, data travels in a lossy, unmarked class through the whole fabric",
        [emission.where("dscp"), *(w for t in classes for w in t.where[:1])],
        device.hostname,
        value=str(emission.dscp),
    )


@device_check("fleet.policy_nowhere_applied")
def policy_applied_on_no_host(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy sets PFC, trust or the MTU of adapters, and no adapter here has it so."""
    if not device.fleet:
        return
    ports = tuple(given.analysis.host_ports())
    for policy in device.interfaces.values():
        for words, setting in SETTINGS:
            wanted = setting(policy)
            if wanted is None:
                continue
            found = [
                (port, had)
                for port in ports
                if (had := setting(port.interface)) is not None and _is_for(policy, port, words)
            ]
            if not found or any(had.value == wanted.value for _, had in found):
                continue
            port, other = found[0]
            yield Problem(
                f"{device.hostname}: {policy.name} sets {words} {wanted.value}, and no host here "
                f"has it ({port} has {other.value})",
                "the policy was never applied here, or something else sets the adapters afterwards",
                [wanted.where, other.where],
                device.hostname,
                (policy.name,),
                value=f"{policy.name}: {words} {wanted.value}",
            )


def _is_for(policy: Interface, port: JudgedPort, words: str) -> bool:
    """Whether a policy may be meant for a port: by the names that it lists, if it lists any."""
    if not policy.aliases and words != MTU:
        return True
    return port.interface.name in policy.aliases


class StatedValue(NamedTuple):
    """What a setting is set to, and where."""

    value: str
    where: Where


def _pfc(interface: Interface) -> StatedValue | None:
    pfc = interface.qos.pfc if interface.qos is not None else None
    if pfc is None or pfc.generate is None:
        return None
    return StatedValue(ranges(pfc.generate) or "none", pfc.where("generate"))


def _trust(interface: Interface) -> StatedValue | None:
    qos = interface.qos
    if qos is None or qos.trust is None or not qos.stated("trust"):
        return None
    return StatedValue(qos.trust.value, qos.where("trust"))


def _mtu(interface: Interface) -> StatedValue | None:
    if interface.ip_mtu is None or not interface.stated("ip_mtu"):
        return None
    return StatedValue(str(interface.ip_mtu), interface.where("ip_mtu"))


SETTINGS: tuple[tuple[str, Callable[[Interface], StatedValue | None]], ...] = (
    ("PFC for priority", _pfc),
    ("trust", _trust),
    (MTU, _mtu),
)
"""What a policy may set, in words, and how it is found on an interface."""
