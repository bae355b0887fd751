"""Comparison of two states of a fabric: device by device, and by findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from roce_lint.analysis.analyse import forget_tags
from roce_lint.analysis.difference import sift_of
from roce_lint.budget import pause_collection
from roce_lint.engine.finding import Diagnostic, Finding, Occurrence
from roce_lint.errors import UsageError
from roce_lint.loading.discover import BUNDLE
from roce_lint.loading.load import LoadResult
from roce_lint.model.device import Device
from roce_lint.model.diff import differences, port_pairs, refusals
from roce_lint.model.fabric import Fabric, Link
from roce_lint.model.object_diff import NOWHERE, Difference
from roce_lint.model.path import Path, Step
from roce_lint.model.schema import LINKS
from roce_lint.phases import advance
from roce_lint.pipeline.diff_causes import Entry, Stand, Value, causes, fold_entries, value_of
from roce_lint.pipeline.evaluation import Terms, join
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.pipeline.runner import load_files
from roce_lint.pipeline.weakening import settings_remarks
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where

Atom = tuple[str, int, str, str, str]
"""A rule, its severity, a device, one of its ports or other subjects, and the traffic class."""


@dataclass(slots=True, frozen=True)
class StateDifference:
    """Difference of two states in findings. A finding may be in several of the lists, with other
    devices in each.
    """

    gone: list[Finding]
    new: list[Finding]
    stays: list[Finding]


def compare_states(before: Sequence[Finding], after: Sequence[Finding]) -> StateDifference:
    """Compare the findings of two states; suppressed ones are ignored."""
    mine, theirs = (_atoms(findings) for findings in (before, after))
    return StateDifference(
        [part for f in _counted(before) for part in _part(f, theirs, kept=False)],
        [part for f in _counted(after) for part in _part(f, mine, kept=False)],
        [part for f in _counted(after) for part in _part(f, mine, kept=True)],
    )


def _counted(findings: Iterable[Finding]) -> Iterable[Finding]:
    return (finding for finding in findings if finding.suppressed is None)


def _atoms(findings: Iterable[Finding]) -> set[Atom]:
    return {
        atom
        for finding in _counted(findings)
        for occurrence in finding.occurrences
        for atom in _of(finding, occurrence)
    }


def _of(finding: Finding, occurrence: Occurrence) -> list[Atom]:
    severity, traffic = finding.severity.value, finding.traffic
    return [
        (finding.rule, severity, occurrence.device, subject, traffic)
        for subject in occurrence.subjects or ("",)
    ]


def _part(finding: Finding, others: set[Atom], *, kept: bool) -> Iterable[Finding]:
    """The finding on the devices where all of it is also on the other side (`kept`), or where some
    of it is not.
    """
    chosen = [
        occurrence
        for occurrence in finding.occurrences
        if others.issuperset(_of(finding, occurrence)) is kept
    ]
    return [finding.restrict(chosen)] if chosen else []


NAMED = 5
"""Devices listed for each side where they have none in common."""

DEVICE = "device:"
"""Prefix that distinguishes a device name from a file."""

LINKED_BY = {"neighbors", "addresses", "description"}
"""Fields of a port that define its link."""


@dataclass(slots=True, frozen=True, kw_only=True)
class ComparisonOptions:
    """Options of a comparison: `renamed` maps old device names to new ones."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    stated: bool = False
    findings: bool = False


