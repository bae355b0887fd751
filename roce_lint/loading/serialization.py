"""Devices as bytes, from a worker or the cache (only our own data is accepted), and cache keys."""

from __future__ import annotations

import enum
import io
import pickle
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from operator import attrgetter
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from roce_lint.loading.file_part import FilePart
from roce_lint.loading.group import Group
from roce_lint.model.device import Device
from roce_lint.model.sourced import REMAKE, Sourced
from roce_lint.text.source import LineState, SourceMap

T = TypeVar("T")

PROTOCOL = 5
SEAL = 4
"""Bytes of the checksum."""

LENGTH = 4
"""Bytes of a length."""

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
    """The bytes of a device: the length of its places, its places (`Sourced.at`), the rest."""
    stream, block, places = io.BytesIO(), io.BytesIO(), list[dict[Hashable, int]]()
    _PlacingPickler(stream, places).dump(device)
    _Pickler(block, PROTOCOL).dump(places)
    length = len(block.getvalue()).to_bytes(LENGTH, "big")
    return seal(b"".join((length, block.getvalue(), stream.getvalue())))


Own = tuple[str, int, str]
"""Placeholder for a string of one device: its number, and the text before and after it."""


def pack_model(device: Device, stand_in: Callable[[object], Any]) -> bytes:
    """The bytes of a device with other objects in place of some; None is none."""
    stream = io.BytesIO()
    _ModelPickler(stream, stand_in).dump(device)
    return stream.getvalue()


def unpack_copy(data: bytes, strings: Sequence[str], shared: Sequence[Any]) -> Device:
    """A device from the bytes of a model, with these strings and objects by number."""
    device: Device = _CopyUnpickler(data, strings, shared).load()
    return device


def flat(device: Device) -> Hashable:
    """A value that is equal for equal devices with equal positions.

    The bytes of equal devices may differ in the strings and keys that are one object, and in the
    order of sets.
    """
    numbers: dict[str, int] = {}

    def stand_in(made: object) -> Any:
        if isinstance(made, str):
            return numbers.setdefault(made, len(numbers))
        if isinstance(made, tuple) and is_plain(made):
            return repr(made)
        return sorted(made, key=repr) if isinstance(made, set | frozenset) else None

    return pack_model(device, stand_in), tuple(numbers)


def is_plain(value: object) -> bool:
    """Whether a value is a number, a text, a member of an enumeration, or a tuple or a frozen set
    of such.
    """
    if isinstance(value, tuple | frozenset):
        return all(map(is_plain, value))
    return isinstance(value, str | int | float | enum.Enum | None)


def seal(data: bytes) -> bytes:
    """The bytes with their checksum before them.

    Corrupt bytes must be rejected before they are unpickled: a single bit can request any amount of
    memory.
    """
    return zlib.crc32(data).to_bytes(SEAL, "big") + data


def unpack(data: bytes) -> Device:
    """The device again. Devices with equal places, as of one template, share them.

    Raises:
        ForeignError: the bytes are something else, or corrupt.
    """
    device = _restored(data, _placed)
    if not isinstance(device, Device):
        raise ForeignError(f"no Device but {type(device).__name__}")
    return device


def restore(data: bytes) -> Any:
    """The sealed object: a collection of plain values.

    Raises:
        ForeignError: the bytes are something else, or corrupt.
    """
    return _restored(data, lambda inner: _Unpickler(io.BytesIO(inner)).load())


def _restored(data: bytes, load: Callable[[memoryview], T]) -> T:
    checksum, inner = data[:SEAL], memoryview(data)[SEAL:]
    if zlib.crc32(inner).to_bytes(SEAL, "big") != checksum:
        raise ForeignError("the bytes are corrupt")
    try:
        return load(inner)
    except _UNPICKLED as error:
        raise ForeignError(str(error) or type(error).__name__) from error


def _placed(data: memoryview) -> Any:
    end = LENGTH + int.from_bytes(data[:LENGTH], "big")
    return _PlacedUnpickler(io.BytesIO(data[end:]), _places(bytes(data[LENGTH:end]))).load()


@lru_cache(maxsize=64)
def _places(data: bytes) -> list[dict[Hashable, int]]:
    """Places of devices, which nobody changes."""
    found: list[dict[Hashable, int]] = _Unpickler(io.BytesIO(data)).load()
    return found


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


