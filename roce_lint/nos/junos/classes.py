"""Forwarding classes, and the classifiers and rewrite rules that use them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.qos import CodeMap, Match, MatchKind, Rewrite
from roce_lint.nos.base import Default
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.codes import DSCP, PCP, CodePoints
from roce_lint.nos.junos.context import Context
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

CLASS = "forwarding class"
CLASSIFIER = "qos policy"
REWRITE = "dscp rewrite map"

HIGHEST_QUEUE = 11
HIGHEST_PRIORITY = 7
CODES = 64
PRIORITIES = 8
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
        names.builtin(CLASS, *defaults.BUILT_IN, *defaults.BUILT_IN_ON_SOME)
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
        found = self.by_name.get(name)
        default = defaults.BUILT_IN.get(name)
        if found is None and default is not None:
            queue = self.context.reading.default(default)
            lossless = name in defaults.BUILT_IN_NO_LOSS
            found = self.by_name[name] = ForwardingClass(
                name, self._number(queue.value), queue, queue if lossless else ABSENT, 0
            )
        return found

    def names(self) -> dict[int, str]:
        """The name of each traffic class of the model."""
        return {
            number: each.name
            for each in self.by_name.values()
            for number in (each.tc, each.tc + UNPAUSED)
        }

    def of_queue(self, queue: int, otherwise: str) -> ForwardingClass | None:
        """The class of a queue, the device's own first, else a system class."""
        for each in self.by_name.values():
            if each.queue.value == queue and each.begin:
                return each
        return self.get(otherwise)

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
        if not queue and name in defaults.BUILT_IN:
            queue = self.context.reading.default(defaults.BUILT_IN[name])
        self.by_name[name] = ForwardingClass(
            name, self._number(queue.value), queue, priority, branch.begin
        )

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

    def _number(self, queue: int | None) -> int:
        """The queue's number, if no other class has it."""
        number = queue if queue is not None else HIGHEST_QUEUE + 1
        while number in self._numbers:
            number = max(number, HIGHEST_QUEUE) + 1
        self._numbers.add(number)
        return number


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

    def code_map(self, codes: int, rest: tuple[int, int] | None, context: Context) -> CodeMap:
        """The map of the model; `rest` is the class of other code points, with its line."""
        at: dict[Hashable, int] = {"": self.begin}
        gone = {code: n for code, n in self.undefined.items() if code not in self.classes}
        at.update((code, position) for code, position in gone.items())
        at.update((code, position) for code, (_, position) in self.classes.items())
        made = CodeMap(
            src=context.reading.src,
            at=at,
            name=self.name,
            entries={code: self.classes[code][0].tc for code in sorted(self.classes)},
        )
        if rest is not None and gone:  # else `otherwise` would cover those too
            for code in sorted(set(range(codes)) - {*self.classes, *gone}):
                made.entries[code], made.at[code] = rest
        elif rest is not None and len(self.classes) < codes:
            made.otherwise, made.at["otherwise"] = rest
        return made


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
        for class_name, below in branch.get("forwarding-class").pairs():
            named = self.classes.find(Value(class_name, below.begin))
            for loss, points in below.get("loss-priority").pairs():
                points.take()
                reading.accepts_word("loss-priority", loss, points.begin)
                codes = points.get("code-points")
                self._points(kind, found, named or below.begin, class_name, loss, codes)
            below.take()
            if not any(match.class_name == class_name for match in found.matches):
                if named is not None and named.priority.value is not None:
                    found.empty.append(below.begin)
                nothing: Value[frozenset[int]] = Value(frozenset(), below.begin)
                given = named or below.begin
                self._add_match(found, MatchKind.NOTHING, nothing, class_name, given)

    def _points(
        self,
        kind: str,
        found: CodeClass,
        given: ForwardingClass | int,
        class_name: str,
        loss: str,
        points: Branch,
    ) -> None:
        """Code points of one class and loss priority; `given` is the class, or the line that names
        an undefined class.
        """
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
                    f"{earlier[0].name} and into {class_name}"
                )
                self.context.conflict(message, point.begin)
            given.losses.add(loss)
            found.classes[code] = (given, point.begin)
        if values:
            field = MatchKind.DSCP if kind in DSCP else MatchKind.PCP
            stated = Value(frozenset(values), position)
            self._add_match(found, field, stated, class_name, given, f"loss-priority {loss}")

    def _add_match(
        self,
        found: CodeClass,
        kind: MatchKind,
        values: Value[frozenset[int]],
        class_name: str,
        given: ForwardingClass | int,
        text: str = "",
    ) -> None:
        tc = given.tc if isinstance(given, ForwardingClass) else None
        made = self.context.reading.build(
            Match,
            values.position,
            kind=kind,
            values=values,
            class_name=class_name,
            text=text,
            tc=Value(tc, values.position),
        )
        found.matches.append(made)

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
                self.context.refer(CLASSIFIER, name)
                given = self.stated.get((kind, name.value))
            if given is None or given is found:
                return
            for code, entry in given.classes.items():
                found.classes.setdefault(code, entry)
            found.undefined = {**given.undefined, **found.undefined}
            source = given


def read_rewrites(context: Context, classes: Classes, codes: CodePoints) -> dict[str, Rewrite]:
    """Rewrite rules for DSCP; those for other fields do not affect RoCE.

    `default` is the system's: it writes the default DSCP of each system class.
    """
    made = {}
    build, names = context.reading.build, context.reading.names
    names.builtin(REWRITE, "default")
    for kind, named in context.cos.get("rewrite-rules").pairs():
        for name, branch in named.pairs():
            if kind not in DSCP:
                branch.take_all()
                continue
            names.define(REWRITE, name, branch.begin)
            table = build(CodeMap, branch.begin, name=name)
            _rewrite(context, classes, codes, kind, branch, table)
            made[name] = build(
                Rewrite, branch.begin, name=name, tc_to_dscp=table, active=True, on_trusted=True
            )
    return made


def _rewrite(
    context: Context,
    classes: Classes,
    codes: CodePoints,
    kind: str,
    branch: Branch,
    table: CodeMap,
) -> None:
    branch.text("import")
    for class_name, below in branch.get("forwarding-class").pairs():
        found = classes.find(Value(class_name, below.begin))
        by_loss = dict(below.get("loss-priority").pairs())
        for loss in sorted(by_loss, key=lambda loss: loss != "low"):
            point = by_loss[loss].text("code-point")
            if point.value is None:
                continue
            code = codes.number(kind, point.value)
            if code is None:
                context.bad(f"{point.value[:32]!r} is not a {kind} code point", point.position)
            elif found is not None:
                for tc in (found.tc, found.tc + UNPAUSED):
                    table.entries.setdefault(tc, code)
                    table.at.setdefault(tc, point.position)
