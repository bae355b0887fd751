"""Maps that disagree inside one device, maps with a gap, and rewrites that the next hop reads
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.rewriting import rewrites
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.engine.api import (
    Diagnosis,
    Fabric,
    Fault,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    fabric_check,
    outcomes,
    stage_check,
)
from roce_lint.model.qos import CodeMap
from roce_lint.model.units import DSCPS, PRIORITIES, ranges

FULL = 7 / 8
"""Share of the numbers that a map has rows for, from which on one without a row is a gap."""


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


@fabric_check("mapping.row_missing")
def row_missing_in_full_map(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A map has a row for nearly every number, and the device's answer for the rest is not
    confirmed.
    """
    analysis, seen = given.analysis, set[int]()
    used = {dscp for traffic in analysis.classes for dscp in traffic.dscps}
    for port, _ in analysis.kinds:
        for what, numbers, table in () if port.device.is_host else _full_maps(port, seen):
            missing = sorted(set(numbers) - table.entries.keys())
            classes = {analysis.ingress(port, dscp).tc for dscp in used}
            if not missing or (used if what == "DSCP" else classes).intersection(missing):
                continue
            yield Problem(
                f"{port.device.hostname} has no row for {what} {ranges(missing)} in map "
                f"{table.name}, and one for each of the other {len(numbers) - len(missing)}",
                "no document states how the device treats a number without a row",
                [table.where()],
                port.device.hostname,
                value=f"{what} {ranges(missing)}",
            )


def _full_maps(port: JudgedPort, seen: set[int]) -> Iterator[tuple[str, range, CodeMap]]:
    """Maps of a port, not seen before, that state nearly every number, with its name and range."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get((qos.classifier if qos else None) or "")
    forwarding = forwarding_of(port.device, qos) if qos is not None else None
    maps = [("DSCP", DSCPS, classifier.dscp_to_tc)] if classifier is not None else []
    if forwarding is not None:
        maps += [
            ("traffic class", PRIORITIES, forwarding.tc_to_queue),
            ("traffic class", PRIORITIES, forwarding.tc_to_pg),
            ("priority", PRIORITIES, forwarding.pfc_priority_to_queue),
        ]
    for what, numbers, table in maps:
        if id(table) in seen:
            continue
        seen.add(id(table))
        stated = sum(table.stated(number) for number in table.entries if number in numbers)
        known = table.otherwise is not None and table.where("otherwise").confirmed
        if table.name is not None and not known and FULL * len(numbers) <= stated < len(numbers):
            yield what, numbers, table
