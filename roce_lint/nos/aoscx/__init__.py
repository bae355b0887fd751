"""Declaration of Aruba AOS-CX; facts and their sources are in docs/nos/aoscx.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import LIST_LINES, Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.refusals import Bounds, bounds_in, table, words

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbor-info detail"),
        Command("show version"),
        Command("show interface", Kind.STATE),
        Command("show interface dom detail", Kind.STATE),
        Command("show interface queues", Kind.COUNTERS),
    ),
    prepares=("no page",),
    unknown=r"(?:Invalid input|% (?:Unknown|Command incomplete))",
    called=words(
        "aruba_aoscx aruba-aos-cx aos-cx arubanetworks.aoscx.aoscx aruba_aos-cx aruba_osswitch_cx"
    ),
)


# LLDP outputs.
LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbor-info(?: detail| \d\S*)",
        Blocks(
            kinds(
                "port=port, neighbor chassis-id=chassis, neighbor chassis-name=system,"
                " neighbor system-name=system, neighbor port-id=port_id,"
                " neighbor port-desc=description, neighbor max-frame-size=max_frame"
            ),
            begins=r"Port +:",
        ),
        Signature(r"^Neighbor Chassis-ID +:", 10, "chassis of a neighbour"),
        Signature(r"^Neighbor Port-ID +:", 4, "port of a neighbour"),
        run="show lldp neighbor-info detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbor-info",
        Columns(
            "LOCAL-PORT=port, CHASSIS-ID=chassis, PORT-ID=port_id, PORT-DESC=description,"
            " SYS-NAME=system"
        ),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/aoscx.md#what-the-device-refuses"

LIMITS = table(
    Bounds("queue", 0, 7, _PAGE),
    Bounds("local-priority", 0, 7, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("CoS", 0, 7, _PAGE),
    Bounds("ip mtu", 68, 9198, _PAGE, "bytes"),
)

OFFER = Offer(
    port="1/1/{n}",
    split="1/1/{n}:{s}",
    loopback="loopback0",
    lossless=7,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("ECN threshold", 1000, 6_000_000, "docs/nos/aoscx.md#queues", "bytes"),
    pmax_percent=Bounds("marking probability", 100, 100, "docs/nos/aoscx.md#queues", "percent"),
    ip_mtu=bounds_in(LIMITS, "ip mtu"),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/aoscx.md#watchdog"),
    source="docs/nos/aoscx.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^!Version ArubaOS-CX ", 10, "release"),
    Signature(
        r"^interface \d+/\d+/\d+(?::\d)?(?:-\d+/\d+/\d+)?[ \t\r]*$", 5, "ports by number alone"
    ),
    Signature(r"^interface lag \d", 5, "channels as lag"),
    Signature(r"^qos (?:threshold|queue|schedule)-profile \S", 8, "QoS profile"),
    Signature(r"^qos (?:dscp|cos)-map \d[\d,-]* local-priority \d", 8, "map to local priorities"),
    Signature(r"^[ \t]*apply qos (?:threshold|queue|schedule)-profile \S", 8, "profile applied"),
    Signature(r"^[ \t]+flow-control priority rxtx ", 6, "PFC by priority"),
    Signature(r"^[ \t]+vlan trunk (?:native|allowed) ", 5, "VLANs of a trunk"),
    Signature(r"^[ \t]+vrf attach \S", 5, "VRF by `vrf attach`"),
    Signature(r"^qos trust (?:dscp|cos|none)[ \t\r]*$", 2, "trust of the whole switch"),
    Signature(r"^vsx[ \t\r]*$", 4, "VSX pair"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"access-list (?:ip|ipv6|mac) \S.*",
    "FILTER": r"apply access-list .*",
    "NO_PFC": r"no flow-control(?: .*)?",
    "LINK_PAUSE": r"rx|rxtx",
    "POOL_PAUSE": r"\S+ pool \d+.*",
    "DEPTH": r"\S+ [a-z]+",
    "DETAILED": r"\d+(?: .*)?",
    "AMOUNT": r"factory-default|\d+ (?:percent|kbytes)",
    "LLDP": "(?:no )?lldp",
    "UNICAST": "ipv[46] unicast",
    "NEIGHBOR": r"\S+ (?:remote-as|peer-group|local-as|shutdown)\b.*",
}

_OTHER = "not on the path of a class"

IGNORED = (
    Ignored(r"(?:lacp|lldp|spanning-tree|vsx-sync|active-gateway|loop-protect|udld)\b", _OTHER),
    Ignored(r"default-gateway ", "the route of the management port"),
    Ignored(r"ip (?!address |static |mtu )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(r"(?:vrrp|vsx|aaa|port-access|rate-limit|system|persona)\b", _OTHER, subtree=True),
    Ignored(r"(?:speed|autonegotiation|error-control)\b", "speed and FEC: form not confirmed"),
    Ignored(r"name queue ", "a name"),
    Ignored(r"routing$", "the VRF of a VNI routes"),
    Ignored(r"(?:vtep-peer|inter-vxlan-bridging-mode|vxlan-counters)\b", "the overlay's peers"),
    Ignored(
        r"(?:bgp|neighbor|address-family|exit-address-family|vrf|maximum-paths) ?",
        "routing beyond the sessions of the default VRF",
        subtree=True,
    ),
)

RUNNING_CONFIG = stanzas(
    "show running-config",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", r"access-list (?:ip|ipv6|mac) "),
        Section("interface", r"interface (?!tunnel)"),
        Section("qos", r"qos (?:trust|dscp-map|cos-map|pool|\w+-profile) |apply qos "),
        Section("device", r"hostname |lldp$|no lldp$|router bgp "),
    ),
    ignored=IGNORED,
    comment=r"!",
    skips=(Skip(r"banner (?:motd|exec) *(?P<end>\S)"),),
    outer=r"(?:vrf (?!attach )\S+|vlan \d[\d,-]*|router|class (?:ip|ipv6|mac)|policy|access-list"
    r"|user|snmp-server|ntp server|ssh server|https-server|aaa|logging|mirror session|vsx|evpn"
    r"|end)(?: |$)",
    hostname="hostname",
)

NOS = Nos(
    name="aoscx",
    title="Aruba AOS-CX",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.aoscx.normalize"),
    ports=Later("roce_lint.nos.aoscx.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="aruba_aoscx",
    defaults=defaults_of("aoscx"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(),
    typed=Typed(
        keys=r"(?:ip )?mtu|map queue \d+ local-priority \d+|(?:(?:dwrr|strict|name) )?queue \d+"
        r"|qos dscp-map [\d,-]+|qos cos-map \d+|qos trust|flow-control priority"
        rf"|apply qos (?:threshold|schedule)-profile|{LIST_LINES}"
    ),
    pulled=PULL_PLAN,
)
