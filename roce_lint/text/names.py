"""Lists of names as ranges (leaf001-512, Ethernet1/1-64), and suggestions for misspelt names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roce_lint.text.numbers import whole_of

RUN = 3
"""Shortest run written as a range."""

STRIDE = 4
"""Shortest run written as a range if the step is more than one."""

_NUMBER = re.compile(r"[0-9]{1,18}")


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """A sort key that puts leaf2 before leaf10."""
    words, numbers = _split(name)
    return tuple(zip(words, [*map(whole_of, numbers), -1], strict=True))


def compress(names: Iterable[str], limit: int = 8) -> str:
    """The names in natural order, runs as ranges, at most `limit` of them.

    Numbers with leading zeros run within one width: leaf09 and leaf010 are different series.
    """
    parts = _ranges(sorted(set(names), key=lambda name: (natural(name), name)))
    shown = ", ".join(text for text, _ in parts[:limit])
    left = sum(count for _, count in parts[limit:])
    return f"{shown} and {left} more" if left else shown


@dataclass(slots=True)
class _Run:
    """Names that differ in one number (the one at index `at`), which grows by `step`."""

    names: list[str]
    at: int = -1
    step: int = 0

    def takes(self, name: str) -> bool:
        """Add a name that continues the run; True if it does."""
        grown = _grown(self.names[-1], name)
        if grown is None or (self.step and grown != (self.at, self.step)):
            return False
        self.at, self.step = grown
        self.names.append(name)
        return True

    @property
    def long(self) -> bool:
        """True if a range is shorter than the names."""
        return len(self.names) >= (RUN if self.step == 1 else STRIDE)

    def spell(self) -> list[tuple[str, int]]:
        """The names, or one range, each with the number of names it stands for."""
        if not self.long:
            return [(name, 1) for name in self.names]
        (words, numbers), (_, last) = _split(self.names[0]), _split(self.names[-1])
        first, second = numbers[self.at], _split(self.names[1])[1][self.at]
        inner = "-" if self.step == 1 else f",{second},...,"
        inner = f"{first}{inner}{last[self.at]}"
        numbers[self.at] = f"[{inner}]" if any(words[self.at + 1 :]) else inner
        text = "".join(word + number for word, number in zip(words, [*numbers, ""], strict=True))
        return [(text, len(self.names))]


def _ranges(names: list[str]) -> list[tuple[str, int]]:
    parts: list[tuple[str, int]] = []
    run = _Run([])
    for name in names:
        if not run.names:
            run = _Run([name])
        elif not run.takes(name):
            # The last name of a broken run may begin another one: leaf1, leaf3-5.
            seed = [] if run.long else run.names[-1:]
            parts += run.spell()[: len(run.names) - len(seed)]
            run = _Run(seed or [name])
            if seed and not run.takes(name):
                parts += run.spell()
                run = _Run([name])
    return parts + run.spell()


def _grown(one: str, other: str) -> tuple[int, int] | None:
    """Index and growth of the only number that differs between two names; None if others differ."""
    (words, numbers), (others, following) = _split(one), _split(other)
    if words != others:
        return None
    changed = [n for n, number in enumerate(numbers) if number != following[n]]
    if len(changed) != 1:
        return None
    before, after = numbers[changed[0]], following[changed[0]]
    padded = before != str(whole_of(before)) or after != str(whole_of(after))
    if padded and len(before) != len(after):
        return None
    return changed[0], whole_of(after) - whole_of(before)


def _split(name: str) -> tuple[list[str], list[str]]:
    """The words of a name and the numbers between them."""
    return _NUMBER.split(name), _NUMBER.findall(name)


# Spelling suggestions.

SHOWN = 3
LISTED = 8


def first_names(names: Sequence[str], limit: int) -> str:
    """The first names, and the number of others."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """A hint: the names nearest to `wanted`, else the first of the known ones.

    A name that begins with or contains `wanted` is as near as one that differs in a letter. Empty
    without known names.
    """
    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    prefix = wanted.casefold().strip("*?")
    near = [name for name in folded if name.startswith(prefix)] if prefix else []
    near += [name for name in folded if prefix in name] if len(prefix) >= SHOWN else []
    near = near or difflib.get_close_matches(prefix, folded, SHOWN)
    if near:
        shown = list(dict.fromkeys(folded[name] for name in near))[:SHOWN]
        return f"did you mean {', '.join(shown)}?"
    return f"there are {first_names(list(folded.values()), LISTED)}" if folded else ""


def likely_name(wanted: str, known: Iterable[str], close: float = 0.85) -> str:
    """The one name that differs only in punctuation, case or a letter; else "".

    Stricter than `did_you_mean`, because it also runs on names that may be right. `close` is the
    similarity from which one name may be a misspelling of another: one letter of seven.
    """
    names = [name for name in known if name != wanted]
    plain = _plain(wanted)
    same = [name for name in names if _plain(name) == plain]
    if len(same) == 1:
        return same[0]
    same = [name for name in names if _digits(name) == _digits(wanted)]
    near = difflib.get_close_matches(wanted.casefold(), [n.casefold() for n in same], 2, close)
    found = [name for name in same if name.casefold() in near]
    return found[0] if len(found) == 1 else ""


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _digits(name: str) -> str:
    """The numbers of a name: leaf1 is not a misspelling of leaf2."""
    return "".join(letter if letter.isdigit() else " " for letter in name).strip()
