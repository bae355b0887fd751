"""The border around one rule or one finding: one that fails costs the run nothing but itself."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from roce_lint.budget import OverBudgetError, budget
from roce_lint.engine.finding import Diagnostic
from roce_lint.text.redaction import redact

CRASHED = "SRC900"
"""The rule whose findings say that a part of the judging was lost."""

LONGEST = 500
"""Characters of an exception that are told: it may quote a line of any length."""


@dataclass(slots=True, frozen=True)
class Crash:
    """What was lost and why, in words that hold no secret; `detail` is the traceback."""

    text: str
    subject: str  # the rule
    detail: str = ""

    def diagnostic(self, file: str) -> Diagnostic:
        """As something that makes the answer incomplete."""
        return Diagnostic(file, "rule-crashed", f"{CRASHED} {self.text}", detail=self.detail)


Border = Callable[[str, str], AbstractContextManager[None]]
"""Called with what is done and the rule it is done for."""


@contextmanager
def border(
    crashes: list[Crash], what: str, subject: str = "", seconds: float = 0.0
) -> Iterator[None]:
    """Let the block fail, or take longer than `seconds` of processor time (0: no limit), without
    an end to the run: what was lost is appended to `crashes`.
    """
    try:
        with budget(seconds):
            yield
    except OverBudgetError as error:
        crashes.append(Crash(f"{what} {error}", subject))
    except Exception as error:
        said = redact(f"{type(error).__name__}: {error}"[:LONGEST])
        detail = redact(traceback.format_exc())
        crashes.append(Crash(f"{what} crashed: {said}", subject, detail))
