"""Model objects out of the values of their fields: copying and transfer make them by the million.

The constructor of a data class takes keywords, which for thirty fields costs five times as much as
to set them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any


@dataclass(slots=True, frozen=True)
class Remake:
    """Takes objects of one data class apart, and makes them again.

    `values` gives the values of all fields in their order, `make` takes as many and gives an
    object. It raises TypeError or ValueError where there are more or less.
    """

    values: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]


class _Kinds(dict[type[Any], Remake]):
    """Every data class with two fields or more that anyone asked for."""

    def __missing__(self, kind: type[Any]) -> Remake:
        names = [entry.name for entry in fields(kind)]
        frozen: bool = kind.__dataclass_params__.frozen
        # What is frozen is set by its constructor alone, which takes few values, by their order.
        make = kind if frozen else _maker(kind, names)
        found = self[kind] = Remake(attrgetter(*names), make)
        return found


def _maker(kind: type[Any], names: list[str]) -> Callable[..., Any]:
    """A function made of one statement that names all fields, as the constructor of a data class
    is made: a loop over setattr takes seven times as long.
    """
    known: dict[str, Any] = {"new": object.__new__, "kind": kind}
    targets = ", ".join(f"made.{name}" for name in names)
    text = f"def make(*values):\n made = new(kind)\n {targets} = values\n return made"
    exec(text, known)  # noqa: S102  (of names in our own code)
    made: Callable[..., Any] = known["make"]
    return made


REMAKE = _Kinds()
"""How objects are remade, by their class."""
