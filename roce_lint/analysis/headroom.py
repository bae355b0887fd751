"""Whether a device can size the headroom of a port, by its rows and tables."""

from __future__ import annotations

from roce_lint.analysis.result import JudgedPort
from roce_lint.model.qos import HeadroomModel


def is_outside_table(port: JudgedPort) -> bool:
    """True where the device would need a row of its headroom table that is not there."""
    table = port.device.headroom_table
    speed, length = port.interface.speed_gbps, port.interface.cable_m
    if port.device.system.headroom is not HeadroomModel.STATIC or not table or is_sized(port):
        return False
    return bool(speed and length) and (speed, length) not in table


SLOW = 4  # times slower than what a board was made for (experience)


def is_too_slow_for_table(port: JudgedPort) -> bool:
    """True where the table has no row at all for the port's speed, and rows for a far higher one
    that other ports of the device have: the board gives lossless classes to those alone. Not where
    the other end is known: RoCE gets there then.
    """
    speed, rows = port.interface.speed_gbps, {gbps for gbps, _ in port.device.headroom_table}
    if not speed or speed in rows or port.peer is not None:
        return False
    others = {each.speed_gbps for each in port.device.interfaces.values()} & rows
    return any(other is not None and other >= SLOW * speed for other in others)


def is_sized(port: JudgedPort) -> bool:
    """True where a row states the size of a lossless group: nothing is left to be computed."""
    qos = port.interface.qos
    buffers = port.device.qos.ingress_buffers.get(qos.ingress_buffer or "") if qos else None
    groups = buffers.groups.values() if buffers is not None else ()
    return any(profile.lossless and not profile.computed for profile in groups)
