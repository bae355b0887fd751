"""A class of RoCE on a port: its own facts, and its stages, each looked at when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.sides import Egress, Ingress
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import egress_of
from roce_lint.model.qos import EgressPolicy, PfcConfig, PortQos
from roce_lint.text.source import Where

Found = Iterable[Fault | Lack]

SPEED = "the speed of the port (with the table of ports): ports for services carry no RoCE"

Stages = Mapping[Stage, Callable[["Diagnosis"], Found]]
"""How each stage is looked at, in the order a packet meets them."""


class Diagnosis:
    """The stages of one class on one port, each evaluated when it is first asked for."""

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

    # ------------------------------------------------------------------------ the port's own facts

    @property
    def into(self) -> Ingress:
        """What happens to the class as it arrives."""
        return self.analysis.treat(self.port, self.dscp).ingress

    @property
    def out(self) -> Egress:
        """What happens to the class as it leaves."""
        return self.analysis.treat(self.port, self.dscp).egress

    @property
    def qos(self) -> PortQos | None:
        """The QoS bindings of the port."""
        return self.port.interface.qos

    @property
    def pfc(self) -> PfcConfig | None:
        """PFC of the port; None where nothing is known of it."""
        return self.qos.pfc if self.qos is not None else None

    @property
    def policy(self) -> EgressPolicy | None:
        """The egress policy of the port."""
        return egress_of(self.port.device, self.qos) if self.qos is not None else None

    @property
    def needed(self) -> bool | None:
        """Whether the design pauses the class here; None where the design is not known."""
        return self.analysis.needs_pause(self.traffic, self.port)

    @property
    def protected(self) -> bool:
        """Whether the design pauses or marks the class here: it must not be dropped."""
        return bool(self.needed or self.analysis.mode(self.traffic, self.port).marking)

    @property
    def in_bulk(self) -> bool:
        """True where a design that marks has the class in the queue of unmarked traffic here."""
        return self.needed is False and self.analysis.unmarked_in_bulk(self.traffic, self.port)

    @property
    def guessed(self) -> bool:
        """True where nothing says that the class uses the port."""
        return self.analysis.guessed(self.traffic, self.port)

    @property
    def for_services(self) -> bool:
        """True where the port may be one that is too slow for RoCE: it is not set up for the pause
        that the design wants, nothing says that the class uses it, and the file is without the
        ports themselves, so that nothing tells.
        """
        if not (self.needed and self.guessed and self.qos is not None):
            return False
        if self.pfc is not None and self.pfc.stated("generate"):
            return False
        return self.port.device.partial and self.port.interface.speed_gbps is None

    def unprotected(self, dscp: int) -> bool:
        """True for a code point that hardly any switch of the network protects: it is none of the
        design's, and whoever sends it is to blame.
        """
        stated = self.analysis.mode(self.traffic, self.port).stated
        return not stated and self.analysis.protected(self.port.network, dscp) is False

    @property
    def in_place(self) -> bool:
        """Whether how the class leaves can be judged: it is where the design has it, or a stage
        before is broken. It cannot where the class is none of the design's here.
        """
        if self._in_place is None:
            self._in_place = not self.analysis.misplaced(self.traffic, self.port) or any(
                isinstance(found, Fault)
                for stage in (Stage.BINDING, Stage.TRUST, Stage.CODE_POINT, Stage.GROUP)
                for found in self.at(stage)
            )
        return self._in_place

    def through(self) -> tuple[Where, ...]:
        """Who puts the class where it is, where the design has it elsewhere: what is said of its
        queue rests on that as well.
        """
        astray = self.analysis.misplaced(self.traffic, self.port)
        return self.into.tc_where if astray else ()

    def queue_places(self) -> tuple[Where, ...]:
        """Who gives the class its queue; asked for only where there is something to say of it."""
        place = self.out.queue_where
        return (*((place,) if place is not None else ()), *self.through())

    def in_doubt(self) -> tuple[Where, ...]:
        """What of that is not confirmed."""
        return self.into.traffic_class.doubts if self.through() else ()

    # ---------------------------------------------------------------------------------- the stages

    def at(self, stage: Stage) -> tuple[Fault | Lack, ...]:
        """What is broken at a stage, and what of it is not known."""
        found = self._found.get(stage)
        if found is None:
            look = self._stages.get(stage)
            found = self._found[stage] = () if look is None else self._findings(tuple(look(self)))
        return found

    def _findings(self, found: tuple[Fault | Lack, ...]) -> tuple[Fault | Lack, ...]:
        """What a stage says; of a port that may not be RoCE's at all, what would tell that."""
        if not found or not self.for_services:
            return found
        place = (self.port.interface.where(),)
        return tuple(Lack(each.stage, SPEED, place, each.kind) for each in found)

    def faults(self) -> list[Fault]:
        """Every broken stage, in the order a packet meets them."""
        return [
            each for stage in self._stages for each in self.at(stage) if isinstance(each, Fault)
        ]

    def causes(self) -> list[Fault]:
        """The broken stages that do not follow from another one."""
        broken = self.faults()
        return [
            each for each in broken if not any(other.stage.explains(each.stage) for other in broken)
        ]

    def lacks(self) -> list[Lack]:
        """What is not known, stage by stage."""
        return [each for stage in self._stages for each in self.at(stage) if isinstance(each, Lack)]


def _own_side(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> RoceClass:
    """The class with the code points of a tie that the port itself protects, if it has some: what
    it does with those of the other side is no fault as long as nothing decides (CLS020).
    """
    for side in traffic.sides:
        treated = (analysis.treat(port, dscp) for dscp in side)
        if any(each.egress.marks if traffic.marked else each.ingress.lossless for each in treated):
            return replace(traffic, dscps=side)
    return traffic