class _PlacingPickler(_Pickler):
    """Puts the places of objects into a list, and their numbers there instead: all but those with
    keys that other devices may not have, such as addresses.
    """

    def __init__(self, stream: io.BytesIO, places: list[dict[Hashable, int]]) -> None:
        self.dispatch_table = _PlacingReductions(places)  # looked up once, by the constructor
        super().__init__(stream, PROTOCOL)


class _PlacingReductions(_Reductions):
    def __init__(self, places: list[dict[Hashable, int]]) -> None:
        self._places = places

    def __missing__(self, kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
        if not issubclass(kind, Sourced):
            return super().__missing__(kind)
        values, places = REMAKE[kind].values, self._places
        names = {"", *(entry.name for entry in fields(kind))}

        def reduce(made: Any) -> tuple[Any, ...]:
            src, at, *rest = values(made)
            if any(isinstance(key, str) for key in at.keys() - names):
                return kind, (src, at, *rest)
            places.append(at)
            return kind, (src, len(places) - 1, *rest)

        self[kind] = reduce
        return reduce


class _ModelPickler(_Pickler):
    def __init__(self, stream: io.BytesIO, stand_in: Callable[[object], Any]) -> None:
        super().__init__(stream, PROTOCOL)
        self._stand_in = stand_in

    def persistent_id(self, made: object) -> Any:
        """The substitute of an object; None for the object itself."""
        return self._stand_in(made)


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
            if _is_remade(found):
                _MAKES_SOURCED.update([REMAKE[found].make] if issubclass(found, Sourced) else [])
                found = REMAKE[found].make
            _ADMITTED[key] = found
        return found


class _PlacedUnpickler(_Unpickler):
    """Builds objects with their places, or places by number."""

    def __init__(self, stream: io.BytesIO, places: list[dict[Hashable, int]]) -> None:
        super().__init__(stream)
        self._places = places

    def find_class(self, module: str, name: str) -> Any:
        """A class by its name; a function that builds objects with places."""
        make = super().find_class(module, name)
        if make not in _MAKES_SOURCED:
            return make
        places = self._places
        return lambda src, at, *rest: make(src, places[at] if type(at) is int else at, *rest)


class _CopyUnpickler(_Unpickler):
    def __init__(self, data: bytes, strings: Sequence[str], shared: Sequence[Any]) -> None:
        super().__init__(io.BytesIO(data))
        self._strings = strings
        self._shared = shared

    def persistent_load(self, pid: Own | int) -> Any:
        """The string of a device, or an object that all copies have."""
        if isinstance(pid, int):
            return self._shared[pid]
        before, number, after = pid
        return (
            f"{before}{self._strings[number]}{after}" if before or after else self._strings[number]
        )


_ADMITTED: dict[tuple[str, str], Any] = {}
_MAKES_SOURCED: set[Callable[..., Any]] = set()
"""Functions that build objects whose first fields are a source and places."""


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


# Devices from files that anyone may have made. The bytes only call functions that build an object,
# so that no attribute of a class can be set, and the result must have the declared types.


class _Calls(_Reductions):
    """Reducers of all classes."""

    def __missing__(self, kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
        if is_dataclass(kind):
            values = attrgetter(*(entry.name for entry in fields(kind)), "__class__")
            self[kind] = reduce = lambda made: (kind, values(made)[:-1])
        elif _is_named(kind):
            self[kind] = reduce = lambda made: (kind, tuple(made))
        else:
            raise KeyError(kind)
        return reduce


class _MaskingPickler(pickle.Pickler):
    dispatch_table = _Calls()

    def __init__(self, stream: io.BytesIO, mask: Callable[[str], str]) -> None:
        super().__init__(stream, PROTOCOL)
        self._mask = mask

    def persistent_id(self, value: Any) -> str | None:
        """The masked form of a text that holds a secret."""
        if type(value) is not str:
            return None
        masked = self._mask(value)
        return None if masked == value else masked


class _StrictUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A function that builds an object of the class."""
        found = _MAKERS.get((module, name))
        if found is None:
            kind = _admit(module, name, super().find_class)
            found = _MAKERS[module, name] = kind if module == "builtins" else _maker(kind)
        return found

    def persistent_load(self, pid: Any) -> str:
        """A masked text."""
        if type(pid) is not str:
            raise pickle.UnpicklingError("no text")
        return pid


_MAKERS: dict[tuple[str, str], Callable[..., Any]] = {}


def _maker(kind: type[Any]) -> Callable[..., Any]:
    names = [entry.name for entry in fields(kind)] if is_dataclass(kind) else []
    if _is_remade(kind) and not isinstance(REMAKE[kind].make, type):
        return REMAKE[kind].make

    def make(*values: Any) -> Any:
        if not names:
            return kind(*values)
        made = object.__new__(kind)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(made, name, value)
        return made

    return make


def pack_masked(device: Device, mask: Callable[[str], str]) -> bytes:
    """The bytes of a device, with `mask` applied to every text."""
    stream = io.BytesIO()
    _MaskingPickler(stream, mask).dump(device)
    return stream.getvalue()


def unpack_strict(data: bytes) -> Device:
    """The device again.

    Raises:
        ForeignError: the bytes are something else, or a value has another type than declared.
    """
    try:
        device = _StrictUnpickler(io.BytesIO(data)).load()
        if not _check(Device)(device, set()):
            raise ForeignError("a value is not what the model declares")
    except _UNPICKLED as error:
        raise ForeignError(str(error) or type(error).__name__) from error
    made: Device = device
    return made


_Check = Callable[[Any, set[int]], bool]
"""Whether a value, and all below it, has its declared type; takes the objects checked before."""


@cache
def _check(hint: Any) -> _Check:
    origin, parts = get_origin(hint), [_check(part) for part in get_args(hint) if part is not ...]
    if hint is Hashable:
        return lambda value, _: isinstance(value, _KEYS)
    if origin in (Union, UnionType):
        return lambda value, seen: any(part(value, seen) for part in parts)
    if origin is dict:
        key, item = parts
        return lambda value, seen: (
            type(value) is dict and all(key(k, seen) and item(v, seen) for k, v in value.items())
        )
    if origin is tuple and ... not in get_args(hint):
        return lambda value, seen: (
            type(value) is tuple
            and len(value) == len(parts)
            and all(part(each, seen) for part, each in zip(parts, value, strict=True))
        )
    if origin is not None:
        (part,) = parts
        return lambda value, seen: type(value) is origin and all(part(v, seen) for v in value)
    if is_dataclass(hint):
        return _check_object(hint)
    kinds = (float, int) if hint is float else hint
    return lambda value, _: isinstance(value, kinds)


_KEYS = (str, int, float, tuple, enum.Enum, type(None))
_DEEP = (list, tuple, dict, set, frozenset)


def _check_object(kind: Any) -> _Check:
    parts: list[_Check] = []
    known: dict[tuple[type[Any], ...], list[int]] = {}  # the fields to look into, by all types
    values_of = attrgetter(*(entry.name for entry in fields(kind)), "__class__")  # two or more

    def check(value: Any, seen: set[int]) -> bool:
        if type(value) is not kind:
            return False
        if id(value) in seen:
            return True
        seen.add(id(value))
        if not parts:  # now, since classes refer to each other
            hints = get_type_hints(kind)
            parts.extend(_check(hints[entry.name]) for entry in fields(kind))
        values = values_of(value)[:-1]
        kinds = tuple(map(type, values))
        deep = known.get(kinds)
        if deep is None:
            deep = [n for n, each in enumerate(kinds) if each in _DEEP or is_dataclass(each)]
            if not all(
                part(v, seen)
                for n, (part, v) in enumerate(zip(parts, values, strict=True))
                if n not in deep
            ):
                return False
            known[kinds] = deep
        for n in deep:
            if not parts[n](values[n], seen):
                return False
        if isinstance(value, SourceMap):
            return _fits_together(value)
        return not isinstance(value, Sourced) or all(map(value.src.holds, value.at.values()))

    return check


def _fits_together(src: SourceMap) -> bool:
    ends = [0, *(ref.first + ref.lines for ref in src.files)]
    nodes = [src.node_above(number) for number in range(len(src.keys))]
    numbers = [-1 - node for node in nodes if node < 0] + [each.file for each in src.ignores]
    return (
        all(ref.lines >= 0 and ref.first == end for ref, end in zip(src.files, ends, strict=False))
        and all(0 <= number < len(src.files) for number in numbers)
        and all(node < number for number, node in enumerate(nodes))
        and all(src.holds(each.position) for each in src.ignores)
        and all(max(ref.states, default=0) <= LineState.CAPTURED for ref in src.files)
    )


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
