"""What is broken for a class of RoCE on a port, stage by stage: what findings and `show` read.

Each stage is looked at once for a class and a port, and says what is broken there, by which lines,
or which input would tell. Nothing steps back here: a class that is in the wrong traffic class and
therefore not paused is broken in both respects. Which of them is told is for others to choose, by
`Stage.explains`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roce_lint.analysis.box_maps import contradiction
from roce_lint.analysis.deciding import (
    is_marked,
    left_out,
    mapped_in_vain,
    named_for,
    paused_in_vain,
    queue_in_vain,
    without_queues,
    written_as_rewrite,
)
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.analysis.sides import Egress, Ingress
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.structures import (
    bound_other,
    idle,
    serving_classifiers,
    unattached,
    unbound_classifier,
)
from roce_lint.model.qos import PfcConfig, PortQos, Queue, Trust
from roce_lint.model.units import ranges
from roce_lint.text.source import Origin, Where

PROTECTED = (PfcDesign.EVERYWHERE, PfcDesign.HOST_EDGE)


@dataclass(slots=True, frozen=True)
class Broken:
    """A stage that is broken: the deciding place first, then the evidence.

    `says` is what the port does, to be read after its name. `value` tells one cause from another.
    `demanded` is False where the design does not say for certain that it has to be otherwise.
    `either` is True where nothing tells which of several places is the wrong one. `rests_on` are
    the places in which a doubt could make it none; None: the deciding one.
    """

    stage: Stage
    where: tuple[Where, ...]
    says: str
    value: str = ""
    dscp: int | None = None
    demanded: bool = True
    either: bool = False
    rests_on: tuple[Where, ...] | None = None
    idle: tuple[Where, ...] = ()


@dataclass(slots=True, frozen=True)
class Lack:
    """A stage of which something is not known: the input that would tell, and where it lacks."""

    stage: Stage
    missing: str
    where: tuple[Where, ...]


class Diagnosis:
    """The stages of one class on one port, each evaluated when it is first asked for."""

    __slots__ = ("_found", "_in_place", "analysis", "dscp", "port", "traffic")

    def __init__(self, analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> None:
        self.analysis = analysis
        self.traffic = traffic
        self.port = port
        self.dscp = traffic.dscps[0]
        self._found: dict[Stage, tuple[Broken | Lack, ...]] = {}
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
    def needed(self) -> bool | None:
        """Whether the design pauses the class here; None where the design is not known."""
        return self.analysis.needs_pause(self.traffic, self.port)

    @property
    def in_bulk(self) -> bool:
        """True where a design that marks has the class in the queue of unmarked traffic here."""
        return self.needed is False and self.analysis.unmarked_in_bulk(self.traffic, self.port)

    @property
    def guessed(self) -> bool:
        """True where nothing says that the class uses the port."""
        return self.analysis.guessed(self.traffic, self.port)

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
                isinstance(found, Broken)
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

    def in_doubt(self) -> tuple[Where, ...]:
        """What of that is not confirmed."""
        return self.into.traffic_class.doubts if self.through() else ()

    # ---------------------------------------------------------------------------------- the stages

    def at(self, stage: Stage) -> tuple[Broken | Lack, ...]:
        """What is broken at a stage, and what of it is not known."""
        found = self._found.get(stage)
        if found is None:
            found = self._found[stage] = tuple(_EVALUATED[stage](self))
        return found

    def broken(self) -> list[Broken]:
        """Every broken stage, in the order a packet meets them."""
        return [each for stage in _EVALUATED for each in self.at(stage) if isinstance(each, Broken)]

    def causes(self) -> list[Broken]:
        """The broken stages that do not follow from another one."""
        broken = self.broken()
        return [
            each for each in broken if not any(other.stage.explains(each.stage) for other in broken)
        ]

    def lacks(self) -> list[Lack]:
        """What is not known, stage by stage."""
        return [each for stage in _EVALUATED for each in self.at(stage) if isinstance(each, Lack)]


def diagnose(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Diagnosis:
    """The diagnosis of a class on a port (kept: several rules ask for it)."""
    key = (traffic.name, port.key)
    found = analysis.diagnoses.get(key)
    if found is None:
        found = analysis.diagnoses[key] = Diagnosis(analysis, traffic, port)
    return found


def _binding(d: Diagnosis) -> Iterator[Broken]:
    """A switch port applies no classification, and one of the device would do."""
    if d.port.device.is_host or d.qos is None or not (d.needed is True or d.in_bulk):
        return
    if bound_other(d.port.interface):
        return  # something else is applied instead
    name = unbound_classifier(d.port.device, d.port.interface, d.dscp)
    if name is None or d.into.lossless is not False:
        return
    if not d.in_bulk and unattached(d.port.device, "qos policy"):
        return  # of the device, not of the port
    classifier = d.port.device.qos.classifiers[name]
    default = d.qos.where("classifier")
    if default.origin is Origin.ABSENT:
        default = d.qos.where("trust")
    yield Broken(
        Stage.BINDING,
        (default, classifier.where()),
        f"applies no classification; {name} of this device would put DSCP {d.dscp} into the "
        f"{'marked' if d.in_bulk else 'lossless'} class",
        name,
        rests_on=d.into.protected.doubts,
    )


def _trust(d: Diagnosis) -> Iterator[Broken | Lack]:
    """The port classifies by something else than the DSCP that RoCE packets carry."""
    if d.qos is None or d.qos.trust not in (Trust.PCP, Trust.NONE):
        return
    if not (d.needed is True or d.in_bulk):
        return
    by_tag = d.qos.trust is Trust.PCP
    if by_tag and d.port.interface.tagged is not False:
        if d.port.interface.tagged is None:
            missing = "whether RoCE is 802.1Q tagged on the port"
            yield Lack(Stage.TRUST, missing, (d.qos.where("trust"),))
        return
    if d.into.lossless:
        return  # everything untagged goes to the lossless class: not this fault
    how = (
        "by 802.1p priority, which untagged packets do not carry"
        if by_tag
        else "without looking at the DSCP"
    )
    trust = d.qos.where("trust")
    doubts = (trust, *d.into.protected.doubts)
    known = d.port.device.qos.classifiers
    better = tuple(
        known[name].where() for name in serving_classifiers(d.port.device, d.qos, d.dscp)
    )
    says = f"classifies {how}"
    yield Broken(Stage.TRUST, (trust,), says, d.qos.trust.value, rests_on=doubts, idle=better)


def _code_point(d: Diagnosis) -> Iterator[Broken | Lack]:
    """A code point is in a class that is not the one the design has for it."""
    if d.in_bulk:
        yield from _in_bulk(d)
    elif d.needed is True and not d.port.device.system.pfc_killed:
        for dscp in d.traffic.dscps:
            yield from _outside(d, dscp)


def _in_bulk(d: Diagnosis) -> Iterator[Broken | Lack]:
    into, out = d.into, d.out
    if not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
    elif not (d.guessed or d.unprotected(d.dscp)):
        yield Broken(
            Stage.CODE_POINT,
            (*into.tc_where, *([out.marks_where] if out.marks_where is not None else [])),
            f"puts DSCP {d.dscp} into class {into.tc_name}, whose queue {out.queue} is that of "
            "unmarked traffic and does not mark",
            f"{d.dscp}:{into.tc}",
            d.dscp,
            rests_on=out.marked.doubts,
        )


def _outside(d: Diagnosis, dscp: int) -> Iterator[Broken | Lack]:
    into, paused = d.analysis.treat(d.port, dscp).ingress, d.pfc and d.pfc.generate
    if into.tc is None:
        missing = into.missing or "the traffic class of the code point"
        yield Lack(Stage.CODE_POINT, missing, into.tc_where[:1])
        return
    if into.lossless and not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
    if not _in_another_class(d, into) or not paused or d.pfc is None:
        return
    if contradiction(d.analysis, d.traffic, d.port) is not None:
        return  # the class is right, its group is not
    if not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
        return
    what = "priority" if d.port.device.is_host else "class"
    yield Broken(
        Stage.CODE_POINT,
        (
            *paused_in_vain(d.analysis, d.traffic, d.port),
            *written_as_rewrite(d.port, dscp),
            *left_out(d.port, dscp),
            *mapped_in_vain(d.analysis, d.port, dscp),
            *into.tc_where,
            *named_for(d.port, paused),
            d.pfc.where("generate"),
        ),
        f"puts DSCP {dscp} into {what} {into.tc_name}, which is not lossless here "
        f"(paused: priority {ranges(paused)})",
        f"{dscp}:{into.tc}",
        dscp,
        rests_on=into.protected.doubts,
    )


def _in_another_class(d: Diagnosis, into: Ingress) -> bool:
    """Whether a code point of the design's is in another class than the one that is paused."""
    paused = (d.pfc.generate if d.pfc is not None else None) or frozenset()
    usual = d.analysis.mode(d.traffic, d.port).priority
    if into.lossless is not False or not paused or into.dscp is None:
        return False
    if into.priority is not None and into.priority == usual:
        return False  # rightly classified, and not paused
    if d.unprotected(into.dscp):
        return False
    return not (d.guessed and usual not in paused)  # else the class is not meant to be here


