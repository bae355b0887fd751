"""A class of RoCE on a port, with its stages evaluated on demand, and their results: faults and
missing inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from roce_lint.analysis.ingress_egress import Egress, Ingress
from roce_lint.analysis.port_parts import pfc_of, policy_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.model.change import Change
from roce_lint.model.qos import EgressPolicy, PfcConfig, PortQos
from roce_lint.text.source import Where


@dataclass(slots=True, frozen=True)
class Fault:
    """A broken stage: the deciding place first, then the evidence.

    `predicate` completes a sentence about the port. `value` distinguishes causes. `demanded`
    is False where the design does not certainly require it, or the platform may compensate;
    `slight` where documents disagree whether it is a fault. `either` is True if it is unclear which
    of several places is wrong, `compares` where the fault is their difference. `rests_on` are the
    places whose doubt could clear the fault; None: the deciding one. `about` is another line
    concerned, `idle` are lines without effect that were meant for it. `acts` are the affected
    packets where they differ from those of the rule, `assumed` is the reason for an assumption.
    `kind` distinguishes faults of one stage with different consequences. `beyond` is the port
    (device, name) at the other end of the link with the same fault. `lacks` are the sections in
    which a statement is missing. `changes` give the values without which the class cannot pass,
    where the design leaves one choice.
    """

    stage: Stage
    where: tuple[Where, ...]
    predicate: str
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
    changes: tuple[Change, ...] = ()

    def of(self, name: object) -> str:
        """The fault as a sentence about the named port."""
        return f"{name}{'' if self.predicate.startswith(':') else ' '}{self.predicate}"


@dataclass(slots=True, frozen=True)
class Lack:
    """A stage with a missing input, its place, and the kind of the possible fault."""

    stage: Stage
    missing: str
    where: tuple[Where, ...]
    kind: str = ""


Found = Iterable[Fault | Lack]

SPEED = "the speed of the port (in the table of ports), because slow service ports carry no RoCE"

Stages = Mapping[Stage, Callable[["Diagnosis"], Found]]
"""Function of each stage, in the order of a packet."""


class Diagnosis:
    """Stages of one class on one port, each evaluated on demand."""

    __slots__ = ("_found", "_in_place", "_stages", "analysis", "dscp", "port", "traffic")

    def __init__(
        self, analysis: Analysis, traffic: RoceClass, port: JudgedPort, stages: Stages
    ) -> None:
        self._stages = stages
        self.analysis = analysis
        self.traffic = traffic if not traffic.sides else _own_side(analysis, traffic, port)
        self.port = port
        self.dscp = self.traffic.dscps[0]
        self._found: dict[Stage, tuple[Fault | Lack, ...]] = {}
        self._in_place: bool | None = None

    # ------------------------------------------------------------------------ facts of the port

    @property
    def into(self) -> Ingress:
        """Ingress treatment of the class."""
        return self.analysis.treat(self.port, self.dscp).ingress

    @property
    def out(self) -> Egress:
        """Egress treatment of the class."""
        return self.analysis.treat(self.port, self.dscp).egress

    @property
    def qos(self) -> PortQos | None:
        """QoS bindings of the port."""
        return self.port.interface.qos

    @property
    def pfc(self) -> PfcConfig | None:
        """PFC of the port; None if unknown."""
        return pfc_of(self.port)

    @property
    def policy(self) -> EgressPolicy | None:
        """Egress policy of the port."""
        return policy_of(self.port)

    @property
    def needed(self) -> bool | None:
        """Whether the design requires PFC for the class here; None if the design is unknown."""
        return self.analysis.needs_pause(self.traffic, self.port)

    @property
    def protected(self) -> bool:
        """Whether the design uses PFC or ECN for the class here, so that it must not be dropped."""
        return bool(self.needed or self.analysis.mode(self.traffic, self.port).marking)

    @property
    def in_bulk(self) -> bool:
        """True where a design with ECN has the class in the queue of unmarked traffic here."""
        return self.needed is False and self.analysis.unmarked_in_bulk(self.traffic, self.port)

    @property
    def guessed(self) -> bool:
        """True where nothing proves that the class uses the port."""
        return self.analysis.guessed(self.traffic, self.port)

    @property
    def for_services(self) -> bool:
        """True for a port that may be too slow for RoCE: it lacks the PFC that the design requires,
        nothing proves that the class uses it, and the file lacks the speeds of ports.
        """
        if not (self.needed and self.guessed and self.qos is not None):
            return False
        if self.pfc is not None and self.pfc.stated("generate"):
            return False
        return self.port.device.partial and self.port.interface.speed_gbps is None

    def unprotected(self, dscp: int) -> bool:
        """True for a DSCP that hardly any switch of the network protects: it is outside the design,
        and its sender is wrong.
        """
        stated = self.analysis.mode(self.traffic, self.port).stated
        return not stated and self.analysis.protected(self.port.network, dscp) is False

    @property
    def in_place(self) -> bool:
        """Whether egress of the class can be checked: it is in its intended class, or an earlier
        stage is broken. Not for a class outside the design here.
        """
        if self._in_place is None:
            self._in_place = not self.analysis.misplaced(self.traffic, self.port) or any(
                isinstance(found, Fault)
                for stage in (Stage.BINDING, Stage.TRUST, Stage.CODE_POINT, Stage.GROUP)
                for found in self.at(stage)
            )
        return self._in_place

    def through(self) -> tuple[Where, ...]:
        """Places that misplace the class, if it is: results about its queue depend on them."""
        astray = self.analysis.misplaced(self.traffic, self.port)
        return self.into.tc_where if astray else ()

    def queue_places(self) -> tuple[Where, ...]:
        """Places that give the class its queue; computed only for a fault."""
        return (*self.out.served_by.where[:1], *self.through())

    def in_doubt(self) -> tuple[Where, ...]:
        """Unconfirmed places among these."""
        return self.into.traffic_class.doubts if self.through() else ()

    # ---------------------------------------------------------------------------------- the stages

    def at(self, stage: Stage) -> tuple[Fault | Lack, ...]:
        """Faults and missing inputs of a stage."""
        found = self._found.get(stage)
        if found is None:
            look = self._stages.get(stage)
            found = self._found[stage] = () if look is None else self._findings(tuple(look(self)))
        return found

    def _findings(self, found: tuple[Fault | Lack, ...]) -> tuple[Fault | Lack, ...]:
        """Results of a stage; on a port that may not carry RoCE, the input to decide that."""
        if not found or not self.for_services:
            return found
        place = (self.port.interface.where(),)
        return tuple(Lack(each.stage, SPEED, place, each.kind) for each in found)

    def faults(self) -> list[Fault]:
        """Every broken stage, in the order of a packet."""
        return [
            each for stage in self._stages for each in self.at(stage) if isinstance(each, Fault)
        ]

    def causes(self) -> list[Fault]:
        """Broken stages that do not follow from another one."""
        broken = self.faults()
        return [
            each for each in broken if not any(other.stage.explains(each.stage) for other in broken)
        ]

    def lacks(self) -> list[Lack]:
        """Missing inputs, stage by stage."""
        return [each for stage in self._stages for each in self.at(stage) if isinstance(each, Lack)]


def _own_side(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> RoceClass:
    """The class with the DSCPs of a tie that the port itself protects, if any: the DSCPs of the
    other side are not a fault as long as the tie is undecided (CLS020).
    """
    for side in traffic.sides:
        treated = (analysis.treat(port, dscp) for dscp in side)
        if any(each.egress.marks if traffic.marked else each.ingress.lossless for each in treated):
            return replace(traffic, dscps=side)
    return traffic
