"""Lines in claimed stanzas that are known and do not matter to RoCE."""

from __future__ import annotations

from roce_lint.nos.base import Ignored

# Words that begin a line of an interface, why they do not matter.
INTERFACE_WORDS = (
    ("logging|snmp|load-interval|comment|vmtracer|sflow|flow|flow-spec|monitor", "monitoring"),
    ("arp|mac|mac-address|dhcp|ntp|ptp|tcp|pvlan|autostate|mld|igmp|msrp|mvrp|rip", "services"),
    (
        "bgp|bfd|isis|mpls|ospf|ospfv3|pim|mfib|multicast|vrrp|router|lfib|segment-routing",
        "routing",
    ),
    ("spanning-tree|storm-control|mlag|lacp|port-channel|link|evpn|unidirectional", "switching"),
    ("dot1x|macsec|poe|ipsec|crypto", "access and power"),
    ("lldp|l2-protocol|link-debounce|phy|transceiver|traffic-loopback|xcvr", "physical layer"),
    ("identifier|designated-forwarder|redundancy|route-target", "EVPN multihoming"),
    (
        (
            "domain-id|local-interface|peer-address|heartbeat-interval|reload-delay|dual-primary"
            "|primary-priority"
        ),
        "MLAG beyond its peer link",
    ),
)

# First words that begin lines which matter, too: only these lines do not.
PARTS = (
    (r"(?:ip|ipv6) (?!address [0-9A-Fa-f:.]+/|access-list )", "IP services and routing"),
    (
        (
            r"switchport (?:phone|vlan|dot1q|source-interface|pvlan|port-security|backup"
            r"|backup-link|trunk group|trunk private-vlan|mac|tap|tool)\b"
        ),
        "switching that touches neither QoS nor MTU",
    ),
    (
        r"(?:switchport|channel-group|traffic) recirculation ",
        "a port inside the device, which sends no packets on",
    ),
    (r"l2 mru ", "what is received is bounded by the sender's MTU first"),
    (r"error-correction reed-solomon bypass", "latency of FEC, not its kind"),
    (r"vlan id ", "VLAN of a pseudowire"),
    (r"service-policy type (?:pdp|pbr|copp|control-plane|tapagg) ", "no policy of the class chain"),
    (r"qos dscp ", "DSCP of packets that are not IP"),
    (r"random-detect ecn count", "counts marks; marking does not depend on it"),
    (r"name ", "name of a queue"),
    (r"vxlan (?!qos |vlan \d[\d, -]* vni |vrf \S+ vni )", "the overlay's addresses"),
)

BOTH_FORMS = ("no", "default")

BGP = "BGP that does not change which way packets take"

IGNORED: tuple[Ignored, ...] = (
    # `router bgp`.
    Ignored(r"vlan-aware-bundle ", BGP, subtree=True),
    Ignored(r"vlan [\d,-]+$", BGP, subtree=True),
    Ignored(
        r"(?:neighbor|redistribute|network|aggregate-address|update|timers|distance|rd|vrf"
        r"|graceful-restart|router-id|dynamic|layer-2|ucmp) ",
        BGP,
    ),
    Ignored(r"(?:graceful-restart|no graceful-restart|transit|no transit)$", BGP),
    Ignored(
        r"no (?:neighbor|redistribute|network|aggregate-address|update|timers|distance|rd|router-id"
        r"|graceful-restart|maximum-paths|ucmp|address-family) ",
        BGP,
    ),
    *(Ignored(rf"(?:{words})\b", why) for words, why in INTERFACE_WORDS),
    *(
        Ignored(rf"{form} +(?:{words})\b", f"{why}; a default that is spelled out")
        for form in BOTH_FORMS
        for words, why in INTERFACE_WORDS
    ),
    *(Ignored(pattern, why) for pattern, why in PARTS),
    *(Ignored(rf"{form} +{pattern}", why) for form in BOTH_FORMS for pattern, why in PARTS),
    Ignored(r"encapsulation vlan$", "flexible encapsulation of a pseudowire", subtree=True),
    Ignored(r"no encapsulation dot1q vlan", "a default that is spelled out"),
    Ignored(
        r"no (?:ip|ipv6) address\b|no l2 mru\b|no vlan\b|no qos dscp\b",
        "a default that is spelled out",
    ),
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
