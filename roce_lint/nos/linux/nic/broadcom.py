"""Broadcom adapters: `niccli` and `bnxtqos` output, bnxt_setupcc.sh, and configfs."""

from __future__ import annotations

import re

from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.declared.setter import Setter, Words, getopts
from roce_lint.nos.linux.host import NIC, PORT, Host, lines_of, whole, witness
from roce_lint.nos.linux.lldptool import read_tlv_text, state
from roce_lint.nos.reading import Input, Value

CARD = "niccli"
"""Kind of object that niccli numbers: its name is the number in the device list."""

ROCE_CLASS, CNP_CLASS = 1, 2
"""Traffic classes of RoCE data and of CNPs; the adapter supports no others for them."""

_NUMBER = re.compile(r"(?P<number>\d+)\)\s+\S")
_INTERFACE = re.compile(r"Device Interface(?: Name)?\s*:\s*(?P<port>[\w.@-]+)$")


def read_devices(host: Host, entry: Input) -> None:
    """Read `niccli --list_devices`: network interface by number."""
    number = ""
    for line_number, line in lines_of(entry):
        if head := _NUMBER.match(line):
            number = head["number"]
        elif number and (interface := _INTERFACE.match(line)):
            port = Value(interface["port"], host.line(entry, line_number))
            host.claims.state(CARD, number, "port", port, witness(entry))


def read_qos(host: Host, entry: Input) -> None:
    """Read `niccli ... getqos` or `bnxtqos get_qos`: the state of the adapter."""
    port = _port(host, entry)
    if port is None:
        return
    found, who = read_tlv_text(host, entry), witness(entry)
    state(host, port, found, who)
    queues = found.maps.get("priority to class", {}) if found.elements else {}
    for dscp, (priority, place) in found.maps.get("DSCP to priority", {}).items():
        if queues.get(priority, (None, 0))[0] == CNP_CLASS:
            host.port(port, "CNP DSCP", Value(dscp, place), who)
            host.port(port, "CNP priority", Value(priority, place), who)
            break


def _port(host: Host, entry: Input) -> str | None:
    """The interface of an output: named, numbered, or the host's only one."""
    device = entry.args.get("device", "")
    if not device:
        return host.port_of(entry)
    if device.isdigit():
        if listed := host.claims.get(CARD, device, "port"):
            return str(listed.value)
    else:
        found = host.claims.where(PORT, "bus", lambda stated: stated == device)
        if found or ":" not in device:
            return found[0] if found else device
    host.note_unplaced(entry, "network interface")
    return None


HALF = 50


def set_up(setter: Setter, words: Words) -> None:
    """`bnxt_setupcc.sh -d bnxt_re0 -i ens1 -m 3 -r 3 -s 26 -c 7 -p 48 -b 50 -u 3`.

    Mode 1 is PFC, 2 congestion control, 3 (and no mode) both.
    """
    given = getopts(words, "rscpidvCmbtu")
    options = dict(given)
    ports = [value for letter, value in given if letter == "i" and value is not None]
    mode = options.get("m", "3")
    refused = _refusal(options, ports) if None not in words else None
    if refused:
        setter.wrong(f"{refused}: it prints its usage and sets nothing")
        return
    priority, cnp = (whole(options.get(letter) or "", 0, 7) for letter in "rc")
    dscp, cnp_dscp = (whole(options.get(letter) or "", 0, 63) for letter in "sp")
    if not ports or priority is None or mode not in ("1", "2", "3"):
        return
    for port in ports:
        bits = {n: 1 if mode != "2" and n == priority else 0 for n in range(dcb.PRIORITIES)}
        setter.port_table(port, "PFC", bits, whole_table=True)
        if dscp is not None:
            # The table is emptied before; whether CNPs have an entry is open without -C 1.
            alone = mode == "1" or options.get("C") == "1"
            setter.port_table(port, "DSCP to priority", {dscp: priority}, whole_table=alone)
        # A third class can only be the priority of the CNPs.
        classes = {n: ROCE_CLASS if n == priority else 0 for n in range(dcb.PRIORITIES) if n != cnp}
        setter.port_table(port, "priority to class", classes)
        share = whole(options.get("b", str(HALF)) or "", 0, 1000)
        if share is not None:
            share = share if share < 100 else HALF
            setter.port_table(port, "class bandwidth", {0: 100 - share, ROCE_CLASS: share})
            setter.port_table(port, "class scheduling", {0: "ets", ROCE_CLASS: "ets"})
        for direction in ("RX", "TX"):
            setter.port(port, f"{direction} pause", value=False)
        if mode != "1" and cnp is not None and cnp_dscp is not None:
            _set_cnp_class(setter, port, cnp, cnp_dscp, created=options.get("C") == "1")
    fields = {
        "port": ports[0], "own DSCP": dscp, "own priority": priority, "CNP DSCP": cnp_dscp,
        "CNP priority": cnp, "CC": mode != "1",
    }  # fmt: skip
    # Without -d the script looks for the RDMA devices of the interfaces itself.
    of_ports = setter.host.claims.where(NIC, "port", lambda port: port in ports)
    for name in [options["d"]] if options.get("d") else of_ports:
        for what, value in fields.items():
            setter.nic(name, what, value)


def _refusal(options: dict[str, str | None], ports: list[str]) -> str | None:
    """Error that ends the script before it sets anything."""
    if not ports:
        return "-i INTERFACE is missing"
    if "r" not in options:
        return "-r PRIORITY is missing"
    for letter, values in (("u", "1234"), ("m", "123")):
        if letter in options and options[letter] not in tuple(values):
            return f"-{letter} {options[letter]} is not one of {', '.join(values)}"
    return None


def _set_cnp_class(setter: Setter, port: str, level: int, dscp: int, *, created: bool) -> None:
    """Record the CNP class and its DSCP entry, which the script creates if the firmware has a CNP
    service: `-C 1` states it, else it queries the firmware. A live CNP class shows the answer.
    """
    tables = setter.host.claims.tables(PORT, port, "priority to class")
    if created or any(who.live and CNP_CLASS in table.entries.values() for who, table in tables):
        setter.port_table(port, "priority to class", {level: CNP_CLASS})
        setter.port_table(port, "class scheduling", {CNP_CLASS: "strict"})
        setter.port_table(port, "DSCP to priority", {dscp: level})
