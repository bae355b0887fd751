"""What was not understood: never passed over in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    device_check,
)
from roce_lint.engine.fold import without_names
from roce_lint.model.device import NoteKind
from roce_lint.model.sourced import Concern
from roce_lint.text.numbers import without_numbers


@device_check("sources.unrecognised_lines")
def unrecognised_lines(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Lines in sections about QoS or ports that no template knows, by shape."""
    for note in device.notes:
        if note.kind is NoteKind.UNRECOGNISED:
            times = f" ({note.count} lines of this shape)" if note.count > 1 else ""
            yield Problem(
                f"{device.hostname} has an unrecognised line: {note.message}{times}",
                "its effect on RoCE is not judged",
                [note.where()],
                device.hostname,
                value=without_numbers(note.message),
                shaped=True,
            )


@device_check("sources.bad_value")
def bad_or_conflicting_value(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A line whose value nobody can read here, or that contradicts another of the same kind."""
    for note in device.notes:
        if note.kind in (NoteKind.BAD_VALUE, NoteKind.CONFLICT, NoteKind.CUT):
            yield Problem(
                f"{device.hostname}: {note.message}",
                "the value is taken as unknown, and rules that need it cannot be judged",
                [note.where(), *(note.where(key) for key in note.at if key != "")],
                device.hostname,
                value=without_names(note.message),
                about=note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None,
            )


@device_check("sources.refused_value")
def refused_value(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A line whose value the platform's documented bounds or words do not have."""
    judged = {port.interface.name for port in given.analysis.ports_of(device)}
    begins = {port.at.get("", 0): name for name, port in device.interfaces.items()}
    for note in device.notes:
        if note.kind is not NoteKind.REFUSED:
            continue
        of_port = note.port if note.port in device.interfaces else ""
        of_port = of_port or begins.get(note.at.get(Concern.SECTION, 0), "")
        carries = of_port in judged if of_port else bool(judged)
        yield Problem(
            f"{device.hostname}: {note.message}",
            note.instead,
            [note.where(), note.where(Concern.LIMIT)],
            device.hostname,
            (of_port,) if of_port else (),
            value=without_names(note.message),
            severity=None if carries else Severity.WARNING,  # nothing of RoCE depends on it
            compares=True,
            # What a policy or profile lacks since then is decided at one of its lines.
            idle=() if of_port else tuple(Where(note.src, line) for line in note.around),
            about=note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None,
        )


_PLACE = re.compile(r"^\S[^\n]*?:\d+: ")
"""The file and line that a remark on a tree begins with: other lines above it must not make it
another finding.
"""

SHOWN = 5
"""Shapes of overruled lines that the message names; the places name them all."""


@device_check("sources.shadowed_lines")
def shadowed_line(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Lines that a later one overrules, all of a device together; and keys of a tree that come
    twice.
    """
    shadowed = [note for note in device.notes if note.kind is NoteKind.SHADOWED]
    shapes = list(dict.fromkeys(note.message for note in shadowed))
    more = f" and {len(shapes) - SHOWN} more" if len(shapes) > SHOWN else ""
    for note in shadowed:
        yield Problem(
            f"{device.hostname} has lines that later ones overrule: "
            f"{'; '.join(shapes[:SHOWN])}{more}",
            "what is overruled has no effect; whoever reads or edits it believes otherwise",
            [note.where()],
            device.hostname,
            value="; ".join(shapes),
            shaped=True,
        )
    for note in device.notes:
        if note.kind is NoteKind.DUPLICATE:
            yield Problem(
                f"{device.hostname}: {note.message}",
                "it has no effect; whoever reads or edits it believes otherwise",
                [note.where(), *(note.where(key) for key in note.at if key != "")],
                device.hostname,
                value=without_names(_PLACE.sub("", note.message)),
            )


@device_check("sources.faulty_ignore")
def ignore_without_reason(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """An inline ignore that names no rule or gives no reason, and so suppresses nothing."""
    for ignore in device.src.ignores:
        if ignore.fault:
            rules = ", ".join(ignore.rules)
            yield Problem(
                f"{device.hostname}: an ignore {f'of {rules} ' if rules else ''}{ignore.fault}",
                "it is not applied: the finding it means still counts",
                [Where(device.src, ignore.position)],
                device.hostname,
                value=f"{rules} {ignore.fault}",
            )


@device_check("sources.two_configs")
def two_configurations_of_one_device(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """Two whole configurations of one device. Loading knows, and the engine makes the finding."""
    return iter(())


@device_check("sources.unused_suppression")
def unused_suppression(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """An ignore, waiver or known finding that covers nothing. As above: known after judging."""
    return iter(())


@device_check("sources.rule_crashed")
def crash_of_a_rule(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """A check raised an exception. The engine itself makes these findings."""
    return iter(())


@device_check("sources.reader_crashed")
def crash_of_a_reader(_device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """A reader raised an exception. As above: the engine knows, a check cannot."""
    return iter(())
