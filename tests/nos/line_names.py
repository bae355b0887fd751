"""Names of captured lines by their words, so that a new line changes one place of a golden file.

A line is named by itself and the lines above it: `> interface Ethernet1 > mtu 9214`. Repeated words
below one line are numbered: `exit (2)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

Name = tuple[str, ...]
"""Words of a line, after those of the lines above it, outermost first."""

_PLACE = re.compile(r"@(?P<file>.+):(?P<line>\d+)")
_TAB = 8


def names(lines: list[str]) -> list[Name]:
    """The name of each line of a file; of a blank line, the empty one."""
    found: list[Name] = []
    above: list[tuple[int, Name]] = []
    seen: Counter[Name] = Counter()
    for line in lines:
        text = line.strip()
        if not text:
            found.append(())
            continue
        wide = line.expandtabs(_TAB)
        indent = len(wide) - len(wide.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        outer = above[-1][1] if above else ()
        seen[*outer, text] += 1
        count = seen[*outer, text]
        name = (*outer, f"{text} ({count})" if count > 1 else text)
        above.append((indent, name))
        found.append(name)
    return found


class LineNames:
    """Names of all lines of a device's files, as in its golden model."""

    def __init__(
        self, files: Mapping[str, list[str]], others: Mapping[str, str] | None = None
    ) -> None:
        """`others` are the names of positions other than lines."""
        self._files = {name: names(lines) for name, lines in files.items()}
        self._others = others or {}

    def of(self, file: str, number: int) -> str:
        """A line, by its number, seen from outside: `leaf1.cfg > interface Ethernet1`."""
        return " > ".join((file, *self._files[file][number - 1]))

    def in_model(self, data: Any, file: str = "", within: Name = ()) -> Any:
        """`dump` output of a device, with the name of each position.

        Within an object that begins at a line, `@ mtu 9214` is below that line and `@.` is the line
        itself; `@> router bgp 65001` is another line of the same file, and `@lldp.txt > Port 1` one
        of another file.
        """
        if isinstance(data, str):
            return self._place(data, file, within)
        if isinstance(data, list):
            return [self.in_model(entry, file, within) for entry in data]
        if not isinstance(data, dict):
            return data
        place = _PLACE.fullmatch(data["@"]) if isinstance(data.get("@"), str) else None
        begin = {"@": self._place(data["@"], file, within)} if "@" in data else {}
        if place and place["file"] in self._files:
            file, within = place["file"], self._files[place["file"]][int(place["line"]) - 1]
        rest = {key: entry for key, entry in data.items() if key != "@"}
        return begin | {key: self.in_model(entry, file, within) for key, entry in rest.items()}

    def _place(self, text: str, file: str, within: Name) -> str:
        place = _PLACE.fullmatch(text)
        if not place or place["file"] not in self._files:
            return self._others.get(text, text)
        name = self._files[place["file"]][int(place["line"]) - 1]
        if place["file"] != file:
            return "@" + self.of(place["file"], int(place["line"]))
        if within and name[: len(within)] == within:
            return f"@ {' > '.join(name[len(within) :])}" if name != within else "@."
        return "@> " + " > ".join(name)
