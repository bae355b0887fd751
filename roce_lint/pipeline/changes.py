"""Hypothetical changes: `PATH=VALUE`, parsed and resolved against a fabric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from roce_lint.errors import ReadError, UsageError
from roce_lint.model import apply
from roce_lint.model.apply import Setting
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.path import PORTS, Path, PathError, Step, matches, nearest, parse
from roce_lint.model.schema import CABLE, KINDS, LINKS, FieldType, named_objects, resolve, type_of
from roce_lint.model.units import PRIORITIES
from roce_lint.model.values import UNSET, key_text, read, spell_value
from roce_lint.text.numbers import whole_of
from roce_lint.text.places import LAST_COUNTS
from roce_lint.text.source import SourceFile, digest
from roce_lint.text.tree import TreeForm, load_yaml, locate

FILE_LIMIT = 4 << 20
"""Largest file of changes, in bytes."""

CABLE_FIELD = "cable_m"


@dataclass(slots=True, frozen=True)
class RequestedChange:
    """A change as written, with the option or the file and line it comes from."""

    path: Path
    value: Any
    text: str
    origin: str

    @property
    def shown(self) -> str:
        """The line of the change, as findings show it."""
        return f"what if: {self.text}"


@dataclass(slots=True, frozen=True)
class AppliedChange:
    """A change of one value, with the previous value."""

    setting: Setting
    before: Any
    request: RequestedChange


def parse_request(text: str, origin: str) -> RequestedChange:
    """A change from `DEVICE:PORT FIELD=VALUE`.

    Raises:
        UsageError: it is not a change, or the field or the value is wrong.
    """
    name, equals, value = _divide(text)
    if not equals:
        raise UsageError(f"{origin}: {text!r} is not PATH=VALUE",
                         hint="such as 'leaf1:Ethernet1/1 ip_mtu=9216'")  # fmt: skip
    return _parsed(name, value.strip(), text, origin)


def _divide(text: str) -> tuple[str, str, str]:
    """Split path and value at the first `=` outside of quotes."""
    quoted = False
    for place, letter in enumerate(text):
        if letter == '"' and (place == 0 or text[place - 1] != "\\"):
            quoted = not quoted
        elif letter == "=" and not quoted:
            return text[:place], "=", text[place + 1 :]
    return text, "", ""


def _parsed(name: str, value: str, text: str, origin: str) -> RequestedChange:
    try:
        path = resolve(parse(name))
        if not path.steps or (path.port is not None and len(path.steps) == 1):
            raise PathError(f"{name.strip()!r} names no field", hint="such as ip_mtu")
        last = path.steps[-1]
        known = path if last.field != CABLE else Path(path.device, (*path.steps[:-1], _METRES))
        kind = type_of(known)
        by_name = _named_kind(last, kind) and value.lower() not in ("", UNSET)
        made = value if by_name else read(value, known.steps[-1].field, kind)
    except UsageError as error:
        raise UsageError(error.message, location=origin, hint=error.hint) from None
    return RequestedChange(path, made, " ".join(text.split()), origin)


def _named_kind(last: Step, known: FieldType) -> type[Any] | None:
    """Class of the object that a path leads to, if a name identifies it."""
    one = last.key is not None or not known.many
    return known.kind if one and known.kind in KINDS else None


_METRES = Step(CABLE_FIELD)


def cut(text: str) -> Path:
    """The port whose link is cut, from `DEVICE:PORT`.

    Raises:
        UsageError: it is not a port.
    """
    path = parse(f"{text.strip()} {CABLE}")
    if path.port is None:
        raise UsageError(f"--cut {text}: a link is named by one of its ports, DEVICE:PORT")
    return Path(path.device, path.steps[:1])


def read_requests(file: str) -> list[RequestedChange]:
    """The changes of a YAML file: a list of `PATH=VALUE`, or a mapping of paths to values.

    Raises:
        UsageError: it cannot be read, or an entry is wrong; the location has the line.
    """
    try:
        with File(file).open("rb") as source:  # bounded: the file may be endless
            data = source.read(FILE_LIMIT + 1)
        if len(data) > FILE_LIMIT:
            raise UsageError(f"larger than {FILE_LIMIT >> 20} MiB", location=file)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise UsageError(f"cannot be read: {reason}", location=file) from None
    try:
        trees = load_yaml(SourceFile(file, text, digest(data)))
    except ReadError as error:
        raise UsageError(error.message, location=error.location or file) from None
    found: list[RequestedChange] = []
    for tree in trees:
        for note in tree.notes:
            raise UsageError(note.message.removesuffix(LAST_COUNTS), location=f"{file}:{note.line}")
        if tree.data in (None, ""):
            continue
        for key, item in _entries(tree.data, file):
            line, _ = locate(text, TreeForm.YAML, (key,))
            found.append(_of_entry(key, item, f"{file}:{line}"))
    return found


def _entries(data: Any, file: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(data, dict):
        return iter(data.items())
    if isinstance(data, list):
        return iter(enumerate(data))
    raise UsageError("must be a list of PATH=VALUE or a mapping of paths to values", location=file)


def _of_entry(key: Any, item: Any, place: str) -> RequestedChange:
    if isinstance(key, int):
        if not isinstance(item, str):
            raise UsageError("an entry is a text PATH=VALUE", location=place)
        return parse_request(item, place)
    value = ",".join(map(str, item)) if isinstance(item, list) else str(item)
    return _parsed(str(key), value, f"{key}={value}", place)


def settings_of(requests: Iterable[RequestedChange], fabric: Fabric) -> list[AppliedChange]:
    """Every value that the changes set.

    Raises:
        UsageError: one matches nothing, or two set different values for one target.
    """
    known: dict[Path, AppliedChange] = {}
    for each in requests:
        found = list(_settings(each, fabric))
        if not found:
            raise no_such_path(each.path, fabric, each.origin)
        for made in found:
            other = known.setdefault(made.setting.path, made)
            if other.setting.value != made.setting.value:
                raise UsageError(
                    f"{made.setting.path} cannot be both {spell_value(other.setting.value)} "
                    f"({other.request.origin}: {other.request.text})"
                    f" and {spell_value(made.setting.value)} ({each.origin}: {each.text})"
                )
    return list(known.values())


def ports_of(path: Path, fabric: Fabric) -> list[tuple[str, str]]:
    """The ports that a path matches, each with its device."""
    glob = path.steps[0].key or ""
    return [
        (device.hostname, name)
        for device in _devices(path, fabric)
        for name in _ports(device, glob)
    ]


def _devices(path: Path, fabric: Fabric) -> list[Device]:
    one = fabric.devices.get(path.device)
    if one is not None and not path.is_pattern:
        return [one]
    return [device for name, device in fabric.devices.items() if matches(name, path.device)]


def _ports(device: Device, glob: str) -> list[str]:
    """Ports by name, or by an alias where no name matches."""
    if glob in device.interfaces:
        return [glob]
    found = [name for name in device.interfaces if matches(name, glob)]
    return found or [
        port.name
        for port in device.interfaces.values()
        if any(matches(alias, glob) for alias in port.aliases)
    ]


def _settings(each: RequestedChange, fabric: Fabric) -> Iterator[AppliedChange]:
    path = each.path
    for device in _devices(path, fabric):
        first = path.steps[0]
        if first.field == PORTS and path.steps[1:] == (Step(CABLE),):
            for name in _ports(device, first.key or ""):
                yield from _cable(each, device, name, fabric)
            continue
        names: Sequence[str | None] = [first.key]
        if first.field in (PORTS, LINKS):
            names = list(_ports(device, first.key or ""))
        elif first.field == "nics":
            names = [
                name
                for name, nic in device.nics.items()
                if matches(name, first.key or "") or matches(nic.port or "", first.key or "")
            ]
        for own in names:
            full = Path(device.hostname, (Step(first.field, own), *path.steps[1:]))
            for whole in _entries_of(full, device):
                if first.field == LINKS and fabric.link_of(device.hostname, own or "") is None:
                    continue
                if path.is_pattern and not _is_there(whole, device):
                    continue
                _require_usable(whole, device, each)
                setting = Setting(whole, _value_on(device, whole, each), each.shown)
                yield AppliedChange(setting, value_at(device, whole, fabric), each)


def _value_on(device: Device, path: Path, each: RequestedChange) -> Any:
    """The value, or the device's object of that name.

    Raises:
        UsageError: the device has no such object.
    """
    kind = _named_kind(path.steps[-1], type_of(path))
    if kind is None or each.value is None:
        return each.value
    objects = {part.name: part for part in named_objects(device) if type(part) is kind}
    if each.value not in objects:
        near = ", ".join(nearest(each.value, filter(None, objects), 3))
        hint = f"the nearest are {near}" if near else None
        what = f"{path}: {device.hostname} has no {kind.__name__} {each.value!r}"
        raise UsageError(what, location=each.origin, hint=hint)
    return objects[each.value]


def _is_there(path: Path, device: Device) -> bool:
    """Whether the device has the object of a path; a pattern creates none."""
    item: Any = device
    for step in path.steps[:-1] if path.steps[0].field != LINKS else ():
        item = apply.below(item, step, device)
        if item is None:
            return False
    return True


def _require_usable(path: Path, device: Device, each: RequestedChange) -> None:
    """Refuse to create an object that nothing would use. A path creates one only from a place on a
    port or a number that every device has.

    Raises:
        UsageError: the device lacks a named entry.
    """
    item: Any = device
    for step in path.steps[:-1] if path.steps[0].field != LINKS else ():
        below = apply.below(item, step, device)
        if below is None:
            entries = getattr(item, step.field, None)
            if step.key is None or _is_common(step, entries):
                return
            known = [key_text(key) for key in entries] if isinstance(entries, dict) else []
            hint = f"there are {', '.join(nearest(step.key, known))}" if known else None
            what = f"{path}: {device.hostname} has no {step.field}[{step.key}]"
            raise UsageError(what, location=each.origin, hint=hint)
        item = below


def _is_common(step: Step, entries: Any) -> bool:
    """Whether an entry is a priority, class or queue that every device may have."""
    text = (step.key or "").rpartition(" ")[2]
    numbered = isinstance(entries, dict) and not any(isinstance(key, str) for key in entries)
    return numbered and text.isascii() and text.isdigit() and whole_of(text) in PRIORITIES


def _entries_of(path: Path, device: Device) -> Iterator[Path]:
    """The path with its inner globs replaced by existing names."""
    at = next((n for n, s in enumerate(path.steps) if type(s.key) not in (str, type(None))), None)
    if at is None:
        yield path
        return
    step = path.steps[at]
    owner: Any = device
    for before in path.steps[:at]:
        owner = apply.below(owner, before, device)
    entries = getattr(owner, step.field, None)
    for key in entries if isinstance(entries, dict) else ():
        if isinstance(key, str) and matches(key, step.key or ""):
            whole = (*path.steps[:at], Step(step.field, key), *path.steps[at + 1 :])
            yield from _entries_of(Path(path.device, whole), device)


def _cable(
    each: RequestedChange, device: Device, port: str, fabric: Fabric
) -> Iterator[AppliedChange]:
    """Changes for a cable: the length of the link and the setting on both ends."""
    link = fabric.link_of(device.hostname, port)
    ends = [(device.hostname, port)] if link is None else [end.key for end in link.ends]
    paths = [Path(name, (Step(PORTS, p), _METRES)) for name, p in ends]
    if link is not None:
        paths.append(Path(ends[0][0], (Step(LINKS, ends[0][1]), _METRES)))
    for path in paths:
        owner = fabric.devices[path.device]
        yield AppliedChange(
            Setting(path, each.value, each.shown), value_at(owner, path, fabric), each
        )


def value_at(device: Device, path: Path, fabric: Fabric) -> Any:
    """The current value at a path; None without one."""
    if path.steps[0].field == LINKS:
        link = fabric.link_of(device.hostname, path.steps[0].key or "")
        return getattr(link, path.steps[1].field, None)
    return apply.value_at(device, path)


def no_such_path(path: Path, fabric: Fabric, origin: str) -> UsageError:
    """Error for a path that matches nothing, with the nearest names."""
    return UsageError(_unknown_name(path, fabric), location=origin, hint=_near(path, fabric))


def _unknown_name(path: Path, fabric: Fabric) -> str:
    if not _devices(path, fabric):
        return f"{path}: no device {path.device}"
    first = path.steps[0]
    if first.field == LINKS and any(_ports(d, first.key or "") for d in _devices(path, fabric)):
        return f"{path}: no link is known on this port"
    what = {PORTS: "port", LINKS: "port", "nics": "RDMA device"}.get(first.field)
    if what is None or path.steps[0].key is None:
        return f"{path}: unknown name"
    return f"{path}: no {what} {first.key}"


def _near(path: Path, fabric: Fabric) -> str | None:
    devices = _devices(path, fabric)
    if not devices:
        return f"the nearest are {', '.join(nearest(path.device, fabric.devices, 3))}"
    at = next((step for step in path.steps if step.key is not None), None)
    if at is None:
        return None
    if path.steps[0].field in (PORTS, LINKS, "nics"):
        names = [name for device in devices[:8] for name in (*device.interfaces, *device.nics)]
    else:
        names = [key for device in devices[:8] for key in _keys(path, device)]
    near = nearest(at.key or "", names, 3)
    return f"the nearest are {', '.join(near)}" if near else None


def _keys(path: Path, device: Device) -> list[str]:
    """Names of the entries at the first step of a path that names one."""
    item: Any = device
    for step in path.steps:
        if step.key is not None:
            entries = getattr(item, step.field, None)
            return [key_text(key) for key in entries] if isinstance(entries, dict) else []
        item = apply.below(item, step, device)
    return []
