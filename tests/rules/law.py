"""Foundations of an error: its places, and its survival without unconfirmed defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roce_lint import pipeline
from roce_lint.analysis.analyse import analyse
from roce_lint.engine import run as engine
from roce_lint.engine.finding import Severity
from roce_lint.engine.fold import Raw
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import CodeMap
from roce_lint.model.sourced import Sourced
from roce_lint.pipeline.inputs import load_rules
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Origin, Where

Key = tuple[str, str, int]
"""Key of an error: rule, device, deciding position."""


@contextmanager
def recorded() -> Iterator[list[Raw]]:
    """Record the problems of the runs inside, before they are folded."""
    kept: list[Raw] = []
    fold = engine.fold

    def keep(raws: list[Raw], *rest: object) -> object:
        kept.extend(raws)
        return fold(raws, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "fold", keep)
        yield kept


def errors_of(problems: Iterable[Raw]) -> list[Raw]:
    """Problems that are errors."""
    return [raw for raw in problems if raw.severity is Severity.ERROR]


def errors_again(fabric: Fabric) -> set[Key]:
    """Errors of a fabric in memory, including those that another one covers."""
    plan = fabric.plan or RocePlan()
    kept: list[Raw] = []

    def keep(raws: list[Raw]) -> list[Raw]:
        kept.extend(raws)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "cover", keep)
        rules = load_rules(pipeline.Request(), Settings())
        engine.judge(fabric, analyse(fabric, plan), plan, rules, Excerpts())
    return {key(raw) for raw in errors_of(kept)}


def key(raw: Raw) -> Key:
    """Key of an error that is stable between runs."""
    return raw.page.id, raw.problem.device, raw.cause.position if raw.cause else 0


def shaky(raw: Raw) -> list[Where]:
    """Deciding places of a problem that are neither a stated line nor a confirmed citation."""
    problem = raw.problem
    deciding = problem.at if problem.compares else problem.deciding
    if problem.rests_on is not None:
        deciding = [*problem.rests_on]
    return [where for where in deciding if not holds(where)]


def holds(where: Where) -> bool:
    """Whether a place may support an error."""
    if where.origin is Origin.DEFAULT:
        return where.citation is not None and where.confirmed
    return where.origin is Origin.STATED


def parts(item: object, seen: set[int]) -> Iterator[Sourced]:
    """Iterate over all model objects below one."""
    if id(item) in seen or isinstance(item, str | int | float | bytes | Path):
        return
    seen.add(id(item))
    if isinstance(item, Sourced):
        yield item
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        values = [getattr(item, field.name) for field in dataclasses.fields(item)]
    elif isinstance(item, dict):
        values = list(item.values())
    elif isinstance(item, list | tuple | set | frozenset):
        values = list(item)
    else:
        return
    for value in values:
        yield from parts(value, seen)


def forget_unconfirmed(fabric: Fabric) -> int:
    """Remove all values from unconfirmed defaults, or set another possible one; return their number."""
    forgotten = 0
    seen: set[int] = set()
    for device in fabric.devices.values():
        for part in parts(device, seen):
            for name, position in list(part.at.items()):
                if position < 0 and not part.where(name).confirmed:
                    forgotten += _forget(part, name)
    return forgotten


def _forget(part: Sourced, name: Hashable) -> int:
    citation = part.where(name).citation
    if isinstance(part, CodeMap) and citation is not None:
        if citation.unfilled:
            return 0  # any of them is a class without configuration
        others = (citation.among or frozenset()) - {part.entries.get(name, part.otherwise)}
        if others and isinstance(name, int):
            part.entries[name] = min(others)
            return 1
    if isinstance(part, CodeMap):
        if name == "otherwise":
            part.otherwise = None
        elif isinstance(name, int):
            part.entries.pop(name, None)
        else:
            return 0
    elif isinstance(name, str) and name in {field.name for field in dataclasses.fields(part)}:
        setattr(part, name, None)
    else:
        return 0
    del part.at[name]
    return 1
