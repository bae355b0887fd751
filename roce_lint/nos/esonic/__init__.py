"""Enterprise SONiC by its command line; the facts and their sources are in docs/nos/esonic.md."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Later, Nos, Section, Signature, Source
from roce_lint.nos.declare import ADDRESSES, hostname_pattern, print_command_pattern
from roce_lint.nos.edit import Typed
from roce_lint.nos.esonic.bounds import LIMITS
from roce_lint.nos.esonic.lldp import LLDP
from roce_lint.nos.esonic.pull import PULLED
from roce_lint.nos.platforms import defaults_of

MAPS = "dscp-tc|dot1p-tc|tc-queue|tc-pg|tc-dscp|tc-dot1p|pfc-priority-queue|pfc-priority-pg"

SIGNATURES = (
    Signature(r"^sonic-cli[ \t\r]*$", 8, "the shell's own command"),
    Signature(r"^interface-naming standard", 8, "interface naming"),
    Signature(r"^interface Eth ?\d+/\d+", 5, "ports as Eth"),
    Signature(r"^interface PortChannel ?\d", 4, "channels as PortChannel"),
    Signature(r"^interface Ethernet\d+[ \t]*\r?\n (?![ \t])", 1, "ports by one number"),
    Signature(r"^interface Management ?0[ \t\r]*$", 4, "management port"),
    Signature(r"^mclag domain \d", 6, "MCLAG domain"),
    Signature(rf"^qos map (?:{MAPS}) \S", 8, "QoS map"),
    Signature(rf"^[ \t]+qos-map (?:{MAPS}) \S", 8, "QoS map on a port"),
    Signature(r"^qos (?:wred|scheduler)-policy \S", 8, "QoS policy"),
    Signature(r"^[ \t]+queue \d wred-policy \S", 8, "WRED on a queue"),
    Signature(r"^[ \t]+priority-flow-control watchdog (?:on|action|restore)", 6, "PFC watchdog"),
    Signature(r"^roce enable", 8, "RoCE by one command"),
    Signature(r"^interface vxlan [A-Za-z]", 4, "VXLAN by a named interface"),
    Signature(r"^[ \t]+map vni \d+ (?:vlan|vrf) ", 6, "segments of VLANs"),
    Signature(r"^buffer (?:init lossless|pool (?:in|e)gress_|profile )", 8, "buffers"),
)

PATTERNS = {
    **ADDRESSES,
    "LIST_HEADER": r"(?:ip|ipv6|mac) access-list \S.*",
    "FILTER": r"(?:ip|ipv6|mac) access-group .*",
    "VLANS": r"[Vv]lan .*\S",
    "DOT_TC": r"qos-map dot1p-tc \S+",
    "QUEUE_WRED": r"queue \S+ wred-policy \S+",
    "MAP": MAPS,
    "FROM": "dscp|dot1p|traffic-class|pfc-priority",
    "INTO": "traffic-class|queue|priority-group|pg|dscp|dot1p",
}
"""Named patterns of the templates."""

_OTHER = "no part of the way of a class"

IGNORED = (
    Ignored(
        r"(?:mclag|spanning-tree|lldp|storm-control|autoneg|unreliable-los|gratuitous)\b", _OTHER
    ),
    Ignored(r"exit$", "leaves the stanza"),
    Ignored(r"(?:primary-ip|external-ip|vni-downstream)\b", "the tunnel's addresses"),
    Ignored(r"(?:no )?(?:lacp|fallback|min-links|graceful-shutdown)\b", _OTHER),
    Ignored(r"ip (?!address |vrf )", "routing that touches neither QoS nor MTU"),
    Ignored(r"ipv6 (?!address )", "routing that touches neither QoS nor MTU"),
    Ignored(
        r"(?:router-id|bestpath|log-neighbor-changes|maximum-paths|timers)\b",
        "routing beyond the AS number",
    ),
    Ignored(
        r"(?:address-family|neighbor|peer-group) ", "routing beyond the AS number", subtree=True
    ),
    Ignored(r"(?:yellow|red) ", "RoCE packets are green"),
    Ignored(r"(?:meter-type|cir|pir|cbs|pbs|be)\b", "rates: how they are counted is not confirmed"),
    Ignored(r"description ", "a text"),
)

RUNNING_CONFIG = Source(
    "running-config",
    form=Form.INDENTED,
    command=print_command_pattern("show running-configuration"),
    run="show running-configuration",
    signatures=SIGNATURES,
    sections=(
        Section("access-list", header=r"(?:ip|ipv6|mac) access-list "),
        Section("interface", header=r"interface (?!range create)"),
        Section("qos", header=r"qos (?:map|wred-policy|scheduler-policy) "),
        Section("qos", header=r"roce enable"),
        Section("qos", header=r"buffer (?:init|pool|profile) "),
        Section("device", header=r"hostname "),
        Section("device", header=r"router bgp "),
    ),
    ignored=IGNORED,
    comment=r"[!#]",
    outer=r"(?:router|ip (?:vrf|prefix-list|access-list)|mclag domain|vlan \d+|username|snmp-server"
    r"|route-map \S+ (?:permit|deny)|ntp|logging|aaa|tacacs-server|radius-server|class-map"
    r"|policy-map|line|mirror-session|telemetry|end)(?: |$)",
    base=True,
    hostname=hostname_pattern("hostname"),
)

NOS = Nos(
    name="esonic",
    title="Enterprise SONiC (command line)",
    sources=(RUNNING_CONFIG, *LLDP),
    normalize=Later("roce_lint.nos.esonic.normalize"),
    ports=Later("roce_lint.nos.esonic.normalize", "NAMES"),
    patterns=PATTERNS,
    defaults=defaults_of("esonic"),
    limits=LIMITS,
    typed=Typed(),
    pulled=PULLED,
    netmiko_type="dell_sonic",
)
