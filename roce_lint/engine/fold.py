"""Fold problems into findings: one finding for each cause, over ports and devices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Problem
from roce_lint.engine.border import Border
from roce_lint.engine.finding import (
    Acts,
    Certainty,
    Finding,
    Occurrence,
    Reached,
    Severity,
    StageOnPort,
    Suppression,
    fingerprint,
)
from roce_lint.engine.page import RulePage
from roce_lint.phases import phase
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.ignores import bare
from roce_lint.text.redaction import redact, redact_each
from roce_lint.text.source import Location, Origin, Where

_COUNTS = ""
"""Key of a problem that is not suppressed."""

EVIDENCE = 6
"""Evidence locations per occurrence; causes are not limited."""

_NAMES = re.compile(
    r"""\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?\b      # IPv4
      | \b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:/\d+)?  # IPv6, MAC
      | (?<=\binterface\ )[A-Za-z-]+\ \d+(?:[/.:-]\d+)+  # with a blank: Ethernet 1/1
      | \b(?:[A-Za-z-]*[A-Za-z]-?)\d+(?:[/.:]\d+)*\b # Ethernet1/1, leaf12, mlx5_0
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"^(?P<word>[A-Za-z][A-Za-z-]*)\s+\d+(?:[/.]\d+)*$")


@dataclass(slots=True)
class Raw:
    """A problem with the page of its rule."""

    page: RulePage
    problem: Problem
    severity: Severity
    certainty: Certainty
    undoubted: Severity | None = field(default=None, kw_only=True)  # without its doubts
    notes: tuple[str, ...] = ()
    also: set[str] = field(default_factory=set)
    covered: list[Raw] = field(default_factory=list)
    taken: list[Raw] = field(default_factory=list)  # problems folded into it
    evidence: list[Where] = field(default_factory=list)  # of the problems it covers
    suppressed: Suppression | None = None
    parts: list[Raw] = field(default_factory=list)  # problems it was merged from

    @property
    def cause(self) -> Where | None:
        """The deciding place."""
        return self.problem.at[0] if self.problem.at else None

    @property
    def causes(self) -> list[Where]:
        """All deciding places."""
        return self.problem.deciding


Covering = dict[tuple[str, int], dict[str, list[Raw]]]
"""Problems of covering pages by device and deciding line, then by page: a line that thousands of
ports share is searched by page, not by port.
"""


def cover(raws: list[Raw]) -> list[Raw]:
    """Fold narrower problems into the broader one that covers them, and consequences into causes.

    A problem is covered when another page's `covers` names its rule and both have the same deciding
    line of the same device and, where both name one, the same traffic class. A line in `about`, or
    one of several compared lines, matches like its own and becomes evidence; so does a line listed
    as idle by the broader problem. Not covered are a suppressed problem where the broader one
    counts, and a problem that is more severe than the broader one, unless only a doubt lowered that
    one: the cause then has the severity of the certain problem. A problem known from a baseline
    covers and explains nothing that counts; one accepted by a waiver or comment is accepted with
    all its consequences.
    """
    covering: Covering = {}
    for raw in raws:
        for where in (*raw.causes, *raw.problem.idle) if raw.page.head.covers else ():
            here = covering.setdefault((raw.problem.device, where.position), {})
            here.setdefault(raw.page.id, []).append(raw)
    owners = {id(raw): owner for raw in raws if (owner := _owner(raw, covering)) is not None}
    causes = find_explained(raws, owners)
    if not owners and not causes:
        return raws
    kept = []
    for raw in raws:
        owner = _broadest(raw, causes | owners)
        if owner is raw:
            kept.append(raw)
            continue
        owner.also.add(raw.page.id)
        owner.taken.append(raw)
        if raw.severity > owner.severity:  # both report one cause: the surer chain counts
            owner.severity, owner.certainty = raw.severity, raw.certainty
        if _broadest(raw, owners) is owner:
            owner.covered.append(raw)
            about = raw.problem.about
            if about is not None:
                owner.evidence += [about] if raw.cause in owner.causes else raw.problem.at
    return kept


