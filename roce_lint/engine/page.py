"""Rule pages: front matter, headings, examples with captions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roce_lint.engine.finding import Severity
from roce_lint.errors import ReadError, RulePageError
from roce_lint.resources import resource_dir
from roce_lint.text.files import list_files, read_small
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import SourceFile
from roce_lint.text.tree import load_yaml

HEADINGS = (
    "What is wrong",
    "Why it matters",
    "How to fix",
    "Not reported when",
    "Example",
    "Sources",
)
"""Second-level headings of a page, in this order. Built-in pages have them all; private pages may
omit any.
"""

OLDER = {"How to put it right": "How to fix"}
"""Former headings, still accepted in pages of earlier versions."""

REASONS: Mapping[str, str] = {
    "cabling": "needs cabling or hardware",
    "decision": "needs a decision: which value is right",
    "data": "needs data that is missing",
    "information": "informs only",
}
"""Reasons why no model field fixes a finding, by the word of the front matter."""

SECTION = "section"
"""Instead of fields: whatever equals have in the section of the line that a finding is about."""

_MARK = re.compile(r"^(?:#{1,2} |[^\S\n]*`{3,}).*$", re.MULTILINE)
"""Lines that divide a page: headings, and fences of code blocks."""


class FrontMatter(BaseModel):
    """Front matter of a page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[A-Z]{3}\d{3}$")
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)+$")
    formerly: tuple[str, ...] = ()  # former names, still accepted by explain
    severity: Literal["error", "warning", "info"]
    check: str = Field(min_length=3)
    since: str = ""
    stage: Literal["preview", "stable", "deprecated"] = "stable"
    covers: tuple[str, ...] = ()
    acts: Literal["arriving", "leaving", "both"] = "both"  # affected packets of the port
    fixed_by: tuple[str, ...] | Literal["cabling", "decision", "data", "information"] = ()
    """Model fields that fix it together, or the reason why none does. `[dscp]`, `[tc]`, `[queue]`,
    `[group]` and `[priority]` mean the numbers of the finding's class on its port, `[variable]` the
    variable it is about; any other key means itself, and no key all entries.
    """
    params: dict[str, Any] = Field(default_factory=dict)


@dataclass(slots=True)
class Block:
    """One fenced block of an example: a file of a small fabric."""

    language: str
    word: str  # bad, good, fixed
    file: str
    expect: tuple[int, ...]  # lines inside this block on which the rule must report
    text: str
    line: int  # line of the page on which the block begins
    case: str = ""  # groups blocks of several examples on one page


@dataclass(frozen=True)
class RulePage:
    """One rule."""

    head: FrontMatter
    title: str
    body: str
    path: str
    blocks: tuple[Block, ...] = field(repr=False)

    @property
    def id(self) -> str:
        """The rule's id: three capitals and three digits, never reused."""
        return self.head.id

    @cached_property
    def severity(self) -> Severity:
        """The page's severity; a finding may be lower, never higher."""
        return Severity[self.head.severity.upper()]

    @cached_property
    def family(self) -> str:
        """The three letters of the id."""
        return self.head.id[:3]

    @property
    def fixed_by(self) -> str:
        """Fields that fix a finding, or the reason why none does, in words; empty if unknown."""
        known = self.head.fixed_by
        if known == (SECTION,):
            return "the values that equal devices have in the section of the line"
        return REASONS[known] if isinstance(known, str) else ", ".join(known)

    def section(self, heading: str) -> str:
        """The text below a second-level heading; empty if the page lacks it."""
        return self._sections.get(heading, "")

    @cached_property
    def _sections(self) -> dict[str, str]:
        marks, _ = _divide(list(_MARK.finditer(self.body)))
        begins = [*(mark.start() for mark in marks), len(self.body)]
        return {
            _heading(mark): self.body[mark.end() : end].strip()
            for mark, end in zip(marks, begins[1:], strict=True)
        }


@lru_cache(maxsize=1024)
def parse_page(text: str, path: str) -> RulePage:
    """Parse one page; a process parses each text once.

    Raises:
        RulePageError: front matter, headings or example blocks are invalid; all faults of the page
            in one error.
    """
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise RulePageError(
            "a rule page starts with front matter between two --- lines", location=path
        )
    raw, body = text[4:].split("\n---\n", 1)
    offset = raw.count("\n") + 4  # the line on which the body begins
    for older, newer in OLDER.items():
        body = body.replace(f"\n## {older}\n", f"\n## {newer}\n")
    faults: list[RulePageError] = []
    head = _head(raw, path, faults)
    marks = list(_MARK.finditer(body))
    title = next((mark[0][2:] for mark in marks if mark[0].startswith("# ")), "")
    if not title:
        faults.append(RulePageError("the page has no title (# ...)", location=path))
    found, fenced = _divide(marks)
    headings = [_heading(mark) for mark in found]
    if headings != [heading for heading in HEADINGS if heading in headings]:
        message = f"headings are {headings}; expected from {list(HEADINGS)}, in this order"
        faults.append(RulePageError(message, location=path))
    blocks = tuple(_blocks(body, fenced, path, offset, faults))
    if head is None or faults:
        raise _combine(faults)
    return RulePage(head, title, body.strip() + "\n", path, blocks)


def _head(raw: str, path: str, faults: list[RulePageError]) -> FrontMatter | None:
    try:
        data = load_yaml(SourceFile.of(path, raw))[0].data
        return FrontMatter.model_validate(data)
    except ReadError as error:
        faults.append(RulePageError(error.message, location=path))
    except ValidationError as error:
        for fault in error.errors():
            where = ".".join(str(part) for part in fault["loc"])
            faults.append(RulePageError(f"{where}: {fault['msg']}", location=path))
    return None


