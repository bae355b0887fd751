"""One finding as the page lists it: what is said, the lines that say so, and a path through it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.overlay import Packet
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.walk import Hop, hop_of
from roce_lint.engine.finding import Certainty, Finding, PathHop
from roce_lint.pipeline.diagnosis import Diagnoses
from roce_lint.report.addresses import address
from roce_lint.report.html.diagram import UNREAD_LABEL, Drawing
from roce_lint.report.html.lists import PlaceView, place_view
from roce_lint.report.html.severity import PageFindings
from roce_lint.report.names import compress, natural
from roce_lint.report.options import Options
from roce_lint.report.places import Places, known_places, place_of
from roce_lint.report.treatment import NONE, UNKNOWN, Cell, row_of
from roce_lint.report.wording import crowd, one_line, put_right, reach_of, spell_finding
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

PATHS = 400
"""Findings whose path is written out; of the others the command that prints it is shown."""

PLACES = 8
"""Lines shown of a kind: causes and evidence of one finding."""

HOP_LINES = 4
"""Lines shown that decide at one hop."""

_FACTS = (
    ("tc", "class"),
    ("pg", "group"),
    ("sent", "pause sent"),
    ("obeyed", "pause obeyed"),
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
    """One hop of a path: the device, what it does to the packet, and the lines that decide."""

    number: int
    device: str
    ports: str
    role: str
    dscp: str
    facts: list[tuple[str, str]]
    lines: list[PlaceView]
    here: bool
    missing: str  # what would tell what happens there


class Entries:
    """Makes entries, and remembers the rules, classes and devices that can be filtered by."""

    def __init__(
        self,
        report: Report,
        options: Options,
        places: Places,
        standing: PageFindings,
        drawn: Drawing,
    ) -> None:
        self._report = report
        self._options = options
        self._places = places
        self._drawn = drawn
        analysis, excerpts = report.analysis, report.excerpts
        self._diagnosed = Diagnoses(report, analysis, excerpts) if analysis and excerpts else None
        self._roles = {device.name: device.role for device in report.devices}
        findings = standing.findings
        self.rules = {f.rule: one_line(f.name) for f in findings}
        self.classes = sorted({one_line(f.traffic) for f in findings if f.traffic})
        names = {o.device for f in findings for o in f.occurrences if o.device}
        ordered = sorted(names, key=lambda name: (natural(name), name))
        self.devices = [one_line(name) for name in ordered]
        self._numbers = {name: number for number, name in enumerate(ordered)}

    def cause(self, finding: Finding) -> dict[str, str]:
        """A finding as the verdict names it, with the entry that it leads to."""
        place = place_of(finding)
        where = place_view(place, self._places).at if place else one_line(finding.device)
        page = self._report.rules.get(finding.rule)
        fault = f"{one_line(finding.device)}: {page.title}" if page is not None else ""
        return {"id": entry_id(finding), "name": f"{finding.rule} {where}", "fault": fault}

    def of(self, number: int, finding: Finding) -> dict[str, Any]:
        """The entry of one finding."""
        place = place_of(finding)
        devices = [occurrence.device for occurrence in finding.occurrences]
        page = self._report.rules.get(finding.rule)
        traffic, path = self._walk(finding)
        along = [hop.device for hop in path]
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
            "where": place_view(place, self._places).at if place else one_line(finding.device),
            "breadth": self._breadth(finding),
            "pairs": (finding.pairs.hit, finding.pairs.all) if finding.pairs else None,
            "reach": reach_of(finding.pairs) if finding.pairs else "",
            "low": finding.confidence is Certainty.LOW,
            "traffic": one_line(finding.traffic),
            "devices": [self._numbers[name] for name in dict.fromkeys(devices) if name],
            "lines": list(self._lines(finding)),
            "more": self._more(finding),
            "notes": [one_line(note) for note in finding.notes],
            "also": ", ".join(finding.also),
            "fix": put_right(finding),
            "help": finding.help,
            "shown_for": "" if traffic == finding.traffic else one_line(traffic),
            "trace": _command(path, traffic),
            "steps": list(self._steps(path, traffic)) if number < PATHS else [],
            "nodes": self._drawn.nodes_along(along) or self._drawn.nodes_along(devices),
            "edges": self._drawn.edges_along(along),
        }

    def acceptance(self, finding: Finding) -> dict[str, str]:
        """A finding that does not count, and why."""
        mark = finding.suppressed
        place = place_of(finding)
        if mark is None:
            raise ValueError("the finding is not suppressed")
        return {
            "severity": finding.severity.label,
            "rule": finding.rule,
            "said": spell_finding(finding),
            "where": place_view(place, self._places).at if place else one_line(finding.device),
            "by": mark.by,
            "reason": one_line(mark.reason),
            "expires": mark.expires or "",
        }

    def _walk(self, finding: Finding) -> tuple[str, tuple[PathHop, ...]]:
        """The class that is shown on its path, and the path: that of the finding, or where it is
        about none, the data class that most hosts send.
        """
        analysis, path = self._report.analysis, finding.path
        if analysis is None or not path or path[0].dscp is not None or not analysis.data_classes:
            return finding.traffic, path
        traffic = max(analysis.data_classes, key=lambda c: c.senders)
        walked = _along(analysis, path, traffic.dscps[0])
        hops = zip(path, walked, strict=True)
        return traffic.name, tuple(replace(at, dscp=packet.dscp) for at, (packet, _) in hops)

    def _link(self, finding: Finding) -> str:
        """Where the site publishes the page of the rule, if it does so on the web."""
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

    def _lines(self, finding: Finding) -> Iterator[PlaceView]:
        """Causes of the first devices, then the evidence of the first."""
        ordered = sorted(finding.occurrences, key=lambda o: o.device != finding.device)
        causes = [p for o in ordered for p in known_places(o.locations) if p.role == "cause"]
        evidence = [p for p in known_places(ordered[0].locations) if p.role != "cause"]
        for place in (*causes[:PLACES], *evidence[:PLACES]):
            yield place_view(place, self._places)

    def _more(self, finding: Finding) -> str:
        total = sum(
            1
            for o in finding.occurrences
            for place in known_places(o.locations)
            if place.role == "cause" or o.device == finding.device
        )
        listed = sum(1 for _ in self._lines(finding))
        return count(total - listed, "more line") if total > listed else ""

    def _broken_stages(
        self, analysis: Analysis, at: PathHop, traffic: str
    ) -> list[tuple[str, str]]:
        """What the diagnosis says of the ports of a hop, of the packets that go this way."""
        if self._diagnosed is None or not traffic:
            return []
        into, out = _ports(analysis, at)
        found = [
            each
            for one in classes_by_name(traffic, analysis.classes)
            for each in self._diagnosed.at_hop(one, into, out)
        ]
        told = (f"{each.stage} ({', '.join(each.rules)})" for each in found if each.rules)
        return [("broken", ", ".join(dict.fromkeys(told)))] if any(e.rules for e in found) else []

    def _steps(self, path: tuple[PathHop, ...], traffic: str) -> Iterator[Step]:
        analysis = self._report.analysis
        first = path[0].dscp if path else None
        known: list[Hop | None] = [None] * len(path)
        if analysis is not None and first is not None:
            known = [walked for _, walked in _along(analysis, path, first)]
        for number, (hop, walked) in enumerate(zip(path, known, strict=True), 1):
            ports = " \N{RIGHTWARDS ARROW} ".join(p for p in (hop.into, hop.out) if p)
            own = [hop.place] if hop.place is not None and hop.place.file else []
            facts, places = self._facts(analysis, hop, walked) if analysis else ([], [])
            facts += self._broken_stages(analysis, hop, traffic) if analysis else []
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
        """What is done to the packet at a hop, and the lines that decide."""
        excerpts = self._report.excerpts
        into, out = _ports(analysis, at)
        if excerpts is None or (into is None and out is None):
            return [], []
        mtu = _mtu(into, out)
        if hop is None:
            return mtu, []
        cells = row_of(hop.treated, hop.dscp, excerpts).cells
        wanted = _columns_wanted(hop)
        facts = [
            (label, one_line(cells[name].text))
            for name, label in _FACTS
            if name in wanted and cells[name].text != NONE
        ]
        facts += mtu
        if hop.dscp_out != hop.dscp:
            facts.append(("code point out", UNKNOWN if hop.dscp_out is None else str(hop.dscp_out)))
        deciding = [cells[name] for name in _DECIDING if name in wanted]
        return facts, list(dict.fromkeys(place for cell in deciding for place in _first(cell)))


def _along(
    analysis: Analysis, path: tuple[PathHop, ...], dscp: int
) -> Iterator[tuple[Packet, Hop | None]]:
    """The packet as it gets to every device of a path, and what is done to it there."""
    packet = Packet(dscp)
    for at in path:
        into, out = _ports(analysis, at)
        if into is None and out is None:
            yield packet, None
            continue
        hop = hop_of(analysis, into, out, packet)
        yield packet, hop
        packet = hop.onward


def _columns_wanted(hop: Hop) -> set[str]:
    """The columns that say something about a hop: a NIC that sends receives nothing."""
    wanted = {name for name, _ in _FACTS}
    if hop.into is None:
        wanted -= set(_ARRIVING)
    if hop.out is None:
        wanted -= set(_LEAVING)
    if hop.device.is_host:
        wanted.discard("ecn")
    return wanted


def _first(cell: Cell) -> list[Location]:
    return [] if cell.text == NONE else [place for place in cell.places if place.line][:1]


def _mtu(*ports: JudgedPort | None) -> list[tuple[str, str]]:
    sizes = [str(p.interface.ip_mtu) for p in ports if p is not None and p.interface.ip_mtu]
    text = " \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(sizes))
    return [("MTU", text)] if text else []


def _ports(analysis: Analysis, hop: PathHop) -> tuple[JudgedPort | None, JudgedPort | None]:
    """The arriving and the leaving port of a hop."""
    into, out = (analysis.port(hop.device, name) if name else None for name in (hop.into, hop.out))
    return into, out


def _command(path: tuple[PathHop, ...], traffic: str) -> str:
    """The command that follows a class between the ends of a path."""
    if not path:
        return ""
    first, last = path[0], path[-1]
    ends = (
        f"--from {_word(first.device, first.into or first.out)}",
        f"--to {_word(last.device, last.out or last.into)}",
    )
    of = f" --class {shlex.quote(one_line(traffic))}" if traffic else ""
    return f"roce-lint trace PATH {' '.join(ends)}{of}"


def _word(device: str, port: str | None) -> str:
    """HOST:PORT as a shell takes it: the command is made to be copied, and names may be odd."""
    return shlex.quote(one_line(f"{device}:{port}" if port else device))


def entry_id(finding: Finding) -> str:
    """The anchor of a finding's entry."""
    return "f-" + _UNFIT.sub("-", finding.fingerprint)
