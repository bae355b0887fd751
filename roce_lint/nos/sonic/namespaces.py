"""Puts the files of a SONiC device into tables: nested or flat, of one ASIC or of several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.model.device import NoteKind
from roce_lint.nos.reading import Reading
from roce_lint.nos.sonic.tables import CONFIG, NOTE_LENGTH, RENAMED, TABLES, Namespace, Row
from roce_lint.nos.trees import TreeReader
from roce_lint.text.numbers import whole_of

_NEW_REFERENCES = (3, 0, 3)
_NEW_WORDS = (3, 0, 1)
"""Versions from which references are bare names, and digits no words (docs/nos/sonic.md)."""

_DUMPED = frozenset(("expireat", "ttl", "type", "value"))
"""Members of a key in what sonic-db-dump writes, as `show techsupport` keeps it."""

_NAMESPACE = re.compile(r"localhost|asic\d{1,3}")
_VERSION = re.compile(r"version_(\d{1,6})_(\d{1,6})(?:_(\d{1,6}))?", re.ASCII)


def namespaces(reading: Reading) -> list[Namespace]:
    """The tables of all files of a device, one Namespace per ASIC."""
    found: list[tuple[str, TreeReader]] = []
    for entry in reading[CONFIG]:
        root = TreeReader(reading, entry)
        if not isinstance(root.data, dict):
            continue
        found += _roots(root, entry.args.get("asic") or "")
    names = {name for name, _ in found if name}
    several = len(names) > 1
    by_name: dict[str, Namespace] = {}
    for name, root in found:
        kept = name if several else ""
        space = by_name.setdefault(kept, Namespace(reading, kept, several))
        _add(space, root)
    for space in by_name.values():
        version = _version(space)
        space.old_references = version < _NEW_REFERENCES
        space.old_words = version < _NEW_WORDS
    return list(by_name.values())


def _roots(root: TreeReader, asic: str) -> Iterator[tuple[str, TreeReader]]:
    """The objects that hold tables: the root itself, or one per namespace below it."""
    if root.data and all(_NAMESPACE.fullmatch(str(key)) for key in root.data):
        for key in root.data:
            yield ("" if key == "localhost" else key), root.get(key)
        return
    if not asic:
        metadata = root.data.get("DEVICE_METADATA|localhost")
        if metadata is None:
            metadata = root.get("DEVICE_METADATA", "localhost").data
        named = metadata.get("asic_name") if isinstance(metadata, dict) else None
        asic = named if isinstance(named, str) else ""
    yield (f"asic{asic}" if asic.isdigit() else asic.lower()), root


def _add(space: Namespace, root: TreeReader) -> None:
    if not isinstance(root.data, dict):
        return
    for raw in root.data:
        table, bar, key = str(raw).partition("|")
        table = RENAMED.get(table, table)
        if table not in _CLAIMED:
            continue
        node = root.get(raw)
        if bar:
            _add_row(space, table, key, node)
        elif isinstance(node.data, dict):
            space.tables.setdefault(table, {})
            node.exists()
            for name, row in node.items():
                _add_row(space, table, str(name), row)
        else:
            space.reading.note(NoteKind.BAD_VALUE, f"{table}: no table of rows", node.position)


def _add_row(space: Namespace, table: str, key: str, node: TreeReader) -> None:
    if not isinstance(node.data, dict):
        message = f"{table}|{key}: {type(node.data).__name__} where fields belong"
        space.reading.note(NoteKind.BAD_VALUE, message[:NOTE_LENGTH], node.position)
        return
    node.exists()
    node = _value(node)
    rows = space.tables.setdefault(table, {})
    if key in rows:
        rows[key].parts.append(node)
    else:
        rows[key] = Row(table, key, node)


def _value(node: TreeReader) -> TreeReader:
    """The row itself, where a dump of the database wrote what Redis knows of it around it."""
    if node.data.get("type") != "hash" or not _DUMPED.issuperset(map(str, node.data)):
        return node
    value = node.get("value")
    if not isinstance(value.data, dict):
        return node
    for key in ("expireat", "ttl", "type"):
        node.text(key)
    value.exists()
    return value


def _version(space: Namespace) -> tuple[int, ...]:
    """Version of the database; (0,) where it is not stated."""
    row = space.rows("VERSIONS").get("DATABASE")
    text = row.text("VERSION").value if row is not None else None
    found = _VERSION.match(text or "")
    return tuple(whole_of(part or "0") for part in found.groups()) if found else (0,)


_CLAIMED = frozenset(TABLES)
