"""Packets that were cut down to their headers: where the rest of them goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import egress_of
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    fabric_check,
)


@fabric_check("buffers.trimmed_packets_held_up")
def trimmed_packets_held_up(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The headers of trimmed packets wait with bulk traffic, with the data, or can be paused."""
    analysis = given.analysis
    trimming: dict[tuple[int, int], Device] = {}
    for port in analysis.switch_ports():
        dscp = port.device.system.trim_dscp
        if dscp is not None and (port.network, dscp) not in trimming and _trims(port):
            trimming[port.network, dscp] = port.device
    of_network: dict[int, list[tuple[int, Device]]] = defaultdict(list)
    for (network, dscp), device in trimming.items():
        of_network[network].append((dscp, device))
    for _, outcome in over_kinds(analysis, partial(_delays, analysis, of_network)):
        yield outcome


def _trims(port: JudgedPort) -> bool:
    """Whether some queue of a port cuts packets down."""
    qos = port.interface.qos
    if qos is None or port.device.system.trimming is False:
        return False
    policy = egress_of(port.device, qos)
    queues = policy.queues.values() if policy is not None else ()
    return bool(qos.trimmed) or any(q.buffer is not None and q.buffer.trims for q in queues)


def _delays(
    analysis: Analysis, trimming: dict[int, list[tuple[int, Device]]], port: JudgedPort
) -> Iterator[Outcome]:
    for dscp, device in () if port.device.is_host else trimming.get(port.network, ()):
        treated = analysis.treat(port, dscp)
        into, queue = treated.ingress, treated.egress.queue
        places = [device.system.where("trim_dscp"), *into.tc_where[:1]]
        if into.tc is None or queue is None:
            yield Unknown(into.missing or "the queue of trimmed packets", places, *_at(port))
            continue
        data = {
            analysis.treat(port, each).egress.queue: traffic.name
            for traffic in analysis.data_classes
            for each in traffic.dscps
        }
        if into.lossless:
            what = f"class {into.tc_name}, which is paused"
            harm = "a pause holds up the word that a packet was cut"
        elif queue in data:
            what = f"queue {queue}, that of {data[queue]}"
            harm = "the word that a packet was cut waits behind the data that it is about"
        elif queue in analysis.bulk_queues(port):
            what = f"queue {queue}, that of unmarked traffic"
            harm = "the word that a packet was cut waits behind bulk traffic, or is lost"
        else:
            continue
        yield Problem(
            f"{port} puts DSCP {dscp}, that of trimmed packets, into {what}",
            f"{harm}: the receiver asks too late for what is missing",
            [*into.tc_where[:1], device.system.where("trim_dscp")],
            *_at(port),
            value=f"{dscp}:{into.tc}",
            acts="leaving",
        )


def _at(port: JudgedPort) -> tuple[str, tuple[str, ...]]:
    return port.device.hostname, (port.interface.name,)
