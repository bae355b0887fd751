"""What a template gives back: records of captured strings, each with its position."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Record:
    """One match of a template group: a stanza, a table row, or a single line.

    `values` keeps every capture of a name in file order, so that the reader can do what the
    device does with a value that is set twice.
    """

    group: str
    position: int  # of the line that starts the group
    values: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    children: dict[str, list[Record]] = field(default_factory=dict)


def merge(records: list[Record]) -> Record:
    """Add up stanzas of one name that come more than once; the first gives the position."""
    first, *rest = records
    if not rest:
        return first
    merged = Record(
        first.group,
        first.position,
        {name: list(found) for name, found in first.values.items()},
        {name: list(found) for name, found in first.children.items()},
    )
    for record in rest:
        for name, found in record.values.items():
            merged.values.setdefault(name, []).extend(found)
        for name, children in record.children.items():
            merged.children.setdefault(name, []).extend(children)
    return merged
