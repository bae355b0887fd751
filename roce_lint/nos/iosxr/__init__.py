"""Declaration of Cisco IOS-XR (8000, NCS 5500); facts and sources are in docs/nos/iosxr.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import Offer, Printing, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Ending, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.quantities import ETHERNET_HEADER
from roce_lint.nos.refusals import Bounds

defaults = defaults_of("iosxr")


# LLDP outputs.
_TITLES = r"^Device ID +Local Intf +Hold-time +Capability +Port ID"
_ROW = r"[^\n]*(?:\n[^\n]*){0,2}?\n\S* +(?:Gi|Te|TF|Fo|Fi|Hu|TH|FH|EH|Mg|BE)\w*\d/\w+/\d+/\d+"

LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbors(?: \S+)? detail",
        Blocks({"local interface": "port"}, begins=r"Local Interface:"),
        Signature(r"^Local Interface: [A-Za-z]+\d+/", 10, "the local port"),
        Signature(r"^Chassis id: \S", 2, "LLDP neighbour block"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbors(?: (?!detail)\S+)?",
        Columns("Device ID=system, Local Intf=port, Port ID=port_id"),
        Signature(_TITLES, 7, "titles of the neighbours"),
        Signature(rf"{_TITLES}{_ROW}", 5, "local port by four numbers"),
    ),
)


# Documented bounds and word lists.
_PAGE = "docs/nos/iosxr.md#what-the-device-refuses"

TYPES = {
    1.0: "GigabitEthernet",
    10.0: "TenGigE",
    25.0: "TwentyFiveGigE",
    40.0: "FortyGigE",
    50.0: "FiftyGigE",
    100.0: "HundredGigE",
    200.0: "TwoHundredGigE",
    400.0: "FourHundredGigE",
    800.0: "EightHundredGigE",
}
"""Types of ports by their speed in Gb/s."""

MTU_RANGE = 64, 65535

OFFER = Offer(
    port="{type}0/0/0/{n0}",
    split="{type}0/0/0/{n0}/{s0}",
    types=TYPES,
    loopback="Loopback0",
    share_of=ShareKind.WEIGHT,
    pmax_percent=Bounds("probability", 1, 100, _PAGE, "percent"),
    ip_mtu=Bounds(
        "mtu", MTU_RANGE[0] - ETHERNET_HEADER, MTU_RANGE[1] - ETHERNET_HEADER, _PAGE, "bytes"
    ),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/iosxr.md#what-we-do-not-read"),
    source="docs/nos/iosxr.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "show running-config",
    nos="iosxr",
    sections=(
        Section("access-list", r"(?:ipv4|ipv6) access-list "),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"class-map (?!type (?!qos ))|policy-map (?!type (?!qos ))"
            r"|hw-module profile priority-flow-control |priority-flow-control watchdog ",
        ),
        Section("device", r"hostname |lldp$|router bgp "),
    ),
    comment=r"!",
    skips=(Skip(r"banner (?:motd|login|exec|incoming|prompt-timeout|slip-ppp) *(?P<end>\S)"),),
    outer=r"(?:router|controller|vrf|class-map|policy-map|route-policy|prefix-set|community-set|as-path-set"
    r"|extcommunity-set|segment-routing|line|aaa|username|snmp-server|ntp|logging (?!events )\S+"
    r"|ssh|telnet|hw-module|control-plane|multicast-routing|monitor-session|l2vpn|telemetry|grpc"
    r"|flow (?:monitor-map|exporter-map)|(?:ipv4|ipv6) access-list|object-group|key chain|clock"
    r"|performance-measurement|end-policy|end-set|end)(?: |$)",
    hostname="hostname",
    ending=Ending(r"!! IOS XR Configuration .*", "end"),
)

NOS = stanza_switch(
    "iosxr",
    "Cisco IOS-XR",
    (RUNNING_CONFIG, *LLDP),
    netmiko_type="cisco_xr",
    offer=OFFER,
    printing=Printing(end="end"),
    typed=Typed(begin=("configure",), end=("commit", "end")),
)
