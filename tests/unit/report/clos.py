"""Made fabrics with findings on chosen ports, for what the page draws and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roce_lint.engine.finding import Certainty, Finding, Occurrence, Severity
from roce_lint.engine.page import RulePage
from roce_lint.engine.reach import with_pairs
from roce_lint.model.device import Role
from roce_lint.pipeline import ClassSummary, Report
from roce_lint.pipeline.conclusion import conclude_report
from roce_lint.text.excerpts import Excerpts
from tests.unit.fabric import Ends, analysed, host, port, switch
from tests.unit.report.sample import MTU001, NIC003, PFC002, device, place
from tests.unit.report.sample import report as sample

CLASS = "RoCE DSCP 26"

Place = tuple[str, str, Severity]  # device, port, how grave


def built(
    *,
    spines: int = 2,
    leaves: int = 4,
    hosts: int = 4,
    rails: int = 2,
    pods: int = 1,
    links: bool = True,
    faults: Iterable[Place] = (),
    unread: tuple[str, str] | None = None,
    prefix: str = "",
) -> Report:
    """Pods of leaves and spines; host n of a pod has NIC r on leaf r of its group of rails.

    There are `spines`, `leaves` and `hosts` in every pod. A fault is of PFC002;
    nothing is known about the QoS of the `unread` port. Every name begins with the `prefix`.
    """
    switches, machines = [], []
    cables: list[Ends] = []
    for pod in range(pods):
        tops = [switch(f"{prefix}spine{pod}-{n}", role=Role.SPINE) for n in range(spines)]
        lows = [switch(f"{prefix}leaf{pod}-{n}", role=Role.LEAF) for n in range(leaves)]
        switches += [*tops, *lows]
        for low, leaf in enumerate(lows):
            for top, spine in enumerate(tops):
                port(leaf, f"Up{top}")
                port(spine, f"Down{low}")
                cables.append(((leaf, f"Up{top}"), (spine, f"Down{low}")))
        for number in range(hosts):
            names = [f"eth{rail}" for rail in range(rails)]
            machine = host(f"{prefix}host{pod}-{number}", *names, sends=26, pauses=(3,), mtu=4200)
            machines.append(machine)
            for rail in range(rails):
                leaf = lows[(number * rails + rail) % leaves]
                port(leaf, f"Host{number}-{rail}")
                cables.append(((machine, f"eth{rail}"), (leaf, f"Host{number}-{rail}")))
    for each in switches:
        if unread is not None and each.hostname == unread[0]:
            each.interfaces[unread[1]].qos = None
    analysis = analysed(*switches, *machines, links=cables if links else ())
    excerpts = Excerpts()
    findings = [_fault(number, *each) for number, each in enumerate(faults)]
    rules = {page.id: page for page in (MTU001, NIC003, PFC002)}
    made = replace(
        sample(),
        findings=with_pairs(findings, analysis, list(rules.values()), excerpts),
        unknowns=[],
        diagnostics=[],
        devices=[
            device(each.hostname, each.role.value if each.role else None)
            for each in analysis.fabric.devices.values()
        ],
        classes=[
            ClassSummary(c.name, c.flow.value, c.dscps, c.basis.value, c.senders, (), ())
            for c in analysis.classes
        ],
        links=len(analysis.fabric.links),
        judged_ports=len(analysis.ports),
        rules=rules,
        skipped=[],
        fabric=analysis.fabric,
        analysis=analysis,
        excerpts=excerpts,
    )
    return conclude_report(made)


def _fault(number: int, name: str, at: str, severity: Severity) -> Finding:
    page: RulePage = PFC002
    return Finding(
        rule=page.id,
        name="pause-not-honoured",
        severity=severity,
        confidence=Certainty.HIGH,
        message=f"{name} {at} does not obey pause of priority 3",
        consequence="its peer is overrun",
        occurrences=(
            Occurrence(
                name, (at,), (place(f"{name}.cfg", number + 1, "priority-flow-control off"),)
            ),
        ),
        fingerprint=f"{number:032x}",
        help="roce-lint explain PFC002",
        traffic=CLASS,
    )
