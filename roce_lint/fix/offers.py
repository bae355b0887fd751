"""From findings to verified fixes: all are tried together, failing batches are halved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roce_lint.engine.finding import Finding, Occurrence, Severity
from roce_lint.engine.page import REASONS, SECTION
from roce_lint.errors import RoceLintError
from roce_lint.fix.edits import edits
from roce_lint.fix.files import ConfigFile, Files
from roce_lint.fix.prove import Atom, Proof, State, atoms
from roce_lint.fix.tree_edits import is_tree
from roce_lint.model.apply import value_at
from roce_lint.model.change import REQUIRED, Change, Safety
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Path
from roce_lint.model.qos import EgressPolicy
from roce_lint.model.values import spell_object
from roce_lint.nos.registry import all_nos
from roce_lint.phases import advance
from roce_lint.remedy.effect import Effect, changed, effect
from roce_lint.remedy.host_commands import host_commands
from roce_lint.remedy.values import content
from roce_lint.remedy.wants import Wants, is_same
from roce_lint.text.source import Origin
from roce_lint.text.splice import Splice, splice

PROOFS = 200
"""Checks of the whole fabric for one search, so that the cost grows with the fabric and not with
its square. Working fixes are tried together: many causes need few checks.
"""

TOO_MANY = f"no fix found in {PROOFS} checks; --select or --device leaves more for each finding"

FEW = 12
"""Edits of a device that are tried one by one."""

LIVE = "NIC014"
"""The rule on settings of a host that differ from its files: commands for a host set both."""

NO_VALUE = "no value in an intent or in enough peers"

NO_WORDING = "no confirmed wording states it on this system"

CUT_FILE = "the file ends inside a block: where its last lines belong is unknown, collect it whole"


@dataclass(slots=True)
class Case:
    """One finding on one device, with the sets of changes that may fix it, the smallest first."""

    finding: Finding
    occurrence: Occurrence
    ways: Iterator[tuple[Change, ...]]
    atoms: frozenset[Atom]
    reason: str = ""
    """Reason that there is no fix."""


@dataclass(slots=True)
class Offer:
    """A verified fix: its findings disappear, no new ones appear, and nothing else changes."""

    changes: tuple[Change, ...]
    cases: list[Case]

    @property
    def safety(self) -> Safety:
        """Effect on traffic of applying it: the worst of its changes."""
        safe = all(change.safety is Safety.SAFE for change in self.changes)
        return Safety.SAFE if safe else Safety.DISRUPTIVE

    @property
    def why(self) -> str:
        """Sources of its values."""
        return ", ".join(dict.fromkeys(change.why for change in self.changes))

    @property
    def is_required(self) -> bool:
        """Whether no intent or equal has one of its values."""
        return any(change.why == REQUIRED for change in self.changes)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that it changes."""
        return tuple(dict.fromkeys(change.path.device for change in self.changes))


@dataclass(slots=True, frozen=True)
class Corrected:
    """A device with changes: its edits by file (none: commands alone), and its state after them."""

    effect: Effect
    splices: Mapping[str, Sequence[Splice]]
    device: Device


class RefusedError(ValueError):
    """Changes that cannot be made on a device; the text is the reason."""


