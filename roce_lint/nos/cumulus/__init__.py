"""Declaration of Cumulus Linux: NVUE, the flat QoS files, ifupdown2 and NCLU."""

from __future__ import annotations

from roce_lint.nos.base import Later, Nos, Printing, Typed
from roce_lint.nos.cumulus.bounds import LIMITS, OFFER
from roce_lint.nos.cumulus.defaults import COMMANDS, DATAPATH, DEFAULTS, DOCUMENT, INTERFACES, NCLU
from roce_lint.nos.declare import Form, Ignored, Signature, Source
from roce_lint.nos.lldp import Columns, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources
from roce_lint.nos.pull import Command, Kind, PullPlan

MEMBERS = (
    r".* (?:address|member|network|domain|link (?:state|breakout)|egress-eligibility traffic-class)"
    r"|qos pfc \S+ switch-priority|bridge domain \S+ vlan|.* bridge domain \S+ vlan"
)
"""Words above a member of a set, which is a key of the tree; below other words stands a value."""

# Known lines of claimed parts that do not affect the treatment of packets. For interfaces the
# pattern is matched after the name: `interface link mac-address ...`.

_NO_FILTER = r"(?!.*\b(?:tc|nft|iptables|ip6tables|ebtables|link set)\b)"
"""Excludes lines with a command that may drop packets or take a port out of service."""

NVUE_IGNORED = (
    Ignored(r"interface evpn\b", "MAC address routing; the uplink flag is read"),
    Ignored(r"interface (?:dhcp|events|ptp|sflow|synce|telemetry|wjh|neighbor"
            r"|pluggable|base-interface|parent|flow-sampling)\b", "services of the port"),
    Ignored(r"interface (?:ip|ipv4|ipv6)\b",
            "addresses and gateways are read, the rest is routing"),
    Ignored(r"interface bond (?:lacp-.*|mode|mlag|down-delay|up-delay|min-links)\b",
            "link aggregation protocol"),
    Ignored(r"interface bridge domain \S+ (?:stp|learning|trap|flooding|vlan)\b", "bridging"),
    Ignored(r"interface link (?:mac-address|lanes|lacp|flap-protection|duplex|fast-linkup|stats"
            r"|phy-detail|breakout|apply-profile)\b",
            "physical details; flap counters act only on a failed port"),
    Ignored(r"interface lldp\b", "the PFC TLV is read; others change nothing here"),
    Ignored(r"interface (?:router|tunnel|vrr|link-detection)\b", "routing"),
    Ignored(r"interface (?:link )?storm-control\b", "it limits flooded traffic, which RoCE is not"),
    Ignored(r"interface type\b", "kinds implied by the name"),
    Ignored(r"bridge\b", "VLANs and spanning tree"),
    Ignored(r"nve vxlan (?:arp-nd-suppress|flooding|mac-learning|mlag|port|source|mtu"
            r"|decapsulation)\b", "flooding and addresses"),
    Ignored(r"qos advance-buffer-config\b", "buffer tuning beyond the pools, not modelled"),
    Ignored(r"qos traffic-pool \S+ switch-priority\b", "priorities of a pool"),
)  # fmt: skip

FLAT_IGNORED = (
    Ignored(r"(?:ingress_service_pool|egress_service_pool|flow_control|port|priority_group"
            r"|egress_buffer|cos_egr_queue|management|service_pool|egress_port_buffer"
            r"|host_traffic|cos_map)\b", "buffer tuning and pools, not modelled"),
    Ignored(r"scheduling algorithm\b", "always dwrr"),
    Ignored(r"traffic priority_group_list\b", "the names of the groups"),
    Ignored(r"(?:hash_config|lag_hash_config|ecmp_max_paths|symmetric_hash_enable"
            r"|disable_collapsed_fdb|resilient_hash_enable|resilient_hash_entries_ecmp"
            r"|forwarding_table|hashing|vxlan)\b", "hashing and tables"),
    Ignored(r"shaping \S+ (?:mode|port_set)\b", "unit of the rates"),
    Ignored(r"(?:acl|arp|bridge|buf_util|counter|datapath|dos|ebtables|ecmp|forwarding|hal|ignore"
            r"|interface|logging|mc|netlink|poll_interval|portlist|profile|ptp|resource|restart"
            r"|route|sai|stats|storm|trap|traps|vrf|wjh)\b",
            "settings of the forwarding daemon"),
)  # fmt: skip

