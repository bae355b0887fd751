"""Cisco IOS-XR on the 8000 series and NCS 5500; the facts are in docs/nos/iosxr.md."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Later, Nos, Section, Signature, Skip, Source
from roce_lint.nos.declare import ADDRESSES, Ending, hostname_pattern, print_command_pattern
from roce_lint.nos.edit import Typed
from roce_lint.nos.iosxr.bounds import LIMITS
from roce_lint.nos.iosxr.lldp import LLDP
from roce_lint.nos.iosxr.pull import PULLED
from roce_lint.nos.platforms import defaults_of

_SPEEDS = "GigabitEthernet|(?:Ten|TwentyFive|Forty|Fifty|Hundred|TwoHundred|FourHundred)GigE"

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
    "PFC_CLASS": r"(?:buffer-\S+(?: \S+)? )?traffic-class \d\b.*",
}
"""Named patterns of the templates."""

_L3 = "routing that touches neither QoS nor MTU"
_PLAIN = "no part of the way of a class"

IGNORED = (
    Ignored(r"(?:end-class-map|end-policy-map)$", "ends the map"),
    Ignored(r"description ", "a text"),
    Ignored(r"(?:commit|root|exit)$", "a command of the command line"),
    Ignored(r"(?:ipv4|ipv6) (?!address |mtu )", _L3),
    Ignored(r"ipv6 mtu ", "RoCE over IPv4 is what is judged by this number"),
    Ignored(r"(?:load-interval|cdp|lldp|carrier-delay|negotiation|dampening|logging)\b", _PLAIN),
    Ignored(r"storm-control ", "limits of broadcast, multicast and unknown unicast alone"),
    Ignored(r"(?:bundle|lacp) (?!id )", "link aggregation protocol"),
    Ignored(
        r"(?:monitor-session|l2transport|rewrite|flow|mac-address|ptp)\b", _PLAIN, subtree=True
    ),
    Ignored(r"(?:member|overlay-encapsulation|source-interface|anycast) ", "VXLAN", subtree=True),
    Ignored(r"service-policy type ", "a policy that decides no traffic class"),
    Ignored(r"(?:queue-limit|shape)\b|service-policy \S+$", "queueing that is not judged"),
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
    Ignored(r"bfd (?:mode|address-family|fast-detect|multiplier|minimum-interval) ?", _L3),
    Ignored(r"(?:timers|nsr|mvpn|ibgp|default-metric|segment-routing)\b", _L3),
)

RUNNING_CONFIG = Source(
    "running-config",
    form=Form.INDENTED,
    command=print_command_pattern("show running-config"),
    run="show running-config",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", header=r"(?:ipv4|ipv6) access-list "),
        Section("interface", header=r"interface "),
        Section("qos", header=r"class-map (?!type (?!qos ))"),
        Section("qos", header=r"policy-map (?!type (?!qos ))"),
        Section("qos", header=r"hw-module profile priority-flow-control "),
        Section("qos", header=r"priority-flow-control watchdog "),
        Section("device", header=r"hostname "),
        Section("device", header=r"router bgp "),
    ),
    ignored=IGNORED,
    comment=r"!",
    skips=(Skip(r"banner (?:motd|login|exec|incoming|prompt-timeout|slip-ppp) *(?P<end>\S)"),),
    outer=r"(?:router|vrf|class-map|policy-map|route-policy|prefix-set|community-set|as-path-set"
    r"|extcommunity-set|segment-routing|line|aaa|username|snmp-server|ntp|logging (?!events )\S+"
    r"|ssh|telnet|hw-module|control-plane|multicast-routing|monitor-session|l2vpn|telemetry|grpc"
    r"|flow (?:monitor-map|exporter-map)|(?:ipv4|ipv6) access-list|object-group|key chain|clock"
    r"|performance-measurement|end-policy|end-set|end)(?: |$)",
    base=True,
    hostname=hostname_pattern("hostname"),
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
    typed=Typed(begin=("configure",), end=("commit", "end")),
    pulled=PULLED,
)
