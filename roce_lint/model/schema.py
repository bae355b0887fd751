"""Fields of the model objects, their types and short names; comparison of local names."""

from __future__ import annotations

import types
import typing
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, Union

from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.path import Path, PathError, Step, nearest, parse
from roce_lint.model.qos import CodeMap, Marking, PortQos, QosObjects, Scheduler
from roce_lint.model.routing import BgpSession
from roce_lint.model.sourced import Sourced
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
"""Fields of a port that name an object of the device, and the collection of `QosObjects` that has
it. A path through one means the object as that port sees it."""

UNITS = ("_gbps", "_m", "_ms", "_bytes", "_percent", "_bps", "_cells")
"""Unit suffixes of field names; they may be omitted."""

UNNAMED = {
    "src", "at", "structures", "notes", "unread", "limits", "asic", "repeated", "name", "hostname",
    "partial", "shape",
}  # fmt: skip
"""Fields that no path names: metadata of reading, and names of objects."""

SHORT = {"mtu": "ip_mtu"}
"""Further short names."""

SPELLED_OUT = {"tunnel"}
"""Fields that a short name always includes: their contents are seldom meant."""

CABLE = "cable"
"""The cable of a port in short: length of its link, and configured length of both ends."""

LINKS = "links"
"""The link on a port of a device, by the port: `leaf1 links[Ethernet1/1].cable_m`."""


@dataclass(slots=True, frozen=True)
class LinkFields:
    """Settable fields of the link on a port."""

    cable_m: float | None = None
    speed_gbps: float | None = None
    rail: int | None = None


@dataclass(slots=True, frozen=True)
class FieldType:
    """Type of a field: one value, one object, or a collection.

    `item` is the type of the value, object or entry; `key` that of the keys, or int where entries
    are found by number.
    """

    item: Any
    optional: bool
    many: bool
    key: Any = None
    collection: Any = None  # dict, list, tuple

    @property
    def kind(self) -> type[Any] | None:
        """The class of the object or of the entries, if they have fields of their own."""
        return self.item if is_dataclass(self.item) and isinstance(self.item, type) else None


_KNOWN: dict[Any, dict[str, FieldType]] = {}


def fields_of(kind: type[Any]) -> dict[str, FieldType]:
    """Fields of a model class that a path may name."""
    found = _KNOWN.get(kind)
    if found is None:
        hints = typing.get_type_hints(kind)
        found = {e.name: _type(hints[e.name]) for e in fields(kind) if e.name not in UNNAMED}
        if kind is Device:
            links = FieldType(LinkFields, optional=False, many=True, key=str, collection=dict)
            found[LINKS] = links
        _KNOWN[kind] = found
    return found


def _type(hint: Any) -> FieldType:
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        (inner,) = (part for part in typing.get_args(hint) if part is not type(None))
        return replace(_type(inner), optional=True)
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
    """Type of a field of a class, and the class in which a path continues behind the step.

    Raises:
        PathError: the class has no such field, or an entry is named where there are none.
    """
    known = fields_of(kind)
    if step.field not in known:
        names = ", ".join(nearest(step.field, known))
        raise PathError(f"{kind.__name__} has no field {step.field!r}", hint=f"there are {names}")
    found = known[step.field]
    if _is_reference(kind, step.field):
        return found, fields_of(QosObjects)[REFERENCES[step.field]].kind
    if found.kind is CodeMap and step.key is not None:
        return FieldType(int, optional=True, many=False), None
    if step.key is not None and not found.many:
        raise PathError(f"{step.field} holds one value, and [{step.key}] names one of several")
    return found, found.kind if not found.many or step.key is not None else None


def type_of(path: Path) -> FieldType:
    """Type of the value that a complete path names.

    Raises:
        PathError: there is no such field.
    """
    kind: type[Any] | None = Device
    found = FieldType(Device, optional=False, many=False)
    for step in path.steps:
        if kind is None:
            raise PathError(f"{path}: the field has no fields below it, before {step.field!r}")
        found, kind = target(kind, step)
    return found


def require_field(text: str) -> None:
    """Require a field of a device by its full name; a collection without a key means all entries.

    Raises:
        PathError: there is no such field.
    """
    kind: type[Any] | None = Device
    for step in parse(f"device {text}").steps:
        if kind is None:
            raise PathError(f"{text}: no field has fields named {step.field!r}")
        many = step.field in fields_of(kind) and fields_of(kind)[step.field].many
        _, kind = target(kind, Step(step.field, step.key or ("*" if many else None)))


