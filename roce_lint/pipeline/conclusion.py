"""Verdict of a report, recomputed when findings are accepted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roce_lint.analysis.paths import Port
from roce_lint.analysis.protection import marked_and_not_paused
from roce_lint.analysis.result import PfcDesign
from roce_lint.analysis.routes import route_faults
from roce_lint.analysis.scope import wires
from roce_lint.analysis.unread import ports_left_open
from roce_lint.engine.conclusion import conclude, some
from roce_lint.loading.load import NOTHING
from roce_lint.model.units import ranges
from roce_lint.pipeline.inputs import UNTRUSTED_PLAN
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.model.device import Device
    from roce_lint.pipeline.report import Report


def conclude_report(report: Report) -> Report:
    """The same report, with its verdict and the pairs that each fix alone repairs.

    Call it again after findings of a report were suppressed.
    """
    if report.analysis is None:
        return report
    report.findings, report.verdict = conclude(
        report.findings,
        report.unknowns,
        report.analysis,
        report.rules,
        report.severities,
        dict(_missing(report)),
    )
    return report


def _missing(report: Report) -> Iterator[tuple[str, set[Port]]]:
    """Inputs missing for a proof besides the unknowns of rules, with the ports they leave open."""
    analysis = report.analysis
    devices = analysis.fabric.devices.values() if analysis is not None else ()
    incomplete = [entry for entry in report.diagnostics if entry.incomplete]
    files = sorted({entry.device or entry.file for entry in incomplete if entry.kind != NOTHING})
    if files:
        owns = ((each, {each.hostname, *(ref.name for ref in each.src.files)}) for each in devices)
        cut = (each for each, own in owns if not own.isdisjoint(files))
        yield f"{some(files)} (unreadable or incomplete)", _ports(analysis, cut)
    if not report.devices:
        yield "a configuration (none was recognised)", set()
    if report.left_out:
        yield f"{count(report.left_out, 'rule')} (deselected)", set()
    if report.part:
        yield "the other devices (only some were selected)", set()
    if analysis is not None and report.devices:
        left = {(d.hostname, name) for d in devices if d.unread for name in ports_left_open(d)}
        if ports := left & analysis.index().keys():
            names = some(sorted({device for device, _ in ports}))
            yield f"unrecognised QoS lines of {names}", ports
        if unset := analysis.unset_nics:
            names = some(sorted(f"{device.hostname} {nic.name}" for device, nic in unset))
            keys = {(device.hostname, wire) for device, nic in unset for wire in wires(device, nic)}
            yield f"the RoCE settings of {names}", keys & analysis.index().keys()
        yield from _without_routes(analysis)
        yield from ((words, set[Port]()) for words in _gaps(report, analysis))


def _without_routes(analysis: Analysis) -> Iterator[tuple[str, set[Port]]]:
    """BGP sessions that do not come up, hosts without a route, and switches that do not route, with
    their ports.
    """
    ports: dict[str, set[Port]] = defaultdict(set)
    for each in route_faults(analysis):
        ends = [device.hostname for device in (each.device, each.other) if device is not None]
        words = f"a route to the hosts of {' at '.join(ends)}"
        if each.family:
            words = f"{each.family} routing on {ends[0]}"
        if each.stated is not None:
            both = " and ".join(sorted(ends))
            words = f"the BGP session of {both} (contradicting lines)"
        ports[words].update(each.ports)
    yield from ports.items()


def _ports(analysis: Analysis | None, devices: Iterable[Device]) -> set[Port]:
    """The judged ports of devices."""
    names = {device.hostname for device in devices}
    return {key for key in (analysis.index() if analysis is not None else ()) if key[0] in names}


def _gaps(report: Report, analysis: Analysis) -> Iterator[str]:
    if not analysis.ports:
        yield "a port known to carry RoCE (see roce-lint show)"
        return
    if not analysis.data_classes:
        yield "the DSCP of RoCE: no host states it, and no class is lossless"
    for traffic in analysis.data_classes:
        designs = {mode.pfc for (name, _), mode in analysis.modes.items() if name == traffic.name}
        if traffic.assumed and designs == {PfcDesign.NOWHERE}:
            yield f"a host that sends {traffic.name}, which is inferred from ECN marking only"
        if traffic.sides:
            codes = " or ".join(ranges(side) for side in traffic.sides)
            yield f"the RoCE class (DSCP {codes}): as many switches protect each"
        marked = marked_and_not_paused(analysis) if traffic.by_default else []
        if marked:
            yield (
                f"a host that sends {traffic.name}, which only the platform's default protects: "
                f"DSCP {ranges(marked)} is configured with ECN marking and without PFC"
            )
    if any(device.is_host for device in analysis.fabric.devices.values()):
        return
    switches = {port.device.hostname for port in analysis.ports}
    linked = {
        end.device.hostname
        for link in analysis.fabric.links
        if link.a.device is not link.b.device
        for end in (link.a, link.b)
    }
    bare = {device.hostname for device, _ in analysis.loose}
    for name in sorted(bare - switches):
        yield f"the role of {name} for RoCE: it classifies the DSCP, but protects nothing"
    alone = sorted(switches - linked)
    if alone and len(switches) > 1:
        aside = any(each.reason == UNTRUSTED_PLAN for each in report.skipped)
        source = "--links links.yaml" if aside else "LLDP output or links.yaml"
        yield f"the links of {some(alone)} to the others (provide {source})"
    elif alone and not analysis.absent:
        yield f"the peers of {alone[0]}: the folder has no host and no other switch"
