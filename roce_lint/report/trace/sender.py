"""Whether the host that a trace begins at is known to send what is traced."""

from __future__ import annotations

from roce_lint.analysis.result import RoceClass
from roce_lint.model.device import Device
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.units import ranges


def doubt_of(device: Device, traffic: RoceClass | None, dscp: int) -> str:
    """What a host has to send for the answer to be about it; empty where it states so."""
    if traffic is None or traffic.flow is not Flow.DATA or not device.is_host:
        return ""
    said = [e for e in device.emits if e.flow is Flow.DATA]
    if any(e.dscp == dscp and e.certainty is Certainty.STATED for e in said):
        return ""
    default = [e for e in said if e.certainty is Certainty.DEFAULT]
    stated = sorted({e.dscp for e in said if e.certainty is Certainty.STATED})
    known = "not known"
    if stated:
        known = f"it states DSCP {ranges(stated)}"
    elif default:
        known = f"not known: {default[0].by}"
    return f"{device.hostname} sends DSCP {dscp} ({known})"
