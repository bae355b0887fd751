"""Declaration of Cisco NX-OS on Nexus switches; facts and their sources are in docs/nos/nxos.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Later, Offer, Printing, Typed, WatchdogOffer, switch
from roce_lint.nos.declare import LISTS, ROUTES, Section, Signature, Skip, named_patterns, stanzas
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import bounds_in

defaults = defaults_of("nxos")

# Design settings; the sources are in docs/nos/nxos.md.

OFFER = Offer(
    port="Ethernet1/{n}",
    split="Ethernet1/{n}/{s}",
    loopback="loopback0",
    share_of=ShareKind.REMAINING,
    pmax_percent=bounds_in("nxos", "drop-probability"),
    ip_mtu=bounds_in("nxos", "MTU"),
    watchdog=WatchdogOffer(
        polling_ms=bounds_in("nxos", "watchdog interval"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT}),
        source="docs/nos/nxos.md#what-the-device-refuses",
    ),
    source="docs/nos/nxos.md#names-of-ports-breakouts-and-lags",
)


# LLDP outputs.
_COMMAND = r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?"
_JSON = r" *\| *json(?:-pretty)?"
_TITLES = r"^Device ID +Local Intf +Hold-time +Capability +Port ID"
_ROW = r"[^\n]*(?:\n[^\n]*){0,2}?\n\S* +(?:Eth\d+/|mgmt\d)"

LLDP = (
    neighbors(
        "lldp",
        rf"{_COMMAND} detail",
        Blocks({"local port id": "port"}, begins=r"Chassis id:"),
        Signature(r"^[ \t]*Local Port id: (?:Eth|mgmt)", 9, "local port in the short form"),
        Signature(r"^[ \t]*Local Port id: \S", 3, "local port id"),
        Signature(r"^[ \t]*Chassis id: \S", 2, "LLDP neighbour block"),
        Signature(r"^Total entries displayed: \d", 2, "count of neighbours"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        _COMMAND,
        Columns("Device ID=system, Local Intf=port, Port ID=port_id"),
        Signature(_TITLES, 7, "titles of the neighbours"),
        Signature(rf"{_TITLES}{_ROW}", 5, "local port in the short form"),
    ),
    neighbors(
        "lldp-detail-json",
        rf"{_COMMAND} detail{_JSON}",
        Tree(
            ("TABLE_nbor_detail", "ROW_nbor_detail", "*"),
            {
                "l_port_id": "port",
                "chassis_id": "chassis",
                "sys_name": "system",
                "port_id": "port_id",
                "port_desc": "description",
            },
        ),
        Signature(r'"ROW_nbor_detail": *[\[{]', 12, "rows of the neighbours"),
    ),
    neighbors(
        "lldp-brief-json",
        rf"{_COMMAND}{_JSON}",
        Tree(
            ("TABLE_nbor", "ROW_nbor", "*"),
            {"l_port_id": "port", "chassis_id": "system", "port_id": "port_id"},
        ),
        Signature(r'"ROW_nbor": *[\[{]', 12, "rows of the neighbours"),
    ),
)


# Sources of the configuration.

FREE_TEXT = "description|name|banner|remark|username|snmp-server|cli alias|.*\\bdescription"
"""Beginnings of lines in which a `!` may be part of a text."""


RUNNING_CONFIG = stanzas(
    "show running-config",
    hostname="(?:hostname|switchname)",
    nos="nxos",
    sections=(
        Section("breakout", r"interface breakout "),
        Section("interface", r"interface "),
        Section("class-map", r"class-map (?!type control-plane )"),
        Section("policy-map-network-qos", r"policy-map type network-qos "),
        Section("policy-map-queuing", r"policy-map type queuing "),
        Section("policy-map-qos", r"policy-map (?:type qos |(?!type ))"),
        Section("system-qos", r"system qos$"),
        Section("bgp", r"router bgp "),
        *ROUTES,
        Section("access-list", r"(?:ip|ipv6) access-list "),
        Section("vlan", r"vlan \d"),
        Section("vrf", r"vrf context "),
        Section(
            "global",
            r"(?:hostname|switchname|version|boot|priority-flow-control) |feature (?:bgp|lldp)$"
            r"|ip (?:dscp-lop|load-sharing) |vlan (?:filter|dot1q) |system default switchport"
            r"|no (?:ip dscp-lop|system default switchport|priority-flow-control )",
        ),
    ),
    comment=r"!",
    trailing=rf"(?!(?:{FREE_TEXT})\b)(?P<kept>\S(?:.*?\S)??)\s++!\s.*",
    skips=(Skip(r"banner (?:motd|exec|incoming|login) *(?P<end>\S)"),),
    reattach=r"match (?:qos-group|cos|dscp|precedence|protocol) ",
    continuation=r"(?:random-detect|switchport trunk allowed vlan|match (?:ip )?dscp|pause) ",
    outer=r"(?:router|vdc|vpc domain|line|aaa|control-plane|object-group|policy-map type"
    r"|class-map type|spanning-tree (?:mst configuration|mode)|feature|snmp-server|ntp|role"
    r"|username|logging (?:server|level|logfile|monitor)|tacacs-server|radius-server|nxapi"
    r"|errdisable|system|clock|event manager|flow (?:exporter|record|monitor)|monitor session|end"
    r"|key chain|crypto|ssh|poap|cli alias|copp|icam|scheduler|vtp"
    r"|xml|rmon|password|userpassphrase|port-profile|mac access-list|sflow|vlan configuration"
    r"|vlan access-map)(?: |$)|(?:evpn|telemetry)$|track \d+ (?:interface|ip|list) ",
)

NOS = switch(
    "nxos",
    "Cisco NX-OS",
    (RUNNING_CONFIG, *LLDP),
    ports=Later("roce_lint.nos.nxos", "naming"),
    printing=Printing(functions=Later("roce_lint.nos.nxos.printing", "functions")),
    patterns={**LISTS, **named_patterns("nxos")},
    netmiko_type="cisco_nxos",
    offer=OFFER,
    typed=Typed(keys=rf"pause buffer-size|random-detect minimum-threshold|{LIST_LINES}"),
)