class Workshop:
    """Makes changes of devices, and caches the result."""

    def __init__(self, proof: Proof, state: State, files: Files):
        self._proof = proof
        self._devices = state.devices
        self._files = files
        self._made: dict[tuple[str, frozenset[int]], Corrected | str] = {}
        self._pairs: tuple[Device | None, Device | None] = (None, None)
        """The last corrected device, and the device read from its print."""

    def make(self, changes: Iterable[Change]) -> dict[str, Corrected]:
        """The corrected devices of some changes.

        Raises:
            RefusedError: two changes contradict each other, or one cannot be made or verified.
        """
        by_device: dict[str, dict[Path, Change]] = {}
        for change in changes:
            own = by_device.setdefault(change.path.device, {})
            other = own.setdefault(change.path, change)
            if other.value != change.value:
                raise RefusedError(f"{change.path}: {other.why}, but {change.why} it differs")
        return {name: self._of(name, list(own.values())) for name, own in by_device.items()}

    def _of(self, name: str, changes: list[Change]) -> Corrected:
        key = name, frozenset(map(id, changes))
        found = self._made.get(key)
        if found is None:
            try:
                found = self._correct(name, changes)
            except (RefusedError, RoceLintError) as error:
                found = str(error)
            self._made[key] = found
        if isinstance(found, str):
            raise RefusedError(found)
        return found

    def _correct(self, name: str, changes: list[Change]) -> Corrected:
        device = self._devices[name]
        made, files = effect(device, changes), self._files.of(name)
        if made.printed_before.lines == made.printed_after.lines and (
            made.printed_before.files == made.printed_after.files
        ):
            raise RefusedError(NO_WORDING)
        if self._pairs[0] is not device:
            self._pairs = device, self._proof.read_printed(name, made.printed_before.files)
        one, other = self._pairs[1], self._proof.read_printed(name, made.printed_after.files)
        found = differences(one, other) if one is not None and other is not None else []
        if not files:
            read = changed(device, map(_change, found)) if found else made.after
            typed = host_commands(made.printed_before.files, made.printed_after.files)
            lost = {each.path.steps[-1] for each in differences(read, made.after)}
            if not lost.isdisjoint(each.path.steps[-1] for each in changes) or not (
                found or any(line[0] != "#" for line in typed)
            ):
                raise RefusedError(NO_WORDING)
            return Corrected(made, {}, read)
        splices = edits(all_nos()[device.nos], files, made)
        more = {name: [*own] for name, own in splices.items()}
        put = any(each.lines for own in splices.values() for each in own)
        for file in files if put else ():  # else the line without effect is what is left
            for where, line in dict.fromkeys(filter(None, (each.instead for each in changes))):
                if where == file.name:
                    more.setdefault(where, []).extend(_take_out(file, line, splices.get(where, ())))

        def verified(tried: Mapping[str, Sequence[Splice]]) -> Device:
            read = self._read(device, files, tried)
            if read is None:
                raise RefusedError("the corrected file would not be read as this device")
            _require_effect(made, read, found, changes)
            self._require_whole(read, changes)
            return read

        try:
            read = verified(more)
        except RefusedError:
            if more == splices:
                raise
            more, read = splices, verified(splices)
        return Corrected(made, *self._fewest(device, files, more, read, splices))

    def _read(
        self, device: Device, files: Sequence[ConfigFile], splices: Mapping[str, Sequence[Splice]]
    ) -> Device | None:
        texts = {f.name: splice(f.text, splices[f.name]) for f in files if splices.get(f.name)}
        return self._proof.read(device, texts)

    def _require_whole(self, device: Device, changes: Iterable[Change]) -> None:
        """Require that no class of a changed egress policy is undefined: one beside it is no cure.

        Raises:
            RefusedError: queues of the policy are unknown, which others of the system are not.
        """
        alike = (each for each in self._devices.values() if each.nos == device.nos)
        if not any(policy.complete for each in alike for policy in each.qos.egress.values()):
            return
        for change in changes:
            steps = change.path.steps
            sizes = (n for n, step in enumerate(steps, 1) if step.field == "egress")
            policy = value_at(device, Path(device.hostname, steps[: next(sizes, 0)]))
            if isinstance(policy, EgressPolicy) and not policy.complete:
                raise RefusedError(f"a class of {policy.name} is not defined")

    def _fewest(
        self,
        device: Device,
        files: Sequence[ConfigFile],
        splices: Mapping[str, Sequence[Splice]],
        read: Device,
        stating: Mapping[str, Sequence[Splice]],
    ) -> tuple[Mapping[str, Sequence[Splice]], Device]:
        """The edits without those of the stating ones that the model does not need, and the device
        then read: a print may word in two lines what the file has in one. Nothing else may be worse
        understood.
        """
        kept = {name: [*own] for name, own in splices.items()}
        lines = [file.name for file in files if not is_tree(file.text)]
        every = [(name, each) for name in lines for each in stating.get(name, ())]
        for name, each in every if 1 < len(every) <= FEW else ():
            kept[name].remove(each)
            other = self._read(device, files, kept)
            if (
                other is not None
                and len(other.notes) <= len(read.notes)
                and not differences(read, other, stated=True)
            ):
                read = other
            else:
                kept[name].append(each)
        return kept, read


def _take_out(file: ConfigFile, line: int, splices: Sequence[Splice]) -> list[Splice]:
    """The removal of a statement that has no effect, unless an edit removes it; in a tree its value
    is replaced in any case.
    """
    stated = next((each for each in file.statements if each.line == line), None)
    if stated is None or is_tree(file.text):
        return []
    gone = Splice(line, stated.last - line + 1, ())
    taken = any(each.first <= line < each.end or gone.meets(each) for each in splices)
    return [] if taken else [gone]


def _require_effect(
    made: Effect, read: Device, found: list[Difference], changes: Iterable[Change]
) -> None:
    """Require that a device read from corrected files has the changes, and nothing else.

    Raises:
        RefusedError: a change is missing, or another value differs.
    """
    others = [each for each in differences(made.after, read) if not _completes(each)]
    lost = [x for x in others if x.b is None and x.a_where.origin is Origin.STATED]
    now, meant = _shown(differences(made.before, read)), _shown(found)
    unmade = any(content(value_at(read, path)) != value for path, value in meant - now)
    if lost or (others and (now - meant or unmade)):
        others = lost or others
        raise RefusedError(f"its line would also change {others[0].path}")
    for change in changes:
        if not is_same(read, change, made.after):
            raise RefusedError(f"{change.path} would not be {change.value}")


