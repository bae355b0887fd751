"""Whether a class is paused: its group, the pause that is sent, and both together."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.box_maps import contradiction
from roce_lint.analysis.diagnosis.arrival import in_another_class
from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.diagnosis.subject import Diagnosis
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import ranges


def group(d: Diagnosis) -> Iterator[Fault]:
    """The maps of the box lead class and pause to different queues or groups."""
    found = contradiction(d.analysis, d.traffic, d.port)
    if found is not None:
        yield Fault(
            Stage.GROUP,
            tuple(found.where),
            f": {found.message}",
            found.value,
            either=found.either,
            acts="leaving" if d.into.lossless else "arriving",  # its queue, or its group
            rests_on=found.rests_on,
        )


def pause(d: Diagnosis) -> Iterator[Fault | Lack]:
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
    demanded = bool(paused) or not d.guessed
    yield Fault(
        Stage.PAUSE,
        (into.lossless_where, *into.tc_where[:1]),
        f"has PFC on priority {ranges(paused)} instead of {wanted}" if paused else "sends no pause",
        ranges(paused),
        demanded=demanded,
        assumed="" if demanded else "no host and no link says that RoCE uses the port",
        rests_on=into.protected.doubts,
        acts=_acts(d),
    )


def lossless(d: Diagnosis) -> Iterator[Fault]:
    """The port pauses another class than that of the code point."""
    if d.needed is not True or d.port.device.system.pfc_killed:
        return
    for dscp in d.traffic.dscps:
        into = d.analysis.treat(d.port, dscp).ingress
        if not into.certain or into.lossless_where is None or not in_another_class(d, into):
            continue
        paused = ranges(d.pfc.generate or frozenset()) if d.pfc is not None else ""
        inside = contradiction(d.analysis, d.traffic, d.port)
        yield Fault(
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
            acts=_acts(d),
        )
        return


def _acts(d: Diagnosis) -> Acts | None:
    """PFC that is off on a port that needs it stops for nothing either, unless that is stated."""
    pfc = d.pfc
    off = pfc is not None and pfc.mode is PfcMode.OFF and not pfc.stated("honour")
    return "both" if off and d.needed else None
