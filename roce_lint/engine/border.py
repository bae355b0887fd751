"""Crash isolation: an exception in one rule or finding costs only that rule or finding."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from roce_lint.budget import OverBudgetError, budget
from roce_lint.engine.finding import Diagnostic
from roce_lint.text.redaction import redact

CRASHED = "SRC900"
"""Rule for a crash inside a check or the engine."""

LONGEST = 500
"""Maximum characters of an exception message: it may quote a line of any length."""


@dataclass(slots=True, frozen=True)
class Crash:
    """A failed part of the run, without secrets; `detail` is the traceback."""

    text: str
    subject: str  # the rule
    detail: str = ""

    def diagnostic(self, file: str) -> Diagnostic:
        """Diagnostic that makes the answer incomplete."""
        return Diagnostic(file, "rule-crashed", f"{CRASHED} {self.text}", detail=self.detail)


Border = Callable[[str, str], AbstractContextManager[None]]
"""Called with the operation and the rule concerned."""


@contextmanager
def border(
    crashes: list[Crash], what: str, subject: str = "", seconds: float = 0.0
) -> Iterator[None]:
    """Run a block; if it raises or takes more than `seconds` of processor time (0: no limit),
    append a crash to `crashes` and continue.
    """
    try:
        with budget(seconds):
            yield
    except OverBudgetError as error:
        crashes.append(Crash(f"{what} {error}", subject))
    except Exception as error:
        message = redact(f"{type(error).__name__}: {error}"[:LONGEST])
        detail = redact(traceback.format_exc())
        crashes.append(Crash(f"{what} crashed: {message}", subject, detail))
