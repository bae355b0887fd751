"""The verdict: whether RoCE works between all pairs of NICs, and what is missing to tell.

A pair is an ordered pair of RoCE NICs that the folder puts into one network, with a known path or
without; where no host is in the folder, of edge ports, each with an assumed sender behind it. It is
broken where an error is on one of its equal-cost paths. It is judged where it is broken, or where
its paths are known and no rule that could be an error is unknown on any of them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roce_lint.engine.finding import Finding


class Answer(enum.Enum):
    """What a verdict comes to."""

    READY = "ready"  # all pairs judged, none broken
    NOT_READY = "not-ready"  # something is an error
    NOT_PROVED = "not-proved"  # no error, and not all is known


@dataclass(slots=True, frozen=True)
class Repair:
    """Causes that repair most pairs when so many are mended; `exact` as in `best_to_mend`."""

    findings: tuple[Finding, ...]
    pairs: int
    exact: bool = True


@dataclass(slots=True, frozen=True)
class Verdict:
    """The answer about all pairs.

    `causes` are the errors that break pairs, `others` those on no known path; `known` are those of
    both that a baseline knows. `missing` is what would have to be known for a proof, in words, with
    the number of pairs that each leaves open (0: not a matter of single pairs). `repairs` are the
    best small sets of causes; in `order` each step adds the one cause that repairs most after those
    before it, until nothing is broken.
    """

    answer: Answer = Answer.NOT_PROVED
    pairs: int = 0
    judged: int = 0
    broken: int = 0
    causes: int = 0
    others: int = 0
    known: int = 0
    missing: tuple[tuple[str, int], ...] = ()
    repairs: tuple[Repair, ...] = ()
    order: tuple[Repair, ...] = ()
    bare: int = 0  # host ports without QoS beside equal ports with it: in none of the pairs
    assumed: bool = False  # pairs of edge ports: no host is linked to a switch in the folder

    @property
    def coverage(self) -> float:
        """Percent of the pairs that were judged; 0 where there are none."""
        return 100 * self.judged / self.pairs if self.pairs else 0.0

    @property
    def complete(self) -> bool:
        """True where nothing is missing and every pair was judged."""
        return not self.missing and 0 < self.pairs == self.judged
