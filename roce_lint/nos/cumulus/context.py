"""Shared state of the readers of Cumulus Linux: the tree, the defaults in force, the model."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import Device
from roce_lint.nos.cumulus.roce import Base, RoceDefaults
from roce_lint.nos.cumulus.statements import GLOBAL, Statements, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Reading, Value

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
