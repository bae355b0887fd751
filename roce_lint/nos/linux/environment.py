"""RDMA settings of applications: environment variables, and what code points they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Flow
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import ENVIRONMENT, Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell import parse_env

KEPT = re.compile(
    r"(?:NCCL|RCCL)_(?:IB|NET|SOCKET|GIN|GDR|CROSS_NIC|PXN|DMABUF|OOB)(?:_[A-Z0-9_]*)?"
    r"|UCX_(?:IB|RC|DC|UD|TLS|NET_DEVICES|RNDV|MAX_RNDV|MAX_RMA)(?:_[A-Z0-9_]*)?"
    r"|NVSHMEM_(?:IB|IBGDA|IBDEVX|IBRC|HCA|ENABLE_NIC|REMOTE_TRANSPORT)(?:_[A-Z0-9_]*)?"
    r"|MORI_(?:RDMA|IB|IO)_[A-Z0-9_]*"
    r"|MC_(?:IB_TC|IB_PORT|GID_INDEX|MTU)"
    r"|GLOO_SOCKET_IFNAME"
)
"""Names whose values are kept. MC_ alone would admit MC_HOST_*, which holds credentials."""


@dataclass(frozen=True)
class Marker:
    """A variable that gives the traffic class byte of some flow.

    `escapes` tells that its queue pairs are (also) made through DevX, which a forced traffic
    class does not reach; where a variable decides that, `if_set` names it.
    """

    flow: Flow
    escapes: bool = False
    if_set: str | None = None


MARKERS = {
    "NCCL_IB_TC": Marker(Flow.DATA),
    "NCCL_IB_FIFO_TC": Marker(Flow.CONTROL),
    "UCX_IB_TRAFFIC_CLASS": Marker(Flow.DATA),
    "NVSHMEM_IB_TRAFFIC_CLASS": Marker(Flow.DATA, escapes=True, if_set="NVSHMEM_IB_ENABLE_IBGDA"),
    "MORI_RDMA_TC": Marker(Flow.DATA, escapes=True),
    "MORI_IO_TC": Marker(Flow.DATA),
    "MC_IB_TC": Marker(Flow.DATA),
}
"""Variables that hold the byte `DSCP << 2 | ECN`."""

HIGHEST_DSCP = 63


def read_environment(host: Host, entry: Input) -> None:
    """Take in a file of `NAME=value` lines: nccl.conf, an EnvironmentFile, exports."""
    first = host.reading.src.files[entry.file].first
    who = witness(entry)
    for found in parse_env(entry.text.lines()):
        state_variable(host, found.name, Value(found.value, first + found.number), who)


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
    if not KEPT.fullmatch(name) or value.value is None:
        return
    host.claims.say(ENVIRONMENT, name, "value", value, who)
    host.reading.take(value.position)
    if name not in MARKERS:
        return
    number = whole(value.value, 0, 255)
    if number is None:
        if value.value.lower() not in ("", "auto"):
            message = f"{name}={value.value[:40]} is no number from 0 to 255"
            host.reading.note(NoteKind.BAD_VALUE, message, value.position)
    elif 0 < number <= HIGHEST_DSCP:
        host.reading.note(
            NoteKind.LEXICAL,
            f"{name}={number} is the whole traffic class byte and marks DSCP {number >> 2};"
            f" DSCP {number} would be {number << 2}",
            value.position,
        )


def settle_environment(host: Host) -> dict[str, Value[str]]:
    """The value of each variable; a variable set differently in two places has none.

    What a running process has beats the files.
    """
    settled: dict[str, Value[str]] = {}
    for name in host.claims.names(ENVIRONMENT):
        said = host.claims.values(ENVIRONMENT, name, "value")
        live = [entry for entry in said if entry[0].live]
        who, value = (live or said)[0]
        for other_who, other in (live or said)[1:]:
            if other.value != value.value:
                host.claims.conflict(
                    f"{name} is {value.value} in {who.name} and {other.value} in {other_who.name}",
                    value.position,
                    other.position,
                )
                break
        else:
            settled[name] = value
    return settled


def selected(listed: str, names: list[str]) -> list[str]:
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
