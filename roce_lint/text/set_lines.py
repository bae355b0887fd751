"""Configurations as `set` lines, and the lines that take back or switch off what others set."""

from __future__ import annotations

from roce_lint.text.statement_lines import NOISE, statement
from roce_lint.text.statement_tree import ANY, DEEPEST, Tree

_IN_SETS = frozenset(
    {"set", "delete", "deactivate", "activate", "protect", "unprotect", "annotate"}
)


class Sets(Tree):
    """Reads the form of `set` lines."""

    def read(self, lines: list[str], first: int) -> None:
        """Read all lines."""
        for number, line in enumerate(lines, first + 1):
            verb, _, rest = line.strip().partition(" ")
            if verb == "set":
                plain = '"' not in rest and "[" not in rest and "#" not in rest
                words = rest.split() if plain else None
                if words is None:
                    part = statement(rest)
                    words, members = list(part.words), part.members
                else:
                    members = None
                self._set(words, members, number)
            elif verb in _IN_SETS:
                self._change(verb, list(statement(rest).words), number)
            elif not verb or verb[0] in "#/" or NOISE.match(line.strip()) or number == first + 1:
                self.found.beside.append(number)
            else:
                self.found.unclear.append(number)
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
            self.end(added[0], line)
            return
        if len(set(members)) < len(members):
            added[0].listed = members
        for member in members:
            below = self.add(*added, (member,), line)
            if below is not None:
                self.end(below[0], line)

    def _change(self, verb: str, words: list[str], line: int) -> None:
        *above, last = words or [""]
        parent = self.found.root.get(*above)
        if parent is None or last not in parent.below:
            if words and self._is_wanted(words):
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
