"""Lines of a capture named by their words, so that a line more changes one place of a golden file.

A line is named by itself and the lines it is indented below: `> interface Ethernet1 > mtu 9214`.
Where the same words stand twice below one line, the later ones are numbered: `exit (2)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

Name = tuple[str, ...]
"""The words of a line, after those of the lines it stands below, outermost first."""

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
    """The names of all lines of a device's files, as its golden model shows them."""

    def __init__(
        self, files: Mapping[str, list[str]], others: Mapping[str, str] | None = None
    ) -> None:
        """`others` are the names of places that are not lines."""
        self._files = {name: names(lines) for name, lines in files.items()}
        self._others = others or {}

    def of(self, file: str, number: int) -> str:
        """A line, by its number, seen from outside: `leaf1.cfg > interface Ethernet1`."""
        return " > ".join((file, *self._files[file][number - 1]))

    def in_model(self, data: Any, file: str = "", within: Name = ()) -> Any:
        """What `dump` made of a device, with the name of each place.

        Within an object that begins at a line, `@ mtu 9214` stands below that line and `@.` is the
        line itself; `@> router bgp 65001` is another line of the same file, and
        `@lldp.txt > Port 1` one of another file.
        """
        if isinstance(data, str):
            return self._place(data, file, within)
        if isinstance(data, list):
            return [self.in_model(entry, file, within) for entry in data]
        if not isinstance(data, dict):
            return data
        told = _PLACE.fullmatch(data["@"]) if isinstance(data.get("@"), str) else None
        begin = {"@": self._place(data["@"], file, within)} if "@" in data else {}
        if told and told["file"] in self._files:
            file, within = told["file"], self._files[told["file"]][int(told["line"]) - 1]
        rest = {key: entry for key, entry in data.items() if key != "@"}
        return begin | {key: self.in_model(entry, file, within) for key, entry in rest.items()}

    def _place(self, text: str, file: str, within: Name) -> str:
        told = _PLACE.fullmatch(text)
        if not told or told["file"] not in self._files:
            return self._others.get(text, text)
        name = self._files[told["file"]][int(told["line"]) - 1]
        if told["file"] != file:
            return "@" + self.of(told["file"], int(told["line"]))
        if within and name[: len(within)] == within:
            return f"@ {' > '.join(name[len(within) :])}" if name != within else "@."
        return "@> " + " > ".join(name)
