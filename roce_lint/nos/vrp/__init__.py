"""Declaration of Huawei CloudEngine (VRP); facts and their sources are in docs/nos/vrp.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import LIST_LINES, Offer, Printing, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Ending, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds

defaults = defaults_of("vrp")


# LLDP outputs.
_COMMAND = r"display lldp neighbor(?: interface \S+(?: \d\S*)?)?"
_TITLES = r"^Local Interface +Exptime ?\(s\) +Neighbor Interface +Neighbor Device"

LLDP = (
    neighbors(
        "lldp-detail",
        _COMMAND,
        Blocks(above=r"(?P<port>\S+) has \d+ neighbor", begins=r"Neighbor index *:"),
        Signature(r"^\S+ has \d+ neighbor(?:s|\(s\))?:?", 10, "neighbours of a port"),
        Signature(r"^Neighbor index +:", 4, "number of a neighbour"),
        run="display lldp neighbor",
    ),
    neighbors(
        "lldp-brief",
        rf"{_COMMAND} brief",
        Columns(
            "Local Interface=port, Local Intf=port, Neighbor Interface=port_id,"
            " Neighbor Intf=port_id, Neighbor Device=system, Neighbor Dev=system"
        ),
        Signature(_TITLES, 12, "titles of the neighbours"),
        Signature(r"^Local Intf +Neighbor Dev +Neighbor Intf", 12, "titles of the neighbours"),
    ),
)


# Design settings: what all models take.
_DESIGN = "docs/nos/vrp.md#design-settings"

OFFER = Offer(
    port="{type}1/0/{n}",
    split="{type}1/0/{n}:{s}",
    types={speed: f"{speed}GE" for speed in (10, 25, 40, 50, 100, 200, 400, 800)},
    loopback="LoopBack0",
    lossless=3,
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("ECN threshold", 320, 10223616, _DESIGN),
    pmax_percent=Bounds("discard-percentage", 1, 100, _DESIGN, "percent"),
    ip_mtu=Bounds("mtu", 46, 9482, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        detection_ms=Bounds("deadlock-detect timer", 10, 1500, _DESIGN, "ms"),
        restoration_ms=Bounds("deadlock-recovery timer", 10, 1500, _DESIGN, "ms"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD}),
        source=_DESIGN,
    ),
    caps_in_percent=True,
    source="docs/nos/vrp.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "display current-configuration",
    command="display (?:current|saved)-configuration",
    nos="vrp",
    sections=(
        Section("access-list", r"acl (?:ipv6 )?(?:number|name) "),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"dcb pfc\b(?! uplink)|diffserv domain |drop-profile |traffic-(?:filter|policy) "
            r"|qos (?:ecn enable|buffer headroom-pool)|ai-service$|iqcn(?: |$)",
        ),
        Section("overlay", r"bridge-domain \d|ip vpn-instance "),
        Section("device", r"sysname |lldp enable|bgp \d"),
    ),
    comment=r"#|!|//",
    separator=r"#",
    skips=(Skip(r"header (?:shell|login)(?: information)? *(?P<end>[\"%@])"),),
    outer=r"(?:ospf|ospfv3|isis|vlan|vlan batch) \d|dfs-group \d+$|(?:acl|aaa|user-interface"
    r"|ntp-service|ntp unicast-server|snmp-agent|info-center|ssh|stelnet|telnet|route-policy"
    r"|stp region-configuration|traffic (?:classifier|behavior|policy)|local-user|evpn-overlay"
    r"|return)(?: |$)",
    hostname="sysname",
    ending=Ending(r"!Software Version .*", "return"),
)

NOS = stanza_switch(
    "vrp",
    "Huawei CloudEngine",
    (RUNNING_CONFIG, *LLDP),
    netmiko_type="huawei_vrpv8",
    offer=OFFER,
    printing=Printing(comment="#", end="return"),
    typed=Typed(
        take="undo",
        leave="quit",
        begin=("system-view",),
        end=("commit", "return"),
        keys=r"ip-dscp-inbound \d+|qos queue \d+ (?:wred|ecn|drr)|mtu|trust upstream|fec mode"
        r"|(?:dcb pfc|jumboframe) enable|ecn|dcb pfc deadlock-\w+ timer|priority \d+$"
        rf"|priority \d+ deadlock-\w+ time|peer \S+ as-number|{LIST_LINES}",
    ),
)
