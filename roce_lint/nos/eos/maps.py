"""Device-wide QoS maps: code point to class, class to queue and PFC priority, class to rewrite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter

from roce_lint.model.qos import Classifier, CodeMap, Forwarding, Rewrite
from roce_lint.model.units import DSCPS, PRIORITIES, parse_dscp
from roce_lint.nos.declare import Default
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import SOURCE, Context, word
from roce_lint.nos.eos.lines import HIGHEST, numbers
from roce_lint.nos.quantities import code_map, upto
from roce_lint.nos.reading import Reader, Value

NAME = str(defaults.ONE_MAP.value)
"""Key of the one classifier, forwarding and rewrite of all ports."""

ANY = 10**12
"""Upper bound for numbers of a map if only the syntax of a list is checked."""

SECTION_GROUPS = (
    "dscp_map", "no_dscp_map", "cos_map", "no_cos_map", "queue_map", "no_queue_map",
    "rewrite_map", "rewrite_on", "rewrite_off",
)  # fmt: skip


@dataclass(slots=True)
class Maps:
    """The maps in force; `known` is False if the files lack the part that states them."""

    classifier: Classifier
    forwarding: Forwarding
    rewrite: Rewrite | None
    known: bool


def read_maps(context: Context) -> Maps:
    """All `qos map` lines over the platform defaults."""
    build = context.reading.build
    dscp = _Entries(context, "DSCP").default(defaults.DSCP_MAP, DSCPS)
    dscp.read("dscp_map", ("codes", dscp_codes), ("tc", _class_of))
    cos = _Entries(context, "CoS").default(defaults.COS_MAP, PRIORITIES)
    cos.read("cos_map", ("codes", numbers), ("tc", _class_of))
    rewrite = _Entries(context, "traffic class", "DSCP")
    rewrite.read("rewrite_map", ("classes", numbers), ("dscp", parse_dscp))
    active = context.switch(on="rewrite_on", off="rewrite_off")
    stated = any(True for group in SECTION_GROUPS for _ in context.reading.groups(SOURCE, group))
    return Maps(
        classifier=build(
            Classifier,
            context.begin,
            name=NAME,
            dscp_to_tc=dscp.build(),
            pcp_to_tc=cos.build(),
            builtin=not (dscp.lines or cos.lines),
        ),
        forwarding=_forwarding(context),
        rewrite=build(
            Rewrite,
            active.position or rewrite.begin,
            name=NAME,
            tc_to_dscp=rewrite.build(),
            active=active.or_else(context.default(defaults.REWRITE_OFF)),
        )
        if rewrite.lines or active
        else None,
        known=context.whole or stated,
    )


def dscp_codes(text: str) -> frozenset[int] | None:
    """DSCPs from numbers, names and ranges; None if a word is invalid."""
    found: frozenset[int] = frozenset()
    for part in re.split(r"[,\s]+", re.sub(r"(?<!\s)\s*-\s*(?=\d)", "-", text.strip())):
        code = parse_dscp(part)
        span = numbers(part, DSCPS[-1]) if code is None else frozenset({code})
        if span is None:
            return None
        found |= span
    return found


def _forwarding(context: Context) -> Forwarding:
    queues = _Entries(context, "traffic class", "queue").default(defaults.QUEUE_MAP, PRIORITIES)
    queues.default(defaults.QUEUE_MAP_LOW, range(2))
    queues.read(
        "queue_map",
        ("classes", lambda text: numbers(text.partition(" to ")[0])),  # the `no` form names both
        ("queue", lambda text: upto(HIGHEST)(text.split()[-1])),  # `tx-queue 3`
    )
    pause = _Entries(context, "").default(defaults.PFC_PRIORITY, PRIORITIES).build()
    groups = _Entries(context, "").default(defaults.PRIORITY_GROUP, PRIORITIES).build()
    return context.reading.build(
        Forwarding,
        context.begin,
        name=NAME,
        tc_to_queue=queues.build(),
        tc_to_pg=groups,
        tc_to_pfc_priority=pause,
        # Received PFC stops the queue of the class with the same number as the priority.
        pfc_priority_to_queue=queues.build(),
        pfc_priority_to_pg=groups,
    )


class _Entries:
    """Entries of one map while its lines are read in order."""

    def __init__(self, context: Context, what: str, into: str = "traffic class") -> None:
        self.context = context
        self.what = what
        self.into = into
        self.lines: list[int] = []
        self._entries: dict[int, Value[int]] = {}
        self._default: dict[int, Value[int]] = {}

    @property
    def begin(self) -> int:
        """First line of the map."""
        return self.lines[0] if self.lines else self.context.begin

    def default(self, default: Default, keys: Iterable[int]) -> _Entries:
        """Set the default of `keys`."""
        cited: Value[dict[int, int]] = self.context.default(default)
        self._default |= {key: cited.map(itemgetter(key)) for key in keys}
        return self

    def read(
        self,
        group: str,
        keys_by: tuple[str, Callable[[str], frozenset[int] | None]],
        value_by: tuple[str, Callable[[str], int | None]],
    ) -> None:
        """Apply the lines of a group and undo those of its `no` form, in file order.

        Keys and value are captured by a variable, and read by a function.
        """
        groups = self.context.reading.groups
        (keys_name, keys_of), (value_name, value_of) = keys_by, value_by
        events = [*groups(SOURCE, group), *groups(SOURCE, f"no_{group}")]
        for event in sorted(events, key=lambda event: event.begin):
            text, given = word(event, keys_name), word(event, value_name)
            keys = keys_of(text)
            made = value_of(given) if given else None
            if keys is None:
                event.take()
                self._wrong(self.what, text, f"{text!r} holds what is no {self.what}", event)
            elif not given:
                event.take()
                for number in keys:
                    self._entries.pop(number, None)
            elif made is None:
                event.take()
                self._wrong(self.into, given, f"{given!r} is out of range", event)
            else:
                self.lines.append(event.begin)
                self._entries |= dict.fromkeys(keys, Value(made, event.begin))
        alive = {value.position for value in self._entries.values()}
        self.context.settle_lines(self.lines, alive)

    def build(self) -> CodeMap:
        """The map, each entry with its line or its default."""
        entries = self._default | self._entries
        return code_map(self.context.reading, self.begin, entries, name=NAME)

    def _wrong(self, what: str, text: str, message: str, event: Reader) -> None:
        limit = self.context.reading.limits.get(what)
        given = text.removeprefix("tx-queue ")
        if limit is not None and numbers(given, ANY) is not None:
            self.context.reading.refuse(limit, given, event.begin)
        else:
            self.context.bad(message, event.begin)


def _class_of(text: str) -> int | None:
    """Traffic class of `3` and of `4 drop-precedence 2`."""
    return upto(HIGHEST)(text.split(maxsplit=1)[0])
