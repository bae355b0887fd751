"""Defaults of Junos, each with its place in docs/nos/junos.md, and its documented bounds."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.nos.declare import Default
from roce_lint.nos.refusals import Bounds, Words, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/junos.md#"


def _sure(value: object, says: str, heading: str) -> Default:
    return Default(value, says, _PAGE + heading)


def _usual(value: object, says: str, heading: str) -> Default:
    return Default(value, f"Junos default: {says}", _PAGE + heading)


def _unsure(value: object, says: str, heading: str, *, unfilled: bool = False) -> Default:
    return Default(value, says, _PAGE + heading, Confidence.UNCONFIRMED, unfilled=unfilled)


# Interfaces.
ENABLED = _usual(True, "interfaces are up", "interfaces")
ACCESS = _usual("access", "a switched port is an access port", "interfaces")
MTU = _usual(1500, "media MTU 1514, an IP MTU of 1500", "how-mtu-is-counted")
SHORT_HELLOS = _sure(
    True, "Junos fills up the hellos of IS-IS to 1492 bytes, not to the MTU", "how-mtu-is-counted"
)

# Classes.
CLASSIFIER = _unsure(
    "default",
    "Junos default: without a classifier DSCP 48 and 56 are network-control, the rest best-effort",
    "classes",
    unfilled=True,
)
TRUST = _unsure(
    Trust.DSCP, "Junos default: the default classifier of routed ports looks at the DSCP", "classes"
)
NOT_NAMED = _unsure(
    0,
    "Junos: a code point that the classifier does not name is best-effort",
    "classes",
    unfilled=True,
)
IMPORTED = _unsure(
    None,
    "Junos: `import default` sends DSCP 48 and 56 to network-control, the rest to best-effort",
    "classes",
    unfilled=True,
)
UNTAGGED_PCP = _sure(0, "IEEE 802.1Q: a packet without tag has priority 0", "classes")
ONE_FORWARDING = _sure("forwarding-classes", "Junos has one set of forwarding classes", "classes")
BUILT_IN_NO_LOSS = ("fcoe", "no-loss")
_SURE = {"best-effort": 0, "be": 0, "be1": 1, "fcoe": 3, "no-loss": 4, "mcast": 8}
BUILT_IN = {
    name: _sure(
        queue,
        f"Junos: {name} is queue {queue}{', no-loss' if name in BUILT_IN_NO_LOSS else ''}",
        "classes",
    )
    for name, queue in _SURE.items()
} | {
    name: _unsure(queue, f"{system}: {name} is queue {queue}", "classes")
    for system, name, queue in (
        ("Junos on QFX", "network-control", 7),
        ("Junos on QFX", "nc", 7),
        ("Junos", "expedited-forwarding", 1),
        ("Junos", "assured-forwarding", 2),
    )
}
"""Forwarding classes that need no definition, with their queues."""

BUILT_IN_ON_SOME = ("mcast-be", "mcast-ef", "mcast-af", "mcast-nc")
"""Forwarding classes with separate queues on EX4300 and EX8200 only (docs/nos/junos.md): a
configuration does not state the model, so they are neither undefined nor known.
"""

# PFC.
PRIORITY_OF_QUEUE = _unsure(
    None,
    "Junos: a no-loss class without pfc-priority has the priority of its queue's number",
    "pfc",
)
OWN_GROUP = _unsure(None, "Junos: a lossless priority has a priority group of its own", "pfc")
PFC_OFF = _usual(
    PfcMode.OFF, "no pause is sent by a port without a congestion-notification-profile", "pfc"
)
NO_PAUSE = _usual(frozenset(), "no pause is sent for what the profile's input does not list", "pfc")
OBEYED = _unsure(
    frozenset({3, 4}), "Junos default: queues 3 and 4 obey pause for priorities 3 and 4", "pfc"
)
MRU = _usual(2500, "headroom is made for packets of 2500 bytes", "headroom")
MRU_EVO = _unsure(MRU.value, MRU.says, "headroom")
MRU_OF_4 = _usual(9216, "headroom of priority 4 is made for packets of 9216 bytes", "headroom")
CABLE = _usual(100.0, "headroom is made for 100 m of cable", "headroom")
HEADROOM = _sure(
    HeadroomModel.PLATFORM,
    "Junos makes the headroom of paused priorities itself, from mru and cable-length",
    "headroom",
)

# Watchdog.
NOT_WATCHED = _usual(False, "no watchdog without pfc-watchdog in the profile", "watchdog")
LONGEST_MS, MOST_INTERVALS = 10_000_000, 1000
"""Largest times of a watchdog that are read; the documented ranges are not known."""
POLLING = _usual(100.0, "the watchdog polls every 100 ms", "watchdog")
DETECTION = _usual(2, "a queue is stuck after 2 polling intervals", "watchdog")
RECOVERY = _usual(200.0, "a stuck queue is restored after 200 ms", "watchdog")
ACTION = _usual(WatchdogAction.DROP, "the watchdog drops what is queued", "watchdog")
WATCHES_NOTHING = _sure(
    frozenset(),
    "Junos: the watchdog guards queues named by flow-control-queue, and no others",
    "watchdog",
)

# Queues.
LOW = _usual(SchedulerKind.WEIGHTED, "priority low", "queues")
NO_ECN = _usual(False, "a queue without explicit-congestion-notification does not mark", "queues")
NO_WRED = _usual(False, "a queue without drop-profile-map drops nothing early", "queues")
NOTHING_TO_MARK_BY = _sure(
    False, "Junos: ECN marks by the queue's drop profile, and there is none", "queues"
)
PLAIN_QUEUES = _usual("default", "without a scheduler-map no queue marks", "queues")

# Overlays.
OUTER_COPIED = _sure(
    True, "Junos (EX, QFX): the outer VXLAN header has the DSCP of the packet", "overlays"
)
INNER_DECIDES = _sure(
    False, "Junos (EX, QFX): the last leaf classifies by the inner header", "overlays"
)
INNER_KEPT = _sure(
    False, "Junos (EX, QFX): the last leaf leaves the inner DSCP as it is", "overlays"
)
REWRITES_OUTER = _sure(
    True, "Junos (EX, QFX): a rewrite rule changes the outer DSCP alone", "overlays"
)

NO_LLDP = _usual(False, "no port sends LLDP frames without `protocols lldp`", "interfaces")
NOT_CONNECTED = _usual(False, "BGP announces the routes of BGP alone", "routing")
NO_OWN_AS = _usual(0, "a route with the own AS in its path is hidden", "routing")
MAX_PATHS = _usual(1, "without multipath BGP uses one path", "routing")
ONE_NEXT_HOP = _usual(False, "of equal-cost next hops one is used to forward", "load-balancing")
NOT_TO_OWN_AS = _usual(False, "a peer is not sent routes that came from its own AS", "routing")
SENDS_COMMUNITIES = _sure(
    True, "Junos: communities of a route are sent on, unless a policy takes them away", "routing"
)

DEFAULTS = (
    *(entry for entry in list(vars().values()) if isinstance(entry, Default)),
    *BUILT_IN.values(),
)

# Documented bounds and word lists of Junos.

_REFUSALS = _PAGE + "what-the-device-refuses"

LIMITS = table(
    Bounds("pfc-priority", 0, 7, _REFUSALS, instead="the class is not lossless"),
    Bounds("queue", 0, 11, _REFUSALS),
    Bounds("percent", 0, 100, _REFUSALS),
    Bounds("dynamic-threshold", 0, 10, _REFUSALS),
    Words("priority", ("low", "medium-low", "medium-high", "high", "strict-high"), _REFUSALS),
    Words("loss-priority", ("low", "medium-low", "medium-high", "high", "any"), _REFUSALS),
    Bounds("flow-control-queue", 0, 7, _REFUSALS, instead="the line lets no PFC stop the queue"),
)
"""Limits by setting, as the readers name it."""
