"""A stretch of a file that is a separate text: its lines, owner and place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from roce_lint.text.source import LineMap


@dataclass(slots=True)
class Segment:
    """Lines of a file that belong together: the output of a command, or a configuration.

    `numbers` are the file's numbers of the lines; `margin` is the width cut off before each (-1:
    varies). `command` printed them on `host`, as far as known.
    """

    lines: list[str]
    numbers: list[int] | range
    host: str | None = None
    command: str | None = None
    margin: int = 0
    startup: bool = False  # startup configuration, printed beside the running one
    removed: list[str] = field(default_factory=list)  # descriptions of removed text

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    @property
    def placing(self) -> LineMap:
        """The place of the lines in the file."""
        return LineMap.of(self.numbers, self.margin)

    @property
    def is_blank(self) -> bool:
        """Whether all lines are blank."""
        return not any(line and not line.isspace() for line in self.lines)

    def part(self, first: int, end: int) -> Segment:
        """The lines from index `first` up to `end`, without the attributes of the whole."""
        return Segment(self.lines[first:end], self.numbers[first:end], self.host, None, self.margin)

    def with_lines(self, lines: list[str], margin: int = 0) -> Segment:
        """The same place with other text, line by line."""
        total = -1 if -1 in (self.margin, margin) else self.margin + margin
        return replace(self, lines=lines, margin=total)


def segment_of(text: str) -> Segment:
    """A whole file as a segment."""
    lines = text.split("\n")
    return Segment(lines, range(1, len(lines) + 1))
