"""What Cumulus Linux does where nothing is configured, with the place that says so."""

from __future__ import annotations

from roce_lint.model.qos import SchedulerKind, WatchdogAction
from roce_lint.nos.cumulus.roce import BASES
from roce_lint.nos.declare import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/cumulus.md"
_UNCONFIRMED = Confidence.UNCONFIRMED

UP = Default(
    value=True,
    says="Cumulus Linux default: an interface that is configured is up",
    source=f"{_PAGE}#ports",
)
MTU = Default(
    value=9216,
    says="Cumulus Linux default: mtu 9216",
    source=f"{_PAGE}#how-mtu-is-counted",
)
PROFILE_REST = Default(
    value=None,
    says="Cumulus Linux: what a port profile does not list is as without configuration",
    source=f"{_PAGE}#classification",
    confidence=_UNCONFIRMED,
)
PORT_DEFAULT_SP = Default(
    value=0,
    says="Cumulus Linux default: port-default-sp 0",
    source=f"{_PAGE}#classification",
)
PCP_IDENTITY = Default(
    value=None,
    says="Cumulus Linux default: 802.1p n has switch priority n",
    source=f"{_PAGE}#classification",
)
PAUSE_PRIORITY = Default(
    value=None,
    says="Cumulus Linux: switch priority n is paused with priority n",
    source=f"{_PAGE}#pfc",
)
PFC_DIRECTION = Default(
    value=True,
    says="Cumulus Linux default: a PFC profile sends and obeys pause",
    source=f"{_PAGE}#pfc",
)
OBEYS_ALL = Default(
    value=frozenset(range(8)),
    says="Cumulus Linux: a port that obeys pause does so for every priority",
    source=f"{_PAGE}#pfc",
)
NO_PRIORITY = Default(
    value=frozenset(),
    says="Cumulus Linux: a PFC profile without switch-priority pauses nothing",
    source=f"{_PAGE}#pfc",
    confidence=_UNCONFIRMED,
)
CABLE = Default(
    value=10.0,
    says="Cumulus Linux default: cable-length 10",
    source=f"{_PAGE}#pfc",
)
NO_LOSSLESS_POOL = Default(
    value=0.0,
    says="Cumulus Linux: without qos roce all of the buffer is the pool default-lossy",
    source=f"{_PAGE}#pfc",
    confidence=_UNCONFIRMED,
)
PAUSE_DIRECTION = Default(
    value=True,
    says="Cumulus Linux default: a link-pause profile sends and obeys pause",
    source=f"{_PAGE}#pfc",
    confidence=_UNCONFIRMED,
)
NO_PFC_TLV = Default(
    value=False,
    says="Cumulus Linux default: no DCBX PFC TLV is sent",
    source=f"{_PAGE}#pfc",
    confidence=_UNCONFIRMED,
)
NOT_WATCHED = Default(
    value=False,
    says="Cumulus Linux default: no PFC watchdog",
    source=f"{_PAGE}#watchdog",
)
POLLING = Default(
    value=100.0,
    says="Cumulus Linux default: watchdog polling interval 100 ms",
    source=f"{_PAGE}#watchdog",
)
ROBUSTNESS = Default(
    value=300.0,
    says="Cumulus Linux default: watchdog robustness 3 polling intervals",
    source=f"{_PAGE}#watchdog",
)
RESTORED = Default(
    value=100.0,
    says="Cumulus Linux: the queue is restored after one polling interval without pause",
    source=f"{_PAGE}#watchdog",
)
WATCHDOG_DROPS = Default(
    value=WatchdogAction.DROP,
    says="Cumulus Linux: the watchdog drops what comes to the queue",
    source=f"{_PAGE}#watchdog",
)
ECN_ON = Default(
    value=True,
    says="Cumulus Linux default: ecn enable for a traffic class with congestion control",
    source=f"{_PAGE}#queues",
)
RED_OFF = Default(
    value=False,
    says="Cumulus Linux default: red disable",
    source=f"{_PAGE}#queues",
)
MIN_THRESHOLD = Default(
    value=150_000,
    says="Cumulus Linux default: min-threshold 150000 bytes",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
MAX_THRESHOLD = Default(
    value=1_500_000,
    says="Cumulus Linux default: max-threshold 1500000 bytes",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
PROBABILITY = Default(
    value=100.0,
    says="Cumulus Linux default: probability 100",
    source=f"{_PAGE}#queues",
)
NO_CONGESTION_CONTROL = Default(
    value=None,
    says="Cumulus Linux: a queue that the profile does not list neither marks nor drops early",
    source=f"{_PAGE}#queues",
)
NO_SHARE = Default(
    value=0.0,
    says="Cumulus Linux: a queue that the scheduler profile does not list has weight 0",
    source=f"{_PAGE}#queues",
)
DWRR = Default(
    value=SchedulerKind.WEIGHTED,
    says="Cumulus Linux default: a queue with bw-percent and without mode is served by dwrr",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
REWRITTEN_DSCP = Default(
    value=None,
    says="Cumulus Linux: rewrite without an entry writes DSCP 8 times the switch priority",
    source=f"{_PAGE}#rewriting",
    confidence=_UNCONFIRMED,
)

NO_OWN_AS = Default(
    value=0,
    says="BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)",
    source=f"{_PAGE}#routing",
)
SENDS_COMMUNITIES = Default(
    value=True,
    says="Cumulus Linux default: communities of a route are sent on",
    source=f"{_PAGE}#routing",
)
ADAPTIVE_OFF = Default(
    value=False,
    says="Cumulus Linux default: adaptive routing is off",
    source=f"{_PAGE}#routing",
)

DEFAULTS = (
    NO_OWN_AS,
    SENDS_COMMUNITIES,
    ADAPTIVE_OFF,
    UP,
    MTU,
    PROFILE_REST,
    PORT_DEFAULT_SP,
    PCP_IDENTITY,
    PAUSE_PRIORITY,
    PFC_DIRECTION,
    OBEYS_ALL,
    NO_PRIORITY,
    CABLE,
    NO_LOSSLESS_POOL,
    PAUSE_DIRECTION,
    NO_PFC_TLV,
    NOT_WATCHED,
    POLLING,
    ROBUSTNESS,
    RESTORED,
    WATCHDOG_DROPS,
    ECN_ON,
    RED_OFF,
    MIN_THRESHOLD,
    MAX_THRESHOLD,
    PROBABILITY,
    NO_CONGESTION_CONTROL,
    NO_SHARE,
    DWRR,
    REWRITTEN_DSCP,
    *(default for base in BASES for default in base.defaults.values()),
)
