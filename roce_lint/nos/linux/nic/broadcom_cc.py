"""Congestion control of Broadcom adapters as its configfs shows and takes it."""

from __future__ import annotations

import re

from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, whole
from roce_lint.nos.reading import Value

FILES = {
    "roce_dscp": ("own DSCP", 63),
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
