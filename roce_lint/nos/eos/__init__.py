"""Declaration of Arista EOS; facts and their sources are in docs/nos/eos.md."""

from __future__ import annotations

from roce_lint.nos.base import LIST_LINES, Later, Nos, Printing, Typed
from roce_lint.nos.declare import LISTS, ROUTES, Ending, Ignored, Section, Signature, Skip, stanzas
from roce_lint.nos.eos.defaults import DEFAULTS, LIMITS, OFFER
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors
from roce_lint.nos.pull import Command, Kind, PullPlan

# Ignored first words of interface lines, with the reason.
INTERFACE_WORDS = (
    ("logging|snmp|load-interval|comment|vmtracer|sflow|flow|flow-spec|monitor", "monitoring"),
    ("arp|mac|mac-address|dhcp|ntp|ptp|tcp|pvlan|autostate|mld|igmp|msrp|mvrp|rip", "services"),
    ("bgp|bfd|isis|mpls|ospf|ospfv3|pim", "routing"),
    ("mfib|multicast|vrrp|router|lfib|segment-routing", "routing"),
    ("spanning-tree|storm-control|mlag|lacp|port-channel|link|evpn|unidirectional", "switching"),
    ("dot1x|macsec|poe|ipsec|crypto", "access and power"),
    ("lldp|l2-protocol|link-debounce|phy|transceiver|traffic-loopback|xcvr", "physical layer"),
    ("identifier|designated-forwarder|redundancy|route-target", "EVPN multihoming"),
    ("domain-id|local-interface|peer-address|heartbeat-interval", "MLAG beyond its peer link"),
    ("reload-delay|dual-primary|primary-priority", "MLAG beyond its peer link"),
)

# Ignored lines whose first word also begins lines that matter.
L2 = "switching that touches neither QoS nor MTU"
PARTS = (
    (r"(?:ip|ipv6) (?!address [0-9A-Fa-f:.]+/|access-list )", "IP services and routing"),
    (r"switchport (?:phone|vlan|dot1q|source-interface|pvlan|port-security)\b", L2),
    (r"switchport (?:backup|backup-link|trunk group|trunk private-vlan|mac|tap|tool)\b", L2),
    (
        r"(?:switchport|channel-group|traffic) recirculation ",
        "an internal port, which forwards no packets",
    ),
    (r"l2 mru ", "received frames are limited by the sender's MTU first"),
    (r"error-correction reed-solomon bypass", "latency of FEC, not its kind"),
    (r"vlan id ", "VLAN of a pseudowire"),
    (r"service-policy type (?:pdp|pbr|copp|control-plane|tapagg) ", "no policy of the class chain"),
    (r"qos dscp ", "DSCP of packets that are not IP"),
    (r"random-detect ecn count", "counts marks without affecting ECN marking"),
    (r"name ", "name of a queue"),
    (r"vxlan (?!qos |vlan \d[\d, -]* vni |vrf \S+ vni )", "the overlay's addresses"),
)

BOTH_FORMS = ("no", "default")

BGP = "BGP without effect on the path of packets"

IGNORED: tuple[Ignored, ...] = (
    # `router bgp`.
    Ignored(r"vlan-aware-bundle ", BGP, subtree=True),
    Ignored(r"vlan [\d,-]+$", BGP, subtree=True),
    Ignored(r"(?:neighbor|redistribute|network|aggregate-address|update|timers|distance) ", BGP),
    Ignored(r"(?:rd|vrf|graceful-restart|router-id|dynamic|layer-2|ucmp) ", BGP),
    Ignored(r"(?:graceful-restart|no graceful-restart|transit|no transit)$", BGP),
    Ignored(r"no (?:neighbor|redistribute|network|aggregate-address|update|timers|distance) ", BGP),
    Ignored(r"no (?:rd|router-id|graceful-restart|maximum-paths|ucmp|address-family) ", BGP),
    *(Ignored(rf"(?:{words})\b", why) for words, why in INTERFACE_WORDS),
    *(
        Ignored(rf"{form} +(?:{words})\b", f"{why}; an explicit default")
        for form in BOTH_FORMS
        for words, why in INTERFACE_WORDS
    ),
    *(Ignored(pattern, why) for pattern, why in PARTS),
    *(Ignored(rf"{form} +{pattern}", why) for form in BOTH_FORMS for pattern, why in PARTS),
    Ignored(r"encapsulation vlan$", "flexible encapsulation of a pseudowire", subtree=True),
    Ignored(r"no encapsulation dot1q vlan", "an explicit default"),
    Ignored(r"no (?:ip|ipv6) address\b|no l2 mru\b|no vlan\b|no qos dscp\b", "an explicit default"),
    # Policies.
    Ignored(r"description ", "a text for people"),
    Ignored(r"(?:queue-monitor|no queue-monitor|default queue-monitor) length\b", "monitoring"),
    Ignored(r"set (?:cos|drop-precedence) ", "neither class nor DSCP"),
    # Device-wide.
    Ignored(
        r"qos map (?:exp|traffic-class [\d ,-]+ to (?:cos|exp|mc-tx-queue)) ",
        "MPLS, the CoS of tagged packets, multicast: RoCE is routed unicast",
    ),
    Ignored(r"qos (?:tx-queue \d+ name|rewrite cos|map drop-precedence) ?", "not DSCP"),
    Ignored(r"no qos (?:rewrite cos|tx-queue)", "not DSCP"),
)


# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interfaces status | json", Kind.STATE),
        Command("show interfaces | json", Kind.STATE),
        Command("show priority-flow-control", Kind.STATE),
        Command("show qos maps", Kind.STATE),
        Command("show dcbx", Kind.STATE),
        Command("show interfaces phy detail | json", Kind.STATE),
        Command("show priority-flow-control counters | json", Kind.COUNTERS),
        Command("show priority-flow-control counters watchdog | json", Kind.COUNTERS),
        Command("show interfaces counters queue detail", Kind.COUNTERS),
        Command("show qos interfaces ecn counters queue | json", Kind.COUNTERS),
        Command("show interfaces counters discards | json", Kind.COUNTERS),
        Command("show interfaces counters errors | json", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    enable="enable",
    unknown=r"% (?:Invalid|Incomplete|Ambiguous|Unavailable) ",
    called=("arista", "arista_eos", "arista-eos", "arista.eos.eos", "ceos", "arista_ceos", "veos"),
)


# LLDP outputs.
LLDP = (
    neighbors(
        "lldp",
        r"show lldp neighbors(?: \S+)? detail",
        Blocks(
            {"ieee802.3 maximum frame size": "max_frame"},
            above=r"Interface (?P<port>\S+) detected ",
            begins=r"Neighbor (?P<chassis>[^/\s]+)/",
            # Other values of the same names, such as the id of a channel, are bare numbers.
            value=r'"(.*)"|([0-9a-f]{4}(?:\.[0-9a-f]{4}){2})|(\d+) bytes',
        ),
        Signature(r"^Interface \S+ detected \d+ LLDP neighbors:", 10, "LLDP neighbours of a port"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbors(?: (?!detail)\S+)?",
        Columns("Port=port, Neighbor Device ID=system, Neighbor Port ID=port_id"),
    ),
    neighbors(
        "lldp-detail-json",
        r"show lldp neighbors(?: \S+)? detail *\| *json",
        Tree(
            ("lldpNeighbors", "**", "lldpNeighborInfo", "*"),
            {
                "chassisId": "chassis",
                "systemName": "system",
                "neighborInterfaceInfo/interfaceId": "port_id",
                "neighborInterfaceInfo/interfaceId_v2": "port_id",
                "neighborInterfaceInfo/interfaceDescription": "description",
                "neighborInterfaceInfo/maxFrameSize": "max_frame",
            },
        ),
        Signature(r'"lldpNeighborInfo": *\[', 14, "neighbours of a port"),
    ),
    neighbors(
        "lldp-brief-json",
        r"show lldp neighbors(?: (?!detail)[^\s|]+)? *\| *json",
        Tree(
            ("lldpNeighbors", "*"),
            {"port": "port", "neighborDevice": "system", "neighborPort": "port_id"},
        ),
        Signature(r'"lldpNeighbors": *\[', 10, "list of the neighbours"),
        Signature(r'"neighborDevice": *"', 2, "a neighbour"),
    ),
)


# Sources of the configuration.
SIGNATURES = (
    Signature(r"^!{1,2} ?RANCID-CONTENT-TYPE: arista", 10, "collector's heading"),
    Signature(r"^! device: \S+ \([^)\n]*EOS-", 10, "device heading"),
    Signature(r"^! Command: show (?:running|startup)-config", 6, "heading"),
    Signature(r"^! boot system (?:flash|file):", 5, "boot image"),
    Signature(r"^transceiver qsfp default-mode ", 6, "default mode of transceivers"),
    Signature(r"^service routing protocols model ", 6, "routing protocol model"),
    Signature(r"^(?:no )?aaa root\b", 4, "root account"),
    Signature(r"^management api (?:http-commands|gnmi|netconf|eos-sdk-rpc)", 5, "management API"),
    Signature(r"^daemon TerminAttr", 6, "streaming daemon"),
    Signature(r"^vrf instance \S", 3, "VRF by `vrf instance`"),
    Signature(r"^interface Port-Channel\d", 3, "channels as Port-Channel"),
    Signature(r"^interface Management\d", 3, "management port Management"),
    Signature(r"^interface Vxlan\d", 3, "VXLAN by Vxlan1"),
    Signature(r"^interface (?:[Ee]thernet|Et)\d+(?:-\d+)?(?:,|[ \t\r]*$)", 3, "ports by number"),
    Signature(r"^interface Ethernet ?\d+/\d+", 1, "ports by slot and number"),
    Signature(r"^interface Vlan\d", 1, "VLAN interfaces"),
    Signature(r"^interface defaults[ \t\r]*$", 5, "interface defaults"),
    Signature(r"^[ \t]+(?:ip|ipv6) address virtual ", 4, "virtual address"),
    Signature(r"^qos profile \S", 8, "QoS profile"),
    Signature(r"^[ \t]+service-profile \S", 6, "service profile on a port"),
    Signature(r"^[ \t]+(?:uc-|mc-)?tx-queue \d", 8, "transmit queue block"),
    Signature(r"^[ \t]+qos trust (?:dscp|cos)[ \t\r]*$", 3, "port trust"),
    Signature(r"^[ \t]*(?:no )?priority-flow-control(?: on)?[ \t\r]*$", 4, "PFC switch"),
    Signature(
        r"^[ \t]*(?:no )?priority-flow-control (?:priority \d (?:no-)?drop|pause watchdog|all off)",
        5,
        "PFC by priority",
    ),
    Signature(r"^qos map (?:dscp|cos|traffic-class|exp) [\d ,-]+ to \S", 6, "QoS map"),
    Signature(r"^(?:no )?qos (?:rewrite dscp|random-detect ecn )", 4, "device-wide QoS"),
    Signature(r"^policy-map type quality-of-service ", 8, "policy type"),
    Signature(r"^policy-map type (?:pdp|copp) ", 3, "policy type"),
    Signature(r"^class-map type (?:qos|pbr|copp) match-any ", 1, "class map"),
    Signature(r"^[ \t]+match (?:ip|ipv6|mac) access-group (?!name )\S", 3, "class by access group"),
    Signature(r"^platform (?:trident|sand|sfe|fap) ", 8, "platform line"),
    Signature(r"^queue-monitor (?:length|streaming)", 6, "queue monitor"),
    Signature(r"^[ \t]+speed (?:forced \d+|auto \d+|\d+g-\d)", 3, "speed"),
    Signature(r"^[ \t]+error-correction encoding ", 4, "FEC"),
    Signature(r"^[ \t]+(?:no )?vxlan qos ", 5, "VXLAN QoS"),
    Signature(r"^(?:default )?hardware (?:capacity alert|counter feature)", 3, "hardware line"),
)

PATTERNS = {
    **LISTS,
    "TRUST": r"dscp|cos",
    "TREATMENT": r"no-drop|drop",
    "RANGES_NO_DROP": r"\d+(?:[-,\s]+\d+)*(?:\s+(?:no-)?drop)?",
    "TX_QUEUE": r"(?:uc-|mc-)?tx-queue",
    "FRAME_MTU": r"l2\s+mtu\s+\d+",
    "FEC": r"reed-solomon|fire-code",
    "INT_OR_TAG": r"\d+|tag",
    "ENCAPSULATION": r"encapsulation\s+dot1q\s+vlan\s+\d+(?:\s+inner\s+\d+)?",
    "ISIS_PASSIVE": r"isis\s+passive(?:-interface)?",
    "CHANNEL": r"\d+(?:\s+mode\s+\S+)?",
    "FLOWCONTROL": r"on|off|desired",
    "IP_FAMILY": r"ip|ipv6|mac",
    "LIST_HEADER": r"(?:ip|ipv6|mac) access-list \S.*",
    "CARRIED": r"vlan\s+\d[\d,\s-]*|vrf\s+\S+",
    "ADDRESS": r"[0-9A-Fa-f:.]+(?:/\d+|\s+\d+(?:\.\d+){3})(?:\s+(?:secondary|link-local))?",
    "CODES": r"[0-9a-z]+(?:[-,\s]+[0-9a-z]+)*",
    "CLASS": r"\d+(?:\s+drop-precedence\s+\d+)?",
    "CLASSES_TO_QUEUE": r"\d+(?:[-,\s]+\d+)*\s+to\s+(?:uc-)?tx-queue(?:\s+\d+)?",
    "UNICAST_QUEUE": r"(?:uc-)?tx-queue\s+\d+",
    "BGP_NEIGHBOR": r"(?:interface\s+)?\S+\s+(?:remote-as|peer[ -]group|allowas-in|local-as"
    r"|shutdown|send-community|default-originate|remove-private-as|as-path|(?:route-map|prefix-list|rcf)\s.*\b(?:in|out)\b).*",
    "OWN_ROUTES": r"(?:network|aggregate-address|bgp\s+listen"
    r"|redistribute(?!\s+(?:connected|learned)$))\s.*",
    "ACTIVE": r"\S+\s+activate",
    "NEXT_HOP_OF_SIX": r"\S+\s+next-hop\s+address-family\s+ipv6\s+originate",
    "LLDP_RUN": r"(?:no\s+)?lldp\s+run",
    "IP_ROUTING": r"ip\s+routing(?:\s+ipv6\s+interfaces)?",
    "ALLOW_NON_ECT": r"qos\s+random-detect\s+ecn\s+allow\s+non-ect(?:\s+chip-based)?",
    "NO_ALLOW_NON_ECT": r"no\s+qos\s+random-detect\s+ecn\s+allow\s+non-ect(?:\s+chip-based)?",
    "NO_PEER_LINK": r"(?:no|default)\s+peer-link(?:\s+\S+)?",
    "DELAY": r"\d+\s+(?:nano|micro|milli)seconds",
    "WATCHDOG_TIME": r"timeout|recovery-time|polling-interval",
    "POLICY_KIND": r"quality-of-service|qos",
    "CAST": r"unicast|multicast",
    "BUFFER_UNIT": r"cells|bytes",
}
"""Named patterns of the templates."""

_HEADING = r"! (?:Command: show (?:running|startup)-config(?: all| sanitized)?|device: .*)"
"""First line of a whole configuration, which then ends with `end`."""

RUNNING_CONFIG = stanzas(
    "show running-config",
    command="show (?:running-config|startup-config)",
    hostname="hostname",
    signatures=SIGNATURES,
    sections=(
        Section("interface-defaults", r"interface defaults$"),
        Section("interface-profile", r"interface profile "),
        Section("interface", r"interface (?!disabled )"),  # a line of `mpls ldp`
        Section("qos-profile", r"qos profile "),
        Section("qos", r"qos |priority-flow-control |no qos |no priority-flow-control "),
        Section("policy", r"class-map type qos |policy-map type (?:quality-of-service|qos) "),
        Section("access-list", r"(?:ip|ipv6|mac) access-list "),
        Section("platform", r"platform trident mmu "),
        Section("bgp", r"router bgp "),
        *ROUTES,
        Section(
            "device",
            r"hostname |ip routing(?: ipv6 interfaces)?$|ipv6 unicast-routing$|lldp run$"
            r"|no lldp run$|switchport default mode |mlag configuration",
        ),
    ),
    ignored=IGNORED,
    comment=r"!",
    skips=(
        Skip(r"banner (?:login|motd|exec)\b", end=r"EOF$"),
        Skip(r"comment$", end=r"EOF$"),
        Skip(r"action bash$", end=r"EOF$"),
    ),
    outer=r"(?:router|vrf (?:instance|definition)|management (?:api|ssh|console|telnet|security)"
    r"|aaa|class-map type|policy-map type|link tracking group|queue-monitor streaming"
    r"|monitor session|daemon|event-handler|hardware|spanning-tree (?:mode|mst configuration)"
    r"|service routing|transceiver qsfp default-mode|snmp-server|ntp server|username|peer-filter"
    r"|tap aggregation|end|traffic-policies|system|control-plane|no aaa|role|clock)(?: |$)"
    r"|(?:tacacs|radius)-server |mpls ldp$",
    ending=Ending(_HEADING, "end", excerpted="! Command: show (?:running|startup)-config all"),
)

NOS = Nos(
    name="eos",
    title="Arista EOS",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.eos.normalize"),
    ports=Later("roce_lint.nos.eos", "naming"),
    printing=Printing(end="end"),
    patterns=PATTERNS,
    netmiko_type="arista_eos",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    typed=Typed(
        begin=("configure",),
        keys=r"qos (?:map (?:(?:dscp|cos) [\d ]*\d|traffic-class [\d ]*\d to [\w-]+)|trust|cos)"
        r"|random-detect (?:ecn|drop)"
        r"|(?:l2 )?mtu|speed|error-correction encoding|flowcontrol \w+|service-profile|shape rate"
        r"|bandwidth \w+|priority(?= strict)|maximum-paths|priority-flow-control(?: mode)?(?= on$)"
        r"|priority-flow-control pause watchdog (?:port )?(?:timer|action|default \S+)"
        rf"|{LIST_LINES}",
        exclusive=r"service-policy |error-correction ",
        default=r"no .+|qos trust|priority$|error-correction encoding$",
    ),
    pulled=PULL_PLAN,
)
