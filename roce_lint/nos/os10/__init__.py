"""Declaration of Dell SmartFabric OS10; facts and their sources are in docs/nos/os10.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import LIST_LINES, Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.refusals import Bounds, bounds_in, table
from roce_lint.text.source import Confidence

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-configuration", needed=True),
        Command("show lldp neighbors"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show queuing statistics interface", Kind.COUNTERS),
    ),
    prepares=("terminal length 0",),
    unknown=r"% ?Error",
    called=("dell_os10", "dell-os10", "dellemc.os10.os10"),
)


# LLDP outputs.
_COMMAND = r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?"

LLDP = (
    neighbors(
        "lldp-brief",
        _COMMAND,
        Columns(
            "Loc PortID=port, Rem Host Name=system, Rem Port Id=port_id, Rem Chassis Id=chassis"
        ),
        run="show lldp neighbors",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND} detail",
        Blocks(
            kinds(
                "remote chassis id=chassis, remote port id=port_id, local port id=port,"
                " remote port description=description, remote system name=system,"
                " remote max frame size=max_frame"
            ),
            begins=r"Remote Chassis ID Subtype:",
        ),
        Signature(r"^Remote Chassis ID Subtype:", 8, "a neighbour"),
        Signature(r"^Locally assigned remote Neighbor Index:", 6, "number of a neighbour"),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/os10.md#what-the-device-refuses"

LIMITS = table(
    Bounds("qos-group", 0, 7, _PAGE),
    Bounds("queue", 0, 7, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("dot1p", 0, 7, _PAGE),
    Bounds("bandwidth percent", 0, 100, _PAGE),
    Bounds("pfc-cos", 0, 7, _PAGE, instead="the line enables no PFC for the class"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
)

OFFER = Offer(
    port="ethernet1/1/{n}",
    split="ethernet1/1/{n}:{s}",
    loopback="loopback0",
    share_of=ShareKind.LINK,
    pmax_percent=bounds_in(LIMITS, "drop-probability"),
    ip_mtu=Bounds(
        "mtu",
        1280,
        9216,
        "docs/nos/os10.md#how-mtu-is-counted",
        "bytes",
        confidence=Confidence.UNCONFIRMED,
    ),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/os10.md#watchdog"),
    source="docs/nos/os10.md#names-of-ports-breakouts-and-lags",
)
"""Design settings; the sources are in docs/nos/os10.md."""


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^trust (?:dot1p|dscp)-map \S", 8, "trust map"),
    Signature(r"^qos-map traffic-class \S", 8, "queue map"),
    Signature(r"^[ \t]+trust-map (?:dot1p|dscp) \S", 6, "trust map applied"),
    Signature(r"^[ \t]+service-policy input type network-qos \S", 8, "network-qos on a port"),
    Signature(r"^[ \t]+ets mode on\b", 3, "ETS"),
    Signature(r"^dcbx enable[ \t\r]*$", 4, "DCBX"),
    Signature(r"^interface breakout \d+/\d+/\d+ map ", 8, "breakout"),
    Signature(r"^interface (?:ethernet|mgmt)\d+/\d+/\d+(?! - )", 5, "ports by three numbers"),
    Signature(
        r"^interface (?:range )?[Ee]thernet \d+/\d+/\d+", 5, "ports by three numbers, spaced"
    ),
    Signature(r"^interface vlan\d", 1, "lower-case VLAN interfaces"),
    Signature(r"^vlt-domain \d", 8, "VLT domain"),
    Signature(r"^[ \t]+vlt-port-channel \d", 6, "VLT channel"),
    Signature(r"^ip vrf \S", 1, "VRF by `ip vrf`"),
    Signature(r"^! Version 10\.\d", 6, "release"),
    Signature(r"^wred \S", 3, "WRED profile"),
    Signature(r"^policy-map type (?:network-qos|queuing) \S", 1, "policy type"),
    Signature(r"^system qos[ \t\r]*$", 1, "system qos stanza"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"(?:ip|ipv6|mac) access-list \S.*",
    "FILTER": r"(?:ip|ipv6|mac) access-group .*",
    "LLDP": "(?:no )?lldp enable",
    "TRUST_MAP": "dot1p-map|dscp-map",
    "CODE": "dot1p|dscp",
    "TRUST_DOT1P": r"trust-map dot1p \S+",
    "TRUST_DSCP": r"trust-map dscp \S+",
    "PAUSE": r"pause(?: .*)?",
    "OWN_ROUTES": r"(?:network|redistribute|aggregate-address) \S.*",
    "ROUTE_POLICY": r"(?:route-map|prefix-list|distribute-list) \S+ (?:in|out)",
    "ORIGINATES": r"default-originate(?: .*)?",
    "NO_PFC_MODE": r"no priority-flow-control mode(?: .*)?",
}

_OTHER = "not on the path of a class"

IGNORED = (
    Ignored(r"(?:spanning-tree|lldp|negotiation|lacp|storm-control|mac|bfd)\b", _OTHER),
    Ignored(r"vrrp-group ", "first-hop redundancy", subtree=True),
    Ignored(r"no ip address dhcp$", "no address on the port"),
    Ignored(r"ip (?!address |vrf )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(r"description ", "a text"),
    Ignored(r"(?:evi|remote-vtep|vlti-vlan|loop-prevention) ", "the overlay's peers", subtree=True),
    Ignored(
        r"(?:auto-evi|disable-rt-asn|router-mac|rd|route-target|advertise|dci|controller|rmac)\b",
        "the overlay's routes",
    ),
    Ignored(r"switchport trunk allowed vlan$", "a list without members"),
    Ignored(
        r"(?:buffer-statistics-tracking|pfc-max-buffer-size|pfc-shared-buffer-size)\b",
        "size of the shared PFC pool, whose division is unknown",
    ),
    Ignored(
        r"(?:bestpath|log-neighbor-changes|maximum-paths ibgp|distance|timers|bfd"
        r"|activate|next-hop-self|soft-reconfiguration|link-local-only-nexthop|update-source"
        r"|ebgp-multihop|advertisement-interval|fall-over|password|weight|graceful-restart)\b",
        "BGP beyond who speaks to whom",
    ),
    Ignored(
        r"(?:backup destination|peer-routing|primary-priority|vlt-mac|delay-restore|mlag)",
        "VLT beyond its peer link",
    ),
    Ignored(r"vrf ", "BGP of a VRF", subtree=True),
)

RUNNING_CONFIG = stanzas(
    "show running-configuration",
    signatures=SIGNATURES,
    sections=(
        Section(
            "device",
            r"interface breakout |hostname |dcbx enable$|no dcbx enable$|lldp enable$"
            r"|no lldp enable$|router bgp |vlt-domain \d",
        ),
        Section("access-list", r"(?:ip|ipv6|mac) access-list "),
        Section("interface", r"interface (?!management$)"),  # a line of a VRF
        Section("system-qos", r"system qos$"),
        Section(
            "qos",
            r"trust (?:dot1p|dscp)-map |qos-map traffic-class |wred "
            r"|class-map type (?:network-qos|queuing) |policy-map type (?:network-qos|queuing) ",
        ),
        Section("overlay", r"virtual-network \d|(?:nve|evpn)$"),
    ),
    ignored=IGNORED,
    comment=r"[!#]",
    childless=r"(?:(?:no )?(?:description|shutdown|switchport|mtu|speed|channel-group|flowcontrol)"
    r"|ip (?:address|vrf)|ipv6 address|spanning-tree|negotiation|priority-flow-control)\b",
    skips=(Skip(r"banner (?:motd|login) *(?P<end>\S)"),),
    outer=r"(?:router|ip vrf|(?:ip|ipv6|mac) access-list|ip (?:prefix|community)-list|line|aaa"
    r"|route-map \S+ (?:permit|deny)|username|snmp-server|ntp (?!disable)\S+|logging|clock|login"
    r"|class-map type|policy-map type|control-plane|management route|telemetry|monitor session"
    r"|tacacs-server|radius-server|uplink-state-group|userrole|crypto|end)(?: |$)",
    hostname="hostname",
)

NOS = Nos(
    name="os10",
    title="Dell SmartFabric OS10",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.os10.normalize"),
    ports=Later("roce_lint.nos.os10.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="dell_os10",
    defaults=defaults_of("os10"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(),
    typed=Typed(keys=rf"mtu|qos-group \d+ dscp [\d,-]+|random-detect color \S+|{LIST_LINES}"),
    pulled=PULL_PLAN,
)
