"""Scaffolds for new operating systems and rules: small files that work and claim nothing more.

Only new files are written. The result works as it is: a reader that knows host name, ports, MTU and
shutdown, and marks its one default as unconfirmed; a rule that finds one thing in one example. It
passes the test suite once the generated files are updated (see CONTRIBUTING.md).
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template

from roce_lint.dev.nos_pages import FAMILIES
from roce_lint.errors import RoceLintError

NAME = re.compile(r"[a-z][a-z0-9]{1,23}")
RULE_ID = re.compile(r"[A-Z]{3}\d{3}")
_IMPORTS = re.compile(r"(?:^from roce_lint\S* import .*\n)+", re.MULTILINE)
RULE_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def new_nos(root: Path, name: str, title: str | None = None, sign: str | None = None) -> list[str]:
    """Write the files of a NOS below `root`; return their names.

    `sign` is the beginning of a line that only this NOS prints; it identifies a capture.

    Raises:
        RoceLintError: the name is invalid, or a file exists.
    """
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot name a NOS: lower-case letters and digits, a letter first"
        raise RoceLintError(message)
    title = title or name.upper()
    words = {
        "name": name,
        "title": title,
        "sign": sign or f"! {title} configuration",
        "pattern": re.escape(sign or f"! {title} configuration").replace("\\ ", " "),
    }
    return _write(root, "nos", words)


def new_rule(root: Path, rule: str, name: str) -> list[str]:
    """Write page and check of a rule below `root`; return the names of the files.

    Raises:
        RoceLintError: id or name are invalid, or taken.
    """
    if not RULE_ID.fullmatch(rule):
        raise RoceLintError(f"{rule!r} is not a rule id: three capitals and three digits")
    if rule[:3] not in FAMILIES:
        raise RoceLintError(f"{rule[:3]} is not a rule family: {', '.join(FAMILIES)}")
    if not RULE_NAME.fullmatch(name):
        message = f"{name!r} cannot name a rule: the fault, in lower-case words joined by hyphens"
        raise RoceLintError(message)
    folder = next((path.parent.name for path in (root / "rules").glob(f"*/{rule[:3]}*.md")), None)
    words = {
        "id": rule,
        "name": name,
        "family": folder or rule[:3].lower(),
        "check": name.replace("-", "_"),
        "title": name.replace("-", " ").capitalize(),
    }
    taken = list((root / "rules").glob(f"*/{rule}-*.md"))
    taken += (root / "rules").glob(f"*/*[0-9]-{name}.md")
    if taken:
        raise RoceLintError(f"{taken[0].relative_to(root).as_posix()} already exists")
    made = _write(root, "rule", words)
    package = root / "roce_lint" / "checks" / words["family"] / "__init__.py"
    if not package.exists():  # the first rule of its family
        package.write_text(f'"""{FAMILIES[rule[:3]]}."""\n', encoding="utf-8")
        made = sorted([*made, package.relative_to(root).as_posix()])
    return made


def _write(root: Path, kind: str, words: dict[str, str]) -> list[str]:
    """Write every file of a kind, or none if one of them exists."""
    made = {
        Template(path).substitute(words): Template(text).substitute(words)
        for path, text in skeleton(kind)
    }
    there = [name for name in made if (root / name).exists()]
    if there:
        raise RoceLintError(f"{there[0]} already exists")
    for name, text in made.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_in_order(text) if name.endswith(".py") else text, encoding="utf-8")
    return sorted(made)


def _in_order(text: str) -> str:
    """Sort the imports of a module: the position of a new name depends on the name."""
    ours = _IMPORTS.search(text)
    if ours is None:
        return text
    lines = sorted(ours[0].splitlines(keepends=True), key=lambda line: line.split()[1])
    return text[: ours.start()] + "".join(lines) + text[ours.end() :]


def skeleton(kind: str) -> list[tuple[str, str]]:
    """Paths and texts of the files of a kind, with $$words in both still to be substituted.

    A file of `skeletons/` holds one file: its path in the first line, and the text below.
    """
    folder = resources.files(__package__) / "skeletons" / kind
    found = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        path, _, text = entry.read_text(encoding="utf-8").partition("\n")
        found.append((path.strip(), text))
    return found
