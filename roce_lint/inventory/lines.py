"""Inventories of lines: plain lists, Ansible INI, CSV, ssh_config."""

from __future__ import annotations

import csv
import io
import re
import shlex
from typing import Any

from roce_lint.inventory.entry import Groups, Inventory, pick_fields, quote

COLUMNS = {
    "name": ("name", "device", "hostname"),
    "host": ("host", "address", "primary_ip4", "primary_ip", "ip_address", "ip", "hostname"),
    "port": ("port",),
    "user": ("user", "username"),
    "nos": ("nos", "platform", "os"),
}
"""Headings of CSV, in lower case with `_` for blanks; including those of NetBox."""

_SECTION = re.compile(r"\[([\w.-]+)(?::(vars|children))?\]\s*(?:[#;].*)?")
_WILD = re.compile(r"[*?!]")


def read_list(text: str, into: Inventory) -> None:
    """Read names, one or several a line, with ranges; `#` begins a comment."""
    for number, line in enumerate(text.split("\n"), 1):
        for word in line.split("#", 1)[0].split():
            user, at, host = word.rpartition("@")
            for name in into.expand(host, number):
                into.add({"name": name, "user": user if at else None}, number)


def read_ini(text: str, into: Inventory) -> None:
    """Read Ansible's INI: sections of hosts, `:vars` and `:children`."""
    groups = Groups()
    section, kind = "ungrouped", ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if bare.startswith("["):
            found = _SECTION.fullmatch(bare)
            if found is None:
                into.remark(number, f"not a section: {quote(bare)}")
                section, kind = "", "nothing"
                continue
            section, kind = found[1], found[2] or ""
        elif kind == "children":
            groups.child(section, bare.split()[0])
        elif kind == "vars":
            key, _, value = bare.partition("=")
            groups.variables(section)[key.strip()] = value.strip().strip("\"'")
        elif not kind:
            _host_line(bare, section, number, groups, into)
    groups.write(into)


def _host_line(line: str, section: str, number: int, groups: Groups, into: Inventory) -> None:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        into.remark(number, f"{error}: {quote(line)}")
        return
    if not words:
        return
    fields: dict[str, Any] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            into.remark(number, f"not a variable: {quote(word)}")
        fields[key] = value
    for name in into.expand(words[0], number):
        groups.host(section, name, fields, number)


def read_csv(text: str, into: Inventory) -> None:
    """Read a table with a heading: ours, or an export of NetBox."""
    rows = csv.reader(io.StringIO(text))
    names = (cell.strip().lower().replace(" ", "_") for cell in next(rows, []))
    head = [name.removeprefix("\ufeff") for name in names]
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            fields = dict(zip(head, (cell.strip() for cell in row), strict=False))
            if len(row) > len(head):
                into.remark(rows.line_num, f"{len(row)} cells below {len(head)} headings")
            into.add(map_columns(fields), rows.line_num)
    except csv.Error as error:
        into.remark(rows.line_num, f"no CSV: {error}")


def map_columns(fields: dict[str, Any]) -> dict[str, Any]:
    """Map a row of a table to our fields; an address loses its prefix length."""
    found = pick_fields(fields, COLUMNS)
    if isinstance(found.get("host"), str):
        found["host"] = found["host"].split("/")[0]
    return found


def read_ssh_config(text: str, into: Inventory) -> None:
    """Read the hosts of an ssh_config; patterns and Match blocks name none."""
    names: list[tuple[str, int]] = []
    fields: dict[str, Any] = {}

    def done() -> None:
        for name, number in names:
            into.add({"name": name, **fields}, number)

    keys = {"hostname": "host", "port": "port", "user": "user"}
    for number, line in enumerate(text.split("\n"), 1):
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        word, value = key.lower(), value.strip().strip('"')
        if word in ("host", "match"):
            done()
            found = value.split() if word == "host" else []
            names, fields = [(one, number) for one in found if not _WILD.search(one)], {}
        elif word in keys:
            fields.setdefault(keys[word], value)
    done()
