"""What switches send themselves: routing protocols and management, beside RoCE."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.sharing import find_companion
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Where,
    device_check,
)


@device_check("classes.own_traffic_in_lossless")
def own_traffic_in_lossless_class(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A switch puts what it sends itself into the lossless class of RoCE, or marks it so that
    other switches do.
    """
    analysis, system = given.analysis, device.system
    ports = analysis.ports_of(device)
    if device.is_host or not ports:
        return
    for traffic in analysis.data_classes:
        for port in ports if system.own_tc is not None else ():
            into = analysis.treat(port, traffic.dscps[0]).ingress
            if into.tc != system.own_tc or not into.lossless:
                continue
            yield Problem(
                f"{device.hostname} sends its own traffic in class {into.tc_name}, the lossless "
                f"class of {traffic.name}",
                "what keeps its routing sessions up waits whenever RoCE is paused",
                [system.where("own_tc"), *into.tc_where[:1]],
                device.hostname,
                tuple(each.interface.name for each in ports),
                value=f"class {into.tc}",
                traffic=traffic.name,
            )
            break
        if system.own_dscp is None:
            continue
        place = _line_of_sharing(given, system.own_dscp, traffic.dscps)
        if place is not None:
            yield Problem(
                f"{device.hostname} marks its own traffic with DSCP {system.own_dscp}, which "
                f"travels in the lossless class of {traffic.name}",
                "its routing sessions and RoCE pause each other on every switch behind it",
                [system.where("own_dscp"), place],
                device.hostname,
                tuple(each.interface.name for each in ports),
                value=f"DSCP {system.own_dscp}",
                traffic=traffic.name,
            )


def _line_of_sharing(given: Given[NoParams], dscp: int, data: tuple[int, ...]) -> Where | None:
    """A line by which a code point is in the lossless class of data; None: no switch does so."""
    analysis = given.analysis
    for port, _ in analysis.kinds:
        if port.device.is_host:
            continue
        into = analysis.treat(port, data[0]).ingress
        if dscp in data and into.lossless and into.tc_where:
            return into.tc_where[0]
        found = find_companion(analysis, port, dscp) if dscp not in data else None
        if found is not None and found.lossless and found.where:
            return found.where[0]
    return None
