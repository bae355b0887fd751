"""Access lists of the data plane: ACL_TABLE binds them to ports, ACL_RULE has their entries.

Rules with higher PRIORITY come first, and packets without a match pass.
"""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.qos import Policing
from roce_lint.nos.access_lists import ALL, ROCE_PORT, SOME, WAYS, AccessLists, Takes, entry_of
from roce_lint.nos.sonic.tables import Namespace, Row
from roce_lint.text.numbers import whole_literal

TABLE, RULE = "ACL_TABLE", "ACL_RULE"

DATA = ("L3", "L3V4V6")
"""Types of tables that drop packets of IPv4 on ports."""

BESIDE = ("CTRLPLANE", "MIRROR", "MIRRORV6", "MIRROR_DSCP", "DTEL_FLOW_WATCHLIST", "PFCWD")
"""Types of tables that guard the CPU or mirror; the effect of other types is unknown."""

DROPS = ("DROP", "REDIRECT")
"""Prefixes of actions that take a packet off its path: `REDIRECT:Ethernet8`."""

HARMLESS = ("PRIORITY", "PACKET_ACTION", "ETHER_TYPE", "ETHERTYPE", "IP_TYPE")
_IPV4 = ("0x0800", "0x800", "2048", "IPV4ANY", "IP", "ANY", "IPV4")
_IPV6 = ("0X86DD", "34525", "IPV6ANY", "IPV6")
HIGHEST_PRIORITY = 1_000_000


def read_access_lists(space: Namespace, device: Device) -> None:
    """Bind lists that drop some RoCE to ports."""
    lists = AccessLists(space.reading)
    rules: dict[str, list[Row]] = {}
    for row in space.rows(RULE).values():
        rules.setdefault(row.key.partition("|")[0], []).append(row)
    for table in space.rows(TABLE).values():
        kind = table.text("type").value
        stage = (table.text("stage").value or "ingress").lower()
        ports = table.strings("ports") if "ports" in table else table.strings("ports@")
        found = rules.get(table.key, [])
        if kind in BESIDE or not found:
            continue
        made, way = _read(space, table, found), WAYS.get(stage, WAYS["in"])
        bound = set(ports.value or ())
        for port in device.interfaces.values():
            at_port = bound & {port.name, port.lag}
            vlans = {f"Vlan{vlan}" for vlan in (port.untagged_vlan, *(port.tagged_vlans or ()))}
            if port.qos is not None and (at_port or bound & vlans):
                sure = bool(at_port) and kind in DATA
                lists.attach(port.qos, way, made, ports.position, sure=sure)
    device.qos.policing |= lists.found


def _read(space: Namespace, table: Row, rules: list[Row]) -> Policing:
    matches = []
    ranked = [(row.integer("PRIORITY", 0, HIGHEST_PRIORITY).value or 0, row) for row in rules]
    for _, row in sorted(ranked, key=lambda each: -each[0]):
        takes = _takes(row, other=None if table.text("type").value != DATA[0] else False)
        action = row.text("PACKET_ACTION")
        if takes is None or action.value is None:
            continue
        name = row.key.partition("|")[2]
        text = f"rule {name[:64]} of access list {table.key[:64]}"
        word = action.value.upper()
        drop = word.startswith(DROPS)
        takes = takes if word == "DROP" or not drop else SOME
        matches.append(entry_of(space.reading, action.position, text, takes, drop=drop))
        if takes == ALL:
            break  # nothing is left for later rules
    return space.reading.build(
        Policing, table.position, name=space.label(f"access list {table.key}"), matches=matches
    )


def _takes(row: Row, *, other: bool | None) -> Takes | None:
    """RoCE packets that a rule matches; `other`: whether IPv6 may be RoCE (False, or perhaps)."""
    exact = True
    codes: frozenset[int] | None = None
    for name in row.fields():
        text = (row.text(name).value or "").strip()
        meets: bool | None = None
        if name in HARMLESS:
            plain = name in ("PRIORITY", "PACKET_ACTION") or text.upper() in map(str.upper, _IPV4)
            meets = plain or (other if text.upper() in _IPV6 else False)
        elif name in ("IP_PROTOCOL", "NEXT_HEADER"):
            meets = _number(text) == 17
        elif name == "L4_DST_PORT":
            meets = _number(text) == ROCE_PORT
        elif name == "L4_DST_PORT_RANGE":
            low, _, high = text.partition("-")
            first, last = _number(low), _number(high)
            meets = first <= ROCE_PORT <= last if first >= 0 and last >= 0 else None
        elif name in ("SRC_IP", "DST_IP"):
            meets = True if text.endswith("/0") else None
        elif name in ("SRC_IPV6", "DST_IPV6"):
            meets = other
        elif name == "DSCP" and 0 <= _number(text) < 64:
            codes, meets = frozenset({_number(text)}), True
        elif name in ("TCP_FLAGS", "ICMP_TYPE", "ICMPV6_TYPE"):
            meets = False
        if meets is False:
            return None
        exact = exact and meets is True
    return Takes(codes, exact)


def _number(text: str) -> int:
    """A number, decimal or hexadecimal; -1 for anything else."""
    number = whole_literal(text)
    return -1 if number is None else number
