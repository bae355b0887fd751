"""`class-of-service interfaces`: bindings of ports by name, of patterns, and of units."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.nos.junos.classes import CLASSIFIER, DSCP, PCP, REWRITE
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

    def names(self, name: str) -> list[str | None]:
        """All values of a keyword, without their lines."""
        return [value.value for value in self.all(name)]

    def kind(self, name: str, kinds: tuple[str, ...]) -> tuple[str, Value[str]]:
        """First bound kind of classifier or rewrite rule, and its name."""
        kind = next((kind for kind in kinds if f"{name} {kind}" in self.settings), kinds[0])
        return kind, self.get(f"{name} {kind}")


class Bindings:
    """All bindings of a device, found by the name of a port and the number of a unit."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.by_name: dict[str, Entry] = {}
        for name, branch in context.cos.get("interfaces").pairs():
            if name == "interface-set":
                branch.take_all()
            else:
                self.by_name[name] = _entry(context, name, branch)
        self._patterns = sorted(
            (entry for entry in self.by_name.values() if is_pattern(entry.name)),
            key=lambda entry: -specific(entry.name),
        )
        self._known: dict[tuple[int, ...], PortBinding] = {}
        self._noted: set[tuple[str, str]] = set()

    def of(self, name: str, unit: str | None) -> PortBinding:
        """Bindings of a port and of the unit whose traffic it carries (None: it has no unit)."""
        entries = self._entries(name)
        places = [place for entry in entries for place in _places(entry, unit)]
        key = tuple(id(place) for place in places)
        bound = self._known.get(key)
        if bound is None:
            bound = self._known[key] = PortBinding({}, entries[0].begin if entries else 0)
            for place in places:
                for word, values in place.items():
                    bound.settings.setdefault(word, values)
        if len(entries) > 1:
            self._remark(entries, bound)
        return bound

    def states_unit(self, name: str) -> bool:
        """Whether a classifier is bound to units of the interface, by any pattern."""
        units = (unit for entry in self._entries(name) for unit in entry.units.values())
        return any(word.startswith("classifiers") for unit in units for word in unit)

    def _entries(self, name: str) -> list[Entry]:
        """Entries about a port: its own first, then the patterns, the longest first."""
        own = [self.by_name[name]] if name in self.by_name else []
        return own + [e for e in self._patterns if e.name != name and fits(e.name, name)]

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


def _places(entry: Entry, unit: str | None) -> list[Settings]:
    """The places of an entry that apply to a unit, the nearest first."""
    found = [entry.own]
    for each in ("*", unit) if unit is not None else ():
        if each in entry.units:
            found.insert(0, entry.units[each])
    return found


def _entry(context: Context, name: str, branch: Branch) -> Entry:
    entry = Entry(name, branch.begin, _settings(context, branch))
    for class_set, below in branch.get("forwarding-class-set").pairs():
        context.reading.names.refer(CLASS_SET, class_set, below.begin)
        profile = context.reading.refer(CONTROL, below.text("output-traffic-control-profile"))
        if profile:
            entry.own.setdefault("output-traffic-control-profile", []).append(profile)
    for unit, below in branch.get("unit").pairs():
        below.take()
        entry.units[unit] = _settings(context, below)
    return entry


def _settings(context: Context, branch: Branch) -> Settings:
    found: Settings = {}
    for word, kind in _REFERRED.items():
        if value := context.reading.refer(kind, branch.text(word)):
            found[word] = [value]
    shape = branch.get("shaping-rate")
    percent = shape.text("percent") if "percent" in shape else ABSENT
    rate = percent.map(lambda text: f"{text}%") if percent else shape.value()  # kept as `80%`
    values = {"forwarding-class": branch.text("forwarding-class"), "shaping-rate": rate}
    found |= {word: [value] for word, value in values.items() if value}
    context.reading.refer("buffer profile", branch.text("dedicated-buffer-profile"))
    for word, structure in (("classifiers", CLASSIFIER), ("rewrite-rules", REWRITE)):
        for kind, below in branch.get(word).pairs():
            below.take_all()
            value = below.value()
            if value:
                found[f"{word} {kind}"] = [value]
            if kind in DSCP or (structure == CLASSIFIER and kind in PCP):
                context.reading.refer(structure, value)
    return found
