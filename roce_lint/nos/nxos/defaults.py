"""Defaults of NX-OS with their sources (docs/nos/nxos.md)."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.model.qos import PfcMode, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

PORTS = "docs/nos/nxos.md#ports"
QOS = "docs/nos/nxos.md#classes-and-queues"
PFC = "docs/nos/nxos.md#pause-and-watchdog"
MTU = "docs/nos/nxos.md#how-mtu-is-counted"
ROUTING = "docs/nos/nxos.md#routing"
UNCONFIRMED = Confidence.UNCONFIRMED

CONFIG = "running-config"
"""Name of the configuration source."""

# ports

SWITCHED = Default(
    False,
    "NX-OS default: a port is switched (the setup dialogue may have changed that)",
    PORTS,
    UNCONFIRMED,
)
ROUTED = Default(True, "Nexus 7000 default: a port is routed", PORTS)
SWITCHED_UP = Default(True, "NX-OS default: a switched port is not shut down", PORTS)
ROUTED_DOWN = Default(
    False, "NX-OS default from 9.x, and on Nexus 9000: a routed port is shut down", PORTS
)
ROUTED_UP = Default(
    True, "NX-OS default: a routed port is not shut down (Nexus 9000: it is)", PORTS, UNCONFIRMED
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
UNTAGGED_COS = Default(0, "NX-OS default: an untagged packet counts as CoS 0", QOS, UNCONFIRMED)
GROUP_IS_QUEUE = Default(None, "NX-OS: a qos-group leaves through the queue of its number", QOS)
GROUP_IS_PG = Default(
    None, "NX-OS: a qos-group is accounted in the priority group of its number", QOS, UNCONFIRMED
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
SERIES_BY_NAME = Default(
    None, "the host name alone tells the series of the switch", MTU, UNCONFIRMED
)
CLASS_MTU_1500 = Default(1500, "NX-OS default: the MTU of a network-qos class is 1500", MTU)
PAUSE_PRIORITY = Default(
    None,
    "NX-OS: `pause no-drop` without pfc-cos pauses the CoS that the class is matched by",
    PFC,
    UNCONFIRMED,
)
PFC_AUTO = Default(
    PfcMode.AUTO, "NX-OS default: priority-flow-control mode auto, on only if DCBX agrees", PFC
)
LINK_PAUSE_OFF = Default(False, "NX-OS default: flowcontrol off", PFC)
WATCHDOG_OFF = Default(False, "NX-OS default: priority-flow-control watch-dog-interval off", PFC)
WATCHDOG_DROPS = Default(
    WatchdogAction.DROP, "NX-OS default: the watchdog drops what is in and for the stuck queue", PFC
)
WATCHDOG_INTERVAL = Default(
    100.0, "NX-OS default: the watchdog polls every 100 ms", PFC, UNCONFIRMED
)

FORWARDS = Default(
    frozenset({"ipv4", "ipv6"}),
    "NX-OS: it routes between ports with addresses, without a line",
    ROUTING,
    UNCONFIRMED,
)
NO_LLDP = Default(False, "NX-OS: LLDP is on where `feature lldp` enables it", ROUTING, UNCONFIRMED)
MAX_PATHS = Default(1, "NX-OS default: BGP uses one path", ROUTING, UNCONFIRMED)
NO_OWN_AS = Default(0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", ROUTING)

NOT_TO_OWN_AS = Default(
    False,
    "NX-OS default: a peer is not sent routes that came from its own AS",
    ROUTING,
    UNCONFIRMED,
)


def as_unconfirmed(default: Default) -> Default:
    """The same default, unconfirmed because the platform is uncertain."""
    return replace(default, confidence=UNCONFIRMED)


DEFAULTS = tuple(value for value in dict(globals()).values() if isinstance(value, Default))
