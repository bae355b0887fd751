"""Findings, unknowns and diagnostics: the only things reporters see."""

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


class Severity(enum.IntEnum):
    """How grave a finding is; ordered, so that levels can be compared."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word users see."""
        return self.name.lower()


class Certainty(enum.Enum):
    """How sure a finding is: LOW where it rests on an unconfirmed default or an assumed link."""

    HIGH = "high"
    LOW = "low"


@dataclass(slots=True, frozen=True)
class Occurrence:
    """One device on which the cause stands; `locations` are causes first, then evidence.

    `message` is worded for this device; empty where only that of the finding is known.
    """

    device: str
    subjects: tuple[str, ...]
    locations: tuple[Location, ...]
    message: str = field(default="", compare=False)
    changes: tuple[Change, ...] = field(default=(), compare=False)  # that would put it right here


@dataclass(slots=True, frozen=True)
class Suppression:
    """Why a finding does not count."""

    by: str  # inline, baseline, waiver, settings
    reason: str
    expires: str | None = None
    takes: bool = field(default=False, compare=False)
    """True where what follows from the finding is accepted with it: of a waiver or comment, and of
    a baseline that does not list what it knows of that.
    """


@dataclass(slots=True, frozen=True)
class Remedy:
    """Lines that put a finding right on its first device, in the words of its system; words in
    capitals are left where nothing tells what they stand for.
    """

    system: str
    lines: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Pairs:
    """Ordered pairs of NICs with an equal-cost path through what a finding is about, of all.

    `first` are those of them that have a path on which no other error stands before it, `repaired`
    those that mending this alone repairs; None for what is no error and breaks nothing.
    """

    hit: int
    all: int
    first: int | None = None
    repaired: int | None = None
    ends: str = "NIC"  # or edge port, where no host is linked to a switch in the folder


def fingerprint(*parts: str) -> str:
    """What names a cause from run to run."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


Acts = stages.Acts
Stage = stages.Stage
"""Which packets of a port a finding is about."""

Reached = tuple[str, str, Acts]
"""Device, port (or another subject), and which of its packets."""


class Stood(NamedTuple):
    """A broken stage of a traffic class on a port that a finding tells of, and by which rule."""

    device: str
    port: str
    stage: Stage
    traffic: str
    rule: str


@dataclass(slots=True, frozen=True)
class PathHop:
    """One device on the witness path of a finding, with the line that decides there.

    `into` and `out` are the ports a packet takes (None at a NIC that sends or receives), `dscp`
    what it arrives with, None where it or the class is not known; `here` is True where the finding
    stands. `missing` would tell what the device does, where nothing of it was read; `place` is then
    what says that it is there.
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
    """One cause, wherever it stands. `occurrences` has at least one entry."""

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
    acts: Acts | None = None  # None: as its rule does
    reaches: tuple[Reached, ...] = ()  # of narrower problems folded into this one
    stages: tuple[Stood, ...] = ()  # that it tells of, those folded into it too
    doubted: bool = False  # it would be more severe but for an assumed link or unconfirmed value

    @property
    def fixes(self) -> tuple[Change, ...]:
        """What would put it right on all its devices, as far as that is known."""
        return tuple(change for occurrence in self.occurrences for change in occurrence.changes)

    @property
    def device(self) -> str:
        """Device of the first occurrence."""
        return self.occurrences[0].device

    @property
    def subjects(self) -> tuple[str, ...]:
        """Subjects of the first occurrence."""
        return self.occurrences[0].subjects

    def fingerprint_of(self, occurrence: Occurrence) -> str:
        """What names the cause on one of its devices from run to run: the path of the device
        beside what names the cause.
        """
        return fingerprint(self.fingerprint, str(Path(occurrence.device)))

    @property
    def location(self) -> Location | None:
        """The deciding place, if the finding has one."""
        places = self.occurrences[0].locations
        return places[0] if places else None

    def on(self, device: str) -> Finding:
        """This finding as it stands on one device, in the words about that; whole where it does
        not stand there.
        """
        here = [occurrence for occurrence in self.occurrences if occurrence.device == device]
        if not here or device == self.device:
            return self
        said = here[0].message or self.message
        return replace(self, occurrences=tuple(here), message=said, remedy=None)

    def restrict(self, occurrences: Sequence[Occurrence]) -> Finding:
        """This finding on some of its devices. Its message speaks of the first of them all."""
        if len(occurrences) == len(self.occurrences):
            return self
        remedy = self.remedy if occurrences[0].device == self.device else None
        part = replace(self, occurrences=tuple(occurrences), remedy=remedy)
        if part.device == self.device:
            return part
        return replace(part, notes=(*part.notes, self.remark))

    @property
    def remark(self) -> str:
        """What is said of a part of this finding that leaves out its first device."""
        return f"the message describes {self.device}"

    @property
    def ports(self) -> int:
        """Ports (or other subjects) concerned, over all devices."""
        return sum(len(occurrence.subjects) for occurrence in self.occurrences)


Teller = Literal["", "host", "link"]
"""What alone can tell an input: a host, or whatever says where a port leads; "": anything."""


@dataclass(slots=True, frozen=True)
class UnknownGroup:
    """What could not be judged for want of one kind of input; `tells` is what alone can tell it."""

    rule: str
    missing: str
    device: str
    subjects: tuple[str, ...]
    locations: Sequence[Location] = ()
    tells: Teller = ""


@dataclass(slots=True, frozen=True)
class SkippedFile:
    """A file that was passed over, and why: nobody expects it to be a configuration."""

    file: str
    reason: str


@dataclass(slots=True, frozen=True)
class Diagnostic:
    """Something about a file, not about the fabric: unreadable, ambiguous, skipped."""

    file: str
    kind: str
    message: str
    line: int | None = None
    incomplete: bool = True  # the answer is not whole because of it: exit status 3
    detail: str = field(default="", compare=False)  # traceback, shown with -v
    device: str = ""  # whose files it is about, where that is known
    source: tuple[str | None, str] | None = field(default=None, compare=False, repr=False)
    # path and content hash of the file, where a finding is to show its text
    consequence: str = field(default="", compare=False)  # where it becomes a finding