def _change(found: Difference) -> Change:
    return Change(found.path, found.b, Safety.DISRUPTIVE, found.a, default=found.b_where.citation)


def _shown(found: Iterable[Difference]) -> set[tuple[Path, Hashable]]:
    return {(each.path, content(each.b)) for each in found if not _completes(each)}


def _completes(found: Difference) -> bool:
    """Whether a difference is that an object is known as a whole now."""
    return found.path.steps[-1].field == "complete" and found.b is True


@dataclass(slots=True)
class Answer:
    """Verified fixes, findings without one, and the fabric before and after."""

    offers: list[Offer]
    manual: list[Case]
    files: dict[str, ConfigFile]
    refused: dict[str, str]
    before: State
    after: State
    proof: Proof
    workshop: Workshop

    def made(self, offers: Iterable[Offer]) -> dict[str, Corrected]:
        """The corrected devices of some of the fixes."""
        return self.workshop.make(change for offer in offers for change in offer.changes)

    def at(self, offers: Sequence[Offer]) -> State:
        """The state with some of the fixes applied."""
        if len(offers) == len(self.offers):
            return self.after
        return self.with_changes([change for offer in offers for change in offer.changes])

    def with_changes(self, changes: Sequence[Change]) -> State:
        """The state with some changes applied."""
        if not changes:
            return self.before
        made = self.workshop.make(changes)
        return self.proof.judge({name: each.device for name, each in made.items()})


@dataclass(slots=True)
class Search:
    """Searches for changes that fix findings."""

    proof: Proof
    workshop: Workshop
    wants: Callable[[State], Wants]
    cases: list[Case]
    state: State  # with the accepted fixes
    offers: list[Offer] = field(default_factory=list)
    _runs: int = 0

    def run(self) -> None:
        """Try the changes of all findings together; what fails, in halves, and once more when
        others are made.
        """
        offers = len(self.offers)
        while True:
            batch: dict[frozenset[tuple[Path, str]], Offer] = {}
            for case in self.remaining():
                way = next((way for way in case.ways if self._is_possible(case, way)), None)
                if way is not None:
                    key = frozenset((c.path, repr(c.value)) for c in way)
                    batch.setdefault(key, Offer(way, [])).cases.append(case)
            if not batch:
                break
            self._settle([each for each in batch.values() if not each.is_required])
            waiting = [each for each in batch.values() if each.is_required]
            for offer in waiting:  # equals know which side of two is wrong
                offer.cases = [each for each in offer.cases if each.atoms & self.state.atoms]
            self._settle([each for each in waiting if each.cases])
        left = self.remaining()
        if offers < len(self.offers) and left:
            wants = self.wants(self.state)  # equals that were wrong may be right now
            for case in left:
                case.ways = wants.of(case.finding, case.occurrence)
            self.run()

    def _is_possible(self, case: Case, way: tuple[Change, ...]) -> bool:
        try:
            self.workshop.make(way)
        except RefusedError as error:
            case.reason = case.reason or str(error)
            return False
        return True

    def remaining(self) -> list[Case]:
        """Findings that are not fixed yet."""
        return [case for case in self.cases if case.atoms & self.state.atoms]

    def _settle(self, batch: list[Offer]) -> None:
        """Accept the fixes of a batch that solve their findings and do no harm."""
        if not batch:
            return
        if self._runs >= PROOFS:
            self._refuse(batch, TOO_MANY)
            return
        try:
            made = self.workshop.make(c for offer in (*self.offers, *batch) for c in offer.changes)
        except RefusedError as error:
            self._halve(batch, str(error), set())
            return
        self._runs += 1
        advance("fixing", len(self.cases) - len(self.remaining()), len(self.cases))
        state = self.proof.judge({name: each.device for name, each in made.items()})
        reason, blamed = self._harm(state, batch)
        left = {(rule, *place) for rule, _, *place in state.atoms}  # of any severity
        gone = [
            [c for c in offer.cases if left.isdisjoint((a[0], *a[2:]) for a in c.atoms)]
            for offer in batch
        ]
        useless = [offer for offer, cases in zip(batch, gone, strict=True) if not cases]
        if not reason and not useless:
            for offer, cases in zip(batch, gone, strict=True):
                offer.cases = cases
            self.offers += batch
            self.state = state
            return
        self._halve(batch, reason or "it does not fix the finding", blamed, useless)

    def _halve(
        self, batch: list[Offer], reason: str, blamed: set[str], useless: Sequence[Offer] = ()
    ) -> None:
        if len(batch) == 1:
            self._refuse(batch, reason)
            return
        kept = [offer for offer in batch if not any(offer is each for each in useless)]
        if useless and kept:
            self._refuse([*useless], "it does not fix the finding")
            self._settle(kept)
            return
        batch = sorted(batch, key=lambda offer: not blamed.isdisjoint(offer.devices))
        half = sum(blamed.isdisjoint(offer.devices) for offer in batch)
        if half in (0, len(batch)):
            half = len(batch) // 2
        self._settle(batch[:half])
        self._settle(batch[half:])

    def _harm(self, state: State, batch: list[Offer]) -> tuple[str, set[str]]:
        """Harm compared with before, and its devices; empty if there is none."""
        new = sorted(
            atom
            for atom in state.atoms - self.state.atoms - self._atoms_of_others(state, batch)
            if atom[0] != LIVE
        )
        if new:
            rule, _, device, subject, _ = new[0]
            return f"it would cause {rule} on {device} {subject}".rstrip(), {a[2] for a in new}
        usual = {each[:3] for each in self.state.open if each[0] == "unknown"}
        changed = {"", *(name for offer in batch for name in offer.devices)}
        opened = sorted(
            each
            for each in state.open - self.state.open
            if each[:3] not in usual and (each[0] != "unknown" or each[3] in changed)
        )
        if opened:
            devices = {word for each in opened for word in each if word in state.devices}
            return f"it would make something unknown: {' '.join(opened[0][1:])}", devices
        if not self.state.scope.keeps(state.scope):
            return "it would change links, or the ports checked for RoCE", set()
        before, after = self.state.report.verdict, state.report.verdict
        if after.judged - after.broken < before.judged - before.broken:
            return "it would leave fewer NIC pairs with a fault-free path", set()
        return "", set()

    def _atoms_of_others(self, state: State, batch: list[Offer]) -> frozenset[Atom]:
        """Known findings on ports where they were masked by the faults that this batch fixes."""
        known = {finding.fingerprint for finding in self.state.report.findings}
        ports = self._ports_in_question(batch)
        stood = atoms(f for f in state.report.findings if f.fingerprint in known)
        return frozenset(atom for atom in stood if (atom[2], atom[3]) in ports)

    def _ports_in_question(self, batch: list[Offer]) -> set[tuple[str, str]]:
        """The ports of the findings, and their peers: faults masked there appear after the fix."""
        cases = [case for offer in batch for case in offer.cases]
        ports = {(device, port) for case in cases for device, port, _ in case.finding.reaches}
        ports |= {(c.occurrence.device, port) for c in cases for port in c.occurrence.subjects}
        fabric = self.state.report.fabric
        if fabric is None:
            return ports
        return ports | {peer.key for key in ports if (peer := fabric.peer(*key)) is not None}

    def _refuse(self, batch: list[Offer], reason: str) -> None:
        for offer in batch:
            for case in offer.cases:
                case.reason = reason


