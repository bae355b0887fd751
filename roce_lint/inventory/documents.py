"""Tree inventories: our YAML, Ansible YAML, Nornir, containerlab, NetBox JSON, an intent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roce_lint.inventory.entry import ALL, Groups, Inventory, pick_fields, quote, text_of
from roce_lint.inventory.lines import map_columns
from roce_lint.text.tree import Tree, locate_all

OURS = ("name", "host", "port", "user", "nos")
NORNIR = {
    "host": ("hostname",),
    "port": ("port",),
    "user": ("username",),
    "nos": ("platform", "nos"),
}
_IN_GROUP = ("hosts", "children", "vars")
_DEEPEST = 32


def read_tree(text: str, tree: Tree, into: Inventory) -> bool:
    """Add the devices of a tree; False for an unknown form."""
    data: Any = tree.data
    at = _Lines(text, tree)
    if isinstance(data, list):
        return _netbox(data, into) if _is_netbox(data) else _ours(data, at, (), into)
    if not isinstance(data, Mapping):
        return False
    if isinstance(data.get("devices"), list):
        return _ours(data["devices"], at, ("devices",), into)
    if _is_netbox(data.get("results")):
        return _netbox(data["results"], into)
    topology = data.get("topology")
    if isinstance(topology, Mapping) and isinstance(topology.get("nodes"), Mapping):
        return _containerlab(text_of(data.get("name")), topology, at, data, into)
    groups = [value for value in data.values() if isinstance(value, Mapping)]
    if groups and any(word in group for group in groups for word in _IN_GROUP):
        return _ansible(data, at, into)
    if groups and len(groups) == len(data):
        return _nornir(data, at, into)
    return False


class _Lines:
    """Line numbers of paths, resolved on demand, as only messages need them."""

    def __init__(self, text: str, tree: Tree):
        self._text, self._tree = text, tree

    def of(self, paths: list[tuple[str | int, ...]]) -> Iterator[int]:
        """The line of each path."""
        keys = {path: (*self._tree.root, *path) for path in paths}
        found = locate_all(self._text, self._tree.form, list(keys.values()))
        return iter([found[keys[path]][0] for path in paths])


def _ours(devices: list[Any], at: _Lines, below: tuple[str, ...], into: Inventory) -> bool:
    into.form = "devices"
    lines = at.of([(*below, number) for number in range(len(devices))])
    for given, line in zip(devices, lines, strict=True):
        fields = {"name": given} if isinstance(given, str) else given
        if not isinstance(fields, Mapping):
            into.remark(line, f"not a device: {quote(text_of(fields))}")
            continue
        for key in fields:
            if key not in OURS:
                into.remark(line, f"unknown key {quote(text_of(key))}: it is ignored")
        for name in into.expand(text_of(fields.get("name")), line):
            into.add({**fields, "name": name}, line)
    return True


def _is_netbox(rows: object) -> bool:
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, Mapping) and "name" in row for row in rows)
        and any("platform" in row or "primary_ip" in row or "primary_ip4" in row for row in rows)
    )


def _netbox(rows: list[dict[str, Any]], into: Inventory) -> bool:
    into.form = "NetBox"
    for row in rows:
        fields = {key: _slug(value) for key, value in row.items()}
        custom = row.get("custom_fields")
        if isinstance(custom, Mapping):
            fields = {**{key: value for key, value in custom.items() if key in OURS}, **fields}
        into.add(map_columns(fields))
    return True


def _slug(value: object) -> object:
    """The address or short name of a referenced NetBox object."""
    if isinstance(value, Mapping):
        return value.get("address") or value.get("slug") or value.get("name")
    return value


def _containerlab(
    lab: str, topology: Mapping[str, Any], at: _Lines, data: Mapping[str, Any], into: Inventory
) -> bool:
    into.form = "containerlab"
    prefix = data.get("prefix", "clab")
    parts = [text_of(prefix), lab] if prefix not in (None, "", "__lab-name") else []
    if prefix == "__lab-name":
        parts = [lab]
    nodes = topology["nodes"]
    defaults = topology.get("defaults") or {}
    groups = topology.get("groups") or {}
    for name, line in zip(
        nodes, at.of([("topology", "nodes", name) for name in nodes]), strict=True
    ):
        node = nodes[name] if isinstance(nodes[name], Mapping) else {}
        group = groups.get(node.get("group")) or {}
        kind = node.get("kind") or group.get("kind") or defaults.get("kind")
        labels = {**(defaults.get("labels") or {}), **(node.get("labels") or {})}
        fields = {
            "name": name,
            "host": node.get("mgmt-ipv4") or "-".join([*parts, text_of(name)]),
            "nos": labels.get("nos") or kind,
            "port": labels.get("port"),
            "user": labels.get("user"),
        }
        into.add(fields, line)
    return True


def _nornir(data: Mapping[str, Any], at: _Lines, into: Inventory) -> bool:
    into.form = "Nornir"
    for (name, fields), line in zip(data.items(), at.of([(name,) for name in data]), strict=True):
        into.add({"name": name, **pick_fields(fields, NORNIR)}, line)
    return True


def _ansible(data: Mapping[str, Any], at: _Lines, into: Inventory) -> bool:
    into.form = "Ansible YAML"
    groups = Groups()
    hosts: list[tuple[str, str, dict[str, Any], tuple[str | int, ...]]] = []
    for name, group in data.items():
        if isinstance(group, Mapping):
            _group(name, group, (name,), groups, hosts)
    lines = at.of([path for *_, path in hosts])
    for (group, host, fields, _), line in zip(hosts, lines, strict=True):
        for name in into.expand(host, line):
            groups.host(group, name, fields, line)
    groups.write(into)
    return True


def _group(
    name: str,
    group: Mapping[str, Any],
    path: tuple[str | int, ...],
    groups: Groups,
    hosts: list[tuple[str, str, dict[str, Any], tuple[str | int, ...]]],
) -> None:
    groups.variables(name).update(group.get("vars") or {})
    for host, fields in _mapping(group.get("hosts")).items():
        own = dict(fields) if isinstance(fields, Mapping) else {}
        hosts.append((name, text_of(host), own, (*path, "hosts", host)))
    for child, below in _mapping(group.get("children")).items():
        if name != ALL:
            groups.child(name, child)
        if isinstance(below, Mapping) and len(path) < _DEEPEST:
            _group(child, below, (*path, "children", child), groups, hosts)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
