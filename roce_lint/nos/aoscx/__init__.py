"""Declaration of Aruba AOS-CX; facts and their sources are in docs/nos/aoscx.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind
from roce_lint.nos.base import LIST_LINES, Offer, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, kinds, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in

defaults = defaults_of("aoscx")


# LLDP outputs.
LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbor-info(?: detail| \d\S*)",
        Blocks(
            kinds(
                "port=port, neighbor chassis-id=chassis, neighbor chassis-name=system,"
                " neighbor system-name=system, neighbor port-id=port_id,"
                " neighbor port-desc=description, neighbor max-frame-size=max_frame"
            ),
            begins=r"Port +:",
        ),
        Signature(r"^Neighbor Chassis-ID +:", 10, "chassis of a neighbour"),
        Signature(r"^Neighbor Port-ID +:", 4, "port of a neighbour"),
        run="show lldp neighbor-info detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbor-info",
        Columns(
            "LOCAL-PORT=port, CHASSIS-ID=chassis, PORT-ID=port_id, PORT-DESC=description,"
            " SYS-NAME=system"
        ),
    ),
)


OFFER = Offer(
    port="1/1/{n}",
    split="1/1/{n}:{s}",
    loopback="loopback0",
    lossless=7,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("ECN threshold", 1000, 6_000_000, "docs/nos/aoscx.md#queues", "bytes"),
    pmax_percent=Bounds("marking probability", 100, 100, "docs/nos/aoscx.md#queues", "percent"),
    ip_mtu=bounds_in("aoscx", "ip mtu"),
    watchdog=WatchdogOffer(actions=frozenset(), source="docs/nos/aoscx.md#watchdog"),
    source="docs/nos/aoscx.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "show running-config",
    nos="aoscx",
    sections=(
        Section("access-list", r"access-list (?:ip|ipv6|mac) "),
        Section("interface", r"interface (?!tunnel)"),
        Section("qos", r"qos (?:trust|dscp-map|cos-map|pool|\w+-profile) |apply qos "),
        Section("device", r"hostname |lldp$|no lldp$|router bgp "),
    ),
    comment=r"!",
    skips=(Skip(r"banner (?:motd|exec) *(?P<end>\S)"),),
    outer=r"(?:vrf (?!attach )\S+|vlan \d[\d,-]*|router|class (?:ip|ipv6|mac)|policy|access-list"
    r"|user|snmp-server|ntp server|ssh server|https-server|aaa|logging|mirror session|vsx|evpn"
    r"|end)(?: |$)",
    hostname="hostname",
)

NOS = stanza_switch(
    "aoscx",
    "Aruba AOS-CX",
    (RUNNING_CONFIG, *LLDP),
    netmiko_type="aruba_aoscx",
    offer=OFFER,
    typed=Typed(
        keys=r"(?:ip )?mtu|map queue \d+ local-priority \d+|(?:(?:dwrr|strict|name) )?queue \d+"
        r"|qos dscp-map [\d,-]+|qos cos-map \d+|qos trust|flow-control priority"
        rf"|apply qos (?:threshold|schedule)-profile|{LIST_LINES}"
    ),
)
