"""Code points, forwarding classes, and the classifiers and rewrite rules that use both."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from roce_lint.model.qos import CodeMap, Match, MatchKind, Rewrite
from roce_lint.model.units import DSCP_NAMES
from roce_lint.nos.declare import Default
from roce_lint.nos.junos import BUILT_IN, BUILT_IN_NO_LOSS, BUILT_IN_ON_SOME, defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import whole_of

# Code points in Junos syntax: bits, standard names and user-defined aliases.

DSCP_ALIASES = {**DSCP_NAMES, "nc1": 48, "nc2": 56}
PCP_ALIASES = {
    "be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "nc2": 7,
    "cs6": 6, "cs7": 7,
}  # fmt: skip
"""Names of 802.1p code points (Junos code-point aliases)."""

DSCP = ("dscp", "dscp-ipv6")
PCP = ("ieee-802.1", "ieee-802.1ad")


class CodePoints:
    """Parses code points of one device, including its aliases."""

    def __init__(self, context: Context) -> None:
        self._known: dict[str, dict[str, int]] = {
            **{kind: dict(DSCP_ALIASES) for kind in DSCP},
            **{kind: dict(PCP_ALIASES) for kind in PCP},
        }
        for kind, aliases in context.cos.get("code-point-aliases").pairs():
            if kind not in self._known:
                aliases.take_all()
                continue
            for name in aliases.names():
                bits = aliases.text(name)
                text = bits.value or ""
                number = _bits(text, _width(kind))
                if number is not None:
                    self._known[kind][name] = number
                    continue
                context.bad(f"code point {text[:32]!r} is not {_width(kind)} bits", bits.position)

    def number(self, kind: str, text: str) -> int | None:
        """A code point of a classifier of this kind; None if invalid."""
        number = _bits(text, _width(kind))
        return self._known.get(kind, {}).get(text) if number is None else number


def _bits(text: str, width: int) -> int | None:
    return whole_of(text, 2) if len(text) == width and re.fullmatch(r"[01]+", text) else None


def _width(kind: str) -> int:
    return 6 if kind in DSCP else 3


# Classes.

CLASS = "forwarding class"
CLASSIFIER = "qos policy"
REWRITE = "dscp rewrite map"

HIGHEST_QUEUE = 11
HIGHEST_PRIORITY = 7
IMPORT_LIMIT = 16
"""Length of a chain of classifiers that import one another."""

UNPAUSED = 100
"""Offset of the traffic class number for packets of a class that a port does not send PFC for."""

NETWORK_CONTROL = (48, 56)


@dataclass(slots=True)
class ForwardingClass:
    """One forwarding class; `tc` is its number in the model, if possible that of its queue."""

    name: str
    tc: int
    queue: Value[int]
    priority: Value[int]  # of the pause sent for it; absent where it is not lossless
    begin: int
    losses: set[str] = field(default_factory=set)  # loss priorities that classifiers give with it


class Classes:
    """Forwarding classes of a device: its own, and the system's that it uses."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.by_name: dict[str, ForwardingClass] = {}
        self.doubtful: dict[str, int] = {}  # lines whose notes state why they are not lossless
        self._numbers: set[int] = set()
        names = context.reading.names
        stated = context.cos.get("forwarding-classes")
        for name, branch in stated.get("class").pairs():
            self._define(name, branch, branch.find("queue-num").value())
        for number, branch in stated.get("queue").pairs():
            for name, below in branch.pairs():
                self._define(name, below, Value(number, below.begin))
        self._compare()
        names.builtin(CLASS, *BUILT_IN, *BUILT_IN_ON_SOME)
        sets = context.cos.get("forwarding-class-sets")
        for name in sets.names():
            for member in sets.get(name).words("class"):
                self.find(member)

    def find(self, name: Value[str]) -> ForwardingClass | None:
        """The class that a line names; None if undefined."""
        self.context.reading.names.refer(CLASS, name.value or "", name.position)
        return self.get(name.value or "")

    def get(self, name: str) -> ForwardingClass | None:
        """A class by name; system classes are created on demand."""
        if name not in self.by_name and name in BUILT_IN:
            queue = self.context.reading.default(BUILT_IN[name])
            priority = queue if name in BUILT_IN_NO_LOSS else ABSENT
            self._add(name, queue, priority, 0)
        return self.by_name.get(name)

    def _add(self, name: str, queue: Value[int], priority: Value[int], begin: int) -> None:
        """Add a class with the number of its queue, if no other class has it."""
        number = queue.value if queue.value is not None else HIGHEST_QUEUE + 1
        while number in self._numbers:
            number = max(number, HIGHEST_QUEUE) + 1
        self._numbers.add(number)
        self.by_name[name] = ForwardingClass(name, number, queue, priority, begin)

    def names(self) -> dict[int, str]:
        """The name of each traffic class of the model."""
        return {
            number: each.name
            for each in self.by_name.values()
            for number in (each.tc, each.tc + UNPAUSED)
        }

    def of_queue(self, queue: int, otherwise: str) -> ForwardingClass | None:
        """The class of a queue, the device's own first, else a system class."""
        own = (e for e in self.by_name.values() if e.queue.value == queue and e.begin)
        return next(own, None) or self.get(otherwise)

    @property
    def lossless(self) -> list[ForwardingClass]:
        """Classes that can be lossless."""
        return [each for each in self.by_name.values() if each.priority.value is not None]

    def _define(self, name: str, branch: Branch, number: Value[str]) -> None:
        branch.take()
        queue = self.context.bounded(number, "queue", HIGHEST_QUEUE)
        self.context.reading.names.define(CLASS, name, branch.begin, matters=False)
        no_loss = branch.find("no-loss")
        no_loss.take()
        stated = branch.find("pfc-priority").value()
        priority = self.context.bounded(stated, "pfc-priority", HIGHEST_PRIORITY)
        if stated and (not priority or not no_loss):
            self.doubtful[name] = stated.position
        if not no_loss:
            if priority:
                message = f"class {name} has a pfc-priority and is not no-loss: it is never paused"
                self.context.bad(message, priority.position)
            priority = ABSENT
        elif not stated and queue.value is not None and queue.value <= HIGHEST_PRIORITY:
            default = self.context.reading.default(defaults.PRIORITY_OF_QUEUE)
            priority = Value(queue.value, default.position)
        if not queue and name in BUILT_IN:
            queue = self.context.reading.default(BUILT_IN[name])
        self._add(name, queue, priority, branch.begin)

    def _compare(self) -> None:
        """Note no-loss and lossy classes that share a queue, which the device refuses."""
        for each in self.lossless:
            for other in self.by_name.values():
                shared = other.queue.value is not None and other.queue.value == each.queue.value
                lossy = other.priority.value is None and other.name not in self.doubtful
                if shared and lossy:
                    message = (
                        f"class {other.name} is lossy and shares queue {each.queue.value} with "
                        f"class {each.name}, which is no-loss"
                    )
                    self.context.conflict(message, other.begin, each.begin)


