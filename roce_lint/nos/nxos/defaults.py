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
UNCONFIRMED = Confidence.UNCONFIRMED

# ports

SWITCHED = Default(
    value=False,
    says="NX-OS default: a port is switched (the setup dialogue may have changed that)",
    source=PORTS,
    confidence=UNCONFIRMED,
)
ROUTED = Default(value=True, says="Nexus 7000 default: a port is routed", source=PORTS)
SWITCHED_UP = Default(
    value=True, says="NX-OS default: a switched port is not shut down", source=PORTS
)
ROUTED_DOWN = Default(
    value=False,
    says="NX-OS default from 9.x, and on Nexus 9000: a routed port is shut down",
    source=PORTS,
)
ROUTED_UP = Default(
    value=True,
    says="NX-OS default: a routed port is not shut down (Nexus 9000: it is)",
    source=PORTS,
    confidence=UNCONFIRMED,
)
CHANNEL_UP = Default(value=True, says="NX-OS default: a channel is not shut down", source=PORTS)
VIRTUAL_UP = Default(
    value=True, says="NX-OS default: loopback and management are not shut down", source=PORTS
)
VLAN_DOWN = Default(value=False, says="NX-OS default: a VLAN interface is shut down", source=PORTS)
SUBINTERFACE_DOWN = Default(
    value=False, says="NX-OS default: a subinterface is shut down", source=PORTS
)
VLAN_ONE = Default(value=1, says="NX-OS default: access and native VLAN 1", source=PORTS)
MTU_1500 = Default(value=1500, says="NX-OS default: MTU 1500", source=MTU)

# classes and queues

NO_POLICY = Default(
    value="default",
    says="NX-OS default: without an input policy every packet is in qos-group 0",
    source=QOS,
)
CLASS_DEFAULT = Default(
    value=0, says="NX-OS default: what no class takes is in qos-group 0", source=QOS
)
GROUP_NOT_SET = Default(
    value=0, says="NX-OS default: a class without `set qos-group` stays in qos-group 0", source=QOS
)
UNTAGGED_COS = Default(
    value=0,
    says="NX-OS default: an untagged packet counts as CoS 0",
    source=QOS,
    confidence=UNCONFIRMED,
)
GROUP_IS_QUEUE = Default(
    value=None, says="NX-OS: a qos-group leaves through the queue of its number", source=QOS
)
GROUP_IS_PG = Default(
    value=None,
    says="NX-OS: a qos-group is accounted in the priority group of its number",
    source=QOS,
    confidence=UNCONFIRMED,
)
NO_ECN = Default(
    value=False, says="NX-OS default: a queue without random-detect does not mark", source=QOS
)
DEFAULT_OUT = Default(
    value="default-8q-out-policy",
    says="NX-OS default: default-8q-out-policy schedules every port",
    source=QOS,
)
STRICT_7 = Default(
    value=1, says="default-8q-out-policy: queue 7 is strict, priority level 1", source=QOS
)
ZERO_SHARE = Default(
    value=0.0, says="default-8q-out-policy: queues 1 to 6 get 0 percent of the rest", source=QOS
)
WHOLE_SHARE = Default(
    value=100.0, says="default-8q-out-policy: queue 0 gets 100 percent of the rest", source=QOS
)
DEFAULT_NO_ECN = Default(
    value=False, says="default-8q-out-policy: no queue marks (no WRED, no ECN)", source=QOS
)

# pause

NO_PAUSE = Default(value=None, says="NX-OS default: default-nq-policy pauses no class", source=PFC)
SERIES_BY_NAME = Default(
    value=None,
    says="the host name alone tells the series of the switch",
    source=MTU,
    confidence=UNCONFIRMED,
)
CLASS_MTU_1500 = Default(
    value=1500, says="NX-OS default: the MTU of a network-qos class is 1500", source=MTU
)
PAUSE_PRIORITY = Default(
    value=None,
    says="NX-OS: `pause no-drop` without pfc-cos pauses the CoS that the class is matched by",
    source=PFC,
    confidence=UNCONFIRMED,
)
PFC_AUTO = Default(
    value=PfcMode.AUTO,
    says="NX-OS default: priority-flow-control mode auto, on only if DCBX agrees",
    source=PFC,
)
LINK_PAUSE_OFF = Default(value=False, says="NX-OS default: flowcontrol off", source=PFC)
WATCHDOG_OFF = Default(
    value=False, says="NX-OS default: priority-flow-control watch-dog-interval off", source=PFC
)
WATCHDOG_DROPS = Default(
    value=WatchdogAction.DROP,
    says="NX-OS default: the watchdog drops what is in and for the stuck queue",
    source=PFC,
)
WATCHDOG_INTERVAL = Default(
    value=100.0,
    says="NX-OS default: the watchdog polls every 100 ms",
    source=PFC,
    confidence=UNCONFIRMED,
)

MAX_PATHS = Default(
    1,
    says="NX-OS default: BGP uses one path",
    source="docs/nos/nxos.md#routing",
    confidence=UNCONFIRMED,
)
NO_OWN_AS = Default(
    0,
    says="BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)",
    source="docs/nos/nxos.md#routing",
)

NOT_TO_OWN_AS = Default(
    value=False,
    says="NX-OS default: a peer is not sent routes that came from its own AS",
    source="docs/nos/nxos.md#routing",
    confidence=UNCONFIRMED,
)


def as_unconfirmed(default: Default) -> Default:
    """The same default, unconfirmed because the platform is uncertain."""
    return replace(default, confidence=UNCONFIRMED)


DEFAULTS = tuple(value for value in dict(globals()).values() if isinstance(value, Default))
