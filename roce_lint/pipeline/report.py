"""The answer of a run: the only thing reporters read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roce_lint.engine.verdict import Verdict
from roce_lint.text.source import LineState, Location

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.engine.finding import Diagnostic, Finding, Severity, SkippedFile, UnknownGroup
    from roce_lint.engine.page import RulePage
    from roce_lint.model.fabric import Fabric
    from roce_lint.text.excerpts import Excerpts


@dataclass(slots=True)
class DeviceSummary:
    """One device as the report lists it; `lines` counts lines (leaves of trees) by state."""

    name: str
    nos: str
    role: str | None
    files: tuple[str, ...]
    lines: dict[str, int]
    oversubscription: float | None = None
    """Gb/s that can come in from below for each of uplinks; None where that is not known."""


@dataclass(slots=True)
class ClassSummary:
    """A traffic class that was judged, who says so, and its design mode per network."""

    name: str
    flow: str
    dscps: tuple[int, ...]
    basis: str
    senders: int
    locations: tuple[Location, ...]
    modes: tuple[str, ...]
    backed: tuple[int, int] = (0, 0)
    """Where it is assumed: of the switches in its networks, how many protect it, and all."""
    marked: bool = False  # assumed from what is marked, as nothing is paused
    sides: tuple[tuple[int, ...], ...] = ()
    """Code points of which as many switches have one as have the other."""
    tie: str = ""


@dataclass(slots=True)
class Report:
    """The answer of one run."""

    findings: list[Finding]
    unknowns: list[UnknownGroup]
    diagnostics: list[Diagnostic]
    devices: list[DeviceSummary]
    classes: list[ClassSummary]
    links: int
    judged_ports: int
    rules: dict[str, RulePage]
    skipped: list[SkippedFile] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    severities: dict[str, Severity] = field(default_factory=dict)  # a site's own, by rule
    left_out: int = 0  # rules that could be errors and were not asked
    part: bool = False  # only some of the devices were asked for
    base: str = "."  # the folder file names in the report are relative to
    fabric: Fabric | None = field(default=None, repr=False)
    analysis: Analysis | None = field(default=None, repr=False)
    excerpts: Excerpts | None = field(default=None, repr=False)

    def count(self, severity: Severity) -> int:
        """Findings of a severity that are not suppressed."""
        return sum(1 for f in self.findings if f.severity is severity and f.suppressed is None)

    @property
    def suppressions(self) -> int:
        """Findings that do not count."""
        return sum(1 for f in self.findings if f.suppressed is not None)

    @property
    def incomplete(self) -> bool:
        """True when something could not be read or judged: exit status 3."""
        return any(d.incomplete for d in self.diagnostics)

    @property
    def unjudged(self) -> bool:
        """True when there is no class or no port that rules could judge: silence says nothing."""
        data = any(traffic.flow == "data" for traffic in self.classes)
        return not data or not self.judged_ports

    @property
    def unrecognised_lines(self) -> int:
        """Unrecognised lines over all devices."""
        return sum(d.lines.get(LineState.UNRECOGNISED.name.lower(), 0) for d in self.devices)
