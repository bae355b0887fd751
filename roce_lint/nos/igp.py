"""Interior routing protocols on an interface, as far as they compare the MTUs of neighbours."""

from __future__ import annotations

from typing import Any

from roce_lint.model.interface import ISIS, OSPF
from roce_lint.nos.reading import Value


def protocols(*, ospf: Value[Any], isis: Value[Any]) -> Value[tuple[str, ...]]:
    """The protocols of which a line speaks, at the first of these lines."""
    named = [(name, value) for name, value in ((OSPF, ospf), (ISIS, isis)) if value]
    position = min((value.position for _, value in named), default=0)
    return Value(tuple(name for name, _ in named), position)
