"""A run as tables: rows of plain values (text, numbers, True, False, None) with the same keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from roce_lint.analysis.scope import WIRES
from roce_lint.model.units import ranges
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.treatment import port_rows
from roce_lint.report import port_table

Row = dict[str, Any]


def _devices(report: Report) -> Iterator[Row]:
    for device in report.devices:
        yield {
            "device": device.name,
            "nos": device.nos,
            "role": device.role,
            "files": len(device.files),
            "oversubscription": device.oversubscription,
            **{f"lines_{state}": count for state, count in device.lines.items()},
        }


def _links(report: Report) -> Iterator[Row]:
    for link in report.fabric.links if report.fabric is not None else ():
        yield {
            "a_device": link.a.device.hostname,
            "a_port": link.a.interface.name,
            "b_device": link.b.device.hostname,
            "b_port": link.b.interface.name,
            "known_from": link.known_from.name.lower(),
            "assumed": link.assumed,
            "speed_gbps": link.speed_gbps,
            "cable_m": link.cable_m,
            "rail": link.rail,
        }


def _ports(report: Report) -> Iterator[Row]:
    analysis = report.analysis
    for device in report.fabric.devices.values() if report.fabric is not None else ():
        for port in device.interfaces.values():
            if port.kind not in WIRES or analysis is None:
                continue
            key = (device.hostname, port.name)
            judged = analysis.port(*key)
            peer = judged.peer if judged is not None else None
            yield {
                "device": device.hostname,
                "port": port.name,
                "judged": judged is not None,
                "why": judged.why if judged is not None else analysis.not_judged.get(key, ""),
                "peer_device": peer.device.hostname if peer is not None else None,
                "peer_port": peer.interface.name if peer is not None else None,
                "enabled": port.enabled,
                "speed_gbps": port.speed_gbps,
                "ip_mtu": port.ip_mtu,
            }


def _classes(report: Report) -> Iterator[Row]:
    for traffic in report.classes:
        yield {
            "class": traffic.name,
            "flow": traffic.flow,
            "dscps": " ".join(str(dscp) for dscp in traffic.dscps),
            "basis": traffic.basis,
            "senders": traffic.senders,
            "mode": "; ".join(traffic.modes),
        }


def _findings(report: Report) -> Iterator[Row]:
    """A row for each root cause and device."""
    for finding in report.findings:
        for here in finding.occurrences:
            place = here.locations[0] if here.locations else None
            yield {
                "rule": finding.rule,
                "name": finding.name,
                "severity": finding.severity.label,
                "confidence": finding.confidence.value,
                "device": here.device,
                "subjects": " ".join(here.subjects),
                "message": here.message or finding.message,
                "consequence": finding.consequence,
                "class": finding.traffic or None,
                "file": place.file if place is not None else None,
                "line": place.line if place is not None else None,
                "pairs_broken": finding.pairs.hit if finding.pairs is not None else None,
                "suppressed": finding.suppressed.by if finding.suppressed is not None else None,
                "fingerprint": finding.fingerprint,
            }


def _treatments(report: Report) -> Iterator[Row]:
    """A row for each judged port and range of DSCPs with the same treatment."""
    if report.analysis is None or report.excerpts is None:
        return
    for port in report.analysis.ports:
        for row in port_rows(port.device, port.interface, report.excerpts):
            cells = {name: row.cells[name].text for name in port_table.COLUMNS}
            yield {
                "device": port.device.hostname,
                "port": port.interface.name,
                "dscp": ranges(row.dscps),
                **cells,
            }


def _of(rows: Callable[[Report], Iterator[Row]]) -> Callable[[Report], list[Row]]:
    return lambda report: list(rows(report))


TABLES: dict[str, Callable[[Report], list[Row]]] = {
    "classes": _of(_classes),
    "devices": _of(_devices),
    "findings": _of(_findings),
    "links": _of(_links),
    "ports": _of(_ports),
    "treatments": _of(_treatments),
}
"""Tables by name."""
