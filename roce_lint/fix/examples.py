"""What stands in the place of a line elsewhere: the same statement of the same system, as it is
written on any of its devices. No majority is asked for, since only the very lines that a finding
names are changed so, and the proof tells whether that is what the class needs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from roce_lint.engine.finding import Occurrence
from roce_lint.fix.equals import Deviation, deviation
from roce_lint.fix.files import ConfigFile, Files
from roce_lint.fix.outline import Statement
from roce_lint.model.device import Device
from roce_lint.text.source import Origin
from roce_lint.text.splice import Splice

ELSEWHERE = "so it stands elsewhere on this system"

MOST = 6
"""Other forms of a line that are tried, those that stand most often first."""

_FIRST = re.compile(r"(?:no\s+)?(\S+)")

Kind = tuple[str | None, tuple[str, ...], str]


class Examples:
    """The statements of all devices, by what they say something about."""

    def __init__(self, devices: list[Device], files: Files):
        self._files = files
        self._texts: dict[Kind, Counter[str]] = defaultdict(Counter)
        for device in devices:
            for file in files.of(device.hostname):
                for each in file.statements:
                    if each.last == each.line:
                        self._texts[_kind(file, each)][each.text] += 1

    def of(self, occurrence: Occurrence) -> list[Deviation]:
        """Each line that an occurrence names, as it stands elsewhere."""
        found: list[Deviation] = []
        for file, each in cause_statements(occurrence, self._files):
            others = [text for text, _ in self._texts[_kind(file, each)].most_common(MOST + 1)]
            comma = "," if file.is_json and file.ends_in_comma(each.line) else ""
            for text in others:
                if text != each.text:
                    splice = Splice(each.line, 1, (each.indent + text + comma,))
                    found.append(deviation(file, "", splice, each, ELSEWHERE))
        return found[:MOST]


def cause_statements(occurrence: Occurrence, files: Files) -> list[tuple[ConfigFile, Statement]]:
    """The lines of a device that an occurrence names as its cause, the first of them first."""
    places = [p for p in occurrence.locations if p.origin is Origin.STATED and p.line]
    return [
        (file, each)
        for place in places
        for file in files.of(occurrence.device)
        if file.name == place.file
        for each in file.statements
        if each.line == place.line and each.last == each.line
    ]


def _kind(file: ConfigFile, each: Statement) -> Kind:
    above = tuple(_word(text) for text in each.above)
    return (file.device.nos, above, _word(each.text))


def _word(text: str) -> str:
    found = _FIRST.match(text)
    return found[1] if found else text
