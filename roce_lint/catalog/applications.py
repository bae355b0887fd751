"""RDMA settings of applications, by variable name: rules/applications/variables.toml."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from roce_lint.errors import ReadError, UsageError
from roce_lint.resources import resource_dir
from roce_lint.text.environment import FILE
from roce_lint.text.names import did_you_mean
from roce_lint.text.numbers import whole_number, whole_of
from roce_lint.text.tree import line_of_keys, load_toml

KINDS = (
    "class byte", "DSCP", "service level", "GID index", "GID version", "device list",
    "device names", "interface list", "on/off", "transport", "number", "text",
)  # fmt: skip
(CLASS_BYTE, DSCP, SERVICE_LEVEL, GID_INDEX, GID_VERSION, DEVICE_LIST, DEVICE_NAMES, INTERFACES,
 SWITCH, TRANSPORT, NUMBER, TEXT) = KINDS  # fmt: skip

ON = ("1", "true", "yes", "y", "on")
"""Values that switch a variable on."""

ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One row of the table; the head of the file documents the fields."""

    name: str
    used_by: str
    kind: str
    meaning: str
    source: str
    default: str = ""
    auto: str = ""
    flow: str = ""
    devx: bool | str = ""
    devices: str = ""
    without_rdma: tuple[str, ...] = ()
    rdma: tuple[str, ...] = ()
    set_in: str = ENVIRONMENT
    generic: bool = False
    confidence: str = "confirmed"

    @property
    def confirmed(self) -> bool:
        """Whether an error may rest on the row."""
        return self.confidence == "confirmed"

    @property
    def storage(self) -> bool:
        """Whether the row is about storage traffic."""
        return self.flow == "storage"

    def leaves_rdma(self, value: str) -> bool:
        """Whether a value makes the application use no RDMA device."""
        words = [word.strip().lower() for word in value.split(",") if word.strip()]
        if "on" in self.without_rdma:
            return bool(words) and (words[0] in ON or words[0].strip("0").isdecimal())
        chosen = [word for word in words if word.startswith(self.rdma)] if self.rdma else []
        return not chosen and bool(set(self.without_rdma).intersection(words))


@cache
def variables() -> Mapping[str, Variable]:
    """All rows by their names; the name of a family ends in `*`.

    Raises:
        UsageError: the file is broken; the location has its line.
    """
    return read_variables(resource_dir("rules") / FILE)


@cache
def families() -> tuple[str, ...]:
    """Prefixes of families, the longest first."""
    begins = (name[:-1] for name in variables() if name.endswith("*"))
    return tuple(sorted(begins, key=len, reverse=True))


def row_of(name: str) -> Variable | None:
    """The row of a name, its own or that of its family."""
    found = variables().get(name)
    if found is not None or not name.startswith(families()) or not _NAME.fullmatch(name):
        return found
    return variables()[next(begin for begin in families() if name.startswith(begin)) + "*"]


_NAME = re.compile(r"[A-Za-z0-9_]{1,80}")


def of_kind(*kinds: str) -> dict[str, Variable]:
    """The rows of some kinds that are environment variables or settings of a file."""
    return {n: row for n, row in variables().items() if row.kind in kinds and "*" not in n}


def names_pattern() -> str:
    """A regular expression of the names that identify a file as relevant to RDMA."""
    by_head: dict[str, list[str]] = {}
    for name, row in variables().items():
        family = name.endswith("*")
        in_family = name.startswith(families()) and not family
        if row.set_in == ENVIRONMENT and not row.generic and not in_family:
            head, _, tail = name.removesuffix("*").partition("_")
            by_head.setdefault(head, []).append(tail + r"\w*" * family)
    heads = (f"{head}_(?:{'|'.join(tails)})" for head, tails in by_head.items())
    return f"(?:{'|'.join(heads)})"


def meaning(name: str, value: str) -> Hashable:
    """Normalised value, equal for all spellings of one meaning: the DSCP of a class byte, the
    number of an index, the set of a list, else the text itself.
    """
    row, text = row_of(name), value.strip()
    kind = row.kind if row is not None else TEXT
    text = (row.auto if row is not None and text.lower() == "auto" else "") or text
    hexadecimal = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,8})", text)
    number = whole_of(hexadecimal[1], 16) if hexadecimal else whole_number(text)
    if kind in (CLASS_BYTE, DSCP) and number is not None:
        return number if kind == DSCP else number >> 2
    if kind in (GID_INDEX, GID_VERSION, SERVICE_LEVEL, NUMBER) and number is not None:
        return number
    if kind == SWITCH:
        return text.lower() in ON or bool(number)
    if kind in (DEVICE_LIST, DEVICE_NAMES, INTERFACES, TRANSPORT):
        sign = re.match(r"\^?=?", text)
        words = text[sign.end() if sign else 0 :].lower().split(",")
        return (sign[0] if sign else "", frozenset(word.strip() for word in words))
    return text


def without_rdma(environment: Mapping[str, str], used_by: str) -> bool:
    """Whether variables make the libraries of a row (`NCCL, RCCL`) avoid RDMA: other settings for
    them then have no effect.
    """
    names = leaving(used_by)
    return any(variables()[name].leaves_rdma(environment.get(name, "")) for name in names)


@cache
def leaving(used_by: str) -> tuple[str, ...]:
    """Names of the variables that make the libraries of a row avoid RDMA, if any."""
    mine = set(used_by.split(", "))
    rows = (row for row in variables().values() if row.without_rdma)
    return tuple(row.name for row in rows if mine.intersection(row.used_by.split(", ")))


def selects(listed: str, name: str, variable: str = "NCCL_IB_HCA") -> bool:
    """Whether the list of a variable selects an RDMA device.

    Entries are prefixes; a leading `=` makes them exact, `^` excludes, `^=` excludes exactly
    (NVIDIA NCCL documentation, environment variable NCCL_IB_HCA). An empty list, and one with
    `all`, selects all. Entries of libraries that list ports as `mlx5_0:1` are exact.
    """
    text = listed.strip()
    exclude, text = text.startswith("^"), text.removeprefix("^")
    exact = text.startswith("=") or (row := row_of(variable)) is None or row.kind == DEVICE_NAMES
    entries = text.removeprefix("=").split(",")
    names = [entry.strip().split(":")[0] for entry in entries if entry.strip()]
    if not names or "all" in names:
        return True
    return any(name == e if exact else name.startswith(e) for e in names) != exclude


def read_variables(path: Path) -> dict[str, Variable]:
    """The rows of a file.

    Raises:
        UsageError: it cannot be read or is not TOML, or a row is wrong; the location has its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tables = load_toml(str(path), text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", location=str(path)) from error
    except ReadError as error:
        raise UsageError(error.message, location=error.location) from error
    known = {field.name: field.default for field in fields(Variable)}
    needed = [key for key, default in known.items() if default is MISSING]
    found = {}
    for name, table in tables.items():
        row = {"name": name, **(table if isinstance(table, dict) else {})}
        wrong = [f"unknown key {k}; {did_you_mean(k, known)}" for k in row if k not in known]
        wrong += [f"{key} is missing" for key in needed if key not in row]
        if row.get("kind", TEXT) not in KINDS:
            wrong.append(f"kind is {row['kind']!r}, and must be one of {', '.join(KINDS)}")
        if wrong:
            place = f"{path}:{line_of_keys(text, (name, ''))}"
            raise UsageError(f"[{name}]: {wrong[0]}", location=place)
        lists: dict[str, Any] = {k: tuple(v) if type(v) is list else v for k, v in row.items()}
        found[name] = Variable(**lists)
    return found
