"""What a run comes to: its verdict, made of the report, and anew when findings are accepted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roce_lint.analysis.protection import marked_and_not_paused
from roce_lint.analysis.reachability import Port
from roce_lint.analysis.result import PfcDesign
from roce_lint.analysis.routes import route_faults
from roce_lint.analysis.unread import ports_left_open
from roce_lint.engine.conclusion import conclude, some
from roce_lint.loading.load import NOTHING
from roce_lint.model.units import ranges
from roce_lint.pipeline.inputs import UNTRUSTED_PLAN

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.model.device import Device
    from roce_lint.pipeline.report import Report


def conclude_report(report: Report) -> Report:
    """The same report, with its verdict and with what mending each finding alone repairs.

    Whoever suppresses findings of a report calls it again.
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
    """What is missing for a proof besides the unknowns of rules, and the ports that it opens."""
    analysis = report.analysis
    devices = analysis.fabric.devices.values() if analysis is not None else ()
    incomplete = [entry for entry in report.diagnostics if entry.incomplete]
    files = sorted({entry.device or entry.file for entry in incomplete if entry.kind != NOTHING})
    if files:
        owns = ((each, {each.hostname, *(ref.name for ref in each.src.files)}) for each in devices)
        cut = (each for each, own in owns if not own.isdisjoint(files))
        yield f"what could not be read or judged of {some(files)}", _ports(analysis, cut)
    if not report.devices:
        yield "a configuration: none was recognised", set()
    if report.left_out:
        rules = "rule that was" if report.left_out == 1 else "rules that were"
        yield f"the answer of {report.left_out} {rules} not asked", set()
    if report.part:
        yield "the other devices: only some were asked for", set()
    if analysis is not None and report.devices:
        left = {(d.hostname, name) for d in devices if d.unread for name in ports_left_open(d)}
        if ports := left & analysis.index().keys():
            names = some(sorted({device for device, _ in ports}))
            yield f"what lines about QoS of {names} mean, which were not understood", ports
        yield from _without_routes(analysis)
        yield from ((words, set[Port]()) for words in _gaps(report, analysis))


def _without_routes(analysis: Analysis) -> Iterator[tuple[str, set[Port]]]:
    """Sessions of BGP that do not come up, and hosts that nobody announces, with their ports."""
    ports: dict[str, set[Port]] = defaultdict(set)
    for each in route_faults(analysis):
        ends = [device.hostname for device in (each.device, each.other) if device is not None]
        words = f"a route to the hosts of {' at '.join(ends)}"
        if each.stated is not None:
            both = " and ".join(sorted(ends))
            words = f"the BGP session of {both}, whose lines contradict each other"
        ports[words].update(each.ports)
    yield from ports.items()


def _ports(analysis: Analysis | None, devices: Iterable[Device]) -> set[Port]:
    """The judged ports of devices."""
    names = {device.hostname for device in devices}
    return {key for key in (analysis.index() if analysis is not None else ()) if key[0] in names}


def _gaps(report: Report, analysis: Analysis) -> Iterator[str]:
    if not analysis.ports:
        yield "a port that is known to carry RoCE (roce-lint show tells why none is)"
        return
    if not analysis.data_classes:
        yield "which packets are RoCE: no host states it, and nothing is protected from loss"
    for traffic in analysis.data_classes:
        designs = {mode.pfc for (name, _), mode in analysis.modes.items() if name == traffic.name}
        if traffic.assumed and designs == {PfcDesign.NOWHERE}:
            yield f"a host that sends {traffic.name}: it is taken from what is marked alone"
        if traffic.sides:
            codes = " or ".join(ranges(side) for side in traffic.sides)
            yield f"which code point is RoCE, DSCP {codes}: as many switches protect each"
        marked = marked_and_not_paused(analysis) if traffic.by_default else []
        if marked:
            yield (
                f"a host that sends {traffic.name}, which the platform's default alone protects: "
                f"lines name DSCP {ranges(marked)}, its queue marks, and nothing pauses it"
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
        yield f"whether {name} carries RoCE: it tells its code point apart, and protects nothing"
    alone = sorted(switches - linked)
    if alone and len(switches) > 1:
        aside = any(each.reason == UNTRUSTED_PLAN for each in report.skipped)
        tells = "--links links.yaml" if aside else "a links.yaml or LLDP output"
        yield f"how {some(alone)} are linked to the others ({tells} tells)"
    elif alone and not analysis.absent:
        yield f"what {alone[0]} is linked to: neither a host nor another switch is in the folder"
