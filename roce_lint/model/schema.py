"""Which fields the objects of the model have, of what type, and how people shorten their names."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Union

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.path import PORTS, Path, PathError, Step, nearest
from roce_lint.model.qos import CodeMap, PortQos, QosObjects
from roce_lint.model.units import Threshold

REFERENCES = {
    "classifier": "classifiers",
    "forwarding": "forwardings",
    "egress": "egress",
    "rewrite": "rewrites",
    "ingress_buffer": "ingress_buffers",
    "policing": "policing",
    "policing_out": "policing",
}
"""Fields of a port that name an object of the device, and the collection of `QosObjects` that holds
it: a path may go on through them, and means the object as that port sees it."""

UNITS = ("_gbps", "_m", "_ms", "_bytes", "_percent", "_bps", "_cells")
"""Ends of the names of fields that say in which unit the value is; they may be left out."""

UNNAMED = {"src", "at", "structures", "notes", "unread", "limits", "asic", "repeated"} | {
    "name",
    "hostname",
    "partial",
}
"""Fields that no path names: how something was read, and what an object is called."""

SHORT = {"mtu": "ip_mtu"}
"""Further short names."""

SPELLED_OUT = {"tunnel"}
"""Fields that a short name never leaves out: what is below them is seldom meant."""

CABLE = "cable"
"""Short for the cable of a port: the length of its link, and what both ends are told of it."""

LINKS = "links"
"""The link on a port of a device, by the port: `leaf1 links[Ethernet1/1].cable_m`."""


@dataclass(slots=True, frozen=True)
class LinkFields:
    """What can be said of the link on a port."""

    cable_m: float | None = None
    speed_gbps: float | None = None
    rail: int | None = None


@dataclass(slots=True, frozen=True)
class FieldType:
    """What a field holds: one value, one object, or a collection of them.

    `item` is the type of a value, of the object, or of an entry; `key` is that of the keys where
    entries are found by them, and int where they are found by their number.
    """

    item: Any
    optional: bool
    many: bool
    key: Any = None
    collection: Any = None  # dict, list, tuple

    @property
    def kind(self) -> type[Any] | None:
        """The class of the object or of the entries, where they have fields of their own."""
        return self.item if is_dataclass(self.item) and isinstance(self.item, type) else None


_KNOWN: dict[Any, dict[str, FieldType]] = {}


def fields_of(kind: type[Any]) -> dict[str, FieldType]:
    """The fields of a class of the model that a path may name."""
    found = _KNOWN.get(kind)
    if found is None:
        found = _KNOWN[kind] = _fields_of(kind)
    return found


def _fields_of(kind: type[Any]) -> dict[str, FieldType]:
    hints = typing.get_type_hints(kind)
    found = {e.name: _type(hints[e.name]) for e in fields(kind) if e.name not in UNNAMED}
    if kind is Device:
        found[LINKS] = FieldType(LinkFields, optional=False, many=True, key=str, collection=dict)
    return found


def _type(hint: Any) -> FieldType:
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        (inner,) = (part for part in typing.get_args(hint) if part is not type(None))
        made = _type(inner)
        return FieldType(made.item, optional=True, many=made.many, key=made.key,
                         collection=made.collection)  # fmt: skip
    arguments = typing.get_args(hint)
    if origin is dict:
        key, item = arguments
        return FieldType(item, optional=False, many=True, key=key, collection=dict)
    if origin in (list, tuple) and is_dataclass(arguments[0]):
        return FieldType(arguments[0], optional=False, many=True, key=int, collection=origin)
    if hint is CodeMap:
        return FieldType(CodeMap, optional=False, many=False, key=int)
    return FieldType(hint, optional=False, many=False)


def target(kind: type[Any], step: Step) -> tuple[FieldType, type[Any] | None]:
    """The type of a field of a class, and the class a path goes on in behind the step.

    Raises:
        PathError: the class has no such field, or an entry is named where there are none.
    """
    known = fields_of(kind)
    if step.field not in known:
        names = ", ".join(nearest(step.field, known))
        raise PathError(f"{kind.__name__} has no field {step.field!r}", hint=f"there are {names}")
    found = known[step.field]
    if kind is PortQos and step.field in REFERENCES:
        return found, typing.cast("type[Any]", _held_type(REFERENCES[step.field]))
    if found.kind is CodeMap and step.key is not None:
        return FieldType(int, optional=True, many=False), None
    if step.key is not None and not found.many:
        raise PathError(f"{step.field} holds one value, and [{step.key}] names one of several")
    return found, found.kind if not found.many or step.key is not None else None


@cache
def _held_type(collection: str) -> type[Any] | None:
    """The class of the objects of a collection of `QosObjects`."""
    return fields_of(QosObjects)[collection].kind


def type_of(path: Path) -> FieldType:
    """The type of the value that a complete path names.

    Raises:
        PathError: there is no such field.
    """
    kind: type[Any] | None = Device
    found = FieldType(Device, optional=False, many=False)
    for step in path.steps:
        if kind is None:
            raise PathError(f"{path}: nothing is below the field before {step.field!r}")
        found, kind = target(kind, step)
    return found


def resolve(path: Path) -> Path:
    """The path with every field in full: `leaf1:Ethernet1/1 speed` is
    `leaf1 interfaces[Ethernet1/1].speed_gbps`.

    Raises:
        PathError: it names no field, or several; the hint has those there are, nearest first.
    """
    if path.port is not None:
        head, rest = path.steps[:1], path.steps[1:]
        if len(rest) == 1 and rest[0] == Step(CABLE):
            return Path(path.device, (*head, Step(CABLE)))
        starts: list[tuple[tuple[Step, ...], type[Any]]] = [(head, Interface)]
        for other in ("nics", LINKS):
            kind = fields_of(Device)[other].kind
            starts += [((Step(other, head[0].key),), kind)] if kind is not None else []
    else:
        rest, starts = path.steps, [((), Device)]
    if not rest:
        return path
    for before, kind in starts:
        found = _complete(rest, kind)
        if found is not None:
            return Path(path.device, before + found)
    wanted = ".".join(step.field for step in rest)
    names = [name for _, kind in starts for name in field_names(kind)]
    shown = ", ".join(nearest(wanted, names))
    what = "a port" if path.port is not None else "a device"
    raise PathError(f"{path}: {wanted!r} is no field of {what}", hint=f"the nearest are {shown}")


MOST = 4
"""Fields that a short name may leave out before the first that it gives."""


def _complete(given: tuple[Step, ...], start: type[Any]) -> tuple[Step, ...] | None:
    """The shortest complete way below a class that ends in the given steps.

    Raises:
        PathError: several ways are the shortest.
    """
    ways: list[tuple[tuple[Step, ...], type[Any] | None, int]] = [((), start, 0)]
    for _ in range(MOST + len(given)):
        done = [way for way, _, taken in ways if taken == len(given)]
        if done:
            if len(done) > 1:
                hint = " or ".join(".".join(map(str, way)) for way in done)
                short = ".".join(map(str, given))
                raise PathError(f"{short!r} may mean several fields", hint=hint)
            return done[0]
        ways = [
            further
            for way, kind, taken in ways
            if kind is not None
            for further in _further(way, kind, taken, given)
        ]
    return None


def _further(
    way: tuple[Step, ...], kind: type[Any], taken: int, given: tuple[Step, ...]
) -> Iterator[tuple[tuple[Step, ...], type[Any] | None, int]]:
    """Ways that are one field longer: by the next that is given, or by one that was left out."""
    wanted = given[taken]
    for field, known in fields_of(kind).items():
        named_so = field in (wanted.field, SHORT.get(wanted.field))
        named_so = named_so or _without_unit(field) == wanted.field
        if named_so and (wanted.key is None or known.many or known.key is not None
                         or _is_reference(kind, field)):  # fmt: skip
            step = Step(field, wanted.key)
            yield (*way, step), _behind(kind, step, known), taken + 1
        elif (
            not known.many
            and field not in SPELLED_OUT
            and (known.kind is not None or _is_reference(kind, field))
        ):
            step = Step(field)
            yield (*way, step), _behind(kind, step, known), taken


def _behind(kind: type[Any], step: Step, known: FieldType) -> type[Any] | None:
    if _is_reference(kind, step.field):
        return _held_type(REFERENCES[step.field])
    if known.kind is CodeMap and step.key is not None:
        return None
    return known.kind if not known.many or step.key is not None else None


def _is_reference(kind: type[Any], field: str) -> bool:
    return kind is PortQos and field in REFERENCES


def _without_unit(field: str) -> str:
    return next((field.removesuffix(unit) for unit in UNITS if field.endswith(unit)), field)


def field_names(kind: type[Any], depth: int = 3) -> tuple[str, ...]:
    """The names of all fields at and below a class, as a path gives them."""
    found: list[str] = [CABLE] if kind is Interface else []
    for field, known in fields_of(kind).items():
        shown = f"{field}[...]" if known.many else field
        inner = known.kind
        if inner in (None, CodeMap, Threshold):
            found.append(shown)
        if inner not in (None, Threshold) and depth > 1:
            found += [f"{shown}.{name}" for name in field_names(inner, depth - 1)]
    return tuple(found)


__all__ = ["CABLE", "LINKS", "PORTS", "FieldType", "field_names", "fields_of", "resolve", "type_of"]
