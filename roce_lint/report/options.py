"""What a reader of a report may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roce_lint.engine.baseline import Baseline
    from roce_lint.report.comparison import Earlier

GROUPINGS = ("cause", "rule", "device")


@dataclass(slots=True, frozen=True, kw_only=True)
class Options:
    """How a report is written. The same report and options give the same bytes.

    `cwd` is the folder that file names of text formats are made relative to. `max_findings` and
    `group_by` are for people: machine formats always hold everything.
    """

    cwd: str
    verbose: bool = False  # all places, suppressed findings, tracebacks
    show_unknown: bool = False
    all_gaps: bool = False  # also what every folder without hosts lacks
    group_by: str = "cause"
    max_findings: int | None = None
    baseline: Baseline | None = None  # what is known already: SARIF says what is new
    fail_on: str = "error"  # lowest severity that fails; "never": none does
    help_url: str = ""  # where a site publishes the rule pages, with {id} and {name} in it
    color: bool = False
    terminal: bool = False  # somebody reads along: the gravest last, with lines around
    width: int = 100  # columns after which a line is folded, on a terminal or where `color` is on
    provenance: tuple[tuple[str, str], ...] = ()  # for the head of a page: what, and its value
    earlier: Earlier | None = None  # an earlier report that a page compares with
    passed: bool = False  # the run ends with status 0, and no verdict was required
    statistics: bool = False  # how often each rule was broken, and no findings
