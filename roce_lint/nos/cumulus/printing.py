"""The tree of NVUE that `nv config patch` takes, made of the printed `nv set` commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from roce_lint.model.device import Device
from roce_lint.nos.cumulus import MEMBERS
from roce_lint.nos.cumulus.naming import listed, numbers
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.text.numbers import whole_of
from roce_lint.text.places import Keys
from roce_lint.text.tree import yaml_lines

_MEMBER = re.compile(MEMBERS)
_TEXT = re.compile(r".*(?:hostname|description)")

SET = "nv set "


def document(text: str, device: Device) -> str:
    """The commands as a file, with the header by which the switch knows the form."""
    root: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith(SET):
            _put(root, shlex.split(line.removeprefix(SET)))
    if not root:
        return ""
    lines = [line for line in text.splitlines() if line.startswith("#")]
    lines += ["- header:", "    nvue-api-version: nvue_v1", "    rev-id: 1.0"]
    lines += [f"    version: Cumulus Linux {device.os_version or 'unknown'}", "- set:"]
    return "\n".join([*lines, *yaml_lines(root, 4 * " ")]) + "\n"


def _put(tree: dict[str, Any], words: list[str]) -> None:
    above = " ".join(words[:-1])
    member = _MEMBER.fullmatch(above) is not None
    for word in words[:-1] if member else words[:-2]:
        tree = tree.setdefault(word, {})
    if member:
        tree.setdefault(words[-1], {})
    else:
        number = words[-1].isdecimal() and not _TEXT.fullmatch(above)
        tree[words[-2]] = whole_of(words[-1]) if number else words[-1]


def members(path: Keys, node: Any) -> Iterator[tuple[Any, Keys]]:
    """Members of a file's mapping or list, each with the printed path that it stands for."""
    if isinstance(node, list):
        yield from ((number, ()) for number in range(len(node)))
        return
    for key in node:
        if not path and key in ("header", "set", "unset"):
            yield from [(key, ())] * (key == "set")
        elif path == ("interface",):
            yield from ((key, (name,)) for name in listed(key) or [key])
        else:
            yield from ((key, (number,)) for number in _numbers(key))


def _numbers(key: str) -> list[str]:
    """The single numbers of a key that lists some, else the key."""
    try:
        return [str(number) for number in numbers(key, LAST_VLAN)]
    except ValueError:
        return [key]
