"""What an intent wants done with every code point, apart from any system."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.design.refusals import Loc, Refusals
from roce_lint.intent.schema import IntentClass, IntentSchema
from roce_lint.model.nic import Flow
from roce_lint.model.units import PRIORITIES

WHOLE = 100.0
"""Percent that the shares of all classes come to together."""


@dataclass(frozen=True, slots=True)
class DesignClass:
    """One class as it is wanted; `number` is that of its traffic class, queue and group.

    `keys` is empty for the class of all code points that nobody names.
    """

    name: str
    flow: Flow
    number: int
    dscps: tuple[int, ...]
    pcp: int | None
    lossless: bool
    marked: bool
    strict: bool
    share_percent: float | None
    cap_percent: float | None
    keys: Loc = ()

    def at(self, key: str) -> Loc:
        """Where the intent says it."""
        return (*self.keys, key) if self.keys else ("classes",)


def classes_of(schema: IntentSchema, wanting: Refusals) -> tuple[DesignClass, ...]:
    """All classes, the one of code points that nobody names first."""
    _see_that_each_is_decided(schema, wanting)
    _see_that_nothing_is_twice(schema, wanting)
    if wanting:
        return ()
    numbers = _numbers(schema.classes, wanting)
    made = [_design_class(name, item, numbers[name]) for name, item in schema.classes.items()]
    if not any(0 in each.dscps for each in made):
        made.insert(0, _rest(schema, set(numbers.values()), wanting))
    else:
        made.sort(key=lambda each: 0 not in each.dscps)
        shares = [each.share_percent for each in made if each.share_percent is not None]
        if sum(shares) != WHOLE:
            message = f"shares come to {sum(shares):g} percent, and code point 0 has a class: 100"
            wanting.add(("classes",), message)
    return tuple(made)


def _see_that_each_is_decided(schema: IntentSchema, wanting: Refusals) -> None:
    if not schema.classes:
        wanting.add((), "classes are missing: nothing says which traffic is RoCE")
    for name, item in schema.classes.items():
        keys: Loc = ("classes", name)
        if item.lossless is None and schema.mode != "ecn-only":
            wanting.add(keys, f"classes.{name}.lossless is left open: true or false")
        if item.marked is None:
            wanting.add(keys, f"classes.{name}.marked is left open: true or false")
        if not item.strict and item.share_percent is None:
            wanting.add(keys, f"classes.{name} has neither strict: true nor a share_percent")
        if item.lossless and item.pfc_priority is None:
            wanting.add(keys, f"classes.{name}.pfc_priority is missing: it is lossless")
    lossless = [name for name, item in schema.classes.items() if item.lossless]
    if schema.max_lossless is not None and len(lossless) > schema.max_lossless:
        message = f"max_lossless is {schema.max_lossless}, and lossless are {', '.join(lossless)}"
        wanting.add(("max_lossless",), message)


def _see_that_nothing_is_twice(schema: IntentSchema, wanting: Refusals) -> None:
    codes: dict[int, str] = {}
    priorities: dict[int, str] = {}
    for name, item in schema.classes.items():
        for dscp in set(item.dscp):
            other = codes.setdefault(dscp, name)
            if other != name:
                message = f"code point {dscp} is in {other} and in {name}"
                wanting.add(("classes", name, "dscp"), message)
        priority = _priority(item)
        if priority is not None and priorities.setdefault(priority, name) != name:
            message = f"priority {priority} is that of {priorities[priority]} and of {name}"
            wanting.add(("classes", name), message)


def _priority(item: IntentClass) -> int | None:
    return item.pfc_priority if item.pfc_priority is not None else item.pcp


def _numbers(classes: dict[str, IntentClass], wanting: Refusals) -> dict[str, int]:
    """Numbers of traffic classes: the priority where one is stated; else the class selector of
    the first code point, as most default maps have it; else one that is free.
    """
    found = {name: own for name, item in classes.items() if (own := _priority(item)) is not None}
    for name, item in classes.items():
        if name in found:
            continue
        selector = min(item.dscp) >> 3
        free = [n for n in (selector, *PRIORITIES) if n not in found.values()]
        if not free:
            wanting.add(("classes", name), f"{len(classes)} classes, and a port has 8 queues")
            found[name] = selector
            continue
        found[name] = free[0]
    return found


def _design_class(name: str, item: IntentClass, number: int) -> DesignClass:
    return DesignClass(
        name,
        Flow(item.flow),
        number,
        tuple(sorted(set(item.dscp))),
        _priority(item),
        bool(item.lossless),
        bool(item.marked),
        bool(item.strict),
        item.share_percent,
        item.cap_percent,
        ("classes", name),
    )


def _rest(schema: IntentSchema, taken: set[int], wanting: Refusals) -> DesignClass:
    """The class of the code points that nobody names: what the shares of the others leave."""
    given = sum(item.share_percent or 0 for item in schema.classes.values())
    left = WHOLE - given
    if left <= 0:
        message = f"shares come to {given:g} percent, and leave nothing to all other traffic"
        wanting.add(("classes",), message)
    number = next((n for n in PRIORITIES if n not in taken), None)
    if number is None:
        wanting.add(("classes",), "8 classes leave no queue to all other traffic")
    named = {dscp for item in schema.classes.values() for dscp in item.dscp}
    rest = tuple(code for code in range(64) if code not in named)
    return DesignClass(
        "all other traffic", Flow.OTHER, number or 0, rest, None,
        lossless=False, marked=False, strict=False, share_percent=left, cap_percent=None,
    )  # fmt: skip
