"""PFC of a class: its group, PFC for its priority, and both together."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.deciding_lines import exchanged_priority
from roce_lint.analysis.diagnosis.arrival import in_another_class, mapped_to_pause
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.map_conflicts import map_conflict
from roce_lint.analysis.port_parts import needs_pfc
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import ranges


def group(d: Diagnosis) -> Iterator[Fault]:
    """The maps of the device lead class and PFC priority to different queues or groups."""
    found = map_conflict(d.analysis, d.traffic, d.port)
    if found is not None:
        yield Fault(
            Stage.GROUP,
            tuple(found.where),
            f": {found.message}",
            found.value,
            either=found.either,
            acts="leaving" if d.into.lossless else "arriving",  # its queue, or its group
            rests_on=found.rests_on,
            changes=found.changes,
        )


def pause(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port sends no PFC, or not for the priority of the class."""
    if d.needed is False:
        return
    into, pfc = d.into, d.pfc
    if d.needed is None:
        missing = f"the design of {d.traffic.name} (no majority of ports with or without PFC)"
        yield Lack(Stage.PAUSE, missing, (d.port.interface.where(),))
        return
    if into.lossless is None:
        place = into.lossless_where or d.port.interface.where()
        yield Lack(Stage.PAUSE, into.missing or "the PFC state of the class on the port", (place,))
        return
    if into.lossless or pfc is None or into.lossless_where is None:
        return
    paused = frozenset() if d.port.device.system.pfc_killed else pfc.generate or frozenset()
    expected = d.analysis.mode(d.traffic, d.port).priority
    if paused and into.priority != expected:
        return  # another class is no-drop
    demanded = bool(paused) or not d.guessed
    yield Fault(
        Stage.PAUSE,
        (into.lossless_where, *into.tc_where[:1]),
        f"has PFC on {label_priorities(paused)} instead of {expected}"
        if paused
        else "sends no PFC",
        ranges(paused),
        demanded=demanded,
        assumed="" if demanded else "neither a host nor a link proves that RoCE uses the port",
        rests_on=into.protected.doubts,
        acts=_acts(d),
        changes=()
        if expected is None
        else needs_pfc(d.port, exchanged_priority(d.analysis, d.port, "generate", expected)),
    )


def lossless(d: Diagnosis) -> Iterator[Fault]:
    """The port sends PFC for another class than that of the DSCP."""
    if d.needed is not True or d.port.device.system.pfc_killed:
        return
    for dscp in d.traffic.dscps:
        into = d.analysis.treat(d.port, dscp).ingress
        if not into.certain or into.lossless_where is None or not in_another_class(d, into):
            continue
        paused = (d.pfc.generate if d.pfc is not None else None) or frozenset()
        inside = map_conflict(d.analysis, d.traffic, d.port)
        yield Fault(
            Stage.LOSSLESS,
            (
                into.lossless_where,
                *into.tc_where,
                *into.pause_priority.where[:1],
                *(inside.where if inside is not None else ()),
            ),
            f"sends PFC for {label_priorities(paused)}, but DSCP {dscp} is in {into.class_label} "
            + ("without priority" if into.priority is None else f"with priority {into.priority}"),
            f"{ranges(paused)}:{into.priority}",
            dscp,
            rests_on=into.protected.doubts,
            acts=_acts(d),
            changes=mapped_to_pause(d, dscp),
        )
        return


def _acts(d: Diagnosis) -> Acts | None:
    """Affected packets: both directions if PFC is off, because the port then ignores received PFC
    too, unless a line states otherwise.
    """
    pfc = d.pfc
    off = pfc is not None and pfc.mode is PfcMode.OFF and not pfc.stated("honour")
    return "both" if off and d.needed else None
