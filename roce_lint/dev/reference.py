"""The rule reference, made from the rule pages: a page a rule, and the indexes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from roce_lint.engine.caption import captioned
from roce_lint.engine.page import RulePage, load_pages

FOLDER = "docs/rules"
INDEX = "rules/README.md"
FRONT = "README.md"

BEGIN, END = "<!-- rules -->", "<!-- /rules -->"

NOTE = "<!-- Made by `python -m roce_lint.dev rules` from the pages in rules/; edit those. -->"

FAMILIES = {
    "MTU": "Packet sizes",
    "MAP": "From code point to class",
    "PFC": "Priority flow control and its watchdog",
    "ECN": "Congestion marking",
    "BUF": "Buffers and headroom",
    "CLS": "Who shares a class, and what it gets",
    "LNK": "Links",
    "TOP": "The shape of the fabric, and how traffic spreads over it",
    "NIC": "Hosts and their NICs",
    "WLK": "The way from NIC to NIC",
    "SRC": "The files themselves",
}
"""What a family is about; the order is that of the indexes."""

SEVERITIES = {
    "error": "RoCE breaks or loses packets",
    "warning": "likely wrong, or wrong under load",
    "info": "worth knowing",
}


def generated(root: Path) -> dict[str, str]:
    """Every generated file of the checkout with the text it must have."""
    pages = load_pages([root / "rules"])
    made = {f"{FOLDER}/{name_of(page)}": _page(page, root) for page in pages}
    made[f"{FOLDER}/README.md"] = _reference(pages)
    made[INDEX] = _index(pages, root)
    front = (root / FRONT).read_text(encoding="utf-8")
    made[FRONT] = _between(front, "\n".join(_table(pages, f"{FOLDER}/")))
    return made


def stale(root: Path) -> list[str]:
    """Generated files that are not as they must be, and pages of rules that are gone."""
    made = generated(root)
    old = [
        name
        for name, text in made.items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != text
    ]
    return sorted([*old, *_gone(root, made)])


def write(root: Path) -> list[str]:
    """Bring all generated files up to date; the names of those that changed."""
    made = generated(root)
    changed = stale(root)
    for name in changed:
        path = root / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()
    return changed


def name_of(page: RulePage) -> str:
    """The file name of a rule's page in the reference."""
    return f"{page.id}-{page.head.name}.md"


def _gone(root: Path, made: dict[str, str]) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in (root / FOLDER).glob("*.md"))
    return [name for name in found if name not in made]


def _page(page: RulePage, root: Path) -> str:
    source = Path(page.path).relative_to(root).as_posix()
    head = page.head
    facts = [f"| severity | {head.severity} |", f"| stage | {head.stage}, since {head.since} |"]
    if head.covers:
        facts.append(f"| takes in | {', '.join(head.covers)} |")
    if head.params:
        facts.append(f"| parameters | {_said(head.params)} |")
    facts += [f"| check | `{head.check}` |", f"| page | [{source}](../../{source}) |"]
    title, _, rest = captioned(page.body).partition("\n")
    top = [NOTE, "", f"# {page.id} {head.name}", "", f"**{title.removeprefix('# ')}.**", ""]
    return "\n".join([*top, "| | |", "| --- | --- |", *facts]) + "\n" + rest.rstrip() + "\n"


def _said(params: dict[str, object]) -> str:
    return ", ".join(f"`{name}` = {value}" for name, value in params.items())


def _reference(pages: list[RulePage]) -> str:
    lines = [NOTE, "", "# All rules", "", *_by_family(pages, ""), "## By severity", ""]
    for severity, meaning in SEVERITIES.items():
        links = [f"[{p.id}]({name_of(p)})" for p in pages if p.head.severity == severity]
        lines += [f"**{severity}** ({meaning}): {', '.join(links)}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _index(pages: list[RulePage], root: Path) -> str:
    places = {p.id: Path(p.path).relative_to(root / "rules").as_posix() for p in pages}
    lines = [NOTE, "", "# The rules", ""]
    lines += ["A rule is a page here and a function in `roce_lint/checks`. The page's examples are"]
    lines += ["tests. [CONTRIBUTING.md](../CONTRIBUTING.md) tells how to add one.", ""]
    for family, title in FAMILIES.items():
        own = [page for page in pages if page.family == family]
        if own:
            lines += [f"## {family}: {title}", "", *_rows(own, places), ""]
    return "\n".join(lines).rstrip() + "\n"


def _by_family(pages: list[RulePage], folder: str) -> Iterable[str]:
    for family, title in FAMILIES.items():
        own = [page for page in pages if page.family == family]
        if own:
            yield from (f"## {family}: {title}", "")
            yield from _rows(own, {page.id: folder + name_of(page) for page in own})
            yield ""


def _table(pages: list[RulePage], folder: str) -> list[str]:
    ordered = [page for family in FAMILIES for page in pages if page.family == family]
    return _rows(ordered, {page.id: folder + name_of(page) for page in ordered})


def _rows(pages: list[RulePage], places: dict[str, str]) -> list[str]:
    rows = ["| rule | severity | finds |", "| --- | --- | --- |"]
    for page in pages:
        stage = "" if page.head.stage == "stable" else f" ({page.head.stage})"
        title = page.title.replace("|", "\\|")
        rows.append(f"| [{page.id}]({places[page.id]}) | {page.head.severity}{stage} | {title} |")
    return rows


def _between(text: str, table: str) -> str:
    """A text with what stands between the two marks replaced; without marks it stays."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    return f"{head}{begin}\n{table}\n{end}{tail}" if begin and end else text
