"""The sample of `make test`: cases of a large family, chosen by a hash of their names.

The choice depends on names alone, so it is the same on every machine, and a case that is added or
renamed moves no other one in or out. The rest of the family carries the mark `deep`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")


def sample(
    cases: Iterable[Case],
    one_in: int,
    *strata: Callable[[Case], Hashable],
    name: Callable[[Case], str] = str,
) -> list[Case]:
    """About one in `one_in` of the cases, in their order.

    Each of `strata` gives a property of a case (its kind, its system, its stage). Each value of
    each property has at least one case in the sample: the one with the lowest hash.
    """
    cases = list(cases)
    ranks = [_rank(name(case)) for case in cases]
    chosen = {n for n, rank in enumerate(ranks) if rank % one_in == 0}
    for stratum in strata:
        values: dict[Hashable, list[int]] = {}
        for n, case in enumerate(cases):
            values.setdefault(stratum(case), []).append(n)
        for members in values.values():
            if not chosen.intersection(members):
                chosen.add(min(members, key=ranks.__getitem__))
    return [case for n, case in enumerate(cases) if n in chosen]


def sampled(
    cases: Iterable[Case],
    one_in: int,
    *strata: Callable[[Case], Hashable],
    name: Callable[[Case], str] = str,
) -> list[Any]:
    """All cases as parameters of a test; those outside of the sample carry the mark `deep`."""
    cases = list(cases)
    chosen = {id(case) for case in sample(cases, one_in, *strata, name=name)}
    return [
        case if id(case) in chosen else pytest.param(case, marks=pytest.mark.deep) for case in cases
    ]


def tries(examples: int) -> int:
    """Examples of a property with so many in the deep suite, where a usual one has a hundred."""
    return max(examples * settings.default.max_examples // 100, 10)


def _rank(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
