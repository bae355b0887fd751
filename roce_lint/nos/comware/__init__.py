"""Declaration of H3C Comware; facts and their sources are in docs/nos/comware.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import LIST_LINES, Later, Nos, Offer, Printing, Typed, WatchdogOffer
from roce_lint.nos.declare import ADDRESSES, Ending, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import Command, Kind, PullPlan
from roce_lint.nos.refusals import Bounds, table

# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("display",),
    commands=(
        Command("display current-configuration", needed=True),
        Command("display lldp neighbor-information list"),
        Command("display version"),
        Command("display interface brief", Kind.STATE),
        Command("display priority-flow-control interface", Kind.COUNTERS),
        Command("display packet-drop interface", Kind.COUNTERS),
        Command("display qos queue-statistics interface outbound", Kind.COUNTERS),
    ),
    prepares=("screen-length disable",),
    unknown=r"(?:\s*\^|\s*% ?(?:Unrecognized|Incomplete|Ambiguous|Wrong))",
    called=("hp_comware", "h3c_comware", "h3c", "hpe-comware", "hp-comware"),
)


# LLDP outputs.
_COMMAND = r"display lldp neighbor-information(?: interface \S+(?: \d\S*)?)?"
_TITLES = "titles of the neighbours"

LLDP = (
    neighbors(
        "lldp-list",
        rf"{_COMMAND} list(?: system-name .*)?",
        Columns("System Name=system, Local Interface=port, Chassis ID=chassis, Port ID=port_id"),
        Signature(r"^System Name +Local Interface +Chassis ID +Port ID", 12, _TITLES),
        Signature(r"^Local Interface +Chassis ID +Port ID +System Name", 12, _TITLES),
        run="display lldp neighbor-information list",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND}(?: (?:agent \S+|verbose|brief))*",
        Blocks(
            {"chassisid/subtype": "chassis", "portid/subtype": "port_id"},
            above=r"LLDP neighbor-information of port \d+\[(?P<port>[^\]]+)\]",
            begins=r"LLDP neighbor index *:",
            value=r"(.*)/(?:MAC address|Interface (?:name|alias)|Locally assigned|Network address"
            r"(?:/\S+)?|Port component|Chassis component)|(.*)",
        ),
        Signature(r"^LLDP neighbor-information of port \d+\[", 12, "LLDP neighbours of a port"),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/comware.md#what-the-device-refuses"

LIMITS = table(
    Bounds("cos", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("priority", 0, 7, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("dot1p", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("lp", 0, 7, _PAGE),
    Bounds("discard-probability", 0, 100, _PAGE, "percent"),
)


# Design settings.
_DESIGN = "docs/nos/comware.md#design-settings"

SPEEDS: dict[float, str] = {
    1: "GigabitEthernet",
    10: "Ten-GigabitEthernet",
    25: "Twenty-FiveGigE",
    40: "FortyGigE",
    50: "FiftyGigE",
    100: "HundredGigE",
    200: "TwoHundredGigE",
    400: "FourHundredGigE",
    800: "EightHundredGigE",
}
"""Types of ports by speed in Gb/s."""

OFFER = Offer(
    port="{type}1/0/{n}",
    split="{type}1/0/{n}:{s}",
    types=SPEEDS,
    loopback="LoopBack0",
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.CELLS,
    pmax_percent=Bounds("discard-probability", 0, 100, _DESIGN, "percent"),
    ip_mtu=Bounds("mtu", 46, 9398, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD}), source=_DESIGN
    ),
    source="docs/nos/comware.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^ ?version \d\.\d{1,2}\.\d{2,4}, [A-Z]", 10, "release"),
    Signature(r"^ sysname \S", 5, "sysname, indented"),
    Signature(
        r"^interface (?:(?:Ten|M)-GigabitEthernet|[A-Z][A-Za-z-]{2,14}GigE)"
        r"\d+/\d+/\d+(?::\d+)?[ \t\r]*$",
        4,
        "ports by speed and three numbers",
    ),
    Signature(r"^interface (?:Bridge|Route)-Aggregation\d", 8, "channels as aggregations"),
    Signature(r"^interface Vlan-interface\d", 8, "VLAN interfaces"),
    Signature(r"^[ \t]+port link-mode (?:bridge|route)", 8, "link mode of a port"),
    Signature(r"^[ \t]+port link-aggregation group \d", 8, "member of an aggregation"),
    Signature(r"^[ \t]+port (?:access|trunk permit) vlan ", 5, "VLANs of a port"),
    Signature(
        r"^[ \t]*priority-flow-control (?:no-drop dot1p|dot1p \d|deadlock|poolid) ",
        8,
        "PFC by 802.1p priority",
    ),
    Signature(r"^[ \t]+priority-flow-control (?:enable|auto)[ \t\r]*$", 5, "PFC of a port"),
    Signature(r"^qos map-table [a-z0-9]+-[a-z0-9]+[ \t\r]*$", 8, "priority map"),
    Signature(r"^[ \t]*qos wred (?:queue \d|queue table|apply) ?", 8, "WRED of a queue"),
    Signature(r"^[ \t]+qos wfq(?: |$)", 4, "WFQ of a port"),
    Signature(r"^[ \t]+qos wrr \S+ group ", 6, "WRR of a port"),
    Signature(r"^[ \t]+qos trust (?:dscp|dot1p)", 1, "trust of a port"),
    Signature(r"^[ \t]+qos gts queue \d", 4, "shaping of a queue"),
    Signature(r"^[ \t]+ip binding vpn-instance ", 2, "VPN instance"),
    Signature(r"^ lldp global enable", 4, "LLDP of the device"),
    Signature(r"^ irf (?:mac-address|auto-update|member|domain)", 5, "IRF"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"acl (?!copy |logging |trap )\S.*",
    "FILTER": r"packet-filter .*",
    "TRUST": r"(?!tunnel)\S.*",
    "NO_DROP": r"dot1p \S.*",
    "PFC_MODE": r"enable|auto",
    "LIMITS": r"(?:drop-level \d )?low-limit .*",
    "TURN": r"group .*",
    "FAIR": r"byte-count|weight",
    "CODES": r"\d+(?:(?: to)? \d+)*",
    "LINK_PAUSE": r"flow-control(?: receive enable)?",
    "FAMILY": r"address-family ipv[46](?: unicast)?",
    "BUFFER": r"(?:egress|ingress) .*",
}

_OTHER = "not on the path of a class"
_CELLS = "sizes in cells, whose bytes differ by model"

IGNORED = (
    Ignored(r"(?:stp|lldp|dcbx|lacp|link-delay|flow-interval|combo|bandwidth)\b", _OTHER),
    Ignored(r"(?:dldp|loopback-detection)\b", _OTHER),
    Ignored(
        r"(?:arp|ospf|ospfv3|isis|bfd|vrrp|local-proxy-arp|storm-constrain|port m-lag)\b", _OTHER
    ),
    Ignored(r"(?:speed|duplex|port fec|port training|link-aggregation)\b", _OTHER),
    Ignored(r"ip (?!address |binding )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(r"port trunk permit ", "a list of VLANs"),
    Ignored(r"undo (?:port trunk permit|stp|lldp|ipv6|ip) ?", "VLANs that the port excludes"),
    Ignored(r"port hybrid ", "which VLANs are tagged is not read"),
    Ignored(r"qos (?:wrr|sp|bandwidth|lr|gts any)\b", "queueing that no rule checks"),
    Ignored(r"qos trust tunnel", "what it does to RoCE is not read"),
    Ignored(r"priority-flow-control (?:dot1p|early-warning) ", _CELLS),
    Ignored(r"priority-flow-control deadlock \S+ \S", "deadlock recovery: units are not confirmed"),
    Ignored(
        r"(?:group|timer|graceful-restart|undo|network|aggregate|preference|bestroute|balance"
        r"|default|reflector|dampening|default-route) ",
        "routing beyond the neighbours",
    ),
    Ignored(r"address-family ", "routing beyond the AS", subtree=True),
    Ignored(
        r"(?:evpn|encapsulation|tunnel|flooding|source|destination|tunnel-mode|mac-learning)\b",
        "the overlay's peers",
        subtree=True,
    ),
    Ignored(
        r"(?:distributed-gateway|mac-address|selective-flooding|restrain|vxlan|split-horizon)\b",
        "the overlay's routes",
    ),
    Ignored(r"(?:quit|return|system-view)$", "a command of the command line"),
)

RUNNING_CONFIG = stanzas(
    "display current-configuration",
    command="display (?:current|saved)-configuration",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", r"acl (?!copy |logging |trap )"),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"priority-flow-control |qos (?:map-table|wred queue table) |buffer |packet-filter "
            r"|qos (?:apply policy|vlan-policy) ",
        ),
        Section("overlay", r"vsi "),
        Section("device", r"sysname |version \d|lldp global enable|bgp \d"),
    ),
    ignored=IGNORED,
    comment=r"#|!",
    separator=r"#",
    skips=(Skip(r"header (?:shell|login|legal|motd|incoming) *(?P<end>\S)"),),
    outer=r"(?:ospf|ospfv3|isis) \d+(?: router-id .*| vpn-instance .*)?$|(?:vlan \d+|acl|local-user"
    r"|user-group|line|domain|role|snmp-agent|ntp-service|info-center|ssh|telnet|route-policy|irf|irf-port\S*"
    r"|traffic (?:classifier|behavior)|qos policy|ip vpn-instance|stp region-configuration"
    r"|return)(?: |$)",
    hostname=" ?sysname",
    ending=Ending(r"version \d.*, (?:Release|Feature|ESS) .*", "return"),
)

NOS = Nos(
    name="comware",
    title="H3C Comware",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.comware.normalize"),
    ports=Later("roce_lint.nos.comware.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="hp_comware",
    defaults=defaults_of("comware"),
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(comment="#", end="return"),
    typed=Typed(
        take="undo",
        leave="quit",
        begin=("system-view",),
        end=("return",),
        keys=r"import [\d to]*\d|queue \d+ (?:drop-level \d+|weighting-constant|ecn)|mtu"
        r"|qos wfq \S+(?: group sp)?|qos (?:wred apply|trust)|jumboframe enable"
        r"|priority-flow-control(?: no-drop dot1p| deadlock (?:auto-recover )?(?:cos \d+|\S+)|)"
        rf"|peer \S+ as-number|{LIST_LINES}",
    ),
    pulled=PULL_PLAN,
)
