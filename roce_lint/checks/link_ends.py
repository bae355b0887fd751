"""The two ends of a cable, and the members of one channel: what has to agree on them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import Literal

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.checks.mtu import link_note
from roce_lint.engine.api import (
    Endpoint,
    Fabric,
    Given,
    Link,
    NoParams,
    Outcome,
    Problem,
    Where,
    fabric_check,
    link_check,
)
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.qos import HeadroomModel, Scheduler, SchedulerKind

_FEC_WORDS = {Fec.NONE: "no FEC", Fec.RS: "Reed-Solomon FEC", Fec.FC: "fire-code FEC"}

Field = Literal["speed_gbps", "fec"]


@link_check("links.ends_incompatible")
def ends_incompatible(link: Link, given: Given[NoParams]) -> Iterator[Outcome]:
    """Both ends of a link state a speed, or a FEC, and not the same one."""
    analysis = given.analysis
    if any(analysis.port(*end.key) is None for end in link.ends):
        return
    if any(end.interface.autoneg for end in link.ends):
        return  # what is negotiated is not what is written
    fields: tuple[Field, ...] = ("speed_gbps", "fec")
    for field in fields:
        mine, theirs = (_stated(end.interface, field) for end in link.ends)
        if mine is None or theirs is None or mine == theirs:
            continue
        odd = _rarer(analysis, link, field)
        other = link.other(odd)
        what = _spell(odd.interface, field)
        yield Problem(
            f"{odd} is set to {what}, {other} at the other end to {_spell(other.interface, field)}",
            "the link does not come up: its traffic takes the remaining paths, or none",
            [odd.interface.where(field), other.interface.where(field)],
            odd.device.hostname,
            (odd.interface.name,),
            value=f"{what}/{_spell(other.interface, field)}",
            assumed=link_note(assumed=link.assumed),
        )
        return  # of a port that runs at another speed the FEC follows


@link_check("links.cable_lengths_differ")
def cable_lengths_differ(link: Link, given: Given[NoParams]) -> Iterator[Outcome]:
    """The two ends of one cable are told different lengths of it."""
    ports = [given.analysis.port(*end.key) for end in link.ends]
    told = [(_length(port), port) for port in ports if port is not None]
    if len(told) != 2:
        return
    known = [(length, port) for (length, port) in told if length is not None]
    if len(known) != 2 or known[0][0] == known[1][0]:
        return
    (short, near), (long, far) = sorted(known, key=lambda pair: pair[0])
    if far.device.is_host:
        return  # drivers assume a length of their own; more than it takes does no harm
    models = [port.device.system.headroom for port in (near, far)]
    if models[1] is HeadroomModel.STATIC and models[0] is not HeadroomModel.STATIC:
        return  # a length that is looked up is entered as the next longer one of the table
    yield Problem(
        f"{near} is told that its cable has {short:g} m, {far} at the other end {long:g} m",
        f"if it has {long:g} m, the headroom of {near} is too small: packets in flight after a "
        "pause are dropped",
        [_length_place(near), _length_place(far)],
        near.device.hostname,
        (near.interface.name,),
        value=f"{short:g}/{long:g}",
        assumed=link_note(assumed=link.assumed),
    )


def _length(port: JudgedPort) -> float | None:
    """Metres of cable by the port's own configuration; None where it states none, or zero.

    A length that the platform takes by default is made to be enough for any cable.
    """
    pfc = port.interface.qos.pfc if port.interface.qos is not None else None
    stated = pfc.cable_m if pfc is not None and pfc.stated("cable_m") else None
    return port.interface.cable_m or stated or None


def _length_place(port: JudgedPort) -> Where:
    pfc = port.interface.qos.pfc if port.interface.qos is not None else None
    if pfc is not None and not port.interface.cable_m:
        return pfc.where("cable_m")
    return port.interface.where("cable_m")


def _stated(port: Interface, field: Field) -> Hashable:
    """The value a line states; None where none does, or it leaves the choice to the link."""
    value = getattr(port, field)
    return value if port.stated(field) and value is not Fec.AUTO else None


def _spell(port: Interface, field: Field) -> str:
    if field == "fec":
        return _FEC_WORDS.get(port.fec or Fec.NONE, "")
    return f"{port.speed_gbps:g} Gb/s"


def _rarer(analysis: Analysis, link: Link, field: Field) -> Endpoint:
    """The end whose value is the rarer one among the judged ports of its own device."""

    def share(end: Endpoint) -> float:
        ports = [port.interface for port in analysis.ports_of(end.device)]
        same = [port for port in ports if _stated(port, field) == _stated(end.interface, field)]
        return len(same) / len(ports)

    return min(link.ends, key=share)


@fabric_check("links.members_differ")
def members_differ(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Members of one channel treat a used class differently."""
    analysis = given.analysis
    channels: dict[tuple[str, str], list[JudgedPort]] = defaultdict(list)
    for port in analysis.ports:
        if port.interface.lag is not None:
            channels[port.device.hostname, port.interface.lag].append(port)
    for members in channels.values():
        for traffic in (*analysis.data_classes, *analysis.cnp_classes):
            yield from _odd_members(analysis, traffic, members)


