"""Typed cache of per-analysis results."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from roce_lint.analysis.result import Analysis

T = TypeVar("T")


def cached(compute: Callable[[Analysis], T]) -> Callable[[Analysis], T]:
    """Decorate a function of an analysis: its result is computed once per analysis."""

    @wraps(compute)
    def result(analysis: Analysis) -> T:
        cache = analysis.cache
        if compute not in cache:
            before = analysis.missing_flows.copy()
            analysis.missing_flows.clear()
            cache[compute] = compute(analysis), analysis.missing_flows.copy()
            analysis.missing_flows |= before
        entry: tuple[T, set[Any]] = cache[compute]
        analysis.missing_flows |= entry[1]  # a cached result misses the same classes
        return entry[0]

    return result
