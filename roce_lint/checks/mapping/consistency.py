"""Maps that disagree inside one box, and rewrites that the next hop reads otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.rewriting import rewrites
from roce_lint.engine.api import (
    Diagnosis,
    Fabric,
    Fault,
    Given,
    NoParams,
    Outcome,
    Stage,
    fabric_check,
    outcomes,
    stage_check,
)


@stage_check("mapping.maps_disagree", Stage.GROUP)
def maps_disagreeing_inside_a_box(diagnosis: Diagnosis, broken: Fault) -> str:
    """Inside one box, class and pause priority lead to different queues or groups."""
    return (
        f"{diagnosis.traffic.name} is not stopped when it is paused, and another queue is"
        if diagnosis.into.lossless
        else f"{diagnosis.traffic.name} is never paused here: its group has no priority"
    )


@fabric_check("mapping.rewrite_read_otherwise")
def code_point_rewritten_for_next_hop(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A switch changes a RoCE or CNP code point, and a later hop treats the new one otherwise."""
    analysis = given.analysis
    rewriting = {name for name, device in fabric.devices.items() if rewrites(device)}
    ports = [p for p in analysis.switch_ports() if p.device.hostname in rewriting]
    for traffic in (*analysis.data_classes, *analysis.cnp_classes):
        harm = f"from the next hop on {traffic.name} is treated as other traffic"
        for port in ports:
            yield from outcomes(diagnose(analysis, traffic, port), Stage.REWRITE, harm)
