"""Contents of the HTML page: lists, and findings with message, evidence and an example path."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.walk import Hop
from roce_lint.engine.finding import Certainty, Finding, PathHop, Suppression
from roce_lint.pipeline import Report
from roce_lint.pipeline.diagnosis import Diagnoses, ports_at, walk_path
from roce_lint.pipeline.gaps import collect_gaps
from roce_lint.pipeline.placement import PageFindings
from roce_lint.pipeline.treatment import NONE, UNKNOWN, row_of
from roce_lint.report import summary
from roce_lint.report.blocks import ALL, at, place_text, remark_on
from roce_lint.report.html.diagram import UNREAD_LABEL, Drawing
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options
from roce_lint.report.wording import (
    address,
    crowd,
    excerpt,
    fix_lines,
    fix_text,
    one_line,
    reach_of,
    spell_finding,
    verified_fixes,
)
from roce_lint.text.names import compress, natural
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

# Lists.

DEVICES = 1500
"""Largest number of listed devices; those with findings come first."""

LINES = 3
"""Evidence lines shown per class."""


@dataclass(slots=True, frozen=True)
class PlaceView:
    """A place as shown on the page."""

    at: str
    text: str
    remark: str
    role: str


def place_view(place: Location, places: Places) -> PlaceView:
    """A place with the text of its line."""
    return PlaceView(at(place, places), excerpt(place), remark_on(place), place.role)


def classes(report: Report, places: Places) -> list[dict[str, Any]]:
    """Classes with their evidence and design mode."""
    return [
        {
            "name": one_line(traffic.name),
            "flow": traffic.flow,
            "basis": summary.basis(traffic),
            "modes": [one_line(mode) for mode in traffic.modes],
            "lines": [
                place_view(place, places) for place in known_places(traffic.locations)[:LINES]
            ],
            "more": max(len(known_places(traffic.locations)) - LINES, 0),
        }
        for traffic in report.classes
    ]


def gaps(report: Report) -> list[dict[str, Any]]:
    """Missing inputs with the rules that require them."""
    return [
        {"breadth": gap.breadth, "missing": gap.name, "rules": sorted(gap.rules)}
        for gap in collect_gaps(report)
    ]


def devices(report: Report, page: PageFindings) -> dict[str, Any]:
    """Devices, those with findings first, and the number not listed."""
    rows: list[dict[str, Any]] = []
    for device in report.devices:
        counts = page.count(page.on_device.get(device.name, ()))
        rows.append(
            {
                "name": one_line(device.name),
                "role": device.role or "",
                "nos": device.nos,
                "files": len(device.files),
                "file": one_line(device.files[0]) if device.files else "",
                "unrecognised": device.lines.get("unrecognised", 0),
                "counts": counts,
                "findings": sorted(set(page.on_device.get(device.name, ()))),
            }
        )
    rows.sort(key=lambda r: (-r["counts"]["error"], -r["counts"]["warning"], natural(r["name"])))
    return {"rows": rows[:DEVICES], "left_out": max(len(rows) - DEVICES, 0)}


def files(report: Report, places: Places) -> list[dict[str, str]]:
    """Remarks about files; those that make the answer incomplete come first."""
    remarks = [
        {
            "kind": one_line(item.kind),
            "text": summary.diagnostic(item, places).text,
            "tone": "error" if item.incomplete else "info",
        }
        for item in sorted(report.diagnostics, key=lambda item: not item.incomplete)
    ]
    if report.unrecognised_lines:
        lines = count(report.unrecognised_lines, "line was", "lines were")
        text = f"{lines} not recognised (roce-lint show lists them)"
        remarks.append({"kind": "unrecognised", "text": text, "tone": "info"})
    if report.skipped:
        text = summary.skipped_files(report, places, whole=True)
        remarks.append({"kind": "skipped", "text": text, "tone": "info"})
    return remarks


# Entries of findings.

PATHS = 400
"""Findings whose path is shown in full; for others the command that prints it."""

PLACES = 8
"""Lines shown per kind: causes and evidence of one finding."""

HOP_LINES = 4
"""Deciding lines shown per hop."""

_FACTS = (
    ("tc", "class"),
    ("pg", "group"),
    ("sent", "PFC sent"),
    ("obeyed", "PFC honoured"),
    ("queue", "queue"),
    ("share", "share"),
    ("ecn", "ECN marking"),
)
_ARRIVING = ("pg", "sent")
_LEAVING = ("obeyed", "queue", "share", "ecn")
_DECIDING = ("tc", "sent", "ecn", "obeyed")
_UNFIT = re.compile(r"[^0-9A-Za-z]+")


@dataclass(slots=True, frozen=True)
class Step:
    """One hop of a path: device, treatment of the packet, and deciding lines."""

    number: int
    device: str
    ports: str
    role: str
    dscp: str
    facts: list[tuple[str, str]]
    lines: list[PlaceView]
    here: bool
    missing: str  # input required to decide


class Entries:
    """Builds entries, and collects the rules, classes and devices for filters."""

    def __init__(
        self, report: Report, options: Options, places: Places, page: PageFindings, drawn: Drawing
    ) -> None:
        self._report = report
        self._options = options
        self._places = places
        self._drawn = drawn
        analysis, excerpts = report.analysis, report.excerpts
        self._diagnosed = Diagnoses(report, analysis, excerpts) if analysis and excerpts else None
        self._roles = {device.name: device.role for device in report.devices}
        findings = page.findings
        self.rules = {f.rule: one_line(f.name) for f in findings}
        self.classes = sorted({one_line(f.traffic) for f in findings if f.traffic})
        names = {o.device for f in findings for o in f.occurrences if o.device}
        ordered = sorted(names, key=lambda name: (natural(name), name))
        self.devices = [one_line(name) for name in ordered]
        self._numbers = {name: number for number, name in enumerate(ordered)}

    def cause(self, finding: Finding) -> dict[str, str]:
        """A finding in the order of repair, with the link to its entry."""
        page = self._report.rules.get(finding.rule)
        fault = f"{one_line(finding.device)}: {page.title}" if page is not None else ""
        name = f"{finding.rule} {place_text(finding, self._places)}"
        return {"id": entry_id(finding), "name": name, "fault": fault, "fix": fix_text(finding)}

    def of(self, number: int, finding: Finding) -> dict[str, Any]:
        """The entry of one finding."""
        devices = [occurrence.device for occurrence in finding.occurrences]
        page = self._report.rules.get(finding.rule)
        traffic, path = self._walk(finding)
        along = [hop.device for hop in path]
        lines, more = self._lines(finding)
        return {
            "number": number,
            "id": entry_id(finding),
            "severity": finding.severity.label,
            "rule": finding.rule,
            "name": one_line(finding.name),
            "title": one_line(page.title) if page is not None else "",
            "link": self._link(finding),
            "message": one_line(finding.message).rstrip("."),
            "consequence": one_line(finding.consequence).rstrip("."),
            "where": place_text(finding, self._places),
            "breadth": self._breadth(finding),
            "pairs": (finding.pairs.hit, finding.pairs.all) if finding.pairs else None,
            "reach": reach_of(finding.pairs) if finding.pairs else "",
            "low": finding.confidence is Certainty.LOW,
            "traffic": one_line(finding.traffic),
            "devices": [self._numbers[name] for name in dict.fromkeys(devices) if name],
            "lines": lines,
            "more": more,
            "notes": [one_line(note) for note in finding.notes],
            "also": ", ".join(finding.also),
            "fix": fix_text(finding),
            "commands": fix_lines(finding, limit=ALL),
            "verified": verified_fixes(finding),
            "help": finding.help,
            "shown_for": "" if traffic == finding.traffic else one_line(traffic),
            "trace": _command(path, traffic),
            "steps": list(self._steps(path, traffic)) if number < PATHS else [],
            "nodes": self._drawn.nodes_along(along) or self._drawn.nodes_along(devices),
            "edges": self._drawn.edges_along(along),
        }

    def acceptance(self, finding: Finding, mark: Suppression) -> dict[str, str]:
        """A suppressed finding, and the reason."""
        return {
            "severity": finding.severity.label,
            "rule": finding.rule,
            "text": spell_finding(finding),
            "where": place_text(finding, self._places),
            "by": mark.by,
            "reason": one_line(mark.reason),
            "expires": mark.expires or "",
        }

    def _walk(self, finding: Finding) -> tuple[str, tuple[PathHop, ...]]:
        """Class and path shown for a finding; if it names no class, the data class that most hosts
        send.
        """
        analysis, path = self._report.analysis, finding.path
        if analysis is None or not path or path[0].dscp is not None or not analysis.data_classes:
            return finding.traffic, path
        traffic = max(analysis.data_classes, key=lambda c: c.senders)
        hops = zip(path, walk_path(analysis, path, traffic.dscps[0]), strict=True)
        return traffic.name, tuple(replace(at, dscp=packet.dscp) for at, (packet, _) in hops)

    def _link(self, finding: Finding) -> str:
        """Web address of the rule page, if the site publishes it."""
        page = self._report.rules.get(finding.rule)
        return address(self._options.help_url, page) if page is not None else ""

    def _breadth(self, finding: Finding) -> str:
        devices = [occurrence.device for occurrence in finding.occurrences]
        if len(devices) > 1:
            who = one_line(compress(devices))
            ports = f", {count(finding.ports, 'port')}" if finding.ports > len(devices) else ""
            return f"{crowd(devices, self._roles)}: {who}{ports}"
        if len(finding.subjects) > 1:
            ports = count(len(finding.subjects), "port")
            return f"{ports} of {one_line(finding.device)}: {one_line(compress(finding.subjects))}"
        return one_line(" ".join((finding.device, *finding.subjects)))

    def _lines(self, finding: Finding) -> tuple[list[PlaceView], str]:
        """Causes of the first devices, then the evidence of the first; and how many are left."""
        ordered = sorted(finding.occurrences, key=lambda o: o.device != finding.device)
        causes = [p for o in ordered for p in known_places(o.locations) if p.role == "cause"]
        evidence = [p for p in known_places(ordered[0].locations) if p.role != "cause"]
        shown = [*causes[:PLACES], *evidence[:PLACES]]
        left = len(causes) + len(evidence) - len(shown)
        views = [place_view(place, self._places) for place in shown]
        return views, count(left, "more line") if left else ""

    def _broken_stages(self, at: PathHop, traffic: str) -> list[tuple[str, str]]:
        """Broken stages on the ports of a hop, for packets in this direction."""
        if self._diagnosed is None or not traffic:
            return []
        found = (each for each in self._diagnosed.along(at, traffic) if each.rules)
        stages = dict.fromkeys(f"{each.stage} ({', '.join(each.rules)})" for each in found)
        return [("broken", ", ".join(stages))] if stages else []

    def _steps(self, path: tuple[PathHop, ...], traffic: str) -> Iterator[Step]:
        analysis = self._report.analysis
        first = path[0].dscp if path else None
        known: list[Hop | None] = [None] * len(path)
        if analysis is not None and first is not None:
            known = [walked for _, walked in walk_path(analysis, path, first)]
        for number, (hop, walked) in enumerate(zip(path, known, strict=True), 1):
            ports = " \N{RIGHTWARDS ARROW} ".join(p for p in (hop.into, hop.out) if p)
            own = [hop.place] if hop.place is not None and hop.place.file else []
            facts, places = self._facts(analysis, hop, walked) if analysis else ([], [])
            facts += self._broken_stages(hop, traffic)
            stated = {(place.file, place.line) for place in own}
            others = [p for p in places if p.file and (p.file, p.line) not in stated]
            yield Step(
                number,
                one_line(hop.device),
                one_line(ports),
                UNREAD_LABEL if hop.missing else self._roles.get(hop.device) or "",
                str(hop.dscp) if hop.dscp is not None else UNKNOWN if walked is not None else "",
                facts,
                [place_view(place, self._places) for place in (*own, *others)[:HOP_LINES]],
                hop.here,
                one_line(hop.missing),
            )

    def _facts(
        self, analysis: Analysis, at: PathHop, hop: Hop | None
    ) -> tuple[list[tuple[str, str]], list[Location]]:
        """Treatment of the packet at a hop, and the deciding lines."""
        excerpts = self._report.excerpts
        into, out = ports_at(analysis, at)
        if excerpts is None or (into is None and out is None):
            return [], []
        mtu = _mtu(into, out)
        if hop is None:
            return mtu, []
        cells = row_of(hop.treated, hop.dscp, excerpts).cells
        shown = _shown_columns(hop)
        facts = [
            (label, one_line(cells[name].text))
            for name, label in _FACTS
            if name in shown and cells[name].text != NONE
        ]
        facts += mtu
        if hop.dscp_out != hop.dscp:
            facts.append(("DSCP out", UNKNOWN if hop.dscp_out is None else str(hop.dscp_out)))
        deciding = [cells[name] for name in _DECIDING if name in shown]
        first = [
            place
            for cell in deciding
            if cell.text != NONE
            for place in [each for each in cell.places if each.line][:1]
        ]
        return facts, list(dict.fromkeys(first))


def _shown_columns(hop: Hop) -> set[str]:
    """Columns that apply to a hop: a sending NIC receives nothing."""
    shown = {name for name, _ in _FACTS}
    if hop.into is None:
        shown -= set(_ARRIVING)
    if hop.out is None:
        shown -= set(_LEAVING)
    if hop.device.is_host:
        shown.discard("ecn")
    return shown


def _mtu(*ports: JudgedPort | None) -> list[tuple[str, str]]:
    sizes = [str(p.interface.ip_mtu) for p in ports if p is not None and p.interface.ip_mtu]
    text = " \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(sizes))
    return [("MTU", text)] if text else []


def _command(path: tuple[PathHop, ...], traffic: str) -> str:
    if not path:
        return ""
    first, last = path[0], path[-1]
    source = _word(first.device, first.into or first.out)
    target = _word(last.device, last.out or last.into)
    of = f" --class {shlex.quote(one_line(traffic))}" if traffic else ""
    return f"roce-lint trace PATH --from {source} --to {target}{of}"


def _word(device: str, port: str | None) -> str:
    """HOST:PORT quoted for a shell: the command is made to be copied."""
    return shlex.quote(one_line(f"{device}:{port}" if port else device))


def entry_id(finding: Finding) -> str:
    """The anchor of a finding's entry."""
    return "f-" + _UNFIT.sub("-", finding.fingerprint)
