"""Several devices in one text: each name statement begins another device's configuration."""

from __future__ import annotations

import re
from itertools import pairwise

from roce_lint.loading.captures.banners import banner_lines
from roce_lint.loading.captures.passage import Passage, passage_of
from roce_lint.loading.signs import searcher
from roce_lint.nos.base import Form, Signature, Source

BACK = 400
"""Lines above a device's name among which its configuration may begin."""

_BEGINS = re.compile(
    r"[!#*=~/+<-]{0,80} ?(?:command|running configuration|current configuration|configuration of|"
    r"device|last commit|last configuration|show running|show run|file|begin|start)\b.*"
    r"|(?:[-=*#~!]{3,}).*|!Time: .*|#{1,6} .*|version \S+;?|! ?=+.*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:end|return|}|`{3,}|~{3,}|\.\.\.)\s*")


class SeveralDevicesError(Exception):
    """A text names several devices, and nothing tells where the second begins."""

    def __init__(self, names: list[str]):
        super().__init__(", ".join(names))
        self.names = names


def names_another(text: str, source: Source) -> bool:
    """Whether a text holds several devices, told apart or not."""
    if not _may_name_another(text, source):
        return False
    try:
        return len(split(passage_of(text), source)) > 1
    except SeveralDevicesError:
        return True


def _may_name_another(text: str, source: Source) -> bool:
    """Whether a text may name a second device, in the words in which it names the first; no more
    than a look.
    """
    if not source.hostname or not source.base or source.form is Form.JSON:
        return False
    first = searcher(Signature(source.hostname, 0, "hostname"))(text)
    if first is None:
        return False
    begin = text.rfind("\n", 0, first.start("name")) + 1
    words = text[begin : first.start("name")]
    return bool(words.strip()) and text.find(f"\n{words}", first.end()) >= 0


def split(whole: Passage, source: Source) -> list[Passage]:
    """The text of each device.

    Raises:
        SeveralDevicesError: it holds several, and nothing tells where they begin.
    """
    if not source.hostname or not source.base or source.form is Form.JSON:
        return [whole]
    inside = banner_lines(whole.lines) if source.form is Form.INDENTED else set()
    named = [one for one in _name_lines(whole.text, source.hostname) if one[0] not in inside]
    if len({name.casefold() for _, name in named}) < 2:
        return [whole]
    starts = [0]
    for (_, before), (index, name) in pairwise(named):
        if before.casefold() == name.casefold():
            continue
        begin = _begin(whole.lines, index, starts[-1])
        if begin is None:
            if source.form is Form.STATEMENTS or source.form is Form.RAW:
                return [whole]  # groups of such a system may each name one of its own members
            raise SeveralDevicesError(list(dict.fromkeys(name for _, name in named)))
        starts.append(begin)
    return [whole.part(a, b) for a, b in pairwise([*starts, len(whole.lines)])]


def _name_lines(text: str, pattern: str) -> list[tuple[int, str]]:
    """The lines that name a device, and the names."""
    found = []
    line, last = 0, 0
    for match in re.compile(pattern, re.MULTILINE).finditer(text):
        line += text.count("\n", last, match.start("name"))
        last = match.start("name")
        found.append((line, match["name"]))
    return found


def _begin(lines: list[str], index: int, floor: int) -> int | None:
    """Where the configuration begins that names its device at `index`."""
    for at in range(index - 1, max(floor, index - BACK), -1):
        line = lines[at].strip()
        if not line:
            continue
        if lines[at][:1] not in (" ", "\t") and _ENDS.fullmatch(line):
            return at + 1
        if _BEGINS.fullmatch(line):
            first = at
            while first > floor + 1 and (
                not lines[first - 1].strip() or _BEGINS.fullmatch(lines[first - 1].strip())
            ):
                first -= 1
            return first
    return None