def _broadest(raw: Raw, owners: dict[int, Raw]) -> Raw:
    """The problem at the end of the chain of owners."""
    passed = {id(raw)}
    broadest = raw
    while (owner := owners.get(id(broadest))) is not None:
        if id(owner) in passed:  # pages that cover each other
            return raw
        passed.add(id(owner))
        broadest = owner
    return broadest


def _owner(raw: Raw, covering: Covering) -> Raw | None:
    if raw.cause is None:
        return None
    mine = raw.problem
    places = [raw.cause, *(mine.at[1:] if mine.compares else [])]
    for where in (*places, mine.about):
        if where is None:
            continue
        for raws in covering.get((mine.device, where.position), {}).values():
            if raw.page.id not in raws[0].page.head.covers:
                continue
            for other in raws:
                # A problem about a line follows from it, whichever class the line was meant for.
                same = where is mine.about or _of_one_class(mine.traffic, other.problem.traffic)
                severity = other.severity if other.undoubted is None else other.undoubted
                if other is raw or not same or raw.severity > severity:
                    continue
                if _can_replace(other, raw):
                    return other
    return None


def _of_one_class(mine: str, other: str) -> bool:
    """True if two problems may concern one class; one without a class concerns any."""
    return not mine or not other or mine == other


def _can_replace(cause: Raw, raw: Raw) -> bool:
    """True if a problem can replace another one: both count, or both are accepted the same way."""
    by = cause.suppressed.by if cause.suppressed is not None else None
    if raw.suppressed is None:
        return by is None or (cause.suppressed is not None and cause.suppressed.takes)
    return raw.suppressed.by == by


def find_explained(raws: Iterable[Raw], owners: Mapping[int, Raw]) -> dict[int, Raw]:
    """Map problems (by identity) to the cause they follow from: the earliest stage of the same
    port, or the same class at the other end of the link. Problems with an owner are left to it.
    """
    staged = [raw for raw in raws if raw.problem.stage is not None and raw.problem.subjects]
    by_port: dict[tuple[str, str], list[Raw]] = {}
    for raw in sorted(staged, key=lambda raw: raw.problem.stage or 0):
        problem = raw.problem
        for port in dict.fromkeys((*problem.subjects, *problem.hurts)):
            by_port.setdefault((problem.device, port), []).append(raw)
    found = {}
    for raw in staged:
        if id(raw) in owners:
            continue
        problem = raw.problem
        first, *others = [by_port[problem.device, port] for port in problem.subjects]
        everywhere = [{id(cause) for cause in causes} for causes in others]
        fitting = (
            cause
            for cause in first
            if _explains(cause, raw) and all(id(cause) in causes for causes in everywhere)
        )
        cause = _nearest(fitting, problem.traffic)
        if cause is None and problem.beyond is not None:
            there = by_port.get(problem.beyond, ())
            cause = next((each for each in there if _is_same_beyond(each, raw)), None)
        if cause is not None:
            found[id(raw)] = cause
    return found


def _is_same_beyond(other: Raw, raw: Raw) -> bool:
    """True if another rule reports the same stage of the same class at the other end."""
    same = other.problem.stage is raw.problem.stage and other.page.id != raw.page.id
    return same and other.problem.traffic == raw.problem.traffic and _can_replace(other, raw)


def _nearest(causes: Iterable[Raw], traffic: str) -> Raw | None:
    """The cause of the earliest stage; of two in that stage, the one of this traffic class."""
    earliest: Raw | None = None
    for cause in causes:
        if earliest is None:
            earliest = cause
        elif cause.problem.stage != earliest.problem.stage:
            break
        if cause.problem.traffic == traffic:
            return cause
    return earliest


def _explains(cause: Raw, raw: Raw) -> bool:
    mine, later = cause.problem, raw.problem
    if mine.stage is None or later.stage is None or not mine.stage.explains(later.stage):
        return False
    same = _of_one_class(mine.traffic, later.traffic)
    return (same or mine.stage.of_port) and _can_replace(cause, raw)


@dataclass(slots=True)
class Group:
    """Problems of one cause with their finding."""

    finding: Finding
    raws: list[Raw]


def _no_guard(_what: str, _rule: str) -> AbstractContextManager[None]:
    return nullcontext()


