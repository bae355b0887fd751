"""Changes of JSON documents: the tables of a switch, the outputs of a host's commands."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator

from roce_lint.nos.trees import leaves
from tests.mutation.change import NUMBER, PORT, WORDS, Change, digit, shape

Made = tuple[Change, str]
Path = tuple[Hashable, ...]

TABLES = (
    "BUFFER_PG", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_QUEUE", "CABLE_LENGTH",
    "DEVICE_NEIGHBOR", "DSCP_TO_TC_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT", "PORT_QOS_MAP", "QUEUE", "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE",
)  # fmt: skip
NO_ROCE = ("alias", "description", "index", "lanes", "subport", "autoneg")
ELSEWHERE = {
    "ip-link.json": r".*\|mtu",
    "rdma-link.json": r".*\|(?:state|netdev)",
    "dcb-app": r"(?:dscp|dgram_port)_prio\|.*",
    "dcb-ets": r"(?:tc_bw|tc_tsa|prio_tc)\|.*|willing",
    "dcb-pfc": r"prio_pfc\|.*",
}
"""Fields of a host's outputs about the treatment of RoCE, by the prefix of the files."""

REFERENCES = {
    ("BUFFER_PG", "profile"): "BUFFER_PROFILE",
    ("BUFFER_QUEUE", "profile"): "BUFFER_PROFILE",
    ("BUFFER_PROFILE", "pool"): "BUFFER_POOL",
    ("QUEUE", "scheduler"): "SCHEDULER",
}
"""Fields that name a row of another table: they may name the next one."""

TWICE = "\x01"
"""Suffix of a key that is duplicated in the document."""


def changes(place: str, text: str, used: set[str]) -> Iterator[Made]:
    """All changes of the relevant leaves."""
    begin = text.index("\n") + 1 if text.startswith("#") else 0
    data = json.loads(text[begin:])
    doubled: set[Hashable] = set()  # tables with a key that comes twice: one is enough
    for path, value in leaves(data):
        if not _wanted(place, path, used):
            continue
        names = [str(key) for key in path]
        base = Change("", shape("|".join(names), str(value)), paths=_places(names))
        printed = place.startswith("hosts/")
        for kind, other in _variants(data, path, value, printed=printed):
            if kind == "double" and path[0] in doubled:
                continue
            doubled |= {path[0]} if kind == "double" else set()
            shown = json.dumps(other, indent=4).replace(json.dumps(TWICE)[1:-1], "")
            yield base.of(kind), text[:begin] + shown + "\n"


def _places(names: list[str]) -> tuple[str, ...]:
    """The leaf; of a neighbour, name and port together define the cable."""
    own = "|".join(names)
    row = "|".join(names[:-1])
    return (f"{row}|name", f"{row}|port") if names[0] == "DEVICE_NEIGHBOR" else (own,)


def _wanted(place: str, path: Path, used: set[str]) -> bool:
    if place.startswith("hosts/"):
        leaf = place.rsplit("/", 1)[-1]
        fields = next((text for begin, text in ELSEWHERE.items() if leaf.startswith(begin)), "-")
        return re.fullmatch(fields, "|".join(map(str, path))) is not None
    if path[0] not in TABLES or path[-1] in NO_ROCE:
        return False
    ports = [part for key in path[1:] for part in str(key).split("|") if PORT.fullmatch(part)]
    return all(port in used for port in ports)


def _variants(
    data: object, path: Path, value: object, *, printed: bool
) -> Iterator[tuple[str, object]]:
    """The tree with the leaf changed, deleted, duplicated, and moved to the next row."""
    if isinstance(value, bool):
        yield "word", _with(data, path, not value)
        return
    number = _number(path, str(value))
    if number is not None:
        other = digit(str(value), number)
        yield "digit", _with(data, path, int(other) if isinstance(value, int) else other)
        if isinstance(value, str):
            yield "double", _with(data, (*path[:-1], f"{path[-1]}{TWICE}"), other)
    if not isinstance(value, str):
        return
    if printed:  # what a command printed: its values can differ, not be absent
        word = WORDS.get(value)
        if word is not None:
            yield "word", _with(data, path, word)
        return
    word = _word(data, path, value)
    if word is not None:
        yield "word", _with(data, path, word)
    table = data[path[0]]
    yield "delete", _with(data, path, None)
    keys = list(table)
    following = keys[(keys.index(path[1]) + 1) % len(keys)] if len(path) == 3 else None
    if following not in (None, path[1]) and isinstance(table[following], dict):
        yield "move", _with(_with(data, path, None), (path[0], following, path[2]), value)


def _number(path: Path, text: str) -> re.Match[str] | None:
    """The number in a leaf; of a neighbour's name or port the last digit."""
    if path[0] == "DEVICE_NEIGHBOR":
        return re.search(r"\d$", text)
    return NUMBER.search(text) if re.fullmatch(r"[-\d.,]+m?", text) else None


def _word(data: object, path: Path, value: str) -> str | None:
    """Another word for the leaf, or the name of another row."""
    table = REFERENCES.get((str(path[0]), str(path[-1])))
    if table is not None and isinstance(data, dict) and value in data[table]:
        names = list(data[table])
        other = names[(names.index(value) + 1) % len(names)]
        return other if other != value else None
    return WORDS.get(value)


def _with(data: object, path: Path, value: object) -> object:
    """A copy of the tree with another leaf; deleted if the value is None."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(data, list):
        return [_with(each, rest, value) if n == key else each for n, each in enumerate(data)]
    assert isinstance(data, dict)
    copy = dict(data)
    if not rest and value is None:
        copy.pop(key, None)
    else:
        copy[key] = _with(copy.get(key, {}), rest, value)
    return copy
