"""The tables of QoS and buffers that say how a SONiC switch treats each code point."""

from __future__ import annotations

import math
from collections.abc import Iterable

from roce_lint.errors import RenderError
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    CodeMap,
    Marking,
    PfcWatchdog,
    PortQos,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
)
from roce_lint.model.units import PRIORITIES, ThresholdUnit
from roce_lint.nos.selection import whole
from roce_lint.nos.sonic.render_tables import Row, Tables

NAME = "ROCE"
"""What maps are called; a second one of a table gets a number."""
CABLES = "AZURE"
"""The one row of CABLE_LENGTH that the buffer daemons look at."""
POOL = "ingress_lossless_pool"
"""The pool of lossless groups: the name stands in the buffer daemons."""
DSCPS, TAGS = range(64), PRIORITIES
ALPHA = range(-8, 8)


def add_qos(device: Device, tables: Tables) -> None:
    """Fill in what a device has of QoS and buffers.

    Raises:
        RenderError: a wish has a value that no field takes.
    """
    for port in device.interfaces.values():
        qos = port.qos
        if qos is None:
            continue
        row = _maps(device, qos, tables) | _pause_row(qos)
        if row:
            tables.row("PORT_QOS_MAP", port.name, **row)
        _queues(device, port.name, qos, tables)
        if port.cable_m is not None:
            tables.row("CABLE_LENGTH", CABLES, **{port.name: f"{whole(port.cable_m)}m"})
        _groups(device, port, qos, tables)
        if qos.watchdog is not None and qos.watchdog.enabled:
            _watchdog(port.name, qos.watchdog, tables)


def _maps(device: Device, qos: PortQos, tables: Tables) -> Row:
    """The maps of a port by the fields that name them."""
    row: Row = {}
    classifier = device.qos.classifiers.get(qos.classifier or "")
    if classifier is not None and qos.trust in (Trust.DSCP, Trust.BOTH):
        codes = _map(classifier.dscp_to_tc, DSCPS)
        row["dscp_to_tc_map"] = tables.name_row("DSCP_TO_TC_MAP", NAME, codes)
    if classifier is not None and qos.trust in (Trust.PCP, Trust.BOTH):
        tags = _map(classifier.pcp_to_tc, TAGS)
        row["dot1p_to_tc_map"] = tables.name_row("DOT1P_TO_TC_MAP", NAME, tags)
    forwarding = device.qos.forwardings.get(qos.forwarding or "")
    if forwarding is None:
        return row
    for field, table, entries in (
        ("tc_to_queue_map", "TC_TO_QUEUE_MAP", forwarding.tc_to_queue),
        ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", forwarding.tc_to_pg),
        ("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", forwarding.pfc_priority_to_queue),
    ):
        if entries.entries:
            row[field] = tables.name_row(table, NAME, _map(entries, sorted(entries.entries)))
    return row


def _map(entries: CodeMap, numbers: Iterable[int]) -> Row:
    known = ((number, entries.get(number)) for number in numbers)
    return {str(number): str(value) for number, value in known if value is not None}


def _pause_row(qos: PortQos) -> Row:
    """Priorities that are paused, and those of them that are watched."""
    pfc, row = qos.pfc, Row()
    if pfc is None or not pfc.generate:
        return row
    if pfc.honour != pfc.generate:
        raise RenderError("pfc_enable sends and obeys pause for the same priorities")
    row["pfc_enable"] = _list(pfc.generate)
    if qos.watchdog is not None and qos.watchdog.enabled:
        row["pfcwd_sw_enable"] = _list(
            pfc.generate if qos.watchdog.priorities is None else qos.watchdog.priorities
        )
    return row


def _list(numbers: Iterable[int]) -> str:
    return ",".join(str(number) for number in sorted(numbers))


def _queues(device: Device, port: str, qos: PortQos, tables: Tables) -> None:
    policy = device.qos.egress.get(qos.egress or "")
    for (kind, number), queue in policy.queues.items() if policy is not None else ():
        if kind is QueueKind.UNICAST:
            tables.row("QUEUE", f"{port}|{number}", **_queue(queue, tables))


