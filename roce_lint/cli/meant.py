"""What somebody probably meant who gave a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 3
LISTED = 8


def meant(wanted: str, known: Iterable[str]) -> str:
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
