"""Defaults of Junos, each with its place in docs/nos/junos.md, and its documented bounds."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.nos.refusals import Bounds, Words, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/junos.md#"
_UNCONFIRMED = Confidence.UNCONFIRMED

# Interfaces.
ENABLED = Default(True, "Junos default: interfaces are up", _PAGE + "interfaces")
ACCESS = Default("access", "Junos default: a switched port is an access port", _PAGE + "interfaces")
MTU = Default(
    1500, "Junos default: media MTU 1514, an IP MTU of 1500", _PAGE + "how-mtu-is-counted"
)
SHORT_HELLOS = Default(
    True,
    "Junos fills up the hellos of IS-IS to 1492 bytes, not to the MTU",
    _PAGE + "how-mtu-is-counted",
)

# Classes.
CLASSIFIER = Default(
    "default",
    "Junos default: without a classifier DSCP 48 and 56 are network-control, the rest best-effort",
    _PAGE + "classes",
    _UNCONFIRMED,
    unfilled=True,
)
TRUST = Default(
    Trust.DSCP,
    "Junos default: the default classifier of routed ports looks at the DSCP",
    _PAGE + "classes",
    _UNCONFIRMED,
)
NOT_NAMED = Default(
    0,
    "Junos: a code point that the classifier does not name is best-effort",
    _PAGE + "classes",
    _UNCONFIRMED,
    unfilled=True,
)
IMPORTED = Default(
    None,
    "Junos: `import default` sends DSCP 48 and 56 to network-control, the rest to best-effort",
    _PAGE + "classes",
    _UNCONFIRMED,
    unfilled=True,
)
UNTAGGED_PCP = Default(0, "IEEE 802.1Q: a packet without tag has priority 0", _PAGE + "classes")
ONE_FORWARDING = Default(
    "forwarding-classes", "Junos has one set of forwarding classes", _PAGE + "classes"
)
BUILT_IN = {
    "best-effort": Default(0, "Junos: best-effort is queue 0", _PAGE + "classes"),
    "be": Default(0, "Junos: be is queue 0", _PAGE + "classes"),
    "be1": Default(1, "Junos: be1 is queue 1", _PAGE + "classes"),
    "fcoe": Default(3, "Junos: fcoe is queue 3, no-loss", _PAGE + "classes"),
    "no-loss": Default(4, "Junos: no-loss is queue 4, no-loss", _PAGE + "classes"),
    "mcast": Default(8, "Junos: mcast is queue 8", _PAGE + "classes"),
    "network-control": Default(
        7, "Junos on QFX: network-control is queue 7", _PAGE + "classes", _UNCONFIRMED
    ),
    "nc": Default(7, "Junos on QFX: nc is queue 7", _PAGE + "classes", _UNCONFIRMED),
    "expedited-forwarding": Default(
        1, "Junos: expedited-forwarding is queue 1", _PAGE + "classes", _UNCONFIRMED
    ),
    "assured-forwarding": Default(
        2, "Junos: assured-forwarding is queue 2", _PAGE + "classes", _UNCONFIRMED
    ),
}
"""Forwarding classes that need no definition, with their queues."""

BUILT_IN_ON_SOME = ("mcast-be", "mcast-ef", "mcast-af", "mcast-nc")
"""Forwarding classes with separate queues on EX4300 and EX8200 only (docs/nos/junos.md): a
configuration does not state the model, so they are neither undefined nor known.
"""

BUILT_IN_NO_LOSS = ("fcoe", "no-loss")

# PFC.
PRIORITY_OF_QUEUE = Default(
    None,
    "Junos: a no-loss class without pfc-priority has the priority of its queue's number",
    _PAGE + "pfc",
    _UNCONFIRMED,
)
OWN_GROUP = Default(
    None,
    "Junos: a lossless priority has a priority group of its own",
    _PAGE + "pfc",
    _UNCONFIRMED,
)
PFC_OFF = Default(
    PfcMode.OFF,
    "Junos default: no pause is sent by a port without a congestion-notification-profile",
    _PAGE + "pfc",
)
NO_PAUSE = Default(
    frozenset(),
    "Junos default: no pause is sent for what the profile's input does not list",
    _PAGE + "pfc",
)
OBEYED = Default(
    frozenset({3, 4}),
    "Junos default: queues 3 and 4 obey pause for priorities 3 and 4",
    _PAGE + "pfc",
    _UNCONFIRMED,
)
MRU = Default(2500, "Junos default: headroom is made for packets of 2500 bytes", _PAGE + "headroom")
MRU_EVO = Default(MRU.value, MRU.says, _PAGE + "headroom", _UNCONFIRMED)
MRU_OF_4 = Default(
    9216,
    "Junos default: headroom of priority 4 is made for packets of 9216 bytes",
    _PAGE + "headroom",
)
CABLE = Default(100.0, "Junos default: headroom is made for 100 m of cable", _PAGE + "headroom")
HEADROOM = Default(
    HeadroomModel.PLATFORM,
    "Junos makes the headroom of paused priorities itself, from mru and cable-length",
    _PAGE + "headroom",
)

# Watchdog.
NOT_WATCHED = Default(
    False, "Junos default: no watchdog without pfc-watchdog in the profile", _PAGE + "watchdog"
)
POLLING = Default(100.0, "Junos default: the watchdog polls every 100 ms", _PAGE + "watchdog")
DETECTION = Default(
    2, "Junos default: a queue is stuck after 2 polling intervals", _PAGE + "watchdog"
)
RECOVERY = Default(
    200.0, "Junos default: a stuck queue is restored after 200 ms", _PAGE + "watchdog"
)
ACTION = Default(
    WatchdogAction.DROP, "Junos default: the watchdog drops what is queued", _PAGE + "watchdog"
)
WATCHES_NOTHING = Default(
    frozenset(),
    "Junos: the watchdog guards queues named by flow-control-queue, and no others",
    _PAGE + "watchdog",
)

# Queues.
LOW = Default(SchedulerKind.WEIGHTED, "Junos default: priority low", _PAGE + "queues")
NO_ECN = Default(
    False, "Junos default: a queue without explicit-congestion-notification does not mark",
    _PAGE + "queues",
)  # fmt: skip
NO_WRED = Default(
    False, "Junos default: a queue without drop-profile-map drops nothing early", _PAGE + "queues"
)
NOTHING_TO_MARK_BY = Default(
    False, "Junos: ECN marks by the queue's drop profile, and there is none", _PAGE + "queues"
)
PLAIN_QUEUES = Default(
    "default", "Junos default: without a scheduler-map no queue marks", _PAGE + "queues"
)

# Overlays.
OUTER_COPIED = Default(
    True, "Junos (EX, QFX): the outer VXLAN header has the DSCP of the packet", _PAGE + "overlays"
)
INNER_DECIDES = Default(
    False, "Junos (EX, QFX): the last leaf classifies by the inner header", _PAGE + "overlays"
)
INNER_KEPT = Default(
    False, "Junos (EX, QFX): the last leaf leaves the inner DSCP as it is", _PAGE + "overlays"
)
REWRITES_OUTER = Default(
    True, "Junos (EX, QFX): a rewrite rule changes the outer DSCP alone", _PAGE + "overlays"
)

NO_OWN_AS = Default(
    0,
    "Junos default: a route with the own AS in its path is hidden",
    _PAGE + "routing",
)
MAX_PATHS = Default(1, "Junos default: without multipath BGP uses one path", _PAGE + "routing")
ONE_NEXT_HOP = Default(
    False, "Junos default: of equal-cost next hops one is used to forward", _PAGE + "load-balancing"
)
NOT_TO_OWN_AS = Default(
    False,
    "Junos default: a peer is not sent routes that came from its own AS",
    _PAGE + "routing",
)
SENDS_COMMUNITIES = Default(
    True,
    "Junos: communities of a route are sent on, unless a policy takes them away",
    _PAGE + "routing",
)

DEFAULTS = (
    *(entry for entry in list(vars().values()) if isinstance(entry, Default)),
    *BUILT_IN.values(),
)


# Documented bounds and word lists of Junos.

_REFUSALS = "docs/nos/junos.md#what-the-device-refuses"

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
