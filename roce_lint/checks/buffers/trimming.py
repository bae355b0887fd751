"""Packet trimming: the switches that trim, and the queue of trimmed packets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.equal_switches import OddSwitch, equal_switches, odd_switches
from roce_lint.analysis.port_parts import policy_of
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Unknown, at_port, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.text.source import Origin, Where


@fabric_check("buffers.trimmed_packets_held_up")
def trimmed_packets_in_bulk_queue(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Trimmed packets in a slow queue, or a switch that does not trim as its peers do."""
    analysis = given.analysis
    yield from _not_trimming(analysis)
    trimming: dict[tuple[int, int], Device] = {}
    for port in analysis.switch_ports():
        system, dscp = port.device.system, port.device.system.trim_dscp
        if dscp is None or (port.network, dscp) in trimming or system.trimming is False:
            continue
        if _trimming_line(port) is not None:
            trimming[port.network, dscp] = port.device
    of_network: dict[int, list[tuple[int, Device]]] = defaultdict(list)
    for (network, dscp), device in trimming.items():
        of_network[network].append((dscp, device))
    for _, outcome in over_kinds(analysis, partial(_delays, analysis, of_network)):
        yield outcome


def _not_trimming(analysis: Analysis) -> Iterator[Problem]:
    """Switches with trimming queues where trimming is off but on at most others; and those
    without trimming queues where most peers have some.
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
            words = "has trimming queues, but trimming is off"
            place = off if off.origin is Origin.STATED else lines[odd.device.hostname]
            yield _untrimmed(odd, words, place, odd.example.system.where("trimming"))
    for odd in odd_switches(equal_switches(analysis), lambda d: d.hostname in lines):
        if odd.example.hostname in lines:
            place = analysis.ports_of(odd.device)[0].interface.where()
            yield _untrimmed(odd, "has no trimming queue", place, lines[odd.example.hostname])


def _untrimmed(odd: OddSwitch, words: str, place: Where, example: Where) -> Problem:
    return Problem(
        f"{odd.device.hostname} {words}, unlike {odd.agreeing} of {odd.all} similar switches",
        "congestion drops whole packets here, and receivers notice only by timeout",
        [place, example],
        odd.device.hostname,
        ("trimming",),
        value="not trimming",
        severity=Severity.INFO,
    )


def _trimming_line(port: JudgedPort) -> Where | None:
    """Line that makes a queue of a port trim packets; None without one."""
    qos = port.interface.qos
    if qos is not None and qos.trimmed:
        return qos.where("trimmed")
    policy = policy_of(port)
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
            what = f"traffic class {into.tc_name}, which is lossless"
            harm = "a pause delays the loss report"
        elif queue in data:
            what = f"queue {queue}, which {data[queue]} uses"
            harm = "the loss report waits behind the data it is about"
        elif queue in analysis.bulk_queues(port):
            what = f"queue {queue}, which unmarked traffic uses"
            harm = "the loss report waits behind bulk traffic, or is dropped"
        else:
            continue
        yield Problem(
            f"{port} maps DSCP {dscp} of trimmed packets to {what}",
            f"{harm}: the receiver requests the missing data too late",
            [*into.tc_where[:1], device.system.where("trim_dscp")],
            *at_port(port),
            value=f"{dscp}:{into.tc}",
            acts="leaving",
        )
