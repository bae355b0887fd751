"""What the readers of one switch's QoS share: the tree, the defaults in force, the model."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import Device
from roce_lint.nos.cumulus.roce import Base, RoceDefaults
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Reading, Value

GLOBAL = "default-global"
"""The profile of all ports that are given no other."""

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
"""Features with profiles, and the kind of structure such a profile is."""

BUILTIN_REMARK = ("lossy-multi-tc-host-group", "lossy-multi-tc-network-group")
"""Profiles that `roce mode lossy-multi-tc` brings."""


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
        """The defaults in force; None where they are not known."""
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
        """Where an object begins that a profile or the defaults make."""
        return view.begin or self.chosen.line

    def profile_name(self, port: View, feature: str) -> Value[str]:
        """The profile of a port, `default-global` where none is stated."""
        stated = port.word("qos", feature, "profile")
        return stated if stated.value is not None else NO_PROFILE

    def profile_names(self, port: View) -> dict[str, Value[str]]:
        """The profiles of a port by feature."""
        said = port.get("qos").says()
        return {
            feature: self.profile_name(port, feature) if feature in said else NO_PROFILE
            for feature in FEATURES
        }


def name_profiles(context: Context) -> None:
    """Tell which profiles are defined; ports refer to them."""
    names = context.reading.names
    names.builtin("dscp rewrite map", *BUILTIN_REMARK)
    for feature, kind in FEATURES.items():
        names.builtin(kind, GLOBAL)
        for name, view in context.qos.members(feature):
            if name != GLOBAL:
                names.define(kind, name, view.begin)
