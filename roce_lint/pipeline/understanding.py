"""Configurations of which too little was understood to judge them: their answer is incomplete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roce_lint.engine.finding import Diagnostic
from roce_lint.model.device import Device, NoteKind
from roce_lint.nos.base import Form
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import FileRef, LineState

LEAST = 20
"""One line of so many must be understood: what says less is hardly a configuration of ours."""

_TREES = (Form.JSON, Form.YAML)


def find_hardly_understood(devices: Iterable[Device]) -> Iterator[Diagnostic]:
    """Whole configurations that were recognised, and of which nearly nothing was understood or
    that have no interface: nothing can be found in them, and that must not look like health.
    """
    for device in devices:
        by_source = all_nos()[device.nos].by_source
        told = []
        for ref in device.src.files:
            source = by_source[ref.source]
            if source.base and not source.apart:
                tree = source.form in _TREES
                told.append((ref, _too_little(ref, bare=not device.interfaces, tree=tree)))
        if not told and (message := _nothing_known(device)):
            ref = device.src.files[0]
            yield Diagnostic(
                ref.name, "not-understood", message,
                device=device.hostname, source=(ref.path, ref.sha256),
            )  # fmt: skip
        # What one form of a configuration has said, another form of it says again: its lines add
        # nothing, and are no sign that it was not understood.
        again = any(not message for _, message in told)
        for ref, little in told:
            if little and again:
                continue
            kind, message = "not-understood", little
            if not message and not device.interfaces and not device.partial:
                kind = "no-interface"
                message = f"a whole configuration of {device.hostname} without any interface"
            if message:
                yield Diagnostic(
                    ref.name, kind, message, device=device.hostname, source=(ref.path, ref.sha256)
                )


def _nothing_known(device: Device) -> str:
    """What is wrong with a device that nothing is known of, although a reader had to give up on
    some of its lines.
    """
    states = [state for ref in device.src.files for state in ref.states]
    if LineState.UNDERSTOOD in states or LineState.SHADOWED in states:
        return ""
    if not any(note.kind is NoteKind.UNRECOGNISED for note in device.notes):
        return ""
    lines = len(states) - states.count(LineState.IGNORED)
    return f"nothing is known of {device.hostname}: none of {lines} lines understood"


def _too_little(ref: FileRef, *, bare: bool, tree: bool) -> str:
    """What is wrong with a file of which nothing, or less than one line in twenty, was understood.

    Tables of a tree that nobody claims are known by their names not to matter, so that the share
    says nothing of a device that has interfaces.
    """
    understood = ref.states.count(LineState.UNDERSTOOD) + ref.states.count(LineState.SHADOWED)
    lines = len(ref.states) - ref.states.count(LineState.IGNORED)
    if not lines or (understood and (understood * LEAST >= lines or (tree and not bare))):
        return ""
    what = "keys" if tree else "lines"
    return (
        f"recognised as {ref.source}, but {understood or 'none'} of its {lines} {what} understood"
    )