def _group(d: Diagnosis) -> Iterator[Broken]:
    """The maps of the box lead class and pause to different queues or groups."""
    found = contradiction(d.analysis, d.traffic, d.port)
    if found is not None:
        yield Broken(
            Stage.GROUP,
            tuple(found.where),
            found.message,
            found.value,
            either=found.either,
            rests_on=found.rests_on,
        )


def _pause(d: Diagnosis) -> Iterator[Broken | Lack]:
    """The port sends no pause, or not for the priority of the class."""
    if d.needed is False:
        return
    into, pfc = d.into, d.pfc
    if d.needed is None:
        missing = f"the design mode of {d.traffic.name} (no majority of ports pauses it or not)"
        yield Lack(Stage.PAUSE, missing, (d.port.interface.where(),))
        return
    if into.lossless is None:
        place = into.lossless_where or d.port.interface.where()
        yield Lack(Stage.PAUSE, into.missing or "whether the port pauses the class", (place,))
        return
    if into.lossless or pfc is None or into.lossless_where is None:
        return
    paused = frozenset() if d.port.device.system.pfc_killed else pfc.generate or frozenset()
    wanted = d.analysis.mode(d.traffic, d.port).priority
    if paused and into.priority != wanted:
        return  # another class is paused
    yield Broken(
        Stage.PAUSE,
        (into.lossless_where, *into.tc_where[:1]),
        f"pauses priority {ranges(paused)}, not {wanted}" if paused else "sends no pause",
        ranges(paused),
        demanded=bool(paused) or not d.guessed,
        rests_on=into.protected.doubts,
    )