def resolve(path: Path) -> Path:
    """Complete every field of a path: `leaf1:Ethernet1/1 speed` becomes `leaf1
    interfaces[Ethernet1/1].speed_gbps`.

    Raises:
        PathError: no field matches, or several; the hint lists the candidates, nearest first.
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
    raise PathError(f"{path}: {wanted!r} is not a field of {what}", hint=f"the nearest are {shown}")


MOST = 4
"""Fields that a short name may omit before its first."""


def _complete(given: tuple[Step, ...], start: type[Any]) -> tuple[Step, ...] | None:
    """The shortest complete path below a class that ends in the given steps."""
    ways: list[tuple[tuple[Step, ...], type[Any] | None, int]] = [((), start, 0)]
    for _ in range(MOST + len(given)):
        done = [way for way, _, taken in ways if taken == len(given)]
        if done:
            done = [way for way in done if way[-1].field == given[-1].field] or done
            if len(done) > 1:
                hint = " or ".join(".".join(map(str, way)) for way in done)
                short = ".".join(map(str, given))
                raise PathError(f"{short!r} matches several fields", hint=hint)
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
    """Paths one field longer: by the next given step, or by an omitted one."""
    wanted = given[taken]
    for field, known in fields_of(kind).items():
        bare = next((field.removesuffix(unit) for unit in UNITS if field.endswith(unit)), field)
        named_so = wanted.field in (field, bare) or field == SHORT.get(wanted.field)
        if named_so and (wanted.key is None or known.many or known.key is not None
                         or _is_reference(kind, field)):  # fmt: skip
            step = Step(field, wanted.key)
            yield (*way, step), target(kind, step)[1], taken + 1
        elif (
            not known.many
            and field not in SPELLED_OUT
            and (known.kind is not None or _is_reference(kind, field))
        ):
            step = Step(field)
            yield (*way, step), target(kind, step)[1], taken


def _is_reference(kind: type[Any], field: str) -> bool:
    return kind is PortQos and field in REFERENCES


def field_names(kind: type[Any], depth: int = 3) -> tuple[str, ...]:
    """Names of all fields at and below a class, as written in a path."""
    found: list[str] = [CABLE] if kind is Interface else []
    for field, known in fields_of(kind).items():
        shown = f"{field}[...]" if known.many else field
        inner = known.kind
        if inner in (None, CodeMap, Threshold):
            found.append(shown)
        if inner not in (None, Threshold) and depth > 1:
            found += [f"{shown}.{name}" for name in field_names(inner, depth - 1)]
    return tuple(found)


# Comparison of device-local names across two states of a device.


class Labels:
    """The names in two states of a device."""

    def __init__(self, a: Device, b: Device):
        self.a = a
        self.b = b

    def is_other(
        self,
        item: Sourced,
        names: tuple[Hashable, Hashable],
        collections: tuple[Mapping[str, Any], Mapping[str, Any]] | None,
    ) -> bool:
        """Whether two names denote two objects, not one renamed object: at least one of the names
        is known on both sides.
        """
        mine, theirs = names
        if mine == theirs or mine is None or theirs is None:
            return False
        if collections is not None:
            return mine in collections[1] or theirs in collections[0]
        known = self._names
        kind = type(item)
        return (kind, mine) in known[1] or (kind, theirs) in known[0]

    @cached_property
    def _names(self) -> list[set[tuple[type[Any], Hashable]]]:
        sides = self.a, self.b
        return [{(type(part), part.name) for part in named_objects(side)} for side in sides]

    def same(self, a: Sourced, b: Sourced, field: str) -> bool:
        """Whether a field holds names, and both name equal objects."""
        if field == "pool" and isinstance(a, BufferProfile) and isinstance(b, BufferProfile):
            mine, theirs = self.a.pools.get(a.pool or ""), self.b.pools.get(b.pool or "")
            return mine is not None and theirs is not None and _same_but_name(mine, theirs)
        if field in ("policies_in", "policies_out") and isinstance(a, BgpSession):
            return self._same_policies(getattr(a, field), getattr(b, field))
        return False

    def is_renamed_pool(self, name: str) -> bool:
        """Whether a pool on one side has a twin under another name on the other."""
        sides = (self.a.pools, self.b.pools)
        for own, others in (sides, sides[::-1]):
            if name in own and name not in others:
                return any(
                    _same_but_name(own[name], pool) for n, pool in others.items() if n not in own
                )
        return False

    def _same_policies(self, mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
        if len(mine) != len(theirs) or self.a.routing is None or self.b.routing is None:
            return False
        pairs = zip(mine, theirs, strict=True)
        own, others = self.a.routing.policies, self.b.routing.policies
        return all(x in own and y in others and own[x] == others[y] for x, y in pairs)


def _same_but_name(a: Any, b: Any) -> bool:
    name = a.name
    try:
        a.name = b.name
        return bool(a == b)
    finally:
        a.name = name


def named_objects(device: Device) -> Iterator[Scheduler | Marking | BufferProfile]:
    """Every scheduler, marking and profile that something refers to."""
    for policy in device.qos.egress.values():
        for queue in policy.queues.values():
            yield from filter(None, (queue.scheduler, queue.marking, queue.buffer))
    for buffers in device.qos.ingress_buffers.values():
        yield from buffers.groups.values()


KINDS = (Scheduler, Marking, BufferProfile)
"""Objects that are nested in others and identified by name."""
