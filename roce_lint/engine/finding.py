"""Findings, unknowns, diagnostics and the verdict: the input of all reporters."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from roce_lint.analysis import stages
from roce_lint.model.change import Change
from roce_lint.model.path import Path
from roce_lint.text.source import Location
from roce_lint.text.splice import Splice


class Severity(enum.IntEnum):
    """Severity of a finding; ordered, so that levels can be compared."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """Lower-case name, as shown to users."""
        return self.name.lower()


class Certainty(enum.Enum):
    """Confidence of a finding: LOW if it rests on an unconfirmed default or an assumed link."""

    HIGH = "high"
    LOW = "low"


@dataclass(slots=True, frozen=True)
class Occurrence:
    """One device with the cause; `locations` are causes first, then evidence.

    `message` is worded for this device; empty if only that of the finding is known.
    """

    device: str
    subjects: tuple[str, ...]
    locations: tuple[Location, ...]
    message: str = field(default="", compare=False)
    changes: tuple[Change, ...] = field(default=(), compare=False)  # that the check requires here
    wanted: tuple[Change, ...] = field(default=(), compare=False)  # the wanted ones, that fix it
    verified: VerifiedFix | None = field(default=None, compare=False)  # of `wanted`


@dataclass(slots=True, frozen=True)
class VerifiedFix:
    """A fix that was checked with the whole fabric: findings, changes and diffs as text, and edits
    by file; files of hosts and captures have commands instead.
    """

    text: str
    edits: tuple[tuple[str, Splice], ...]


@dataclass(slots=True, frozen=True)
class Suppression:
    """Reason for which a finding does not count."""

    by: str  # inline, baseline, waiver, settings
    reason: str
    expires: str | None = None
    takes: bool = field(default=False, compare=False)
    """True if consequences of the finding are accepted with it: for a waiver or comment, and for a
    baseline that does not list them.
    """


@dataclass(slots=True, frozen=True)
class Remedy:
    """Commands that make the wanted changes of a finding on its first device."""

    nos: str
    system: str  # its title, for people
    lines: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Pairs:
    """Ordered pairs of NICs with an equal-cost path through the subjects of a finding (`hit`), out
    of `all`.

    `first` counts those with a path on which this is the first error, `repaired` those that fixing
    only this repairs; None if the finding breaks nothing.
    """

    hit: int
    all: int
    first: int | None = None
    repaired: int | None = None
    ends: str = "NIC"  # or edge port, where no host is linked to a switch in the folder


def fingerprint(*parts: str) -> str:
    """Stable identifier of a cause."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


Acts = stages.Acts
Stage = stages.Stage
"""Packets of a port that a finding affects."""

Reached = tuple[str, str, Acts]
"""Device, port (or another subject), and the affected packets."""


class StageOnPort(NamedTuple):
    """Broken stage of a traffic class on a port, with the rule that reports it."""

    device: str
    port: str
    stage: Stage
    traffic: str
    rule: str


@dataclass(slots=True, frozen=True)
class PathHop:
    """One device on the example path of a finding, with the deciding line.

    `into` and `out` are the arriving and leaving port (None at the sending and receiving NIC),
    `dscp` the arriving DSCP (None if it or the class is unknown); `here` is True at the finding.
    `missing` is the missing configuration of a device that was not read; `place` is then the line
    that names it.
    """

    device: str
    into: str | None
    out: str | None
    dscp: int | None
    place: Location | None
    here: bool
    missing: str = ""


@dataclass(slots=True, frozen=True)
class Finding:
    """One cause, on all its devices. `occurrences` has at least one entry."""

    rule: str
    name: str
    severity: Severity
    confidence: Certainty
    message: str
    consequence: str
    occurrences: tuple[Occurrence, ...]
    fingerprint: str
    help: str
    traffic: str = ""  # name of the traffic class it is about
    notes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # ids of narrower rules folded into this one
    fix: Change | None = None
    remedy: Remedy | None = None
    suppressed: Suppression | None = None
    pairs: Pairs | None = None  # None where no path through it is known
    path: tuple[PathHop, ...] = ()  # a real path through it, from NIC to NIC
    acts: Acts | None = None  # None: as on its page
    reaches: tuple[Reached, ...] = ()  # of narrower problems folded into this one
    stages: tuple[StageOnPort, ...] = ()  # broken stages, including those of folded problems
    doubted: bool = False  # more severe but for an assumed link or unconfirmed value

    @property
    def fixes(self) -> tuple[Change, ...]:
        """Known changes that fix it, on all its devices."""
        return tuple(change for occurrence in self.occurrences for change in occurrence.wanted)

    @property
    def device(self) -> str:
        """Device of the first occurrence."""
        return self.occurrences[0].device

    @property
    def subjects(self) -> tuple[str, ...]:
        """Subjects of the first occurrence."""
        return self.occurrences[0].subjects

    def fingerprint_of(self, occurrence: Occurrence) -> str:
        """Stable identifier of the cause on one of its devices: made of the fingerprint and the
        device's path.
        """
        return fingerprint(self.fingerprint, str(Path(occurrence.device)))

    @property
    def location(self) -> Location | None:
        """The deciding place, if there is one."""
        places = self.occurrences[0].locations
        return places[0] if places else None

    def on(self, device: str) -> Finding:
        """The part of this finding on one device, with the message for it; the whole finding if the
        device is not concerned.
        """
        here = [occurrence for occurrence in self.occurrences if occurrence.device == device]
        if not here or device == self.device:
            return self
        message = here[0].message or self.message
        return replace(self, occurrences=tuple(here), message=message, remedy=None)

    def restrict(self, occurrences: Sequence[Occurrence]) -> Finding:
        """The part of this finding on some devices. Its message names the first of all."""
        if len(occurrences) == len(self.occurrences):
            return self
        remedy = self.remedy if occurrences[0].device == self.device else None
        part = replace(self, occurrences=tuple(occurrences), remedy=remedy)
        if part.device == self.device:
            return part
        return replace(part, notes=(*part.notes, self.remark))

    @property
    def remark(self) -> str:
        """Note on a part of this finding that leaves out its first device."""
        return f"the message describes {self.device}"

    @property
    def ports(self) -> int:
        """Number of affected ports (or other subjects) on all devices."""
        return sum(len(occurrence.subjects) for occurrence in self.occurrences)


