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


PACKETS = (("own", "RoCE"), ("CNP", "CNPs"))
"""What has a DSCP and a priority of its own in configfs, and what it is called."""


def compare(host: Host, nic: str, port: str) -> None:
    """Note where the priority of RoCE data or of CNPs is not that which the port gives the same
    DSCP.
    """
    claims = host.claims
    table = claims.table(PORT, port, "DSCP to priority")
    for kind, packets in PACKETS:
        dscp: Value[int] = claims.get(NIC, nic, f"{kind} DSCP")
        own: Value[int] = claims.get(NIC, nic, f"{kind} priority")
        if dscp.value is None or own.value is None or dscp.value not in table.at:
            continue  # nobody states what the port gives it
        given = table.entries[dscp.value]
        if given == own.value:
            continue
        claims.conflict(
            f"{nic} sends {packets} with priority {own.value}, and {port} gives "
            f"{'its' if kind == 'own' else 'their'} DSCP {dscp.value} priority {given}",
            own.position,
            table.at[dscp.value],
        )
