"""Usual DSCPs of a network: those that more than half of its devices protect.

A deviating device must be found, not define the classes. So where three or more vote, one device
decides neither the usual DSCPs nor the reason for their class.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from roce_lint.analysis.protection import CONTROL, Mention, ProtectedCode, Voice, names
from roce_lint.model.units import ranges
from roce_lint.text.numbers import whole_part

UNMARKED = 0
USUAL_NUMBERS = (24, 26)
"""DSCPs that vendor guides use for RoCE data: quoted in exact ties, without deciding them."""

_ROCE = re.compile(r"ro?ce|rdma|lossless", re.IGNORECASE)
FEW = 2
"""Largest number of devices in which none can be outvoted."""


@dataclass(slots=True, frozen=True)
class Candidate:
    """DSCPs of one class: all of one priority or one queue.

    `sides` are the alternatives of a tie: DSCPs named by equally many devices. `tie` quotes the
    argument for one of them, and does not decide.
    """

    dscps: tuple[int, ...]
    group: int
    naming: Mention
    sides: tuple[tuple[int, ...], ...] = ()
    tie: str = ""


@dataclass(slots=True)
class Election:
    """Election of the classes of one network by its devices.

    Hosts are copies of a few templates: all of them together weigh as much as one switch.
    """

    voices: Sequence[Voice]
    paused: bool  # else they mark ECN, and queue numbers are local to a device
    left_out: frozenset[int] = frozenset()
    weights: list[tuple[Voice, int]] = field(init=False)
    votes: Counter[int] = field(init=False)
    group_of: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        hosts = sum(voice.device.is_host for voice in self.voices)
        alone = hosts == len(self.voices)
        self.weights = [
            (voice, 1 if alone or voice.device.is_host else max(hosts, 1)) for voice in self.voices
        ]
        self.votes = Counter()
        for voice, weight in self.weights:
            for dscp in voice.kept.keys() - self.left_out:
                self.votes[dscp] += weight
        for out in (_inside(self.voices), frozenset(CONTROL), frozenset({UNMARKED})):
            left = {dscp: weight for dscp, weight in self.votes.items() if dscp not in out}
            if left and 2 * max(left.values()) >= self.total:  # otherwise they are the class
                self.votes = Counter(left)

    @property
    def total(self) -> int:
        """Weight of all devices that protect anything."""
        return sum(weight for voice, weight in self.weights if voice.kept.keys() & self.votes)

    def result(self) -> list[Candidate]:
        """Elected classes, ordered by DSCP."""
        total = self.total
        self.group_of = self._priority_by_code(
            dscp
            for dscp, weight in self.votes.items()
            if 2 * weight == total or self._most(weight, total)
        )
        found = [
            each
            for group in sorted(set(self.group_of.values()))
            if (each := self._of_group(group, total)) is not None
        ]
        most = max(self.votes.values(), default=0)
        even = {dscp for dscp, weight in self.votes.items() if weight == most}
        sides = [] if found else self._sides(even)
        halves = 2 * most == total and len(sides) > 1
        if sides and (self.paused or halves or len(self.voices) <= FEW):
            self.group_of = dict.fromkeys(even, -1)
            found = self._split(self._break_tie([_bare(side, self) for side in sides]))
        return sorted(self._worthy(found), key=lambda each: each.dscps)

    def _most(self, weight: int, total: int) -> bool:
        """Whether a weight is a majority: more than half for PFC. ECN marking is often on for many
        queues and weaker evidence: there it takes two thirds, so that one of three can be outvoted.
        """
        return 2 * weight > total if self.paused else 3 * weight >= 2 * total

    def supporters(self, dscp: int) -> frozenset[str]:
        """Names of the devices that protect a DSCP."""
        return frozenset(voice.device.hostname for voice, _ in self.weights if dscp in voice.kept)

    def agrees(self, kept: ProtectedCode, dscp: int) -> bool:
        """Whether a device has a DSCP in the group of the majority."""
        return not self.paused or self.group_of[dscp] in (kept.group, -1)

    def _priority_by_code(self, dscps: Iterable[int]) -> dict[int, int]:
        """The PFC priority of most devices by DSCP; without PFC, the most supported DSCP that
        shares a queue with it on most devices.
        """
        known = sorted(dscps, key=lambda dscp: (-self.votes[dscp], dscp))
        if self.paused:
            return {dscp: self._group(dscp) for dscp in known}
        found: dict[int, int] = {}
        for dscp in known:
            found[dscp] = next((found[other] for other in found if self._shared(dscp, other)), dscp)
        return found

    def _group(self, dscp: int) -> int:
        weights: Counter[int] = Counter()
        for voice, weight in self.weights:
            if dscp in voice.kept:
                weights[voice.kept[dscp].group] += weight
        return min(weights, key=lambda group: (-weights[group], group))

    def _shared(self, dscp: int, other: int) -> bool:
        both = [
            (voice.kept[dscp].group == voice.kept[other].group, weight)
            for voice, weight in self.weights
            if dscp in voice.kept and other in voice.kept
        ]
        return 2 * sum(weight for same, weight in both if same) > sum(weight for _, weight in both)

    def _of_group(self, group: int, total: int) -> Candidate | None:
        """Class of one priority: of its usual DSCPs, those with the best evidence."""
        mine = {dscp for dscp, its in self.group_of.items() if its == group}
        usual = {dscp for dscp in mine if self._most(self.votes[dscp], total)}
        even = mine - usual
        if usual:
            best = self._best(usual, group)
            if best.naming is Mention.DEFAULT:
                named = {dscp for dscp in even if self._is_named(dscp)}
                if named:
                    return self._best(named, group)
                sides = self._sides({dscp for dscp in even if self._is_by_line(dscp)})
                if len(sides) > 1:  # each device has a line about another DSCP
                    return self._break_tie([self._best(side, group) for side in sides])
            return best
        sides = self._sides(even)
        on = [self.supporters(min(side)) for side in sides]
        if not any(on[0].isdisjoint(other) for other in on[1:]):
            return None  # some devices protect more than the others
        return self._break_tie([self._best(side, group) for side in sides])

    def _is_named(self, dscp: int) -> bool:
        """Whether more than half of all devices name a DSCP in a line, in any class, and those that
        protect it do so by that line. DSCPs of routing protocols do not count.
        """
        return self._is_by_line(dscp) and 2 * self._count_devices_naming(dscp) > len(self.voices)

    def _is_by_line(self, dscp: int) -> bool:
        """Whether all devices that protect a DSCP do so by a line about it."""
        by_line = (v.kept[dscp].naming >= Mention.BLOCK for v in self.voices if dscp in v.kept)
        return dscp not in CONTROL and all(by_line)

    def _count_devices_naming(self, dscp: int) -> int:
        return sum(names(voice.device, dscp) for voice in self.voices)

    def _best(self, usual: set[int], group: int) -> Candidate:
        """Of the usual DSCPs of one group, those named by a majority of the jury.

        The jury are the devices whose lines name some of them most precisely. A jury of one device
        counts unless two or more others have lines about them.
        """
        for tier in (Mention.NAMED, Mention.BLOCK, Mention.REST):
            jury = [
                (named, weight, voice)
                for voice, weight in self.weights
                if (named := self._codes_named(voice, usual, tier))
            ]
            if not jury or (len(jury) == 1 and self._is_outvoted(jury[0][2], usual)):
                continue
            whole = sum(weight for _, weight, _ in jury)
            weights = {dscp: sum(w for named, w, _ in jury if dscp in named) for dscp in usual}
            chosen = {dscp for dscp in usual if 2 * weights[dscp] > whole}
            if not chosen:
                by_jurors: dict[frozenset[int], list[int]] = defaultdict(list)
                for dscp in sorted(d for d in usual if 2 * weights[d] == whole):
                    naming = frozenset(i for i, (named, *_) in enumerate(jury) if dscp in named)
                    by_jurors[naming].append(dscp)
                sides = [Candidate(tuple(each), group, tier) for each in by_jurors.values()]
                if not sides:
                    continue
                return replace(self._break_tie(sides), sides=())
            return Candidate(tuple(sorted(chosen)), group, tier)
        return Candidate(tuple(sorted(usual)), group, Mention.DEFAULT)

    def _codes_named(self, voice: Voice, dscps: set[int], tier: Mention) -> set[int]:
        return {
            dscp
            for dscp in dscps & voice.kept.keys()
            if voice.kept[dscp].naming >= tier and self.agrees(voice.kept[dscp], dscp)
        }

    def _is_outvoted(self, juror: Voice, usual: set[int]) -> bool:
        """True where one device opposes two or more that protect the DSCPs by other lines."""
        others = (voice for voice in self.voices if voice is not juror)
        return sum(bool(self._codes_named(v, usual, Mention.REST)) for v in others) >= FEW

    def _sides(self, even: set[int]) -> list[set[int]]:
        """DSCPs with half of the votes, grouped by the devices that protect them."""
        found: dict[frozenset[str], set[int]] = defaultdict(set)
        for dscp in sorted(even):
            found[self.supporters(dscp)].add(dscp)
        return list(found.values())

    def _break_tie(self, sides: list[Candidate]) -> Candidate:
        """Of alternatives with equal weight, the one named by more devices; else all of them."""
        if len(sides) == 1:
            return sides[0]
        reasons: list[Callable[[Candidate], int]] = [
            lambda side: max(map(self._count_devices_naming, side.dscps)),
            lambda side: whole_part(side.naming),
        ]
        for score in reasons:
            best = max(map(score, sides))
            sides = [side for side in sides if score(side) == best]
            if len(sides) == 1:
                return sides[0]
        usual = {
            "number": [side for side in sides if {*USUAL_NUMBERS}.intersection(side.dscps)],
            "class name": [side for side in sides if self._is_called_roce(side)],
        }
        what, one = next(((k, f[0]) for k, f in usual.items() if len(f) == 1), ("", None))
        tie = f"the {what} of DSCP {ranges(list(one.dscps))} is usual for RoCE" if one else ""
        sides.sort(key=lambda side: side.dscps)
        dscps = tuple(sorted({dscp for side in sides for dscp in side.dscps}))
        naming = min(side.naming for side in sides)
        return Candidate(dscps, sides[0].group, naming, tuple(side.dscps for side in sides), tie)

    def _is_called_roce(self, side: Candidate) -> bool:
        called = (
            _ROCE.search(voice.kept[dscp].called)
            for voice in self.voices
            for dscp in side.dscps
            if dscp in voice.kept
        )
        return any(called)

    def _split(self, elected: Candidate) -> list[Candidate]:
        """Split DSCPs of several priorities into several classes, but not those of a tie."""
        if elected.sides:
            return [elected]
        groups: dict[int, list[int]] = defaultdict(list)
        self.group_of = self._priority_by_code(elected.dscps)
        for dscp in elected.dscps:
            groups[self.group_of[dscp]].append(dscp)
        return [replace(elected, dscps=tuple(each), group=g) for g, each in groups.items()]

    def _worthy(self, found: list[Candidate]) -> list[Candidate]:
        """Drop unused defaults of the platform, if any class is configured by a line. A default
        with PFC and ECN marking is intended.
        """
        if not any(each.naming >= Mention.BLOCK for each in found):
            best = max((each.naming for each in found), default=Mention.DEFAULT)
            return [each for each in found if each.naming is best or self._is_marked(each)]
        return [
            each
            for each in found
            if each.naming >= Mention.BLOCK
            or (each.naming is Mention.DEFAULT and self._is_marked(each))
        ]

    def _is_marked(self, elected: Candidate) -> bool:
        """Whether most switches that protect the class also mark ECN for it."""
        weights = [
            (voice.kept[dscp].marks, weight)
            for voice, weight in self.weights
            for dscp in elected.dscps
            if dscp in voice.kept and not voice.device.is_host
        ]
        return 2 * sum(weight for marks, weight in weights if marks) > sum(w for _, w in weights)


def _bare(side: set[int], election: Election) -> Candidate:
    """The DSCPs of a side that are named most precisely, without a common group."""
    naming = {
        dscp: max(v.kept[dscp].naming for v in election.voices if dscp in v.kept) for dscp in side
    }
    best = max(naming.values())
    return Candidate(tuple(sorted(d for d in side if naming[d] is best)), -1, best)


def _inside(voices: Iterable[Voice]) -> frozenset[int]:
    """DSCPs that switches protect among themselves, and that no host sends.

    These are DSCPs that leaves protect on uplinks only, and DSCPs that spines protect without
    naming them, beside a DSCP of the same class that hosts do send.
    """
    switches = [voice for voice in voices if not voice.device.is_host]
    at_edge = {dscp for voice in switches for dscp in voice.edge}
    if not at_edge:
        return frozenset()
    found = set()
    for dscp in {dscp for voice in switches for dscp in voice.core} - at_edge:
        keeping = [voice for voice in switches if dscp in voice.core]
        uplinks = [voice for voice in keeping if voice.edge]
        wider = [
            voice
            for voice in keeping
            if voice.kept[dscp].naming < Mention.NAMED
            and voice.kept[dscp].group in {voice.kept[n].group for n in at_edge & voice.kept.keys()}
        ]
        if uplinks or len(wider) == len(keeping):
            found.add(dscp)
    return frozenset(found)
