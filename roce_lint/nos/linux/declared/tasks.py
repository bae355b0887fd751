"""Files of commands for hosts: Ansible playbooks, and cloud-init user data."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.nos.linux.declared.commands import set_sysctl
from roce_lint.nos.linux.declared.scripts import ScriptReader, kind_of, take_line
from roce_lint.nos.linux.host import Host, witness
from roce_lint.nos.linux.manifest import read_tree
from roce_lint.nos.reading import Input
from roce_lint.text.shell_words import UNKNOWN

Keys = tuple[Hashable, ...]

DEPTH = 20
"""Depth of nested task blocks that are read."""

ROUNDS = 256
"""Rounds of a loop that are expanded."""

COMMANDS = ("shell", "command", "raw")
_FULL = re.compile(r"(?:ansible\.(?:builtin|posix|legacy)\.)?(?P<name>\w+)")
_LISTS = ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always")
_LOOPS = ("loop", "with_items", "with_list", "with_flattened")
_PLACE = re.compile(r"\{\{(?P<inside>[^{}\n]{0,200})\}\}")
_NAMED = re.compile(r"(?P<name>\w+)(?P<key>\.\w+|\[['\"]\w+['\"]\])?")


def read_playbook(host: Host, entry: Input) -> None:
    """Read the commands of a playbook or task file."""
    reader = _Tasks(host, entry)
    if isinstance(entry.tree, list):
        reader.read_list(entry.tree, (), {}, perhaps=False, depth=0)
        read_tree(host, entry)
    reader.scripts.finish()


def read_cloud_init(host: Host, entry: Input) -> None:
    """Read the boot commands of user data, and the files that it writes."""
    reader = _Tasks(host, entry)
    data = entry.tree if isinstance(entry.tree, dict) else {}
    for name in ("bootcmd", "runcmd"):
        for row, each in enumerate(_rows(data.get(name))):
            if isinstance(each, str | list):
                reader.run(_command(each), (name, row), perhaps=False)
    for row, each in enumerate(_rows(data.get("write_files"))):
        if isinstance(each, dict) and isinstance(each.get("content"), str):
            place = ("write_files", row, "content")
            reader.write(str(each.get("path")), each["content"], place, perhaps=False)
    reader.scripts.finish()


def _rows(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


class _Tasks:
    """Commands of one file, each at the place of its value."""

    def __init__(self, host: Host, entry: Input):
        self.host, self.entry = host, entry
        self.scripts = ScriptReader(host, witness(entry))

    def read_list(
        self, rows: list[Any], keys: Keys, known: dict[str, str], *, perhaps: bool, depth: int
    ) -> None:
        """Read plays, blocks or tasks in order."""
        for row, each in enumerate(rows):
            if not isinstance(each, dict) or depth > DEPTH:
                continue
            place = (*keys, row)
            given = {**known, **_literals(each.get("vars"))}
            branch = perhaps or "when" in each
            for name in _LISTS:
                self.read_list(
                    _rows(each.get(name)), (*place, name), given,
                    perhaps=branch or name in ("handlers", "rescue"), depth=depth + 1,
                )  # fmt: skip
            self._task(each, place, given, perhaps=branch)

    def _task(
        self, task: dict[Any, Any], place: Keys, known: dict[str, str], *, perhaps: bool
    ) -> None:
        for key, value in task.items():
            found = _FULL.fullmatch(str(key))
            name = found["name"] if found is not None else ""
            for put in _items(task):
                values = {**known, **put}
                if name in COMMANDS and (text := _command(value)):
                    self.run(_fill(text, values), (*place, key), perhaps=perhaps)
                elif name == "sysctl" and isinstance(value, dict):
                    pair = _fill(f"{value.get('name')}={value.get('value')}", values)
                    setter = self.scripts.at(self.host.at(self.entry, *place, key), perhaps=perhaps)
                    if UNKNOWN not in pair:
                        set_sysctl(setter, (pair,))
                elif name in ("copy", "lineinfile", "blockinfile") and isinstance(value, dict):
                    text = str(value.get("content") or value.get("line") or value.get("block"))
                    path = _fill(str(value.get("dest") or value.get("path")), values)
                    self.write(path, _fill(text, values), (*place, key), perhaps=perhaps)

    def run(self, text: str, place: Keys, *, perhaps: bool) -> None:
        """Read a script in one value."""
        self.scripts.run_text(text, self.host.at(self.entry, *place), perhaps=perhaps)

    def write(self, path: str, text: str, place: Keys, *, perhaps: bool) -> None:
        """Read a file that is written, if it holds settings or is a script."""
        kind = kind_of(path)
        if kind == "script":
            self.run(text, place, perhaps=True)
        elif kind:
            setter = self.scripts.at(self.host.at(self.entry, *place), perhaps=perhaps)
            for line in text.split("\n"):
                take_line(setter, kind, line)


def _command(value: Any) -> str:
    """The command of a task: a text, a list of words, or either below a key."""
    if isinstance(value, dict):
        value = value.get("cmd") or value.get("argv")
    if isinstance(value, list):
        return " ".join("'" + str(word).replace("'", "'\\''") + "'" for word in value)
    return value if isinstance(value, str) else ""


def _literals(data: Any, name: str = "") -> dict[str, str]:
    """Literal values in the file; those of a mapping under its name and a dot."""
    found: dict[str, str] = {}
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, str | int) and not isinstance(value, bool) and "{{" not in str(value):
            found[f"{name}{key}"] = str(value)
    return found


def _items(task: dict[Any, Any]) -> Iterator[dict[str, str]]:
    """Loop variables of each round of a task; one round without a value if the loop is open."""
    given = next((task[name] for name in _LOOPS if name in task), None)
    for item in given[:ROUNDS] if isinstance(given, list) else ("{{",):
        if isinstance(item, str | int) and "{{" not in str(item):
            yield {"item": str(item)}
        else:
            yield _literals(item, "item.")


def _fill(text: str, known: dict[str, str]) -> str:
    """The text with known values filled in; unknown ones stay unusable."""

    def put_in(found: re.Match[str]) -> str:
        named = _NAMED.fullmatch(found["inside"].strip())
        if named is None:
            return UNKNOWN
        key = "." + named["key"].strip(".[]'\"") if named["key"] else ""
        return known.get(named["name"] + key, UNKNOWN)

    return _PLACE.sub(put_in, text)
