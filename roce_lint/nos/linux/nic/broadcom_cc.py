"""Congestion control of Broadcom adapters as its configfs shows and takes it."""

from __future__ import annotations

import re

from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import NIC, PORT, Host, whole
from roce_lint.nos.reading import Value

FILES = {
    "roce_dscp": ("own DSCP", 63),
    "roce_prio": ("own priority", 7),
    "cnp_dscp": ("CNP DSCP", 63),
    "cnp_prio": ("CNP priority", 7),
    "ecn_enable": ("CC", 1),
}
"""Files below `/sys/kernel/config/bnxt_re/DEVICE/ports/N/cc/` that are read: what each states,
and its highest value. Numbers are decimal or 0x."""

_APPLIED = re.compile(r"[^()]*\((?P<name>\w+)\)\s*:\s*(?P<value>\S+)")


def state_cc(host: Host, nic: str, name: str, value: Value[str], who: Witness) -> None:
    """One file, or one line of `apply`, which shows the values in force."""
    if name == "apply":
        match = _APPLIED.match(value.value or "")
        if match is None:
            return
        name, value = match["name"], Value(match["value"], value.position)
    if name not in FILES:
        return
    what, highest = FILES[name]
    number = value.map(lambda text: whole(text, 0, highest))
    host.nic(nic, what, number.map(bool) if what == "CC" else number, who)


def compare(host: Host, nic: str, port: str) -> None:
    """Note where the priority of RoCE data is not that which its port gives the same DSCP."""
    claims = host.claims
    dscp: Value[int] = claims.get(NIC, nic, "own DSCP")
    own: Value[int] = claims.get(NIC, nic, "own priority")
    if dscp.value is None or own.value is None:
        return
    table = claims.table(PORT, port, "DSCP to priority")
    given = table.entries.get(dscp.value)
    if given is not None and given != own.value:
        claims.conflict(
            f"{nic} sends RoCE with priority {own.value}, and {port} gives its DSCP {dscp.value} "
            f"priority {given}",
            own.position,
            table.at[dscp.value],
        )
