"""Statements of Junos that are known and do not change how RoCE is treated, and why."""

from __future__ import annotations

from roce_lint.nos.base import Ignored

_PORT = r"interfaces (?:interface-range )?\S+ "
_UNIT = r"(?:unit \S+ )?"
_COS = r"class-of-service "
_BOUND = _COS + r"interfaces \S+ (?:unit \S+ )?"


_DROPS = (
    r"(?!.* (?:rpf-check"
    r"|(?:ether|gigether)-options (?:loopback|source-filtering|source-address-filter))(?: |$))"
)
"""Statements that can drop RoCE, or take a port out of service, are not ignored: none is read, and
what becomes of RoCE is then open."""


def _port(words: str, why: str) -> Ignored:
    return Ignored(rf"{_DROPS}{_PORT}{_UNIT}(?:{words})(?: |$)", why)


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
    Ignored(rf"{_PORT}(?:ether-options|gigether-options) (?:802\.3ad|no-loopback|ethernet"
            r"|autostate-exclude|asynchronous-notification|configured-flow-control|redundant-parent"
            r"|link-mode|mac-mode|ignore-l3-incompletes"
            r"|speed|auto-negotiation|no-auto-negotiation|ethernet-switch-profile)(?: |$)",
            "no QoS"),
    Ignored(rf"{_PORT}(?:ether-options|gigether-options)$", "an empty stanza"),
    Ignored(r"interfaces \S+$", "an interface without settings"),
    Ignored(_COS + r"(?:classifiers|rewrite-rules) (?:exp|inet-precedence|ieee-802\.1ad) ",
            "MPLS and IP precedence"),
    Ignored(_COS + r"code-point-aliases (?:exp|inet-precedence|dscp-ipv6|ieee-802\.1ad) ",
            "names that nothing of RoCE uses"),
    Ignored(_COS + r"(?:monitoring-profile|routing-engine-rewrite-rules"
            r"|tracing|traceoptions|tri-color|copy-plp-all|restricted-queues|policy-map"
            r"|forwarding-policy|loss-priority-maps|loss-priority-rewrites|fragmentation-maps"
            r"|translation-table|system-defaults|forwarding-class-map|multi-destination"
            r"|application-traffic-control|advisory-queueing|non-strict-priority-scheduling)"
            r"(?: |$)",
            "not on the path of RoCE, or not modelled"),
    Ignored(_COS + r"host-outbound-traffic ieee-802\.1(?: |$)",
            "the 802.1p priority of what the switch sends itself"),
    Ignored(_COS + r"dedicated-buffer", "buffer that each port has for itself: no rule judges it"),
    Ignored(_COS + r"(?:shared-buffer \S+ percent|shared-buffer$|buffer-monitor)",
            "sizes that no rule judges"),
    Ignored(_COS + r"schedulers \S+ (?:buffer-size|buffer-dynamic-threshold|latency-ecn"
            r"|adjust-percent|adjust-minimum|excess-priority|shared-buffer|drop-profile-map$)",
            "depth of the queue"),
    Ignored(_COS + r"traffic-control-profiles \S+ ", "rates between groups of classes"),
    Ignored(_COS + r"congestion-notification-profile \S+ (?:input|output)(?:$| cable-length"
            r"|(?: (?:dscp|ieee-802\.1)(?:$| code-point(?:$| \S+(?:$| pfc| flow-control-queue)))))"
            r"(?: |$)", "thresholds of pause, not modelled"),
    Ignored(_COS + r"drop-congestion-notification ", "packet trimming"),
    Ignored(_COS + r"forwarding-classes class \S+ (?:priority|policing-priority|spu-priority"
            r"|queue-num \S+ priority)", "no pause, no queue"),
    Ignored(_BOUND + r"(?:input-scheduler-map|input-shaping-rate|input-traffic-control-profile"
            r"|input-excess-bandwidth-share|output-forwarding-class-map|excess-bandwidth-share"
            r"|member-link-scheduler|irb|logical-interface-aggregate-statistics|scheduler-map-chassis"
            r"|classifiers|rewrite-rules|policy-map|exclude-queue-overhead-bytes|unit"
            r"|forwarding-class)(?: |$)", "not read by RoCE's queues"),
    Ignored(_COS + r"interfaces \S+$", "an interface without bindings"),
)  # fmt: skip