@dataclass(slots=True)
class CodeClass:
    """A classifier of one kind of code points: the class of each, with its line.

    `undefined` are the lines of code points with an undefined class, `empty` those of lossless
    classes without a code point.
    """

    name: str
    begin: int
    classes: dict[int, tuple[ForwardingClass, int]] = field(default_factory=dict)
    undefined: dict[int, int] = field(default_factory=dict)
    matches: list[Match] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    imports: Value[str] = ABSENT

    def code_map(self, codes: range, rest: tuple[int, int] | None, context: Context) -> CodeMap:
        """The map of the model; `rest` is the class of other code points, with its line."""
        at: dict[Hashable, int] = {"": self.begin}
        at.update(self.undefined.items())
        at.update((code, position) for code, (_, position) in self.classes.items())
        made = CodeMap(
            src=context.reading.src,
            at=at,
            name=self.name,
            entries={code: self.classes[code][0].tc for code in sorted(self.classes)},
        )
        if rest is not None and self.undefined.keys() - self.classes.keys():
            # `otherwise` would cover the undefined ones too
            for code in sorted(set(codes) - {*self.classes, *self.undefined}):
                made.entries[code], made.at[code] = rest
        elif rest is not None and len(self.classes) < len(codes):
            made.otherwise, made.at["otherwise"] = rest
        return made


class Pair(NamedTuple):
    """The classifiers of a port; None for a field without one, or with an undefined one."""

    by_dscp: CodeClass | None
    by_pcp: CodeClass | None


