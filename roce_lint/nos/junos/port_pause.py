"""PFC of a port: the code points of its profile, as priorities of their classes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.qos import PfcConfig, PfcMode
from roce_lint.model.sourced import Home
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.bindings import Bindings
from roce_lint.nos.junos.classes import Classes, Classifiers, CodeClass
from roce_lint.nos.junos.codes import DSCP
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.pause import Profile, obeyed_priorities
from roce_lint.nos.reading import ABSENT, Value


@dataclass(slots=True)
class Pauses:
    """PFC of ports; those with the same profile and classifiers share it."""

    context: Context
    bindings: Bindings
    classes: Classes
    classifiers: Classifiers
    profiles: dict[str, Profile]
    _made: dict[Hashable, PfcConfig] = field(default_factory=dict)

    def of(
        self,
        port: Port,
        channel: Port | None,
        profile: Value[str],
        by_dscp: CodeClass | None,
        by_pcp: CodeClass | None,
        begin: int,
    ) -> PfcConfig:
        """PFC of a port with a profile and classifiers; `begin` is its line without a profile."""
        pauses = self.profiles.get(profile.value or "")
        link = port.option("flow-control")
        untagged = (channel or port).is_untagged
        key = (profile, id(by_dscp), id(by_pcp), link, begin if pauses is None else 0, untagged)
        made = self._made.get(key)
        if made is None:
            made = self._make(begin, profile, pauses, by_dscp, by_pcp, link)
            if untagged and pauses is not None and pauses.pcps and not pauses.dscps:
                # An 802.1p input applies to tagged packets only, and this port has none.
                lines = [paused.begin for paused in pauses.pcps.values()]
                made.generate, made.at["generate"] = frozenset(), min(lines)
            self._made[key] = made
        return made

    def _priorities_paused(self, profile: Profile) -> dict[int, int]:
        """Priorities that a profile sends PFC for, each with its line.

        If no classifier maps a listed code point to a lossless class, the classifiers are at fault:
        the lossless classes are assumed.
        """
        found = {code: paused.begin for code, paused in profile.pcps.items()}
        for (kind, _), stated in self.classifiers.stated.items():
            for code, paused in profile.dscps.items() if kind in DSCP else ():
                entry = stated.classes.get(code)
                if entry is not None and entry[0].priority.value is not None:
                    found.setdefault(entry[0].priority.value, paused.begin)
        if not found and profile.dscps:
            first = min(paused.begin for paused in profile.dscps.values())
            found = {each.priority.value or 0: first for each in self.classes.lossless}
        return found

    def _no_priorities(self, profile: Profile) -> Value[frozenset[int]]:
        """The empty set of a profile without PFC, at the line at fault.

        No class is lossless then, so the line is that of a listed code point's class. Unknown if
        that class is undefined.
        """
        classifiers = [each for (kind, _), each in self.classifiers.stated.items() if kind in DSCP]
        for code in profile.dscps:
            if any(code in each.undefined for each in classifiers):
                return ABSENT
        meant = [
            each.classes[code][0]
            for each in classifiers
            for code in profile.dscps
            if code in each.classes
        ]
        lines = [self.classes.doubtful.get(each.name, each.begin) for each in meant if each.begin]
        lines = lines or [paused.begin for paused in profile.dscps.values()]
        if lines or profile.input:
            return Value(frozenset(), min(lines or [profile.input]))
        return self.context.reading.default(defaults.NO_PAUSE)

    def _make(
        self,
        begin: int,
        profile: Value[str],
        pauses: Profile | None,
        by_dscp: CodeClass | None,
        by_pcp: CodeClass | None,
        link: Value[bool],
    ) -> PfcConfig:
        default = self.context.reading.default
        generate = default(defaults.NO_PAUSE)
        mode = default(defaults.PFC_OFF)
        paused: dict[int, int] = {}
        named: dict[int, int] = {}
        if pauses is not None:
            mode = Value(PfcMode.ON, profile.position)
            paused = self._priorities_paused(pauses)
            generate = self._no_priorities(pauses)
            if paused:
                generate = Value(frozenset(paused), min(paused.values()))
        elif not self._any_pauses():
            named = _lossless(by_dscp, by_pcp)
        made = self.context.reading.build(
            PfcConfig,
            pauses.begin if pauses is not None else begin,
            mode=mode,
            generate=generate,
            honour=obeyed_priorities(self.context, pauses),
            named=frozenset(named or paused) or None,
            link_pause_rx=link,
            link_pause_tx=link,
            cable_m=pauses.cable if pauses is not None and pauses.input else ABSENT,
        )
        for priority, position in (named or paused).items():
            made.at[priority] = position
        if pauses is not None and not made.stated("generate"):
            made.at[Home("generate")] = pauses.begin
        return made

    def _any_pauses(self) -> bool:
        """Whether a profile with an input is bound to a port."""
        word = "congestion-notification-profile"
        names = (name for each in self.bindings.by_name.values() for name in each.own.get(word, ()))
        bound = [self.profiles.get(name.value or "") for name in names]
        return any(each.dscps or each.pcps for each in bound if each is not None)


def _lossless(by_dscp: CodeClass | None, by_pcp: CodeClass | None) -> dict[int, int]:
    """Priorities of the lossless classes that classifiers use, with the lines of the classes."""
    found: dict[int, int] = {}
    for stated in (by_dscp, by_pcp):
        for each, _ in stated.classes.values() if stated is not None else ():
            if each.priority.value is not None and each.begin:
                found[each.priority.value] = each.begin
    return found
