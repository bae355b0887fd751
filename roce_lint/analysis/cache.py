"""Typed cache of per-analysis results."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from roce_lint.analysis.result import Analysis

P = ParamSpec("P")
T = TypeVar("T")


def cached(compute: Callable[Concatenate[Analysis, P], T]) -> Callable[Concatenate[Analysis, P], T]:
    """Decorate a function of an analysis: a result is computed once per analysis and arguments."""

    @wraps(compute)
    def result(analysis: Analysis, /, *args: P.args, **named: P.kwargs) -> T:
        cache, key = analysis.cache, (compute, args, *named.items())
        entry: tuple[T, set[Any]] | None = cache.get(key)
        if entry is None:
            before = analysis.missing_flows.copy()
            analysis.missing_flows.clear()
            entry = cache[key] = compute(analysis, *args, **named), analysis.missing_flows.copy()
            analysis.missing_flows |= before
        if entry[1]:
            analysis.missing_flows |= entry[1]  # a cached result misses the same classes
        return entry[0]

    return result
