"""What is made once of a whole analysis and asked for by several, with its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis

T = TypeVar("T")

Made = dict["Once[Any]", Any]
"""What was made so far, by what makes it."""


class Once(Generic[T]):
    """Decorates a function of an analysis: the first call makes its result, the others get it."""

    def __init__(self, make: Callable[[Analysis], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __call__(self, analysis: Analysis) -> T:
        """What was made of this analysis, or is now."""
        if self not in analysis.made:
            before = analysis.asked.copy()
            analysis.asked.clear()
            analysis.made[self] = self._make(analysis), analysis.asked.copy()
            analysis.asked |= before
        made: tuple[T, set[Any]] = analysis.made[self]
        analysis.asked |= made[1]  # who is answered from here has asked for the same
        return made[0]
