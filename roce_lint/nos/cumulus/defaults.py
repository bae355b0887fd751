"""Defaults of Cumulus Linux with their sources, and the shared state of the QoS readers."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind, WatchdogAction
from roce_lint.nos.cumulus.roce import BASES, Base, RoceDefaults
from roce_lint.nos.cumulus.statements import GLOBAL, Statements, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Reading, Value
from roce_lint.text.source import Confidence

_CLASSES, _PFC, _QUEUES = "classification", "pfc", "queues"
_ROUTING, _WATCHDOG = "routing", "watchdog"


def _fact(value: object, says: str, heading: str, *, sure: bool = True) -> Default:
    """Behaviour stated under a heading of docs/nos/cumulus.md."""
    confidence = Confidence.CONFIRMED if sure else Confidence.UNCONFIRMED
    return Default(value, f"Cumulus Linux{says}", f"docs/nos/cumulus.md#{heading}", confidence)


def _usual(value: object, says: str, heading: str, *, sure: bool = True) -> Default:
    """A default value."""
    return _fact(value, f" default: {says}", heading, sure=sure)


UP = _usual(True, "an interface that is configured is up", "ports")
MTU = _usual(9216, "mtu 9216", "how-mtu-is-counted")
PROFILE_REST = _fact(
    None, ": what a port profile does not list is as without configuration", _CLASSES, sure=False
)
PORT_DEFAULT_SP = _usual(0, "port-default-sp 0", _CLASSES)
PCP_IDENTITY = _usual(None, "802.1p n has switch priority n", _CLASSES)
PAUSE_PRIORITY = _fact(None, ": switch priority n is paused with priority n", _PFC)
PFC_DIRECTION = _usual(True, "a PFC profile sends and obeys pause", _PFC)
OBEYS_ALL = _fact(frozenset(range(8)), ": a port that obeys pause does so for every priority", _PFC)
NO_PRIORITY = _fact(
    frozenset(), ": a PFC profile without switch-priority pauses nothing", _PFC, sure=False
)
CABLE = _usual(10.0, "cable-length 10", _PFC)
NO_LOSSLESS_POOL = _fact(
    0.0, ": without qos roce all of the buffer is the pool default-lossy", _PFC, sure=False
)
PAUSE_DIRECTION = _usual(True, "a link-pause profile sends and obeys pause", _PFC, sure=False)
NO_PFC_TLV = _usual(False, "no DCBX PFC TLV is sent", _PFC, sure=False)
NOT_WATCHED = _usual(False, "no PFC watchdog", _WATCHDOG)
POLLING = _usual(100.0, "watchdog polling interval 100 ms", _WATCHDOG)
ROBUSTNESS = _usual(300.0, "watchdog robustness 3 polling intervals", _WATCHDOG)
RESTORED = _fact(
    100.0, ": the queue is restored after one polling interval without pause", _WATCHDOG
)
WATCHDOG_DROPS = _fact(
    WatchdogAction.DROP, ": the watchdog drops what comes to the queue", _WATCHDOG
)
ECN_ON = _usual(True, "ecn enable for a traffic class with congestion control", _QUEUES)
RED_OFF = _usual(False, "red disable", _QUEUES)
MIN_THRESHOLD = _usual(150_000, "min-threshold 150000 bytes", _QUEUES, sure=False)
MAX_THRESHOLD = _usual(1_500_000, "max-threshold 1500000 bytes", _QUEUES, sure=False)
PROBABILITY = _usual(100.0, "probability 100", _QUEUES)
UNSAID_MARKING = (ECN_ON, MIN_THRESHOLD, MAX_THRESHOLD, PROBABILITY)
NO_CONGESTION_CONTROL = _fact(
    None, ": a queue that the profile does not list neither marks nor drops early", _QUEUES
)
NO_SHARE = _fact(0.0, ": a queue that the scheduler profile does not list has weight 0", _QUEUES)
DWRR = _usual(
    SchedulerKind.WEIGHTED, "a queue with bw-percent and without mode is served by dwrr", _QUEUES,
    sure=False,
)  # fmt: skip
REWRITTEN_DSCP = _fact(
    None, ": rewrite without an entry writes DSCP 8 times the switch priority", "rewriting",
    sure=False,
)  # fmt: skip
NO_OWN_AS = Default(
    0,
    "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)",
    "docs/nos/cumulus.md#routing",
)
SENDS_COMMUNITIES = _usual(True, "communities of a route are sent on", _ROUTING)
FORWARDS = _usual(frozenset({"ipv4", "ipv6"}), "ports forward IPv4 and IPv6", _ROUTING, sure=False)
LLDP_ON = _usual(True, "the lldp service is enabled", _ROUTING)
ADAPTIVE_OFF = _usual(False, "adaptive routing is off", _ROUTING)

DEFAULTS = (
    *(entry for entry in list(vars().values()) if isinstance(entry, Default)),
    *(default for base in BASES for default in base.defaults.values()),
)


# Names of the sources of Cumulus Linux.

COMMANDS, DOCUMENT, DATAPATH = "nvue-commands", "nvue-yaml", "datapath"
INTERFACES, NCLU = "interfaces", "nclu-commands"


# Shared state of the QoS readers: the tree, the defaults in force, the model.

NO_PROFILE = Value(GLOBAL)

FEATURES = {
    "mapping": "qos policy", "remark": "dscp rewrite map", "pfc": "no-drop policy",
    "link-pause": "link pause profile", "congestion-control": "queuing policy",
    "egress-scheduler": "scheduler", "egress-shaper": "shaper",
}  # fmt: skip
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

    def profile_names(self, port: View) -> dict[str, Value[str]]:
        """The profiles of a port by feature, `default-global` if none is stated."""
        qos = port.get("qos")
        if not qos:
            return dict.fromkeys(FEATURES, NO_PROFILE)
        return {each: qos.word(each, "profile").or_else(NO_PROFILE) for each in FEATURES}


def name_profiles(context: Context) -> None:
    """Define the profiles that ports refer to."""
    names = context.reading.names
    names.builtin("dscp rewrite map", *BUILTIN_REMARK)
    for feature, kind in FEATURES.items():
        names.builtin(kind, GLOBAL)
        for name, view in context.qos.members(feature):
            if name != GLOBAL:
                names.define(kind, name, view.begin)
