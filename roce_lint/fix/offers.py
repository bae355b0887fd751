"""From findings to changes that are proved: tried all together first, what fails by halves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from roce_lint.engine.finding import Finding, Occurrence, Severity
from roce_lint.fix.changes import Changes
from roce_lint.fix.equals import Deviation, Equals, Way
from roce_lint.fix.files import ConfigFile, Files
from roce_lint.fix.law import PERSON
from roce_lint.fix.prove import Atom, Proof, State, atoms
from roce_lint.fix.target import restatements
from roce_lint.model.change import Safety
from roce_lint.model.object_diff import Difference
from roce_lint.model.values import spell_value

ROUNDS = 24
"""Ways that are tried for one finding."""

PROOFS = 200
"""Times that the whole fabric is judged for one answer, so that it costs as much as the fabric is
large and not as its square. Ways that work are tried together: many causes need few."""

TOO_MANY = f"no way was found in {PROOFS} tries; fewer findings (--select, --device) get more"

FAR = 4
"""Ways tried that are neither on the lines of a finding nor on its ports."""


@dataclass(slots=True)
class Case:
    """One finding on one device, with the ways in which it may be put right."""

    finding: Finding
    occurrence: Occurrence
    ways: list[Way]
    atoms: frozenset[Atom]
    reason: str = ""
    """Why nothing is offered."""


@dataclass(slots=True)
class Offer:
    """Changes that are proved: these findings go, nothing comes, and this is what is changed."""

    way: Way
    cases: list[Case]
    changes: list[Difference] = field(default_factory=list)

    @property
    def safety(self) -> Safety:
        """What applying it may do to traffic; what is not known counts as the worst."""
        told = {
            (change.path.field.rsplit(".", 1)[-1], change.safety)
            for case in self.cases
            for change in case.occurrence.changes
        }
        made = {each.path.steps[-1].field for each in self.changes if each.path.steps}
        safe = {field for field, safety in told if safety is Safety.SAFE}
        return Safety.SAFE if made and made <= safe else Safety.DISRUPTIVE

    @property
    def why(self) -> str:
        """Who has it so."""
        return ", ".join(dict.fromkeys(each.why for each in self.way))


@dataclass(slots=True)
class Answer:
    """What is offered, what is left to a person, and the fabric before and after."""

    offers: list[Offer]
    manual: list[Case]
    files: dict[str, ConfigFile]
    refused: dict[str, str]
    before: State
    after: State
    proof: Proof

    def at(self, offers: Sequence[Offer]) -> State:
        """What stands when some of the offers are taken."""
        if len(offers) == len(self.offers):
            return self.after
        if not offers:
            return self.before
        return self.proof.with_changes([each for o in offers for each in o.way], self.files)


class Search:
    """Looks for changes that put findings right."""

    def __init__(self, proof: Proof, wanted: Sequence[Finding] | None, state: State, files: Files):
        self._proof = proof
        self._files = files
        self._named = dict(files.by_name())
        self.before = self.state = state
        self.accepted: list[Way] = []
        self.offers: list[Offer] = []
        analysis = state.report.analysis
        self._equals = Equals(analysis, files) if analysis is not None else None
        self._changes = Changes(proof, state, self._named)
        findings = state.report.findings if wanted is None else wanted
        self.cases = [
            self._case(finding, occurrence)
            for finding in findings
            if finding.suppressed is None and finding.severity is not Severity.INFO
            for occurrence in finding.occurrences
        ]

    def run(self) -> None:
        """Try the ways of all findings, the likeliest of each at once."""
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
        """The findings that are left to a person, each with the reason."""
        left = self._remaining_cases()
        for case in left:
            if not case.reason:
                case.reason = self._why_not(case)
        return left

    def _why_not(self, case: Case) -> str:
        if not self._files.of(case.occurrence.device):
            names = {place.file for place in case.occurrence.locations}
            told = [self._files.refused[name] for name in names if name in self._files.refused]
            return f"its file {told[0]}" if told else "no file of it can be corrected"
        return "neither a check nor its equals say what it should be"

    def _case(self, finding: Finding, occurrence: Occurrence) -> Case:
        one = finding.restrict([occurrence])
        devices = list(self.before.devices.values())
        found = self._equals.deviations(occurrence.device) if self._equals is not None else []
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
        """The next way of a case that goes together with what is accepted and what is tried."""
        done = [each for way in (*self.accepted, *batch) for each in way]
        for way in list(case.ways):
            if way not in batch and any(_meet(each, other) for each in way for other in done):
                continue  # it may fit when what is tried now was refused
            case.ways.remove(way)
            reason = self._changes.refusal(way)
            if not reason:
                return way
            if not reason.endswith(PERSON):
                case.reason = case.reason or reason
        return None

    def _settle(self, batch: dict[Way, list[Case]]) -> None:
        """Accept those ways of a batch that put their findings right and do no harm."""
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
            self._refuse(batch, reason or "it does not help")
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
        """What is worse than before, and on which devices; empty where nothing is."""
        new = sorted(state.atoms - self.state.atoms - self._atoms_of_others(state, batch))
        if new:
            rule, _, device, subject, _ = new[0]
            said = f"{rule} would come on {device} {subject}".rstrip()
            return said, {atom[2] for atom in new}
        opened = sorted(state.open - self.state.open)
        if opened:
            devices = {word for each in opened for word in each if word in state.devices}
            return f"something would not be known: {' '.join(opened[0][1:])}", devices
        if state.scope != self.state.scope:
            return "the links, or what is checked as RoCE, would change", set()
        if state.report.verdict.judged < self.state.report.verdict.judged:
            return "fewer NIC pairs could be checked", set()
        if state.devices.keys() != self.state.devices.keys():
            return "a device would be another one", set()
        return "", set()

    def _atoms_of_others(self, state: State, batch: dict[Way, list[Case]]) -> frozenset[Atom]:
        """What other findings say, which stand already, of ports on which they could not be seen:
        these were broken before that by what is mended now.
        """
        known = {finding.fingerprint for finding in self.state.report.findings}
        ports = self._ports_in_question(batch)
        stood = atoms(f for f in state.report.findings if f.fingerprint in known)
        return frozenset(atom for atom in stood if (atom[2], atom[3]) in ports)

    def _ports_in_question(self, batch: dict[Way, list[Case]]) -> set[tuple[str, str]]:
        """The ports that findings are about or reach, and what is linked to them: what could not
        be seen behind these faults is seen when they are mended.
        """
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
    """How near to what a finding names a change is."""
    lines = {place.line for place in occurrence.locations if place.file == way.file}
    splice = way.splice
    touched = range(splice.first, max(splice.end, splice.first + 1))
    if lines & set(touched):
        return 0
    if way.port and way.port in occurrence.subjects:
        return 1
    return 2 if any(way.header <= line <= splice.first for line in lines) else _ELSEWHERE


def _stanzas(near: list[Deviation]) -> list[Way]:
    """All changes of a stanza together, and all of them."""
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
    """A change of the model in words."""
    name = each.path.steps[-1].field if each.path.steps else ""
    return f"{each.path}: {spell_value(each.a, name)} -> {spell_value(each.b, name)}"


def search(proof: Proof, state: State, wanted: Iterable[Finding] | None = None) -> Answer:
    """All that is offered for the findings of a state, or for some of them.

    Raises:
        OSError: a copy of the tree could not be made.
    """
    files = Files(state.devices.values())
    looked = Search(proof, None if wanted is None else list(wanted), state, files)
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
