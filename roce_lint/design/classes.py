"""Traffic classes of a design, independent of any system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from roce_lint.design.layout import Loc, Refusals
from roce_lint.intent.schema import IntentClass, IntentSchema, ServiceSchema
from roce_lint.model.nic import Flow
from roce_lint.model.units import PRIORITIES

WHOLE = 100.0
"""Sum of the shares of all classes in percent."""


@dataclass(frozen=True, slots=True)
class DesignClass:
    """One required class; `number` is that of its traffic class, queue and group.

    `keys` is empty for the class of all unlisted DSCPs.
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
    served: Loc = ()
    """Path of its service, where that deviates."""

    def at(self, key: str) -> Loc:
        """Path of a key of the class in the intent."""
        if self.served and key in ServiceSchema.model_fields:
            return (*self.served, key)
        return (*self.keys, key) if self.keys else ("classes",)


def classes_of(schema: IntentSchema, refusals: Refusals) -> tuple[DesignClass, ...]:
    """All classes, that of unlisted DSCPs first."""
    before = len(refusals.found)
    _require_complete_classes(schema, refusals)
    _require_unique_codes(schema, refusals)
    numbers = _numbers(schema.classes, refusals)
    made = [_design_class(name, item, numbers[name]) for name, item in schema.classes.items()]
    if not any(0 in each.dscps for each in made):
        made.insert(0, _rest(schema, set(numbers.values()), refusals))
    else:
        made.sort(key=lambda each: 0 not in each.dscps)
    refused = len(refusals.found) > before  # then a share may be missing
    return tuple(made) if refused else _divided(made, ("classes",), refusals)


def serve(
    classes: tuple[DesignClass, ...],
    deviations: Iterable[tuple[Loc, str, ServiceSchema]],
    refusals: Refusals,
) -> tuple[DesignClass, ...]:
    """The classes with deviating services, by path and class; later ones take precedence."""
    made, last = {each.name: each for each in classes if each.keys}, None
    for keys, name, own in deviations:
        if name not in made:
            refusals.unknown(keys, "no class", name, list(made))
            continue
        last, values = keys, own.model_dump(exclude_none=True)
        if "share_percent" in values:
            values["strict"] = False
        elif values.get("strict"):
            values["share_percent"] = None
        made[name] = replace(made[name], served=keys, **values)
        if not made[name].strict and made[name].share_percent is None:
            refusals.add(keys, f"{name} has neither strict: true nor a share_percent")
    if last is None:
        return classes
    return _divided([made.get(each.name, each) for each in classes], last, refusals)


def _divided(made: list[DesignClass], keys: Loc, refusals: Refusals) -> tuple[DesignClass, ...]:
    """Classes whose shares are the whole bandwidth; unlisted DSCPs get what the others leave."""
    rest, *_ = made
    given = sum(each.share_percent or 0 for each in made if each.keys)
    if not rest.keys:
        made[0] = replace(rest, share_percent=WHOLE - given)
        if given >= WHOLE:
            message = f"shares add up to {given:g} percent and leave nothing for other traffic"
            refusals.add(keys, message)
    elif given != WHOLE:
        message = f"shares add up to {given:g} percent, not 100, and DSCP 0 has a class"
        refusals.add(keys, message)
    return tuple(made)


def _require_complete_classes(schema: IntentSchema, refusals: Refusals) -> None:
    if not schema.classes:
        refusals.add(("classes",), "classes are missing: RoCE traffic is undefined")
    for name, item in schema.classes.items():
        keys: Loc = ("classes", name)
        if item.lossless is None and schema.mode != "ecn-only":
            refusals.add(keys, f"classes.{name}.lossless is missing: true or false")
        if item.marked is None:
            refusals.add(keys, f"classes.{name}.marked is missing: true or false")
        if not item.strict and item.share_percent is None:
            refusals.add(keys, f"classes.{name} has neither strict: true nor a share_percent")
        if item.lossless and item.pfc_priority is None:
            refusals.add(keys, f"classes.{name}.pfc_priority is missing: it is lossless")
    lossless = [name for name, item in schema.classes.items() if item.lossless]
    if schema.max_lossless is not None and len(lossless) > schema.max_lossless:
        message = f"max_lossless is {schema.max_lossless}, but {', '.join(lossless)} are lossless"
        refusals.add(("max_lossless",), message)


def _require_unique_codes(schema: IntentSchema, refusals: Refusals) -> None:
    codes: dict[int, str] = {}
    priorities: dict[int, str] = {}
    for name, item in schema.classes.items():
        for dscp in set(item.dscp):
            other = codes.setdefault(dscp, name)
            if other != name:
                message = f"DSCP {dscp} is in both {other} and {name}"
                refusals.add(("classes", name, "dscp"), message)
        priority = _priority(item)
        if priority is not None and priorities.setdefault(priority, name) != name:
            message = f"both {priorities[priority]} and {name} have priority {priority}"
            refusals.add(("classes", name), message)


def _priority(item: IntentClass) -> int | None:
    return item.pfc_priority if item.pfc_priority is not None else item.pcp


def _numbers(classes: dict[str, IntentClass], refusals: Refusals) -> dict[str, int]:
    """Numbers of traffic classes: the configured priority; else the class selector of the first
    DSCP, as in most default maps; else a free one.
    """
    found = {name: own for name, item in classes.items() if (own := _priority(item)) is not None}
    for name, item in classes.items():
        if name in found:
            continue
        selector = min(item.dscp) >> 3
        free = [n for n in (selector, *PRIORITIES) if n not in found.values()]
        if not free:
            refusals.add(("classes", name), f"{len(classes)} classes, but a port has 8 queues")
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


def _rest(schema: IntentSchema, taken: set[int], refusals: Refusals) -> DesignClass:
    """The class of unlisted DSCPs."""
    number = next((n for n in PRIORITIES if n not in taken), None)
    if number is None:
        refusals.add(("classes",), "8 classes leave no queue for other traffic")
    named = {dscp for item in schema.classes.values() for dscp in item.dscp}
    rest = tuple(code for code in range(64) if code not in named)
    return DesignClass(
        "all other traffic", Flow.OTHER, number or 0, rest, None,
        lossless=False, marked=False, strict=False, share_percent=None, cap_percent=None,
    )  # fmt: skip
