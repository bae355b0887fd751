"""Findings about CNPs, placed at the switches or at the hosts that send them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from roce_lint.analysis.diagnosis import Fault, diagnose
from roce_lint.analysis.diagnosis.sending import marked_as
from roce_lint.analysis.protection import codes_named_alone
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Given, Outcome, Problem, outcomes
from roce_lint.model.nic import Certainty, Flow


def at_odd_senders(
    given: Given, traffic: RoceClass, stage: Stage, harm: str | Callable[[Fault], str]
) -> Iterator[Outcome]:
    """Outcomes of a stage of a CNP class at switch ports, with the line that sends it; at the
    sending hosts instead of the switches, where those differ from most hosts.
    """
    analysis = given.analysis

    def at(port: JudgedPort) -> Iterable[Outcome]:
        if port.device.is_host:
            return ()  # NICs schedule their own CNPs
        return outcomes(diagnose(analysis, traffic, port), stage, harm)

    found = [outcome for _, outcome in over_kinds(analysis, at)]
    problem = next((outcome for outcome in found if isinstance(outcome, Problem)), None)
    senders = [
        (device, emission)
        for device in given.fabric.devices.values()
        for emission in device.emits
        if emission.flow is Flow.CNP and emission.certainty is Certainty.STATED
        if emission.dscp in traffic.dscps
    ]
    usual = _in_step(analysis, traffic)
    if problem is None or usual is None:
        lines = [emission.where("dscp", emission.by) for _, emission in senders[:1]]
        for outcome in found:
            outcome.at = [*outcome.at, *lines] if isinstance(outcome, Problem) else outcome.at
            yield outcome
        return
    others = "another host" if usual.senders == 1 else f"{usual.senders} hosts"
    for device, emission in senders:
        yield Problem(
            f"{device.hostname} sends CNPs with DSCP {emission.dscp}, "
            f"{others} with DSCP {usual.dscps[0]}; {problem.message}",
            problem.consequence,
            [emission.where("dscp", emission.by), *problem.at],
            device.hostname,
            emission.nics,
            value=str(emission.dscp),
            traffic=traffic.name,
            severity=problem.severity,
            rests_on=problem.rests_on,
            acts="leaving",
            changes=marked_as(device, emission, usual.dscps[0]) if len(usual.dscps) == 1 else (),
        )


def _in_step(analysis: Analysis, traffic: RoceClass) -> RoceClass | None:
    """CNP class that most hosts send; of two that equally many send, the one that most switches
    name, where no switch names the other. None where that is the given one, or undecided.
    """
    usual = max(analysis.cnp_classes, key=lambda each: each.senders)
    if usual.senders > traffic.senders:
        return usual
    ports = [(port, count) for port, count in analysis.kinds if not port.device.is_host]
    votes = Counter[int]()
    for port, count in ports:
        votes.update(dict.fromkeys(codes_named_alone(analysis, port), count))
    if any(votes[dscp] for dscp in traffic.dscps):
        return None
    rivals = (each for each in analysis.cnp_classes if each.senders == traffic.senders)
    most = sum(count for _, count in ports) / 2
    return next((c for c in rivals if max(votes[dscp] for dscp in c.dscps) > most), None)
