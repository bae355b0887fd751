"""Lines and values that readers did not accept (unrecognised, refused, overridden), and ignores
and crashes, which the engine reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.engine.api import Device, Given, Outcome, Problem, Severity, Where, device_check
from roce_lint.engine.fold import without_names
from roce_lint.model.device import NoteKind
from roce_lint.model.interface import Interface
from roce_lint.model.sourced import Concern
from roce_lint.text.numbers import count as spell_count
from roce_lint.text.numbers import without_numbers
from roce_lint.text.source import LineState


@device_check("sources.unrecognised_lines")
def unrecognised_lines(device: Device, given: Given) -> Iterator[Outcome]:
    """Unrecognised lines in port and QoS sections, grouped by shape."""
    for note in device.notes:
        if note.kind is NoteKind.UNRECOGNISED:
            times = f" ({note.count} similar lines)" if note.count > 1 else ""
            yield Problem(
                f"{device.hostname} has an unrecognised line: {note.message}{times}",
                "its effect on RoCE is not checked",
                [note.where()],
                value=without_numbers(note.message),
                shaped=True,
            )


@device_check("sources.bad_value")
def bad_or_conflicting_value(device: Device, given: Given) -> Iterator[Outcome]:
    """An unreadable value, or one that contradicts another source of the same kind."""
    for note in device.notes:
        if note.kind in (NoteKind.BAD_VALUE, NoteKind.CONFLICT, NoteKind.CUT):
            yield Problem(
                f"{device.hostname}: {note.shown}",
                "the value is treated as unknown: rules that need it do not check it",
                [note.where(), *(note.where(key) for key in note.at if key != "")],
                value=without_names(note.message),
                about=note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None,
            )


@device_check("sources.refused_value")
def refused_value(device: Device, given: Given) -> Iterator[Outcome]:
    """A value outside the documented range or keywords of the platform."""
    judged = {port.interface.name for port in given.analysis.ports_of(device)}
    begins = {port.at.get("", 0): name for name, port in device.interfaces.items()}
    for note in device.notes:
        if note.kind is not NoteKind.REFUSED:
            continue
        of_port = note.port if note.port in device.interfaces else ""
        of_port = of_port or begins.get(note.at.get(Concern.SECTION, 0), "")
        carries = of_port in judged if of_port else bool(judged)
        yield Problem(
            f"{device.hostname}: {note.shown}",
            note.instead,
            [note.where(), note.where(Concern.LIMIT)],
            subjects=(of_port,) if of_port else (),
            value=without_names(note.message),
            severity=None if carries else Severity.WARNING,  # RoCE does not depend on it
            compares=True,
            # Settings that a policy or profile then lacks are reported at one of its lines.
            idle=() if of_port else tuple(Where(note.src, line) for line in note.around),
            about=note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None,
        )


_PLACE = re.compile(r"^\S[^\n]*?:\d+: ")
"""File and line at the start of a remark on a tree, kept out of the fingerprint."""

SHOWN = 5
"""Shapes of overridden lines that the message names; the places name them all."""


@device_check("sources.shadowed_lines")
def shadowed_line(device: Device, given: Given) -> Iterator[Outcome]:
    """Overridden lines, all of a device together, and duplicate keys of a tree."""
    shadowed = [note for note in device.notes if note.kind is NoteKind.SHADOWED]
    shapes = list(dict.fromkeys(note.message for note in shadowed))
    more = f" and {len(shapes) - SHOWN} more" if len(shapes) > SHOWN else ""
    for note in shadowed:
        yield Problem(
            f"{device.hostname} has overridden lines: {'; '.join(shapes[:SHOWN])}{more}",
            "a later line replaces each of them: they have no effect",
            [note.where()],
            value="; ".join(shapes),
            shaped=True,
        )
    for note in device.notes:
        if note.kind is NoteKind.DUPLICATE:
            yield Problem(
                f"{device.hostname}: {note.shown}",
                "only one of the two takes effect",
                [note.where(), *(note.where(key) for key in note.at if key != "")],
                value=without_names(_PLACE.sub("", note.message)),
            )


_KEYWORD = re.compile(r"is none, ('.*') is no word of ours; (did you mean '.*')\?")
"""Fault of a misspelt keyword; the fault itself is part of the fingerprint."""


@device_check("sources.faulty_ignore")
def ignore_without_reason(device: Device, given: Given) -> Iterator[Outcome]:
    """An inline ignore without rule or reason, which suppresses nothing."""
    for ignore in device.src.ignores:
        if ignore.fault:
            rules = ", ".join(ignore.rules)
            yield Problem(
                f"{device.hostname}: ignore comment {f'for {rules} ' if rules else ''}"
                + _KEYWORD.sub(r"has the unknown keyword \1 (\2?)", ignore.fault),
                "the comment is not applied: its finding still counts",
                [Where(device.src, ignore.position)],
                value=f"{rules} {ignore.fault}",
            )


@device_check("sources.two_configs")
def two_configurations_of_one_device(_device: Device, _given: Given) -> Iterator[Outcome]:
    """Two configurations of one device; the engine makes these findings after loading."""
    return iter(())


@device_check("sources.unsaved_lines")
def running_differs_from_startup(device: Device, given: Given) -> Iterator[Outcome]:
    """Lines that only the running or only the startup configuration has."""
    places = [note.where() for note in device.notes if note.kind is NoteKind.UNSAVED]
    if not places:
        return
    added = sum(place.src is device.src for place in places)
    sides = (added, "running"), (len(places) - added, "startup")
    parts = [f"{spell_count(n, 'line')} only in its {name} configuration" for n, name in sides if n]
    concerned = given.analysis.ports_of(device) and any(map(_is_read, places))
    yield Problem(
        f"{device.hostname} has {' and '.join(parts)}",
        "the next reload changes the configuration that was checked",
        places,
        value="unsaved",
        severity=None if concerned else Severity.INFO,
        several=True,
    )


def _is_read(place: Where) -> bool:
    """Whether a line may be about RoCE: it is of a section that is read, and not irrelevant."""
    src = place.src
    states = src.files[src.file_of(place.position)].states
    passed_over = (LineState.UNCLAIMED, LineState.IGNORED)
    return states[src.line_of(place.position) - 1] not in passed_over


@device_check("sources.unused_suppression")
def unused_suppression(_device: Device, _given: Given) -> Iterator[Outcome]:
    """An ignore, waiver or baseline entry without a finding; the engine makes these findings."""
    return iter(())


@device_check("sources.rule_crashed")
def crash_of_a_rule(_device: Device, _given: Given) -> Iterator[Outcome]:
    """A check that raised an exception; the engine makes these findings."""
    return iter(())


@device_check("sources.reader_crashed")
def crash_of_a_reader(_device: Device, _given: Given) -> Iterator[Outcome]:
    """A reader that raised an exception; the engine makes these findings."""
    return iter(())


@device_check("sources.protection_not_understood")
def protection_not_understood(device: Device, given: Given) -> Iterator[Outcome]:
    """A device without PFC and ECN whose lines about them were not understood."""
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
        f"{device.hostname} has {spell_count(count, 'line')} about PFC, ECN or RoCE, none "
        f"understood, and no other line enables PFC or ECN: `{notes[0].message}`",
        "the intended settings are not in effect: every class is lossy and not ECN-marked",
        [note.where() for note in notes],
        value=notes[0].message,
    )


def _protects(port: Interface) -> bool:
    """Whether PFC is on at a port, or its lines name no-drop priorities."""
    pfc = port.qos.pfc if port.qos is not None else None
    return pfc is not None and bool(pfc.generate or pfc.named)
