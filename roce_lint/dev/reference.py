"""The index of the rules, made from their pages."""

from __future__ import annotations

from pathlib import Path

from roce_lint.engine.page import RulePage, load_pages

INDEX = "rules/README.md"
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
"""What a family is about; the order is that of the index."""

SEVERITIES = {
    "error": "RoCE breaks or loses packets",
    "warning": "likely wrong, or wrong under load",
    "info": "worth knowing",
}


def generate_files(root: Path) -> dict[str, str]:
    """Every generated file of the checkout with the text it must have."""
    return {INDEX: _index(load_pages([root / "rules"]), root)}


def stale(root: Path) -> list[str]:
    """Generated files that are not as they must be."""
    return sorted(
        name
        for name, text in generate_files(root).items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != text
    )


def write(root: Path) -> list[str]:
    """Bring all generated files up to date; the names of those that changed."""
    made, changed = generate_files(root), stale(root)
    for name in changed:
        (root / name).write_text(made[name], encoding="utf-8")
    return changed


def _index(pages: list[RulePage], root: Path) -> str:
    places = {p.id: Path(p.path).relative_to(root / "rules").as_posix() for p in pages}
    lines = [NOTE, "", "# The rules", ""]
    lines += [
        "A rule is a page here and a function of its name below `roce_lint/checks`. The page's"
    ]
    lines += ["examples are tests. [CONTRIBUTING.md](../CONTRIBUTING.md) tells how to add one.", ""]
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
        title = page.title.replace("|", "\\|")
        rows.append(f"| [{page.id}]({places[page.id]}) | {page.head.severity}{stage} | {title} |")
    return rows
