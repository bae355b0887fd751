"""RDMA settings of applications: environment variables, and the code points they select."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from roce_lint.catalog import applications
from roce_lint.catalog.applications import CLASS_BYTE, DSCP, meaning, row_of
from roce_lint.model.device import NoteKind
from roce_lint.nos.declare import Default
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.dcb import DSCPS
from roce_lint.nos.linux.host import ENVIRONMENT, MODULE, STORAGE, Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.environment import parse_env, quoted
from roce_lint.text.shell_words import Assignment


@dataclass(frozen=True)
class UnmarkedLibrary:
    """Default marking of a library that is set up here without its marking variable.

    Variables that match `shown` show that it is set up; the setting `gpu` creates queue pairs on
    the GPU through DevX, past a forced traffic class.
    """

    sends: Default
    shown: re.Pattern[str]
    gpu: str


UNMARKED = {
    "NCCL_IB_TC": UnmarkedLibrary(
        defaults.NCCL_UNMARKED,
        re.compile(r"(?:NCCL|RCCL)_IB_(?!TC$|FIFO_TC$|SL$|DISABLE$)\w+"),
        "NCCL_GIN_TYPE=3",
    ),
    "NVSHMEM_IB_TRAFFIC_CLASS": UnmarkedLibrary(
        defaults.NVSHMEM_UNMARKED, re.compile(r"(?!)"), "NVSHMEM_IB_ENABLE_IBGDA=1"
    ),
}
"""Variables with a documented default (docs/nos/linux.md#what-applications-mark)."""

UNCLEAR = "unclear variable"
"""Kind of object: a variable with an unknown value."""


def read_environment(host: Host, entry: Input) -> None:
    """Read a file of `NAME=value` lines: nccl.conf, an EnvironmentFile, exports.

    The last line of a repeated variable counts, in NCCL's own file the first.
    """
    who = witness(entry)
    # NCCL itself reads its own file, not a shell or a service manager.
    file = entry.args.get("path", entry.text.name).rsplit("/", 1)[-1]
    own = file.lstrip(".") in ("nccl.conf", "rccl.conf")
    lines = _lines_of_nccl(host, entry) if own else parse_env(entry.lines)
    held: dict[str, Assignment] = {}
    for found in lines if own else reversed(lines):
        kept = held.setdefault(found.name, found)
        if kept is found or row_of(found.name) is None:
            continue
        position = host.spot_of_line(entry, found.number)
        if kept.value == found.value:
            host.reading.take(position)
            continue
        message = f"{found.name}={quoted(found.value or '')} is overruled by"
        message += f" {found.name}={quoted(kept.value or '')}"
        message += ", as NCCL keeps the first" if own else ""
        beside = host.spot_of_line(entry, kept.number)
        host.reading.note(NoteKind.DUPLICATE, message, position, beside=beside)
    perhaps = replace(who, conditional=True)
    for found in sorted(held.values(), key=lambda each: each.number):
        value = Value(found.value, host.spot_of_line(entry, found.number))
        state_variable(host, found.name, value, perhaps if found.conditional else who)


def _lines_of_nccl(host: Host, entry: Input) -> list[Assignment]:
    """Lines of NCCL's own file: name before the first `=`, value after it, with quotes and blanks
    (docs/nos/linux.md, inheritance and precedence).
    """
    taken = []
    for number, line in enumerate(entry.lines, 1):
        name, equals, value = line.rstrip("\r").partition("=")
        meant = name.strip().removeprefix("export").strip()
        if not equals or line.startswith("#") or row_of(meant) is None:
            continue
        if name != meant:
            wrong = f"NCCL sets a variable called {name!r}, not {meant}"
        elif value.lstrip()[:1] in ('"', "'"):
            wrong = f"NCCL takes the quotes of {meant} for a part of its value"
        else:
            taken.append(Assignment(meant, value.strip(), number, exported=True))
            continue
        position = host.spot_of_line(entry, number)
        host.reading.note(NoteKind.LEXICAL, f"{wrong}: it reads no shell", position)
        _unclear(host, meant, position, witness(entry))
    return taken


def _unclear(host: Host, name: str, position: int, who: Witness) -> None:
    """Record a variable with an unknown value."""
    host.claims.state(UNCLEAR, name, "line", Value(True, position), who)
    host.reading.take(position)


def read_dump(host: Host, entry: Input) -> None:
    """Read the output of `env` or of /proc/PID/environ, with literal values."""
    who = witness(entry)
    for number, line in lines_of(entry):
        for pair in line.split("\0"):
            name, equals, value = pair.partition("=")
            if equals:
                state_variable(host, name, Value(value, host.spot_of_line(entry, number)), who)


_CEPH = re.compile(r"\s*(?P<name>ms[_ -]async[_ -]rdma[_ -][\w -]{1,40}?)\s*=\s*(?P<value>[^#;]*)")
_CEPH_TYPE = re.compile(r"\s*ms[_ -](?:(?:cluster|public)[_ -])?type\s*=\s*(?P<value>[^#;\s]+)")
_MODULE = re.compile(
    r"options\s+(?P<module>irdma|ko2iblnd)\s(?:.*\s)?(?P<name>roce_ena|tos)=(?P<value>\d{1,3})\b"
)


def read_ceph(host: Host, entry: Input) -> None:
    """Read the RDMA settings of ceph.conf, whose names may contain blanks. They have no effect if
    only messengers without RDMA are configured.
    """
    chosen = [found["value"] for _, line in lines_of(entry) if (found := _CEPH_TYPE.match(line))]
    unused = bool(chosen) and not any("rdma" in each for each in chosen)
    for number, line in lines_of(entry):
        if unused:
            host.reading.take(host.line(entry, number))
        elif found := _CEPH.match(line):
            name = re.sub("[ -]", "_", found["name"])
            value = Value(found["value"].strip(), host.line(entry, number))
            state_variable(host, name, value, witness(entry))


def read_module_options(host: Host, entry: Input) -> None:
    """Read a file of /etc/modprobe.d: `options irdma roce_ena=1`, `options ko2iblnd tos=104`."""
    for number, line in lines_of(entry):
        if found := _MODULE.match(line):
            given, module = Value(found["value"], host.line(entry, number)), found["module"]
            if found["name"] == "tos":
                tos = given.map(lambda text: whole(text, 0, 255)).map(lambda byte: (byte, None))
                host.claims.state(STORAGE, f"{module} tos", "ToS", tos, witness(entry))
            else:
                on = given.map(lambda text: whole(text, 0, 1))
                host.claims.state(MODULE, module, "roce_ena", on, witness(entry))


def state_variable(host: Host, name: str, value: Value[str], who: Witness) -> None:
    """Record a variable; names unrelated to RDMA are dropped at once."""
    row = row_of(name)
    if row is None:
        return
    marks = row.kind in (CLASS_BYTE, DSCP)
    if value.value is None:
        if marks and value.position:
            _unclear(host, name, value.position, who)  # set to a value of its shell
        return
    number = whole(value.value, 0, DSCPS - 1 if row.kind == DSCP else 255)
    if marks and number is None and value.value.lower() not in ("", "auto", row.default):
        host.bad(f"{name}={quoted(value.value)[:40]} is no number from 0 to 255", value.position)
        _unclear(host, name, value.position, who)
        return
    host.claims.state(ENVIRONMENT, name, "value", value, who)
    host.reading.take(value.position)


def stated(host: Host, name: str) -> list[tuple[Witness, Value[Any]]]:
    """Values of a variable: in running processes, else in files. A statement in a branch, and one
    that a branch of the same file may replace, has a conditional witness.
    """
    statements: list[tuple[Witness, Value[Any]]] = host.claims.values(ENVIRONMENT, name, "value")
    statements = [entry for entry in statements if entry[0].live] or statements
    perhaps: dict[int, set[Hashable]] = {}
    for who, value in statements:
        if who.conditional:
            perhaps.setdefault(who.file, set()).add(meaning(name, value.value or ""))
    found = []
    for who, value in statements:
        others = perhaps.get(who.file, set())
        doubtful = len(others) > (meaning(name, value.value or "") in others)
        found.append((replace(who, conditional=True) if doubtful else who, value))
    return sorted(found, key=lambda entry: entry[0].conditional)


def settle_environment(host: Host) -> dict[str, Value[str]]:
    """Value of each variable; one with different values in two places, set in a branch only, or
    with an unknown value has a position and no value.
    """
    settled: dict[str, Value[str]] = {}
    apart = _alternatives(host)
    for name in host.claims.names(ENVIRONMENT):
        (who, value), *others = stated(host, name)
        if who.conditional:
            settled[name] = Value(None, value.position)
            continue
        for other_who, other in others:
            if meaning(name, other.value or "") != meaning(name, value.value or ""):
                settled[name] = Value(None, value.position)
                if other_who.conditional or other_who.file == who.file:
                    continue  # one script may start several programs, each with its own
                if {who.file, other_who.file} <= apart:
                    continue
                message = f"{name} is {quoted(value.value or '')} in {who.name}"
                message += f" and {quoted(other.value or '')} in {other_who.name}"
                host.claims.note(NoteKind.CONFLICT, message, value.position, other.position)
                break
        settled.setdefault(name, value)
    for name in host.claims.names(UNCLEAR):
        _, line = host.claims.values(UNCLEAR, name, "line")[0]
        settled.setdefault(name, Value(None, line.position))
    return settled


def _alternatives(host: Host) -> set[int]:
    """Files for adapters of different makers, only one of which applies at a time."""
    kinds: dict[int, set[str]] = {}
    for name in applications.of_kind(applications.DEVICE_LIST, applications.DEVICE_NAMES):
        for who, value in host.claims.values(ENVIRONMENT, name, "value"):
            if not who.live:
                kinds.setdefault(who.file, set()).add(_driver(value.value or ""))
    statements = [frozenset(each) for each in kinds.values()]
    return set(kinds) if len(statements) > 1 and len(set(statements)) == len(statements) else set()


def _driver(listed: str) -> str:
    """`mlx` of `=mlx5_0,mlx5_1`: the letters that begin an adapter's name."""
    found = re.match(r"[A-Za-z]+", listed.lstrip("^= "))
    return found[0] if found else ""
