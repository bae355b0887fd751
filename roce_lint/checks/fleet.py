"""What is set for many hosts at once, against what the fabric does: jobs and cluster policies."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, Unknown, device_check
from roce_lint.model.nic import Certainty, Emission, Flow
from roce_lint.model.units import DSCPS, ranges


@device_check("fleet.marks_outside_lossless")
def marks_outside_lossless(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A job marks its data with a code point that most of the fabric does not protect."""
    analysis = given.analysis
    if not device.fleet or _all_forced(analysis):
        return
    for emission in device.emits:
        if emission.flow is not Flow.DATA or emission.certainty is not Certainty.STATED:
            continue
        if not emission.dscp and any(nic.own_dscp for _, nic in analysis.roce_nics):
            continue  # the adapters mark what asks for nothing
        for network in sorted({port.network for port in analysis.switch_ports()}):
            yield from _stray(analysis, device, emission, network)


def _all_forced(analysis: Analysis) -> bool:
    """Whether every adapter here overrules what applications ask for."""
    nics = [nic for _, nic in analysis.roce_nics]
    return bool(nics) and all(nic.traffic_class is not None for nic in nics)


def _stray(
    analysis: Analysis, device: Device, emission: Emission, network: int
) -> Iterator[Outcome]:
    mine = analysis.protected(network, emission.dscp)
    lossless = {dscp for dscp in DSCPS if analysis.protected(network, dscp)}
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
def policy_nowhere_applied(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy sets PFC for adapters, and no adapter here has it so."""
    if not device.fleet:
        return
    live = [
        (port, port.interface.qos.pfc)
        for port in given.analysis.host_ports()
        if port.interface.qos is not None and port.interface.qos.pfc is not None
    ]
    known = [(port, pfc) for port, pfc in live if pfc.generate is not None]
    if not known:
        return
    for policy in device.interfaces.values():
        pfc = policy.qos.pfc if policy.qos is not None else None
        if pfc is None or pfc.generate is None:
            continue
        if any(other.generate == pfc.generate for _, other in known):
            continue
        wanted = ranges(pfc.generate) or "none"
        port, other = known[0]
        found = ranges(other.generate or frozenset()) or "none"
        yield Problem(
            f"{device.hostname}: {policy.name} sets PFC for priority {wanted}, no host here has it "
            f"so: {port} has {found}",
            "the policy was never applied here, or something else sets the adapters afterwards",
            [pfc.where("generate"), other.where("generate")],
            device.hostname,
            (policy.name,),
            value=f"{policy.name}: {wanted}",
        )
