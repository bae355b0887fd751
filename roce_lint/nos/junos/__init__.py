"""Junos and Junos Evolved; the facts and their sources are in docs/nos/junos.md."""

from __future__ import annotations

from roce_lint.nos.base import Form, Later, Nos, Plane, Section, Signature, Source
from roce_lint.nos.declare import print_command_pattern
from roce_lint.nos.edit import Typed
from roce_lint.nos.junos.bounds import LIMITS
from roce_lint.nos.junos.context import SOURCE
from roce_lint.nos.junos.defaults import DEFAULTS
from roce_lint.nos.junos.exports import EXPORTS
from roce_lint.nos.junos.ignored import IGNORED
from roce_lint.nos.junos.lldp import LLDP
from roce_lint.nos.junos.offer import OFFER
from roce_lint.nos.junos.pull import PULLED
from roce_lint.nos.junos.route_policies import POLICY_OPTIONS
from roce_lint.nos.junos.routing import BGP
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

_TOP = "system|chassis|interfaces|class-of-service|groups|protocols|policy-options|routing-options"
_PORT = r"(?:et|xe|ge)-\d+/\d+/\d+(?::\d+)?"

SIGNATURES = (
    Signature(r"^# ?RANCID-CONTENT-TYPE: juniper", 10, "collector's heading"),
    Signature(r"^## Last (?:commit|changed): ", 8, "heading of a configuration"),
    Signature(r"^version \d+\.\d[\w.-]*;", 6, "version statement"),
    Signature(rf"^(?:{_TOP}) \{{[ \t\r]*$", 4, "a top-level stanza in braces"),
    Signature(r"^class-of-service \{[ \t\r]*$", 8, "class-of-service"),
    Signature(r"^[ \t]*congestion-notification-profile (?:\S+ )?\{", 6, "congestion notification"),
    Signature(r"^[ \t]+host-name \S+;", 5, "host-name"),
    Signature(rf"^[ \t]+{_PORT} \{{[ \t\r]*$", 6, "a port by its slot"),
    Signature(r"^[ \t]+family (?:inet6?|ethernet-switching)(?: \{|;)[ \t\r]*$", 4, "family"),
    Signature(rf"^set (?:groups \S+ )?interfaces (?:{_PORT}|ae\d+|interface-range) ", 10, "ports"),
    Signature(r"^set (?:groups \S+ )?class-of-service ", 10, "class-of-service"),
    Signature(r"^set (?:groups \S+ )?system host-name \S+", 4, "host-name"),
    Signature(r"^set (?:groups \S+ )?(?:chassis|policy-options|routing-options) ", 3, "stanza"),
    Signature(r"^set (?:\S+ )*apply-groups \S", 5, "apply-groups"),
    Signature(r"^set version \d+\.\d", 6, "version statement"),
)

_TERM: dict[str, Wanted] = {"from": EVERYTHING, "then": EVERYTHING}
FILTERS: dict[str, Wanted] = {"filter": {ANY: {"term": {ANY: _TERM}}}}
POLICER: dict[str, Wanted] = {ANY: EVERYTHING}

_FAMILY_FILTER: dict[str, Wanted] = {"family": {ANY: {"filter": EVERYTHING}}}
_MAC_LIMIT: dict[str, Wanted] = {"interface": {ANY: {"interface-mac-limit": EVERYTHING}}}

VLANS: dict[str, Wanted] = {
    ANY: {
        "switch-options": _MAC_LIMIT,
        "vlan-id": EVERYTHING,
        "l3-interface": EVERYTHING,
        "vxlan": {"vni": EVERYTHING},
        "forwarding-options": {"filter": EVERYTHING},
        "filter": EVERYTHING,
    }
}

WANTED_BELOW: dict[str, Wanted] = {
    "version": EVERYTHING,
    "when": EVERYTHING,
    "system": {
        "host-name": EVERYTHING,
        "packet-forwarding-options": {"no-ip-tos-rewrite": EVERYTHING},
    },
    "chassis": {"fpc": {ANY: {"pic": {ANY: {"port": EVERYTHING}}}}},
    "interfaces": EVERYTHING,
    "class-of-service": EVERYTHING,
    "forwarding-options": {
        "enhanced-hash-key": {"ecmp-dlb": EVERYTHING},
        "storm-control-profiles": {ANY: {"action-shutdown": EVERYTHING}},
        **_FAMILY_FILTER,
    },
    "firewall": {
        "family": {ANY: FILTERS},
        **FILTERS,
        "policer": POLICER,
        "three-color-policer": POLICER,
        "hierarchical-policer": POLICER,
    },
    "vlans": VLANS,
    "switch-options": {"vtep-source-interface": EVERYTHING, **_MAC_LIMIT},
    "protocols": {
        "bgp": BGP,
        "ospf": {"area": {ANY: {"interface": EVERYTHING}}},
        "isis": {"interface": EVERYTHING},
    },
    "policy-options": POLICY_OPTIONS,
    "routing-options": {
        "autonomous-system": EVERYTHING,
        "forwarding-table": {"export": EVERYTHING},
        "static": EVERYTHING,
    },
    "routing-instances": {
        ANY: {
            "instance-type": EVERYTHING,
            "protocols": {"bgp": BGP, "evpn": {"ip-prefix-routes": {"vni": EVERYTHING}}},
            "interface": EVERYTHING,
            "forwarding-options": _FAMILY_FILTER,
            "vtep-source-interface": EVERYTHING,
            "vlans": VLANS,
        }
    },
}

CONFIGURATION = Source(
    SOURCE,
    form=Form.STATEMENTS,
    plane=Plane.CONFIG,
    command=print_command_pattern("show configuration"),
    run="show configuration | display inheritance no-comments | no-more",
    signatures=SIGNATURES,
    sections=(
        Section("interfaces", header=r"interfaces(?: |$)"),
        Section("class-of-service", header=r"class-of-service(?: |$)"),
        Section("host-name", header=r"system host-name"),
        # Read by nothing: where one of them is stated, what becomes of RoCE is open.
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

NOS = Nos(
    name="junos",
    title="Junos and Junos Evolved",
    sources=(CONFIGURATION, *LLDP),
    normalize=Later("roce_lint.nos.junos.normalize"),
    netmiko_type="juniper_junos",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    typed=Typed(take="delete", put="set", begin=("configure",), end=("commit check", "commit")),
    pulled=PULLED,
)
