"""Choice of tests near to changed files. `__main__` describes the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from tests.near.words import holding, lost

IMPORT = re.compile(
    r"^[ \t]*from ((?:roce_lint|tests)[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE
)
PAGE = re.compile(r"rules/\w+/[A-Z]{3}\d{3}")
MODULE = re.compile(r"\b(?:roce_lint|tests)(?:\.\w+)+")

MANY = 20
"""Test files for rare words; files with common words only come late."""

ENOUGH = 40
"""Tests that import a module, from which on more distant ones are not looked for."""


@dataclass(frozen=True)
class Change:
    """A changed file: its text before and after, "" where it was not there."""

    name: str
    old: str
    new: str


@dataclass
class Choice:
    """Test files, each with a -k expression ("": all of it) and its rank."""

    texts: dict[str, str]
    """Modules of the package, all files under tests/, and the pages of the rules."""
    picks: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, rank: int, files: list[str], keyword: str = "") -> None:
        """Choose test files, or give those that are chosen already a better rank."""
        for name in filter(self.texts.__contains__, files):
            self.picks[name, keyword] = min(rank, self.picks.get((name, keyword), rank))

    def under(self, start: str) -> list[str]:
        """The test files whose path begins so."""
        return [name for name in self.texts if name.startswith(start) and is_test(name)]

    def naming(self, pattern: str, files: list[str]) -> list[str]:
        """Those of the files in which the pattern occurs."""
        return [name for name in files if re.search(pattern, self.texts[name])]

    def near(self, changed: list[Change]) -> dict[tuple[str, str], int]:
        """Apply every rule."""
        self.importers = importers(self.texts, [change.name for change in changed])
        for change in changed:
            folder = change.name.split("/")[0]
            self.add(4, self.naming(rf'"{folder}|project_files\(', self.under("tests/house/")))
            self._by_path(change.name)
            self._by_imports(change.name)
            self._by_rules(change)
        self._by_words(changed)
        whole = {name: rank for (name, keyword), rank in self.picks.items() if not keyword}
        merged: dict[tuple[str, int], list[str]] = {}
        for (name, keyword), rank in sorted(self.picks.items()):
            if not keyword or rank < whole.get(name, 9):
                merged.setdefault((name, rank), []).append(keyword)
        return {(name, " or ".join(filter(None, k))): rank for (name, rank), k in merged.items()}

    def _by_words(self, changed: list[Change]) -> None:
        """Tests that contain removed words: those with the rarest of them first, as far as MANY."""
        data = {name: text for name, text in self.texts.items() if name.startswith("tests/")}
        package = re.compile(r"(roce_lint|rules|templates)/")
        near: set[tuple[str, str]] = set()
        found = []
        for words in lost([(c.name, c.old, c.new) for c in changed if package.match(c.name)]):
            direct = holding(words, data)
            found.append(({key for name in direct for key in self._owners(name)}, direct))
        for owners, direct in sorted(found, key=lambda each: len(each[0])):
            few = not near or len(near | owners) <= MANY
            near |= owners if few else set()
            for name, keyword in owners:
                self.add((1 if name in direct else 2) if few else 5, [name], keyword)

    def _by_path(self, name: str) -> None:
        if name.endswith("/conftest.py"):
            self.add(2, self.under(name.removesuffix("conftest.py")))
        elif is_test(name):
            self.add(0, [name])
        elif not name.endswith(".py") and not PAGE.match(name):
            for owner, keyword in self._owners(name):
                self.add(3, [owner], keyword)
        folder, _, file = name.removeprefix("roce_lint/").rpartition("/")
        self.add(2, [f"tests/unit/{folder}/test_{file}".replace("//", "/")])
        reader = re.match(r"(?:roce_lint/nos|templates)/(\w+)/", name)
        if reader and (own := self.under(f"tests/nos/{reader[1]}/")):
            self.add(2, own)
            self.add(2, ["tests/nos/test_cases.py"], f"{reader[1]}/")
            for start in ("tests/nos/test_", "tests/captures/", "tests/corpus/"):
                self.add(4, self.under(start), reader[1].replace("linux", "linux or host"))
        elif name.startswith("roce_lint/nos/"):
            self.add(2, ["tests/nos/test_cases.py"])

    def _by_imports(self, name: str) -> None:
        """Tests that import a module, and the nearest of those that do so at second hand."""
        seen, level = {name}, {name}
        for rank in (3, 5, 6, 7, 8):
            level = {each for one in level for each in self.importers.get(one, ())} - seen
            seen |= level
            self.add(rank, [each for each in level if is_test(each)])
            if len(list(filter(is_test, seen))) > ENOUGH and not name.startswith("tests/"):
                break

    def _by_rules(self, change: Change) -> None:
        """For a check or a page: the examples of its rules, the unit tests of its family."""
        family = re.match(r"(?:roce_lint/checks|rules)/(\w+)/.*\.(?:py|md)$", change.name)
        ids: dict[str, bool] = {}  # of the family, with whether the file is about the rule
        for page, text in self.texts.items() if family else ():
            head = re.match(r"---\nid: (\w+)\n(?:.*\n)*?check: (\S+)\n", text)
            if head and page.startswith(f"rules/{family[1]}/"):
                ids[head[1]] = page == change.name or f'"{head[2]}"' in change.old + change.new
        own = sorted(each for each, about in ids.items() if about)
        if ids:
            self.add(2, self.under(f"tests/unit/checks/{family[1]}/"))
            self.add(2, self.under("tests/rules/"), " or ".join(own or sorted(ids)))
        if own:
            self.add(5, self.naming(rf"\b({'|'.join(own)})\b", self.under("tests/")))

    def _owners(self, name: str) -> list[tuple[str, str]]:
        """A test file itself, the tests that import a helper, or those that name a data file."""
        case = re.match(r"tests/nos/(\w+)/.*(?<!\.py)$", name)
        if case:
            return [("tests/nos/test_cases.py", f"{case[1]}/")]
        if is_test(name):
            found = [name]
        elif name.endswith(".py"):
            found = list(filter(is_test, self.importers.get(name, ())))
        else:
            folder, _, file = name.rpartition("/")
            signs = [file, folder, f'"{folder.split("/")[-1]}"'] if "/" in folder else [file]
            inside = folder.startswith("tests/")
            while inside and folder and not self.under(f"{folder}/test_"):
                folder = folder.rpartition("/")[0]
            beside = self.under(f"{folder}/test_" if inside else "tests/")
            found = self.naming("|".join(map(re.escape, signs)), beside) or beside * inside
        return [(each, "") for each in found]


def is_test(name: str) -> bool:
    """Whether pytest collects the file."""
    return re.match(r"tests/(.*/)?test_\w+\.py$", name) is not None


@cache
def _named(text: str) -> frozenset[str]:
    """Modules and their members that a text imports or names."""
    members = (
        f"{package}.{member}"
        for package, listed in IMPORT.findall(text)
        for member in re.findall(r"\w+", listed)
    )
    return frozenset({*MODULE.findall(text), *members})


def importers(texts: dict[str, str], gone: list[str]) -> dict[str, set[str]]:
    """Importers of a module, or files that name it in a string; also of deleted modules."""
    known = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
        for name in [*gone, *texts]
        if name.endswith(".py")
    }
    found: dict[str, set[str]] = {}
    for name in known.values():
        for each in _named(texts.get(name, "")):
            module = each
            while module and module not in known:
                module = module.rpartition(".")[0]
            if module:
                found.setdefault(known[module], set()).add(name)
    return found
