"""Code points in Junos syntax: bits, standard names and user-defined aliases."""

from __future__ import annotations

import re

from roce_lint.model.units import DSCP_NAMES
from roce_lint.nos.junos.context import Context
from roce_lint.text.numbers import whole_of

DSCP_ALIASES = {**DSCP_NAMES, "nc1": 48, "nc2": 56}
PCP_ALIASES = {
    "be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "nc2": 7,
    "cs6": 6, "cs7": 7,
}  # fmt: skip
"""Names of 802.1p code points (Junos code-point aliases)."""

DSCP = ("dscp", "dscp-ipv6")
PCP = ("ieee-802.1", "ieee-802.1ad")


class CodePoints:
    """Parses code points of one device, including its aliases."""

    def __init__(self, context: Context) -> None:
        self._known: dict[str, dict[str, int]] = {
            **{kind: dict(DSCP_ALIASES) for kind in DSCP},
            **{kind: dict(PCP_ALIASES) for kind in PCP},
        }
        for kind, aliases in context.cos.get("code-point-aliases").pairs():
            if kind not in self._known:
                aliases.take_all()
                continue
            for name in aliases.names():
                bits = aliases.text(name)
                text = bits.value or ""
                number = _bits(text, _width(kind))
                if number is not None:
                    self._known[kind][name] = number
                    continue
                message = f"code point {text[:32]!r} is not {_width(kind)} bits"
                context.bad(message, bits.position)

    def number(self, kind: str, text: str) -> int | None:
        """A code point of a classifier of this kind; None if invalid."""
        number = _bits(text, _width(kind))
        return self._known.get(kind, {}).get(text) if number is None else number


def _bits(text: str, width: int) -> int | None:
    return whole_of(text, 2) if len(text) == width and re.fullmatch(r"[01]+", text) else None


def _width(kind: str) -> int:
    return 6 if kind in DSCP else 3
