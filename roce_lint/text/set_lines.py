"""Configurations as `set` lines, and the lines that take back or switch off what others set."""

from __future__ import annotations

from roce_lint.text.statement_lines import NOISE, is_open, statement, statements
from roce_lint.text.statement_tree import ANY, DEEPEST, Statements, Tree, Wanted, Word

_IN_SETS = frozenset(
    {"set", "delete", "deactivate", "activate", "protect", "unprotect", "annotate"}
)


class Sets(Tree):
    """Reads the form of `set` lines."""

    def __init__(self, found: Statements, wanted: Wanted) -> None:
        super().__init__(found, wanted)
        self.repeated: dict[int, tuple[Word, list[tuple[str, int]]]] = {}
        self.early: list[tuple[list[str], int]] = []  # `deactivate` of what is not set yet

    def read(self, lines: list[str], first: int) -> None:
        """Read all lines."""
        for number, line in enumerate(lines, first + 1):
            verb, _, rest = line.strip().partition(" ")
            if verb == "set":
                if '"' not in rest and "[" not in rest and "#" not in rest:
                    self._set(rest.split(), None, number)
                    continue
                if is_open(rest):
                    self.note("a quoted text or list begins here and never ends", number)
                for part in statements(rest):
                    self._set(list(part.words), part.members, number)
            elif verb in _IN_SETS:
                self._change(verb, list(statement(rest).words), number)
            elif not verb or verb[0] in "#/" or NOISE.match(line.strip()) or number == first + 1:
                self.found.beside.append(number)
            else:
                self.found.unclear.append(number)
        for words, number in self.early:
            self._deactivate(words, number)
        for parent, again in self.repeated.values():
            again += [(name, below.line) for name, below in parent.below.items()]
            parent.listed = tuple(sorted(again, key=lambda member: member[1]))
        self.finish()

    def _set(self, words: list[str], members: tuple[str, ...] | None, line: int) -> None:
        if len(words) > DEEPEST:
            self.note("nested deeper than any device allows; left out", line)
            return
        if not words:
            self.found.unclear.append(line)
            return
        added = self.add(self.found.root, self.wanted, words, line)
        if added is None:
            return
        if members is None:
            if added[0].line != line and not added[0].below:
                self._repeat(words, added[0].line)
            self.end(added[0], line)
            return
        if len(set(members)) < len(members):
            added[0].listed = tuple((member, line) for member in members)
        for member in members:
            below = self.add(*added, (member,), line)
            if below is not None:
                self.end(below[0], line)

    def _repeat(self, words: list[str], line: int) -> None:
        """A list that names something twice has a line for each; `line` is the earlier one."""
        parent = self.found.root.get(*words[:-1])
        if parent is not None:
            self.repeated.setdefault(id(parent), (parent, []))[1].append((words[-1], line))

    def _deactivate(self, words: list[str], line: int) -> None:
        """Carry out a line that came before what it switches off."""
        parent = self.found.root.get(*words[:-1])
        if parent is not None and words[-1] in parent.below:
            self.found.applied.append(line)
            self.dropped.append((parent, words[-1]))
        elif self._is_wanted(words):
            self.found.unclear.append(line)

    def _change(self, verb: str, words: list[str], line: int) -> None:
        *above, last = words or [""]
        parent = self.found.root.get(*above)
        if parent is None or last not in parent.below:
            if words and verb == "deactivate":
                self.early.append((words, line))
            elif words and self._is_wanted(words):
                self.found.applied.append(line)
            return
        self.found.applied.append(line)
        if verb == "delete":
            self.delete(parent, last)
        elif verb == "deactivate":
            self.dropped.append((parent, last))
        elif verb == "activate":
            self.dropped = [each for each in self.dropped if each != (parent, last)]

    def _is_wanted(self, words: list[str]) -> bool:
        wanted = self.wanted
        for word in words:
            if not wanted:
                return True
            inside = wanted.get(word, wanted.get(ANY))
            if inside is None:
                return False
            wanted = inside
        return True
