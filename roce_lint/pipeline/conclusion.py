"""What a run comes to: its verdict, made of the report, and anew when findings are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roce_lint.analysis.protection import marked_and_not_paused
from roce_lint.analysis.reachability import Port
from roce_lint.analysis.result import PfcDesign
from roce_lint.analysis.structures import unread_qos_lines
from roce_lint.engine.conclusion import conclude, some
from roce_lint.loading.load import NOTHING
from roce_lint.model.units import ranges

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
        if ports := _ports(analysis, (d for d in devices if unread_qos_lines(d))):
            names = some(sorted({device for device, _ in ports}))
            yield f"what lines about QoS of {names} mean, which were not understood", ports
        yield from ((words, set[Port]()) for words in _gaps(analysis))


def _ports(analysis: Analysis | None, devices: Iterable[Device]) -> set[Port]:
    """The judged ports of devices."""
    names = {device.hostname for device in devices}
    return {key for key in (analysis.index() if analysis is not None else ()) if key[0] in names}


def _gaps(analysis: Analysis) -> Iterator[str]:
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
        yield f"how {some(alone)} are linked to the others (a links.yaml or LLDP output tells)"
    elif alone and not analysis.absent:
        yield f"what {alone[0]} is linked to: neither a host nor another switch is in the folder"
