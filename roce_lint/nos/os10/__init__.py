"""Declaration of Dell SmartFabric OS10; facts and their sources are in docs/nos/os10.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import LIST_LINES, Offer, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in
from roce_lint.text.source import Confidence

defaults = defaults_of("os10")


# LLDP outputs.
_COMMAND = r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?"

LLDP = (
    neighbors(
        "lldp-brief",
        _COMMAND,
        Columns(
            "Loc PortID=port, Rem Host Name=system, Rem Port Id=port_id, Rem Chassis Id=chassis"
        ),
        run="show lldp neighbors",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND} detail",
        Blocks(
            kinds(
                "remote chassis id=chassis, remote port id=port_id, local port id=port,"
                " remote port description=description, remote system name=system,"
                " remote max frame size=max_frame"
            ),
            begins=r"Remote Chassis ID Subtype:",
        ),
        Signature(r"^Remote Chassis ID Subtype:", 8, "a neighbour"),
        Signature(r"^Locally assigned remote Neighbor Index:", 6, "number of a neighbour"),
    ),
)


OFFER = Offer(
    port="ethernet1/1/{n}",
    split="ethernet1/1/{n}:{s}",
    loopback="loopback0",
    share_of=ShareKind.LINK,
    pmax_percent=bounds_in("os10", "drop-probability"),
    ip_mtu=Bounds(
        "mtu",
        1280,
        9216,
        "docs/nos/os10.md#how-mtu-is-counted",
        "bytes",
        confidence=Confidence.UNCONFIRMED,
    ),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/os10.md#watchdog"),
    source="docs/nos/os10.md#names-of-ports-breakouts-and-lags",
)
"""Design settings; the sources are in docs/nos/os10.md."""


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "show running-configuration",
    nos="os10",
    sections=(
        Section(
            "device",
            r"interface breakout |hostname |dcbx enable$|no dcbx enable$|lldp enable$"
            r"|no lldp enable$|router bgp |vlt-domain \d",
        ),
        Section("access-list", r"(?:ip|ipv6|mac) access-list "),
        Section("interface", r"interface (?!management$)"),  # a line of a VRF
        Section("system-qos", r"system qos$"),
        Section(
            "qos",
            r"trust (?:dot1p|dscp)-map |qos-map traffic-class |wred "
            r"|class-map type (?:network-qos|queuing) |policy-map type (?:network-qos|queuing) ",
        ),
        Section("overlay", r"virtual-network \d|(?:nve|evpn)$"),
    ),
    comment=r"[!#]",
    childless=r"(?:(?:no )?(?:description|shutdown|switchport|mtu|speed|channel-group|flowcontrol)"
    r"|ip (?:address|vrf)|ipv6 address|spanning-tree|negotiation|priority-flow-control)\b",
    skips=(Skip(r"banner (?:motd|login) *(?P<end>\S)"),),
    outer=r"(?:router|ip vrf|(?:ip|ipv6|mac) access-list|ip (?:prefix|community)-list|line|aaa"
    r"|route-map \S+ (?:permit|deny)|username|snmp-server|ntp (?!disable)\S+|logging|clock|login"
    r"|class-map type|policy-map type|control-plane|management route|telemetry|monitor session"
    r"|tacacs-server|radius-server|uplink-state-group|userrole|crypto|end)(?: |$)",
    hostname="hostname",
)

NOS = stanza_switch(
    "os10",
    "Dell SmartFabric OS10",
    (RUNNING_CONFIG, *LLDP),
    netmiko_type="dell_os10",
    offer=OFFER,
    typed=Typed(keys=rf"mtu|qos-group \d+ dscp [\d,-]+|random-detect color \S+|{LIST_LINES}"),
)
