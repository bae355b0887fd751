"""Broadcom adapters: `niccli` and `bnxtqos` output, bnxt_setupcc.sh, and configfs."""

from __future__ import annotations

import re

from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import NIC, PORT, Host, lines_of, whole, witness
from roce_lint.nos.linux.lldptool import state
from roce_lint.nos.linux.tlv_text import TlvText, read_tlv_text
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
        head = _NUMBER.match(line)
        interface = _INTERFACE.match(line)
        if head:
            number = head["number"]
        elif interface and number:
            position = host.line(entry, line_number)
            port = Value(interface["port"], position)
            host.claims.state(CARD, number, "port", port, witness(entry))


def read_qos(host: Host, entry: Input) -> None:
    """Read `niccli ... getqos` or `bnxtqos get_qos`: the state of the adapter."""
    port = _port(host, entry)
    if port is None:
        return
    found = read_tlv_text(lines_of(entry))
    state(host, entry, port, found, witness(entry))
    if found.elements:
        _notifications(host, port, entry, found)


def _port(host: Host, entry: Input) -> str | None:
    """The interface of an output: named, numbered, or the host's only one."""
    device = entry.args.get("device", "")
    if not device:
        return host.port_of(entry)
    if device.isdigit():
        listed = host.claims.get(CARD, device, "port")
        if listed:
            return str(listed.value)
        host.note_unplaced(entry, "network interface")
        return None
    for port in host.claims.names(PORT):
        if any(value.value == device for _, value in host.claims.values(PORT, port, "bus")):
            return port
    if ":" in device:
        host.note_unplaced(entry, "network interface")
        return None
    return device


def _notifications(host: Host, port: str, entry: Input, found: TlvText) -> None:
    """Record the CNP DSCP: the DSCP of the priority in the CNP class."""
    who = witness(entry)
    queues = found.maps.get("priority to class", {})
    for dscp, (priority, number) in found.maps.get("DSCP to priority", {}).items():
        if queues.get(priority, (None, 0))[0] == CNP_CLASS:
            place = host.line(entry, number)
            host.port(port, "CNP DSCP", Value(dscp, place), who)
            host.port(port, "CNP priority", Value(priority, place), who)
            return


LETTERS = "rscpidvCmbtu"
"""Options of bnxt_setupcc.sh that take a value."""

HALF = 50


def set_up(setter: Setter, words: Words) -> None:
    """`bnxt_setupcc.sh -d bnxt_re0 -i ens1 -m 3 -r 3 -s 26 -c 7 -p 48 -b 50 -u 3`.

    Mode 1 is PFC, 2 congestion control, 3 (and no mode) both.
    """
    options, ports = _options(words)
    nic = options.get("d")
    priority = whole(options.get("r") or "", 0, 7)
    mode = options.get("m", "3")
    refused = _refusal(options, ports) if None not in words else None
    if refused:
        setter.wrong(f"{refused}: it prints its usage and sets nothing")
        return
    if not ports or priority is None or mode not in ("1", "2", "3"):
        return
    for port in ports:
        _port_settings(setter, port, options, priority, pfc=mode != "2")
        if mode != "1":
            _cnp_settings(setter, port, options)
    dscp = whole(options.get("s") or "", 0, 63)
    for name in [nic] if nic else _devices(setter.host, ports):
        setter.nic(name, "port", ports[0])
        setter.nic(name, "own DSCP", dscp)
        setter.nic(name, "own priority", priority)
        setter.nic(name, "CNP DSCP", whole(options.get("p") or "", 0, 63))
        setter.nic(name, "CNP priority", whole(options.get("c") or "", 0, 7))
        setter.nic(name, "CC", mode != "1")


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


def _options(words: Words) -> tuple[dict[str, str | None], list[str]]:
    """Options by letter, and the interfaces: `-i` may occur twice, for a bond."""
    found: dict[str, str | None] = {}
    ports: list[str] = []
    rest = list(words)
    while rest and rest[0] is not None and len(rest[0]) > 1 and rest[0].startswith("-"):
        word = rest.pop(0) or ""
        letter, attached = word[1], word[2:]
        if letter not in LETTERS:
            continue
        value = attached or (rest.pop(0) if rest else None)
        if letter == "i" and value is not None:
            ports.append(value)
        found[letter] = value
    return found, ports


def _port_settings(
    setter: Setter, port: str, options: dict[str, str | None], priority: int, *, pfc: bool
) -> None:
    bits: dict[int, object] = {n: 1 if pfc and n == priority else 0 for n in range(dcb.PRIORITIES)}
    setter.port_table(port, "PFC", bits, whole_table=True)
    dscp = whole(options.get("s") or "", 0, 63)
    if dscp is not None:
        setter.port_table(port, "DSCP to priority", {dscp: priority}, whole_table=False)
    # A third class can only be the priority of the CNPs.
    cnp = whole(options.get("c") or "", 0, 7)
    classes: dict[int, object] = {
        n: ROCE_CLASS if n == priority else 0 for n in range(dcb.PRIORITIES) if n != cnp
    }
    setter.port_table(port, "priority to class", classes, whole_table=False)
    share = whole(options.get("b", str(HALF)) or "", 0, 1000)
    if share is not None:
        share = share if share < 100 else HALF
        shares: dict[int, object] = {0: 100 - share, ROCE_CLASS: share}
        setter.port_table(port, "class bandwidth", shares, whole_table=False)
        kinds: dict[int, object] = {0: "ets", ROCE_CLASS: "ets"}
        setter.port_table(port, "class scheduling", kinds, whole_table=False)
    for direction in ("RX", "TX"):
        setter.port(port, f"{direction} pause", value=False)


def _cnp_settings(setter: Setter, port: str, options: dict[str, str | None]) -> None:
    """Record the CNP class and its DSCP entry, which the script creates if the firmware has a CNP
    service: `-C 1` states it, else it queries the firmware. A live CNP class shows the answer.
    """
    level, dscp = whole(options.get("c") or "", 0, 7), whole(options.get("p") or "", 0, 63)
    if level is None or dscp is None:
        return
    live = [
        table
        for who, table in setter.host.claims.tables(PORT, port, "priority to class")
        if who.live and CNP_CLASS in table.entries.values()
    ]
    if options.get("C") == "1" or live:
        setter.port_table(port, "priority to class", {level: CNP_CLASS}, whole_table=False)
        setter.port_table(port, "DSCP to priority", {dscp: level}, whole_table=False)


def _devices(host: Host, ports: list[str]) -> list[str]:
    """RDMA devices of the interface; without -d the script looks for them itself."""
    return [
        nic
        for nic in host.claims.names(NIC)
        if any(value.value in ports for _, value in host.claims.values(NIC, nic, "port"))
    ]