@phase("folding into causes")
def fold(
    raws: Iterable[Raw], platforms: dict[str, str], excerpts: Excerpts, border: Border = _no_guard
) -> list[Finding]:
    """Return one finding for each cause."""
    return [group.finding for group in group_problems(raws, platforms, excerpts, border)]


def group_problems(
    raws: Iterable[Raw], platforms: dict[str, str], excerpts: Excerpts, border: Border = _no_guard
) -> list[Group]:
    """Group problems by cause and turn each group into a finding.

    The key is rule, operating system, deciding text without names and addresses, value and traffic
    class; so one wrong template on 512 leaves is one finding with 512 occurrences. `platforms` maps
    devices to operating systems. Failures stay inside `border`.
    """
    groups: dict[tuple[str, ...], list[Raw]] = {}
    for raw in raws:
        with border(f"to put together a finding of {raw.page.id}", raw.page.id):
            groups.setdefault(_key(raw, platforms, excerpts), []).append(raw)
    found = []
    for key, group in _merge_severities(groups).items():
        with border(f"to put together a finding of {key[0]}", key[0]):
            found.append(Group(_finding(key, group, excerpts), group))
    return _number_twins(sorted(found, key=lambda group: _order(group.finding)))


def _key(raw: Raw, platforms: dict[str, str], excerpts: Excerpts) -> tuple[str, ...]:
    problem = raw.problem
    text = ""
    if raw.cause is not None and not problem.shaped:
        text = _deciding_text(raw.cause, excerpts)
    return (
        raw.page.id,
        raw.severity.label,
        platforms.get(problem.device, ""),
        text,
        problem.value,
        problem.traffic,
        raw.suppressed.reason if raw.suppressed is not None else _COUNTS,
    )


def _deciding_text(cause: Where, excerpts: Excerpts) -> str:
    """The deciding text; for a platform default its citation, not the line below which it could be
    stated.
    """
    if cause.origin is Origin.DEFAULT and cause.citation is not None:
        return cause.citation.says
    return shape(excerpts.locate(cause, "cause"))


def _merge_severities(groups: dict[tuple[str, ...], list[Raw]]) -> dict[tuple[str, ...], list[Raw]]:
    """Merge groups of one line that differ in severity only: the more severe one wins."""
    peers: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for key in groups:
        peers.setdefault((key[0], *key[2:]), []).append(key)
    for keys in peers.values():
        keys.sort(key=lambda key: groups[key][0].severity, reverse=True)
        known: dict[tuple[str, int], list[Raw]] = {}
        for key in keys:
            own: list[Raw] = []
            for raw in groups[key]:
                known.get(_line(raw), own).append(raw)
            known.update({_line(raw): own for raw in own if raw.cause is not None})
            groups[key] = own
    return {key: group for key, group in groups.items() if group}


def _line(raw: Raw) -> tuple[str, int]:
    """The device and the deciding line; a default is one line of the device."""
    cause = raw.cause
    stated = cause is not None and cause.origin is Origin.STATED
    return raw.problem.device, cause.position if cause is not None and stated else 0


def shape(location: Location) -> str:
    """The deciding text without names of devices and ports."""
    if location.path:
        value = location.text.rsplit(":", 1)[-1].strip(" ,") if ":" in location.text else ""
        return _plain("|".join(_shaped_keys(location.path)) + " " + value[:80])
    return _plain(location.text)


def _shaped_keys(path: str) -> list[str]:
    return [without_names(key) for key in path.split("|")]


def _plain(text: str) -> str:
    words = " ".join(bare(text).split())
    numbered = _NUMBERED.match(words)
    if numbered:
        return f"{numbered['word']} _"
    return without_names(words)


def without_names(text: str) -> str:
    """Text without addresses and names that end in a number: the same for all ports of a kind."""
    return _NAMES.sub("_", text)


