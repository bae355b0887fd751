"""One device of an inventory, and what makes a name, a host and a port.

Whoever writes an inventory may not be who pulls: a name becomes a folder and a host is handed to
what resolves names, so both are held to what they may be, and nothing else is tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
"""Which variables say what; the first that is there."""


@dataclass(frozen=True)
class Entry:
    """A device as the inventory has it; `nos` is a name of ours, or what nobody knows.

    `fault` says why it can not be asked; `line` counts from 1, 0 where nothing tells.
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
    """What was not understood, and at which line."""

    line: int
    text: str


@dataclass
class Inventory:
    """All devices of a file, in its order, and what was not understood."""

    form: str
    entries: list[Entry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def add(self, said: Mapping[str, Any], line: int = 0) -> None:
        """Take a device of which the words `name`, `host`, `port`, `user`, `nos` may be said."""
        name = text_of(said.get("name"))
        host = text_of(said.get("host")) or name
        fault = _fault(name, host, said)
        port = whole_number(text_of(said.get("port")) or str(SSH_PORT), 1, LARGEST_PORT)
        nos = find_nos(text_of(said.get("nos")))
        user = text_of(said.get("user")) or None
        entry = Entry(name, host, port or SSH_PORT, user, nos, line, fault)
        if any(one.name.lower() == name.lower() for one in self._entries_named(name)):
            entry = replace(entry, fault="two devices have this name")
        self._names.setdefault(name.lower(), []).append(entry)
        self.entries.append(entry)

    def remark(self, line: int, text: str) -> None:
        """Note what was not understood."""
        self.remarks.append(Remark(line, text))

    _names: dict[str, list[Entry]] = field(default_factory=dict)

    def _entries_named(self, name: str) -> list[Entry]:
        return self._names.get(name.lower(), [])


def _fault(name: str, host: str, said: Mapping[str, Any]) -> str | None:
    if not _NAME.fullmatch(name) or ".." in name:
        return "not a host name: the name of a device is made of letters, digits, '.', '_' and '-'"
    if not _HOST.fullmatch(host) or ".." in host:
        return f"not a host name: {quote(host)}"
    port = text_of(said.get("port"))
    if port and whole_number(port, 1, LARGEST_PORT) is None:
        return f"not a port: {quote(port)}"
    user = text_of(said.get("user"))
    if user and not _USER.fullmatch(user):
        return f"not a user name: {quote(user)}"
    nos = text_of(said.get("nos"))
    if nos and find_nos(nos) is None:
        return f"no system is called {quote(nos)}"
    return None


def text_of(value: object) -> str:
    """A scalar as text; what is no scalar is told by its form, and is no name of anything."""
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def quote(text: str) -> str:
    """A text of somebody else as it may be printed: in quotes, of one line, not too long."""
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return ascii(cut)


def printable(name: str) -> str:
    """A name as it stands; one that is none, as it may be printed."""
    return name if _NAME.fullmatch(name) else quote(name)


@cache
def _names() -> dict[str, str]:
    return {
        _bare(word): nos.name
        for nos in all_nos().values()
        for word in (nos.name, *(nos.pulled.called if nos.pulled else ()))
    }


def find_nos(word: str) -> str | None:
    """Our name of the system that an inventory calls so."""
    return _names().get(_bare(word)) if word else None


def _bare(word: str) -> str:
    return word.strip().lower().replace("_", "-")


def ansible_words(said: Mapping[str, Any]) -> dict[str, Any]:
    """What variables of Ansible say, in our words."""
    return pick_words(said, ANSIBLE)


def pick_words(said: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Of each of our words what the first of its names that is there says."""
    found: dict[str, Any] = {}
    for ours, theirs in words.items():
        for name in theirs:
            if said.get(name) not in (None, ""):
                found[ours] = said[name]
                break
    return found


Reader = Callable[[str, Inventory], None]