def _queue(queue: Queue, tables: Tables) -> Row:
    row: Row = {}
    if queue.scheduler is not None:
        row["scheduler"] = _scheduler(queue.scheduler, tables)
    if queue.marking is not None and queue.marking.ecn:
        row["wred_profile"] = _marking(queue.marking, queue.number, tables)
    return row


def _scheduler(made: Scheduler, tables: Tables) -> str:
    if made.shape_bps is not None or made.shape_percent is not None:
        raise RenderError("no field of SCHEDULER holds a queue to a part of the link")
    if made.kind is SchedulerKind.STRICT:
        return tables.name_row("SCHEDULER", "strict", {"type": "STRICT"})
    weight = whole(made.share)
    if weight is None or made.share_of is not ShareKind.WEIGHT:
        raise RenderError("a share of SCHEDULER is a weight")
    return tables.name_row("SCHEDULER", f"weight.{weight}", {"type": "DWRR", "weight": str(weight)})


def _marking(made: Marking, queue: int, tables: Tables) -> str:
    """A profile that marks green packets: no policer colours those of RoCE otherwise."""
    if made.kmin is None or made.kmax is None or made.pmax_percent is None:
        raise RenderError("WRED_PROFILE is told where marking begins and ends, and how much")
    if {made.kmin.unit, made.kmax.unit} != {ThresholdUnit.BYTES}:
        raise RenderError("thresholds of WRED_PROFILE are bytes")
    row = {
        "ecn": "ecn_green",
        "green_drop_probability": str(whole(made.pmax_percent)),
        "green_max_threshold": str(whole(made.kmax.value)),
        "green_min_threshold": str(whole(made.kmin.value)),
        "wred_green_enable": "true",
    }
    return tables.name_row("WRED_PROFILE", f"{NAME}_{queue}", row)


def _groups(device: Device, port: Interface, qos: PortQos, tables: Tables) -> None:
    """The buffers of lossless groups; each profile is called as the daemon calls its own, which
    keeps one that is there.
    """
    buffers = device.qos.ingress_buffers.get(qos.ingress_buffer or "")
    for group, profile in sorted(buffers.groups.items()) if buffers is not None else ():
        if not profile.lossless:
            continue
        speed = whole((port.speed_gbps or 0) * 1000)
        name = f"pg_lossless_{speed}_{whole(port.cable_m)}m_profile"
        found = tables.name_row("BUFFER_PROFILE", name, _profile(profile))
        tables.row("BUFFER_POOL", POOL, type="ingress", mode="dynamic")
        tables.row("BUFFER_PG", f"{port.name}|{group}", profile=found)


def _profile(profile: BufferProfile) -> Row:
    row: Row = {"pool": POOL}
    for field, value in (
        ("size", profile.reserved_bytes),
        ("xoff", profile.xoff_bytes),
        ("xon", profile.xon_bytes),
    ):
        if value is None:
            raise RenderError(f"BUFFER_PROFILE is refused without {field}")
        row[field] = str(whole(value))
    exponent = math.log2(profile.alpha) if profile.alpha else None
    if exponent is None or exponent not in ALPHA:
        raise RenderError(f"dynamic_th is a power of 2 from 2^{ALPHA[0]} to 2^{ALPHA[-1]}")
    return row | {"dynamic_th": f"{exponent:.0f}"}


def _watchdog(port: str, made: PfcWatchdog, tables: Tables) -> None:
    row: Row = {}
    if made.action is not None:
        row["action"] = made.action.value
    for field, value in (
        ("detection_time", made.detection_ms),
        ("restoration_time", made.restoration_ms),
    ):
        if value is not None:
            row[field] = str(whole(value))
    tables.row("PFC_WD", port, **row)
    if made.polling_ms is not None:
        tables.row("PFC_WD", "GLOBAL", POLL_INTERVAL=str(whole(made.polling_ms)))
