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


def is_sized(port: JudgedPort) -> bool:
    """True where a row states the size of a lossless group: nothing is left to be computed."""
    qos = port.interface.qos
    buffers = port.device.qos.ingress_buffers.get(qos.ingress_buffer or "") if qos else None
    groups = buffers.groups.values() if buffers is not None else ()
    return any(profile.lossless and not profile.computed for profile in groups)
