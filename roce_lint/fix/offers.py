"""From findings to verified fixes: all are tried together, failing batches are halved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from roce_lint.engine.finding import Finding, Occurrence, Severity
from roce_lint.fix.files import ConfigFile, Files
from roce_lint.fix.forbidden import PERSON, Changes
from roce_lint.fix.peers import Deviation, Peers, Way
from roce_lint.fix.prove import Atom, Proof, State, atoms
from roce_lint.fix.target import restatements
from roce_lint.model.change import Safety
from roce_lint.model.object_diff import Difference
from roce_lint.model.values import spell_value

ROUNDS = 24
"""Ways tried for one finding."""

PROOFS = 200
"""Checks of the whole fabric for one search, so that the cost grows with the fabric and not with
its square. Working ways are tried together: many causes need few checks.
"""

TOO_MANY = f"no fix found in {PROOFS} checks; --select or --device leaves more for each finding"

FAR = 4
"""Ways tried that touch neither the lines nor the ports of a finding."""


@dataclass(slots=True)
class Case:
    """One finding on one device, with the possible fixes."""

    finding: Finding
    occurrence: Occurrence
    ways: list[Way]
    atoms: frozenset[Atom]
    reason: str = ""
    """Reason that there is no fix."""


@dataclass(slots=True)
class Offer:
    """A verified fix: its findings disappear, no new ones appear."""

    way: Way
    cases: list[Case]
    changes: list[Difference] = field(default_factory=list)

    @property
    def safety(self) -> Safety:
        """Effect on traffic of applying it; unknown counts as disruptive."""
        proposed = {
            (change.path.field.rsplit(".", 1)[-1], change.safety)
            for case in self.cases
            for change in case.occurrence.changes
        }
        made = {each.path.steps[-1].field for each in self.changes if each.path.steps}
        safe = {field for field, safety in proposed if safety is Safety.SAFE}
        return Safety.SAFE if made and made <= safe else Safety.DISRUPTIVE

    @property
    def why(self) -> str:
        """Peers or check that the fix follows."""
        return ", ".join(dict.fromkeys(each.why for each in self.way))


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

    def at(self, offers: Sequence[Offer]) -> State:
        """The state with some of the fixes applied."""
        if len(offers) == len(self.offers):
            return self.after
        if not offers:
            return self.before
        return self.proof.with_changes([each for o in offers for each in o.way], self.files)


class Search:
    """Searches for changes that fix findings."""

    def __init__(
        self, proof: Proof, selected: Sequence[Finding] | None, state: State, files: Files
    ):
        self._proof = proof
        self._files = files
        self._named = dict(files.by_name())
        self.before = self.state = state
        self.accepted: list[Way] = []
        self.offers: list[Offer] = []
        analysis = state.report.analysis
        self._peers = Peers(analysis, files) if analysis is not None else None
        self._changes = Changes(proof, state, self._named)
        findings = state.report.findings if selected is None else selected
        self.cases = [
            self._case(finding, occurrence)
            for finding in findings
            if finding.suppressed is None and finding.severity is not Severity.INFO
            for occurrence in finding.occurrences
        ]

    def run(self) -> None:
        """Try the ways of all findings, the likeliest of each together."""
        for _ in range(ROUNDS):
            batch: dict[Way, list[Case]] = {}
            for case in self._remaining_cases():
                way = self._next(case, batch)
                if way is not None:
                    batch.setdefault(way, []).append(case)
            if not batch:
                return
            self._settle(batch)

    def manual(self) -> list[Case]:
        """Findings without a fix, each with the reason."""
        left = self._remaining_cases()
        for case in left:
            if not case.reason:
                case.reason = self._why_not(case)
        return left

    def _why_not(self, case: Case) -> str:
        if not self._files.of(case.occurrence.device):
            names = {place.file for place in case.occurrence.locations}
            reasons = [self._files.refused[name] for name in names if name in self._files.refused]
            return reasons[0] if reasons else "none of its files can be corrected"
        return "neither a check nor its peers define the value"

    def _case(self, finding: Finding, occurrence: Occurrence) -> Case:
        one = finding.restrict([occurrence])
        devices = list(self.before.devices.values())
        found = self._peers.deviations(occurrence.device) if self._peers is not None else []
        ranked: dict[int, list[Deviation]] = {}
        for each in found:
            ranked.setdefault(_distance(each, occurrence), []).append(each)
        ways: list[Way] = [(each,) for rank in (0, 1, 2) for each in ranked.get(rank, [])]
        ways += [(each,) for each in restatements(occurrence, self._files, devices)]
        near = [each for rank in (0, 1, 2) for each in ranked.get(rank, [])]
        ways += _stanzas(near)
        ways += [(each,) for each in ranked.get(_ELSEWHERE, [])[:FAR]]
        return Case(finding, occurrence, list(dict.fromkeys(ways)), atoms([one]))

    def _remaining_cases(self) -> list[Case]:
        return [case for case in self.cases if case.atoms & self.state.atoms]

    def _next(self, case: Case, batch: dict[Way, list[Case]]) -> Way | None:
        """The next way of a case that is compatible with accepted ways and the batch."""
        done = [each for way in (*self.accepted, *batch) for each in way]
        for way in list(case.ways):
            if way not in batch and any(_meet(each, other) for each in way for other in done):
                continue  # it may fit once the ways tried now are refused
            case.ways.remove(way)
            reason = self._changes.refusal(way)
            if not reason:
                return way
            if not reason.endswith(PERSON):
                case.reason = case.reason or reason
        return None

    def _settle(self, batch: dict[Way, list[Case]]) -> None:
        """Accept the ways of a batch that fix their findings and do no harm."""
        if self._proof.runs >= PROOFS:
            self._refuse(batch, TOO_MANY)
            return
        try:
            state = self._proof.with_changes(
                [each for way in (*self.accepted, *batch) for each in way], self._named
            )
        except ValueError as error:
            self._refuse(batch, str(error))
            return
        reason, blamed = self._harm(state, batch)
        left = {(rule, *place) for rule, _, *place in state.atoms}  # of any severity
        solved = {
            way: [c for c in cases if left.isdisjoint((a[0], *a[2:]) for a in c.atoms)]
            for way, cases in batch.items()
        }
        useless = {way: batch[way] for way, cases in solved.items() if not cases}
        if not reason and not useless:
            self._accept(solved, state)
            return
        if len(batch) == 1:
            self._refuse(batch, reason or "it does not fix the finding")
            return
        kept = {way: cases for way, cases in batch.items() if way not in useless}
        if useless and kept:
            self._settle(kept)
            return
        if useless:
            return
        ways = sorted(batch, key=lambda way: any(each.device in blamed for each in way))
        half = sum(not any(each.device in blamed for each in way) for way in ways)
        if half in (0, len(ways)):
            half = len(ways) // 2
        for part in (ways[:half], ways[half:]):
            self._settle({way: batch[way] for way in part})

    def _harm(self, state: State, batch: dict[Way, list[Case]]) -> tuple[str, set[str]]:
        """Harm compared with before, and its devices; empty if there is none."""
        new = sorted(state.atoms - self.state.atoms - self._atoms_of_others(state, batch))
        if new:
            rule, _, device, subject, _ = new[0]
            return f"it would cause {rule} on {device} {subject}".rstrip(), {a[2] for a in new}
        opened = sorted(state.open - self.state.open)
        if opened:
            devices = {word for each in opened for word in each if word in state.devices}
            return f"it would make something unknown: {' '.join(opened[0][1:])}", devices
        if state.scope != self.state.scope:
            return "it would change links, or the ports checked for RoCE", set()
        if state.report.verdict.judged < self.state.report.verdict.judged:
            return "it would leave fewer NIC pairs checked", set()
        if state.devices.keys() != self.state.devices.keys():
            return "it would change the set of devices", set()
        return "", set()

    def _atoms_of_others(self, state: State, batch: dict[Way, list[Case]]) -> frozenset[Atom]:
        """Known findings on ports where they were masked by the faults that this batch fixes."""
        known = {finding.fingerprint for finding in self.state.report.findings}
        ports = self._ports_in_question(batch)
        stood = atoms(f for f in state.report.findings if f.fingerprint in known)
        return frozenset(atom for atom in stood if (atom[2], atom[3]) in ports)

    def _ports_in_question(self, batch: dict[Way, list[Case]]) -> set[tuple[str, str]]:
        """The ports of the findings, and their peers: faults masked there appear after the fix."""
        cases = [case for cases in batch.values() for case in cases]
        ports = {(device, port) for case in cases for device, port, _ in case.finding.reaches}
        ports |= {(c.occurrence.device, port) for c in cases for port in c.occurrence.subjects}
        fabric = self.before.report.fabric
        if fabric is None:
            return ports
        return ports | {peer.key for key in ports if (peer := fabric.peer(*key)) is not None}

    def _accept(self, batch: dict[Way, list[Case]], state: State) -> None:
        for way, cases in batch.items():
            self.offers.append(Offer(way, cases, self._changes.of(way)))
        self.accepted += batch
        self.state = state

    def _refuse(self, batch: dict[Way, list[Case]], reason: str) -> None:
        for cases in batch.values():
            for case in cases:
                case.reason = case.reason or reason


_ELSEWHERE = 3


def _distance(way: Deviation, occurrence: Occurrence) -> int:
    """Distance of a change from the places of a finding."""
    lines = {place.line for place in occurrence.locations if place.file == way.file}
    splice = way.splice
    touched = range(splice.first, max(splice.end, splice.first + 1))
    if lines & set(touched):
        return 0
    if way.port and way.port in occurrence.subjects:
        return 1
    return 2 if any(way.header <= line <= splice.first for line in lines) else _ELSEWHERE


def _stanzas(near: list[Deviation]) -> list[Way]:
    """All changes of each stanza together, and all of all stanzas."""
    stanzas: dict[tuple[str, int], list[Deviation]] = {}
    for each in near:
        stanzas.setdefault((each.file, each.header), []).append(each)
    ways: list[Way] = [tuple(group) for group in stanzas.values() if len(group) > 1]
    if len(stanzas) > 1:
        ways.append(tuple(near))
    return ways


def _meet(one: Deviation, other: Deviation) -> bool:
    return one.file == other.file and one.splice.meets(other.splice)


def describe_change(each: Difference) -> str:
    """Text of a change of the model."""
    name = each.path.steps[-1].field if each.path.steps else ""
    return f"{each.path}: {spell_value(each.a, name)} -> {spell_value(each.b, name)}"


def search(proof: Proof, state: State, selected: Iterable[Finding] | None = None) -> Answer:
    """Search fixes for the findings of a state, or for some of them.

    Raises:
        OSError: a copy of the tree could not be made.
    """
    files = Files(state.devices.values())
    looked = Search(proof, None if selected is None else list(selected), state, files)
    looked.run()
    return Answer(
        looked.offers,
        looked.manual(),
        dict(files.by_name()),
        files.refused,
        looked.before,
        looked.state,
        proof,
    )
