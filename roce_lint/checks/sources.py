"""What was not understood: never passed over in silence."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, device_check
from roce_lint.model.device import NoteKind


@device_check("sources.unrecognised_lines")
def unrecognised_lines(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Lines in sections about QoS or ports that no template knows, by shape."""
    for note in device.notes:
        if note.kind is NoteKind.UNRECOGNISED:
            times = f" ({note.count} lines of this shape)" if note.count > 1 else ""
            yield Problem(
                f"{device.hostname}: not understood: {note.message}{times}",
                "what it does to RoCE is not judged",
                [note.where()],
                device.hostname,
                (note.message,),
                value=note.message,
            )


@device_check("sources.bad_value")
def bad_value(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A line whose value the device would refuse, or that contradicts another of the same kind."""
    for note in device.notes:
        if note.kind in (NoteKind.BAD_VALUE, NoteKind.CONFLICT):
            yield Problem(
                f"{device.hostname}: {note.message}",
                "the value is taken as unknown, and rules that need it cannot be judged",
                [note.where()],
                device.hostname,
                (note.message,),
                value=note.message,
            )


@device_check("sources.rule_crashed")
def rule_crashed(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """A check raised an exception. The engine makes these findings; there is nothing to look for."""
    return iter(())


@device_check("sources.reader_crashed")
def reader_crashed(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """A reader raised an exception. As above: the engine knows, a check cannot."""
    return iter(())