Teller = Literal["", "host", "link"]
"""The only source of an input: a host, or anything that names a port's peer; "": any source."""


@dataclass(slots=True, frozen=True)
class UnknownGroup:
    """A check that is undecided for lack of one input; `tells` is its only possible source."""

    rule: str
    missing: str
    device: str
    subjects: tuple[str, ...]
    locations: Sequence[Location] = ()
    tells: Teller = ""


@dataclass(slots=True, frozen=True)
class SkippedFile:
    """A skipped file and the reason; it is not expected to be a configuration."""

    file: str
    reason: str


WEAKENED, DRIFT, NOT_PULLED = "weakened-by", "drift", "not-pulled"
"""Kinds of diagnostics: settings or comments of the checked tree that soften the result, audited
devices that differ from their golden or earlier state, and devices that did not answer.
"""


@dataclass(slots=True, frozen=True)
class Diagnostic:
    """Something about a file, not about the fabric: unreadable, ambiguous, skipped."""

    file: str
    kind: str
    message: str
    line: int | None = None
    incomplete: bool = True  # makes the answer incomplete: exit status 3
    detail: str = field(default="", compare=False)  # traceback, shown with -v
    device: str = ""  # owner of the file, if known
    source: tuple[str | None, str] | None = field(default=None, compare=False, repr=False)
    # path and content hash of the file, for findings that show its text
    consequence: str = field(default="", compare=False)  # for diagnostics that become findings


# A pair is an ordered pair of RoCE NICs that the folder puts into one network, with a known path or
# without; where no host is in the folder, of edge ports, each with an assumed sender behind it. It
# is broken where an error is on one of its equal-cost paths. It is judged where it is broken, or
# where its paths are known and no rule that could be an error is unknown on any of them.

CLEAN, FINDINGS, INCOMPLETE = 0, 1, 3
"""Exit statuses of a run; 2 is wrong use."""


class Answer(enum.Enum):
    """Result of a verdict."""

    READY = "ready"  # all pairs judged, none broken
    NOT_READY = "not-ready"  # something is an error
    NOT_PROVED = "not-proved"  # no error, but some inputs are missing


@dataclass(slots=True, frozen=True)
class Repair:
    """Best set of causes of one size to fix; `exact` as in `best_fixes`."""

    findings: tuple[Finding, ...]
    pairs: int
    exact: bool = True


@dataclass(slots=True, frozen=True)
class Verdict:
    """The answer about all pairs.

    `causes` are the errors that break pairs, `others` those on no known path; `known` are those of
    both in a baseline. `missing` are the inputs required for a proof, in words, with the number of
    pairs that each leaves open (0: not specific to pairs). `repairs` are the best small sets of
    causes; in `order` each step adds the cause that repairs most after the previous ones, until
    nothing is broken.
    """

    answer: Answer = Answer.NOT_PROVED
    pairs: int = 0
    judged: int = 0
    broken: int = 0
    causes: int = 0
    others: int = 0
    known: int = 0
    missing: tuple[tuple[str, int], ...] = ()
    repairs: tuple[Repair, ...] = ()
    order: tuple[Repair, ...] = ()
    bare: int = 0  # host ports without QoS whose peers have it; in no pair
    assumed: bool = False  # pairs of edge ports: no host is linked to a switch in the folder

    @property
    def coverage(self) -> float:
        """Percent of the pairs that were judged; 0 if there are none."""
        return 100 * self.judged / self.pairs if self.pairs else 0.0

    @property
    def complete(self) -> bool:
        """True if nothing is missing and every pair was judged."""
        return not self.missing and 0 < self.pairs == self.judged
