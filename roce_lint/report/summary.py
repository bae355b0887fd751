"""Head and tail of a text report: classes and design mode, missing inputs and verdict."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.finding import Answer, Diagnostic, Finding, Severity
from roce_lint.model.units import ranges
from roce_lint.pipeline import ClassSummary, Report
from roce_lint.pipeline.gaps import collect_gaps, no_class_reason
from roce_lint.report.blocks import at, devices_in, list_places, place_text
from roce_lint.report.layout import EMPTY, Line, Piece, Style, line
from roce_lint.report.places import Places, known_places, place_of
from roce_lint.report.selection import Options
from roce_lint.report.wording import (
    ALWAYS,
    AUDITED,
    best_repair,
    clean,
    crowd,
    extent,
    one_line,
    repair_text,
    severities,
    verdict,
)
from roce_lint.text.names import compress
from roce_lint.text.numbers import count

CLASS_LINES = 3
"""Evidence lines shown per traffic class."""

MANY = 10
"""Number of findings above which the head lists those with the largest impact."""

WIDEST = 5

SKIPPED = 5
"""Skipped files named without -v."""

DIAGNOSTICS = 20
"""Remarks about files listed without -v."""

_BASIS = {
    "plan": "required by the plan",
    "inferred": "no host states its DSCP; inferred from the lossless classes of the switches",
    "marked": "no host states its DSCP; inferred from ECN marking only (no PFC)",
}


def head(report: Report, options: Options) -> Iterator[Line]:
    """Classes and design mode; with many findings, those with the largest impact.

    On a terminal without findings, only the classes, in two lines.
    """
    active = [finding for finding in report.findings if finding.suppressed is None]
    if options.terminal and not options.verbose and not active and report.classes:
        yield from _classes_in_short(report)
        return
    yield from classes(report, options)
    if len(active) > MANY:
        yield EMPTY
        yield from _widest(active, report, Places(report.base, options.cwd))


def _classes_in_short(report: Report) -> Iterator[Line]:
    """One line per class, at most two; -v shows the lines each was derived from."""
    rest = len(report.classes) - 2
    for number, traffic in enumerate(report.classes[:2]):
        modes = "".join(f"; {one_line(mode)}" for mode in traffic.modes[:1])
        more = (
            f"; and {count(rest, 'more class', 'more classes')} (-v)" if number and rest > 0 else ""
        )
        yield line((one_line(traffic.name), "strong"), f": {basis(traffic)}{modes}{more}")


def classes(report: Report, options: Options) -> Iterator[Line]:
    """RoCE classes with their evidence lines, and the design mode."""
    places = Places(report.base, options.cwd)
    for traffic in report.classes:
        yield line((one_line(traffic.name), "strong"), f": {basis(traffic)}")
        for mode in traffic.modes:
            yield line(one_line(mode), indent=4)
        yield from list_places(known_places(traffic.locations)[:CLASS_LINES], places, indent=4)
    if report.devices and not any(traffic.flow == "data" for traffic in report.classes):
        yield from _no_class(report, places)


def _no_class(report: Report, places: Places) -> Iterator[Line]:
    """Reason why no class was found: how the switches classify, if they protect any traffic."""
    analysis, excerpts = report.analysis, report.excerpts
    yield line(no_class_reason(analysis))
    if analysis is not None and excerpts is not None:
        lines = [excerpts.locate(w, "evidence") for at in analysis.tagged.values() for w in at]
        yield from list_places(known_places(lines)[:CLASS_LINES], places, indent=4)


def basis(traffic: ClassSummary) -> str:
    """Evidence for a class, in words."""
    if traffic.basis == "stated":
        return f"set on {count(traffic.senders, 'host')}"
    words = _BASIS.get("marked" if traffic.marked else traffic.basis, traffic.basis)
    having, switches = traffic.backed
    if switches:
        words += f" ({having} of {count(switches, 'switch', 'switches')})"
    if traffic.sides:
        sides = " and ".join(f"DSCP {ranges(list(side))}" for side in traffic.sides)
        words += f"; as many switches have {sides}" + (f" ({traffic.tie})" if traffic.tie else "")
    return words


def _widest(findings: list[Finding], report: Report, places: Places) -> Iterator[Line]:
    roles = {device.name: device.role for device in report.devices}
    on = crowd(devices_in(findings), roles)
    yield line(f"{len(findings)} root causes on {on}. Largest impact:")
    ranked = sorted(findings, key=reach, reverse=True)[:WIDEST]
    broken = [_pairs_text(finding) for finding in ranked]
    breadths = [_breadth(finding, roles) for finding in ranked]
    width, gap = max(map(len, breadths)), max(map(len, broken))
    for finding, pairs, breadth in zip(ranked, broken, breadths, strict=True):
        style: Piece = (finding.rule, "rule")
        words = f"{pairs:<{gap}}  {breadth:<{width}}" if gap else f"{breadth:<{width}}"
        yield line(style, f"  {words}  ", (place_text(finding, places), "place"), indent=4)


def reach(finding: Finding) -> tuple[int, int, int]:
    """Impact of a finding as a sort key: pairs of NICs, then ports, then severity."""
    grave = finding.severity is Severity.ERROR
    pairs = finding.pairs.hit if finding.pairs is not None and grave else 0
    return pairs, finding.ports, finding.severity


def _pairs_text(finding: Finding) -> str:
    """`384 of 462 pairs`; empty if it breaks none."""
    pairs = reach(finding)[0]
    return f"{pairs} of {count(finding.pairs.all, 'pair')}" if pairs and finding.pairs else ""


def _breadth(finding: Finding, roles: dict[str, str | None]) -> str:
    """Ports and devices of a finding; devices only if it names no port."""
    ports = f"{count(finding.ports, 'port')} on " if finding.ports else ""
    return ports + crowd([occurrence.device for occurrence in finding.occurrences], roles)


def tail(report: Report, options: Options, *, remark: str = "") -> Iterator[Line]:
    """Missing inputs, remarks about files, and the verdict.

    The verdict comes last: a terminal shows the end of a report.
    """
    gaps = list(missing(report, options))
    if gaps:
        yield line("Not checked, because input is missing:")
        yield from gaps
    files = [*about_files(report, options), *_files(report, options)]
    yield from files
    if gaps or files:
        yield EMPTY
    if remark:
        yield line(remark)
    yield from _loads(report)
    rules = [f.rule for f in report.findings if f.suppressed is None]
    if rules:
        yield line("Details and fix: ", (f"roce-lint explain {rules[0]}", "strong"))
    yield line((severities(report), "strong"), f" in {extent(report)}")
    yield from _repair(report, Places(report.base, options.cwd))
    answer = report.verdict.answer
    words, _, rest = verdict(report.verdict).partition(":")
    hint = answer is Answer.NOT_PROVED and options.passed
    yield line((f"{words}:", _STYLES[answer]), rest, f" ({REQUIRE})" if hint else "")


REQUIRE = "exit status 0; with --require ready this fails"

STEPS = 10
"""Listed steps of the order of repair."""

_STYLES: dict[Answer, Style] = {
    Answer.READY: "good",
    Answer.NOT_READY: "error",
    Answer.NOT_PROVED: "warning",
}


def _repair(report: Report, places: Places) -> Iterator[Line]:
    """Best order of fixes, and the fewest that repair nearly all pairs."""
    found = report.verdict
    if len(found.order) > 1:
        yield line(f"Fix these first (cumulative pairs repaired, of {found.broken:,} broken):")
    for number, step in enumerate(found.order[:STEPS] if len(found.order) > 1 else (), start=1):
        (finding,) = step.findings
        place = place_of(finding)
        where = f" {at(place, places)}" if place is not None else ""
        title = report.rules[finding.rule].title
        words = f"{one_line(finding.device)}: {title} ({finding.rule}{where})"
        yield line(f"{number:>3}. {step.pairs:>7,}  {words}")
    if len(found.order) > STEPS:
        yield line(f"     and {len(found.order) - STEPS} more until all are repaired")
    repair = best_repair(found)
    if repair is not None:
        named = ", ".join(f"{each.rule} {one_line(each.device)}" for each in repair.findings)
        yield line(f"{repair_text(repair, found)}: {named}")


def _loads(report: Report) -> Iterator[Line]:
    """Oversubscription by tier."""
    tiers: dict[str, list[float]] = {}
    for device in report.devices:
        if device.role is not None and device.oversubscription is not None:
            tiers.setdefault(device.role, []).append(device.oversubscription)
    texts = [f"{role} {_span(ratios)}" for role, ratios in sorted(tiers.items())]
    if texts:
        yield line(f"Oversubscription (downlinks : uplinks): {', '.join(texts)}")


def _span(ratios: list[float]) -> str:
    low, high = f"{min(ratios):.3g}:1", f"{max(ratios):.3g}:1"
    return low if low == high else f"{low} to {high}"


def missing(report: Report, options: Options) -> Iterator[Line]:
    """The same, one line per input; without hosts, inputs that only they provide are left out."""
    for gap in collect_gaps(report):
        if gap.of_hosts and report.verdict.assumed and not options.all_gaps:
            continue
        rules = ", ".join(sorted(gap.rules))
        yield line(
            f"{gap.breadth}: {one_line(gap.name)}: ", (f"needed for {rules}", "dim"), indent=4
        )


def unknowns(report: Report, options: Options) -> Iterator[Line]:
    """Every unknown place (--show-unknown), formatted like findings."""
    places = Places(report.base, options.cwd)
    for unknown in report.unknowns:
        found = known_places(unknown.locations)
        who = one_line(f"{unknown.device} {compress(unknown.subjects)}")
        yield line(
            (at(found[0], places) if found else one_line(unknown.device) or "the fabric", "place"),
            ": ",
            ("unknown", "info"),
            (f" {unknown.rule}", "rule"),
            f": {one_line(unknown.missing)}",
            (f" [{who}]" if who else "", "dim"),
        )


def _files(report: Report, options: Options) -> Iterator[Line]:
    remarks = []
    if report.unrecognised_lines:
        lines = count(report.unrecognised_lines, "line was", "lines were")
        remarks.append(f"{lines} not recognised (roce-lint show lists them)")
    if report.skipped and not options.verbose:
        remarks.append(skipped_files(report, Places(report.base, options.cwd)))
    if remarks:
        yield line("; ".join(remarks))
    if options.verbose:
        places = Places(report.base, options.cwd)
        for each in report.skipped:
            name = one_line(places.name(each.file))
            yield line((name, "place"), f": not read as configuration: {one_line(each.reason)}")


def skipped_files(report: Report, places: Places, *, whole: bool = False) -> str:
    """`2 files not read as configuration: a.md, b.txt`; only the first few of many."""
    names = [one_line(places.name(each.file)) for each in report.skipped]
    text = f"{count(len(names), 'file')} not read as configuration"
    listed = ", ".join(names if whole else names[:SKIPPED])
    more = "" if whole or len(names) <= SKIPPED else f" and {len(names) - SKIPPED} more (-v)"
    return f"{text}: {listed}{more}"


def about_files(report: Report, options: Options) -> Iterator[Line]:
    """Remarks about files; those that make the answer incomplete come first."""
    places = Places(report.base, options.cwd)
    remarks = (item for item in report.diagnostics if item.kind not in AUDITED)
    ordered = sorted(remarks, key=_rank)
    if report.incomplete:
        why = ":" if any(item.incomplete for item in ordered) else "; see the entries above."
        yield line((f"The answer is incomplete{why}", "error"))
    first = [item for item in ordered if item.kind in ALWAYS]
    others = [item for item in ordered if item.kind not in ALWAYS][
        : max(DIAGNOSTICS - len(first), 1)
    ]
    shown = ordered if options.verbose else sorted([*others, *first], key=_rank)
    for item in shown:
        indent = 4 if item.incomplete else 0
        yield diagnostic(item, places, indent=indent)
        if options.verbose:
            for text in clean(item.detail).splitlines():
                yield line((text, "dim"), indent=indent + 4, hang=4)
    if len(shown) < len(ordered):
        yield line(f"and {len(ordered) - len(shown)} more about files (-v lists all)")


def _rank(item: Diagnostic) -> int:
    if item.incomplete:
        return 0
    return 1 if item.kind in ALWAYS else 2


def diagnostic(item: Diagnostic, places: Places, *, indent: int = 0) -> Line:
    """One diagnostic, formatted like a finding: `file:line: kind: message`."""
    name = one_line(places.name(item.file))
    where = f"{name}:{item.line}" if item.line else name
    pieces: list[str | Piece] = [(where, "place"), ": "] if where else []
    return line(*pieces, f"{item.kind}: {one_line(item.message)}", indent=indent)
