"""What a diagnosis says of a stage: that it is broken, or what would have to be known."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.analysis.stages import Acts, Stage
from roce_lint.text.source import Where


@dataclass(slots=True, frozen=True)
class Fault:
    """A stage that is broken: the deciding place first, then the evidence.

    `says` is what the port does, to be read after its name. `value` tells one cause from another.
    `demanded` is False where the design does not say for certain that it has to be otherwise, or
    the platform may make up for it; `slight` where documents disagree whether it is a fault at all.
    `either` is True where nothing tells which of several places
    is the wrong one, `compares` where the fault is how the places differ. `rests_on` are the places
    in which a doubt could make it none; None: the deciding one. `about` is another line that it is
    about, `idle` are lines that were meant for what is missing and do nothing. `acts` are the
    packets that it hurts where they are others than its rule says, `assumed` says why it rests on
    an assumption. `kind` tells faults of one stage apart that differ in what follows from them.
    `beyond` is the port (device, name) at the other end of the link, where the class breaks at the
    same stage: it is the same fault. `lacks` are the sections in which a statement is missing.
    """

    stage: Stage
    where: tuple[Where, ...]
    says: str
    value: str = ""
    dscp: int | None = None
    demanded: bool = True
    slight: bool = False
    either: bool = False
    compares: bool = False
    rests_on: tuple[Where, ...] | None = None
    about: Where | None = None
    idle: tuple[Where, ...] = ()
    acts: Acts | None = None
    assumed: str = ""
    kind: str = ""
    beyond: tuple[str, str] | None = None
    lacks: tuple[Where, ...] = ()

    def of(self, name: object) -> str:
        """What is broken, as a sentence about the port of that name."""
        return f"{name}{'' if self.says.startswith(':') else ' '}{self.says}"


@dataclass(slots=True, frozen=True)
class Lack:
    """A stage of which something is not known: the input that would tell, and where it lacks.
    `kind` is that of the fault that it could be.
    """

    stage: Stage
    missing: str
    where: tuple[Where, ...]
    kind: str = ""