IFUPDOWN_IGNORED = (
    Ignored(r"(?:bond|bridge|clag|clagd|mstpctl|vxlan|vrf|vrr|hwaddress|address"
            r"|gateway|vlan|dhcp|ip|ip6|netmask|mac|broadcast|es|evpn|alias)\b",
            "bridging, MLAG and routing"),
    Ignored(r"link (?:lanes|dump|duplex|down|type)\b", "physical details"),
    Ignored(rf"(?:post|pre|up|down)\b{_NO_FILTER}", "commands that filter no packets"),
)  # fmt: skip

NCLU_IGNORED = (
    Ignored(r"interface (?:bond|clag|stp|evpn|ip|ipv6|ip6-forward"
            r"|ip-forward|mstpctl|vlan-id|vlan-raw-device|bridge|hwaddress|ptp|ospf|ospf6|pim|igmp"
            r"|storm-control|neighbor|alias)\b",
            "bridging, MLAG and routing; storm control counts flooded traffic"),
    Ignored(rf"interface (?:post-up|pre-down)\b{_NO_FILTER}", "commands that filter no packets"),
)  # fmt: skip


# Pull commands; shapes and sources are in docs/live.md.
PULL_PLAN = PullPlan(
    words=("nv show", "nv config show", "lldpcli -f json show neighbors"),
    commands=(
        Command("nv config show -o commands", needed=True),
        Command("lldpcli -f json show neighbors"),
        Command("nv show interface"),
        Command("nv show qos roce", Kind.STATE),
        Command("nv show system", Kind.STATE),
        Command("nv show interface qos-roce-counters", Kind.COUNTERS),
    ),
    unknown=r"(?:Error: |usage: nv|.*command not found|Invalid )",
    called=("cumulus_linux", "cumulus-linux", "cumuluslinux", "nvidia.nvue", "cumulus_cvx", "cvx"),
)


# LLDP outputs.
LLDP = (
    *lldpcli_sources(r"swp\d+(?:s\d)?"),
    neighbors("nvue-interfaces", r"(?:sudo )?nv show interface(?: (?:-o|--output) auto)?",
        Columns("Interface=port, Remote Host=system, Remote Port=port_id"),
        Signature(r"^Interface +(?:[A-Z]\w* .*)?Remote Host +Remote Port", 12,
                  "titles of the neighbours"), run="nv show interface"),
    neighbors("nclu-lldp", r"(?:sudo )?net show lldp",
        Columns("LocalPort=port, RemoteHost=system, RemotePort=port_id"),
        Signature(r"^LocalPort +Speed +Mode +RemoteHost +RemotePort", 12,
                  "titles of the neighbours")),
)  # fmt: skip


# Sources of the configuration.
_PROMPT = r"(?:[^\s#$]{1,128}[$#] *)?(?:sudo )?"
_NVUE_TOPS = "acl|bridge|evpn|interface|mlag|nve|platform|qos|router|service|system|vrf|maintenance"

