"""Declaration of Cisco IOS-XR (8000, NCS 5500); facts and sources are in docs/nos/iosxr.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ending, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.quantities import ETHERNET_HEADER
from roce_lint.nos.refusals import Bounds, table, words

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interfaces brief", Kind.STATE),
        Command("show interfaces", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    unknown=r"% (?:Invalid|Incomplete|Ambiguous) ",
    called=words("cisco_xr cisco_iosxr cisco-ios-xr ios-xr cisco.iosxr.iosxr cisco_xrd xrd"),
)


# LLDP outputs.
_TITLES = r"^Device ID +Local Intf +Hold-time +Capability +Port ID"
_ROW = r"[^\n]*(?:\n[^\n]*){0,2}?\n\S* +(?:Gi|Te|TF|Fo|Fi|Hu|TH|FH|EH|Mg|BE)\w*\d/\w+/\d+/\d+"

LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbors(?: \S+)? detail",
        Blocks({"local interface": "port"}, begins=r"Local Interface:"),
        Signature(r"^Local Interface: [A-Za-z]+\d+/", 10, "the local port"),
        Signature(r"^Chassis id: \S", 2, "LLDP neighbour block"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbors(?: (?!detail)\S+)?",
        Columns("Device ID=system, Local Intf=port, Port ID=port_id"),
        Signature(_TITLES, 7, "titles of the neighbours"),
        Signature(rf"{_TITLES}{_ROW}", 5, "local port by four numbers"),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/iosxr.md#what-the-device-refuses"

_STAYS = "the profile has no line for the class and does not set up its PFC"

LIMITS = table(
    Bounds("traffic-class", 0, 7, _PAGE),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("pause-threshold", 307200, 1574400, _PAGE, "bytes", instead=_STAYS),
    Bounds("headroom", 345600, 1651200, _PAGE, "bytes", instead=_STAYS),
    Bounds("ecn", 153600, 897408, _PAGE, "bytes", instead=_STAYS),
)

TYPES = {
    1.0: "GigabitEthernet",
    10.0: "TenGigE",
    25.0: "TwentyFiveGigE",
    40.0: "FortyGigE",
    50.0: "FiftyGigE",
    100.0: "HundredGigE",
    200.0: "TwoHundredGigE",
    400.0: "FourHundredGigE",
    800.0: "EightHundredGigE",
}
"""Types of ports by their speed in Gb/s."""

MTU_RANGE = 64, 65535

OFFER = Offer(
    port="{type}0/0/0/{n0}",
    split="{type}0/0/0/{n0}/{s0}",
    types=TYPES,
    loopback="Loopback0",
    share_of=ShareKind.WEIGHT,
    pmax_percent=Bounds("probability", 1, 100, _PAGE, "percent"),
    ip_mtu=Bounds(
        "mtu", MTU_RANGE[0] - ETHERNET_HEADER, MTU_RANGE[1] - ETHERNET_HEADER, _PAGE, "bytes"
    ),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/iosxr.md#what-we-do-not-read"),
    source="docs/nos/iosxr.md#names-of-ports-breakouts-and-lags",
)


_SPEEDS = "|".join(TYPES.values())


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^!RANCID-CONTENT-TYPE: cisco-xr", 10, "collector's heading"),
    Signature(r"^!! IOS XR Configuration", 10, "heading"),
    Signature(
        rf"^interface (?:preconfigure )?(?:{_SPEEDS})\d+/\w+/\d+/\d+", 6, "ports by four numbers"
    ),
    Signature(r"^interface MgmtEth\d", 8, "management port"),
    Signature(r"^interface Bundle-Ether\d", 6, "channels as Bundle-Ether"),
    Signature(r"^[ \t]+bundle id \d", 6, "member of a bundle"),
    Signature(r"^[ \t]*end-(?:class|policy)-map[ \t\r]*$", 5, "end of a map"),
    Signature(r"^end-(?:policy|set)[ \t\r]*$", 5, "end of a route policy"),
    Signature(r"^hw-module profile priority-flow-control ", 10, "PFC of a line card"),
    Signature(r"^[ \t]+set traffic-class \d", 2, "classes are traffic classes"),
    Signature(r"^[ \t]+ipv4 address \d", 3, "address by `ipv4`"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"(?:ipv4|ipv6) access-list \S.*",
    "FILTER": r"(?:ipv4|ipv6) access-group (?!common ).*",
    "NO_SHUTDOWN": r"no shut(?:down)?",
    "IP_MTU": r"ipv4 mtu \S+",
    "ENCAPSULATION": r"encapsulation dot1q \d+",
    "MATCH_DSCP": r"match dscp (?:ipv4|ipv6) \S.*",
    "PRIORITY": r"priority(?: level \d+)?",
    "EXCEEDING": r"(?:exceed|violate)-action (?!drop).*",
    "WATCHDOG": r"mode (?:on|off)|(?:interval|(?:shutdown|auto-restart)-multiplier) \d+",
    "OWN_ROUTES": r"(?:network|redistribute) \S.*",
    "UNICAST": r"ipv[46] unicast",
    "PFC_CLASS": r"(?:buffer-\S+(?: \S+)? )?traffic-class \d\b.*",
}

_L3 = "routing that touches neither QoS nor MTU"
_PLAIN = "not on the path of a class"

IGNORED = (
    Ignored(r"(?:end-class-map|end-policy-map)$", "ends the map"),
    Ignored(r"description ", "a text"),
    Ignored(r"(?:commit|root|exit)$", "a command of the command line"),
    Ignored(r"(?:ipv4|ipv6) (?!address |mtu )", _L3),
    Ignored(r"ipv6 mtu ", "RoCE over IPv4 is checked by this number"),
    Ignored(r"(?:load-interval|cdp|lldp|carrier-delay|negotiation|dampening|logging)\b", _PLAIN),
    Ignored(r"storm-control ", "limits of broadcast, multicast and unknown unicast alone"),
    Ignored(r"(?:bundle|lacp) (?!id )", "link aggregation protocol"),
    Ignored(
        r"(?:monitor-session|l2transport|rewrite|flow|mac-address|ptp)\b", _PLAIN, subtree=True
    ),
    Ignored(r"(?:member|overlay-encapsulation|source-interface|anycast) ", "VXLAN", subtree=True),
    Ignored(r"(?:timer|reinit|holdtime|tlv-select|subinterfaces)\b", _PLAIN, subtree=True),
    Ignored(r"service-policy type ", "a policy that decides no traffic class"),
    Ignored(r"(?:queue-limit|shape)\b|service-policy \S+$", "queueing that no rule checks"),
    Ignored(r"(?:conform-action|exceed-action|violate-action) (?:transmit|drop)$", "what it does"),
    Ignored(
        r"set (?:qos-group|cos|discard-class|precedence|mpls|dei|forward-class)\b",
        "marks of no traffic class",
    ),
    Ignored(
        r"(?:bgp|address-family|neighbor|neighbor-group|vrf|af-group|session-group) ",
        _L3,
        subtree=True,
    ),
    Ignored(
        r"(?:update-source|ebgp-multihop|password|keychain|next-hop-self|route-policy|capability"
        r"|send-(?:extended-)?community-ebgp|advertisement-interval|graceful-restart|label|log"
        r"|soft-reconfiguration|maximum-prefix|allowas-in|as-override|additional-paths|nexthop"
        r"|session-open-mode|ttl-security|precedence|dscp|tcp|dmz-link-bandwidth|cluster-id)\b",
        _L3,
        subtree=True,
    ),
    Ignored(r"bfd (?:mode|address-family|fast-detect|multiplier|minimum-interval) ?", _L3),
    Ignored(r"(?:timers|nsr|mvpn|ibgp|default-metric|segment-routing|rd)\b", _L3, subtree=True),
)

RUNNING_CONFIG = stanzas(
    "show running-config",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", r"(?:ipv4|ipv6) access-list "),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"class-map (?!type (?!qos ))|policy-map (?!type (?!qos ))"
            r"|hw-module profile priority-flow-control |priority-flow-control watchdog ",
        ),
        Section("device", r"hostname |lldp$|router bgp "),
    ),
    ignored=IGNORED,
    comment=r"!",
    skips=(Skip(r"banner (?:motd|login|exec|incoming|prompt-timeout|slip-ppp) *(?P<end>\S)"),),
    outer=r"(?:router|controller|vrf|class-map|policy-map|route-policy|prefix-set|community-set|as-path-set"
    r"|extcommunity-set|segment-routing|line|aaa|username|snmp-server|ntp|logging (?!events )\S+"
    r"|ssh|telnet|hw-module|control-plane|multicast-routing|monitor-session|l2vpn|telemetry|grpc"
    r"|flow (?:monitor-map|exporter-map)|(?:ipv4|ipv6) access-list|object-group|key chain|clock"
    r"|performance-measurement|end-policy|end-set|end)(?: |$)",
    hostname="hostname",
    ending=Ending(r"!! IOS XR Configuration .*", "end"),
)

NOS = Nos(
    name="iosxr",
    title="Cisco IOS-XR",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.iosxr.normalize"),
    ports=Later("roce_lint.nos.iosxr.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="cisco_xr",
    defaults=defaults_of("iosxr"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(end="end"),
    typed=Typed(begin=("configure",), end=("commit", "end")),
    pulled=PULL_PLAN,
)
