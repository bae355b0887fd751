"""Devices with values changed: what is not touched is shared, nothing is altered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.labels import KINDS
from roce_lint.model.path import PORTS, Path, PathError, Step
from roce_lint.model.qos import CodeMap, PortQos
from roce_lint.model.remake import REMAKE
from roce_lint.model.schema import REFERENCES, FieldType, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.model.values import code_numbers, key_of
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import (
    Citation,
    SourceFile,
    SourceMap,
    Where,
    digest,
)

WHAT_IF = "<what if>"
"""The name under which the changes are shown as lines of a file that does not exist."""


@dataclass(slots=True, frozen=True)
class Setting:
    """A value for one complete path. `says` is the line that states it, in words; empty where no
    line does: then `citation` is whose default it is, or None for a value that is not there.
    """

    path: Path
    value: Any
    says: str
    citation: Citation | None = None


class Lines:
    """The lines that state the changes, as a file that is held in memory alone."""

    def __init__(self, settings: Iterable[Setting]):
        said = dict.fromkeys(setting.says for setting in settings if setting.says)
        self._numbers = {text: number for number, text in enumerate(said, 1)}
        text = "\n".join(said)
        self.file = SourceFile(WHAT_IF, text, digest(text.encode("utf-8", "surrogateescape")))

    def onto(self, src: SourceMap) -> SourceMap:
        """The map of a device with this file behind its own; the device's own is left alone."""
        made = SourceMap([*src.files], [*src.citations], src.paths, src.ignores)
        made.add(self.file, WHAT_IF)
        return made

    def position(self, src: SourceMap, says: str) -> int:
        """The position of a line in a map that `onto` made."""
        return src.files[-1].first + self._numbers[says]

    def where(self, says: str) -> Where:
        """A line, of what belongs to no device."""
        src = self.onto(SourceMap())
        return Where(src, self.position(src, says))


def apply_settings(
    device: Device, settings: Iterable[Setting], lines: Lines | None = None
) -> Device:
    """A device with the settings made.

    A path through a port means the object as that port sees it: it is copied for the ports that
    the settings are about. A path that names the object itself means it for all that use it.

    Raises:
        PathError: there is no such object, and none can be made of the path alone.
    """
    known = list(settings)
    return _Edit(device, lines or Lines(known)).build(known)


class _Hole:
    """Stands in a list for an entry that was taken out, until all settings are made."""


_GONE = _Hole()