def describe_change(change: Change) -> str:
    """Text of a change of the model."""
    name = change.path.steps[-1].field if change.path.steps else ""
    return f"{change.path}: {spell_object(change.old, name)} -> {spell_object(change.value, name)}"


def search(
    proof: Proof,
    state: State,
    wants: Callable[[State], Wants],
    selected: Iterable[Finding] | None = None,
) -> Answer:
    """Search fixes for the findings of a state, or for some of them."""
    files, own = Files(state.devices.values(), proof.memory), wants(state)
    cases = [
        Case(
            finding,
            occurrence,
            own.of(finding, occurrence),
            atoms([finding.restrict([occurrence])]),
        )
        for finding in (state.report.findings if selected is None else selected)
        if finding.suppressed is None
        for occurrence in finding.occurrences
    ]
    workshop = Workshop(proof, state, files)
    looked = Search(proof, workshop, wants, cases, state)
    looked.run()
    left = looked.remaining()
    for case in left:
        case.reason = _reason(state, case)
    return Answer(
        looked.offers,
        left,
        dict(files.by_name()),
        files.refused,
        state,
        looked.state,
        proof,
        workshop,
    )


def _reason(state: State, case: Case) -> str:
    """The reason that a case has no fix: that of the page, else that of the search. A line that is
    odd and does no harm informs, and so does any such finding without a value.
    """
    page = state.report.rules.get(case.finding.rule)
    fixed_by = page.head.fixed_by if page is not None else ()
    if isinstance(fixed_by, str):
        return REASONS[fixed_by]
    if case.finding.severity is Severity.INFO and (not case.reason or fixed_by == (SECTION,)):
        return REASONS["information"]
    notes = state.devices[case.occurrence.device].notes
    cut = any(note.kind is NoteKind.CUT for note in notes)
    return CUT_FILE if cut else case.reason or NO_VALUE
