"""Runs a config template with both runners: ours (match) and TTP (extract)."""

from __future__ import annotations

from collections.abc import Mapping

from roce_lint.text.extract import extract
from roce_lint.text.match import Record, Template
from roce_lint.text.sections import Layout, Sections, split

COMMENTS = Layout(comment="!")


def reindented(sections: Sections, step: int, count: int) -> list[str]:
    """The text as TTP wants it: `step` blanks per depth, single blanks between words.

    Lines keep their numbers; comments and skipped regions become blank, wrapped lines one.
    """
    lines = [""] * count
    for stanza in sections.stanzas:
        for depth, text, number in ((0, stanza.header, stanza.number), *stanza.body):
            lines[number - 1] = " " * (depth * step) + " ".join(text.split())
    return lines


def both(
    template: str, config: str, patterns: Mapping[str, str], layout: Layout = COMMENTS
) -> tuple[list[Record], list[Record]]:
    """Records by our matcher and by TTP."""
    raw = config.replace("\r\n", "\n").split("\n")
    ours = Template(template, "template.ttp", patterns)
    lines = reindented(split(raw, layout), ours.step, len(raw))
    states = bytearray(len(lines))
    found = ours.run(split(lines, Layout()).stanzas, 0, states)
    return found, extract(template, "template.ttp", lines, 0, bytearray(len(lines)), patterns)


def agree(
    template: str, config: str, patterns: Mapping[str, str] | None = None, layout: Layout = COMMENTS
) -> None:
    """Fail unless a config template gives the same records by either runner.

    The differences that are meant are kept away from the comparison, or cannot come up:

    * Indent and blanks. TTP wants the template's own, so the text is re-indented by depth, and
      runs of blanks become single ones, before either runner sees it.
    * Comments and banners. TTP has no notion of them, so they are blanked.
    * Blocks, equal lines, literal digits, and values that run over the end of a line: `extract`
      replays TTP's matches by the stricter rules of our matcher.

    One difference is left, and is a fault of the template: a line that two template lines match.
    Ours gives it to the first, TTP to a start line before a value and to every top-level group.
    """
    ours, theirs = both(template, config, patterns or {}, layout)
    assert ours == theirs
