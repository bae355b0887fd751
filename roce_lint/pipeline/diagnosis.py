"""Broken stages of a class on a port, with the rules that report them: for `show`, `trace`, pages.

They read the diagnosis that the rules read, so that all agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.diagnosis import Fault, diagnose
from roce_lint.analysis.overlay import Packet
from roce_lint.analysis.stages import Acts
from roce_lint.analysis.walk import Hop, hop_of

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
    from roce_lint.engine.finding import Finding, PathHop
    from roce_lint.pipeline.report import Report
    from roce_lint.text.excerpts import Excerpts
    from roce_lint.text.source import Location


@dataclass(slots=True, frozen=True)
class BrokenStage:
    """A broken stage of a class on a port.

    `rules` report it, directly or within another finding; none where the rule was deselected.
    `accepted`: nothing that they report counts. `follows`: an earlier broken stage is the cause.
    """

    traffic: str
    port: str
    stage: str
    says: str
    places: tuple[Location, ...]
    rules: tuple[str, ...]
    accepted: bool
    follows: bool
    loses: bool

    @property
    def unreported(self) -> bool:
        """Whether it breaks the class and no rule reports it."""
        return self.loses and not self.rules and not self.follows


class Diagnoses:
    """Broken stages of a run, with the findings that report them."""

    def __init__(self, report: Report, analysis: Analysis, excerpts: Excerpts) -> None:
        self._analysis = analysis
        self._excerpts = excerpts
        self._reports: dict[tuple[str, str, str], list[tuple[str, str, bool]]] = defaultdict(list)
        for finding in report.findings:
            self._note(finding)

    def _note(self, finding: Finding) -> None:
        for stood in finding.stages:
            key = (stood.device, stood.port, stood.stage.words)
            report = (stood.traffic, stood.rule, finding.suppressed is None)
            self._reports[key].append(report)

    def at_hop(
        self, traffic: RoceClass, into: JudgedPort | None, out: JudgedPort | None
    ) -> Iterator[BrokenStage]:
        """Broken stages for packets of a class that arrive by one port and leave by another.

        Treatment of arriving packets on the leaving port does not apply to them.
        """
        if into is not None:
            yield from self.of_port(traffic, into, ("arriving",))
        if out is not None:
            leaving = self.of_port(traffic, out, ("leaving",))
            yield from (each for each in leaving if not each.follows)

    def along(self, at: PathHop, traffic: str) -> Iterator[BrokenStage]:
        """Broken stages at a hop of a finding's path, for the classes of a name."""
        into, out = ports_at(self._analysis, at)
        for one in classes_by_name(traffic, self._analysis.classes):
            yield from self.at_hop(one, into, out)

    def of_port(
        self, traffic: RoceClass, port: JudgedPort, wanted: Iterable[Acts] = ("arriving", "leaving")
    ) -> Iterator[BrokenStage]:
        """Broken stages of a class on a port for packets that arrive, leave, or both."""
        diagnosis = diagnose(self._analysis, traffic, port)
        broken = diagnosis.faults()
        causes = {id(cause) for cause in diagnosis.causes()}
        sides = {"both", *wanted}
        for each in broken:
            if (each.acts or each.stage.acts) in sides:
                yield self._stage(traffic, port, each, follows=id(each) not in causes)

    def _stage(
        self, traffic: RoceClass, port: JudgedPort, broken: Fault, *, follows: bool
    ) -> BrokenStage:
        key = (port.device.hostname, port.interface.name, broken.stage.words)
        reports = [
            (rule, counts)
            for name, rule, counts in self._reports.get(key, ())
            if name in ("", traffic.name)
        ]
        places = (w for w in broken.where if w.position)
        rests = broken.where[:1] if broken.rests_on is None else broken.rests_on
        sure = broken.demanded and all(place.confirmed for place in rests)
        return BrokenStage(
            traffic.name,
            str(port),
            broken.stage.words,
            broken.predicate,
            tuple(dict.fromkeys(self._excerpts.locate(w, "cause") for w in places)),
            tuple(sorted({rule for rule, _ in reports})),
            accepted=bool(reports) and not any(counts for _, counts in reports),
            follows=follows,
            loses=broken.stage.loses and sure,
        )


def walk_path(
    analysis: Analysis, path: tuple[PathHop, ...], dscp: int
) -> Iterator[tuple[Packet, Hop | None]]:
    """The packet as it arrives at each device of a path, and its treatment there."""
    packet = Packet(dscp)
    for at in path:
        into, out = ports_at(analysis, at)
        if into is None and out is None:
            yield packet, None
            continue
        hop = hop_of(analysis, into, out, packet)
        yield packet, hop
        packet = hop.onward


def ports_at(analysis: Analysis, hop: PathHop) -> tuple[JudgedPort | None, JudgedPort | None]:
    """The arriving and the leaving port of a hop."""
    into, out = (analysis.port(hop.device, name) if name else None for name in (hop.into, hop.out))
    return into, out
