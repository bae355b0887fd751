"""NIC pairs by state for every class: a table of NICs, leaves or rails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.impact import Acts, Hit, Impact, Numbers, PairTable
from roce_lint.analysis.missing_switches import lack_of
from roce_lint.analysis.paths import End, Paths, Port
from roce_lint.analysis.result import Analysis, RoceClass
from roce_lint.engine.finding import Finding, Severity
from roce_lint.engine.reach import ports_reached, senders_of
from roce_lint.model.nic import Flow
from roce_lint.pipeline.placement import PageFindings, Placement, State
from roce_lint.text.names import compress, natural

if TYPE_CHECKING:
    from roce_lint.pipeline.report import Report

NICS = 32
"""Largest number of NICs with a row each."""

ROWS = 48
"""Largest number of rows."""

HOMES = 256
"""Largest number of leaves (or sets of leaves) for which pairs are counted."""

LACKS = 8
"""Largest number of unread switches named for a pair."""

NONE = "\N{EN DASH}"

NIC, EDGE = "NIC", "edge port"

_MARKS: dict[State, str] = {
    "broken": "\N{MULTIPLICATION SIGN}",
    "warned": "!",
    "unknown": "?",
    "holds": "\N{CHECK MARK}",
}


_WORDS: dict[State, str] = {
    "broken": "broken",
    "warned": "warning",
    "unknown": "unknown",
    "holds": "holds",
}


@dataclass(slots=True, frozen=True)
class Cell:
    """Pairs of one row and column: worst state, mark, and findings."""

    state: State | None  # None: no pair
    mark: str
    title: str
    findings: tuple[int, ...] = ()


@dataclass(slots=True)
class Matrix:
    """The pairs of one class."""

    name: str
    by: str  # kind of a row: NIC, edge port, leaf, unit, rail, network
    ends: str  # NICs or edge ports
    totals: dict[State, int]
    pairs: int
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def single(self) -> bool:
        """True if a cell is one pair."""
        return self.by in (NIC, EDGE)

    @property
    def bar(self) -> list[tuple[State, float, float]]:
        """States with their share of all pairs in percent: begin and width."""
        parts: list[tuple[State, float, float]] = []
        begin = 0.0
        for state, number in self.totals.items():
            if number:
                width = 100 * number / self.pairs
                parts.append((state, round(begin, 2), round(width, 2)))
                begin += width
        return parts


@dataclass(slots=True)
class _Fabric:
    """Common input of all tables."""

    report: Report
    analysis: Analysis
    paths: Paths
    impact: Impact
    page: PageFindings
    plan: Placement

    def acts(self, finding: Finding) -> Acts:
        """Packets affected by a finding."""
        if finding.acts is not None:
            return finding.acts
        page = self.report.rules.get(finding.rule)
        return page.head.acts if page is not None else "both"

    def hit(self, findings: Iterable[Finding]) -> Hit:
        """Parts of the paths that these findings affect."""
        return self.impact.hits(
            reached for f in findings for reached in ports_reached(f, self.acts(f), self.analysis)
        )


def matrices(
    report: Report, paths: Paths | None, page: PageFindings, plan: Placement
) -> list[Matrix]:
    """A table for every class sent by NICs with known links."""
    if report.analysis is None or paths is None or len(paths.ends) < 2:
        return []
    homes = {tuple(wire.leaf.device.hostname for wire in end.wires) for end in paths.ends}
    if len(homes) > HOMES:
        return [_matrix_without_counts(traffic) for traffic in report.analysis.classes]
    fabric = _Fabric(report, report.analysis, paths, Impact(paths), page, plan)
    return [made for traffic in report.analysis.classes if (made := _matrix(fabric, traffic))]


def _matrix(fabric: _Fabric, traffic: RoceClass) -> Matrix | None:
    ends = fabric.paths.ends
    senders = senders_of(traffic, fabric.analysis, ends)
    sending = [n for n, end in enumerate(ends) if senders is None or end in senders]
    if not sending:
        return None
    by, groups = _groups(fabric)
    chosen = set(sending)
    rows = [(name, [n for n in group if n in chosen]) for name, group in groups]
    rows = [(name, group) for name, group in rows if group]
    table = PairTable(fabric.impact, [g for _, g in rows], [g for _, g in groups])
    numbers = _numbers(fabric, traffic, table)
    noun = _noun(ends[0])
    made = Matrix(traffic.name, by, noun + "s", _empty(), sum(map(sum, numbers.all)))
    if not made.pairs:
        return None
    for state, counts in numbers.states():
        made.totals[state] = sum(map(sum, counts))
    rest = len(ends) - len(sending)
    if noun == EDGE:
        made.note = "No host with a link is known: a NIC is assumed behind every edge port."
        nodes = fabric.paths.nodes.values()
        if len(nodes) > 1 and not any(node.up or node.along for node in nodes):
            made.note += " No link between switches is known: pairs are those of one switch each."
    elif rest:
        made.note = f"{rest} of {len(ends)} NICs are configured to send other DSCPs."
    if len(groups) <= ROWS:
        made.columns = [name for name, _ in groups]
        causes = _causes(fabric, traffic, table) if made.single else {}
        lacks = _lacks(fabric, table) if made.single else {}
        made.rows = [
            (
                name,
                [
                    _cell(
                        numbers.of(r, c),
                        causes.get((r, c), ()),
                        lacks.get((r, c), ()),
                        single=made.single,
                    )
                    for c in range(len(groups))
                ],
            )
            for r, (name, _) in enumerate(rows)
        ]
    return made


def _matrix_without_counts(traffic: RoceClass) -> Matrix:
    made = Matrix(traffic.name, "", "", _empty(), 0)
    made.note = (
        f"More than {HOMES} leaves: no table is drawn. Every finding states the"
        " number of affected pairs; roce-lint trace follows one pair."
    )
    return made


def _empty() -> dict[State, int]:
    return {"broken": 0, "warned": 0, "unknown": 0, "holds": 0}


def _groups(fabric: _Fabric) -> tuple[str, list[tuple[str, list[int]]]]:
    """Rows: NICs if there are few, else leaves, else larger groups."""
    ends, plan = fabric.paths.ends, fabric.plan

    def leaves(n: int) -> tuple[str, ...]:
        return tuple(sorted({wire.leaf.device.hostname for wire in ends[n].wires}))

    def unit(n: int) -> int:
        return plan.unit.get(leaves(n)[0], 0)

    several = len({end.network for end in ends}) > 1

    def network(n: int) -> str:
        return f"network {ends[n].network + 1} " if several else ""

    order = sorted(
        range(len(ends)),
        key=lambda n: (
            ends[n].network,
            unit(n),
            plan.rail_of(ends[n]),
            natural(ends[n].device),
            natural(ends[n].nic),
        ),
    )
    if len(ends) <= NICS:
        return _noun(ends[0]), [(str(ends[n]), [n]) for n in order]
    ways: list[_Way] = [
        ("leaf", leaves, lambda n: "+".join(leaves(n))),
        *_coarse(fabric, unit, network),
    ]
    made: list[tuple[str, list[tuple[str, list[int]]]]] = []
    for by, key, name in ways:
        groups: dict[Hashable, tuple[str, list[int]]] = {}
        for n in order:
            groups.setdefault(key(n), (name(n), []))[1].append(n)
        made.append((by, list(groups.values())))
        if len(groups) <= ROWS:
            break
    return made[-1]


_Way = tuple[str, Callable[[int], Hashable], Callable[[int], str]]
"""Kind of a row, key of its NICs, and its name."""


def _coarse(
    fabric: _Fabric, unit: Callable[[int], int], network: Callable[[int], str]
) -> list[_Way]:
    """Rows for many leaves: rails if there are several, per unit or overall; else units."""
    ends, plan = fabric.paths.ends, fabric.plan
    rails = len({plan.rail_of(end) for end in ends}) > 1
    by_unit = "rail" if rails else "unit"

    def rail(n: int) -> str:
        return f" rail {plan.rail_of(ends[n])}" if rails else ""

    leaves: dict[int, set[str]] = defaultdict(set)
    for n, end in enumerate(ends):
        leaves[unit(n)] |= {wire.leaf.device.hostname for wire in end.wires}
    names = {number: compress(found, 2) for number, found in leaves.items()}

    def unit_name(n: int) -> str:
        return f"unit {unit(n)}{rail(n)}" if rails else names[unit(n)]

    return [
        (by_unit, lambda n: (ends[n].network, unit(n), plan.rail_of(ends[n])), unit_name),
        (
            "rail" if rails else "network",
            lambda n: (ends[n].network, plan.rail_of(ends[n])),
            lambda n: f"{network(n)}{rail(n)}".strip() or "all",
        ),
    ]


@dataclass(slots=True)
class _Numbers:
    """Pairs of every cell: all, broken, broken or unknown, and those or warned."""

    all: Numbers
    broken: Numbers
    unknown: Numbers
    warned: Numbers

    def of(self, row: int, column: int) -> dict[State, int]:
        """Pairs of one cell by state."""
        every, broken = self.all[row][column], self.broken[row][column]
        unknown, warned = self.unknown[row][column], self.warned[row][column]
        return {
            "broken": broken,
            "unknown": unknown - broken,
            "warned": warned - unknown,
            "holds": every - warned,
        }

    def states(self) -> Iterator[tuple[State, Numbers]]:
        """Pairs of all cells by state."""
        cells = [[self.of(r, c) for c in range(len(row))] for r, row in enumerate(self.all)]
        for state in _MARKS:
            yield state, [[cell[state] for cell in row] for row in cells]


def _numbers(fabric: _Fabric, traffic: RoceClass, table: PairTable) -> _Numbers:
    """Count pairs; a broken pair is broken whatever else is known of it."""
    own = [f for f in fabric.page.findings if _about(f, traffic, fabric.analysis)]
    errors = [f for f in own if f.severity is Severity.ERROR]
    warnings = [f for f in own if f.severity is Severity.WARNING]
    broken, gaps = fabric.hit(errors), fabric.impact.hits(_unknown(fabric, traffic))
    unknown = _both(broken, gaps)
    return _Numbers(
        table.all(),
        table.hit(broken),
        table.hit(unknown),
        table.hit(_both(unknown, fabric.hit(warnings))),
    )


def _both(one: Hit, other: Hit) -> Hit:
    over: dict[int, int] = defaultdict(int, one.over)
    for leaf, targets in other.over.items():
        over[leaf] |= targets
    return Hit(over, one.sends | other.sends, one.receives | other.receives)


def _about(finding: Finding, traffic: RoceClass, analysis: Analysis) -> bool:
    """True if a finding concerns a class. A finding without a class concerns data: full-size
    packets and lossless buffers do not matter to CNPs.
    """
    if finding.suppressed is not None:
        return False
    if not finding.traffic:
        return traffic.flow is not Flow.CNP
    return traffic in classes_by_name(finding.traffic, analysis.classes)


def _unknown(fabric: _Fabric, traffic: RoceClass) -> Iterator[tuple[Port, Acts]]:
    """Ports with a missing input for the treatment of the class, and ports to unread switches."""
    for key in fabric.analysis.absent:
        yield key, "both"
    for port in fabric.analysis.ports:
        treated = fabric.analysis.treat(port, traffic.dscps[0])
        if treated.ingress.missing:
            yield port.key, "arriving"
        elif treated.egress.missing and not port.device.is_host:
            yield port.key, "leaving"


def _causes(
    fabric: _Fabric, traffic: RoceClass, table: PairTable
) -> dict[tuple[int, int], list[int]]:
    """The findings that affect each cell."""
    causes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, finding in enumerate(fabric.page.findings):
        if finding.severity is Severity.INFO or not _about(finding, traffic, fabric.analysis):
            continue
        for r, row in enumerate(table.hit(fabric.hit([finding]))):
            for c, pairs in enumerate(row):
                if pairs:
                    causes[r, c].append(number)
    return causes


def _lacks(fabric: _Fabric, table: PairTable) -> dict[tuple[int, int], list[str]]:
    """Missing configurations of unread switches on the paths of each cell."""
    ports: dict[str, list[tuple[Port, Acts]]] = defaultdict(list)
    for key, neighbor in fabric.analysis.absent.items():
        ports[lack_of(neighbor.device)].append((key, "both"))
    lacks: dict[tuple[int, int], list[str]] = defaultdict(list)
    for lack in sorted(ports, key=natural)[:LACKS]:
        for r, row in enumerate(table.hit(fabric.impact.hits(ports[lack]))):
            for c, pairs in enumerate(row):
                if pairs:
                    lacks[r, c].append(lack)
    return lacks


def _cell(
    of: dict[State, int], causes: Iterable[int], lacks: Iterable[str], *, single: bool
) -> Cell:
    every = sum(of.values())
    if not every:
        return Cell(None, NONE, "no pair")
    state: State = next(s for s in ("broken", "unknown", "warned", "holds") if of[s])
    if single:
        words = _WORDS[state]
        if state == "unknown" and lacks:
            words += f": missing {', '.join(lacks)}"
        return Cell(state, _MARKS[state], words, tuple(causes))
    title = ", ".join(f"{number} {_WORDS[name]}" for name, number in of.items() if number)
    if state != "broken" or of["broken"] == every:
        return Cell(state, _MARKS[state], f"{title} of {every}")
    percent = min(max(round(100 * of["broken"] / every), 1), 99)
    return Cell(state, str(percent), f"{title} of {every}")


def _noun(end: End) -> str:
    """Noun for ends: NICs, or edge ports if no host is known."""
    return NIC if end.wires[0].host is not None else EDGE