class Classifiers:
    """All classifiers of a device, by kind and name."""

    def __init__(self, context: Context, classes: Classes, codes: CodePoints) -> None:
        self.context = context
        self.classes = classes
        self.codes = codes
        self.stated: dict[tuple[str, str], CodeClass] = {}
        context.reading.names.builtin(CLASSIFIER, "default")
        for kind, named in context.cos.get("classifiers").pairs():
            if kind not in (*DSCP, *PCP):
                named.take_all()
                continue
            for name, branch in named.pairs():
                self._read(kind, name, branch)
        for (kind, _), each in self.stated.items():
            self._import(kind, each)

    def get(self, kind: str, name: str) -> CodeClass | None:
        """A classifier by name; `default` is the system's."""
        if name == "default" and (kind, name) not in self.stated:
            self.stated[kind, name] = self.system(kind, defaults.CLASSIFIER)
        return self.stated.get((kind, name))

    def system(self, kind: str, default: Default) -> CodeClass:
        """The default classifier of the system."""
        position = self.context.reading.default(default).position
        made = CodeClass("default", self.context.begin)
        control = self.classes.of_queue(7, "network-control")
        if kind in DSCP and control is not None:
            made.classes = dict.fromkeys(NETWORK_CONTROL, (control, position))
        return made

    def rest(self, default: Default) -> tuple[int, int] | None:
        """Class of a code point that a classifier does not name, with its citation."""
        best = self.classes.of_queue(0, "best-effort")
        return None if best is None else (best.tc, self.context.reading.default(default).position)

    def _read(self, kind: str, name: str, branch: Branch) -> None:
        reading = self.context.reading
        reading.names.define(CLASSIFIER, name, branch.begin)
        found = self.stated[kind, name] = CodeClass(name, branch.begin)
        found.imports = branch.text("import")
        matched_by = MatchKind.DSCP if kind in DSCP else MatchKind.PCP
        for class_name, below in branch.get("forwarding-class").pairs():
            named = self.classes.find(Value(class_name, below.begin))
            matches = []
            for loss, points in below.get("loss-priority").pairs():
                points.take()
                reading.accepts_word("loss-priority", loss, points.begin)
                codes = points.get("code-points")
                values = self._points(kind, found, named or below.begin, loss, codes)
                if values.value:
                    matches.append((matched_by, values, f"loss-priority {loss}"))
            below.take()
            if not matches:
                if named is not None and named.priority.value is not None:
                    found.empty.append(below.begin)
                matches = [(MatchKind.NOTHING, Value(frozenset(), below.begin), "")]
            for match_kind, values, text in matches:
                tc = Value(None if named is None else named.tc, values.position)
                made = reading.build(Match, values.position, kind=match_kind, values=values, tc=tc)
                made.class_name, made.text = class_name, text
                found.matches.append(made)

    def _points(
        self, kind: str, found: CodeClass, given: ForwardingClass | int, loss: str, points: Branch
    ) -> Value[frozenset[int]]:
        """Code points of a class and loss priority; `given`: it, or the line of an undefined."""
        values: set[int] = set()
        position = 0
        for text, point in points.pairs():
            point.take()
            code = self.codes.number(kind, text)
            if code is None:
                self.context.bad(f"{text[:32]!r} is not a {kind} code point", point.begin)
                continue
            values.add(code)
            position = position or point.begin
            if not isinstance(given, ForwardingClass):
                found.undefined[code] = given
                continue
            earlier = found.classes.get(code)
            if earlier is not None and earlier[0] is not given:
                message = (
                    f"classifier {found.name} puts {kind} code point {text} into class "
                    f"{earlier[0].name} and into {given.name}"
                )
                self.context.conflict(message, point.begin)
            given.losses.add(loss)
            found.classes[code] = (given, point.begin)
        return Value(frozenset(values), position)

    def _import(self, kind: str, found: CodeClass) -> None:
        """Add the imported entries of a classifier; its own entries win."""
        source = found
        for _ in range(IMPORT_LIMIT):
            name = source.imports
            if name.value is None:
                return
            if name.value == "default":
                given: CodeClass | None = self.system(kind, defaults.IMPORTED)
            else:
                self.context.reading.refer(CLASSIFIER, name)
                given = self.stated.get((kind, name.value))
            if given is None or given is found:
                return
            for code, entry in given.classes.items():
                found.classes.setdefault(code, entry)
            found.undefined = {**given.undefined, **found.undefined}
            source = given

    def rewrites(self) -> dict[str, Rewrite]:
        """Rewrite rules for DSCP; `default` is the system's: the default DSCP of each class."""
        made = {}
        build, names = self.context.reading.build, self.context.reading.names
        names.builtin(REWRITE, "default")
        for kind, named in self.context.cos.get("rewrite-rules").pairs():
            for name, branch in named.pairs():
                if kind not in DSCP:
                    branch.take_all()
                    continue
                names.define(REWRITE, name, branch.begin)
                table = build(CodeMap, branch.begin, name=name)
                self._rewrite(kind, branch, table)
                made[name] = build(
                    Rewrite, branch.begin, name=name, tc_to_dscp=table, active=True, on_trusted=True
                )
        return made

    def _rewrite(self, kind: str, branch: Branch, table: CodeMap) -> None:
        branch.text("import")
        for class_name, below in branch.get("forwarding-class").pairs():
            found = self.classes.find(Value(class_name, below.begin))
            by_loss = dict(below.get("loss-priority").pairs())
            for loss in sorted(by_loss, key=lambda loss: loss != "low"):
                point = by_loss[loss].text("code-point")
                if point.value is None:
                    continue
                code = self.codes.number(kind, point.value)
                if code is None:
                    message = f"{point.value[:32]!r} is not a {kind} code point"
                    self.context.bad(message, point.position)
                elif found is not None:
                    for tc in (found.tc, found.tc + UNPAUSED):
                        table.entries.setdefault(tc, code)
                        table.at.setdefault(tc, point.position)