class _Edit:
    """One device in the making."""

    def __init__(self, device: Device, lines: Lines):
        self._original = device
        self._lines = lines
        self._src = lines.onto(device.src)
        self._owned: set[int] = set()  # ids of what was copied: it may be set
        self._kept: list[Any] = []  # keeps them alive, so that no id comes twice
        self._listed: list[tuple[Any, str, FieldType]] = []
        self._unset: dict[int, tuple[CodeMap, str, set[int]]] = {}
        self.device = self._twin(device)

    def build(self, settings: list[Setting]) -> Device:
        """The device with all settings made."""
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
        made: Device = self.device
        return made

    def _show_to_ports(self, groups: list[list[tuple[str, Setting, int]]]) -> None:
        """Give ports copies of the objects they refer to: those that change alike share one."""
        copies: dict[Hashable, str] = {}
        for group in groups:
            port_name, first, depth = group[0]
            step = first.path.steps[depth]
            port = self._interface(port_name)
            qos: PortQos = self._child(port, "qos", PortQos)
            collection = REFERENCES[step.field]
            name = getattr(qos, step.field)
            same = tuple((s.path.steps[depth + 1 :], s.says, repr(s.value)) for _, s, _ in group)
            key = (collection, name, same)
            if key not in copies:
                copies[key] = self._copy(collection, name)
                owner = getattr(self.device.qos, collection)[copies[key]]
                for _, setting, _ in group:
                    self._set(owner, type(owner), setting.path.steps[depth + 1 :], setting)
            setattr(qos, step.field, copies[key])

    def _copy(self, collection: str, name: str | None) -> str:
        """A copy of an object of the device, under a name of its own."""
        objects = self._collection(self.device.qos, collection)
        kind = fields_of(type(self.device.qos))[collection].kind
        old = objects.get(name) if name is not None else None
        new = _free(objects, f"{name or collection} (what if)")
        objects[new] = self._twin(old) if old is not None else self._new(kind, new)
        return new

    def _interface(self, name: str) -> Interface:
        ports = self._collection(self.device, PORTS)
        if name not in ports:
            raise PathError(f"{self.device.hostname} has no port {name}")
        ports[name] = self._twin(ports[name])
        port: Interface = ports[name]
        return port

    # ------------------------------------------------------------------ one setting

    def _set(self, owner: Any, kind: type[Any], steps: tuple[Step, ...], setting: Setting) -> None:
        """Go down to the owner of the value, copying what is on the way, and set it."""
        step, rest = steps[0], steps[1:]
        known = fields_of(kind)[step.field]
        if step.key is not None and known.kind is CodeMap:
            codes = self._child(owner, step.field, CodeMap)
            self._code(codes, step, setting)
        elif step.key is not None and known.collection is dict:
            self._entry(owner, known, step, rest, setting)
        elif step.key is not None:
            self._set_entry(owner, known, step, rest, setting)
        elif rest:
            if known.kind is None:
                raise PathError(f"{setting.path}: nothing is below {step.field}")
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
            value = next((n for n, o in objects.items() if o is setting.value), None) or _free(
                objects, f"{name} (what if)"
            )
            objects[value] = made
        setattr(owner, field, value)
        self._place(owner, field, setting)

    def _code(self, codes: CodeMap, step: Step, setting: Setting) -> None:
        codes.entries = dict(codes.entries)
        for number in code_numbers(step.key or "", step.field):
            if setting.value is None:
                codes.entries.pop(number, None)
                self._unset.setdefault(id(codes), (codes, step.field, set()))[2].add(number)
            else:
                codes.entries[number] = setting.value
            self._place(codes, number, setting)

    def _entry(
        self,
        owner: Any,
        known: FieldType,
        step: Step,
        rest: tuple[Step, ...],
        setting: Setting,
    ) -> None:
        key = key_of(step.key or "", known, step.field)
        entries = self._collection(owner, step.field)
        if key is None:
            raise PathError(f"{setting.path}: {step.key!r} is no entry of {step.field}")
        if rest:
            if known.kind is None:
                raise PathError(f"{setting.path}: nothing is below an entry of {step.field}")
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
            entries[key] = self._restate(setting.value, setting)
        self._unrepeat(owner, step.field, key)
        if isinstance(owner, Sourced):
            self._place(owner, key, setting)

    def _unrepeat(self, owner: Any, field: str, key: Hashable) -> None:
        """A policy that is changed repeats no other, and none repeats it."""
        if owner is self.device.qos and field == "egress":
            known = owner.repeated
            owner.repeated = {n: o for n, o in known.items() if key not in (n, o)}

    def _set_entry(
        self,
        owner: Any,
        known: FieldType,
        step: Step,
        rest: tuple[Step, ...],
        setting: Setting,
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
        """The object in a field, which may be set; made where there is none."""
        old = getattr(owner, field)
        made = self._twin(old) if old is not None else self._new(kind, None)
        setattr(owner, field, made)
        return made

    def _collection(self, owner: Any, field: str) -> dict[Any, Any]:
        """A collection in a field, whose entries may be set."""
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
        """A copy that may be set, with the lines of the changes behind those of its own."""
        if id(item) in self._owned:
            return item
        remake = REMAKE[type(item)]
        made = remake.make(*remake.values(item))
        if isinstance(made, Sourced):
            made.at = dict(item.at)
            if item is self._original:
                pass  # its files are those that were read, until a value of its own is set
            elif made.src is self._original.src:
                made.src = self._src
            elif made.src is not self._src:
                made.src = self._lines.onto(made.src)
        self._own(made)
        return made

    def _own_of(self, value: Any) -> Any:
        """The object of this device that a value is a copy of: named alike, and the same in all."""
        if not isinstance(value, KINDS) or value.name is None:
            return None
        parts = (
            part
            for policy in self.device.qos.egress.values()
            for queue in policy.queues.values()
            for part in (queue.scheduler, queue.marking, queue.buffer)
        )
        return next((p for p in parts if type(p) is type(value) and p == value), None)

    def _restate(self, value: Any, setting: Setting) -> Any:
        """A value that is an object, with all that is stated in it stated by the change."""
        if isinstance(value, dict):
            return {key: self._restate(part, setting) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._restate(part, setting) for part in value)
        if not isinstance(value, Sourced) or not setting.says:
            return value
        remake = REMAKE[type(value)]
        made = remake.make(*(self._restate(part, setting) for part in remake.values(value)))
        made.src = self._src
        line = self._lines.position(self._src, setting.says)
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
        """A new object; what it has to be called comes from the path."""
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
        if setting.says:
            owner.at[name] = self._lines.position(owner.src, setting.says)
        elif setting.citation is not None:
            owner.at[name] = owner.src.cite(setting.citation)
        else:
            owner.at.pop(name, None)


def _spread(codes: CodeMap, field: str, unset: set[int]) -> None:
    """What becomes of numbers without an entry is said of each, so that some can be left out."""
    if codes.otherwise is None:
        return
    place = codes.at.get("otherwise", 0)
    for number in DSCPS if field.startswith("dscp") else PRIORITIES:
        if number not in codes.entries and number not in unset:
            codes.entries[number] = codes.otherwise
            codes.at[number] = place
    codes.otherwise = None


def _reference(path: Path) -> int | None:
    """Which step of a path goes on through what a port refers to, if one does."""
    for number, step in enumerate(path.steps[:-1]):
        if number and path.steps[number - 1].field == "qos" and path.port is not None:
            return number if step.field in REFERENCES else None
    return None


def _free(known: Mapping[str, Any], name: str) -> str:
    return next(
        n for n in (name, *(f"{name} {k}" for k in range(2, len(known) + 3))) if n not in known
    )


__all__ = ["WHAT_IF", "Lines", "Setting", "apply_settings"]
