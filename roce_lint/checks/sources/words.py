"""Lines that speak of RoCE in words that the system does not know."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, device_check
from roce_lint.model.device import NoteKind
from roce_lint.model.interface import Interface


@device_check("sources.protection_not_understood")
def protection_not_understood(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A file speaks of pause, marking or RoCE in lines that nothing understood, and its device
    neither pauses nor marks anything.
    """
    if device.is_host or device.fleet or any(map(_protects, device.interfaces.values())):
        return
    queues = [queue for policy in device.qos.egress.values() for queue in policy.queues.values()]
    if any(queue.marking is not None and queue.marking.ecn for queue in queues):
        return
    notes = [note for note in device.notes if note.kind is NoteKind.NOT_TAKEN]
    if not notes:
        return
    count = sum(note.count for note in notes)
    yield Problem(
        f"{device.hostname} speaks of pause, marking or RoCE in {count} "
        f"{'line' if count == 1 else 'lines'} that were not understood where they stand, "
        f"and protects nothing: {notes[0].message}",
        "what the lines are meant to set is not set: every class is lossy and unmarked",
        [note.where() for note in notes],
        device.hostname,
        value=notes[0].message,
    )


def _protects(port: Interface) -> bool:
    """Whether PFC of a port is on, or lines name priorities that it would pause."""
    pfc = port.qos.pfc if port.qos is not None else None
    return pfc is not None and bool(pfc.generate or pfc.named)
