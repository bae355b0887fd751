"""The tests that are near to changed files: what `make quick` runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path


def near_tests(root: Path, changed: Iterable[str]) -> list[str]:
    """Test files among the changed ones, and the unit tests that name a changed module.

    Whole-fabric tests are left out, whatever they touch: they take longer than a quick look may.
    """
    names = [name for name in changed if name.endswith(".py") and (root / name).is_file()]
    modules = {module_of(name) for name in names if name.startswith("roce_lint/")}
    found = {name for name in names if _is_unit_test(name)}
    found |= {name for name, text in _unit_tests(root) if any(m in text for m in modules)}
    return sorted(found)


def module_of(name: str) -> str:
    """`roce_lint/report/excerpt.py` as Python imports it."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_unit_test(name: str) -> bool:
    return name.startswith(("tests/unit/", "tests/dev/")) and Path(name).name.startswith("test_")


def _unit_tests(root: Path) -> Iterator[tuple[str, str]]:
    for folder in ("unit", "dev"):
        for path in sorted((root / "tests" / folder).rglob("test_*.py")):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
