"""Lines of claimed parts that are known and do not change how packets of a class are treated.

For interfaces the pattern is matched behind the name: `interface link mac-address ...`.
"""

from __future__ import annotations

from roce_lint.nos.declare import Ignored

_NO_FILTER = r"(?!.*\b(?:tc|nft|iptables|ip6tables|ebtables|link set)\b)"
"""No command that may drop packets, or take a port out of service, follows on the line."""

NVUE_IGNORED = (
    Ignored(r"interface evpn\b", "MAC address routing; the uplink flag is read"),
    Ignored(
        r"interface (?:dhcp|events|ptp|sflow|synce|telemetry|wjh|neighbor"
        r"|pluggable|base-interface|parent|flow-sampling)\b",
        "services of the port",
    ),
    Ignored(
        r"interface (?:ip|ipv4|ipv6)\b", "addresses and gateways are read, the rest is routing"
    ),
    Ignored(
        r"interface bond (?:lacp-.*|mode|mlag|down-delay|up-delay|min-links)\b",
        "link aggregation protocol",
    ),
    Ignored(
        r"interface bridge domain \S+ (?:stp|learning|trap|flooding|vlan)\b",
        "bridging",
    ),
    Ignored(
        r"interface link (?:mac-address|lanes|lacp|flap-protection|duplex|fast-linkup|stats"
        r"|phy-detail|breakout|apply-profile)\b",
        "physical details; what counts flaps acts on a port that has failed already",
    ),
    Ignored(r"interface lldp\b", "the PFC TLV is read; others change nothing here"),
    Ignored(r"interface (?:router|tunnel|vrr|link-detection)\b", "routing"),
    Ignored(r"interface (?:link )?storm-control\b", "it limits what is flooded: RoCE is not"),
    Ignored(r"interface type\b", "kinds that the name tells"),
    Ignored(r"bridge\b", "VLANs and spanning tree"),
    Ignored(
        r"nve vxlan (?:arp-nd-suppress|flooding|mac-learning|mlag|port|source|mtu|decapsulation)\b",
        "flooding and addresses",
    ),
    Ignored(r"qos advance-buffer-config\b", "buffer tuning beyond the pools, not modelled"),
    Ignored(r"qos traffic-pool \S+ switch-priority\b", "which priorities a pool serves"),
)

FLAT_IGNORED = (
    Ignored(
        r"(?:ingress_service_pool|egress_service_pool|flow_control|port|priority_group"
        r"|egress_buffer|cos_egr_queue|management|service_pool|egress_port_buffer"
        r"|host_traffic|cos_map)\b",
        "buffer tuning and pools, not modelled",
    ),
    Ignored(r"scheduling algorithm\b", "always dwrr"),
    Ignored(r"traffic priority_group_list\b", "the names of the groups"),
    Ignored(
        r"(?:hash_config|lag_hash_config|ecmp_max_paths|symmetric_hash_enable|disable_collapsed_fdb"
        r"|resilient_hash_enable|resilient_hash_entries_ecmp|forwarding_table|hashing|vxlan)\b",
        "hashing and tables",
    ),
    Ignored(r"shaping \S+ (?:mode|port_set)\b", "unit of the rates"),
    Ignored(
        r"(?:acl|arp|bridge|buf_util|counter|datapath|dos|ebtables|ecmp|forwarding|hal|ignore"
        r"|interface|logging|mc|netlink|poll_interval|portlist|profile|ptp|resource|restart|route"
        r"|sai|stats|storm|trap|traps|vrf|wjh)\b",
        "settings of the forwarding daemon",
    ),
)

IFUPDOWN_IGNORED = (
    Ignored(
        r"(?:bond|bridge|clag|clagd|mstpctl|vxlan|vrf|vrr|hwaddress|address"
        r"|gateway|vlan|dhcp|ip|ip6|netmask|mac|broadcast|es|evpn|alias)\b",
        "bridging, MLAG and routing",
    ),
    Ignored(r"link (?:lanes|dump|duplex|down|type)\b", "physical details"),
    Ignored(rf"(?:post|pre|up|down)\b{_NO_FILTER}", "commands that filter no packets"),
)

NCLU_IGNORED = (
    Ignored(
        r"interface (?:bond|clag|stp|evpn|ip|ipv6|ip6-forward"
        r"|ip-forward|mstpctl|vlan-id|vlan-raw-device|bridge|hwaddress|ptp|ospf|ospf6|pim|igmp"
        r"|storm-control|neighbor|alias)\b",
        "bridging, MLAG and routing; storm control counts what is flooded",
    ),
    Ignored(rf"interface (?:post-up|pre-down)\b{_NO_FILTER}", "commands that filter no packets"),
)
