"""Contradicting or incomplete QoS maps, rewrites that change the class at the next hop, and the
outer DSCP of an overlay.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis import Diagnosis, Fault, diagnose
from roce_lint.analysis.diagnosis.rewriting import rewrites
from roce_lint.analysis.ingress_egress import label_class
from roce_lint.analysis.overlay import carries, tunnels
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.analysis.walk import detour_of
from roce_lint.engine import api
from roce_lint.engine.api import Change, Device, Fabric, Given, Outcome, Problem, Stage, Unknown
from roce_lint.model.interface import Interface, Tunnel
from roce_lint.model.qos import CodeMap
from roce_lint.model.units import DSCPS, PRIORITIES, ranges

FULL = 7 / 8
"""Share of mapped numbers from which on an unmapped one is a gap."""


@api.stage_check("mapping.maps_disagree", Stage.GROUP)
def inconsistent_qos_maps(diagnosis: Diagnosis, broken: Fault) -> str:
    """Traffic class and PFC priority lead to different queues or groups on one device."""
    return (
        f"a PFC frame for {diagnosis.traffic.name} stops another queue"
        if diagnosis.into.lossless
        else f"no PFC is sent for {diagnosis.traffic.name} when its buffer fills"
    )


@api.fabric_check("mapping.rewrite_read_otherwise")
def dscp_rewritten_for_next_hop(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A switch rewrites a RoCE or CNP DSCP to one that a later hop handles differently."""
    analysis = given.analysis
    rewriting = {name for name, device in fabric.devices.items() if rewrites(device)}
    ports = [p for p in analysis.switch_ports() if p.device.hostname in rewriting]
    for traffic in (*analysis.data_classes, *analysis.cnp_classes):
        harm = f"from the next hop on {traffic.name} is handled as other traffic"
        for port in ports:
            yield from api.outcomes(diagnose(analysis, traffic, port), Stage.REWRITE, harm)


@api.fabric_check("mapping.row_missing")
def qos_map_row_missing(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A map has entries for nearly all numbers, and the platform's value for the rest is not
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
                f"{port.device.hostname}: map {table.name} has no entry for {what} "
                f"{ranges(missing)} (the other {len(numbers) - len(missing)} are mapped)",
                "how the device handles an unmapped number is not documented",
                [table.where()],
                port.device.hostname,
                value=f"{what} {ranges(missing)}",
            )


def _full_maps(port: JudgedPort, seen: set[int]) -> Iterator[tuple[str, range, CodeMap]]:
    """New nearly complete maps of a port: key, its numbers, and the map."""
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


# Rewrite maps, often meant to classify.


@api.device_check("mapping.rewrite_without_effect")
def rewrite_map_without_effect(device: Device, given: Given) -> Iterator[Outcome]:
    """A map from traffic class to DSCP is not enabled."""
    for rewrite in device.qos.rewrites.values():
        table, called = rewrite.tc_to_dscp, device.qos.class_name
        lines = [tc for tc in sorted(table.entries) if table.stated(tc)]
        if rewrite.active is not False or not lines:
            continue
        astray = [
            f"DSCP {table.entries[tc]} is in {label_class(called(found))}, not {called(tc)}"
            for tc in lines
            if (found := _read_as(device, table.entries[tc])) not in (None, tc)
        ]
        ports = given.analysis.ports_of(device)
        yield Problem(
            f"{device.hostname}: a map from traffic class to DSCP is configured, but rewriting is "
            "off" + "".join(f"; {text}" for text in astray),
            "the map has no effect; only a map from DSCP to traffic class classifies packets",
            [table.where(tc) for tc in lines],
            subjects=tuple(port.interface.name for port in ports),
            value=", ".join(f"{tc}:{table.entries[tc]}" for tc in lines),
            several=True,
        )


def _read_as(device: Device, dscp: int) -> int | None:
    """Traffic class of an arriving DSCP, where all classifiers of the device agree."""
    found = {c.dscp_to_tc.get(dscp) if c.exact else None for c in device.qos.classifiers.values()}
    return found.pop() if len(found) == 1 else None


# Outer header of an overlay.


@api.device_check("mapping.lost_in_overlay")
def dscp_lost_in_overlay(device: Device, given: Given) -> Iterator[Outcome]:
    """A tunnel carries RoCE without its DSCP in the outer header."""
    if device.is_host:
        return
    analysis = given.analysis
    yield from _backups(analysis, device)
    for end in tunnels(device):
        ports = [p for p in analysis.ports_of(device) if p.faces_host and carries(end, p)]
        for traffic in analysis.data_classes:
            protected = [port for port in ports if _is_protected(analysis, traffic, port)]
            if protected and end.tunnel is not None:
                yield from _outer(traffic, end, end.tunnel, protected)


def _outer(
    traffic: RoceClass, end: Interface, tunnel: Tunnel, ports: list[JudgedPort]
) -> Iterator[Outcome]:
    device = ports[0].device.hostname
    if tunnel.dscp_copied or tunnel.dscp in traffic.dscps:
        return
    if tunnel.dscp is None and not tunnel.stated("dscp_copied"):
        lack = f"the outer DSCP that {end.name} sets (not configured)"
        yield Unknown(lack, [end.where()], device, (end.name,))
        return
    field = "dscp_copied" if tunnel.dscp is None else "dscp"
    what = (
        f"does not copy the DSCP to the outer header for {traffic.name}"
        if tunnel.dscp is None
        else f"sets DSCP {tunnel.dscp} in the outer header of {traffic.name}"
    )
    yield Problem(
        f"{device} {end.name} {what}",
        "between the tunnel ends it is not in the class with PFC and ECN marking",
        [tunnel.where(field), ports[0].interface.where("untagged_vlan")],
        subjects=(end.name,),
        value="" if tunnel.dscp is None else str(tunnel.dscp),
        traffic=traffic.name,
        hurts=tuple(port.interface.name for port in ports),
        changes=(Change.on_port(ports[0].device, end.name, "tunnel.dscp_copied", True),)
        if tunnel.dscp is None
        else (),
        acts="arriving",
    )


def _backups(analysis: Analysis, device: Device) -> Iterator[Outcome]:
    """Ports of a dual-ToR cable, of whose two switches one forwards at a time."""
    for port in analysis.ports_of(device):
        other = port.interface.shared_with
        if other is None or not port.faces_host:
            continue
        ends = (device, analysis.fabric.devices.get(other))
        if all(end is not None and detour_of(end) is not None for end in ends):
            continue
        if any(_is_protected(analysis, traffic, port) for traffic in analysis.data_classes):
            lack = "the QoS maps of the tunnel between the two switches of a dual-ToR cable"
            where = [port.interface.where("shared_with")]
            yield Unknown(lack, where, device.hostname, (port.interface.name,))


def _is_protected(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    mode = analysis.mode(traffic, port)
    return bool(analysis.needs_pause(traffic, port) or mode.marking)
