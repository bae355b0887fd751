"""One change of a text: its kind, its subject and its place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

KINDS = ("digit", "word", "delete", "double", "move")

NUMBER = re.compile(r"\d+(?:\.\d+)?")
ADDRESS = re.compile(r"\b(?:[0-9a-f]{4}:){2,}[0-9a-f]{4}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b")
PORT = re.compile(
    r"\bEthernet\d+(?:/\d+)*|\bens\d+f\dnp\d|\b(?:mlx5_|bnxt_re)\d+|\brocep\d+s\d+(?:f\d)?|"
    r"\bet-\d/\d/\d+|\bswp\d+"
)

WORDS = {
    "on": "off", "off": "on", "true": "false", "up": "down", "ACTIVE": "DOWN", "rs": "none",
    "RS": "Off", "no-drop": "drop", "dscp": "cos", "strict": "ets", "ets": "strict",
    "DWRR": "STRICT", "STRICT": "DWRR", "drop": "forward", "ecn_all": "ecn_none",
    "static": "dynamic", "dynamic": "static", "ingress": "egress", "egress": "ingress",
    "v2": "v1", "v1": "v2", "OS": "Firmware", "reed-solomon": "fire-code",
    "strict-high": "low", "enable": "disable", "lossless": "lossy", "default-global": "default",
    "Enabled": "Disabled", "PFC": "LINK", "enabled": "disabled", "DSCP": "PCP",
}  # fmt: skip
"""Words of settings, each with another one that is valid in its place."""


@dataclass(frozen=True)
class Change:
    """A change of a kind. `lines` or `paths` are its place in the changed text."""

    kind: str
    shape: str
    lines: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """True where the line left the place where it had an effect."""
        return self.kind in ("delete", "move")

    def at(self, line: int, path: str) -> bool:
        """Whether a place is that of the change; a row is the place of all its fields."""
        if not self.paths:
            return line in self.lines
        return any(own == path or own.startswith(f"{path}|") for own in self.paths if path)

    def of(self, kind: str, *lines: int, more: str = "") -> Change:
        """The same place with another change."""
        return replace(self, kind=kind, shape=self.shape + more, lines=lines)


def shape(*texts: str) -> str:
    """Texts in one line, with every port replaced by PORT and every address by ADDRESS."""
    plain = (ADDRESS.sub("ADDRESS", " ".join(text.split())) for text in texts if text)
    return " / ".join(PORT.sub("PORT", text) for text in plain)


def digit(text: str, number: re.Match[str], *, flag: bool = False) -> str:
    """A text with the first digit of one of its numbers changed, never to zero; a flag is 0 or 1."""
    first = int(number[0][0])
    other = 1 - first if flag else first - 1 if first > 1 else first + 1
    return f"{text[: number.start()]}{other}{text[number.start() + 1 :]}"