SOURCES = (
    Source(COMMANDS, Form.RAW, ignored=NVUE_IGNORED, base=True,
        command=r"(?:sudo )?nv config show (?:.* )?(?:-o|--output) commands(?: .*)?",
        run="nv config show -o commands",
        signatures=(
            Signature(rf"^{_PROMPT}nv set (?:{_NVUE_TOPS})\b", 14, "an nv set command"),
            Signature(rf"^{_PROMPT}nv set (?:interface \S+ type|qos roce)\b", 2, "its statements"),
        ),
        hostname=r"^nv set system hostname '?(?P<name>[^\s']+)"),
    Source(DOCUMENT, Form.RAW, ignored=NVUE_IGNORED, base=True,
        command=r"(?:sudo )?(?:nv config show(?: .*)?|cat /etc/nvue\.d/\S+\.ya?ml)",
        file_name=r"^startup\.ya?ml$",
        signatures=(
            Signature(r"nvue-api-version[\"']?: *[\"']?nvue_v\d", 14, "nvue-api-version"),
            Signature(rf"^(?:- )?set:[ \t\r]*\n +(?:{_NVUE_TOPS}):", 12, "the set of NVUE"),
            Signature(r"^ {2,}type: (?:swp|svi|bond|loopback|eth|peerlink)[ \t\r]*$", 6,
                      "a type of interface"),
            Signature(r"^ {2,6}roce:[ \t\r]*$", 2, "roce"),
            Signature(r"\A\s*[\[{][\s\S]*?"
                      r'"(?:qos" *: *\{\s*"roce"|interface" *: *\{\s*"(?:swp\d|eth0|lo)")', 12,
                      "the tree of NVUE as its interface for programs gives it"),
        ),
        hostname=r"^(?:(?:    |      )hostname: *[\"']?|.*\"hostname\" *: *\")(?P<name>[^\s\"']+)"),
    Source(DATAPATH, Form.RAW, ignored=FLAT_IGNORED,
        command=r"(?:sudo )?cat /etc/(?:cumulus/datapath/(?:qos/qos_features|traffic)"
        r"|mlx/datapath/qos/qos_infra|cumulus/switchd)\.conf"
        r"|(?:sudo )?cat /usr/lib/python\S+/datapath\.conf",
        file_name=r"^(?:qos_features|qos_infra|traffic|datapath|switchd)\.conf$",
        signatures=(
            Signature(r"^#? ?traffic\.packet_priority_source_set *=", 10, "what is trusted"),
            Signature(r"^#? ?(?:pfc|ecn_red|source|remark)\.port_group_list *=", 8, "port groups"),
            Signature(r"^default_(?:ecn_red_conf|egress_sched)\.\w", 10, "QoS of all ports"),
            Signature(r"^(?:ingress|egress)_service_pool\.\d\.\w", 10, "a service pool"),
            Signature(r"^#? ?cos_egr_queue\.cos_\d\.\w", 8, "the queue of a switch priority"),
            Signature(r"^#? ?pfc_wd\.(?:poll_interval|robustness) *=", 10, "the PFC watchdog"),
        )),
    # Hosts print interfaces by the same command, so a `cat` is identified by content.
    Source(INTERFACES, Form.RAW, ignored=IFUPDOWN_IGNORED, command=r"(?:sudo )?ifquery -a",
        signatures=(
            Signature(r"^iface swp\d", 16, "a stanza of a front panel port"),
            Signature(r"^auto swp\d", 4, "a front panel port"),
            Signature(r"^[ \t]+(?:clagd-|vrf-table auto)", 3, "MLAG or a VRF"),
        ),
        hostname=r"^hostname (?P<name>\S+)"),
    Source(NCLU, Form.RAW, ignored=NCLU_IGNORED, base=True,
        command=r"(?:sudo )?net show configuration commands",
        signatures=(
            Signature(rf"^{_PROMPT}net add (?:bgp|bond|bridge|hostname|interface|loopback|roce"
                      r"|vlan)\b", 14, "a net add command"),
        ),
        hostname=r"^net add hostname (?P<name>\S+)"),
)  # fmt: skip

NOS = Nos(
    name="cumulus",
    title="Cumulus Linux",
    sources=(*SOURCES, *LLDP),
    normalize=Later("roce_lint.nos.cumulus.normalize"),
    netmiko_type="linux",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    printing=Printing(
        files={"config.j2": "{name}.yaml"},
        comment="#",
        finish=Later("roce_lint.nos.cumulus.printing", "document"),
        members=Later("roce_lint.nos.cumulus.printing", "members"),
        commands=True,
    ),
    typed=Typed(
        take="nv unset",
        put="nv set",
        begin=(),
        end=("nv config apply",),
        keys=rf"(?:{MEMBERS}) \S+$|.+?(?= (?:'[^']*'|\S+)$)",
        objects=r"qos (?:mapping|pfc|congestion-control|egress-\w+) (?:'[^']*'|\S+)",
    ),
    pulled=PULL_PLAN,
)
