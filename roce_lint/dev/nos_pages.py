"""Generated documents: the generated part of each NOS page, and the index of rules.

Each page docs/nos/<nos>.md has two marks; between them are the supported files and outputs, the
lines or tables read from each, and the ignored lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roce_lint.engine.page import RulePage, load_pages
from roce_lint.errors import RoceLintError
from roce_lint.loading.load import load
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Plane, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.grammar import PATTERNS
from roce_lint.text.source import LineState
from roce_lint.text.statements import Wanted

BEGIN, END = "<!-- constructs -->", "<!-- /constructs -->"

NOTE = "<!-- Made by `python -m roce_lint.dev nos` from declarations, templates and tests. -->"

PLANES = {
    Plane.STARTUP: "startup configuration",
    Plane.CONFIG: "configuration",
    Plane.STATE: "state",
}

FORMS = {
    Form.INDENTED: "indented lines",
    Form.LINES: "output",
    Form.STATEMENTS: "braces or `set` lines",
    Form.RAW: "lines",
    Form.INI: "sections of settings",
    Form.ENV: "settings",
    Form.SHELL: "shell",
    Form.JSON: "JSON",
    Form.YAML: "YAML",
}


def update(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write generated files below `root`; return the names of those that changed."""
    changed = []
    for name, text in files.items():
        path = root / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


def pages(root: Path) -> dict[str, str]:
    """The expected page of every NOS.

    Raises:
        RoceLintError: a page has no marks.
    """
    made = {}
    for nos in all_nos().values():
        name = f"docs/nos/{nos.name}.md"
        head, begin, rest = (root / name).read_text(encoding="utf-8").partition(f"{BEGIN}\n")
        _, end, tail = rest.partition(END)
        if not (begin and end):
            raise RoceLintError(f"missing marks {BEGIN} and {END}", location=name)
        made[name] = "\n".join([head + BEGIN, NOTE, "", *_constructs(nos, root), END + tail])
    return made


