"""One finding as a block of lines: message, places with an excerpt of the file, reason and fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roce_lint.engine.finding import Certainty, Finding, Occurrence, PathHop
from roce_lint.report.layout import Line, Piece, Style, line
from roce_lint.report.places import Places, WithinBase, is_virtual, known_places, place_of
from roce_lint.report.wording import (
    crowd,
    excerpt,
    fix_text,
    one_line,
    reach_of,
    spell_finding,
    verified_fixes,
)
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.names import compress, natural
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

# Excerpts with a caret under the value, for terminals.

INDENT = 4

REACH = 2
"""Lines shown before and after the deciding line."""

_WORD = re.compile(r"[\w.+-]+")


@dataclass(slots=True, frozen=True)
class Near:
    """Shows a place with the surrounding lines of its file."""

    excerpts: Excerpts | None
    base: str
    cwd: str
    width: int  # a caret under a folded line would be misplaced

    @property
    def places(self) -> Places:
        """File names relative to the checked folder, which a heading has named."""
        return WithinBase(self.base, self.cwd)

    def lines(self, place: Location, message: str, style: Style) -> Iterator[Line]:
        """Lines around a place; empty if the file is not available."""
        if self.excerpts is None or is_virtual(place.file):
            return
        found = self.excerpts.around(place.file, place.line, REACH)
        width = len(str(found[-1][0])) if found else 0
        for number, text in found:
            here = number == place.line
            yield line(
                (f"{number:>{width}} | ", "place" if here else "dim"),
                (text, "code" if here else "dim"),
                indent=INDENT,
                hang=INDENT,
            )
            if here:
                begin, end = value_columns(text, message)
                mark = " " * begin + "^" * (end - begin)
                if INDENT + width + len(" | ") + end <= self.width:
                    yield line((f"{'':>{width}} | ", "dim"), (mark, style), indent=INDENT)


def value_columns(text: str, message: str) -> tuple[int, int]:
    """First and last column of the value in a line that a message mentions.

    The last number of the line that the message repeats, else its last such word, else all.
    """
    mentioned = set(_WORD.findall(message))
    words = [word for word in _WORD.finditer(text) if word[0] in mentioned]
    numbers = [word for word in words if word[0].isdecimal()]
    for found in (*numbers[-1:], *words[-1:]):
        return found.span()
    return len(text) - len(text.lstrip()), len(text)


SHOWN = 3
"""Places shown per kind (causes, evidence, devices); the others are counted."""

ALL = 1 << 30

_WIDEST = 44
"""Widest place column to which the texts of several places are aligned."""


@dataclass(slots=True, frozen=True)
class Blocks:
    """Formats findings of one report."""

    places: Places
    roles: dict[str, str | None]  # device -> role
    verbose: bool = False
    near: Near | None = None  # on a terminal: the lines around the first place

    @property
    def _limit(self) -> int:
        return ALL if self.verbose else SHOWN

    def whole(self, finding: Finding) -> Iterator[Line]:
        """A finding with all details."""
        yield self._head(finding, finding.occurrences[0])
        yield line(spell_finding(finding), indent=4)
        yield from self._breadth(finding)
        if finding.pairs is not None:
            yield line((reach_of(finding.pairs) + _way(finding.path), "dim"), indent=4, hang=4)
        yield from self._places(finding)
        yield from self._remarks(finding)

    def on_device(self, finding: Finding, occurrence: Occurrence) -> Iterator[Line]:
        """The part of a finding on one device."""
        yield self._head(finding, occurrence)
        if occurrence.device == finding.device:
            yield line(spell_finding(finding), indent=4)
        else:
            yield line(f"same as on {one_line(finding.device)}: {spell_finding(finding)}", indent=4)
        if len(occurrence.subjects) > 1:
            yield line(("on ", "dim"), compress(map(one_line, occurrence.subjects)), indent=4)
        yield from self._of_one(occurrence, finding)
        yield from self._remarks(finding, occurrence.device)

    def _head(self, finding: Finding, occurrence: Occurrence) -> Line:
        place = next(iter(known_places(occurrence.locations)), None)
        where = at(place, self.places) if place else one_line(occurrence.device)
        pieces: list[Piece] = [
            (where, "place"),
            (": ", ""),
            (finding.severity.label, style_of(finding)),
            (f" {finding.rule}", "rule"),
            (f" {finding.name}", "name"),
        ]
        if finding.confidence is Certainty.LOW:
            pieces.append((" (low confidence)", "dim"))
        if finding.suppressed is not None:
            pieces.append((" (suppressed)", "dim"))
        return line(*pieces)

    def _breadth(self, finding: Finding) -> Iterator[Line]:
        """Number and names of affected devices or ports, if more than one."""
        devices = [occurrence.device for occurrence in finding.occurrences]
        subjects = finding.subjects
        if len(devices) > 1:
            who = compress(map(one_line, devices), self._limit + 3)
            ports = f" ({count(finding.ports, 'port')})" if finding.ports > len(devices) else ""
            yield line((f"on {crowd(devices, self.roles)}: ", "dim"), who + ports, indent=4)
        elif len(subjects) > 1:
            who = compress(map(one_line, subjects))
            yield line((f"on {count(len(subjects), 'port')}: ", "dim"), who, indent=4)

    def _places(self, finding: Finding) -> Iterator[Line]:
        if len(finding.occurrences) == 1:
            yield from self._of_one(finding.occurrences[0], finding)
            return
        ordered = sorted(finding.occurrences, key=lambda o: o.device != finding.device)
        shown = [p for o in ordered[: self._limit] for p in known_places(o.locations)[:1]]
        evidence = [place for place in known_places(ordered[0].locations) if place.role != "cause"]
        yield from self._list(shown)
        hidden = len(ordered) - self._limit
        if hidden > 0:
            yield line((f"and the same on {count(hidden, 'more device')}", "dim"), indent=4)
        yield from self._list(evidence[: self._limit])

    def _of_one(self, occurrence: Occurrence, finding: Finding) -> Iterator[Line]:
        causes = [place for place in known_places(occurrence.locations) if place.role == "cause"]
        evidence = [place for place in known_places(occurrence.locations) if place.role != "cause"]
        shown = [*causes[: self._limit], *evidence[: self._limit]]
        around: list[Line] = []
        if self.near is not None and shown:
            around = list(self.near.lines(shown[0], finding.message, style_of(finding)))
        yield from around
        yield from self._list(shown[1:] if around else shown)
        hidden = max(len(causes) - self._limit, 0) + max(len(evidence) - self._limit, 0)
        if hidden:
            yield line((f"and {count(hidden, 'more place')}", "dim"), indent=4)

    def _list(self, places: Iterable[Location]) -> Iterator[Line]:
        yield from list_places(places, self.near.places if self.near else self.places, indent=4)

    def _remarks(self, finding: Finding, device: str = "") -> Iterator[Line]:
        for note in finding.notes:
            yield line(("note: ", "dim"), one_line(note), indent=4)
        if finding.also:
            yield line(("same root cause: ", "dim"), ", ".join(finding.also), indent=4)
        verified = verified_fixes(finding, device)
        if verified:
            yield line(("fix, verified:", "strong"), indent=4)
        elif remedy := fix_text(finding, device):
            yield line(("fix: ", "strong"), remedy, indent=4, hang=4)
        for text in verified[: self._limit]:
            yield from (line((each, "code"), indent=4) for each in text.splitlines())
        if hidden := len(verified[self._limit :]):
            more = f"and {count(hidden, 'more fix', 'more fixes')}: roce-lint fix"
            yield line((more, "dim"), indent=4)
        if finding.suppressed is not None:
            mark = finding.suppressed
            until = f" until {mark.expires}" if mark.expires else ""
            text = f"suppressed by {mark.by}{until}: {one_line(mark.reason)}"
            yield line((text, "dim"), indent=4)


def at(place: Location, places: Places) -> str:
    """`file:line`, or the file only if no line is known."""
    name = one_line(places.name(place.file))
    return f"{name}:{place.line}" if place.line > 0 else name


def place_text(finding: Finding, places: Places) -> str:
    """The deciding place of a finding; its device where it has none."""
    place = place_of(finding)
    return at(place, places) if place is not None else one_line(finding.device)


def list_places(found: Iterable[Location], places: Places, *, indent: int) -> Iterator[Line]:
    """Places with their text, aligned."""
    rows = [(at(place, places), place) for place in found]
    width = max((len(where) for where, _ in rows if len(where) <= _WIDEST), default=0)
    for where, place in rows:
        remark = remark_on(place)
        yield line(
            (f"{where:<{width}}    ", "place"),
            (excerpt(place), "code"),
            (f"  ({remark})" if remark else "", "dim"),
            indent=indent,
            hang=4,
        )


def remark_on(place: Location) -> str:
    """Remark on a place: path in a tree, origin of a default, or absence."""
    return one_line(", ".join(text for text in (place.path, place.note) if text))


def _way(path: tuple[PathHop, ...]) -> str:
    """An example path, device by device, with the ports at the finding."""
    named = (_crossing(hop) if hop.here else "" for hop in path)
    devices = (
        f"{one_line(hop.device)} (no configuration)" if hop.missing else one_line(hop.device)
        for hop in path
    )
    way = " > ".join(" ".join(filter(None, pair)) for pair in zip(devices, named, strict=True))
    return f": {way}" if path else ""


def _crossing(hop: PathHop) -> str:
    """Ports of a hop: `[Ethernet1/1 > Ethernet1/31]`, or the single port of an end."""
    ports = [one_line(port) for port in (hop.into, hop.out) if port]
    return f"[{' > '.join(ports)}]" if len(ports) > 1 else "".join(ports)


def style_of(finding: Finding) -> Style:
    """Style of a finding's severity."""
    if finding.suppressed is not None:
        return "dim"
    styles: dict[str, Style] = {"error": "error", "warning": "warning", "info": "info"}
    return styles[finding.severity.label]


def devices_in(findings: Iterable[Finding]) -> list[str]:
    """All devices with findings, in natural order."""
    found = {occurrence.device for finding in findings for occurrence in finding.occurrences}
    return sorted(found, key=lambda name: (natural(name), name))
