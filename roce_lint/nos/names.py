"""Definitions of named structures and references to them, for every NOS."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import Structure
from roce_lint.model.sourced import Concern
from roce_lint.text.source import SourceMap


@dataclass(slots=True)
class Names:
    """Collects definitions and references while a device is normalized.

    `kind` is in field terms and the same on both sides: "qos policy", "class map",
    "buffer profile". Order does not matter: a port may refer to what is defined later.
    """

    _defined: dict[tuple[str, str], int] = field(default_factory=dict)
    _builtin: set[tuple[str, str]] = field(default_factory=set)
    _referred: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _dscps: dict[tuple[str, str], frozenset[int]] = field(default_factory=dict)
    _beside: set[tuple[str, str]] = field(default_factory=set)
    _expected: set[tuple[str, str]] = field(default_factory=set)
    _reserved: set[tuple[str, str]] = field(default_factory=set)

    def define(
        self,
        kind: str,
        name: str,
        position: int,
        *,
        matters: bool = True,
        dscps: frozenset[int] = frozenset(),
    ) -> None:
        """Record a definition at `position`; `matters` False: it may stay unused.

        `dscps` are the code points that a class certainly matches.
        """
        self._defined.setdefault((kind, name), position)
        if dscps:
            self._dscps.setdefault((kind, name), dscps)
        if not matters:
            self._beside.add((kind, name))

    def builtin(self, kind: str, *names: str) -> None:
        """Record built-in names, which need no definition."""
        self._builtin.update((kind, name) for name in names)

    def expect(self, kind: str, name: str, *, defined: bool) -> None:
        """Record a name that the device creates when it loads the file. `defined`: its basis is in
        the files; otherwise it is unknown whether the device can create it.
        """
        (self._builtin if defined else self._expected).add((kind, name))

    def reserve(self, kind: str, name: str) -> None:
        """Record a platform name of another kind, which no line can define as `kind`."""
        self._reserved.add((kind, name))

    def refer(self, kind: str, name: str, position: int) -> None:
        """Record a reference to `name` at `position`."""
        self._referred.setdefault((kind, name), []).append(position)

    def position(self, kind: str, name: str) -> int:
        """Line of the definition of `name`; 0 if it is not defined (yet)."""
        return self._defined.get((kind, name), 0)

    def structures(self, src: SourceMap) -> list[Structure]:
        """All names seen, as the device stores them, without unreferenced built-in names."""
        keys = sorted({*self._defined, *self._referred})
        return [
            Structure(
                kind=kind,
                name=name,
                references=tuple(dict.fromkeys(self._referred.get((kind, name), ()))),
                builtin=(kind, name) in self._builtin,
                lossless_matters=(kind, name) not in self._beside,
                reserved=(kind, name) in self._reserved,
                dscps=self._dscps.get((kind, name)),
                src=src,
                at={"": self._defined.get((kind, name), 0)}
                | ({Concern.LOST: 0} if (kind, name) in self._expected else {}),
            )
            for kind, name in keys
        ]
