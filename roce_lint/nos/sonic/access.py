"""Access lists of the data plane: ACL_TABLE binds them to ports, ACL_RULE has their entries.

A rule of higher PRIORITY comes first, and what no rule takes passes.
"""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.qos import Policing
from roce_lint.nos.access_lists import ROCE_PORT, Takes, drops, entry_of
from roce_lint.nos.sonic.tables import Namespace, Row
from roce_lint.text.numbers import BEYOND, whole_of

TABLE, RULE = "ACL_TABLE", "ACL_RULE"

DATA = ("L3", "L3V4V6")
"""Types of tables that drop packets of IPv4 on ports; others mirror, mark or guard the CPU."""

HARMLESS = ("PRIORITY", "PACKET_ACTION", "ETHER_TYPE", "ETHERTYPE", "IP_TYPE")
_IPV4 = ("0x0800", "0x800", "2048", "IPV4ANY", "IP", "ANY", "IPV4")
HIGHEST_PRIORITY = 1_000_000


def read_access_lists(space: Namespace, device: Device) -> None:
    """Give ports the lists that drop some of RoCE."""
    rules: dict[str, list[Row]] = {}
    for row in space.rows(RULE).values():
        rules.setdefault(row.key.partition("|")[0], []).append(row)
    for table in space.rows(TABLE).values():
        kind = table.text("type").value
        stage = (table.text("stage").value or "ingress").lower()
        ports = table.strings("ports") if "ports" in table else table.strings("ports@")
        found = rules.get(table.key, [])
        if kind not in DATA or not found:
            continue
        made = _read(space, table, found)
        if not any(map(drops, made.matches)):
            continue
        device.qos.policing[made.name] = made
        bound = set(ports.value or ())
        field = "policing_out" if stage == "egress" else "policing"
        for port in device.interfaces.values():
            if port.qos is not None and bound & {port.name, port.lag}:
                setattr(port.qos, field, made.name)
                port.qos.at[field] = ports.position


def _read(space: Namespace, table: Row, rules: list[Row]) -> Policing:
    matches = []
    for row in sorted(rules, key=lambda row: -_priority(row)):
        takes = _takes(row)
        action = row.text("PACKET_ACTION")
        if takes is None or action.value is None:
            continue
        name = row.key.partition("|")[2]
        text = f"rule {name[:64]} of access list {table.key[:64]}"
        drop = action.value.upper() == "DROP"
        matches.append(entry_of(space.reading, action.position, text, takes, drop=drop))
        if takes == Takes():
            break  # nothing is left for the rules behind
    return space.reading.build(
        Policing, table.position, name=space.label(f"access list {table.key}"), matches=matches
    )


def _priority(row: Row) -> int:
    return row.integer("PRIORITY", 0, HIGHEST_PRIORITY).value or 0


def _takes(row: Row) -> Takes | None:
    """Which packets of RoCE a rule takes; None: none of them."""
    exact = True
    codes: frozenset[int] | None = None
    for name in row.fields():
        text = (row.text(name).value or "").strip()
        meets: bool | None = None
        if name in HARMLESS:
            meets = name in ("PRIORITY", "PACKET_ACTION") or text.upper() in map(str.upper, _IPV4)
        elif name == "IP_PROTOCOL":
            meets = _number(text) == 17
        elif name == "L4_DST_PORT":
            meets = _number(text) == ROCE_PORT
        elif name == "L4_DST_PORT_RANGE":
            low, _, high = text.partition("-")
            first, last = _number(low), _number(high)
            meets = first <= ROCE_PORT <= last if first >= 0 and last >= 0 else None
        elif name in ("SRC_IP", "DST_IP"):
            meets = True if text.endswith("/0") else None
        elif name == "DSCP" and 0 <= _number(text) < 64:
            codes, meets = frozenset({_number(text)}), True
        elif name in ("SRC_IPV6", "DST_IPV6", "TCP_FLAGS", "ICMP_TYPE", "ICMPV6_TYPE"):
            meets = False
        if meets is False:
            return None
        exact = exact and meets is True
    return Takes(codes, exact)


def _number(text: str) -> int:
    """A number, decimal or hexadecimal; -1 for anything else."""
    hexadecimal = text[:2] in ("0x", "0X")
    number = whole_of(text[2:], 16) if hexadecimal else whole_of(text)
    return number if 0 <= number < BEYOND else -1
