"""Declaration of Enterprise SONiC (command line); facts and sources are in docs/nos/esonic.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ignored, Section, Signature, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.refusals import Bounds, Words, bounds_in, table, words

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-configuration", needed=True),
        Command("show lldp table"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show interface fec status", Kind.STATE),
        Command("show buffer pool", Kind.STATE),
        Command("show buffer profile", Kind.STATE),
        Command("show queue counters", Kind.COUNTERS),
        Command("show interface counters", Kind.COUNTERS),
    ),
    prepares=("sonic-cli", "terminal length 0"),
    unknown=r"(?:% ?Error|Syntax error|%Error|.*Invalid input)",
    called=words(
        "dell_sonic dell_sonic_ssh dellemc.enterprise_sonic.sonic enterprise-sonic dell_sonic-vm"
    ),
)


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

LIMITS = table(
    Bounds(
        "detect-time", 100, 5000, _PAGE, "ms", instead="the port is watched with the default time"
    ),
    Bounds("restore-time", 100, 60000, _PAGE, "ms"),
    Bounds("polling-interval", 100, 3000, _PAGE, "ms"),
    Bounds("weight", 1, 100, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("pfc-priority", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    Words("watchdog action", ("drop", "forward", "alert"), _PAGE),
    Words(
        "cable-length",
        ("5m", "40m", "300m"),
        _PAGE,
        instead="the length is unchanged, 40 m by default",
    ),
)

OFFER = Offer(
    port="Eth1/{n}",
    split="Eth1/{n}/{s}",
    loopback="Loopback0",
    lossless=2,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("threshold", 1000, 12480000, _PAGE, "bytes"),
    pmax_percent=bounds_in(LIMITS, "drop-probability"),
    ip_mtu=Bounds("mtu", 68, 9216, _PAGE, "bytes"),
    watchdog=WatchdogOffer(
        polling_ms=bounds_in(LIMITS, "polling-interval"),
        detection_ms=bounds_in(LIMITS, "detect-time"),
        restoration_ms=bounds_in(LIMITS, "restore-time"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT}),
        source=_PAGE,
    ),
    lossy_group=7,
    source="docs/nos/esonic.md#names-of-ports-breakouts-and-lags",
)


MAPS = "dscp-tc|dot1p-tc|tc-queue|tc-pg|tc-dscp|tc-dot1p|pfc-priority-queue|pfc-priority-pg"


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^sonic-cli[ \t\r]*$", 8, "the shell's own command"),
    Signature(r"^interface-naming standard", 8, "interface naming"),
    Signature(r"^interface Eth ?\d+/\d+", 5, "ports as Eth"),
    Signature(r"^interface PortChannel ?\d", 4, "channels as PortChannel"),
    Signature(r"^interface Ethernet\d+[ \t]*\r?\n (?![ \t])", 1, "ports by one number"),
    Signature(r"^interface Management ?0[ \t\r]*$", 4, "management port"),
    Signature(r"^mclag domain \d", 6, "MCLAG domain"),
    Signature(rf"^qos map (?:{MAPS}) \S", 8, "QoS map"),
    Signature(rf"^[ \t]+qos-map (?:{MAPS}) \S", 8, "QoS map on a port"),
    Signature(r"^qos (?:wred|scheduler)-policy \S", 8, "QoS policy"),
    Signature(r"^[ \t]+queue \d wred-policy \S", 8, "WRED on a queue"),
    Signature(r"^[ \t]+priority-flow-control watchdog (?:on|action|restore)", 6, "PFC watchdog"),
    Signature(r"^roce enable", 8, "RoCE by one command"),
    Signature(r"^interface vxlan [A-Za-z]", 4, "VXLAN by a named interface"),
    Signature(r"^[ \t]+map vni \d+ (?:vlan|vrf) ", 6, "segments of VLANs"),
    Signature(r"^buffer (?:init lossless|pool (?:in|e)gress_|profile )", 8, "buffers"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"(?:ip|ipv6|mac) access-list \S.*",
    "FILTER": r"(?:ip|ipv6|mac) access-group .*",
    "VLANS": r"[Vv]lan .*\S",
    "DOT_TC": r"qos-map dot1p-tc \S+",
    "QUEUE_WRED": r"queue \S+ wred-policy \S+",
    "MAP": MAPS,
    "FROM": "dscp|dot1p|traffic-class|pfc-priority",
    "PEER": r"interface \S+(?: \d\S*)?|\S+",
    "LLDP": "(?:no )?lldp enable",
    "OWN_ROUTES": r"(?:network|redistribute) \S.*",
    "UNICAST": r"ipv[46] unicast",
    "INTO": "traffic-class|queue|priority-group|pg|dscp|dot1p",
}

_OTHER = "not on the path of a class"
_BGP = "routing beyond sessions and paths"

IGNORED = (
    Ignored(
        r"(?:mclag|spanning-tree|lldp|storm-control|autoneg|unreliable-los|gratuitous)\b", _OTHER
    ),
    Ignored(r"exit$", "leaves the stanza"),
    Ignored(r"(?:primary-ip|external-ip|vni-downstream)\b", "the tunnel's addresses"),
    Ignored(r"(?:no )?(?:lacp|fallback|min-links|graceful-shutdown)\b", _OTHER),
    Ignored(r"ip (?!address |vrf )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(r"(?:bestpath|log-neighbor-changes|maximum-paths|timers)\b", _BGP),
    Ignored(r"(?:network|redistribute|dampening|import|aggregate-address|distance)\b", _BGP),
    Ignored(
        r"(?:activate|advertisement-interval|allowas-in|bfd|capability|disable-connected-check|dont-negotiate-capability"
        r"|ebgp-multihop|enforce-\S+|override-capability|passive|password|port|solo"
        r"|strict-capability-match|ttl-security|update-source|v6only)\b",
        _BGP,
    ),
    Ignored(r"(?:address-family|neighbor) ", _BGP, subtree=True),
    Ignored(r"(?:yellow|red) ", "RoCE packets are green"),
    Ignored(r"(?:meter-type|cir|pir|cbs|pbs|be)\b", "rates: how they are counted is not confirmed"),
    Ignored(r"description ", "a text"),
)

RUNNING_CONFIG = stanzas(
    "show running-configuration",
    signatures=SIGNATURES,
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
    ignored=IGNORED,
    comment=r"[!#]",
    outer=r"(?:router|ip (?:vrf|prefix-list|access-list)|mclag domain|vlan \d+|username|snmp-server"
    r"|route-map \S+ (?:permit|deny)|ntp|logging|aaa|tacacs-server|radius-server|class-map"
    r"|policy-map|line|mirror-session|telemetry|end)(?: |$)",
    hostname="hostname",
)

NOS = Nos(
    name="esonic",
    title="Enterprise SONiC (command line)",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.esonic.normalize"),
    ports=Later("roce_lint.nos.esonic.normalize", "NAMES"),
    patterns=PATTERNS,
    defaults=defaults_of("esonic"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(),
    typed=Typed(
        keys=r"mtu|speed|fec|(?:dscp|dot1p|traffic-class) [\d,-]+|pfc-priority \d+|green|ecn"
        r"|weight|queue \d+(?: wred-policy)?|scheduler-policy|cable-length|qos-map \S+"
        r"|priority-flow-control (?:priority \d+|watchdog \S+)"
        rf"|{LIST_LINES}"
    ),
    pulled=PULL_PLAN,
    netmiko_type="dell_sonic",
)
