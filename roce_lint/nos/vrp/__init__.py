"""Declaration of Huawei CloudEngine (VRP); facts and their sources are in docs/nos/vrp.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ending, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.refusals import Bounds, table, words
from roce_lint.text.source import Confidence

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("display",),
    commands=(
        Command("display current-configuration", needed=True),
        Command("display lldp neighbor"),
        Command("display version"),
        Command("display interface brief", Kind.STATE),
        Command("display dcb pfc", Kind.COUNTERS),
        Command("display qos queue statistics", Kind.COUNTERS),
    ),
    prepares=("screen-length 0 temporary",),
    asks=r"(?i:change now|please choose|security\s+risks|\[y/n\])",
    unknown=r"(?:\s*\^|Error: ?(?:Unrecognized|Incomplete|Ambiguous|Wrong|Too many))",
    called=words(
        "huawei huawei_vrp huawei_vrpv8 huawei-vrp huawei-ce cloudengine community.network.ce ce"
    ),
)


# LLDP outputs.
_COMMAND = r"display lldp neighbor(?: interface \S+(?: \d\S*)?)?"
_TITLES = r"^Local Interface +Exptime ?\(s\) +Neighbor Interface +Neighbor Device"

LLDP = (
    neighbors(
        "lldp-detail",
        _COMMAND,
        Blocks(above=r"(?P<port>\S+) has \d+ neighbor", begins=r"Neighbor index *:"),
        Signature(r"^\S+ has \d+ neighbor(?:s|\(s\))?:?", 10, "neighbours of a port"),
        Signature(r"^Neighbor index +:", 4, "number of a neighbour"),
        run="display lldp neighbor",
    ),
    neighbors(
        "lldp-brief",
        rf"{_COMMAND} brief",
        Columns(
            "Local Interface=port, Local Intf=port, Neighbor Interface=port_id,"
            " Neighbor Intf=port_id, Neighbor Device=system, Neighbor Dev=system"
        ),
        Signature(_TITLES, 12, "titles of the neighbours"),
        Signature(r"^Local Intf +Neighbor Dev +Neighbor Intf", 12, "titles of the neighbours"),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/vrp.md#what-the-device-refuses"

LIMITS = table(
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("discard-percentage", 0, 100, _PAGE, "percent"),
    Bounds("interval", 10, 1000, _PAGE, "ms", confidence=Confidence.UNCONFIRMED),
)


# Design settings: what all models take.
_DESIGN = "docs/nos/vrp.md#design-settings"

OFFER = Offer(
    port="{type}1/0/{n}",
    split="{type}1/0/{n}:{s}",
    types={speed: f"{speed}GE" for speed in (10, 25, 40, 50, 100, 200, 400, 800)},
    loopback="LoopBack0",
    lossless=3,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("ECN threshold", 320, 10223616, _DESIGN),
    pmax_percent=Bounds("discard-percentage", 1, 100, _DESIGN, "percent"),
    ip_mtu=Bounds("mtu", 46, 9482, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        detection_ms=Bounds("deadlock-detect timer", 10, 1500, _DESIGN, "ms"),
        restoration_ms=Bounds("deadlock-recovery timer", 10, 1500, _DESIGN, "ms"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD}),
        source=_DESIGN,
    ),
    caps_in_percent=True,
    source="docs/nos/vrp.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^!Software Version V\d", 10, "release"),
    Signature(r"^sysname \S", 3, "sysname"),
    Signature(r"^interface (?:10|25|40|50|100|200|400|800)GE\d", 8, "ports by speed"),
    Signature(r"^interface Eth-Trunk\d", 8, "channels as Eth-Trunk"),
    Signature(r"^interface Vlanif\d", 6, "VLAN interfaces"),
    Signature(r"^interface MEth\d", 6, "management port"),
    Signature(r"^dcb pfc\b", 8, "PFC profile"),
    Signature(r"^[ \t]+dcb pfc (?:enable|buffer)\b", 8, "PFC on a port"),
    Signature(r"^diffserv domain \S", 8, "DiffServ domain"),
    Signature(r"^[ \t]+trust upstream \S", 8, "domain on a port"),
    Signature(r"^drop-profile \S", 6, "drop profile"),
    Signature(r"^[ \t]+qos queue \d (?:wred \S|ecn)", 6, "queue of a port"),
    Signature(r"^[ \t]+undo portswitch", 5, "routed port"),
    Signature(r"^[ \t]+ip binding vpn-instance ", 2, "VPN instance"),
    Signature(r"^ai-service[ \t\r]*$", 5, "AI service"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"acl (?:ipv6 )?(?:number|name) \S.*",
    "FILTER": r"traffic-filter .*",
    "TRUST": r"trust \S.*",
    "NO_PFC": r"undo dcb pfc enable(?: .*)?",
    "PFC_PROFILE": r"dcb pfc(?: (?!global|dscp-mapping|deadlock|uplink)\S+)?",
    "PRIORITIES": r"\d+(?:(?: to)? \d+)*",
    "DETECT": r"deadlock-detect .*",
    "RECOVER": r"deadlock-recovery .*",
    "FAMILY": r"ipv[46]-family unicast",
    "PCP_INBOUND": r"8021p-inbound \d phb \S+.*",
}

_OTHER = "not on the path of a class"

IGNORED = (
    Ignored(r"(?:stp|lldp|lacp|mode|storm|device|negotiation|dfs-group|peer-link|m-lag)\b", _OTHER),
    Ignored(
        r"(?:arp|ospf|isis|bfd|undo lldp|set|carrier|port mode|port group|loopback-detect)\b",
        _OTHER,
    ),
    Ignored(r"ip (?!address |binding )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(
        r"qos (?:pq|wrr|wfq|wdrr|queue \S+ (?:shaping|length|statistics|buffer))\b",
        "queueing that no rule checks",
    ),
    Ignored(r"(?:ip-dscp-outbound|8021p-outbound|ip-dscp-inbound|mpls-exp-)", "no class is read"),
    Ignored(r"description ", "a text"),
    Ignored(
        r"(?:group|timer|graceful-restart|undo|network|aggregate|preference|bestroute|load-balancing"
        r"|default|reflector|dampening|maximum) ",
        "routing beyond the neighbours",
    ),
    Ignored(r"(?:ipv4-family|ipv6-family|l2vpn-family) ", "routing beyond the AS", subtree=True),
    Ignored(r"(?:quit|commit|return|system-view)$", "a command of the command line"),
    Ignored(r"dcb pfc (?:dscp-mapping|buffer)\b", "its default differs by model"),
    Ignored(r"qos (?:ecn enable|buffer headroom-pool)\b", "required by some models only"),
    Ignored(r"priority \d+ (?:turn-off|error-down) ", "action after many deadlocks"),
    Ignored(r"port pfc-deadlock trigger ", "action after many deadlocks"),
    Ignored(r"(?:ipv4-family|ipv6-family|evpn)$", "routing beyond the AS", subtree=True),
    Ignored(
        r"(?:encapsulation|rewrite|route-distinguisher|vpn-target|statistics|broadcast|mac-address"
        r"|igmp|bypass|pip-source|vxlan anycast-gateway|split-group|mac)\b",
        _OTHER,
    ),
    Ignored(r"npcc\b", "it acts on congestion control packets only", subtree=True),
    Ignored(r"iqcn\b", "CNPs that the switch itself sends; ECN marking and PFC are unaffected"),
    Ignored(r"(?:assign queue|rpg-time-reset) \d", "CNPs that the switch itself sends"),
)

RUNNING_CONFIG = stanzas(
    "display current-configuration",
    command="display (?:current|saved)-configuration",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", r"acl (?:ipv6 )?(?:number|name) "),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"dcb pfc\b(?! uplink)|diffserv domain |drop-profile |traffic-(?:filter|policy) "
            r"|qos (?:ecn enable|buffer headroom-pool)|ai-service$|iqcn(?: |$)",
        ),
        Section("overlay", r"bridge-domain \d|ip vpn-instance "),
        Section("device", r"sysname |lldp enable|bgp \d"),
    ),
    ignored=IGNORED,
    comment=r"#|!|//",
    separator=r"#",
    skips=(Skip(r"header (?:shell|login)(?: information)? *(?P<end>[\"%@])"),),
    outer=r"(?:ospf|ospfv3|isis|vlan|vlan batch) \d|dfs-group \d+$|(?:acl|aaa|user-interface"
    r"|ntp-service|ntp unicast-server|snmp-agent|info-center|ssh|stelnet|telnet|route-policy"
    r"|stp region-configuration|traffic (?:classifier|behavior|policy)|local-user|evpn-overlay"
    r"|return)(?: |$)",
    hostname="sysname",
    ending=Ending(r"!Software Version .*", "return"),
)

NOS = Nos(
    name="vrp",
    title="Huawei CloudEngine",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.vrp.normalize"),
    ports=Later("roce_lint.nos.vrp.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="huawei_vrpv8",
    defaults=defaults_of("vrp"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(comment="#", end="return"),
    typed=Typed(
        take="undo",
        leave="quit",
        begin=("system-view",),
        end=("commit", "return"),
        keys=r"ip-dscp-inbound \d+|qos queue \d+ (?:wred|ecn|drr)|mtu|trust upstream|fec mode"
        r"|(?:dcb pfc|jumboframe) enable|ecn|dcb pfc deadlock-\w+ timer|priority \d+$"
        rf"|priority \d+ deadlock-\w+ time|peer \S+ as-number|{LIST_LINES}",
    ),
    pulled=PULL_PLAN,
)
