"""A stretch of a file that is one text of its own: what it says, whose it is, where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from roce_lint.text.source import LineMap


@dataclass(slots=True)
class Passage:
    """Lines of a file that belong together: the output of a command, or a configuration.

    `numbers` are the file's numbers of the lines; `margin` is what was cut off before each of them
    (-1: not the same everywhere). `command` printed them on `host`, as far as that is told.
    """

    lines: list[str]
    numbers: list[int] | range
    host: str | None = None
    command: str | None = None
    margin: int = 0
    startup: bool = False  # what boots, where what runs was printed beside it
    told: list[str] = field(default_factory=list)  # what was taken out of it

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    @property
    def placing(self) -> LineMap:
        """Where the lines stand in the file."""
        return LineMap.of(self.numbers, self.margin)

    @property
    def is_blank(self) -> bool:
        """True where nothing is said."""
        return not any(line and not line.isspace() for line in self.lines)

    def part(self, first: int, end: int) -> Passage:
        """The lines from index `first` up to `end`, without what is known of the whole."""
        return Passage(self.lines[first:end], self.numbers[first:end], self.host, None, self.margin)

    def with_lines(self, lines: list[str], margin: int = 0) -> Passage:
        """The same place with other words, each line for the same line."""
        total = -1 if -1 in (self.margin, margin) else self.margin + margin
        return replace(self, lines=lines, margin=total)


def passage_of(text: str) -> Passage:
    """A whole file, nothing cut off."""
    lines = text.split("\n")
    return Passage(lines, range(1, len(lines) + 1))