def _lossless(d: Diagnosis) -> Iterator[Broken]:
    """The port pauses another class than that of the code point."""
    if d.needed is not True or d.port.device.system.pfc_killed:
        return
    for dscp in d.traffic.dscps:
        into = d.analysis.treat(d.port, dscp).ingress
        if not into.certain or into.lossless_where is None or not _in_another_class(d, into):
            continue
        paused = ranges(d.pfc.generate or frozenset()) if d.pfc is not None else ""
        inside = contradiction(d.analysis, d.traffic, d.port)
        yield Broken(
            Stage.LOSSLESS,
            (
                into.lossless_where,
                *into.tc_where,
                *([into.priority_where] if into.priority_where is not None else []),
                *(inside.where if inside is not None else ()),
            ),
            f"pauses priority {paused}, and DSCP {dscp} is in class {into.tc_name}, which has "
            + ("no priority" if into.priority is None else f"priority {into.priority}"),
            f"{paused}:{into.priority}",
            dscp,
            rests_on=into.protected.doubts,
        )
        return


def _dropping(d: Diagnosis) -> Iterator[Broken]:
    """The queue drops early and marks nothing."""
    out, mode = d.out, d.analysis.mode(d.traffic, d.port)
    if d.port.device.is_host or d.into.tc is None or not d.in_place:
        return
    if mode.marking is not True and mode.pfc not in PROTECTED:
        return  # neither lossless nor marked by design: dropping is what is wanted
    if out.marks is not False or out.marking is None or not out.marking.wred_drop:
        return
    words = ("ecn", "wred_drop") if out.marking.placed("ecn") else ("wred_drop", "ecn")
    yield Broken(
        Stage.DROPPING,
        (
            *queue_in_vain(d.analysis, d.traffic, d.port, is_marked),
            *(out.marking.where(field) for field in words),
            *([out.queue_where] if out.queue_where else []),
            *d.through(),
        ),
        f"drops early (WRED) in queue {out.queue}, which {d.traffic.name} uses, and does not mark",
        f"queue {out.queue}",
        rests_on=(*out.marked.doubts, out.marking.where("wred_drop"), *d.in_doubt()),
    )


