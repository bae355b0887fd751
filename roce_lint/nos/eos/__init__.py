"""Declaration of Arista EOS; facts and their sources are in docs/nos/eos.md."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Later, Offer, Printing, Typed, WatchdogOffer, switch
from roce_lint.nos.declare import (
    LISTS,
    ROUTES,
    Ending,
    Ignored,
    Section,
    Signature,
    Skip,
    named_patterns,
    signatures_of,
    stanzas,
)
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in

defaults = defaults_of("eos")

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


# Design settings; the sources are in docs/nos/eos.md.

_MS = 1000
"""Milliseconds of the time unit of the EOS watchdog."""


def _time(name: str) -> Bounds:
    limit = bounds_in("eos", name)
    return replace(limit, low=limit.low * _MS, high=limit.high * _MS, unit="ms")


OFFER = Offer(
    port="Ethernet{n}/1",
    split="Ethernet{n}/{sublane}",
    loopback="Loopback0",
    splits_by_speed=True,
    share_of=ShareKind.WEIGHT,
    threshold=bounds_in("eos", "ECN threshold"),
    pmax_percent=bounds_in("eos", "max-mark-probability"),
    ip_mtu=bounds_in("eos", "mtu"),
    watchdog=WatchdogOffer(
        polling_ms=_time("watchdog polling-interval"),
        detection_ms=_time("watchdog timeout"),
        restoration_ms=_time("watchdog recovery-time"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT, WatchdogAction.ERRDISABLE}),
        source="docs/nos/eos.md#what-the-device-refuses",
    ),
    caps_in_percent=True,
    source="docs/nos/eos.md#names-of-ports-breakouts-and-lags",
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


_HEADING = r"! (?:Command: show (?:running|startup)-config(?: all| sanitized)?|device: .*)"
"""First line of a whole configuration, which then ends with `end`."""

RUNNING_CONFIG = stanzas(
    "show running-config",
    command="show (?:running-config|startup-config)",
    hostname="hostname",
    signatures=signatures_of("eos"),
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

NOS = switch(
    "eos",
    "Arista EOS",
    (RUNNING_CONFIG, *LLDP),
    ports=Later("roce_lint.nos.eos", "naming"),
    printing=Printing(end="end"),
    patterns={**LISTS, **named_patterns("eos")},
    netmiko_type="arista_eos",
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
)
