"""Reads an inventory in any of its formats."""

from __future__ import annotations

import re
from pathlib import Path

from roce_lint.errors import ReadError, UsageError
from roce_lint.inventory import documents, lines
from roce_lint.inventory.entry import Inventory, Reader
from roce_lint.text.files import read_small
from roce_lint.text.source import SourceFile
from roce_lint.text.tree import load_json, load_yaml

LIMIT = 64 << 20
"""Bytes of an inventory; an export of 100,000 devices has 40 MB."""

_HEADING = re.compile(r'\ufeff?"?(?:name|device|host)"?,|[^\n]*,"?name"?(?:,|$)', re.IGNORECASE)
_BY_NAME: dict[str, tuple[str, Reader]] = {
    ".csv": ("CSV", lines.read_csv),
    ".ini": ("Ansible INI", lines.read_ini),
    ".txt": ("list", lines.read_list),
}


def read_inventory(path: Path) -> Inventory:
    """All devices of an inventory, and the entries that were not understood.

    Raises:
        UsageError: it cannot be read, or has an unknown form.
    """
    try:
        text = read_small(path, LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", location=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", location=str(path)) from None
    text = text.replace("\r\n", "\n")
    found = Inventory("list")
    if not _is_tree(path, text):
        found.form, read = _by_lines(path, text)
        read(text, found)
    elif not _read_tree(path, text, found):
        raise UsageError(
            "not an inventory in a known form",
            location=str(path),
            hint="docs/live.md lists the forms",
        )
    return found


def _is_tree(path: Path, text: str) -> bool:
    if path.suffix in (".yaml", ".yml", ".json"):
        return True
    begin = text.lstrip()[:1]
    return not path.suffix and (begin == "{" or text.startswith(("---", "devices:", "all:")))


def _read_tree(path: Path, text: str, into: Inventory) -> bool:
    file = SourceFile.of(path.name, text)
    try:
        trees = [load_json(file)] if path.suffix == ".json" else load_yaml(file)
        known = [documents.read_tree(text, tree, into) for tree in trees]
    except ReadError as error:
        raise UsageError(error.message, location=error.location or str(path)) from None
    return any(known)


def _by_lines(path: Path, text: str) -> tuple[str, Reader]:
    if path.suffix in _BY_NAME and path.suffix != ".txt":
        return _BY_NAME[path.suffix]
    if re.search(r"^\s*Host\s+\S", text, re.MULTILINE | re.IGNORECASE) and "=" not in text:
        return "ssh_config", lines.read_ssh_config
    if re.search(r"^\[[\w.:-]+\]\s*$", text, re.MULTILINE) or re.search(r"\s\w+=\S", text):
        return _BY_NAME[".ini"]
    return _BY_NAME[".csv" if _HEADING.match(text) else ".txt"]
