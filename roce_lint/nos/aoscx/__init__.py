"""Aruba AOS-CX; the facts and their sources are in docs/nos/aoscx.md."""

from __future__ import annotations

from roce_lint.nos.aoscx.bounds import LIMITS
from roce_lint.nos.aoscx.lldp import LLDP
from roce_lint.nos.aoscx.pull import PULLED
from roce_lint.nos.base import Form, Ignored, Later, Nos, Section, Signature, Skip, Source
from roce_lint.nos.declare import ADDRESSES, hostname_pattern, print_command_pattern
from roce_lint.nos.edit import Typed
from roce_lint.nos.platforms import defaults_of

SIGNATURES = (
    Signature(r"^!Version ArubaOS-CX ", 10, "release"),
    Signature(
        r"^interface \d+/\d+/\d+(?::\d)?(?:-\d+/\d+/\d+)?[ \t\r]*$", 5, "ports by number alone"
    ),
    Signature(r"^interface lag \d", 5, "channels as lag"),
    Signature(r"^qos (?:threshold|queue|schedule)-profile \S", 8, "QoS profile"),
    Signature(r"^qos (?:dscp|cos)-map \d[\d,-]* local-priority \d", 8, "map to local priorities"),
    Signature(r"^[ \t]*apply qos (?:threshold|queue|schedule)-profile \S", 8, "profile applied"),
    Signature(r"^[ \t]+flow-control priority rxtx ", 6, "PFC by priority"),
    Signature(r"^[ \t]+vlan trunk (?:native|allowed) ", 5, "VLANs of a trunk"),
    Signature(r"^[ \t]+vrf attach \S", 5, "VRF by `vrf attach`"),
    Signature(r"^qos trust (?:dscp|cos|none)[ \t\r]*$", 2, "trust of the whole switch"),
    Signature(r"^vsx[ \t\r]*$", 4, "VSX pair"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"access-list (?:ip|ipv6|mac) \S.*",
    "FILTER": r"apply access-list .*",
    "NO_PFC": r"no flow-control(?: .*)?",
    "LINK_PAUSE": r"rx|rxtx",
    "POOL_PAUSE": r"\S+ pool \d+.*",
    "DEPTH": r"\S+ [a-z]+",
    "DETAILED": r"\d+(?: .*)?",
}
"""Named patterns of the templates."""

_OTHER = "no part of the way of a class"

IGNORED = (
    Ignored(r"(?:lacp|lldp|spanning-tree|vsx-sync|active-gateway|loop-protect|udld)\b", _OTHER),
    Ignored(r"ip (?!address |mtu )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(r"(?:vrrp|vsx|aaa|port-access|rate-limit|system|persona)\b", _OTHER, subtree=True),
    Ignored(r"(?:speed|autonegotiation|error-control)\b", "speed and FEC: form not confirmed"),
    Ignored(r"name queue ", "a name"),
    Ignored(r"routing$", "what is said of a VNI: its VRF routes"),
    Ignored(r"(?:vtep-peer|inter-vxlan-bridging-mode|vxlan-counters)\b", "the overlay's peers"),
    Ignored(
        r"(?:bgp|neighbor|address-family|vrf|maximum-paths) ?",
        "routing beyond the AS number",
        subtree=True,
    ),
)

RUNNING_CONFIG = Source(
    "running-config",
    form=Form.INDENTED,
    command=print_command_pattern("show running-config"),
    run="show running-config",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", header=r"access-list (?:ip|ipv6|mac) "),
        Section("interface", header=r"interface (?!tunnel)"),
        Section("qos", header=r"qos (?:trust|dscp-map|cos-map|\w+-profile) "),
        Section("qos", header=r"apply qos "),
        Section("device", header=r"hostname "),
        Section("device", header=r"router bgp "),
    ),
    ignored=IGNORED,
    comment=r"!",
    skips=(Skip(r"banner (?:motd|exec) *(?P<end>\S)"),),
    outer=r"(?:vrf (?!attach )\S+|vlan \d[\d,-]*|router|class (?:ip|ipv6|mac)|policy|access-list"
    r"|user|snmp-server|ntp server|ssh server|https-server|aaa|logging|mirror session|vsx|evpn"
    r"|end)(?: |$)",
    base=True,
    hostname=hostname_pattern("hostname"),
)

NOS = Nos(
    name="aoscx",
    title="Aruba AOS-CX",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.aoscx.normalize"),
    ports=Later("roce_lint.nos.aoscx.normalize", "NAMES"),
    patterns=PATTERNS,
    netmiko_type="aruba_aoscx",
    defaults=defaults_of("aoscx"),
    limits=LIMITS,
    typed=Typed(),
    pulled=PULLED,
)
