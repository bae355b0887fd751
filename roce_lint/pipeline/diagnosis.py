"""What is broken for a class on a port, with the rules that say so: for `show`, `trace`, pages.

All of them read the diagnosis that the rules read: what one shows broken the other finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roce_lint.analysis.diagnosis import Fault, diagnose
from roce_lint.analysis.stages import Acts

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
    from roce_lint.engine.finding import Finding
    from roce_lint.pipeline.report import Report
    from roce_lint.text.excerpts import Excerpts
    from roce_lint.text.source import Location


@dataclass(slots=True, frozen=True)
class BrokenStage:
    """A broken stage of a class on a port.

    `rules` are those that tell it, by themselves or within another finding; none where the rule
    was not asked. `accepted` is True where nothing counts of what they tell. `follows` is True
    where an earlier stage is broken of which it is the consequence.
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
    def untold(self) -> bool:
        """True where it breaks the class, and no rule says so."""
        return self.loses and not self.rules and not self.follows


class Diagnoses:
    """The broken stages of a run, with what the findings tell of them."""

    def __init__(self, report: Report, analysis: Analysis, excerpts: Excerpts) -> None:
        self._analysis = analysis
        self._excerpts = excerpts
        self._told: dict[tuple[str, str, str], list[tuple[str, str, bool]]] = defaultdict(list)
        for finding in report.findings:
            self._note(finding)

    def _note(self, finding: Finding) -> None:
        for stood in finding.stages:
            key = (stood.device, stood.port, stood.stage.words)
            told = (stood.traffic, stood.rule, finding.suppressed is None)
            self._told[key].append(told)

    def at_hop(
        self, traffic: RoceClass, into: JudgedPort | None, out: JudgedPort | None
    ) -> Iterator[BrokenStage]:
        """What is broken for packets of a class that arrive by one port and leave by another.

        What the port they leave by does to packets that arrive there is nothing to them.
        """
        if into is not None:
            yield from self.of_port(traffic, into, ("arriving",))
        if out is not None:
            leaving = self.of_port(traffic, out, ("leaving",))
            yield from (each for each in leaving if not each.follows)

    def of_port(
        self, traffic: RoceClass, port: JudgedPort, wanted: Iterable[Acts] = ("arriving", "leaving")
    ) -> Iterator[BrokenStage]:
        """What is broken for a class on a port, of the packets that arrive, leave, or both."""
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
        told = [
            (rule, counts)
            for name, rule, counts in self._told.get(key, ())
            if name in ("", traffic.name)
        ]
        places = (w for w in broken.where if w.position)
        rests = broken.where[:1] if broken.rests_on is None else broken.rests_on
        sure = broken.demanded and all(place.confirmed for place in rests)
        return BrokenStage(
            traffic.name,
            str(port),
            broken.stage.words,
            broken.says,
            tuple(dict.fromkeys(self._excerpts.locate(w, "cause") for w in places)),
            tuple(sorted({rule for rule, _ in told})),
            accepted=bool(told) and not any(counts for _, counts in told),
            follows=follows,
            loses=broken.stage.loses and sure,
        )
