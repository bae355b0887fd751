"""What `lspci -vv` shows: how PCI Express is switched between NICs and accelerators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from roce_lint.nos.linux.host import Host, lines_of, witness
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import whole_of

SLOT = "PCI slot"
"""Kind of thing: a PCI function by its address, `0000:17:00.0`."""

_ADDRESS = re.compile(
    r"(?:(?P<domain>[0-9a-f]{4,5}):)?(?P<rest>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.IGNORECASE
)
_HEAD = re.compile(rf"(?P<address>{_ADDRESS.pattern}) (?P<class>[^:\[]+?)(?: \[[0-9a-f]{{4}}\])?: ")
_BUSES = re.compile(
    r"Bus: primary=[0-9a-f]{2}, secondary=(?P<low>[0-9a-f]{2}), subordinate=(?P<high>[0-9a-f]{2})"
)
_ORDERING = re.compile(r".*\bRlxdOrd(?P<sign>[+-])")
_REDIRECT = re.compile(r"ACSCtl:.*?\bReqRedir(?P<request>[+-]) CmpltRedir(?P<completion>[+-])")
_DRIVER = re.compile(r"Kernel driver in use: (?P<driver>\S+)")

ACCELERATORS = ("3D controller", "Processing accelerators", "Display controller")
"""Classes of devices that data of RDMA goes to directly; a VGA controller is that of a console."""

PASSED_ON = "vfio-pci"
"""The driver of a function that a virtual machine has."""


def read_lspci(host: Host, entry: Input) -> None:
    """Take in `lspci -vv`. Capabilities are shown to root only; buses are to everybody."""
    who = witness(entry)
    address = ""
    for number, line in lines_of(entry):
        head = _HEAD.match(line)
        if head:
            address = normal(head["address"])
            kind = Value(head["class"], host.line(entry, number))
            host.claims.say(SLOT, address, "class", kind, who)
        elif address:
            what, value = _detail(line)
            if what:
                stated = Value(value, host.line(entry, number))
                host.claims.say(SLOT, address, what, stated, who)


def _detail(line: str) -> tuple[str, object]:
    """The field that a line behind the head of a function states, and its value."""
    buses, redirect = _BUSES.match(line), _REDIRECT.match(line)
    if buses:
        return "buses", (whole_of(buses["low"], 16), whole_of(buses["high"], 16))
    if redirect:
        return "redirects", "+" in (redirect["request"], redirect["completion"])
    ordering = _ORDERING.match(line)
    if ordering:
        return "relaxed ordering", ordering["sign"] == "+"
    driver = _DRIVER.match(line)
    return ("driver", driver["driver"]) if driver else ("", None)


def normal(address: str) -> str:
    """A PCI address with its domain, in lower case; empty for what is none."""
    match = _ADDRESS.fullmatch(address.strip())
    if match is None:
        return ""
    return f"{match['domain'] or '0000'}:{match['rest']}".lower()


@dataclass(slots=True, frozen=True)
class Peers:
    """How a NIC reaches the accelerators of its host."""

    behind_switch: Value[bool] = ABSENT
    """Whether an accelerator shares a PCI bridge with it; the place is the accelerator."""
    redirected: Value[bool] = ABSENT
    """Whether a bridge between them sends their packets up to the root; the place is its."""


def peers_of(host: Host, bus: str) -> Peers:
    """How packets get from the NIC at a PCI address to accelerators, as far as it is shown."""
    claims, own = host.claims, normal(bus)
    names = claims.names(SLOT)
    if own not in names or any(_statement(host, n, "driver").value == PASSED_ON for n in names):
        return Peers()  # a machine inside needs the isolation
    cards = [n for n in names if _statement(host, n, "class").value in ACCELERATORS]
    mine = _above(host, own)
    if not cards or not mine:
        return Peers()
    shared = next((c for c in cards if mine & _above(host, c)), None)
    at = _statement(host, shared or cards[0], "class").position
    between = mine ^ _above(host, shared) if shared else mine
    said = [_statement(host, bridge, "redirects") for bridge in sorted(between)]
    on = next((value for value in said if value.value), None)
    known = Value(value=False, position=said[0].position) if said and all(said) else ABSENT
    return Peers(Value(shared is not None, at), on or known)


def relaxed_ordering_of(host: Host, bus: str) -> Value[bool]:
    """Whether the NIC at a PCI address may send writes that overtake each other."""
    return _statement(host, normal(bus), "relaxed ordering")


def _above(host: Host, address: str) -> set[str]:
    """The bridges between the root and a function."""
    domain, bus = address[:-8], whole_of(address[-7:-5], 16)
    found = set()
    for name in host.claims.names(SLOT):
        low, high = _statement(host, name, "buses").value or (1, 0)
        if name[:-8] == domain and low <= bus <= high:
            found.add(name)
    return found


def _statement(host: Host, name: str, what: str) -> Value[Any]:
    return host.claims.get(SLOT, name, what)
