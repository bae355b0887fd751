"""Lines in claimed stanzas that are known and do not matter to RoCE."""

from __future__ import annotations

from roce_lint.nos.base import Ignored

L2 = "switching that touches neither QoS nor MTU"
L3 = "routing that touches neither QoS nor MTU"
HSRP = "first-hop redundancy: no part of the class chain"
ADMIN = "administration"
PHYSICAL = "physical layer beyond speed and FEC"
TUNNEL = "VXLAN tunnel endpoint"
SHOWN = "a default that `show running-config all` spells out"
QOS = "queueing that is not judged"

BGP = "BGP that does not change which way packets take"

IGNORED = (
    # router bgp
    Ignored(r"(?:address-family|template|neighbor) ", BGP),
    Ignored(
        r"(?:network|router-id|bestpath|log-neighbor-changes|maximum-paths|maximum-prefix"
        r"|update-source|ebgp-multihop|redistribute|timers|send-community|next-hop-self|bfd"
        r"|soft-reconfiguration|route-reflector-client|advertise-map|password"
        r"|graceful-restart|reconnect-interval|dynamic-capability|remote-as|suppress-inactive|rd"
        r"|nexthop|weight|prefix-list|route-map|filter-list|aggregate-address|distance|event-history"
        r"|advertisement-interval|capability|next-hop-third-party|low-memory|inherit|retain|default-originate)\b",
        BGP,
    ),
    Ignored(r"no (?:neighbor|network|redistribute|address-family) ", BGP),
    # interfaces
    Ignored(r"(?:hsrp|vrrp|vrrpv3)\b", HSRP, subtree=True),
    Ignored(r"vpc ", "multi-chassis link aggregation: no part of the class chain"),
    Ignored(r"(?:cdp|lldp) ", "discovery beyond the DCBX of the port"),
    Ignored(r"(?:spanning-tree|storm-control|vtp|udld|fex|private-vlan)\b", L2),
    Ignored(
        r"switchport (?:monitor|block|trunk pruning|trunk allow-multi|vlan mapping|autostate"
        r"|isolated|host|voice|private-vlan|port-security|mode \S+ \S|dot1q|priority|mac-learn)",
        L2,
    ),
    Ignored(r"lacp ", "link aggregation protocol"),
    Ignored(r"autostate$", "when a VLAN interface comes up"),
    Ignored(r"(?:ip|ipv6) (?!address )", L3),
    Ignored(
        r"(?:bfd|mpls|isis|medium|fabric|nv|delay|evpn|dot1x|eigrp|ospf|ospfv3|pim|bandwidth)\b", L3
    ),
    Ignored(r"(?:source-interface|host-reachability|advertise|global|multisite) ", TUNNEL),
    Ignored(r"(?:mcast-group|ingress-replication|suppress-arp|peer-ip|vxlan)\b", TUNNEL),
    # VLANs and VRFs
    Ignored(r"(?:name|state|mode|rd|route-target|import|export|remote-vlan) ", L2),
    Ignored(
        r"(?:logging|snmp|load-interval|management|mac-address|carrier-delay|history|hardware|mac"
        r"|macsec|cts|inherit|rate-limit|ttag|telemetry|service|vrf|packet)\b",
        ADMIN,
    ),
    Ignored(
        r"(?:duplex|link|beacon|mdix|dfe-tuning-delay|transceiver|optics|layer2|layer3|port-type)\b",
        PHYSICAL,
    ),
    Ignored(
        r"no (?:description|autostate|management|vtp|shutdown lan|cdp|lldp|lacp|spanning-tree"
        r"|storm-control|udld|switchport"
        r"|snmp|logging|load-interval|bandwidth|ip|ipv6|bfd|link|beacon|hardware|isis|mac|dfe|port"
        r"|macsec|medium|delay|mdix|vrf|carrier|dot1x|hsrp|vpc|ttag|cts|duplex)\b",
        SHOWN,
    ),
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
