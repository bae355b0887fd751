"""New operating systems and rules: the files they begin with, which work and claim nothing more.

Only new files are written. What is made works as it is: a reader that knows host name, ports, MTU
and shutdown, and says of its one default that nobody has confirmed it; a rule that finds one thing
in one example. It passes the test suite once the files that are generated from it are written
(CONTRIBUTING.md says how).
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template

from roce_lint.dev.reference import FAMILIES
from roce_lint.errors import RoceLintError

NAME = re.compile(r"[a-z][a-z0-9]{1,23}")
RULE_ID = re.compile(r"[A-Z]{3}\d{3}")
_IMPORTS = re.compile(r"(?:^from roce_lint\S* import .*\n)+", re.MULTILINE)
RULE_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def new_nos(root: Path, name: str, title: str | None = None, sign: str | None = None) -> list[str]:
    """Write the four places of a NOS below `root`; the names of the files.

    `sign` is a line that only this NOS prints, as it begins; a capture is recognised by it.

    Raises:
        RoceLintError: the name cannot be one, or something of that name is there.
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
    """Write page and check of a rule below `root`; the names of the files.

    Raises:
        RoceLintError: id or name cannot be one, or are taken.
    """
    if not RULE_ID.fullmatch(rule):
        raise RoceLintError(f"{rule!r} is not a rule id: three capitals and three digits")
    if rule[:3] not in FAMILIES:
        raise RoceLintError(f"{rule[:3]} is no family of rules: {', '.join(FAMILIES)}")
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
        raise RoceLintError(f"{taken[0].relative_to(root).as_posix()} is there already")
    made = _write(root, "rule", words)
    package = root / "roce_lint" / "checks" / words["family"] / "__init__.py"
    if not package.exists():  # the first rule of its family
        package.write_text(f'"""{FAMILIES[rule[:3]]}."""\n', encoding="utf-8")
        made = sorted([*made, package.relative_to(root).as_posix()])
    return made


def _write(root: Path, kind: str, words: dict[str, str]) -> list[str]:
    """Write every file of a kind, or none where one of them is there."""
    made = {
        Template(path).substitute(words): Template(text).substitute(words)
        for path, text in skeleton(kind)
    }
    there = [name for name in made if (root / name).exists()]
    if there:
        raise RoceLintError(f"{there[0]} is there already")
    for name, text in made.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_in_order(text) if name.endswith(".py") else text, encoding="utf-8")
    return sorted(made)


def _in_order(text: str) -> str:
    """A module whose imports of ours are sorted: where a new name belongs depends on the name."""
    ours = _IMPORTS.search(text)
    if ours is None:
        return text
    lines = sorted(ours[0].splitlines(keepends=True), key=lambda line: line.split()[1])
    return text[: ours.start()] + "".join(lines) + text[ours.end() :]


def skeleton(kind: str) -> list[tuple[str, str]]:
    """Paths and texts of the files of a kind, with $$words in both still to be put in.

    A file of `skeletons/` holds one file: its path in the first line, and the text below.
    """
    folder = resources.files(__package__) / "skeletons" / kind
    found = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        path, _, text = entry.read_text(encoding="utf-8").partition("\n")
        found.append((path.strip(), text))
    return found
