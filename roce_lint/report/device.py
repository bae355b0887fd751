"""Parsed state of a device: files, lines, scope, tiers, and optionally the whole model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import WIRES
from roce_lint.errors import ReadError
from roce_lint.model.device import Device, NoteKind, ParseNote
from roce_lint.model.dump import dump
from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.pipeline.evaluation import SHOWN_STATES
from roce_lint.pipeline.treatment import Tier, load_text
from roce_lint.report.blocks import at, list_places, remark_on
from roce_lint.report.layout import Line, Piece, line
from roce_lint.report.places import Places, place_data
from roce_lint.report.wording import excerpt, one_line
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.names import compress
from roce_lint.text.numbers import count
from roce_lint.text.source import FileRef, LineState, Location, SourceFile, Where
from roce_lint.text.tree import TreeForm, form_of, load_json, load_yaml

# Lines of files.

WORDS = {
    LineState.UNDERSTOOD: "understood",
    LineState.IGNORED: "ignored",
    LineState.SHADOWED: "shadowed",
    LineState.UNRECOGNISED: "not recognised",
    LineState.UNCLAIMED: "not read",
    LineState.CAPTURED: "not recognised",
}


def noted(
    device: Device, excerpts: Excerpts, *, unrecognised: bool
) -> list[tuple[Location, ParseNote]]:
    """Notes of the reader: on unrecognised lines, of which those that differ in numbers only share
    one; or on values that do not convert, conflicts, and lexical traps.
    """
    return [
        (excerpts.locate(note.where(), "evidence"), note)
        for note in device.notes
        if (note.kind is NoteKind.UNRECOGNISED) is unrecognised
    ]


def shadowed_lines(device: Device, excerpts: Excerpts) -> list[Location]:
    """Lines that a later line overrides."""
    return [
        excerpts.locate(Where(device.src, ref.first + number), "evidence")
        for ref in device.src.files
        for number, state in enumerate(ref.states, 1)
        if state == LineState.SHADOWED and not is_tree(device, ref)
    ]


def every(device: Device, ref: FileRef, excerpts: Excerpts) -> Iterator[tuple[LineState, Location]]:
    """Every line or leaf of a file with its state."""
    if is_tree(device, ref):
        positions = _leaf_positions(device, ref)
    else:
        positions = [ref.first + number for number in range(1, ref.lines + 1)]
    for state, position in zip(ref.states, positions, strict=False):
        yield LineState(state), excerpts.locate(Where(device.src, position), "evidence")


def is_tree(device: Device, ref: FileRef) -> bool:
    """True if states belong to leaves of JSON or YAML, not to lines."""
    nos = all_nos().get(device.nos)
    source = nos.by_source.get(ref.source) if nos is not None else None
    return source is not None and source.form in (Form.JSON, Form.YAML)


def _leaf_positions(device: Device, ref: FileRef) -> list[int]:
    """Positions of all leaves of a file on disk, in the order of their states."""
    if ref.path is None:
        return []
    try:
        text = Path(ref.path).read_bytes().decode("utf-8-sig", "replace")
        file = SourceFile.of(ref.name, text, ref.path)
        trees = [load_json(file)] if form_of(text) is TreeForm.JSON else load_yaml(file)
    except (OSError, ReadError):
        return []
    number = device.src.files.index(ref)
    return [
        device.src.path(number, (*tree.root, *path))
        for tree in trees
        for path, _ in leaves(tree.data)
    ]


# The device.

SHOWN = 20
"""Unrecognised and overridden lines listed per device unless all lines are requested."""


def as_lines(
    device: Device,
    analysis: Analysis,
    excerpts: Excerpts,
    places: Places,
    *,
    lines: bool = False,
    model: bool = False,
) -> Iterator[Line]:
    """A device as text."""
    role = device.role.value if device.role is not None else "role unknown"
    kind = ", ".join(one_line(text) for text in (device.model, device.os_version) if text)
    about = f": {device.nos}, {role}" + (f", {kind}" if kind else "")
    yield line((one_line(device.hostname), "strong"), about)
    for ref in device.src.files:
        yield _file(ref, places)
    yield from _scope(device, analysis, verbose=model)
    if load := load_text(device, analysis):
        yield line(load, indent=4)
    if not lines:
        yield from _states(device, excerpts, places)
    else:
        for ref in device.src.files:
            yield from _every(device, ref, excerpts, places)
    if model:
        yield line(("model", "strong"), indent=4)
        yield from _outline(dump(device), 8)


def _file(ref: FileRef, places: Places) -> Line:
    counted = ((ref.states.count(state), WORDS[state]) for state in SHOWN_STATES)
    words = [f"{number} {word}" for number, word in counted if number]
    name = one_line(places.name(ref.name))
    return line((name, "place"), f" ({ref.source}): {', '.join(words)}", indent=4)


def _scope(device: Device, analysis: Analysis, *, verbose: bool) -> Iterator[Line]:
    """Ports in scope, and reasons for the others."""
    judged = [port for port in analysis.ports if port.device is device]
    if verbose:
        for port in judged:
            yield line(f"checked {one_line(port.interface.name)}: {one_line(port.why)}", indent=4)
    else:
        by_facing: dict[str, list[str]] = {}
        for port in judged:
            by_facing.setdefault(_peer_text(port), []).append(one_line(port.interface.name))
        for facing, names in by_facing.items():
            ports = f"{count(len(names), 'port')} checked, {facing}: "
            yield line((ports, ""), compress(names), indent=4)
    known = {port.interface.name for port in judged}
    by_reason: dict[str, list[str]] = {}
    for other in device.interfaces.values():
        if other.name not in known and other.kind in WIRES:
            reason = analysis.not_judged.get(
                (device.hostname, other.name),
                "shut down" if other.enabled is False else "out of scope (no RoCE path)",
            )
            by_reason.setdefault(one_line(reason), []).append(one_line(other.name))
    for reason, names in by_reason.items():
        ports = f"{count(len(names), 'port')} not checked, {reason}: "
        yield line((ports, "dim"), compress(names), indent=4)


def _peer_text(port: JudgedPort) -> str:
    if port.device.is_host:
        return "of a RoCE NIC"
    where = "towards hosts" if port.faces_host else "towards switches"
    return f"{where} (link assumed)" if port.assumed else where


def _states(device: Device, excerpts: Excerpts, places: Places) -> Iterator[Line]:
    shapes = noted(device, excerpts, unrecognised=True)
    if shapes:
        yield line(("not recognised", "strong"), indent=4)
        similar = ((place, note.count - 1) for place, note in shapes)
        yield from _rows([(p, f"and {n} similar" if n > 0 else "") for p, n in similar], places)
    over = shadowed_lines(device, excerpts)
    if over:
        yield line(("overridden by a later line", "strong"), indent=4)
        yield from _rows([(place, "") for place in over], places)
    remarks = noted(device, excerpts, unrecognised=False)
    if remarks:
        yield line(("notes", "strong"), indent=4)
        yield from _rows([(place, note.shown) for place, note in remarks], places)


def _rows(rows: list[tuple[Location, str]], places: Places) -> Iterator[Line]:
    shown = rows[:SHOWN]
    found = list_places([place for place, _ in shown], places, indent=8)
    for item, (_, remark) in zip(found, shown, strict=True):
        pieces: list[Piece] = [*item.pieces]
        if remark:
            pieces.append((f"  ({one_line(remark)})", "dim"))
        yield line(*pieces, indent=8, hang=4)
    if len(rows) > SHOWN:
        yield line((f"and {len(rows) - SHOWN} more (--lines shows every line)", "dim"), indent=8)


def _every(device: Device, ref: FileRef, excerpts: Excerpts, places: Places) -> Iterator[Line]:
    found = list(every(device, ref, excerpts))
    width = max((len(at(place, places)) for _, place in found), default=0)
    for state, place in found:
        remark = remark_on(place)
        text = f"{excerpt(place)}  ({remark})" if remark else excerpt(place)
        yield line(
            (f"{at(place, places):<{width}}", "place"),
            (f"  {WORDS[state]:<14}  ", "dim"),
            (text, "code"),
            hang=4,
        )
    if not found:
        name = one_line(places.name(ref.name))
        yield line(f"{name}: its single values cannot be shown; unpack it into a folder")


def _outline(data: Any, indent: int) -> Iterator[Line]:
    """Plain data as an indented outline; a pair of value and place goes on one line."""
    for key, value in data.items():
        if isinstance(value, dict):
            yield line((one_line(str(key)), "strong"), indent=indent)
            yield from _outline(value, indent + 2)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield line((one_line(str(key)), "strong"), indent=indent)
            for number, item in enumerate(value, 1):
                if isinstance(item, dict):
                    yield line((f"{number}", "dim"), indent=indent + 2)
                    yield from _outline(item, indent + 4)
                else:
                    yield line(one_line(str(item)), indent=indent + 2)
        else:
            yield line(f"{one_line(str(key))}: ", *_value(value), indent=indent)


def _value(value: Any) -> tuple[Piece, ...]:
    if isinstance(value, list):
        *values, last = value or [""]
        if isinstance(last, str) and last.startswith("@"):
            text = ", ".join(str(item) for item in values)
            return ((one_line(text), ""), (f"  {one_line(last)}", "dim"))
        return ((one_line(", ".join(str(item) for item in value)), ""),)
    return ((one_line(str(value)), ""),)


def as_data(
    device: Device, analysis: Analysis, excerpts: Excerpts, *, lines: bool = False
) -> dict[str, Any]:
    """A device as plain data; the model is the one of `roce_lint.model.dump`."""
    judged = {port.interface.name: port for port in analysis.ports if port.device is device}
    return {
        "name": device.hostname,
        "nos": device.nos,
        "role": device.role.value if device.role is not None else None,
        "files": [_file_data(device, ref, excerpts, lines=lines) for ref in device.src.files],
        "unrecognised": [
            {**place_data(place), "count": note.count}
            for place, note in noted(device, excerpts, unrecognised=True)
        ],
        "shadowed": [place_data(place) for place in shadowed_lines(device, excerpts)],
        "notes": [
            {**place_data(place), "message": note.shown}
            for place, note in noted(device, excerpts, unrecognised=False)
        ],
        "ports": [
            {
                "name": port.name,
                "judged": port.name in judged,
                "why": judged[port.name].why
                if port.name in judged
                else analysis.not_judged.get((device.hostname, port.name), ""),
                "peer": str(judged[port.name].peer or "") if port.name in judged else "",
            }
            for port in device.interfaces.values()
            if port.kind in WIRES
        ],
        "model": dump(device),
    }


def _file_data(device: Device, ref: FileRef, excerpts: Excerpts, *, lines: bool) -> dict[str, Any]:
    states = {state.name.lower(): ref.states.count(state) for state in SHOWN_STATES}
    data: dict[str, Any] = {"file": ref.name, "source": ref.source, "states": states}
    if lines:
        data["lines"] = [
            {"state": state.name.lower(), **place_data(place)}
            for state, place in every(device, ref, excerpts)
        ]
    return data


# Tiers with valley-free routes.

LINES = 3
"""Lines shown per tier: templates write one for every switch."""


def tier_lines(tiers: list[Tier], places: Places) -> Iterator[Line]:
    """The tiers as text."""
    for tier in tiers:
        yield line(f"Valley-free routes between {one_line(compress(tier.switches, 8))}:")
        yield from list_places(tier.places[:LINES], places, indent=4)


def tier_data(tiers: list[Tier]) -> list[dict[str, Any]]:
    """The tiers as plain data."""
    return [
        {"switches": tier.switches, "places": [place_data(place) for place in tier.places]}
        for tier in tiers
    ]
