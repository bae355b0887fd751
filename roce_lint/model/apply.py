"""Devices and fabrics with values changed: what is not touched is shared, nothing is altered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface
from roce_lint.model.path import PORTS, Path, PathError, Step
from roce_lint.model.qos import CodeMap, PortQos
from roce_lint.model.remake import REMAKE
from roce_lint.model.schema import LINKS, REFERENCES, FieldType, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.values import code_numbers, key_of
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


def changed(device: Device, settings: Iterable[Setting], lines: Lines | None = None) -> Device:
    """A device with the settings made.

    A path through a port means the object as that port sees it: it is copied for the ports that
    the settings are about. A path that names the object itself means it for all that use it.

    Raises:
        PathError: there is no such object, and none can be made of the path alone.
    """
    known = list(settings)
    return _Edit(device, lines or Lines(known)).made(known)


class _Gone:
    """Stands in a list for an entry that was taken out, until all settings are made."""


_GONE = _Gone()


class _Edit:
    """One device in the making."""

    def __init__(self, device: Device, lines: Lines):
        self._original = device
        self._lines = lines
        self._src = lines.onto(device.src)
        self._owned: set[int] = set()  # ids of what was copied: it may be set
        self._kept: list[Any] = []  # keeps them alive, so that no id comes twice
        self._listed: list[tuple[Any, str, FieldType]] = []
        self.device = self._twin(device)

    def made(self, settings: list[Setting]) -> Device:
        """The device with all settings made."""
        shared: dict[Hashable, list[tuple[str, Setting, int]]] = {}
        for setting in settings:
            depth = _reference(setting.path)
            if depth is None:
                self._set(self.device, Device, setting.path.steps, setting)
            else:
                group = str(setting.path.port), setting.path.steps[depth].field
                shared.setdefault(group, []).append((str(setting.path.port), setting, depth))
        self._seen_by_ports(list(shared.values()))
        for owner, name, known in self._listed:
            entries = [entry for entry in getattr(owner, name) if entry is not _GONE]
            setattr(owner, name, entries if known.collection is list else tuple(entries))
        made: Device = self.device
        return made

    def _seen_by_ports(self, groups: list[list[tuple[str, Setting, int]]]) -> None:
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
            self._listed_entry(owner, known, step, rest, setting)
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
        value = setting.value
        if isinstance(owner, PortQos) and field in REFERENCES and isinstance(value, Sourced):
            objects = self._collection(self.device.qos, REFERENCES[field])
            name = getattr(value, "name", None) or field
            value = next((n for n, o in objects.items() if o is value), None) or _free(
                objects, f"{name} (what if)"
            )
            objects[value] = setting.value
        setattr(owner, field, value)
        self._place(owner, field, setting)

    def _code(self, codes: CodeMap, step: Step, setting: Setting) -> None:
        codes.entries = dict(codes.entries)
        for number in code_numbers(step.key or "", step.field):
            if setting.value is None:
                codes.entries.pop(number, None)
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
            entries[key] = setting.value
        self._unrepeat(owner, step.field, key)
        if isinstance(owner, Sourced):
            self._place(owner, key, setting)

    def _unrepeat(self, owner: Any, field: str, key: Hashable) -> None:
        """A policy that is changed repeats no other, and none repeats it."""
        if owner is self.device.qos and field == "egress":
            known = owner.repeated
            owner.repeated = {n: o for n, o in known.items() if key not in (n, o)}

    def _listed_entry(
        self,
        owner: Any,
        known: FieldType,
        step: Step,
        rest: tuple[Step, ...],
        setting: Setting,
    ) -> None:
        number = int(step.key or "") if (step.key or "").isdigit() else -1
        entries = list(getattr(owner, step.field))
        setattr(owner, step.field, entries)
        if rest and 0 <= number < len(entries) and known.kind is not None:
            entries[number] = self._twin(entries[number])
            self._set(entries[number], known.kind, rest, setting)
        elif not rest and number >= 0:
            self._listed.append((owner, step.field, known))
            entries += [_GONE] * (number + 1 - len(entries))
            entries[number] = _GONE if setting.value is None else setting.value
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
            else:
                made.src = self._lines.onto(made.src)
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


# ---------------------------------------------------------------------------------- fabrics


def with_devices(fabric: Fabric, devices: Mapping[str, Device]) -> Fabric:
    """A fabric with some of its devices replaced, each by name; the links lead to the new ones."""
    made = replace(
        fabric,
        devices={name: devices.get(name, device) for name, device in fabric.devices.items()},
        by_port={},
    )

    def end(old: Endpoint) -> Endpoint | None:
        device = devices.get(old.device.hostname)
        if device is None:
            return old
        port = device.interfaces.get(old.interface.name)
        return Endpoint(device, port) if port is not None else None

    links: dict[int, Link] = {}
    for link in fabric.links:
        a, b = end(link.a), end(link.b)
        if a is not None and b is not None:
            same = a is link.a and b is link.b
            links[id(link)] = link if same else replace(link, a=a, b=b)
    made.links = list(links.values())
    made.by_port = {
        key: links[id(link)] for key, link in fabric.by_port.items() if id(link) in links
    }
    return made


def with_links(
    fabric: Fabric, settings: Iterable[Setting], cut: Iterable[tuple[str, str]], lines: Lines
) -> Fabric:
    """A fabric with fields of links set, and without the links on the ports that are cut."""
    changed_links: dict[int, Link] = {}
    for setting in settings:
        port, field = setting.path.steps[0].key or "", setting.path.steps[1].field
        link = fabric.link_of(setting.path.device, port)
        if link is None:
            raise PathError(f"{setting.path}: no link is known on this port")
        new = changed_links.get(id(link)) or replace(link)
        setattr(new, field, setting.value)
        new.where = (lines.where(setting.says), *link.where)
        changed_links[id(link)] = new
    gone = {id(link) for key in cut if (link := fabric.link_of(*key)) is not None}

    def now(link: Link) -> Link:
        return changed_links.get(id(link), link)

    return replace(
        fabric,
        links=[now(link) for link in fabric.links if id(link) not in gone],
        by_port={k: now(link) for k, link in fabric.by_port.items() if id(link) not in gone},
    )


def is_of_link(path: Path) -> bool:
    """True for a path to a field of a link."""
    return bool(path.steps) and path.steps[0].field == LINKS


__all__ = ["WHAT_IF", "Lines", "Setting", "changed", "is_of_link", "with_devices", "with_links"]
