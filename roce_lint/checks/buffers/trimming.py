"""Packets that are cut down to their headers: on which switches, and where the rest goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.equal_switches import OddSwitch, equal_switches, odd_switches
from roce_lint.analysis.port_parts import at_port
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
    Severity,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.text.source import Origin


@fabric_check("buffers.trimmed_packets_held_up")
def trimmed_packets_held_up(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """What is left of trimmed packets is held up, or one switch does not trim as its equals do."""
    analysis = given.analysis
    yield from _not_trimming(analysis)
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


def _not_trimming(analysis: Analysis) -> Iterator[Problem]:
    """Switches with queues that trim and no line about how, where most others have one; and those
    without such queues, where most of their equals have some.
    """
    lines: dict[str, Where] = {}  # that make a queue trim, by switch
    networks: dict[int, dict[str, Device]] = defaultdict(dict)
    for port, _ in analysis.kinds:
        place = _trimming_line(port)
        if place is not None and not port.device.partial:
            lines.setdefault(port.device.hostname, place)
            networks[port.network][port.device.hostname] = port.device
    trimming = [devices.values() for devices in networks.values()]
    for odd in odd_switches(trimming, lambda device: bool(device.system.trimming)):
        if odd.example.system.trimming:
            off = odd.device.system.where("trimming")
            words = "has queues that trim and does not turn it on"
            place = off if off.origin is Origin.STATED else lines[odd.device.hostname]
            yield _otherwise(odd, words, place, odd.example.system.where("trimming"))
    for odd in odd_switches(equal_switches(analysis), lambda d: d.hostname in lines):
        if odd.example.hostname in lines:
            place, words = analysis.ports_of(odd.device)[0].interface.where(), "trims in no queue"
            yield _otherwise(odd, words, place, lines[odd.example.hostname])


def _otherwise(odd: OddSwitch, words: str, place: Where, example: Where) -> Problem:
    return Problem(
        f"{odd.device.hostname} {words}, unlike {odd.agreeing} of {odd.all} switches like it",
        "congestion drops whole packets here, and the receiver hears of it by a timer alone",
        [place, example],
        odd.device.hostname,
        ("trimming",),
        value="not trimming",
        severity=Severity.INFO,
    )


def _trims(port: JudgedPort) -> bool:
    """Whether some queue of a port cuts packets down."""
    return port.device.system.trimming is not False and _trimming_line(port) is not None


def _trimming_line(port: JudgedPort) -> Where | None:
    """What makes some queue of a port cut packets down."""
    qos = port.interface.qos
    policy = egress_of(port.device, qos) if qos is not None else None
    if qos is not None and qos.trimmed:
        return qos.where("trimmed")
    buffers = (queue.buffer for queue in policy.queues.values()) if policy is not None else ()
    return next((b.where("trims") for b in buffers if b is not None and b.trims), None)


def _delays(
    analysis: Analysis, trimming: dict[int, list[tuple[int, Device]]], port: JudgedPort
) -> Iterator[Outcome]:
    for dscp, device in () if port.device.is_host else trimming.get(port.network, ()):
        treated = analysis.treat(port, dscp)
        into, queue = treated.ingress, treated.egress.queue
        places = [device.system.where("trim_dscp"), *into.tc_where[:1]]
        if into.tc is None or queue is None:
            yield Unknown(into.missing or "the queue of trimmed packets", places, *at_port(port))
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
            *at_port(port),
            value=f"{dscp}:{into.tc}",
            acts="leaving",
        )
