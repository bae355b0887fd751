"""Report of a run: the only input of reporters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Verdict
from roce_lint.text.source import LineState, Location

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.engine.finding import Diagnostic, Finding, Severity, SkippedFile, UnknownGroup
    from roce_lint.engine.page import RulePage
    from roce_lint.model.fabric import Fabric
    from roce_lint.text.excerpts import Excerpts


@dataclass(slots=True)
class DeviceSummary:
    """Summary of a device; `lines` counts lines (leaves of trees) by state."""

    name: str
    nos: str
    role: str | None
    files: tuple[str, ...]
    lines: dict[str, int]
    oversubscription: float | None = None
    """Downlink bandwidth for each Gb/s of uplinks; None if unknown."""


@dataclass(slots=True)
class ClassSummary:
    """A traffic class with its basis, and its design mode per network."""

    name: str
    flow: str
    dscps: tuple[int, ...]
    basis: str
    senders: int
    locations: tuple[Location, ...]
    modes: tuple[str, ...]
    backed: tuple[int, int] = (0, 0)
    """For an assumed class: the number of switches in its networks that protect it, and of all."""
    marked: bool = False  # assumed from ECN marking, as no port has PFC
    sides: tuple[tuple[int, ...], ...] = ()
    """Groups of DSCPs protected by equally many switches."""
    tie: str = ""


@dataclass(slots=True)
class Report:
    """The result of one run."""

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
    severities: dict[str, Severity] = field(default_factory=dict)  # set by the site, by rule
    left_out: int = 0  # rules that could be errors and were not selected
    part: bool = False  # only some devices were selected
    base: str = "."  # folder to which file names in the report are relative
    fabric: Fabric | None = field(default=None, repr=False)
    analysis: Analysis | None = field(default=None, repr=False)
    excerpts: Excerpts | None = field(default=None, repr=False)

    def count(self, severity: Severity) -> int:
        """Findings of a severity that are not suppressed."""
        return sum(1 for f in self.findings if f.severity is severity and f.suppressed is None)

    @property
    def suppressions(self) -> int:
        """Number of suppressed findings."""
        return sum(1 for f in self.findings if f.suppressed is not None)

    @property
    def incomplete(self) -> bool:
        """Whether something could not be read or checked: exit status 3."""
        return any(d.incomplete for d in self.diagnostics)

    @property
    def unjudged(self) -> bool:
        """Whether no class or no port could be judged: silence proves nothing."""
        data = any(traffic.flow == "data" for traffic in self.classes)
        return not data or not self.judged_ports

    @property
    def unrecognised_lines(self) -> int:
        """Number of unrecognised lines on all devices."""
        return sum(d.lines.get(LineState.UNRECOGNISED.name.lower(), 0) for d in self.devices)
