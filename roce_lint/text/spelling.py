"""Spelling suggestions: what somebody probably meant who gave a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 3
LISTED = 8


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """A hint: the names that are nearest to `wanted`, else the first of those there are.

    A name that `wanted` is the beginning of, or a part of, is as near as one that differs in a
    letter. Empty where there are none at all.
    """
    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    asked = wanted.casefold().strip("*?")
    near = [name for name in folded if name.startswith(asked)] if asked else []
    near += [name for name in folded if asked in name] if len(asked) >= SHOWN else []
    near = near or difflib.get_close_matches(asked, folded, SHOWN)
    if near:
        shown = list(dict.fromkeys(folded[name] for name in near))[:SHOWN]
        return f"did you mean {', '.join(shown)}?"
    if not folded:
        return ""
    left = len(folded) - LISTED
    more = f" and {left} more" if left > 0 else ""
    return f"there are {', '.join(list(folded.values())[:LISTED])}{more}"


def likely_name(wanted: str, known: Iterable[str], close: float = 0.85) -> str:
    """The one name that is nearly spelt so, but for marks and case or a letter; "" where none is.

    Sharper than `did_you_mean`: it is said unasked, of names that may well be right. `close` is the
    likeness from which one name may be another misspelt: one letter of seven.
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
    """The numbers of a name: leaf1 is no leaf2 misspelt."""
    return "".join(letter if letter.isdigit() else " " for letter in name).strip()
