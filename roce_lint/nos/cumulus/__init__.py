"""Declaration of Cumulus Linux: NVUE, the flat QoS files, ifupdown2 and NCLU."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, Trust, WatchdogAction
from roce_lint.nos.base import Later, Offer, Printing, Typed, WatchdogOffer, switch
from roce_lint.nos.cumulus.context import COMMANDS, DATAPATH, DOCUMENT, INTERFACES, NCLU
from roce_lint.nos.cumulus.roce import BASES
from roce_lint.nos.declare import Form, Signature, Source, ignored_lines
from roce_lint.nos.lldp import Columns, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in

defaults = defaults_of("cumulus")

# Design settings; the sources are in docs/nos/cumulus.md.
_WATCHDOG = "docs/nos/cumulus.md#watchdog"

OFFER = Offer(
    port="swp{n}",
    split="swp{n}s{s0}",
    loopback="lo",
    trust=Trust.BOTH,
    share_of=ShareKind.REMAINING,
    pmax_percent=bounds_in("cumulus", "probability"),
    ip_mtu=bounds_in("cumulus", "mtu"),
    watchdog=WatchdogOffer(
        polling_ms=Bounds("polling-interval", 100, 5000, _WATCHDOG, "ms"),
        polls=bounds_in("cumulus", "robustness"),
        restores_after_poll=True,
        actions=frozenset({WatchdogAction.DROP}),
        source=_WATCHDOG,
    ),
    obeys_all=True,
    source="docs/nos/cumulus.md#names-of-ports-breakouts-and-lags",
)

MEMBERS = (
    r".* (?:address|member|network|domain|link (?:state|breakout)|egress-eligibility traffic-class)"
    r"|qos pfc \S+ switch-priority|bridge domain \S+ vlan|.* bridge domain \S+ vlan"
)
"""Words above a member of a set, which is a key of the tree; below other words stands a value."""


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
    Source(COMMANDS, Form.RAW, ignored=ignored_lines("cumulus", "ignored-nvue"), base=True,
        command=r"(?:sudo )?nv config show (?:.* )?(?:-o|--output) commands(?: .*)?",
        run="nv config show -o commands",
        signatures=(
            Signature(rf"^{_PROMPT}nv set (?:{_NVUE_TOPS})\b", 14, "an nv set command"),
            Signature(rf"^{_PROMPT}nv set (?:interface \S+ type|qos roce)\b", 2, "its statements"),
        ),
        hostname=r"^nv set system hostname '?(?P<name>[^\s']+)"),
    Source(DOCUMENT, Form.RAW, ignored=ignored_lines("cumulus", "ignored-nvue"), base=True,
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
    Source(DATAPATH, Form.RAW, ignored=ignored_lines("cumulus", "ignored-flat"),
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
    Source(INTERFACES, Form.RAW, ignored=ignored_lines("cumulus", "ignored-ifupdown"),
        command=r"(?:sudo )?ifquery -a",
        signatures=(
            Signature(r"^iface swp\d", 16, "a stanza of a front panel port"),
            Signature(r"^auto swp\d", 4, "a front panel port"),
            Signature(r"^[ \t]+(?:clagd-|vrf-table auto)", 3, "MLAG or a VRF"),
        ),
        hostname=r"^hostname (?P<name>\S+)"),
    Source(NCLU, Form.RAW, ignored=ignored_lines("cumulus", "ignored-nclu"), base=True,
        command=r"(?:sudo )?net show configuration commands",
        signatures=(
            Signature(rf"^{_PROMPT}net add (?:bgp|bond|bridge|hostname|interface|loopback|roce"
                      r"|vlan)\b", 14, "a net add command"),
        ),
        hostname=r"^net add hostname (?P<name>\S+)"),
)  # fmt: skip

NOS = switch(
    "cumulus",
    "Cumulus Linux",
    (*SOURCES, *LLDP),
    netmiko_type="linux",
    defaults=(*defaults, *(each for base in BASES for each in base.defaults.values())),
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
)