def _combine(faults: Iterable[RulePageError]) -> RulePageError:
    """Combine several errors into one."""
    first, *others = (one for fault in faults for one in (fault, *fault.others))
    return RulePageError(first.message, location=first.location, others=others)


def load_pages(folders: Iterable[Path]) -> list[RulePage]:
    """Return all pages below the folders (without README.md files), sorted by id.

    Raises:
        RulePageError: invalid pages, or two with one id or name; all in one error.
    """
    pages: dict[str, RulePage] = {}
    names: dict[str, str] = {}
    faults: list[RulePageError] = []
    for folder in folders:
        own = folder == resource_dir("rules")
        for page in _built_in() if own else _read_folder(folder, faults):
            for known in (pages.get(page.id), pages.get(names.get(page.head.name, ""))):
                if known is not None:
                    message = f"{page.id} {page.head.name} is also declared by {known.path}"
                    faults.append(RulePageError(message, location=page.path))
            pages[page.id] = page
            names[page.head.name] = page.id
    if faults:
        raise _combine(faults)
    return [pages[key] for key in sorted(pages)]


@cache
def _built_in() -> tuple[RulePage, ...]:
    """Built-in pages, read once per process."""
    faults: list[RulePageError] = []
    pages = tuple(_read_folder(resource_dir("rules"), faults))
    if faults:
        raise _combine(faults)
    return pages


def _read_folder(folder: Path, faults: list[RulePageError]) -> Iterator[RulePage]:
    for path in _list_files(folder):
        if path.name == "README.md":
            continue
        try:
            text = read_small(path).decode("utf-8").replace("\r\n", "\n")
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise RulePageError(message, location=str(path)) from error
        except UnicodeDecodeError as error:
            raise RulePageError(f"cannot be read: {error}", location=str(path)) from error
        try:
            yield parse_page(text, str(path))
        except RulePageError as error:
            faults.append(error)


def _list_files(folder: Path) -> list[Path]:
    try:
        return list_files(folder, "**/*.md")
    except OSError as error:
        raise RulePageError(error.strerror or str(error), location=str(folder)) from None


_Mark = re.Match[str]


def _divide(marks: list[_Mark]) -> tuple[list[_Mark], list[tuple[_Mark, _Mark | None]]]:
    """Second-level headings outside fenced blocks; first and last line of each block, the last None
    if the block is not closed.
    """
    headings: list[_Mark] = []
    fenced: list[tuple[_Mark, _Mark | None]] = []
    opened: _Mark | None = None
    for mark in marks:
        if opened is None:
            if mark[0].startswith("## "):
                headings.append(mark)
            elif mark[0].startswith("`"):
                opened = mark
        elif mark[0].strip() == _ticks(opened):
            fenced.append((opened, mark))
            opened = None
    if opened is not None:
        fenced.append((opened, None))
    return headings, fenced


def _heading(mark: _Mark) -> str:
    return mark[0][3:].strip()


def _ticks(mark: _Mark) -> str:
    """Fence that closes a block."""
    return mark[0][: len(mark[0]) - len(mark[0].lstrip("`"))]


def _blocks(
    body: str,
    fenced: list[tuple[_Mark, _Mark | None]],
    path: str,
    offset: int,
    faults: list[RulePageError],
) -> Iterator[Block]:
    for first, last in fenced:
        line = offset + body.count("\n", 0, first.start())
        if last is None:
            message = "a fenced block is not closed"
            faults.append(RulePageError(message, location=f"{path}:{line}"))
            continue
        text = body[first.end() + 1 : last.start()] or "\n"
        try:
            block = _block(first[0].lstrip("`").strip(), text, f"{path}:{line}", line)
        except RulePageError as error:
            faults.append(error)
            continue
        if block is not None:
            yield block


def _block(info: str, text: str, where: str, line: int) -> Block | None:
    language, *words = info.split() or [""]
    if not words or words[0] not in ("bad", "good", "fixed"):
        return None
    options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    unknown = [
        w for w in words[1:] if "=" not in w or w.split("=")[0] not in ("file", "expect", "case")
    ]
    if unknown or "file" not in options:
        raise RulePageError(
            f"example block expects file=NAME, optional expect= and case=: {info!r}", location=where
        )
    expect = tuple(whole_of(n) for n in options.get("expect", "").split(",") if n)
    return Block(language, words[0], options["file"], expect, text, line, options.get("case", ""))


# Captions of examples, whose fences Markdown hides.

_EXAMPLE = re.compile(
    r"^(?P<marks>`{3,})(?P<language>\S+) (?P<word>bad|good|fixed)\b(?P<options>.*)$", re.MULTILINE
)
_WORDS = {"bad": "wrong", "good": "right", "fixed": "corrected"}


def add_captions(body: str) -> str:
    """The page with a caption above each example: file, role and expected lines."""
    return _EXAMPLE.sub(_caption, body)


def _caption(fence: re.Match[str]) -> str:
    options = dict(word.split("=", 1) for word in fence["options"].split() if "=" in word)
    what = _WORDS[fence["word"]]
    if fence["word"] == "bad" and not options.get("expect"):
        what = "part of the same example"
    elif options.get("expect"):
        what += f", line {options['expect'].replace(',', ', ')}"
    file = options.get("file", "")
    return f"`{file}` ({what}):\n\n{fence['marks']}{fence['language']}"
