"""Devices as bytes, from a worker or the cache (only our own data is accepted), and cache keys."""

from __future__ import annotations

import enum
import io
import pickle
import zlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from roce_lint.loading.file_part import FilePart
from roce_lint.loading.group import Group
from roce_lint.model.device import Device
from roce_lint.model.sourced import REMAKE

PROTOCOL = 5
SEAL = 4
"""Bytes of the checksum."""

MODULES = ("roce_lint.model.", "roce_lint.text.source")
"""Modules of the classes of a Device."""

_SINGLE = {
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("builtins", "bytearray"),
    ("roce_lint.text.tree", "Document"),  # first key of a path into a later YAML document
}

_UNPICKLED = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    BufferError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions of the library for broken bytes."""


class ForeignError(Exception):
    """Data that is not a Device of this version of roce-lint."""


def pack(device: Device) -> bytes:
    """The bytes of a device."""
    stream = io.BytesIO()
    _Pickler(stream, PROTOCOL).dump(device)
    return seal(stream.getvalue())


def seal(data: bytes) -> bytes:
    """The bytes with their checksum before them.

    Corrupt bytes must be rejected before they are unpickled: a single bit can request any amount of
    memory.
    """
    return zlib.crc32(data).to_bytes(SEAL, "big") + data


def unpack(data: bytes) -> Device:
    """The device again.

    Raises:
        ForeignError: the bytes are something else, or corrupt.
    """
    checksum, inner = data[:SEAL], memoryview(data)[SEAL:]
    if zlib.crc32(inner).to_bytes(SEAL, "big") != checksum:
        raise ForeignError("the bytes are corrupt")
    try:
        device = _Unpickler(io.BytesIO(inner)).load()
    except _UNPICKLED as error:
        raise ForeignError(str(error) or type(error).__name__) from error
    if not isinstance(device, Device):
        raise ForeignError(f"no Device but {type(device).__name__}")
    return device


class _Reductions(dict[type[Any], Callable[[Any], tuple[Any, ...]]]):
    """Reducers of data classes: the class and the values of its fields.

    Half as long, and written in half the time, as with the names of the fields.
    """

    def __missing__(self, kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
        if not _is_remade(kind):
            raise KeyError(kind)
        values = REMAKE[kind].values
        self[kind] = reduce = lambda made: (kind, values(made))
        return reduce


class _Pickler(pickle.Pickler):
    dispatch_table = _Reductions()


def _is_remade(kind: type[Any]) -> bool:
    if not is_dataclass(kind) or len(fields(kind)) < 2:
        return False
    frozen: bool = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return not frozen or all(entry.init and not entry.kw_only for entry in fields(kind))


def _is_named(kind: type[Any]) -> bool:
    """Whether a class is a named tuple: creating one has no other effect."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


class _Unpickler(pickle.Unpickler):
    """Accepts the data classes and enumerations of the model, and nothing that runs."""

    def find_class(self, module: str, name: str) -> Any:
        """A class by its name."""
        key = (module, name)
        found = _ADMITTED.get(key)
        if found is None:
            found = _admit(module, name, super().find_class)
            # The called function is the constructor, so the class is only a name here.
            found = _ADMITTED[key] = REMAKE[found].make if _is_remade(found) else found
        return found


_ADMITTED: dict[tuple[str, str], Any] = {}


def _admit(module: str, name: str, find: Any) -> Any:
    if (module, name) in _SINGLE:
        return find(module, name)
    # A dotted name, or one that a module merely imports, could lead anywhere.
    if module.startswith(MODULES) and "." not in name:
        found = find(module, name)
        own = isinstance(found, type) and found.__module__ == module
        if own and (is_dataclass(found) or issubclass(found, enum.Enum) or _is_named(found)):
            return found
    raise pickle.UnpicklingError(f"{module}.{name} does not belong in a Device")


# Cache keys: everything that the parsing of a device depends on.


def words(group: Group) -> Iterator[str]:
    """The device and its files: names, contents, and how they were recognised."""
    yield group.device
    for part in group.files:
        yield from _of_part(part)


def key(group: Group) -> Hashable:
    """Key of a group; equal for all groups that result in the same device in one run."""
    return (group.nos, group.role, *words(group))


def _of_part(part: FilePart) -> Iterator[str]:
    identity = part.identity
    yield from ("file", part.name, part.sha256, identity.source, str(identity.header))
    if part.placing is not None:
        yield from ("placing", part.placing.numbers.hex(), str(part.placing.margin))
    for name, value in sorted(identity.args.items()):
        yield from (name, value)
