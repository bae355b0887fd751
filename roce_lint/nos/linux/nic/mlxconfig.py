"""`mlxconfig query` output: settings in a NIC's non-volatile memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Nic
from roce_lint.model.units import ranges
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import PCI, PORT, Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

_DEVICE = re.compile(r"(?:Device|PCI device):\s+(?P<device>\S+)$")
_NAME = re.compile(
    r"(?P<star>\*\s*)?(?P<name>[A-Z][A-Z0-9_]*(?:\[[0-9.]+\])?)(?:\s+(?P<rest>\S.*))?$"
)
_BDF = re.compile(
    r"(?:(?P<domain>[0-9a-f]{4}):)?(?P<bus>[0-9a-f]{2}:[0-9a-f]{2})\.(?P<function>[0-7])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\w+\()?(?P<number>0x[0-9a-fA-F]+|\d+)\)?$")

_OF_PORT = {
    "ROCE_CC_PRIO_MASK": "CC priorities", "CNP_DSCP": "CNP DSCP", "CNP_802P_PRIO": "CNP priority",
    "LINK_TYPE": "link type", "LLDP_NB_DCBX": "firmware DCBX", "LLDP_NB_TX_MODE": "firmware LLDP",
}  # fmt: skip
WANTED = {f"{name}_P{port}": (what, port) for name, what in _OF_PORT.items() for port in "12"}
WANTED["PCI_WR_ORDERING"] = ("write ordering", "12")
"""Parameters that are read, with the numbers of their ports; the rest of the query does not affect
the network.
"""

CURRENT_OF_THREE = 1
"""Column in force of Default, Current, Next Boot."""

INFINIBAND = 1

CHANGES = {
    "CNP DSCP": "is set to send CNPs with DSCP {}",
    "CNP priority": "is set to send CNPs with priority {}",
    "firmware DCBX": "is set to have DCBX of its firmware {}",
    "firmware LLDP": "is set to have LLDP of its firmware {}",
}
"""Descriptions of stored values that are reported only if another value is in force."""


def read_mlxconfig(host: Host, entry: Input) -> None:
    """Read one query, about a PCI device and its ports by number."""
    who = witness(entry)
    device = (entry.args.get("device") or "").lower()
    for number, name, columns in _rows(entry):
        if name == "":
            device = columns[0].lower()
        if not columns or name not in WANTED:
            continue
        if not device:
            host.note_unplaced(entry, "device")
            return
        value = columns[CURRENT_OF_THREE if len(columns) == 3 else 0]
        position = host.line(entry, number)
        state_parameter(host, device, name, Value(value, position), who)
        what, ports = WANTED[name]
        stored = _number(columns[-1], 255)
        is_new = value != columns[-1] or (len(columns) == 1 and what not in CHANGES)
        for port in ports if is_new and stored is not None else ():
            at_boot = Value((name, stored), position)
            host.claims.state(PCI, f"{device} {port}", f"{what} at next boot", at_boot, who)


def compare_next_boot(host: Host, nics: dict[str, list[Nic]]) -> None:
    """Note port changes at the next boot; `nics` are those of each port of a card."""
    for key in host.claims.names(PCI):
        device, _, port = key.rpartition(" ")
        for what in ("CC priorities", "link type", *CHANGES):
            stored: Value[tuple[str, int]] = host.claims.get(PCI, key, f"{what} at next boot")
            if stored.value is None:
                continue
            name, number = stored.value
            known = nics.get(key, [])
            live = max((nic.at.get("active", nic.at.get("", 0)) for nic in known), default=0)
            if becomes := _becomes(host, what, number, known):
                message = f"port {port} of {device} {becomes} from the next boot on ({name})"
                host.claims.note(NoteKind.DRIFT, message, stored.position, live)


def _becomes(host: Host, what: str, number: int, nics: list[Nic]) -> str | None:
    """Change of a port at the next boot; None if there is none or it is harmless to RoCE."""
    if what in CHANGES:
        state = ("off", "on")[min(number, 1)] if what.startswith("firmware") else number
        return CHANGES[what].format(state)
    if what == "link type":
        now = any(nic.ethernet is False for nic in nics)
        return None if now or number != INFINIBAND else "is InfiniBand"
    if number == 0:
        now = any(not nic.np_priorities for nic in nics)
        return None if now else "is without congestion control"
    lost: set[int] = set()
    for nic in nics:
        paused = host.claims.table(PORT, nic.port or "", "PFC").entries
        reacting = nic.np_priorities or ()
        lost |= {n for n, on in paused.items() if on and n in reacting and not number >> n & 1}
    return f"is without congestion control for priority {ranges(lost)}" if lost else None


def _rows(entry: Input) -> Iterator[tuple[int, str, list[str]]]:
    """Line, name and values of every parameter; the device lines come with an empty name.

    A long name pushes its value to the next line.
    """
    waiting = ""
    for number, line in lines_of(entry):
        device, match = _DEVICE.match(line), _NAME.match(line)
        if device:
            yield number, "", [device["device"]]
        elif match is None:
            if waiting:
                yield number, waiting, line.split()
            waiting = ""
        else:
            waiting = "" if match["rest"] else match["name"]
            if match["rest"]:
                yield number, match["name"], match["rest"].split()


def state_parameter(host: Host, device: str, name: str, value: Value[str], who: Witness) -> None:
    """One parameter of a device (a PCI address or an RDMA device name), such as CNP_DSCP_P1."""
    what, ports = WANTED.get(name, ("", ""))
    limit = {"CC priorities": 255, "CNP DSCP": 63, "CNP priority": 7}.get(what, 255)
    stated = value.map(lambda text: _number(text, limit))
    if ports and stated.value is None and _NUMBER.match(value.value or ""):
        message = f"{name} {(value.value or '')[:40]} is no number from 0 to {limit}"
        host.bad(message, value.position)
    for port in ports:
        host.claims.state(PCI, f"{device} {port}", what, stated, who)


def _number(text: str, limit: int) -> int | None:
    match = _NUMBER.match(text)
    return whole(match["number"], 0, limit) if match else None


def functions_of(bus: str, rdma: str | None, devices: list[str]) -> list[str]:
    """Names of the stated firmware settings of a NIC port.

    A query names a PCI function or an RDMA device. Port 1 of a card is its function 0 and port 2
    its function 1, each visible through either function.
    """
    found = []
    here = _BDF.search(bus)
    own = str(whole_of(here["function"]) + 1) if here else "1"
    for name in devices:
        device, _, port = name.rpartition(" ")
        there = _BDF.search(device)
        if here and there:
            same = here["bus"].lower() == there["bus"].lower()
            is_own = same and (here["domain"] or "0000") == (there["domain"] or "0000")
        else:
            is_own = bool(rdma) and device == rdma
        if is_own and port == own:
            found.append(name)
    return found
