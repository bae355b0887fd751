"""Text report: compiler style, plain or coloured for a terminal, with statistics per rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO

from roce_lint.engine.finding import Finding
from roce_lint.pipeline import Report
from roce_lint.report import summary
from roce_lint.report.blocks import Blocks, Near, devices_in, style_of
from roce_lint.report.layout import EMPTY, Line, line, plain
from roce_lint.report.places import Places
from roce_lint.report.selection import Options, SelectedFindings, choose
from roce_lint.report.wording import AUDITED, crowd, one_line
from roce_lint.text.names import compress
from roce_lint.text.numbers import count


def statistics(report: Report, roles: dict[str, str | None]) -> Iterator[Line]:
    """Causes, ports and devices of every rule with findings that are not suppressed."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.suppressed is None:
            by_rule.setdefault(finding.rule, []).append(finding)
    ordered = sorted(
        by_rule.values(),
        key=lambda group: (max(f.severity for f in group), len(group), group[0].rule),
    )
    causes = max((len(group) for group in ordered), default=0)
    for group in ordered:
        worst = max(group, key=lambda finding: finding.severity)
        ports = sum(finding.ports for finding in group)
        yield line(
            f"{len(group):>{len(str(causes))}}  ",
            (f"{worst.severity.label:<7}", style_of(worst)),
            (f"  {group[0].rule}", "rule"),
            f" {group[0].name}: {count(ports, 'port')} on {crowd(devices_in(group), roles)}",
        )


_COLORS = {
    "place": "bold",
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "good": "bold green",
    "rule": "bold",
    "name": "",
    "dim": "dim",
    "code": "cyan",
    "strong": "bold",
    "": "",
}


HANGING = 4
"""Indentation of continuation lines, if the line itself has none."""


@dataclass(slots=True, frozen=True)
class Parts:
    """The three parts of a text report: on a command line only findings go to standard output."""

    head: list[Line]
    findings: list[Line]
    tail: list[Line]


def render(report: Report, options: Options) -> str:
    """The whole report."""
    divided = parts(report, options)
    blocks = [block for block in (divided.head, divided.findings, divided.tail) if block]
    return paint([item for block in blocks for item in (*block, EMPTY)][:-1], options)


def parts(report: Report, options: Options) -> Parts:
    """The report as lines."""
    chosen = choose(report.findings, options.max_findings, suppressed=options.verbose)
    if options.terminal:
        chosen.shown.sort(key=lambda finding: (finding.severity, summary.reach(finding)))
    return Parts(
        list(summary.head(report, options)),
        list(_findings(report, chosen, options)),
        list(summary.tail(report, options, remark=chosen.remark)),
    )


def paint(lines: Iterable[Line], options: Options) -> str:
    """The lines as text, folded and coloured for a terminal."""
    if not (options.color or options.terminal):
        return plain(lines)
    from rich.console import Console  # noqa: PLC0415  (a terminal only; files and pipes stay plain)
    from rich.text import Text  # noqa: PLC0415

    out = StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard" if options.color else None,
        width=options.width,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for item in lines:
        text = Text.assemble(*((piece, _COLORS[style]) for piece, style in item.pieces))
        text.rstrip()
        rest = item.indent + (item.hang or (0 if item.indent else HANGING))
        width = max(options.width - rest, HANGING)
        whole = text.cell_len + item.indent <= options.width
        for number, part in enumerate([text] if whole else text.wrap(console, width)):
            part.rstrip()
            indent = rest if number else item.indent
            console.print(Text(" " * indent) + part, soft_wrap=True)
    return out.getvalue()


def _findings(report: Report, chosen: SelectedFindings, options: Options) -> Iterator[Line]:
    roles = {device.name: device.role for device in report.devices}
    blocks = Blocks(
        Places(report.base, options.cwd),
        roles,
        verbose=options.verbose,
        near=Near(report.excerpts, report.base, options.cwd, options.width)
        if options.terminal
        else None,
    )
    if options.statistics:
        yield from statistics(report, roles)
        return
    grouped = {"cause": _by_cause, "rule": _by_rule, "device": _by_device}[options.group_by]
    for number, group in enumerate(grouped(chosen.shown, blocks)):
        if number:
            yield EMPTY
        yield from group
    audited = [item for item in report.diagnostics if item.kind in AUDITED]
    if chosen.shown and audited:
        yield EMPTY
    for item in audited:
        yield summary.diagnostic(item, blocks.places)
    if options.show_unknown and report.unknowns:
        if chosen.shown or audited:
            yield EMPTY
        yield from summary.unknowns(report, options)


def _by_cause(findings: list[Finding], blocks: Blocks) -> Iterator[list[Line]]:
    for finding in findings:
        yield list(blocks.whole(finding))


def _by_rule(findings: list[Finding], blocks: Blocks) -> Iterator[list[Line]]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, group in sorted(by_rule.items()):
        text = f": {count(len(group), 'cause')} on {crowd(devices_in(group), blocks.roles)}"
        yield [line((f"{rule} {group[0].name}", "strong"), text)]
        for finding in group:
            yield list(blocks.whole(finding))


def _by_device(findings: list[Finding], blocks: Blocks) -> Iterator[list[Line]]:
    for device in devices_in(findings):
        here = [(f, o) for f in findings for o in f.occurrences if o.device == device]
        role = blocks.roles.get(device)
        title = f"{one_line(device)} ({role})" if role else one_line(device) or "the fabric"
        subjects = [subject for _, occurrence in here for subject in occurrence.subjects]
        on = f" on {compress(map(one_line, subjects))}" if subjects else ""
        yield [line((title, "strong"), f": {count(len(here), 'finding')}{on}")]
        for finding, occurrence in here:
            yield list(blocks.on_device(finding, occurrence))