def _constructs(nos: Nos, root: Path) -> Iterator[str]:
    yield "| source | form | content | command | recognised by |"
    yield "| --- | --- | --- | --- | --- |"
    for source in nos.sources:
        run = f"`{_cell(source.run)}`" if source.run else ""
        signs = ", ".join(dict.fromkeys(sign.why for sign in source.signatures))
        signs = signs or ("its command" if source.command else "its file name")
        cells = (f"`{source.name}`", FORMS[source.form], PLANES[source.plane], run, _cell(signs))
        yield f"| {' | '.join(cells)} |"
    yield ""
    for source in nos.sources:
        lines = list(_lines(nos, source, root))
        if lines:
            yield from _fold(f"Lines read from <code>{source.name}</code>", lines)
    passed: dict[str, list[str]] = {}
    for source in nos.sources:
        for item in source.ignored:
            passed.setdefault(item.why, []).append(spell_regex(item.pattern, item.pattern))
    if passed:
        rows = ["| lines | reason |", "| --- | --- |"]
        rows += [
            f"| {', '.join(f'`{_cell(line)}`' for line in dict.fromkeys(lines))} | {_cell(why)} |"
            for why, lines in passed.items()
        ]
        yield from _fold("Ignored lines", rows, code=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fold(title: str, lines: list[str], *, code: bool = True) -> list[str]:
    body = ["```text", *lines, "```"] if code else lines
    return ["<details>", f"<summary>{title}</summary>", "", *body, "", "</details>", ""]


def _lines(nos: Nos, source: Source, root: Path) -> Iterator[str]:
    """The lines, tables or words read from a source."""
    if source.form is Form.INDENTED:
        for name in dict.fromkeys(section.name for section in source.sections):
            yield from _template(nos, name, root)
    elif source.form is Form.LINES:
        yield from _template(nos, source.name, root)
    elif source.form is Form.STATEMENTS:
        yield from _words(source.wanted, 0, set())
    elif source.form in (Form.JSON, Form.YAML):
        yield from dict.fromkeys(section.name for section in source.sections)
    elif source.form is Form.RAW and source.base:
        yield from _statements_tested(nos, source, root)


def _words(wanted: Wanted, depth: int, seen: set[int]) -> Iterator[str]:
    """Words and the words below them; shared children are listed once."""
    for word, below in wanted.items():
        again = len(below) > 1 and id(below) in seen
        yield f"{'    ' * depth}{word}" + (" (as above)" if again else "")
        if not again:
            seen.add(id(below))
            yield from _words(below, depth + 1, seen)


def _template(nos: Nos, name: str, root: Path) -> Iterator[str]:
    folder = nos.templates or root / "templates" / nos.name
    text = (folder / "parse" / f"{name}.ttp").read_text(encoding="utf-8")
    patterns = {**PATTERNS, **nos.patterns}
    lines = (line for line in text.split("\n") if not re.match(r"\s*(?:##|<|$)", line))
    plain = dict.fromkeys(_plain(line, patterns) for line in lines)
    yield from (line for line in plain if re.search(r"\w", line))


_VARIABLE = re.compile(r"\{\{\s*(\w+)(.*?)\}\}")
_FILTER = re.compile(r"""re\(["'](.*?)["']\)""")


def _plain(line: str, patterns: Mapping[str, str]) -> str:
    """A template line with NAME for variables, and the words of fixed alternatives."""

    def shown(variable: re.Match[str]) -> str:
        if variable[1] == "ignore":
            return ""
        name, found = variable[1].upper(), _FILTER.search(variable[2])
        if found is None or found[1] in PATTERNS:
            return name
        pattern = patterns.get(found[1])
        return found[1] if pattern is None else spell_regex(pattern, name)

    return _VARIABLE.sub(shown, line).rstrip()


_SPELLINGS = (
    (r"\\s[+*]", " "),
    (r"\\\.", "."),
    (r"\\b|\$$", ""),
    (r"\(\?:\\S\+\)|\\S\.\*|\\S\+|\\d\+|\.\*|\\d\b|\\S", "..."),
    (r"\(\?!.*?\)", ""),
    (r"\(\?:([^()]*)\)\?", r"[\1]"),
    (r"\(\?:", "("),
)


def spell_regex(pattern: str, name: str) -> str:
    """A regex in the form of CLI syntax; `name` for one that is too complex."""
    text = pattern
    for regex, spelling in _SPELLINGS:
        text = re.sub(regex, spelling, text)
    if re.search(r"[\\^$*+?{}]|\[[^\]]*-[^\]]*\](?!\S)|\)\?", text):
        words = re.match(r"[a-z][a-z0-9-]*(?: [a-z0-9-]+)*(?= |\\s|$)", pattern)
        return f"{words[0]} ..." if words else name
    return text.strip()


def _statements_tested(nos: Nos, source: Source, root: Path) -> list[str]:
    """Statements of a source without template: those that the test cases cover, without numbers."""
    found: set[str] = set()
    for case in sorted(path for path in (root / "tests" / "nos" / nos.name).glob("*/")):
        for device in load((str(case),), jobs=1, cache=False).devices:
            for ref in device.src.files:
                if device.nos == nos.name and ref.source == source.name and ref.path:
                    lines = Path(ref.path).read_text(encoding="utf-8").split("\n")
                    if not any(line.endswith(("{", ":")) for line in lines):  # not a tree
                        found.update(_statements_read(lines, ref.states))
    return sorted(found)


_NUMBER = re.compile(r"(?<!\bipv)(?<!\bl)\d+(?:[./:,-]\d+)*")  # not those of ipv4 and l2-mtu
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def _statements_read(lines: list[str], states: Iterable[int]) -> Iterator[str]:
    for line, state in zip(lines, states, strict=False):
        if state == LineState.UNDERSTOOD:
            yield _NUMBER.sub("N", _QUOTED.sub("TEXT", " ".join(line.split())))


# Index of rules, generated from their pages.

INDEX = "rules/README.md"
INDEX_NOTE = (
    "<!-- Made by `python -m roce_lint.dev rules` from the pages in rules/; edit those. -->"
)

FAMILIES = {
    "MTU": "Packet sizes",
    "MAP": "Classification: from DSCP to traffic class",
    "PFC": "Priority flow control and its watchdog",
    "ECN": "ECN marking",
    "BUF": "Buffers and headroom",
    "CLS": "Traffic classes: sharing and bandwidth",
    "LNK": "Links",
    "TOP": "Topology and load balancing",
    "NIC": "Hosts and their NICs",
    "WLK": "NIC-to-NIC paths",
    "SRC": "Input files",
}
"""Titles of the families, in the order of the index."""

SEVERITIES = {
    "error": "RoCE breaks or loses packets",
    "warning": "likely wrong, or wrong under load",
    "info": "worth knowing",
}


def generate_files(root: Path) -> dict[str, str]:
    """Every generated file of the checkout with its expected text."""
    return {INDEX: _index(load_pages([root / "rules"]), root)}


def _index(pages: list[RulePage], root: Path) -> str:
    places = {p.id: Path(p.path).relative_to(root / "rules").as_posix() for p in pages}
    lines = [INDEX_NOTE, "", "# The rules", ""]
    lines += [
        "A rule is a page here and a function of the same name in `roce_lint/checks`. The examples",
        "of the page are tests. [CONTRIBUTING.md](../CONTRIBUTING.md) explains how to add one.",
        "",
    ]
    for family, title in FAMILIES.items():
        own = [page for page in pages if page.family == family]
        if own:
            lines += [f"## {family}: {title}", "", *_rows(own, places), ""]
    lines += ["## By severity", ""]
    for severity, meaning in SEVERITIES.items():
        links = [f"[{p.id}]({places[p.id]})" for p in pages if p.head.severity == severity]
        lines += [f"**{severity}** ({meaning}): {', '.join(links)}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _rows(pages: list[RulePage], places: dict[str, str]) -> list[str]:
    rows = ["| rule | severity | finds |", "| --- | --- | --- |"]
    for page in pages:
        stage = "" if page.head.stage == "stable" else f" ({page.head.stage})"
        cells = f"[{page.id}]({places[page.id]}) | {page.head.severity}{stage}"
        rows.append(f"| {cells} | {_cell(page.title)} |")
    return rows
