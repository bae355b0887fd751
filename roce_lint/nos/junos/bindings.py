"""`class-of-service interfaces`: bindings of ports by name, of patterns, and of units."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.nos.junos.classes import CLASSIFIER, REWRITE
from roce_lint.nos.junos.codes import DSCP, PCP
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.naming import fits, is_pattern, specific
from roce_lint.nos.junos.pause import PROFILE
from roce_lint.nos.junos.queues import MAP
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

CONTROL = "traffic control profile"
CLASS_SET = "forwarding class set"

Settings = dict[str, list[Value[str]]]
"""Bindings of one place, by keyword; classifiers and rewrite rules by keyword and kind."""

_REFERRED = {
    "scheduler-map": MAP,
    "congestion-notification-profile": PROFILE,
    "output-traffic-control-profile": CONTROL,
}


@dataclass(slots=True)
class Entry:
    """One interface, or pattern of interfaces, of `class-of-service interfaces`."""

    name: str
    begin: int
    own: Settings
    units: dict[str, Settings] = field(default_factory=dict)


@dataclass(slots=True)
class PortBinding:
    """Bindings in force on one port (or unit), each value with its line."""

    settings: Settings
    begin: int = 0

    def get(self, name: str) -> Value[str]:
        """The one value of a keyword."""
        found = self.settings.get(name)
        return found[0] if found else ABSENT

    def all(self, name: str) -> list[Value[str]]:
        """All values of a keyword."""
        return self.settings.get(name, [])

    def kind(self, name: str, kinds: tuple[str, ...]) -> tuple[str, Value[str]]:
        """First bound kind of classifier or rewrite rule, and its name."""
        for kind in kinds:
            value = self.get(f"{name} {kind}")
            if value:
                return kind, value
        return kinds[0], ABSENT


class Bindings:
    """All bindings of a device, found by the name of a port and the number of a unit."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.by_name: dict[str, Entry] = {}
        for name, branch in context.cos.get("interfaces").pairs():
            if name == "interface-set":
                branch.take_all()
                continue
            self.by_name[name] = _entry(context, name, branch)
        self._patterns = sorted(
            (entry for entry in self.by_name.values() if is_pattern(entry.name)),
            key=lambda entry: -specific(entry.name),
        )
        self._known: dict[tuple[int, ...], PortBinding] = {}
        self._noted: set[tuple[str, str]] = set()

    def of(self, name: str, unit: str | None) -> PortBinding:
        """Bindings of a port: its own entry first, then the patterns, the longest first.

        `unit` is the unit whose traffic the port carries; None if the port has none, as the
        member of a channel.
        """
        entries = [entry for entry in (self.by_name.get(name),) if entry is not None]
        entries += [e for e in self._patterns if e.name != name and fits(e.name, name)]
        places = [place for entry in entries for place in _places(entry, unit)]
        key = tuple(id(place) for place in places)
        bound = self._known.get(key)
        if bound is None:
            settings: Settings = {}
            for place in places:
                for word, values in place.items():
                    settings.setdefault(word, values)
            bound = PortBinding(settings, entries[0].begin if entries else 0)
            self._known[key] = bound
        if len(entries) > 1:
            self._remark(entries, bound)
        return bound

    def states_unit(self, name: str) -> bool:
        """Whether a classifier is bound to units of the interface, by any pattern."""
        entries = [e for e in self.by_name.values() if e.name == name or _means(e, name)]
        return any(
            word.startswith("classifiers")
            for entry in entries
            for settings in entry.units.values()
            for word in settings
        )

    def _remark(self, entries: list[Entry], bound: PortBinding) -> None:
        """Note a port with its own entry that inherits something from a pattern."""
        own, *others = entries
        inherited = [
            other.name
            for other in others
            for values in bound.settings.values()
            for place in _places(other, None)
            if values in place.values()
        ]
        for pattern in dict.fromkeys(inherited):
            if (own.name, pattern) not in self._noted:
                self._noted.add((own.name, pattern))
                message = (
                    f"interfaces {own.name} inherits missing settings from {pattern}; "
                    "it is undocumented whether its own entry hides the pattern"
                )
                self.context.reading.note(NoteKind.REMARK, message, own.begin)


def _means(entry: Entry, name: str) -> bool:
    return is_pattern(entry.name) and fits(entry.name, name)


def _places(entry: Entry, unit: str | None) -> list[Settings]:
    """The places of an entry that apply to a unit, the nearest first."""
    found = [entry.own]
    if unit is not None:
        if "*" in entry.units:
            found.insert(0, entry.units["*"])
        if unit in entry.units:
            found.insert(0, entry.units[unit])
    return found


def _entry(context: Context, name: str, branch: Branch) -> Entry:
    entry = Entry(name, branch.begin, _settings(context, branch))
    for class_set, below in branch.get("forwarding-class-set").pairs():
        context.reading.names.refer(CLASS_SET, class_set, below.begin)
        profile = below.text("output-traffic-control-profile")
        if profile.value is not None:
            context.reading.names.refer(CONTROL, profile.value, profile.position)
            entry.own.setdefault("output-traffic-control-profile", []).append(profile)
    for unit, below in branch.get("unit").pairs():
        below.take()
        entry.units[unit] = _settings(context, below)
    return entry


def _settings(context: Context, branch: Branch) -> Settings:
    found: Settings = {}
    names = context.reading.names
    for word, kind in _REFERRED.items():
        value = branch.text(word)
        if value.value is not None:
            names.refer(kind, value.value, value.position)
            found[word] = [value]
    fixed = branch.text("forwarding-class")
    if fixed:
        found["forwarding-class"] = [fixed]
    rate = _rate(branch.get("shaping-rate"))
    if rate:
        found["shaping-rate"] = [rate]
    profile = branch.text("dedicated-buffer-profile")
    if profile.value is not None:
        names.refer("buffer profile", profile.value, profile.position)
    for word, structure in (("classifiers", CLASSIFIER), ("rewrite-rules", REWRITE)):
        for kind, below in branch.get(word).pairs():
            below.take_all()
            value = below.value()
            if value.value is None:
                continue
            found[f"{word} {kind}"] = [value]
            if kind in DSCP or (structure == CLASSIFIER and kind in PCP):
                names.refer(structure, value.value, value.position)
    return found


def _rate(branch: Branch) -> Value[str]:
    """`shaping-rate 100g`, or `shaping-rate percent 80`, which is kept as `80%`."""
    percent = branch.text("percent") if "percent" in branch else ABSENT
    return percent.map(lambda text: f"{text}%") if percent else branch.value()
