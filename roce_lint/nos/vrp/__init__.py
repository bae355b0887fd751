"""Huawei CloudEngine (VRP); the facts and their sources are in docs/nos/vrp.md."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Later, Nos, Section, Signature, Skip, Source
from roce_lint.nos.declare import ADDRESSES, Ending, hostname_pattern, print_command_pattern
from roce_lint.nos.edit import Typed
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.vrp.bounds import LIMITS
from roce_lint.nos.vrp.lldp import LLDP
from roce_lint.nos.vrp.pull import PULLED

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
    "PCP_INBOUND": r"8021p-inbound \d phb \S+.*",
}
"""Named patterns of the templates."""

_OTHER = "no part of the way of a class"

IGNORED = (
    Ignored(r"(?:stp|lldp|lacp|mode|storm|device|negotiation|dfs-group|peer-link|m-lag)\b", _OTHER),
    Ignored(
        r"(?:arp|ospf|isis|bfd|undo lldp|set|carrier|port mode|port group|loopback-detect)\b",
        _OTHER,
    ),
    Ignored(r"ip (?!address |binding )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(
        r"qos (?:pq|wrr|drr|wfq|wdrr|queue \S+ (?:shaping|length|statistics|buffer))\b",
        "queueing that is not judged",
    ),
    Ignored(r"(?:ip-dscp-outbound|8021p-outbound|ip-dscp-inbound|mpls-exp-)", "no class is read"),
    Ignored(r"description ", "a text"),
    Ignored(r"(?:router-id|peer|group|timer|graceful-restart|undo) ", "routing beyond the AS"),
    Ignored(r"(?:ipv4-family|ipv6-family|l2vpn-family) ", "routing beyond the AS", subtree=True),
    Ignored(r"(?:quit|commit|return|system-view)$", "a command of the command line"),
    Ignored(r"dcb pfc (?:dscp-mapping|buffer)\b", "what it is by default differs by model"),
    Ignored(
        r"qos (?:ecn enable|buffer headroom-pool)\b", "which models need it is not in the file"
    ),
    Ignored(r"priority \d+ (?:turn-off|error-down) ", "what follows many deadlocks"),
    Ignored(r"port pfc-deadlock trigger ", "what follows many deadlocks"),
    Ignored(r"(?:ipv4-family|ipv6-family|evpn)$", "routing beyond the AS", subtree=True),
    Ignored(
        r"(?:encapsulation|rewrite|route-distinguisher|vpn-target|statistics|broadcast|mac-address"
        r"|igmp|bypass|pip-source|vxlan anycast-gateway|split-group|mac)\b",
        _OTHER,
    ),
    Ignored(r"npcc\b", "it acts on packets of congestion control alone", subtree=True),
    Ignored(r"iqcn\b", "CNPs that the switch itself sends; it marks and pauses no less"),
    Ignored(r"(?:assign queue|rpg-time-reset) \d", "how the switch sends CNPs itself"),
)

RUNNING_CONFIG = Source(
    "running-config",
    form=Form.INDENTED,
    command=print_command_pattern("display (?:current|saved)-configuration"),
    run="display current-configuration",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", header=r"acl (?:ipv6 )?(?:number|name) "),
        Section("interface", header=r"interface "),
        Section("qos", header=r"dcb pfc\b(?! uplink)"),
        Section("qos", header=r"diffserv domain "),
        Section("qos", header=r"drop-profile "),
        Section("qos", header=r"traffic-(?:filter|policy) "),
        Section("qos", header=r"qos (?:ecn enable|buffer headroom-pool)"),
        Section("qos", header=r"ai-service$"),
        Section("qos", header=r"iqcn(?: |$)"),
        Section("overlay", header=r"bridge-domain \d"),
        Section("overlay", header=r"ip vpn-instance "),
        Section("device", header=r"sysname "),
        Section("device", header=r"bgp \d"),
    ),
    ignored=IGNORED,
    comment=r"#|!|//",
    separator=r"#",
    skips=(Skip(r"header (?:shell|login)(?: information)? *(?P<end>[\"%@])"),),
    outer=r"(?:ospf|ospfv3|isis|vlan|vlan batch) \d|dfs-group \d+$|(?:acl|aaa|user-interface"
    r"|ntp-service|ntp unicast-server|snmp-agent|info-center|ssh|stelnet|telnet|route-policy"
    r"|stp region-configuration|traffic (?:classifier|behavior|policy)|local-user|evpn-overlay"
    r"|return)(?: |$)",
    base=True,
    hostname=hostname_pattern("sysname"),
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
    typed=Typed(take="undo", leave="quit", begin=("system-view",), end=("commit", "return")),
    pulled=PULLED,
)
