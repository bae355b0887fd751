"""Copies of devices with changed values (inputs stay unmodified), and values by path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.object_diff import is_empty, names_of
from roce_lint.model.path import PORTS, Path, PathError, Step
from roce_lint.model.qos import CodeMap, Marking, PortQos, Scheduler
from roce_lint.model.schema import KINDS, REFERENCES, FieldType, fields_of, named_objects
from roce_lint.model.sourced import REMAKE, Sourced
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.model.values import code_numbers, key_of
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Citation, SourceFile, SourceMap, Where, digest

WHAT_IF = "<what if>"
"""File name under which the changes are shown as lines of a file that does not exist."""


@dataclass(slots=True, frozen=True)
class Setting:
    """A value for one complete path. `line` is the configuration line that states it; empty if
    no line does: then `citation` is the source of the default, or None for an unset value.
    """

    path: Path
    value: Any
    line: str
    citation: Citation | None = None
    falls: bool = False
    """Remove an entry of a map where the rest of the map has the value anyway."""


class Lines:
    """The lines that state the changes, as a file held in memory only."""

    def __init__(self, settings: Iterable[Setting]):
        lines = dict.fromkeys(setting.line for setting in settings if setting.line)
        self._numbers = {text: number for number, text in enumerate(lines, 1)}
        text = "\n".join(lines)
        self.file = SourceFile(WHAT_IF, text, digest(text.encode("utf-8", "surrogateescape")))

    def onto(self, src: SourceMap) -> SourceMap:
        """Source map of a device with this file appended; the original map is not modified."""
        made = SourceMap([*src.files], [*src.citations], src.above, src.keys, src.ignores)
        made.add(self.file, WHAT_IF)
        return made

    def position(self, src: SourceMap, line: str) -> int:
        """Position of a line in a map that `onto` made."""
        return src.files[-1].first + self._numbers[line]

    def where(self, line: str) -> Where:
        """Place of a line that belongs to no device."""
        src = self.onto(SourceMap())
        return Where(src, self.position(src, line))


def apply_settings(
    device: Device, settings: Iterable[Setting], lines: Lines | None = None
) -> Device:
    """Return a copy of a device with the settings applied.

    A path through a port means the object as that port sees it: it is copied for the ports that the
    settings name. A path to the object itself changes it for all its users.

    Raises:
        PathError: the object does not exist and cannot be made from the path alone.
    """
    known = list(settings)
    return _Edit(device, lines or Lines(known)).build(known)


class _Hole:
    """Placeholder for a removed list entry until all settings are applied."""


_GONE = _Hole()


class _Edit:
    """The copy of one device while settings are applied."""

    def __init__(self, device: Device, lines: Lines):
        self._original = device
        self._lines = lines
        self._src = lines.onto(device.src)
        self._owned: set[int] = set()  # ids of copied objects, which may be modified
        self._kept: list[Any] = []  # keeps the copies alive, so that no id is reused
        self._listed: list[tuple[Any, str, FieldType]] = []
        self._unset: dict[int, tuple[CodeMap, str, set[int]]] = {}
        self.device = self._twin(device)

    def build(self, settings: list[Setting]) -> Device:
        """Return the device with all settings applied."""
        shared: dict[Hashable, list[tuple[str, Setting, int]]] = {}
        for setting in settings:
            depth = _reference(setting.path)
            if depth is None:
                self._set(self.device, Device, setting.path.steps, setting)
            else:
                group = str(setting.path.port), setting.path.steps[depth].field
                shared.setdefault(group, []).append((str(setting.path.port), setting, depth))
        self._show_to_ports(list(shared.values()))
        for owner, name, known in self._listed:
            entries = [entry for entry in getattr(owner, name) if entry is not _GONE]
            setattr(owner, name, entries if known.collection is list else tuple(entries))
        for codes, field, numbers in self._unset.values():
            _spread(codes, field, numbers)
        self._rename_copies()
        made: Device = self.device
        made.shape = None  # it differs from hosts that are equal otherwise
        return made

    def _show_to_ports(self, groups: list[list[tuple[str, Setting, int]]]) -> None:
        """Change the objects that ports refer to: in place where all users get the same changes,
        else in a copy, which ports with the same changes share.
        """
        alike: dict[tuple[str, Any, Any], list[tuple[PortQos, list[tuple[str, Setting, int]]]]] = {}
        for group in groups:
            port_name, first, depth = group[0]
            field = first.path.steps[depth].field
            qos: PortQos = self._child(self._interface(port_name), "qos", PortQos)
            same = tuple((s.path.steps[depth:], bool(s.line), repr(s.value)) for _, s, _ in group)
            key = (REFERENCES[field], getattr(qos, field), same)
            alike.setdefault(key, []).append((qos, group))
        users = Counter(
            (collection, getattr(port.qos, field))
            for port in self.device.interfaces.values()
            if port.qos is not None
            for field, collection in REFERENCES.items()
        )
        for (collection, name, _), members in alike.items():
            _, first, depth = members[0][1][0]
            field = first.path.steps[depth].field
            objects = self._collection(self.device.qos, collection)
            old = objects.get(name) if name is not None else None
            kind = fields_of(type(self.device.qos))[collection].kind
            used = _free(objects, name or field)
            owner = self._twin(old) if old is not None else self._new(kind, used)
            for _, setting, depth in members[0][1]:
                self._set(owner, type(owner), setting.path.steps[depth + 1 :], setting)
            if old is not None and not is_empty(old) and users[collection, name] == len(members):
                used, objects[name] = name, owner
            else:
                equal = next((n for n, o in objects.items() if _equals(o, owner)), None)
                if equal is None:
                    objects[used] = _named(owner, used)
                used = equal or used
            for qos, group in members:
                setattr(qos, field, used)
                if qos.at.get(field, 0) < 0:  # no longer what the platform binds
                    self._place(qos, field, group[0][1])

    def _rename_copies(self) -> None:
        """Name the changed copy of a shared object, such as a scheduler, apart from the original;
        equal copies share a name, and one without a name takes that of its equal.
        """
        named: dict[str, dict[str, Any]] = {}
        changed = []
        for kind, part in _named_parts(self.device):
            if id(part) in self._owned:
                changed.append((kind, part))
            elif part.name is not None:
                named.setdefault(kind, {}).setdefault(part.name, part)
        for kind, part in changed:
            known = named.setdefault(kind, {})
            if part.name is None or not _equals(part, known.get(part.name, part)):
                equal = _name_of(part, known)
                if equal is None and part.name and isinstance(part, BufferProfile):
                    part.made_for_gbps = part.made_for_m = None  # the device makes none of its name
                    equal = _name_of(part, known)
                part.name = equal or (part.name and _free(known, part.name))
            if part.name is not None:
                known.setdefault(part.name, part)

    def _interface(self, name: str) -> Interface:
        ports = self._collection(self.device, PORTS)
        if name not in ports:
            raise PathError(f"{self.device.hostname} has no port {name}")
        ports[name] = self._twin(ports[name])
        port: Interface = ports[name]
        return port

    # ------------------------------------------------------------------ one setting

    def _set(self, owner: Any, kind: type[Any], steps: tuple[Step, ...], setting: Setting) -> None:
        """Descend to the owner of the value, copying objects along the path, and set it."""
        step, rest = steps[0], steps[1:]
        known = fields_of(kind)[step.field]
        if step.key is not None and known.kind is CodeMap:
            self._code(self._child(owner, step.field, CodeMap), step, setting)
        elif step.key is not None and known.collection is dict:
            self._entry(owner, known, step, rest, setting)
        elif step.key is not None:
            self._set_entry(owner, known, step, rest, setting)
        elif rest:
            if known.kind is None:
                raise PathError(f"{setting.path}: has no fields below {step.field}")
            self._set(self._child(owner, step.field, known.kind), known.kind, rest, setting)
        elif kind is CodeMap and step.field == "otherwise":
            owner.otherwise = setting.value
            self._place(owner, "otherwise", setting)
        else:
            self._value(owner, step.field, setting)

    def _value(self, owner: Any, field: str, setting: Setting) -> None:
        value = self._own_of(setting.value) or self._restate(setting.value, setting)
        if isinstance(owner, PortQos) and field in REFERENCES and isinstance(value, Sourced):
            objects = self._collection(self.device.qos, REFERENCES[field])
            made, name = value, getattr(value, "name", None) or field
            value = next((n for n, o in objects.items() if _equals(o, setting.value)), None)
            if value is None:
                value = _free(objects, name)
                objects[value] = _named(made, value)
        setattr(owner, field, value)
        self._place(owner, field, setting)

    def _code(self, codes: CodeMap, step: Step, setting: Setting) -> None:
        codes.entries = dict(codes.entries)
        for number in code_numbers(step.key or "", step.field):
            if setting.value is None:
                codes.entries.pop(number, None)
                self._unset.setdefault(id(codes), (codes, step.field, set()))[2].add(number)
            elif setting.falls and setting.value == codes.otherwise:
                codes.entries.pop(number, None)
                codes.at.pop(number, None)
                continue
            else:
                codes.entries[number] = setting.value
            self._place(codes, number, setting)

    def _entry(
        self, owner: Any, known: FieldType, step: Step, rest: tuple[Step, ...], setting: Setting
    ) -> None:
        key = key_of(step.key or "", known, step.field)
        entries = self._collection(owner, step.field)
        if key is None:
            raise PathError(f"{setting.path}: {step.key!r} is not an entry of {step.field}")
        if rest:
            if known.kind is None:
                raise PathError(f"{setting.path}: no fields below an entry of {step.field}")
            old = entries.get(key)
            if old is None and isinstance(key, str):  # a name that nothing has
                raise PathError(f"{self.device.hostname} has no {step.field}[{key}]")
            entries[key] = self._twin(old) if old is not None else self._new(known.kind, key)
            self._unrepeat(owner, step.field, key)
            self._set(entries[key], known.kind, rest, setting)
            return
        if setting.value is None:
            entries.pop(key, None)
        else:
            value = setting.value
            entries[key] = self._own_of(value) or self._restate(value, setting)
        self._unrepeat(owner, step.field, key)
        if isinstance(owner, Sourced):
            self._place(owner, key, setting)

    def _unrepeat(self, owner: Any, field: str, key: Hashable) -> None:
        """Clear the "repeats" marks of a changed policy, in both directions."""
        if owner is self.device.qos and field == "egress":
            owner.repeated = {n: o for n, o in owner.repeated.items() if key not in (n, o)}

    def _set_entry(
        self, owner: Any, known: FieldType, step: Step, rest: tuple[Step, ...], setting: Setting
    ) -> None:
        number = whole_of(step.key or "") if (step.key or "").isdigit() else -1
        entries = list(getattr(owner, step.field))
        setattr(owner, step.field, entries)
        if rest and 0 <= number < len(entries) and known.kind is not None:
            entries[number] = self._twin(entries[number])
            self._set(entries[number], known.kind, rest, setting)
        elif not rest and number >= 0:
            self._listed.append((owner, step.field, known))
            entries += [_GONE] * (number + 1 - len(entries))
            gone = setting.value is None
            entries[number] = _GONE if gone else self._restate(setting.value, setting)
            return
        else:
            raise PathError(f"{setting.path}: there is no entry {step.key!r} of {step.field}")
        setattr(owner, step.field, entries if known.collection is list else tuple(entries))

    # ------------------------------------------------------------------ copies

    def _child(self, owner: Any, field: str, kind: type[Any]) -> Any:
        """The modifiable object in a field; made where the field is empty."""
        old = getattr(owner, field)
        made = self._twin(old) if old is not None else self._new(kind, None)
        setattr(owner, field, made)
        return made

    def _collection(self, owner: Any, field: str) -> dict[Any, Any]:
        """A modifiable collection in a field."""
        if owner is self.device.qos and id(owner) not in self._owned:
            owner = self.device.qos = self._twin(owner)
        old = getattr(owner, field)
        if id(old) in self._owned:
            return old  # type: ignore[no-any-return]
        made = dict(old)
        self._own(made)
        setattr(owner, field, made)
        return made

    def _twin(self, item: Any) -> Any:
        """Return a modifiable copy, with the lines of the changes appended to its sources."""
        if id(item) in self._owned:
            return item
        remake = REMAKE[type(item)]
        made = remake.make(*remake.values(item))
        if isinstance(made, Sourced):
            made.at = dict(item.at)
            if item is self._original:
                pass  # keeps its source files until one of its own values is set
            elif made.src is self._original.src:
                made.src = self._src
            elif made.src is not self._src:
                made.src = self._lines.onto(made.src)
        self._own(made)
        return made

    def _own_of(self, value: Any) -> Any:
        """The object of this device that equals a value, name included."""
        if not isinstance(value, KINDS) or value.name is None:
            return None
        return next((part for part in named_objects(self.device) if part == value), None)

    def _restate(self, value: Any, setting: Setting) -> Any:
        """Copy a value that is an object, with all its fields stated by the change."""
        if isinstance(value, dict):
            return {key: self._restate(part, setting) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._restate(part, setting) for part in value)
        if not isinstance(value, Sourced) or not setting.line:
            return value
        remake = REMAKE[type(value)]
        made = remake.make(*(self._restate(part, setting) for part in remake.values(value)))
        made.src = self._src
        line = self._lines.position(self._src, setting.line)
        made.at = {
            key: self._src.cite(value.src.citation(place)) if place < 0 else line
            for key, place in value.at.items()
            if place
        }
        self._own(made)
        return made

    def _own(self, made: Any) -> None:
        self._owned.add(id(made))
        self._kept.append(made)

    def _new(self, kind: Any, key: Any) -> Any:
        """A new object, named by the path."""
        given: dict[str, Any] = {}
        for entry in fields(kind):
            if entry.name == "src":
                given["src"] = self._src
            elif entry.name in ("name", "peer") and isinstance(key, str):
                given[entry.name] = key
            elif entry.name == "number" and isinstance(key, tuple):
                given["kind"], given["number"] = key
        try:
            made = kind(**given)
        except TypeError:
            what = f"{kind.__name__.lower()} {key}" if key else kind.__name__.lower()
            raise PathError(f"{self.device.hostname} has no {what}") from None
        self._own(made)
        return made

    def _place(self, owner: Sourced, name: Hashable, setting: Setting) -> None:
        if owner is self.device:
            owner.src = self._src
        if setting.line:
            owner.at[name] = self._lines.position(owner.src, setting.line)
        elif setting.citation is not None:
            owner.at[name] = owner.src.cite(setting.citation)
        else:
            owner.at.pop(name, None)


def _spread(codes: CodeMap, field: str, unset: set[int]) -> None:
    """Expand `otherwise` into one entry per number, so that single numbers can be unset."""
    if codes.otherwise is None:
        return
    place = codes.at.get("otherwise", 0)
    for number in DSCPS if field.startswith("dscp") else PRIORITIES:
        if number not in codes.entries and number not in unset:
            codes.entries[number] = codes.otherwise
            codes.at[number] = place
    codes.otherwise = None


def _reference(path: Path) -> int | None:
    """Index of the step of a path that goes through a reference of a port, if any."""
    for number, step in enumerate(path.steps[:-1]):
        if number and path.steps[number - 1].field == "qos" and path.port is not None:
            return number if step.field in REFERENCES else None
    return None


def _equals(one: Any, other: Any) -> bool:
    """Whether two objects of a device are equal but for their names."""
    return all(getattr(one, name) == getattr(other, name) for name in names_of(type(one)))


def _named(made: Any, name: str) -> Any:
    """An object under the name of its copy; one without a name keeps none."""
    if getattr(made, "name", None) is not None:
        made.name = name
    return made


def _named_parts(device: Device) -> Iterator[tuple[str, Any]]:
    """The named objects inside of those that ports refer to, each with its kind."""
    of_ports = [port.qos for port in device.interfaces.values() if port.qos is not None]
    for field, collection in REFERENCES.items():
        known = getattr(device.qos, collection)
        for name in dict.fromkeys(getattr(qos, field) for qos in of_ports):
            yield from _named_in(known.get(name), field)


def _named_in(item: Any, field: str) -> Iterator[tuple[str, Any]]:
    if isinstance(item, BufferProfile | CodeMap | Marking | Scheduler):
        yield field if isinstance(item, CodeMap) else type(item).__name__, item
    elif isinstance(item, dict):
        for part in item.values():
            yield from _named_in(part, field)
    elif isinstance(item, Sourced):
        for each in fields(item):
            if each.name != "at":
                yield from _named_in(getattr(item, each.name), each.name)


def _name_of(part: Any, known: Mapping[str, Any]) -> str | None:
    return next((name for name, other in known.items() if _equals(part, other)), None)


def _free(known: Mapping[str, Any], name: str) -> str:
    return next(
        n for n in (name, *(f"{name}-{k}" for k in range(2, len(known) + 3))) if n not in known
    )


# The value that a path names, and its place.


def value_at(device: Device, path: Path) -> Any:
    """The value that a path names; None if unset."""
    item: Any = device
    for step in path.steps:
        item = below(item, step, device)
    return item


def below(item: Any, step: Step, device: Device) -> Any:
    """Result of one step from an object; None if there is nothing."""
    if isinstance(item, str):  # a port's word for an object of the device
        return None
    value = getattr(item, step.field, None)
    if isinstance(value, CodeMap) and step.key is not None:
        found = {value.get(number) for number in code_numbers(step.key, step.field)}
        return found.pop() if len(found) == 1 else None
    if isinstance(item, PortQos) and step.field in REFERENCES and isinstance(value, str):
        return getattr(device.qos, REFERENCES[step.field]).get(value)
    if step.key is None or value is None:
        return value
    if isinstance(value, dict):
        return value.get(key_of(step.key, fields_of(type(item))[step.field], step.field))
    number = whole_of(step.key) if step.key.isdigit() else -1
    return value[number] if 0 <= number < len(value) else None


def place_of(device: Device, path: Path) -> Where:
    """The place that states the value of a path, or could state it."""
    owner: Any = device
    place = device.where()
    for step in path.steps:
        item = below(owner, step, device)
        if isinstance(owner, Sourced):
            place = _place(owner, step, item)
        if item is None:
            break
        owner = item
    return place


def _place(owner: Sourced, step: Step, item: Any) -> Where:
    held = getattr(owner, step.field, None)
    if isinstance(held, CodeMap) and step.key is not None:
        numbers = code_numbers(step.key, step.field)
        return held.where(held.key(numbers[0])) if numbers else held.where()
    if step.key is not None and not isinstance(item, Sourced):
        return owner.where(step.key)  # a variable, which has its own key
    if isinstance(item, Sourced) and not owner.stated(step.field):
        return item.where()
    return owner.where(step.field)
