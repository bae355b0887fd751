"""Cumulus Linux: NVUE commands and documents, the flat QoS files, ifupdown2, NCLU."""

from __future__ import annotations

from roce_lint.nos.base import Form, Later, Nos, Plane, Signature, Source
from roce_lint.nos.cumulus.bounds import LIMITS
from roce_lint.nos.cumulus.defaults import DEFAULTS
from roce_lint.nos.cumulus.ignored import FLAT_IGNORED, IFUPDOWN_IGNORED, NCLU_IGNORED, NVUE_IGNORED
from roce_lint.nos.cumulus.lldp import LLDP
from roce_lint.nos.cumulus.offer import OFFER
from roce_lint.nos.cumulus.pull import PULLED
from roce_lint.nos.cumulus.sources import COMMANDS, DATAPATH, DOCUMENT, INTERFACES, NCLU
from roce_lint.nos.edit import Typed

_PROMPT = r"(?:[^\s#$]{1,128}[$#] *)?(?:sudo )?"
_NVUE_TOPS = "acl|bridge|evpn|interface|mlag|nve|platform|qos|router|service|system|vrf|maintenance"

SOURCES = (
    Source(
        COMMANDS,
        form=Form.RAW,
        plane=Plane.CONFIG,
        command=r"(?:sudo )?nv config show (?:.* )?(?:-o|--output) commands(?: .*)?",
        run="nv config show -o commands",
        signatures=(
            Signature(rf"^{_PROMPT}nv set (?:{_NVUE_TOPS})\b", 14, "an nv set command"),
            Signature(rf"^{_PROMPT}nv set (?:interface \S+ type|qos roce)\b", 2, "its statements"),
        ),
        ignored=NVUE_IGNORED,
        base=True,
        hostname=r"^nv set system hostname '?(?P<name>[^\s']+)",
    ),
    Source(
        DOCUMENT,
        form=Form.RAW,
        plane=Plane.CONFIG,
        command=r"(?:sudo )?(?:nv config show(?: .*)?|cat /etc/nvue\.d/\S+\.ya?ml)",
        file_name=r"^startup\.ya?ml$",
        signatures=(
            Signature(r"nvue-api-version[\"']?: *[\"']?nvue_v\d", 14, "nvue-api-version"),
            Signature(rf"^(?:- )?set:[ \t\r]*\n +(?:{_NVUE_TOPS}):", 12, "the set of NVUE"),
            Signature(
                r"^ {2,}type: (?:swp|svi|bond|loopback|eth|peerlink)[ \t\r]*$",
                6,
                "a type of interface",
            ),
            Signature(r"^ {2,6}roce:[ \t\r]*$", 2, "roce"),
            Signature(
                r"\A\s*[\[{][\s\S]*?"
                r'"(?:qos" *: *\{\s*"roce"|interface" *: *\{\s*"(?:swp\d|eth0|lo)")',
                12,
                "the tree of NVUE as its interface for programs gives it",
            ),
        ),
        ignored=NVUE_IGNORED,
        base=True,
        hostname=r"^(?:(?:    |      )hostname: *[\"']?|.*\"hostname\" *: *\")(?P<name>[^\s\"']+)",
    ),
    Source(
        DATAPATH,
        form=Form.RAW,
        plane=Plane.CONFIG,
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
        ),
        ignored=FLAT_IGNORED,
    ),
    Source(
        INTERFACES,
        form=Form.RAW,
        plane=Plane.CONFIG,
        # Hosts print the same file by the same command: `cat` is left to the content.
        command=r"(?:sudo )?ifquery -a",
        signatures=(
            Signature(r"^iface swp\d", 16, "a stanza of a front panel port"),
            Signature(r"^auto swp\d", 4, "a front panel port"),
            Signature(r"^[ \t]+(?:clagd-|vrf-table auto)", 3, "MLAG or a VRF"),
        ),
        ignored=IFUPDOWN_IGNORED,
        hostname=r"^hostname (?P<name>\S+)",
    ),
    Source(
        NCLU,
        form=Form.RAW,
        plane=Plane.CONFIG,
        command=r"(?:sudo )?net show configuration commands",
        signatures=(
            Signature(
                rf"^{_PROMPT}net add (?:bgp|bond|bridge|hostname|interface|loopback|roce|vlan)\b",
                14,
                "a net add command",
            ),
        ),
        ignored=NCLU_IGNORED,
        base=True,
        hostname=r"^net add hostname (?P<name>\S+)",
    ),
)

NOS = Nos(
    name="cumulus",
    title="Cumulus Linux",
    sources=(*SOURCES, *LLDP),
    normalize=Later("roce_lint.nos.cumulus.normalize"),
    netmiko_type="linux",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    render=Later("roce_lint.nos.cumulus.render", "render"),
    typed=Typed(take="nv unset", put="nv set", begin=(), end=("nv config apply",)),
    pulled=PULLED,
)
