"""RDMA settings of applications: environment variables, and what code points they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Flow
from roce_lint.nos.declare import Default
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import ENVIRONMENT, Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell_env import parse_env
from roce_lint.text.shell_items import Assignment

KEPT = re.compile(
    r"(?:NCCL|RCCL)_(?:IB|NET|SOCKET|GIN|GDR|CROSS_NIC|PXN|DMABUF|OOB)(?:_[A-Z0-9_]*)?"
    r"|UCX_(?:IB|RC|DC|UD|TLS|NET_DEVICES|RNDV|MAX_RNDV|MAX_RMA)(?:_[A-Z0-9_]*)?"
    r"|NVSHMEM_(?:IB|IBGDA|IBDEVX|IBRC|HCA|ENABLE_NIC|REMOTE_TRANSPORT)(?:_[A-Z0-9_]*)?"
    r"|MORI_(?:RDMA|IB|IO)_[A-Z0-9_]*"
    r"|MC_(?:IB_TC|IB_PORT|GID_INDEX|MTU)"
    r"|GLOO_SOCKET_IFNAME|NVME_TRANSPORT_TOS"
)
"""Names whose values are kept. MC_ alone would admit MC_HOST_*, which holds credentials."""


@dataclass(frozen=True)
class Marker:
    """A variable that gives the traffic class byte of some flow.

    `escapes` tells that its queue pairs are (also) made through DevX, which a forced traffic
    class does not reach; where a variable decides that, `if_set` names it. `storage` tells that the
    data is that of storage.
    """

    flow: Flow
    escapes: bool = False
    if_set: str | None = None
    storage: bool = False


MARKERS = {
    "NCCL_IB_TC": Marker(Flow.DATA),
    "NCCL_IB_FIFO_TC": Marker(Flow.CONTROL),
    "UCX_IB_TRAFFIC_CLASS": Marker(Flow.DATA),
    "NVSHMEM_IB_TRAFFIC_CLASS": Marker(Flow.DATA, escapes=True, if_set="NVSHMEM_IB_ENABLE_IBGDA"),
    "MORI_RDMA_TC": Marker(Flow.DATA, escapes=True),
    "MORI_IO_TC": Marker(Flow.DATA),
    "MC_IB_TC": Marker(Flow.DATA),
    "NVME_TRANSPORT_TOS": Marker(Flow.DATA, storage=True),
}
"""Variables that hold the byte `DSCP << 2 | ECN`."""

ON = ("1", "true", "yes", "y", "on")
"""Values that switch a variable on."""


@dataclass(frozen=True)
class UnmarkedLibrary:
    """What a library sends that is set up here and is not given the variable of its mark.

    Variables that fit `shown` tell that it is set up; `gpu` are names with values that tell that
    queue pairs are made on the GPU through DevX, past a forced traffic class.
    """

    sends: Default
    shown: re.Pattern[str]
    gpu: tuple[tuple[str, tuple[str, ...]], ...]


UNMARKED = {
    "NCCL_IB_TC": UnmarkedLibrary(
        defaults.NCCL_UNMARKED,
        re.compile(r"(?:NCCL|RCCL)_IB_(?!TC$|FIFO_TC$|SL$|DISABLE$)\w+"),
        (("NCCL_GIN_TYPE", ("3",)),),
    ),
    "NVSHMEM_IB_TRAFFIC_CLASS": UnmarkedLibrary(
        defaults.NVSHMEM_UNMARKED, re.compile(r"(?!)"), (("NVSHMEM_IB_ENABLE_IBGDA", ON),)
    ),
}
"""Variables whose default is documented (docs/nos/linux.md#what-applications-mark)."""

HIGHEST_DSCP = 63

UNCLEAR = "unclear variable"
"""Kind of thing: a variable that is set to what is not known."""


def read_environment(host: Host, entry: Input) -> None:
    """Take in a file of `NAME=value` lines: nccl.conf, an EnvironmentFile, exports.

    Of a variable that comes twice the last line counts, for NCCL's own file the first.
    """
    first = host.reading.src.files[entry.file].first
    who = witness(entry)
    own = _is_of_nccl(entry)
    lines = _lines_of_nccl(host, entry) if own else parse_env(entry.lines)
    held: dict[str, Assignment] = {}
    for found in lines if own else reversed(lines):
        kept = held.setdefault(found.name, found)
        if kept is found or not KEPT.fullmatch(found.name):
            continue
        if kept.value == found.value:
            host.reading.take(first + found.number)
            continue
        host.reading.note(
            NoteKind.DUPLICATE,
            f"{found.name}={found.value} is overruled by {found.name}={kept.value}"
            f"{', as NCCL keeps the first' if own else ''}",
            first + found.number,
            beside=first + kept.number,
        )
    for found in sorted(held.values(), key=lambda each: each.number):
        state_variable(host, found.name, Value(found.value, first + found.number), who)


def _is_of_nccl(entry: Input) -> bool:
    """Whether NCCL itself reads the file, and no shell and no service manager."""
    name = entry.args.get("path", entry.text.name).rsplit("/", 1)[-1]
    return name.lstrip(".") in ("nccl.conf", "rccl.conf")


def _lines_of_nccl(host: Host, entry: Input) -> list[Assignment]:
    """The lines of NCCL's own file: what stands before the first `=` is the name and what stands
    behind it the value, with quotes and blanks (docs/nos/linux.md, inheritance and precedence).
    """
    first = host.reading.src.files[entry.file].first
    taken = []
    for number, line in enumerate(entry.lines, 1):
        name, equals, value = line.rstrip("\r").partition("=")
        meant = name.strip().removeprefix("export").strip()
        if not equals or line.startswith("#") or not KEPT.fullmatch(meant):
            continue
        wrong = ""
        if name != meant:
            wrong = f"NCCL sets a variable called {name!r}, not {meant}"
        elif value.lstrip()[:1] in ('"', "'"):
            wrong = f"NCCL takes the quotes of {meant} for a part of its value"
        if wrong:
            host.reading.note(NoteKind.LEXICAL, f"{wrong}: it reads no shell", first + number)
            _unclear(host, meant, first + number, witness(entry))
        else:
            taken.append(Assignment(meant, value.strip(), number, exported=True))
    return taken


def _unclear(host: Host, name: str, position: int, who: Witness) -> None:
    """A variable is set, and what to is not known."""
    host.claims.say(UNCLEAR, name, "line", Value(value=True, position=position), who)
    host.reading.take(position)


def read_dump(host: Host, entry: Input) -> None:
    """Take in the output of `env` or of /proc/PID/environ; values stand as they are."""
    first = host.reading.src.files[entry.file].first
    who = witness(entry)
    for number, line in lines_of(entry):
        for pair in line.split("\0"):
            name, equals, value = pair.partition("=")
            if equals:
                state_variable(host, name, Value(value, first + number), who)


def state_variable(host: Host, name: str, value: Value[str], who: Witness) -> None:
    """A variable is set; names that are no business of RDMA are forgotten at once."""
    if not KEPT.fullmatch(name):
        return
    if value.value is None:
        if name in MARKERS and value.position:
            _unclear(host, name, value.position, who)  # set to what only its shell knows
        return
    number = whole(value.value, 0, 255)
    if name in MARKERS and number is None and value.value.lower() not in ("", "auto"):
        message = f"{name}={value.value[:40]} is no number from 0 to 255"
        host.reading.note(NoteKind.BAD_VALUE, message, value.position)
        _unclear(host, name, value.position, who)
        return
    host.claims.say(ENVIRONMENT, name, "value", value, who)
    host.reading.take(value.position)
    if name in MARKERS and number is not None and 0 < number <= HIGHEST_DSCP:
        host.reading.note(
            NoteKind.LEXICAL,
            f"{name}={number} is the whole traffic class byte and marks DSCP {number >> 2};"
            f" DSCP {number} would be {number << 2}",
            value.position,
        )


def settle_environment(host: Host) -> dict[str, Value[str]]:
    """The value of each variable; one that is set differently in two places, or to what is not
    known, has a position and no value.

    What a running process has beats the files.
    """
    settled: dict[str, Value[str]] = {}
    apart = _alternatives(host)
    for name in host.claims.names(ENVIRONMENT):
        said = host.claims.values(ENVIRONMENT, name, "value")
        live = [entry for entry in said if entry[0].live]
        who, value = (live or said)[0]
        for other_who, other in (live or said)[1:]:
            if other.value != value.value:
                settled[name] = Value(None, value.position)
                if other_who.file == who.file or {who.file, other_who.file} <= apart:
                    continue  # one script may start several programs, each with its own
                host.claims.conflict(
                    f"{name} is {value.value} in {who.name} and {other.value} in {other_who.name}",
                    value.position,
                    other.position,
                )
                break
        settled.setdefault(name, value)
    for name in host.claims.names(UNCLEAR):
        _, line = host.claims.values(UNCLEAR, name, "line")[0]
        settled.setdefault(name, Value(None, line.position))
    return settled


SELECTORS = ("NCCL_IB_HCA", "UCX_NET_DEVICES", "NVSHMEM_HCA_LIST")
"""Variables that name the adapters to use."""


def _alternatives(host: Host) -> set[int]:
    """Files of which each is for adapters of another maker: one of them is meant at a time."""
    kinds: dict[int, set[str]] = {}
    for name in SELECTORS:
        for who, value in host.claims.values(ENVIRONMENT, name, "value"):
            if not who.live:
                kinds.setdefault(who.file, set()).add(_driver(value.value or ""))
    said = [frozenset(each) for each in kinds.values()]
    return set(kinds) if len(said) > 1 and len(set(said)) == len(said) else set()


def _driver(listed: str) -> str:
    """`mlx` of `=mlx5_0,mlx5_1`: the letters with which an adapter's name begins."""
    found = re.match(r"[A-Za-z]+", listed.lstrip("^= "))
    return found[0] if found else ""


def select_devices(listed: str, names: list[str]) -> list[str]:
    """RDMA devices that a list in the form of NCCL_IB_HCA selects.

    Entries are prefixes; a leading `=` makes them exact, `^` excludes, `^=` excludes exactly.
    """
    text = listed.strip()
    exclude = text.startswith("^")
    text = text.removeprefix("^")
    exact = text.startswith("=")
    entries = [e.strip().split(":")[0] for e in text.removeprefix("=").split(",") if e.strip()]
    if not entries:
        return names
    return [
        name
        for name in names
        if any(name == e if exact else name.startswith(e) for e in entries) != exclude
    ]