@dataclass(slots=True)
class Side:
    """One of the two states."""

    path: str
    loaded: LoadResult
    fabric: Fabric
    excerpts: Excerpts
    report: Report | None = None
    _remarks: dict[str, list[int]] | None = field(default=None, init=False)
    _named: dict[str, str] = field(default_factory=dict, init=False)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics of this side."""
        return self.loaded.diagnostics if self.report is None else self.report.diagnostics

    def may_hold(self, device: Device) -> bool:
        """Whether a device missing on this side may be in its unreadable files.

        A file that the device was read from on the other side and that is unreadable here (binary,
        empty, cut off) was not skipped: the result is incomplete without it.
        """
        if self._remarks is None:
            self._remarks = self._unread()
        found = [n for ref in device.src.files for n in self._remarks.get(ref.name, ())]
        for n in found:
            entry = self.diagnostics[n]
            message = entry.message
            if not entry.incomplete:
                message += f"; on the other side it describes {device.hostname}"
            self.diagnostics[n] = replace(entry, message=message, incomplete=True)
        return bool(found or self._remarks.get(f"{DEVICE}{device.hostname}"))

    def _unread(self) -> dict[str, list[int]]:
        """Diagnostics of files that could not be read, by file, and of devices."""
        read = {ref.name for device in self.fabric.devices.values() for ref in device.src.files}
        found: dict[str, list[int]] = {}
        for number, entry in enumerate(self.diagnostics):
            if entry.file and entry.file not in read:
                found.setdefault(entry.file, []).append(number)
            if entry.incomplete and entry.device:
                found.setdefault(f"{DEVICE}{entry.device}", []).append(number)
        return found

    def name(self, file: str) -> str:
        """Name of a file, below the path as given."""
        known = self._named.get(file)
        if known is None:
            known = self._named[file] = self._by_path(file)
        return known

    def _by_path(self, file: str) -> str:
        if not file or file.startswith("<") or File(file).is_absolute():
            return file
        return str(self.base / file)

    @property
    def base(self) -> File:
        """The folder to which file names of this side are relative."""
        given = File(self.path)
        if given.suffix == BUNDLE:
            return File(self.loaded.base)
        return given if given.is_dir() else given.parent


@dataclass(slots=True)
class Comparison:
    """Differences by cause; `both` is the number of compared devices."""

    a: Side
    b: Side
    entries: list[Entry]
    both: int
    findings: StateDifference | None = None

    @property
    def incomplete(self) -> bool:
        """Whether something on either side could not be read."""
        return any(entry.incomplete for side in (self.a, self.b) for entry in side.diagnostics)

    def with_remarks(self, requests: Iterable[Request], settings: Iterable[Settings]) -> Comparison:
        """The comparison, with remarks on settings of either side that soften it."""
        for side, request, own in zip((self.a, self.b), requests, settings, strict=True):
            pages = side.report.rules if side.report is not None else {}
            side.diagnostics.extend(settings_remarks(request, own, side.base, pages, "error"))
        return self


def compare(
    requests: tuple[Request, Request], settings: tuple[Settings, Settings], how: ComparisonOptions
) -> Comparison:
    """Read both states and compare them.

    Raises:
        UsageError: they have no device in common, or a renamed one does not exist.
        SettingsError, LinksError, IntentError, RulePageError: another input is wrong.
    """
    with pause_collection():
        loaded = read_sides(requests, settings)
        a, b = (side_of(*each, how) for each in zip(loaded, requests, settings, strict=True))
        return _compare(a, b, requests[0], how).with_remarks(requests, settings)


def read_sides(requests: Iterable[Request], settings: Iterable[Settings]) -> list[LoadResult]:
    """Load both sides; files that both have are read once."""
    made: list[LoadResult] = []
    for request, own in zip(requests, settings, strict=True):
        made.append(load_files(request, own, beside=made[0] if made else None))
    return made


def side_of(
    loaded: LoadResult, request: Request, settings: Settings, how: ComparisonOptions
) -> Side:
    """One side, joined into a fabric, and checked where findings are requested."""
    path = request.paths[0]
    if how.findings:
        terms = Terms.of(replace(request, remedies=True), settings)
        report = terms.report(loaded)
        if report.fabric is not None:
            forget_tags(report.fabric)
        if report.fabric is not None and report.excerpts is not None:
            return Side(path, loaded, report.fabric, report.excerpts, report)
    fabric, _ = join(loaded, request, settings)
    return Side(path, loaded, fabric, Excerpts(loaded.memory))


def _compare(a: Side, b: Side, request: Request, how: ComparisonOptions) -> Comparison:
    pairs = pairs_of(a, b, how.renamed)
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    if a.fabric.devices and b.fabric.devices and not both:
        raise UsageError(strangers(a, b), hint="--match OLD=NEW names a device on both sides")
    selected = [
        pair
        for pair in pairs
        if any(d is not None and is_asked_for(d, request.device, request.role) for d in pair)
    ]
    excerpts = a.excerpts, b.excerpts
    entries: list[Entry] = []
    moved: set[tuple[str, str]] = set()  # ports of changed links
    for number, (one, other) in enumerate(selected):
        advance("comparing", number, len(selected))
        if one is None or other is None:
            entries += lone_device(one, other, a, b)
            continue
        found = differences(one, other, stated=how.stated, sift=sift_of(one, other))
        found += refusals(one, other)
        if how.renamed:
            found = [each for each in found if not _is_renaming(each, how.renamed)]
        moved |= {
            (one.hostname, each.path.port)
            for each in found
            if each.path.port is not None
            and (len(each.path.steps) == 1 or each.path.steps[1].field in LINKED_BY)
        }
        entries += causes(one, other, found, excerpts) if found else []
    names = {x.hostname for pair in selected for x in pair if x is not None}
    entries += _links(a, b, both, moved, names)
    findings = (
        compare_states(a.report.findings, b.report.findings) if a.report and b.report else None
    )
    compared = sum(1 for pair in selected if None not in pair)
    return Comparison(a, b, fold_entries(entries), compared, findings)


def pairs_of(
    a: Side, b: Side, renamed: Mapping[str, str]
) -> list[tuple[Device | None, Device | None]]:
    """Pair devices of both sides by name, ignoring case where that is unique."""
    mine, theirs = a.fabric.devices, b.fabric.devices
    for old, new in renamed.items():
        for name, side in ((old, a), (new, b)):
            if name not in side.fabric.devices:
                raise UsageError(f"--match {old}={new}: {side.path} has no device {name}")
    folded_names = {name.casefold(): name for name in theirs}
    taken: set[str] = set()
    pairs: list[tuple[Device | None, Device | None]] = []
    for name, device in mine.items():
        other = renamed.get(name, name)
        if other not in theirs:
            other = folded_names.get(other.casefold(), "")
        if other in theirs and other not in taken:
            taken.add(other)
            pairs.append((device, theirs[other]))
        else:
            pairs.append((device, None))
    return [*pairs, *((None, device) for name, device in theirs.items() if name not in taken)]


def _is_renaming(each: Difference, renamed: Mapping[str, str]) -> bool:
    """Whether only the name of a renamed neighbour differs."""
    fields = [step.field for step in each.path.steps[-2:]]
    if fields != ["neighbors", "device"] or not (each.a and each.b):
        return False
    name, dot, domain = each.a.partition(".")
    return bool(each.b == renamed.get(name, name) + dot + domain)


def strangers(a: Side, b: Side) -> str:
    """Error text for sides without a common device."""
    words = []
    for side in (a, b):
        names = sorted(side.fabric.devices)
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        words.append(f"{side.path} has {', '.join(names[:NAMED])}{more}")
    return f"no device is on both sides: {', '.join(words)}"


def lone_device(one: Device | None, other: Device | None, a: Side, b: Side) -> list[Entry]:
    """A device on one side only; not one whose files the other side could not read."""
    device, side, lacking = (one, a, b) if one is not None else (other, b, a)
    if device is None or lacking.may_hold(device):
        return []
    place = _first_place(device, side.excerpts)
    words = ("there", "not there") if one is not None else ("not there", "there")
    sides = ((place,), ()) if one is not None else ((), (place,))
    stand = Stand(device.hostname, device.nos, (), (Path(device.hostname),), *sides)
    return [Entry((Value("", *words),), [stand])]


def _first_place(device: Device, excerpts: Excerpts) -> Location:
    stated = device.where("hostname" if device.stated("hostname") else "")
    if not stated.position and device.src.files:
        stated = Where(device.src, device.src.files[0].first + 1)
    return excerpts.locate(stated)


def _links(
    a: Side,
    b: Side,
    both: list[tuple[Device, Device]],
    moved: set[tuple[str, str]],
    selected: set[str],
) -> Iterator[Entry]:
    """Links on one side only, and differences of common links.

    A link whose port already has an entry gets no second one.
    """
    here = {(y.hostname, port.name): (x.hostname, name) for x, y in both
            for name, port in port_pairs(x, y).items()}  # fmt: skip
    known = set(here.values())
    mine = {frozenset(end.key for end in link.ends): link for link in a.fabric.links}
    theirs = {
        frozenset(here.get(end.key, end.key) for end in link.ends): link for link in b.fabric.links
    }
    for ends in sorted(mine.keys() | theirs.keys(), key=sorted):
        one, other = mine.get(ends), theirs.get(ends)
        if not any(device in selected for device, _ in ends) or not ends <= known:
            continue
        if one is not None and other is not None:
            yield from _link_fields(one, other, sorted(ends), a, b)
        elif not ends & moved:
            yield _entry_of_link(one, other, sorted(ends), a, b)


def _link_path(ends: list[tuple[str, str]]) -> Path:
    device, port = ends[0]
    return Path(device, (Step(LINKS, port),))


def _entry_of_link(
    one: Link | None, other: Link | None, ends: list[tuple[str, str]], a: Side, b: Side
) -> Entry:
    sides = [
        tuple(side.excerpts.locate(where) for where in link.where[:1]) if link is not None else ()
        for link, side in ((one, a), (other, b))
    ]
    words = ["not there" if link is None else "there" for link in (one, other)]
    field_name = f"link to {' '.join(ends[-1])}"
    nos = a.fabric.devices[ends[0][0]].nos
    stand = Stand(ends[0][0], nos, (ends[0][1],), (_link_path(ends),), sides[0], sides[1])
    return Entry((Value(field_name, *words),), [stand])


def _link_fields(
    one: Link, other: Link, ends: list[tuple[str, str]], a: Side, b: Side
) -> Iterator[Entry]:
    path = _link_path(ends)
    device = a.fabric.devices[ends[0][0]]
    for name in ("cable_m", "speed_gbps", "rail"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine == theirs:
            continue
        places = [(link.where or (NOWHERE,))[0] for link in (one, other)]
        each = Difference(path.then(Step(name)), mine, theirs, places[0], places[1])
        sides = [(side.excerpts.locate(w),) for side, w in zip((a, b), places, strict=True)]
        value = value_of(each, (device, device))
        stand = Stand(device.hostname, device.nos, (ends[0][1],), (each.path,), sides[0], sides[1])
        yield Entry((value,), [stand])