def _marking(d: Diagnosis) -> Iterator[Broken | Lack]:
    """The queue does not mark."""
    out, mode = d.out, d.analysis.mode(d.traffic, d.port)
    if d.port.device.is_host or d.into.tc is None or out.marks or not d.in_place:
        return
    if out.marks is None:
        if mode.marking:
            place = out.marks_where or out.queue_where or d.port.interface.where()
            yield Lack(Stage.MARKING, out.missing or "the marking of the queue", (place,))
        return
    others = _marked_queues(d.port, out.queue)
    numbers = sorted(queue.number for queue in others)
    in_vain = out.marking is not None and out.marking.enabled is False  # asked for by a line
    if not mode.marking and not in_vain and _unmarked_on_purpose(d, numbers):
        return
    beside = f"; marked is queue {', '.join(map(str, numbers))}" if numbers else ""
    yield Broken(
        Stage.MARKING,
        (
            *queue_in_vain(d.analysis, d.traffic, d.port, is_marked),
            *without_queues(d.port),
            *out.marked.where,
            *out.served_by.where,
            *(queue.where() for queue in others),
            *(d.through() or (w for w in d.into.tc_where[:1] if w.origin is Origin.STATED)),
        ),
        f"does not mark queue {out.queue}, which {d.traffic.name} uses{beside}",
        f"queue {out.queue}",
        demanded=bool(mode.marking),
        rests_on=(*out.marked.doubts, *d.in_doubt()),
        idle=idle(d.port.device, "marking profile", "scheduler"),
    )


def _unmarked_on_purpose(d: Diagnosis, marked: list[int]) -> bool:
    """True in a design without marking, and for a class that is none of the design's."""
    mode = d.analysis.mode(d.traffic, d.port)
    if mode.stated or mode.pfc not in PROTECTED:
        return True
    if any(d.analysis.mode(traffic, d.port).marking for traffic in d.analysis.data_classes):
        return True  # the design marks another data class of the network
    if d.guessed and not d.into.lossless:
        return True
    dscps = {0, *(dscp for traffic in d.analysis.data_classes for dscp in traffic.dscps)}
    used = {d.analysis.treat(d.port, dscp).egress.queue for dscp in dscps}
    # A queue marks that neither RoCE nor unmarked traffic uses: then for whom?
    return not any(queue not in used for queue in marked)


def _marked_queues(port: JudgedPort, beside: int | None) -> list[Queue]:
    qos = port.interface.qos
    policy = port.device.qos.egress.get(qos.egress or "") if qos is not None else None
    if policy is None:
        return []
    return [q for q in policy.queues.values() if q.number != beside and is_marked(q)]


_EVALUATED: dict[Stage, Callable[[Diagnosis], Iterator[Broken | Lack]]] = {
    Stage.BINDING: _binding,
    Stage.TRUST: _trust,
    Stage.CODE_POINT: _code_point,
    Stage.GROUP: _group,
    Stage.PAUSE: _pause,
    Stage.LOSSLESS: _lossless,
    Stage.DROPPING: _dropping,
    Stage.MARKING: _marking,
}
