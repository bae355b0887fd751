"""Devices as bytes, from a worker or the cache: nothing but our own data comes back."""

from __future__ import annotations

import enum
import io
import pickle
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.remake import REMAKE

PROTOCOL = 5
SEAL = 4
"""Bytes of the checksum."""

MODULES = ("roce_lint.model.", "roce_lint.text.source")
"""Where the classes of a Device live."""

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
"""What the library raises over broken bytes."""


class ForeignError(Exception):
    """Something that is no Device of this version of roce-lint."""


def pack(device: Device) -> bytes:
    """The bytes of a device."""
    stream = io.BytesIO()
    _Pickler(stream, PROTOCOL).dump(device)
    return seal(stream.getvalue())


def seal(data: bytes) -> bytes:
    """The bytes with their checksum before them.

    Spoilt bytes have to be refused before they are read: one bit can ask for any amount of memory.
    """
    return zlib.crc32(data).to_bytes(SEAL, "big") + data


def unpack(data: bytes) -> Device:
    """The device again.

    Raises:
        ForeignError: the bytes hold anything else, or are not whole.
    """
    checksum, inner = data[:SEAL], memoryview(data)[SEAL:]
    if zlib.crc32(inner).to_bytes(SEAL, "big") != checksum:
        raise ForeignError("the bytes are not whole")
    try:
        device = _Unpickler(io.BytesIO(inner)).load()
    except _UNPICKLED as error:
        raise ForeignError(str(error) or type(error).__name__) from error
    if not isinstance(device, Device):
        raise ForeignError(f"no Device but {type(device).__name__}")
    return device


class _Reductions(dict[type[Any], Callable[[Any], tuple[Any, ...]]]):
    """How an object of a data class is written: its class and the values of its fields.

    That is half as long, and written in half the time, as with the names of the fields.
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
    """Whether a class is a tuple with names: making one makes nothing else."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


class _Unpickler(pickle.Unpickler):
    """Admits the data classes and enumerations of the model, and nothing that runs."""

    def find_class(self, module: str, name: str) -> Any:
        """A class by its name."""
        key = (module, name)
        found = _ADMITTED.get(key)
        if found is None:
            found = _admit(module, name, super().find_class)
            # What is called is the maker, and so the class is no more than a name here.
            found = _ADMITTED[key] = REMAKE[found].make if _is_remade(found) else found
        return found


_ADMITTED: dict[tuple[str, str], Any] = {}


def _admit(module: str, name: str, find: Any) -> Any:
    if (module, name) in _SINGLE:
        return find(module, name)
    # A dotted name, or what a module merely imports, would lead anywhere.
    if module.startswith(MODULES) and "." not in name:
        found = find(module, name)
        own = isinstance(found, type) and found.__module__ == module
        if own and (is_dataclass(found) or issubclass(found, enum.Enum) or _is_named(found)):
            return found
    raise pickle.UnpicklingError(f"{module}.{name} does not belong in a Device")
