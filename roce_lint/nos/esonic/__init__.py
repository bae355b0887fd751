"""Declaration of Enterprise SONiC (command line); facts and sources are in docs/nos/esonic.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Offer, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Section, Signature, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in

defaults = defaults_of("esonic")


# LLDP outputs.
LLDP = (
    neighbors(
        "lldp-table",
        r"show lldp table(?: *\| *no-more)?",
        Columns(
            "LocalPort=port, RemoteDevice=system, RemotePortID=port_id, RemotePortDescr=description"
        ),
        Signature(r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 9, "titles of the neighbours"),
        Signature(r"^Eth\d+/\d+", 5, "ports by slot and number"),
        run="show lldp table",
    ),
    neighbors(
        "lldp-neighbor",
        r"show lldp neighbor(?: \S+)?(?: *\| *no-more)?",
        Blocks(
            kinds("chassisid=chassis, sysname=system, portid=port_id, portdescr=description"),
            begins=r"Interface: +(?P<port>[^\s,]+),",
        ),
        Signature(r"^Interface: +\S+,via:LLDP", 12, "a port that heard LLDP"),
        Signature(r"^Interface: +Eth\d+/\d+", 5, "ports by slot and number"),
    ),
    *lldpcli_sources(r"Eth\d+(?:/\d+)+"),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/esonic.md#what-the-device-refuses"

OFFER = Offer(
    port="Eth1/{n}",
    split="Eth1/{n}/{s}",
    loopback="Loopback0",
    lossless=2,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("threshold", 1000, 12480000, _PAGE, "bytes"),
    pmax_percent=bounds_in("esonic", "drop-probability"),
    ip_mtu=Bounds("mtu", 68, 9216, _PAGE, "bytes"),
    watchdog=WatchdogOffer(
        polling_ms=bounds_in("esonic", "polling-interval"),
        detection_ms=bounds_in("esonic", "detect-time"),
        restoration_ms=bounds_in("esonic", "restore-time"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT}),
        source=_PAGE,
    ),
    lossy_group=7,
    source="docs/nos/esonic.md#names-of-ports-breakouts-and-lags",
)


MAPS = "dscp-tc|dot1p-tc|tc-queue|tc-pg|tc-dscp|tc-dot1p|pfc-priority-queue|pfc-priority-pg"


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "show running-configuration",
    nos="esonic",
    sections=(
        Section("access-list", r"(?:ip|ipv6|mac) access-list "),
        Section("interface", r"interface (?!range create)"),
        Section(
            "qos",
            r"qos (?:map|wred-policy|scheduler-policy) "
            r"|priority-flow-control watchdog polling-interval |roce enable"
            r"|buffer (?:init|pool|profile) ",
        ),
        Section("device", r"hostname |lldp enable$|no lldp enable$|router bgp "),
    ),
    comment=r"[!#]",
    outer=r"(?:router|ip (?:vrf|prefix-list|access-list)|mclag domain|vlan \d+|username|snmp-server"
    r"|route-map \S+ (?:permit|deny)|ntp|logging|aaa|tacacs-server|radius-server|class-map"
    r"|policy-map|line|mirror-session|telemetry|end)(?: |$)",
    hostname="hostname",
)

NOS = stanza_switch(
    "esonic",
    "Enterprise SONiC (command line)",
    (RUNNING_CONFIG, *LLDP),
    patterns={"MAP": MAPS},
    offer=OFFER,
    typed=Typed(
        keys=r"mtu|speed|fec|(?:dscp|dot1p|traffic-class) [\d,-]+|pfc-priority \d+|green|ecn"
        r"|weight|queue \d+(?: wred-policy)?|scheduler-policy|cable-length|qos-map \S+"
        r"|priority-flow-control (?:priority \d+|watchdog \S+)"
        rf"|{LIST_LINES}"
    ),
    netmiko_type="dell_sonic",
)
