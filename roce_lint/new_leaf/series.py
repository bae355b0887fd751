"""Numbers that go on: what devices of one series have, by the number in their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from roce_lint.text.numbers import whole_of

LEAST = 3
"""Devices that establish a pattern; where there are only two, both have to."""

_SHARE = (2, 3)

_RUN = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Series:
    """Devices whose names differ from a sister's in one number, by that number."""

    members: Mapping[str, int]
    sister: str
    number: int  # of the new device

    def extend(self, values: Mapping[str, int], least: int = 2) -> int | None:
        """The value of the new device, where the values of enough members lie on one line.

        Tried over all members, then over those as far apart as the sister and the new device:
        switches in pairs have other numbers. None where no line goes through the sister's value.
        """
        known = {
            self.members[name]: value for name, value in values.items() if name in self.members
        }
        here = self.members[self.sister]
        step = self.number - here
        apart = {(n - here) // step: value for n, value in known.items() if (n - here) % step == 0}
        found = _line(known, here, self.number, least)
        return found if found is not None else _line(apart, 0, 1, least)


def series_of(names: Iterable[str], sister: str, new: str) -> Series | None:
    """The series of a sister that a new name goes on; None where it goes on with none."""
    old, wanted = _RUN.findall(sister), _RUN.findall(new)
    if _RUN.sub("#", sister) != _RUN.sub("#", new) or len(old) != len(wanted):
        return None
    other = [n for n, pair in enumerate(zip(old, wanted, strict=True)) if pair[0] != pair[1]]
    if len(other) != 1:
        return None
    (at,) = other
    members = {}
    for name in names:
        runs = _RUN.findall(name)
        rest = runs[:at] + runs[at + 1 :]
        if _RUN.sub("#", name) == _RUN.sub("#", sister) and rest == old[:at] + old[at + 1 :]:
            members[name] = whole_of(runs[at])
    return Series(members, sister, whole_of(wanted[at]))


def next_name(known: Iterable[str], like: str) -> str | None:
    """The next name of the series of `like`: its last number goes on behind the highest."""
    runs = list(_RUN.finditer(like))
    if not runs:
        return None
    head, tail = like[: runs[-1].start()], like[runs[-1].end() :]
    pattern = re.compile(rf"{re.escape(head)}([0-9]+){re.escape(tail)}")
    highest = max(whole_of(found[1]) for name in known if (found := pattern.fullmatch(name)))
    return f"{head}{highest + 1:0{len(runs[-1][0])}}{tail}"


def _line(points: Mapping[int, int], here: int, there: int, least: int) -> int | None:
    if here not in points or len(points) < least:
        return None
    for number in sorted(points, key=lambda n: abs(n - here)):
        if number == here:
            continue
        rise, rest = divmod(points[number] - points[here], number - here)
        on = [n for n in points if points[n] == points[here] + rise * (n - here)]
        enough = len(on) == len(points) or len(on) >= LEAST
        if not rest and enough and len(on) * _SHARE[1] >= len(points) * _SHARE[0]:
            return points[here] + rise * (there - here)
    return None
