"""Defaults, bounds and design settings of NX-OS, with their sources (docs/nos/nxos.md)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from roce_lint.model.qos import HeadroomModel, PfcMode, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.declare import Default
from roce_lint.nos.refusals import Bounds, Words, bounds_in, table
from roce_lint.text.source import Confidence

PORTS = "docs/nos/nxos.md#ports"
QOS = "docs/nos/nxos.md#classes-and-queues"
PFC = "docs/nos/nxos.md#pause-and-watchdog"
MTU = "docs/nos/nxos.md#how-mtu-is-counted"
ROUTING = "docs/nos/nxos.md#routing"
_unsure = partial(Default, confidence=Confidence.UNCONFIRMED)

# ports

SWITCHED = _unsure(
    False, "NX-OS default: a port is switched (the setup dialogue may have changed that)", PORTS
)
ROUTED = Default(True, "Nexus 7000 default: a port is routed", PORTS)
SWITCHED_UP = Default(True, "NX-OS default: a switched port is not shut down", PORTS)
ROUTED_DOWN = Default(
    False, "NX-OS default from 9.x, and on Nexus 9000: a routed port is shut down", PORTS
)
ROUTED_UP = _unsure(
    True, "NX-OS default: a routed port is not shut down (Nexus 9000: it is)", PORTS
)
CHANNEL_UP = Default(True, "NX-OS default: a channel is not shut down", PORTS)
VIRTUAL_UP = Default(True, "NX-OS default: loopback and management are not shut down", PORTS)
VLAN_DOWN = Default(False, "NX-OS default: a VLAN interface is shut down", PORTS)
SUBINTERFACE_DOWN = Default(False, "NX-OS default: a subinterface is shut down", PORTS)
VLAN_ONE = Default(1, "NX-OS default: access and native VLAN 1", PORTS)
MTU_1500 = Default(1500, "NX-OS default: MTU 1500", MTU)

# classes and queues

NO_POLICY = Default(
    "default", "NX-OS default: without an input policy every packet is in qos-group 0", QOS
)
CLASS_DEFAULT = Default(0, "NX-OS default: what no class takes is in qos-group 0", QOS)
GROUP_NOT_SET = Default(
    0, "NX-OS default: a class without `set qos-group` stays in qos-group 0", QOS
)
UNTAGGED_COS = _unsure(0, "NX-OS default: an untagged packet counts as CoS 0", QOS)
GROUP_IS_QUEUE = Default(None, "NX-OS: a qos-group leaves through the queue of its number", QOS)
GROUP_IS_PG = _unsure(
    None, "NX-OS: a qos-group is accounted in the priority group of its number", QOS
)
NO_ECN = Default(False, "NX-OS default: a queue without random-detect does not mark", QOS)
DEFAULT_OUT = Default(
    "default-8q-out-policy", "NX-OS default: default-8q-out-policy schedules every port", QOS
)
STRICT_7 = Default(1, "default-8q-out-policy: queue 7 is strict, priority level 1", QOS)
ZERO_SHARE = Default(0.0, "default-8q-out-policy: queues 1 to 6 get 0 percent of the rest", QOS)
WHOLE_SHARE = Default(100.0, "default-8q-out-policy: queue 0 gets 100 percent of the rest", QOS)
DEFAULT_NO_ECN = Default(False, "default-8q-out-policy: no queue marks (no WRED, no ECN)", QOS)

# pause

NO_PAUSE = Default(None, "NX-OS default: default-nq-policy pauses no class", PFC)
SERIES_BY_NAME = _unsure(None, "the host name alone tells the series of the switch", MTU)
CLASS_MTU_1500 = Default(1500, "NX-OS default: the MTU of a network-qos class is 1500", MTU)
PAUSE_PRIORITY = _unsure(
    None, "NX-OS: `pause no-drop` without pfc-cos pauses the CoS that the class is matched by", PFC
)
PFC_AUTO = Default(
    PfcMode.AUTO, "NX-OS default: priority-flow-control mode auto, on only if DCBX agrees", PFC
)
LINK_PAUSE_OFF = Default(False, "NX-OS default: flowcontrol off", PFC)
WATCHDOG_OFF = Default(False, "NX-OS default: priority-flow-control watch-dog-interval off", PFC)
WATCHDOG_DROPS = Default(
    WatchdogAction.DROP, "NX-OS default: the watchdog drops what is in and for the stuck queue", PFC
)
WATCHDOG_INTERVAL = _unsure(100.0, "NX-OS default: the watchdog polls every 100 ms", PFC)

FORWARDS = _unsure(
    frozenset({"ipv4", "ipv6"}),
    "NX-OS: it routes between ports with addresses, without a line",
    ROUTING,
)
NO_LLDP = _unsure(False, "NX-OS: LLDP is on where `feature lldp` enables it", ROUTING)
MAX_PATHS = _unsure(1, "NX-OS default: BGP uses one path", ROUTING)
NO_OWN_AS = Default(0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", ROUTING)

NOT_TO_OWN_AS = _unsure(
    False, "NX-OS default: a peer is not sent routes that came from its own AS", ROUTING
)


def as_unconfirmed(default: Default) -> Default:
    """The same default, unconfirmed because the platform is uncertain."""
    return replace(default, confidence=Confidence.UNCONFIRMED)


DEFAULTS = tuple(value for value in dict(globals()).values() if isinstance(value, Default))

# Documented bounds and word lists.

_PAGE = "docs/nos/nxos.md#what-the-device-refuses"

LIMITS = table(
    *(
        Bounds(what, 576, 9216, _PAGE, "bytes", f"the {what} is unchanged (1500 bytes by default)")
        for what in ("MTU", "class MTU")
    ),
    Bounds("qos-group", 0, 7, _PAGE, instead="the class stays in qos-group 0"),
    Bounds("DSCP", 0, 63, _PAGE, instead="the line matches none of these packets"),
    Bounds("CoS", 0, 7, _PAGE, instead="the line matches none of these packets"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    Bounds("priority level", 1, 8, _PAGE),
    Bounds("bandwidth percent", 0, 100, _PAGE),
    Bounds(
        "buffer-size",
        5000,
        268435456,
        _PAGE,
        "bytes",
        instead="the platform sizes the buffer of the class itself",
    ),
    Bounds("pfc-cos", 0, 7, _PAGE, instead="the line enables PFC for no CoS"),
    Bounds("watchdog interval", 100, 1000, _PAGE, "ms", confidence=Confidence.UNCONFIRMED),
    Words(
        "watch-dog-interval",
        ("on", "off", "disable-action", "interface-multiplier"),
        _PAGE,
        instead="the watchdog is unchanged (off by default)",
    ),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/nxos.md.

OFFER = Offer(
    port="Ethernet1/{n}",
    split="Ethernet1/{n}/{s}",
    loopback="loopback0",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.REMAINING,
    unit=ThresholdUnit.BYTES,
    pmax_percent=bounds_in(LIMITS, "drop-probability"),
    ip_mtu=bounds_in(LIMITS, "MTU"),
    watchdog=WatchdogOffer(
        polling_ms=bounds_in(LIMITS, "watchdog interval"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT}),
        source=_PAGE,
    ),
    headroom=HeadroomModel.PLATFORM,
    source="docs/nos/nxos.md#names-of-ports-breakouts-and-lags",
)
