"""Defaults of Cumulus Linux with their sources, and the shared state of the QoS readers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind, WatchdogAction
from roce_lint.nos.cumulus.roce import BASES, Base, RoceDefaults
from roce_lint.nos.cumulus.statements import GLOBAL, Statements, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Reading, Value
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/cumulus.md#"
_CLASSES = _PAGE + "classification"
_PFC = _PAGE + "pfc"
_QUEUES = _PAGE + "queues"
_ROUTING = _PAGE + "routing"
_WATCHDOG = _PAGE + "watchdog"

_unconfirmed = partial(Default, confidence=Confidence.UNCONFIRMED)

UP = Default(True, "Cumulus Linux default: an interface that is configured is up", _PAGE + "ports")
MTU = Default(9216, "Cumulus Linux default: mtu 9216", _PAGE + "how-mtu-is-counted")
PROFILE_REST = _unconfirmed(
    None, "Cumulus Linux: what a port profile does not list is as without configuration", _CLASSES
)
PORT_DEFAULT_SP = Default(0, "Cumulus Linux default: port-default-sp 0", _CLASSES)
PCP_IDENTITY = Default(None, "Cumulus Linux default: 802.1p n has switch priority n", _CLASSES)
PAUSE_PRIORITY = Default(None, "Cumulus Linux: switch priority n is paused with priority n", _PFC)
PFC_DIRECTION = Default(True, "Cumulus Linux default: a PFC profile sends and obeys pause", _PFC)
OBEYS_ALL = Default(
    frozenset(range(8)), "Cumulus Linux: a port that obeys pause does so for every priority", _PFC
)
NO_PRIORITY = _unconfirmed(
    frozenset(), "Cumulus Linux: a PFC profile without switch-priority pauses nothing", _PFC
)
CABLE = Default(10.0, "Cumulus Linux default: cable-length 10", _PFC)
NO_LOSSLESS_POOL = _unconfirmed(
    0.0, "Cumulus Linux: without qos roce all of the buffer is the pool default-lossy", _PFC
)
PAUSE_DIRECTION = _unconfirmed(
    True, "Cumulus Linux default: a link-pause profile sends and obeys pause", _PFC
)
NO_PFC_TLV = _unconfirmed(False, "Cumulus Linux default: no DCBX PFC TLV is sent", _PFC)
NOT_WATCHED = Default(False, "Cumulus Linux default: no PFC watchdog", _WATCHDOG)
POLLING = Default(100.0, "Cumulus Linux default: watchdog polling interval 100 ms", _WATCHDOG)
ROBUSTNESS = Default(
    300.0, "Cumulus Linux default: watchdog robustness 3 polling intervals", _WATCHDOG
)
RESTORED = Default(
    100.0,
    "Cumulus Linux: the queue is restored after one polling interval without pause",
    _WATCHDOG,
)
WATCHDOG_DROPS = Default(
    WatchdogAction.DROP, "Cumulus Linux: the watchdog drops what comes to the queue", _WATCHDOG
)
ECN_ON = Default(
    True, "Cumulus Linux default: ecn enable for a traffic class with congestion control", _QUEUES
)
RED_OFF = Default(False, "Cumulus Linux default: red disable", _QUEUES)
MIN_THRESHOLD = _unconfirmed(150_000, "Cumulus Linux default: min-threshold 150000 bytes", _QUEUES)
MAX_THRESHOLD = _unconfirmed(
    1_500_000, "Cumulus Linux default: max-threshold 1500000 bytes", _QUEUES
)
PROBABILITY = Default(100.0, "Cumulus Linux default: probability 100", _QUEUES)
NO_CONGESTION_CONTROL = Default(
    None,
    "Cumulus Linux: a queue that the profile does not list neither marks nor drops early",
    _QUEUES,
)
NO_SHARE = Default(
    0.0, "Cumulus Linux: a queue that the scheduler profile does not list has weight 0", _QUEUES
)
DWRR = _unconfirmed(
    SchedulerKind.WEIGHTED,
    "Cumulus Linux default: a queue with bw-percent and without mode is served by dwrr",
    _QUEUES,
)
REWRITTEN_DSCP = _unconfirmed(
    None,
    "Cumulus Linux: rewrite without an entry writes DSCP 8 times the switch priority",
    _PAGE + "rewriting",
)
NO_OWN_AS = Default(
    0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", _ROUTING
)
SENDS_COMMUNITIES = Default(
    True, "Cumulus Linux default: communities of a route are sent on", _ROUTING
)
FORWARDS = _unconfirmed(
    frozenset({"ipv4", "ipv6"}), "Cumulus Linux default: ports forward IPv4 and IPv6", _ROUTING
)
LLDP_ON = Default(True, "Cumulus Linux default: the lldp service is enabled", _ROUTING)
ADAPTIVE_OFF = Default(False, "Cumulus Linux default: adaptive routing is off", _ROUTING)

DEFAULTS = (
    *(entry for entry in list(vars().values()) if isinstance(entry, Default)),
    *(default for base in BASES for default in base.defaults.values()),
)


# Names of the sources of Cumulus Linux.

COMMANDS = "nvue-commands"
DOCUMENT = "nvue-yaml"
DATAPATH = "datapath"
INTERFACES = "interfaces"
NCLU = "nclu-commands"


# Shared state of the QoS readers: the tree, the defaults in force, the model.

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
