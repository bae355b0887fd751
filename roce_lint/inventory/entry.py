"""Devices of an inventory, with validated name, host and port; ranges of names; groups of hosts.

The author of an inventory may not be the person who pulls: a name becomes a folder and a host is
passed to name resolution, so both are validated strictly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from roce_lint.nos.registry import all_nos
from roce_lint.text.numbers import whole_number

SSH_PORT = 22
LARGEST_PORT = 65535

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_.-]{1,253}|[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9_.-]{1,15})?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@\\+-]{0,127}")
_SHOWN = 80

ANSIBLE = {
    "host": ("ansible_host", "ansible_ssh_host", "host"),
    "port": ("ansible_port", "ansible_ssh_port", "port"),
    "user": ("ansible_user", "ansible_ssh_user", "user"),
    "nos": ("nos", "ansible_network_os"),
}
"""Variables for each of our fields; the first one present counts."""


@dataclass(frozen=True)
class Entry:
    """A device in the inventory; `nos` is one of our names, or unknown.

    `fault` is the reason why it cannot be collected from; `line` counts from 1, 0 if unknown.
    """

    name: str
    host: str
    port: int = SSH_PORT
    user: str | None = None
    nos: str | None = None
    line: int = 0
    fault: str | None = None


@dataclass(frozen=True)
class Remark:
    """An entry that was not understood, and its line."""

    line: int
    text: str


@dataclass
class Inventory:
    """All devices of a file, in order, and the entries that were not understood."""

    form: str
    entries: list[Entry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def add(self, fields: Mapping[str, Any], line: int = 0) -> None:
        """Add a device from the fields `name`, `host`, `port`, `user`, `nos`."""
        name = text_of(fields.get("name"))
        host = text_of(fields.get("host")) or name
        fault = _fault(name, host, fields)
        port = whole_number(text_of(fields.get("port")) or str(SSH_PORT), 1, LARGEST_PORT)
        nos = find_nos(text_of(fields.get("nos")))
        user = text_of(fields.get("user")) or None
        entry = Entry(name, host, port or SSH_PORT, user, nos, line, fault)
        if name.lower() in self._names:
            entry = replace(entry, fault="two devices have this name")
        self._names.add(name.lower())
        self.entries.append(entry)

    def remark(self, line: int, text: str) -> None:
        """Record an entry that was not understood."""
        self.remarks.append(Remark(line, text))

    def expand(self, text: str, line: int) -> list[str]:
        """The names of a text with ranges; a wrong range is recorded, and has none."""
        try:
            return expand_ranges(text)
        except BadRange as error:
            self.remark(line, str(error))
            return []

    _names: set[str] = field(default_factory=set)


def _fault(name: str, host: str, fields: Mapping[str, Any]) -> str | None:
    if not _NAME.fullmatch(name) or ".." in name:
        return "not a host name: a device name consists of letters, digits, '.', '_' and '-'"
    if not _HOST.fullmatch(host) or ".." in host:
        return f"not a host name: {quote(host)}"
    port = text_of(fields.get("port"))
    if port and whole_number(port, 1, LARGEST_PORT) is None:
        return f"not a port: {quote(port)}"
    user = text_of(fields.get("user"))
    if user and not _USER.fullmatch(user):
        return f"not a user name: {quote(user)}"
    nos = text_of(fields.get("nos"))
    if nos and find_nos(nos) is None:
        return f"unknown system {quote(nos)}"
    return None


def text_of(value: object) -> str:
    """A scalar as text; anything else in a form that is not a valid name."""
    return "" if value is None else str(value)


def quote(text: str) -> str:
    """Quote untrusted text for printing: on one line, and not too long."""
    return ascii(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def printable(name: str) -> str:
    """A valid name as it is; any other text quoted."""
    return name if _NAME.fullmatch(name) else quote(name)


@cache
def _names() -> dict[str, str]:
    return {
        _bare(word): nos.name
        for nos in all_nos().values()
        for word in (nos.name, *(nos.pulled.called if nos.pulled else ()))
    }


def find_nos(word: str) -> str | None:
    """Our name of a system, from its name in an inventory."""
    return _names().get(_bare(word)) if word else None


def _bare(word: str) -> str:
    return word.strip().lower().replace("_", "-")


def pick_fields(fields: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """For each of our fields, the value of its first name that is present."""
    found: dict[str, Any] = {}
    for ours, theirs in words.items():
        for name in theirs:
            if fields.get(name) not in (None, ""):
                found[ours] = fields[name]
                break
    return found


Reader = Callable[[str, Inventory], None]


# Names with ranges: `leaf[01-64]`, `leaf[01:64:2]`, `rack[a:c]`, `gpu[1,3,7-9]`.

MOST = 100_000
"""Maximum names of one line."""

_RANGE = re.compile(r"\[([A-Za-z0-9]{1,12}(?:[-:,][A-Za-z0-9]{1,12}){1,200})\]")
_PART = re.compile(r"([A-Za-z0-9]+)[-:]([A-Za-z0-9]+)(?::(\d{1,6}))?")


class BadRange(ValueError):
    """A range that has no members, or too many."""


def expand_ranges(text: str) -> list[str]:
    """Expand all ranges of a text.

    Raises:
        BadRange: a range runs backwards, mixes letters and digits, or there are too many names.
    """
    names = [""]
    at = 0
    for found in _RANGE.finditer(text):
        members = [one for part in found[1].split(",") for one in _members(part)]
        if len(names) * len(members) > MOST:
            raise BadRange(f"more than {MOST} names")
        names = [name + text[at : found.start()] + member for name in names for member in members]
        at = found.end()
    return [name + text[at:] for name in names]


def _members(part: str) -> Iterator[str]:
    found = _PART.fullmatch(part)
    if found is None:
        yield part
        return
    first, last, by = found.groups()
    step = whole_number(by or "1", 1, MOST)
    low, high = whole_number(first), whole_number(last)
    if step is None:
        raise BadRange(f"{part!r} has no step")
    if low is not None and high is not None:
        if high < low or high - low > MOST * step:
            raise BadRange(f"{part!r} is not a range")
        width = len(first) if first.startswith("0") or len(first) == len(last) else 0
        yield from (str(number).zfill(width) for number in range(low, high + 1, step))
    elif len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and first <= last:
        yield from (chr(code) for code in range(ord(first), ord(last) + 1, step))
    else:
        raise BadRange(f"{part!r} is not a range")


# Groups of hosts as in Ansible. Variables of a group apply to its hosts; a child overrides its
# parent, and a host both.

ALL = "all"


class Groups:
    """Groups by name, with their hosts, children and variables."""

    def __init__(self) -> None:
        self._vars: dict[str, dict[str, Any]] = {ALL: {}}
        self._parents: dict[str, list[str]] = {}
        self._of_host: dict[str, list[str]] = {}
        self._hosts: dict[str, dict[str, Any]] = {}
        self._lines: dict[str, int] = {}

    def variables(self, group: str) -> dict[str, Any]:
        """The variables of a group, to read and to add to."""
        return self._vars.setdefault(group, {})

    def child(self, parent: str, group: str) -> None:
        """Add a group to another."""
        self._parents.setdefault(group, []).append(parent)

    def host(self, group: str, name: str, fields: Mapping[str, Any], line: int) -> None:
        """Add a host to a group; it may be in several, and its variables are merged."""
        self._of_host.setdefault(name, []).append(group)
        self._hosts.setdefault(name, {}).update(fields)
        self._lines.setdefault(name, line)

    def write(self, into: Inventory) -> None:
        """Add every host with its effective variables, in order of first mention."""
        for name, own in self._hosts.items():
            fields: dict[str, Any] = dict(self._vars[ALL])
            for group in self._above(name):
                fields.update(self._vars.get(group, {}))
            fields.update(own)
            into.add({"name": name, **pick_fields(fields, ANSIBLE)}, self._lines[name])

    def _above(self, host: str) -> list[str]:
        """The groups of a host, outermost first."""
        depth: dict[str, int] = {}
        reached = [(group, 0) for group in self._of_host[host]]
        while reached:
            group, far = reached.pop()
            if group == ALL or depth.get(group, -1) >= far or far > len(self._parents):
                continue
            depth[group] = far
            reached += [(parent, far + 1) for parent in self._parents.get(group, ())]
        return sorted(depth, key=lambda group: (-depth[group], group))
