"""Declaration of Cisco NX-OS on Nexus switches; facts and their sources are in docs/nos/nxos.md."""

from __future__ import annotations

from roce_lint.nos.base import LIST_LINES, Later, Nos, Printing, Typed
from roce_lint.nos.declare import LISTS, ROUTES, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors
from roce_lint.nos.nxos.defaults import DEFAULTS, LIMITS, OFFER
from roce_lint.nos.pull import Command, Kind, PullPlan

# Ignored lines: known, in claimed stanzas, and without effect on RoCE.

L2 = "switching that touches neither QoS nor MTU"
L3 = "routing that touches neither QoS nor MTU"
HSRP = "first-hop redundancy: no part of the class chain"
ADMIN = "administration"
PHYSICAL = "physical layer beyond speed and FEC"
TUNNEL = "VXLAN tunnel endpoint"
SHOWN = "a default that `show running-config all` spells out"
QOS = "queueing that no rule checks"

BGP = "BGP without effect on the path of packets"

IGNORED = (
    # router bgp
    Ignored(r"(?:address-family|template|neighbor) ", BGP),
    Ignored(r"(?:network|router-id|redistribute|remote-as|route-map|capability|low-memory)\b", BGP),
    Ignored(r"(?:bestpath|timers|password|nexthop|weight|distance|inherit|retain)\b", BGP),
    Ignored(r"(?:log-neighbor-changes|bfd|route-reflector-client|advertisement-interval)\b", BGP),
    Ignored(r"(?:maximum-paths|maximum-prefix|send-community|graceful-restart|filter-list)\b", BGP),
    Ignored(r"(?:update-source|ebgp-multihop|next-hop-self|advertise-map|rd|event-history)\b", BGP),
    Ignored(r"(?:soft-reconfiguration|reconnect-interval|prefix-list|next-hop-third-party)\b", BGP),
    Ignored(r"(?:dynamic-capability|suppress-inactive|aggregate-address|default-originate)\b", BGP),
    Ignored(r"no (?:neighbor|network|redistribute|address-family) ", BGP),
    # interfaces
    Ignored(r"(?:hsrp|vrrp|vrrpv3)\b", HSRP, subtree=True),
    Ignored(r"vpc ", "multi-chassis link aggregation: no part of the class chain"),
    Ignored(r"(?:cdp|lldp) ", "discovery beyond the DCBX of the port"),
    Ignored(r"(?:spanning-tree|storm-control|vtp|udld|fex|private-vlan)\b", L2),
    Ignored(r"switchport (?:monitor|block|trunk pruning|trunk allow-multi|vlan mapping)", L2),
    Ignored(r"switchport (?:autostate|isolated|host|voice|private-vlan|port-security)", L2),
    Ignored(r"switchport (?:mode \S+ \S|dot1q|priority|mac-learn)", L2),
    Ignored(r"lacp ", "link aggregation protocol"),
    Ignored(r"autostate$", "start of a VLAN interface"),
    Ignored(r"(?:ip|ipv6) (?!address )", L3),
    Ignored(r"(?:bfd|mpls|isis|medium|fabric|nv|delay|evpn|dot1x)\b", L3),
    Ignored(r"(?:eigrp|ospf|ospfv3|pim|bandwidth)\b", L3),
    Ignored(r"(?:source-interface|host-reachability|advertise|global|multisite) ", TUNNEL),
    Ignored(r"(?:mcast-group|ingress-replication|suppress-arp|peer-ip|vxlan)\b", TUNNEL),
    # VLANs and VRFs
    Ignored(r"(?:name|state|mode|rd|route-target|import|export|remote-vlan) ", L2),
    Ignored(r"(?:logging|snmp|history|mac|macsec|inherit|ttag|telemetry|service|packet)\b", ADMIN),
    Ignored(r"(?:load-interval|management|mac-address|carrier-delay|hardware|rate-limit)\b", ADMIN),
    Ignored(r"(?:cts|vrf)\b", ADMIN),
    Ignored(r"(?:duplex|beacon|dfe-tuning-delay|transceiver|optics|layer2|port-type)\b", PHYSICAL),
    Ignored(r"(?:link|mdix|layer3)\b", PHYSICAL),
    Ignored(r"no (?:description|shutdown lan|spanning-tree|storm-control|load-interval)\b", SHOWN),
    Ignored(r"no (?:autostate|management|switchport|logging|bandwidth|hardware|carrier)\b", SHOWN),
    Ignored(r"no (?:vtp|cdp|bfd|link|isis|mac|dfe|port|mdix|vrf|hsrp|vpc|ttag|cts)\b", SHOWN),
    Ignored(r"no (?:lldp|lacp|udld|snmp|ip|ipv6|beacon|macsec|medium|delay|dot1x|duplex)\b", SHOWN),
    # policies
    Ignored(r"description ", ADMIN),
    Ignored(r"(?:queue-limit|multicast-optimize|bandwidth-buffer)\b", QOS),
    Ignored(r"(?:fex|no) (?:fex )?(?:queue-limit|multicast-optimize)", QOS),
    Ignored(r"set (?:cos|precedence|ip precedence|discard-class|dlb|erspan|mpls)", QOS),
    Ignored(
        r"service-policy (?:type control-plane|type pbr) ",
        "policies of the control plane and of routing: no part of the class chain",
    ),
    # global
    Ignored(
        r"priority-flow-control (?:fixed-restore|recover|override-interface)",
        "restoring of stopped queues beyond the auto-restore multiplier",
    ),
    Ignored(r"boot ", ADMIN),
)


# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show interface fec", Kind.STATE),
        Command("show interface priority-flow-control", Kind.STATE),
        Command("show queuing summary", Kind.STATE),
        Command("show queuing interface | json", Kind.COUNTERS),
        Command("show queuing pfc-queue detail | json", Kind.COUNTERS),
        Command("show interface counters errors", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    unknown=r"% (?:Invalid|Incomplete|Ambiguous) |Syntax error while parsing",
    called=(
        "cisco_nxos",
        "cisco-nx-os",
        "cisco-nxos",
        "nx-os",
        "cisco.nxos.nxos",
        "cisco_n9kv",
        "n9kv",
        "nxos_ssh",
    ),
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
FEATURES = (
    "bash-shell|bfd|bgp|dhcp|eigrp|evmed|fex|grpc|hmm|hsrp|interface-vlan|isis|lacp|lldp|mpls|msdp"
    "|netconf|ngoam|nv overlay|nxapi|ospf|ospfv3|pbr|pim|privilege|ptp|restconf|scp-server"
    "|sflow|sftp-server|tacacs\\+|telemetry|telnet|tunnel|udld|vn-segment|vpc|vrrp|vtp"
)
"""Features of data-centre switches in `feature` lines; no other NOS has the command."""

FREE_TEXT = "description|name|banner|remark|username|snmp-server|cli alias|.*\\bdescription"
"""Beginnings of lines in which a `!` may be part of a text."""

SIGNATURES = (
    Signature(r"^!RANCID-CONTENT-TYPE: cisco-nx", 10, "collector's heading"),
    Signature(r"^!Command: (?:show running-config|Checkpoint cmd vdc)", 8, "heading"),
    Signature(r"^version \d+\.\d+\(\d++\w*\)", 8, "release with parentheses"),
    Signature(r"^boot (?:nxos|kickstart|system) (?:bootflash|volatile):", 8, "boot image"),
    Signature(rf"^(?:no )?feature (?:{FEATURES})", 8, "feature command"),
    Signature(r"^switchname \S", 6, "switchname"),
    Signature(r"^vdc \S+ id \d+", 8, "virtual device context"),
    Signature(r"^vrf context \S", 4, "VRF by `vrf context`"),
    Signature(r"^interface breakout module \d", 8, "breakout by module"),
    Signature(r"^interface mgmt0[ \t\r]*$", 3, "management port mgmt0"),
    Signature(r"^interface (?:port-channel|loopback) ?\d", 2, "lower-case interface names"),
    Signature(r"^interface nve\d", 2, "VXLAN by nve"),
    Signature(r"^system qos[ \t\r]*$", 3, "system qos stanza"),
    Signature(
        r"\bc-nq(?:\d|-default)|\bc-8q-nq(?:\d|-default)|\bc-out-(?:8q-)?q(?:\d|-default)"
        r"|\bc-in-(?:8q-)?q(?:\d|-default)",
        8,
        "system-defined class",
    ),
    Signature(r"^[ \t]*class type (?:network-qos|queuing) \S", 5, "typed class in a policy"),
    Signature(r"^policy-map type (?:network-qos|queuing) \S", 3, "policy type"),
    Signature(r"^[ \t]*pause (?:pfc-cos|no-drop)\b", 4, "pause of a class"),
    Signature(r"^[ \t]*set qos-group \d", 2, "classes are qos-groups"),
    Signature(r"^[ \t]*priority-flow-control mode \w+ send-tlv", 5, "PFC with send-tlv"),
    Signature(r"^[ \t]*priority-flow-control watch-dog", 6, "PFC watchdog"),
    Signature(r"^[ \t]+channel-group \d+ force\b", 2, "channel-group force"),
    Signature(r"^[ \t]+vrf member \S", 3, "VRF by `vrf member`"),
    Signature(r"^lldp tlv-select dcbxp", 5, "DCBX TLV selection"),
    Signature(r"^interface Ethernet ?\d+/\d+", 1, "ports by slot and number"),
    Signature(r"^interface Vlan\d", 1, "VLAN interfaces"),
    Signature(
        r"^(?:trust dot1p-map |qos-map traffic-class |dcbx enable|interface breakout \d+/\d+/\d+ "
        r"|interface (?:ethernet|mgmt)\d+/\d+/\d+)",
        -20,
        "another system with a similar CLI: Dell OS10",
    ),
)

UNDONE = (
    "priority|bandwidth|shape|afd|random-detect|pause|congestion-control random-detect|"
    "set qos-group|mtu|speed|fec|channel-group|switchport access vlan|"
    "switchport trunk native vlan|switchport trunk allowed vlan|"
    "priority-flow-control mode|switchport mode|flowcontrol receive|flowcontrol send|"
    "ip dscp-lop|priority-flow-control watch-dog-interval|service-policy type network-qos|"
    "service-policy type queuing output|service-policy type queuing input"
)
"""Beginnings of lines that `no` undoes, with or without their values."""

PATTERNS = {
    **LISTS,
    **{
        f"NO_{words.replace('-', ' ').replace(' ', '_').upper()}": rf"no {words}(?: .*)?"
        for words in UNDONE.split("|")
    },
    "CLASS": r"(?:type \S+ )?\S+",
    "POLICY": r"\S+(?: no-stats)?",
    "PRIORITY": r"priority(?: level \d+)?",
    "RANDOM_DETECT": r"random-detect(?: .*)?",
    "NO_NEGOTIATE": r"no negotiate auto(?: \d+)?",
    "NO_QOS_INPUT": r"no service-policy (?:type qos )?input(?: .*)?",
    "NO_QOS_OUTPUT": r"no service-policy (?:type qos )?output(?: .*)?",
    "IPV6_ADDRESS": r"ipv6 address \S.*",
    "ENCAPSULATION": r"encapsulation dot1q \d+",
    "LIST_HEADER": r"(?:ip|ipv6) access-list \S+",
    "FILTER": r"\S+\s+(?:in|out)",
    "OWN_ROUTES": r"(?:network|aggregate-address|redistribute(?! direct route-map \S+$)"
    r"|default-information)\s.*",
    "OWN_SESSION": r"(?:shutdown|remove-private-as|as-override|default-originate)\b.*",
    "COMMUNITIES": r"send-community(?:\s+\S+)?",
    "FEATURE": r"bgp|lldp",
    "TAG_NATIVE": r"vlan dot1q tag native(?: .*)?",
}
"""Named patterns of the templates."""

RUNNING_CONFIG = stanzas(
    "show running-config",
    hostname="(?:hostname|switchname)",
    signatures=SIGNATURES,
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
    ignored=IGNORED,
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

NOS = Nos(
    name="nxos",
    title="Cisco NX-OS",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.nxos.normalize"),
    ports=Later("roce_lint.nos.nxos", "naming"),
    printing=Printing(functions=Later("roce_lint.nos.nxos.printing", "functions")),
    patterns=PATTERNS,
    netmiko_type="cisco_nxos",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    typed=Typed(keys=rf"pause buffer-size|random-detect minimum-threshold|{LIST_LINES}"),
    pulled=PULL_PLAN,
)
