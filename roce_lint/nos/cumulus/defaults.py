"""Defaults of Cumulus Linux with their sources, and the shared state of the QoS readers."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind, WatchdogAction
from roce_lint.nos.cumulus.roce import BASES, Base, RoceDefaults
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Reading, Value
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


# Names of the sources of Cumulus Linux.

COMMANDS = "nvue-commands"
DOCUMENT = "nvue-yaml"
DATAPATH = "datapath"
INTERFACES = "interfaces"
NCLU = "nclu-commands"


# Shared state of the QoS readers: the tree, the defaults in force, the model.

GLOBAL = "default-global"
"""Profile of all ports without another."""

NO_PROFILE = Value(GLOBAL)

FEATURES = {
    "mapping": "qos policy",
    "remark": "dscp rewrite map",
    "pfc": "no-drop policy",
    "link-pause": "link pause profile",
    "congestion-control": "queuing policy",
    "egress-scheduler": "scheduler",
    "egress-shaper": "shaper",
}
"""Features with profiles, and the kind of named structure of each."""

BUILTIN_REMARK = ("lossy-multi-tc-host-group", "lossy-multi-tc-network-group")
"""Profiles that `roce mode lossy-multi-tc` creates."""


@dataclass(slots=True)
class Context:
    """One switch."""

    statements: Statements
    device: Device
    qos: View  # everything below `qos`
    chosen: RoceDefaults

    @property
    def reading(self) -> Reading:
        """The reading that all values come from."""
        return self.statements.reading

    @property
    def base(self) -> Base | None:
        """Defaults in force; None if unknown."""
        return self.chosen.base

    def profile(self, feature: str, name: str) -> View:
        """The statements of one profile."""
        return self.qos.get(feature, name)

    def cite(self, feature: str) -> int:
        """Position of the citation for a feature of the defaults in force."""
        base = self.chosen.base
        return 0 if base is None else self.reading.default(base.defaults[feature]).position

    def default(self, default: Default) -> int:
        """Position of a citation."""
        return self.reading.default(default).position

    def begin(self, view: View) -> int:
        """First line of an object made by a profile or by the defaults."""
        return view.begin or self.chosen.line

    def profile_name(self, port: View, feature: str) -> Value[str]:
        """Profile of a port, `default-global` if none is stated."""
        stated = port.word("qos", feature, "profile")
        return stated if stated.value is not None else NO_PROFILE

    def profile_names(self, port: View) -> dict[str, Value[str]]:
        """The profiles of a port by feature."""
        present = port.get("qos").next_words()
        return {
            feature: self.profile_name(port, feature) if feature in present else NO_PROFILE
            for feature in FEATURES
        }


def name_profiles(context: Context) -> None:
    """Define the profiles that ports refer to."""
    names = context.reading.names
    names.builtin("dscp rewrite map", *BUILTIN_REMARK)
    for feature, kind in FEATURES.items():
        names.builtin(kind, GLOBAL)
        for name, view in context.qos.members(feature):
            if name != GLOBAL:
                names.define(kind, name, view.begin)
