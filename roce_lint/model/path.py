"""A path to one value of one object of one device, for people and programs.

    leaf1 interfaces[Ethernet1/1].ip_mtu
    leaf1 qos.egress[ROCE-OUT].queues[3].marking.kmin
    leaf1:Ethernet1/1 ip_mtu            (short for the first)
    leaf*:Ethernet*/1 pfc.generate      (every such port)

A name that contains path punctuation is put in double quotes, as in JSON. Quoted text is literal;
elsewhere `*` matches any text and `?` one character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from roce_lint.errors import UsageError

PORTS = "interfaces"
"""Collection of the port in a path of the form DEVICE:PORT."""

_FIELD = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)
_GLOB = re.compile(r"[*?]")
_ODD = re.compile(r"[\s\"*?\[\]]")
"""Characters that require quotes around a port in the short form."""

_JSON = json.JSONDecoder()


class PathError(UsageError):
    """A path that cannot be parsed, or that names no field of the model."""


class Glob(str):
    """A name with wildcards."""

    __slots__ = ()


@dataclass(slots=True, frozen=True)
class Step:
    """A field, and the key of its entry where it holds several."""

    field: str
    key: str | None = None

    def __str__(self) -> str:
        return self.field if self.key is None else f"{self.field}[{_show(self.key, '[]')}]"


@dataclass(slots=True, frozen=True)
class Path:
    """A device, and the steps to a value in it; without steps, the device itself."""

    device: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        device = _show(self.device, ":")
        return f"{device} {self.inside}" if self.steps else device

    @property
    def inside(self) -> str:
        """The part inside the device."""
        return ".".join(map(str, self.steps))

    @property
    def port(self) -> str | None:
        """The interface that the path leads into."""
        return self.steps[0].key if self.steps and self.steps[0].field == PORTS else None

    @property
    def field(self) -> str:
        """The part below the port; without a port, inside the device."""
        rest = self.steps[1:] if self.port is not None and self.steps[1:] else self.steps
        return ".".join(map(str, rest))

    @property
    def is_pattern(self) -> bool:
        """Whether it may match several values."""
        return any(isinstance(name, Glob) for name in (self.device, *(s.key for s in self.steps)))

    def then(self, *steps: Step) -> Path:
        """The path extended by steps."""
        return Path(self.device, self.steps + steps)


def of_port(device: str, port: str, field: str) -> Path:
    """The path of a field of a port; `field` is its full name from there, such as `ip_mtu`."""
    return of_entry(device, PORTS, port, field)


def of_entry(device: str, collection: str, key: str, field: str) -> Path:
    """The path of a field of an entry, such as an RDMA device; without one, of the entry itself."""
    return Path(device, (Step(collection, key), *_steps(field, field)))


def of_device(device: str, field: str) -> Path:
    """The path of a field of a device, by its full name, such as `system.own_tc`."""
    return Path(device, _steps(field, field))


def short(device: str, port: str) -> str:
    """A port in the short form: `leaf1:Ethernet1/1`, with quotes where needed."""
    plain = isinstance(port, Glob) or (port and port.isprintable() and not _ODD.search(port))
    quoted = port if plain else json.dumps(port, ensure_ascii=not port.isprintable())
    return f"{_show(device, ':')}:{quoted}"


def parse(text: str) -> Path:
    """Parse a path; fields stay as written: `schema.resolve` completes them.

    Raises:
        PathError: it is not a path.
    """
    device, rest = _name(text.strip(), "device", stop=r"[\s:\"]", whole=text)
    if rest.startswith(":"):
        port, field = _port_and_field(rest[1:].strip(), text)
        return Path(device, (Step(PORTS, port), *_steps(field, text)))
    if rest and not rest[0].isspace():
        raise _wrong(text, f"{rest[:20]!r} follows the device name")
    return Path(device, _steps(rest.strip(), text))


def matches(name: str, wanted: str) -> bool:
    """Whether a name of the model matches a name in a path."""
    if isinstance(wanted, Glob):
        return fnmatchcase(name, wanted.replace("[", "[[]"))
    return name == wanted


def nearest(wanted: str, known: Iterable[str], shown: int = 8) -> list[str]:
    """Known names, ordered by similarity."""
    import difflib  # noqa: PLC0415  (a wrong name only)

    folded = wanted.casefold()

    def unlike(name: str) -> tuple[bool, float]:
        other = name.casefold()
        similarity = difflib.SequenceMatcher(None, folded, other).ratio()
        return folded not in other.rsplit(".", 1)[-1], -similarity

    return sorted(dict.fromkeys(known), key=unlike)[:shown]


def _show(name: str, dividing: str) -> str:
    """A name in path notation, quoted where it would be ambiguous."""
    if isinstance(name, Glob):
        return name
    plain = name and name.isprintable() and name == name.strip()
    blank = dividing == ":" and any(map(str.isspace, name))
    if plain and not blank and not any(letter in name for letter in f'"*?{dividing}'):
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def _name(text: str, what: str, *, stop: str, whole: str) -> tuple[str, str]:
    """A name at the beginning of the text, in quotes or up to what ends it; and the rest."""
    if text.startswith('"'):
        try:
            name, end = _JSON.raw_decode(text)
        except ValueError:
            raise _wrong(whole, f"the quotes of a {what} are not closed") from None
        return str(name), text[end:]
    found = re.search(stop, text)
    name, rest = (text[: found.start()], text[found.start() :]) if found else (text, "")
    if not name.strip():
        raise _wrong(whole, f"it has no {what}")
    name = name.strip()
    return (Glob(name) if _GLOB.search(name) else name), rest


def _port_and_field(text: str, whole: str) -> tuple[str, str]:
    """Split at the last blank: a port may contain blanks (`Ethernet 1/1`)."""
    if text.startswith('"'):
        port, rest = _name(text, "port", stop="$", whole=whole)
        return port, rest.strip()
    depth = quoted = 0
    for place in range(len(text) - 1, -1, -1):
        letter = text[place]
        if letter == '"':
            quoted ^= 1
        elif not quoted and letter in "[]":
            depth += 1 if letter == "]" else -1
        elif not quoted and not depth and letter.isspace():
            port, _ = _name(text[:place].strip(), "port", stop="$", whole=whole)
            return port, text[place + 1 :]
    port, _ = _name(text, "port", stop="$", whole=whole)
    return port, ""


@lru_cache(maxsize=1 << 12)
def _steps(text: str, whole: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    rest = text
    while rest:
        found = _FIELD.match(rest)
        if found is None:
            raise _wrong(whole, f"a field is expected at {rest[:20]!r}")
        field, rest = found[0].lower(), rest[found.end() :]
        key: str | None = None
        if rest.startswith("["):
            key, rest = _name(rest[1:], "entry", stop=r"[\[\]]", whole=whole)
            if not rest.startswith("]"):
                raise _wrong(whole, "a bracket is not closed")
            rest = rest[1:]
        steps.append(Step(field, key))
        if rest and (not rest.startswith(".") or rest == "."):
            raise _wrong(whole, f"{rest[:20]!r} follows a field")
        rest = rest[1:]
    return tuple(steps)


def _wrong(text: str, why: str) -> PathError:
    hint = "a path is DEVICE:PORT FIELD or DEVICE FIELD, such as leaf1:Ethernet1/1 ip_mtu"
    return PathError(f"{text!r} is not a path: {why}", hint=hint)
