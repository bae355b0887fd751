"""Declaration of Junos and Junos Evolved; facts and their sources are in docs/nos/junos.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, Printing, Typed, WatchdogOffer, switch
from roce_lint.nos.declare import (
    Default,
    Form,
    Ignored,
    Section,
    Signature,
    Source,
    print_command_pattern,
    signatures_of,
)
from roce_lint.nos.junos.context import SOURCE
from roce_lint.nos.junos.exports import EXPORTS
from roce_lint.nos.junos.routing import BGP, POLICY_OPTIONS
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds
from roce_lint.text.source import Confidence
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

defaults = defaults_of("junos")

# Forwarding classes that need no definition.
_CLASSES = "docs/nos/junos.md#classes"

BUILT_IN_NO_LOSS = ("fcoe", "no-loss")
_SURE = {"best-effort": 0, "be": 0, "be1": 1, "fcoe": 3, "no-loss": 4, "mcast": 8}
BUILT_IN = {
    name: Default(
        queue,
        f"Junos: {name} is queue {queue}{', no-loss' if name in BUILT_IN_NO_LOSS else ''}",
        _CLASSES,
    )
    for name, queue in _SURE.items()
} | {
    name: Default(queue, f"{system}: {name} is queue {queue}", _CLASSES, Confidence.UNCONFIRMED)
    for system, name, queue in (
        ("Junos on QFX", "network-control", 7),
        ("Junos on QFX", "nc", 7),
        ("Junos", "expedited-forwarding", 1),
        ("Junos", "assured-forwarding", 2),
    )
}
"""Forwarding classes that need no definition, with their queues."""

BUILT_IN_ON_SOME = ("mcast-be", "mcast-ef", "mcast-af", "mcast-nc")
"""Forwarding classes with separate queues on EX4300 and EX8200 only (docs/nos/junos.md): a
configuration does not state the model, so they are neither undefined nor known.
"""

# Design settings; the sources are in docs/nos/junos.md.
_PAGE = "docs/nos/junos.md#what-the-device-refuses"
_WATCHDOG = "docs/nos/junos.md#watchdog"

OFFER = Offer(
    port="et-0/0/{n0}",
    split="et-0/0/{n0}:{s0}",
    loopback="lo0",
    share_of=ShareKind.LINK,
    unit=ThresholdUnit.PERCENT,
    threshold=Bounds("fill-level", 0, 100, "docs/nos/junos.md#how-thresholds-are-counted"),
    pmax_percent=Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    # `mtu` is 256 to 9216 on QFX and includes the Ethernet header of 14 bytes.
    ip_mtu=Bounds("mtu", 256 - 14, 9216 - 14, "Juniper, CLI reference: mtu", "bytes"),
    watchdog=WatchdogOffer(
        polling_ms=Bounds("poll-interval", 100, 1000, _WATCHDOG, "ms"),
        polls=Bounds("detection", 2, 10, _WATCHDOG),
        restoration_ms=Bounds("recovery", 200, 1000, _WATCHDOG, "ms"),
        actions=frozenset({WatchdogAction.DROP}),
        source=_WATCHDOG,
    ),
    caps_in_percent=True,
    source="docs/nos/junos.md#names-of-ports-breakouts-and-lags",
)


# Known Junos statements that do not affect RoCE, with the reason.
_ANY_PORT = r"interfaces (?:interface-range )?\S+ "
_UNIT = r"(?:unit \S+ )?"
_COS = r"class-of-service "

_DROPS = (
    r"(?!.* (?:rpf-check"
    r"|(?:ether|gigether)-options (?:loopback|source-filtering|source-address-filter))(?: |$))"
)
"""Statements that can drop RoCE, or take a port out of service, are never ignored: they stay
unread, so their effect on RoCE is unknown."""


def _port(words: str, why: str) -> Ignored:
    return Ignored(rf"{_DROPS}{_ANY_PORT}{_UNIT}(?:{words})(?: |$)", why)


IGNORED = (
    _port("traps|no-traps|hold-time|optics-options|otn-options|gratuitous-arp-reply"
          "|no-gratuitous-arp-request|link-degrade-monitor|damping|snmp|statistics"
          "|interface-transmit-statistics|accounting-profile", "monitoring"),
    _port("aggregated-ether-options|esi|hash|multi-chassis-options|anchor-point"
          "|redundant-ether-options", "link aggregation protocol"),
    _port("unused|flexible-vlan-tagging|vlan-tagging|stacked-vlan-tagging|encapsulation"
          "|native-vlan-id|input-vlan-map|output-vlan-map|vlan-id-list|vlan-tags|vlan-id-range"
          "|vlan-id|vci|swap-by-poppush|family|disable|mtu|speed|link-mode|number-of-sub-ports"
          "|virtual-gateway-accept-data|virtual-gateway-v4-mac|virtual-gateway-v6-mac|mac"
          "|proxy-macip-advertisement|proxy-arp|arp-resp|no-arp|description|bandwidth|unit"
          "|rpm|service-domain|peer-unit|keepalives|no-keepalives|clocking|layer2-policer"
          "|member|member-range|storm-control|targeted-broadcast|port-mirror|traceoptions"
          "|forwarding-class-accounting|external-model|metadata|per-unit-scheduler"
          "|hierarchical-scheduler|tunnel|backup-options|interface|filter|forwarding-options"
          "|routing-options", "no QoS"),
    Ignored(rf"{_ANY_PORT}(?:ether-options|gigether-options) (?:802\.3ad|no-loopback|ethernet"
            r"|autostate-exclude|asynchronous-notification|configured-flow-control|redundant-parent"
            r"|link-mode|mac-mode|ignore-l3-incompletes"
            r"|speed|auto-negotiation|no-auto-negotiation|ethernet-switch-profile)(?: |$)",
            "no QoS"),
    Ignored(rf"{_ANY_PORT}(?:ether-options|gigether-options)$", "an empty stanza"),
    Ignored(r"interfaces \S+$", "an interface without settings"),
    Ignored(_COS + r"(?:classifiers|rewrite-rules) (?:exp|inet-precedence|ieee-802\.1ad) ",
            "MPLS and IP precedence"),
    Ignored(_COS + r"code-point-aliases (?:exp|inet-precedence|dscp-ipv6|ieee-802\.1ad) ",
            "names that RoCE does not use"),
    Ignored(_COS + r"(?:monitoring-profile|routing-engine-rewrite-rules"
            r"|tracing|traceoptions|tri-color|copy-plp-all|restricted-queues|policy-map"
            r"|forwarding-policy|loss-priority-maps|loss-priority-rewrites|fragmentation-maps"
            r"|translation-table|system-defaults|forwarding-class-map|multi-destination"
            r"|application-traffic-control|advisory-queueing|non-strict-priority-scheduling)"
            r"(?: |$)",
            "not on the path of RoCE, or not modelled"),
    Ignored(_COS + r"host-outbound-traffic ieee-802\.1(?: |$)",
            "the 802.1p priority of packets from the switch"),
    Ignored(_COS + r"dedicated-buffer", "dedicated buffer of a port, which no rule checks"),
    Ignored(_COS + r"(?:shared-buffer \S+ percent|shared-buffer$|buffer-monitor)",
            "sizes that no rule checks"),
    Ignored(_COS + r"schedulers \S+ (?:buffer-size|buffer-dynamic-threshold|latency-ecn"
            r"|adjust-percent|adjust-minimum|excess-priority|shared-buffer|drop-profile-map$)",
            "depth of the queue"),
    Ignored(_COS + r"traffic-control-profiles \S+ ", "rates between groups of classes"),
    Ignored(_COS + r"congestion-notification-profile \S+ (?:input|output)(?:$| cable-length"
            r"|(?: (?:dscp|ieee-802\.1)(?:$| code-point(?:$| \S+(?:$| pfc| flow-control-queue)))))"
            r"(?: |$)", "PFC thresholds, not modelled"),
    Ignored(_COS + r"drop-congestion-notification ", "packet trimming"),
    Ignored(_COS + r"forwarding-classes class \S+ (?:priority|policing-priority|spu-priority"
            r"|queue-num \S+ priority)", "no pause, no queue"),
    Ignored(rf"{_COS}interfaces \S+ {_UNIT}"
            r"(?:input-scheduler-map|input-shaping-rate|input-traffic-control-profile"
            r"|input-excess-bandwidth-share|output-forwarding-class-map|excess-bandwidth-share"
            r"|member-link-scheduler|irb|logical-interface-aggregate-statistics|scheduler-map-chassis"
            r"|classifiers|rewrite-rules|policy-map|exclude-queue-overhead-bytes|unit"
            r"|forwarding-class)(?: |$)", "not used by RoCE queues"),
    Ignored(_COS + r"interfaces \S+$", "an interface without bindings"),
)  # fmt: skip


# LLDP outputs.
_END = r"(?: *\| *no-more)?"

LLDP = (
    neighbors(
        "lldp",
        rf"show lldp neighbors{_END}",
        Columns("Local Interface=port, Chassis Id=chassis, Port info=port_id, System Name=system"),
        Signature(
            r"^Local Interface +Parent Interface +Chassis Id +Port info +System Name",
            14,
            "titles of the neighbours",
        ),
        run="show lldp neighbors | no-more",
        file_name=r"show[-_ ]lldp[-_ ]neighbors",
    ),
    neighbors(
        "lldp-detail",
        rf"show lldp neighbors (?:detail|interface \S+){_END}",
        Blocks({"local interface": "port"}, begins=r"Local Interface +:"),
        Signature(r"^LLDP Neighbor Information:", 8, "heading of a neighbour"),
        Signature(r"^Local Interface +: \S", 6, "the local port"),
    ),
    neighbors(
        "lldp-json",
        rf"show lldp neighbors(?: (?:detail|interface \S+))? *\| *display json{_END}",
        Tree(
            ("lldp-neighbors-information", "lldp-neighbor-information", "*"),
            {
                "lldp-local-port-id": "port",
                "lldp-local-interface": "port",
                "lldp-remote-chassis-id": "chassis",
                "lldp-remote-system-name": "system",
                "lldp-remote-port-id": "port_id",
                "lldp-remote-port-description": "description",
            },
        ),
        Signature(r'"lldp-neighbors-information"', 12, "neighbours of the device"),
    ),
)


# Sources of the configuration.


_TERM: dict[str, Wanted] = {"from": EVERYTHING, "then": EVERYTHING}
FILTERS: dict[str, Wanted] = {"filter": {ANY: {"term": {ANY: _TERM}}}}
POLICER: dict[str, Wanted] = {ANY: EVERYTHING}
_FAMILY_FILTER: dict[str, Wanted] = {"family": {ANY: {"filter": EVERYTHING}}}
_MAC_LIMIT: dict[str, Wanted] = {"interface": {ANY: {"interface-mac-limit": EVERYTHING}}}

VLANS: dict[str, Wanted] = {
    ANY: {
        **dict.fromkeys(("vlan-id", "l3-interface", "filter"), EVERYTHING),
        "switch-options": _MAC_LIMIT,
        "vxlan": {"vni": EVERYTHING},
        "forwarding-options": {"filter": EVERYTHING},
    }
}

WANTED_BELOW: dict[str, Wanted] = {
    **dict.fromkeys(("version", "when", "interfaces", "class-of-service"), EVERYTHING),
    "system": {
        "host-name": EVERYTHING,
        "packet-forwarding-options": {"no-ip-tos-rewrite": EVERYTHING},
    },
    "chassis": {"fpc": {ANY: {"pic": {ANY: {"port": EVERYTHING}}}}},
    "forwarding-options": {
        "enhanced-hash-key": {"ecmp-dlb": EVERYTHING},
        "storm-control-profiles": {ANY: {"action-shutdown": EVERYTHING}},
        **_FAMILY_FILTER,
    },
    "firewall": {
        "family": {ANY: FILTERS},
        **FILTERS,
        **dict.fromkeys(("policer", "three-color-policer", "hierarchical-policer"), POLICER),
    },
    "vlans": VLANS,
    "switch-options": {"vtep-source-interface": EVERYTHING, **_MAC_LIMIT},
    "protocols": {
        "bgp": BGP,
        "ospf": {"area": {ANY: {"interface": EVERYTHING}}},
        "isis": {"interface": EVERYTHING},
        "lldp": {"interface": EVERYTHING},
    },
    "policy-options": POLICY_OPTIONS,
    "routing-options": {
        **dict.fromkeys(("autonomous-system", "router-id", "static"), EVERYTHING),
        "forwarding-table": {"export": EVERYTHING},
    },
    "routing-instances": {
        ANY: {
            **dict.fromkeys(("instance-type", "interface", "vtep-source-interface"), EVERYTHING),
            "protocols": {"bgp": BGP, "evpn": {"ip-prefix-routes": {"vni": EVERYTHING}}},
            "forwarding-options": _FAMILY_FILTER,
            "vlans": VLANS,
        }
    },
}

CONFIGURATION = Source(
    SOURCE,
    form=Form.STATEMENTS,
    command=print_command_pattern("show configuration"),
    run="show configuration | display inheritance no-comments | no-more",
    signatures=signatures_of("junos"),
    sections=(
        Section("interfaces", header=r"interfaces(?: |$)"),
        Section("class-of-service", header=r"class-of-service(?: |$)"),
        Section("host-name", header=r"system host-name"),
        # Not parsed: if one of them is stated, the effect on RoCE is unknown.
        Section("filter", header=r"(?:routing-\S+ \S+ )?forwarding-options family \S+ filter"),
        Section("storm", header=r"forwarding-options storm-control-profiles \S+ action-shutdown"),
        Section("mac", header=r"(?:vlans \S+ )?switch-options .*packet-action (?:drop|shutdown)"),
    ),
    ignored=IGNORED,
    wanted={**WANTED_BELOW, "groups": {ANY: WANTED_BELOW}},
    base=True,
    hostname=r"^(?:set (?:groups \S+ )?system host-name|[ \t]+host-name)"
    r" (?P<name>[^\s;]+);?[ \t\r]*$",
    exports=EXPORTS,
    variables=r"\$\{(?:node|re)\}",  # the node of a cluster, the routing engine
)

NOS = switch(
    "junos",
    "Junos and Junos Evolved",
    (CONFIGURATION, *LLDP),
    netmiko_type="juniper_junos",
    defaults=(*defaults, *BUILT_IN.values()),
    offer=OFFER,
    printing=Printing(files={"config.j2": "{name}.conf"}, comment="#"),
    typed=Typed(
        take="delete",
        put="set",
        begin=("configure",),
        end=("commit check", "commit"),
        keys=r".+ (?:address|members|code-points?|export|interface|flow-control-queue) \S+$"
        r"|.+ (?:no-loss|pfc|pfc-watchdog|explicit-congestion-notification|disable|vlan-tagging"
        r"|(?:no-)?(?:auto-negotiation|flow-control)|inet6?|ethernet-switching|accept)$",
        objects=r"class-of-service (?:(?:classifiers|rewrite-rules) \S+|forwarding-classes class"
        r"|schedulers|scheduler-maps|drop-profiles|congestion-notification-profile) \S+",
    ),
)