Step = tuple[str, Hashable, Where | None]
"""One step of a class's treatment: in words, its value (None: not known), and the place."""


def _odd_members(
    analysis: Analysis, traffic: RoceClass, members: list[JudgedPort]
) -> Iterator[Outcome]:
    """Members that differ from most; the first step in which they do is the cause."""
    treated = [(port, _steps(analysis, traffic, port)) for port in members]
    told: set[tuple[str, str]] = set()
    for steps in zip(*(steps for _, steps in treated), strict=True):
        known = Counter(value for _, value, _ in steps if value is not None)
        if len(known) < 2:
            continue
        usual = known.most_common(1)[0][0]
        like, example = next(
            (port, step) for (port, _), step in zip(treated, steps, strict=True) if step[1] == usual
        )
        for (port, _), (words, value, place) in zip(treated, steps, strict=True):
            if value in (None, usual) or port.key in told:
                continue
            told.add(port.key)
            yield Problem(
                f"{traffic.name} on channel {port.interface.lag}: {port} {words}, "
                f"{like.interface.name} {example[0]}",
                f"how {traffic.name} fares depends on the member its hash chooses",
                [where for where in (place, example[2]) if where is not None],
                port.device.hostname,
                (port.interface.name,),
                value=f"{words}/{example[0]}",
                traffic=traffic.name,
            )


def _steps(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> list[Step]:
    found = analysis.treat(port, traffic.dscps[0])
    into, out = found.ingress, found.egress
    scheduler = out.scheduler
    priority = into.priority if into.lossless else None  # of no matter where nothing is paused
    return [
        (f"puts it into class {into.tc_name}", into.tc, into.tc_where[0]),
        (
            f"{'pauses' if into.lossless else 'does not pause'} it",
            into.lossless,
            into.lossless_where,
        ),
        (f"pauses it with priority {into.priority}", priority, into.priority_where),
        (f"sends it by queue {out.queue}", out.queue, out.queue_where),
        (f"{'marks' if out.marks else 'does not mark'} it", out.marks, out.marks_where),
        (f"serves it {_service(scheduler)}", _service(scheduler) or None, _served(scheduler)),
    ]


def _service(scheduler: Scheduler | None) -> str:
    if scheduler is None or scheduler.kind is None:
        return ""
    if scheduler.kind is SchedulerKind.STRICT:
        return "strictly"
    return f"by share, {scheduler.share:g}" if scheduler.share is not None else "by share"


def _served(scheduler: Scheduler | None) -> Where | None:
    if scheduler is None:
        return None
    return scheduler.where("share" if scheduler.share is not None else "kind")
