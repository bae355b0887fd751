"""Which code points are usual in a network: what more than half of its devices protect.

A device that deviates is to be found, and must not choose the classes. So nothing here is decided
by one device where three or more speak: neither which code points are usual, nor how they came
into their class.
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
"""Code points that vendors' guides give RoCE data: quoted in exact ties, and not deciding them."""

_ROCE = re.compile(r"ro?ce|rdma|lossless", re.IGNORECASE)
FEW = 2
"""Devices of which one cannot be outvoted."""


@dataclass(slots=True, frozen=True)
class Candidate:
    """Code points that form one class: all of one priority or one queue.

    `sides` are the code points that stand against each other where as many devices have one as
    the other, and name it. `tie` quotes what speaks for one of them, and does not decide.
    """

    dscps: tuple[int, ...]
    group: int
    naming: Mention
    sides: tuple[tuple[int, ...], ...] = ()
    tie: str = ""


@dataclass(slots=True)
class Election:
    """The devices of one network and what each protects.

    Hosts come in copies, a thousand from one template: all of them together weigh as one switch.
    """

    voices: Sequence[Voice]
    paused: bool  # else they mark, and the number of a queue means something on one device only
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
            if left and 2 * max(left.values()) >= self.total:  # else these are the class itself
                self.votes = Counter(left)

    @property
    def total(self) -> int:
        """The weight of all devices that protect anything."""
        return sum(weight for voice, weight in self.weights if voice.kept.keys() & self.votes)

    def result(self) -> list[Candidate]:
        """The classes, in the order of their code points."""
        total = self.total
        known = {
            dscp
            for dscp, weight in self.votes.items()
            if 2 * weight == total or self._most(weight, total)
        }
        self.group_of = self._priority_by_code(known)
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
        """More than half. Marking, which is cheap and switched on for many a queue, is weaker
        evidence than pause: there it takes two thirds (a choice of ours: as few as let one of
        three be outvoted).
        """
        return 2 * weight > total if self.paused else 3 * weight >= 2 * total

    def supporters(self, dscp: int) -> frozenset[str]:
        """Names of the devices that protect a code point."""
        return frozenset(voice.device.hostname for voice, _ in self.weights if dscp in voice.kept)

    def agrees(self, kept: ProtectedCode, dscp: int) -> bool:
        """Whether a device tells a code point apart as most do."""
        return not self.paused or self.group_of[dscp] in (kept.group, -1)

    def _priority_by_code(self, dscps: Iterable[int]) -> dict[int, int]:
        """By code point, the priority most devices pause it with; where nothing is paused, the
        code point of most devices with which it shares a queue on most of them.
        """
        known = sorted(dscps, key=lambda dscp: (-self.votes[dscp], dscp))
        if self.paused:
            return {dscp: self._group(dscp) for dscp in known}
        found: dict[int, int] = {}
        for dscp in known:
            found[dscp] = next((found[other] for other in found if self._shared(dscp, other)), dscp)
        return found

    def _group(self, dscp: int) -> int:
        told: Counter[int] = Counter()
        for voice, weight in self.weights:
            if dscp in voice.kept:
                told[voice.kept[dscp].group] += weight
        return min(told, key=lambda group: (-told[group], group))

    def _shared(self, dscp: int, other: int) -> bool:
        both = [
            (voice.kept[dscp].group == voice.kept[other].group, weight)
            for voice, weight in self.weights
            if dscp in voice.kept and other in voice.kept
        ]
        return 2 * sum(weight for same, weight in both if same) > sum(weight for _, weight in both)

    def _of_group(self, group: int, total: int) -> Candidate | None:
        """The class of one priority: of its usual code points, those with the best evidence."""
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
                if len(sides) > 1:  # each device has a line of its own, about another code point
                    return self._break_tie([self._best(side, group) for side in sides])
            return best
        sides = self._sides(even)
        on = [self.supporters(min(side)) for side in sides]
        if not any(on[0].isdisjoint(other) for other in on[1:]):
            return None  # some devices protect more than the others: they are out of step
        return self._break_tie([self._best(side, group) for side in sides])

    def _is_named(self, dscp: int) -> bool:
        """Whether a line of more than half of all devices names a code point, wherever it puts it,
        and those that protect it do it by that line. What routing protocols send is named anyway.
        """
        return self._is_by_line(dscp) and 2 * self._count_devices_naming(dscp) > len(self.voices)

    def _is_by_line(self, dscp: int) -> bool:
        """Whether the devices that protect a code point all do it by a line about it."""
        by_line = (v.kept[dscp].naming >= Mention.BLOCK for v in self.voices if dscp in v.kept)
        return dscp not in CONTROL and all(by_line)

    def _count_devices_naming(self, dscp: int) -> int:
        return sum(names(voice.device, dscp) for voice in self.voices)

    def _best(self, usual: set[int], group: int) -> Candidate:
        """Of code points of one group, those that the jury of the best evidence names.

        A jury are the devices that name some of them so well. One device alone is heard where the
        others have no line about it at all, or are not more than one.
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
            told = {dscp: sum(w for named, w, _ in jury if dscp in named) for dscp in usual}
            chosen = {dscp for dscp in usual if 2 * told[dscp] > whole}
            if not chosen:
                by_jurors: dict[frozenset[int], list[int]] = defaultdict(list)
                for dscp in sorted(d for d in usual if 2 * told[d] == whole):
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
        """True where one device speaks against two or more whose lines put the same code points
        there in another way.
        """
        others = [
            voice
            for voice in self.voices
            if voice is not juror and self._codes_named(voice, usual, Mention.REST)
        ]
        return len(others) >= FEW

    def _sides(self, even: set[int]) -> list[set[int]]:
        """Code points that as many devices protect as do not, by the devices that do."""
        found: dict[frozenset[str], set[int]] = defaultdict(set)
        for dscp in sorted(even):
            found[self.supporters(dscp)].add(dscp)
        return list(found.values())

    def _break_tie(self, sides: list[Candidate]) -> Candidate:
        """Of sides of equal weight what more devices name, else all, and what is usual for RoCE."""
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
            "the number": [side for side in sides if _is_usual(side)],
            "the name of its class": [side for side in sides if self._is_called_roce(side)],
        }
        tie = next(
            (
                f"of DSCP {ranges(list(found[0].dscps))} {what} is usual for RoCE"
                for what, found in usual.items()
                if len(found) == 1
            ),
            "",
        )
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
        """Code points of several priorities are several classes; sides of a tie stay together."""
        if elected.sides:
            return [elected]
        groups: dict[int, list[int]] = defaultdict(list)
        self.group_of = self._priority_by_code(elected.dscps)
        for dscp in elected.dscps:
            groups[self.group_of[dscp]].append(dscp)
        return [replace(elected, dscps=tuple(each), group=g) for g, each in groups.items()]

    def _worthy(self, found: list[Candidate]) -> list[Candidate]:
        """Without classes that no line is about, where there is one: a platform's default has
        classes that nobody uses. One that is paused and marked is meant.
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
        """Whether most devices that protect the class mark it too."""
        told = [
            (voice.kept[dscp].marks, weight)
            for voice, weight in self.weights
            for dscp in elected.dscps
            if dscp in voice.kept and not voice.device.is_host
        ]
        return 2 * sum(weight for marks, weight in told if marks) > sum(w for _, w in told)


def _bare(side: set[int], election: Election) -> Candidate:
    """The code points of a side that have no group in common with others, by their best naming."""
    naming = {
        dscp: max(v.kept[dscp].naming for v in election.voices if dscp in v.kept) for dscp in side
    }
    best = max(naming.values())
    return Candidate(tuple(sorted(d for d in side if naming[d] is best)), -1, best)


def _is_usual(side: Candidate) -> bool:
    return any(dscp in USUAL_NUMBERS for dscp in side.dscps)


def _inside(voices: Iterable[Voice]) -> frozenset[int]:
    """Code points that switches protect among themselves, and that no host sends.

    Such are what a leaf protects on its uplinks and not on its ports to hosts; and what spines
    protect beside a code point of the same class that hosts do send, without naming it.
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
            and any(
                voice.kept[other].group == voice.kept[dscp].group
                for other in at_edge & voice.kept.keys()
            )
        ]
        if uplinks or len(wider) == len(keeping):
            found.add(dscp)
    return frozenset(found)