def _finding(key: tuple[str, ...], group: list[Raw], excerpts: Excerpts) -> Finding:
    first = group[0]
    by_device: dict[str, list[Raw]] = {}
    for raw in group:
        by_device.setdefault(raw.problem.device, []).append(raw)
    occurrences = tuple(
        _occurrence(device, raws, excerpts) for device, raws in sorted(by_device.items())
    )
    # The message of the finding must be about the first occurrence.
    first = by_device[occurrences[0].device][0]
    page, problem = first.page, first.problem
    return Finding(
        rule=page.id,
        name=page.head.name,
        severity=first.severity,
        confidence=first.certainty,
        message=redact(problem.message),  # names of structures are user text
        consequence=redact(problem.consequence),
        occurrences=occurrences,
        fingerprint=fingerprint(key[0], *key[2:-1]),
        help=help_of(page),
        traffic=problem.traffic,
        notes=tuple(dict.fromkeys(note for raw in group for note in raw.notes)),
        also=tuple(sorted({rule for raw in group for rule in raw.also})),
        fix=next(iter(problem.changes), None),
        suppressed=first.suppressed,
        acts=_acts(group),
        reaches=_reaches(group),
        stages=_stages(group),
        doubted=any((raw.undoubted or raw.severity) > raw.severity for raw in group),
    )


def _stages(group: list[Raw]) -> tuple[StageOnPort, ...]:
    """Broken stages on ports of these problems and of those folded into them."""
    parts = (
        raw for owner in group for part in owner.parts or [owner] for raw in (part, *part.taken)
    )
    staged = ((raw.problem, raw.page.id, raw.problem.stage) for raw in parts)
    found = dict.fromkeys(
        StageOnPort(problem.device, port, stage, problem.traffic, rule)
        for problem, rule, stage in staged
        if stage is not None
        for port in problem.subjects
    )
    return tuple(found)


def _reaches(group: list[Raw]) -> tuple[Reached, ...]:
    """Affected subjects beyond the own ones: those of covered problems."""
    own = ((raw, raw.problem.hurts) for raw in group)
    covered = (
        (raw, raw.problem.subjects)
        for owner in group
        for raw in owner.covered
        # Neither affects traffic: infos, and differences between peers.
        if raw.severity is not Severity.INFO and raw.problem.stage is not Stage.EQUALS
    )
    return tuple(
        dict.fromkeys(
            (raw.problem.device, subject, raw.problem.acts or raw.page.head.acts)
            for raw, subjects in (*own, *covered)
            for subject in subjects
        )
    )


def _acts(group: list[Raw]) -> Acts | None:
    acts = {raw.problem.acts for raw in group}
    return acts.pop() if len(acts) == 1 else "both"


def help_of(page: RulePage) -> str:
    """Command that prints the page of a rule."""
    return f"roce-lint explain {page.id}"


def _occurrence(device: str, raws: list[Raw], excerpts: Excerpts) -> Occurrence:
    subjects = tuple(dict.fromkeys(s for raw in raws for s in raw.problem.subjects))
    causes: dict[tuple[int, int], Where] = {}
    evidence: dict[tuple[int, int], Where] = {}
    for raw in raws:
        for number, where in enumerate((*raw.problem.at, *raw.evidence)):
            key = (id(where.src), where.position)
            if number < len(raw.causes):
                causes.setdefault(key, where)
            elif where.position and where.origin is Origin.STATED:
                evidence.setdefault(key, where)
    shown = [where for key, where in evidence.items() if key not in causes][:EVIDENCE]
    return Occurrence(
        device,
        tuple(redact_each(subjects)),
        (
            *(excerpts.locate(where, "cause") for where in causes.values()),
            *(excerpts.locate(where, "evidence") for where in shown),
        ),
        redact(raws[0].problem.message),
        tuple(dict.fromkeys(change for raw in raws for change in raw.problem.changes)),
    )


def _order(finding: Finding) -> tuple[str, str, int, str, str]:
    place = finding.location
    file, line = (place.file, place.line) if place else ("", 0)
    return (finding.device, file, line, finding.rule, finding.fingerprint)


def _number_twins(groups: list[Group]) -> list[Group]:
    """Add `#2` to the second of two equal fingerprints, which would be one key in a baseline.

    Findings that count come first, so that an ignore elsewhere never renames them.
    """
    seen: dict[str, int] = {}
    for group in sorted(groups, key=lambda group: group.finding.suppressed is not None):
        finding = group.finding
        count = seen[finding.fingerprint] = seen.get(finding.fingerprint, 0) + 1
        if count > 1:
            group.finding = replace(finding, fingerprint=f"{finding.fingerprint}#{count}")
    return groups
