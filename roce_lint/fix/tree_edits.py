"""Edits in JSON and YAML: the difference of two printed trees, stated in a device's own file.

The own tree is changed first, member by member; then each change is made in the text, at its own
place. What the text is read as afterwards must equal the changed tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, NamedTuple

from roce_lint.errors import RoceLintError
from roce_lint.fix.files import ConfigFile
from roce_lint.model.units import ranges
from roce_lint.nos.base import Nos, RenderedFiles
from roce_lint.nos.declare import Plane
from roce_lint.remedy.effect import Effect
from roce_lint.text import json_scan, json_text
from roce_lint.text.numbers import whole_of
from roce_lint.text.places import BOM, Data, Keys
from roce_lint.text.source import FileRef, SourceFile
from roce_lint.text.splice import Splice, splice
from roce_lint.text.tree import (
    TreeForm,
    form_of,
    load_json,
    load_yaml,
    load_yaml_nodes,
    natural_order,
    yaml_key,
    yaml_lines,
    yaml_scalar,
)

Members = Callable[[Keys, Any], Iterable[tuple[Any, Keys]]]
"""Members of an object or list of a file, each with the path that it stands for in the print."""


class CannotEditError(RoceLintError):
    """A change that cannot be stated in the device's own file."""


def tree_edits(nos: Nos, file: ConfigFile, effect: Effect) -> list[Splice]:
    """Edits that state in a file of JSON or YAML what a device's second print adds or changes, and
    remove what it no longer has.

    Raises:
        CannotEditError: the file is one line, or a change has no place in it.
    """
    text = file.text.removeprefix(BOM).removesuffix("\n") + "\n"
    if text.count("\n", 0, len(text.rstrip())) < 2:
        raise CannotEditError("the file is one line")
    writer = Writer(text, form_of(text))
    return writer.splices(_changed(nos, writer.tree, effect, file))


def is_tree(text: str) -> bool:
    """Whether a text is JSON or YAML, and not lines of commands."""
    lines = (line.strip() for line in text.removeprefix(BOM).split("\n"))
    first = next((line for line in lines if line and not line.startswith(("#", "---"))), "")
    return first.startswith(("{", "[", "- ")) or first.endswith(":")


def _changed(nos: Nos, tree: Any, effect: Effect, file: ConfigFile) -> Any:
    if nos.printing is None or nos.printing.members is None:
        raise CannotEditError(f"{nos.title} is not printed as a tree")
    members = nos.printing.members.function
    if tree and not list(members((), tree)):
        raise CannotEditError("the file has the tables of several devices or ASICs")
    own = OwnTree(deepcopy(tree), members, _elsewhere(nos, file, members))
    own.change(_printed(effect.printed_before, members), _printed(effect.printed_after, members))
    if tree == own.tree and not own.elsewhere:
        raise CannotEditError("its lines state the changed values in another form")
    return own.tree


def _load(form: TreeForm, text: str) -> Any:
    file = SourceFile.of("", text)
    if form is TreeForm.JSON:
        return load_json(file).data
    documents = load_yaml(file)
    if len(documents) != 1:
        raise CannotEditError("the file has more than one document")
    return documents[0].data


def is_config(nos: Nos, ref: FileRef) -> bool:
    """Whether a file is a configuration, and not a state of the device."""
    source = nos.by_source.get(ref.source)
    return source is None or source.plane is not Plane.STATE


def _elsewhere(nos: Nos, file: ConfigFile, members: Members) -> set[Keys]:
    """Paths of the print in other files of the device; also () unless this is the first file."""
    found = set[Keys]()
    for _, number, keys in file.device.src.trees():
        other = file.device.src.files[number]
        if other is not file.ref and is_config(nos, other):
            found |= {()} if other.first < file.ref.first else set()
            paths: set[Keys] = {()}
            for key in keys:
                paths = {p + step for p in paths for _, step in members(p, {str(key): None})}
                found |= paths
    return found


def _printed(files: RenderedFiles, members: Members) -> dict[Keys, Data]:
    text = next(iter(files.files.values()), "{}")
    return leaves(_load(form_of(text), text), members)


def leaves(tree: Data, members: Members) -> dict[Keys, Data]:
    """The values of a tree by the paths that they stand for; an empty object is one, too."""
    found: dict[Keys, Data] = {}
    waiting: list[tuple[Keys, Any]] = [((), tree)]
    while waiting:
        path, node = waiting.pop()
        if _is_branch(node):
            waiting += reversed([(path + step, node[key]) for key, step in members(path, node)])
        elif path:
            found[path] = node
    return found


def _is_branch(node: Any) -> bool:
    if isinstance(node, list):
        return any(isinstance(item, dict) for item in node)
    return isinstance(node, dict) and bool(node)


# The own tree.

_GONE = object()
_REFERENCE = re.compile(r"(\[[A-Z0-9_]+\|)[^\]]+\]")
_NUMBERED = re.compile(r"(.*?)(\d+)")


class OwnTree:
    """The tree of a device's file, changed to what a print has."""

    def __init__(self, tree: Any, members: Members, elsewhere: Collection[Keys] = ()):
        self.tree = tree
        self.elsewhere = elsewhere
        self._members = members
        self._has_numbers = any(type(value) is int for value in leaves(tree, members).values())
        self._after: Mapping[Keys, Data] = {}
        self._known: set[Keys] = set()

    def change(self, before: Mapping[Keys, Data], after: Mapping[Keys, Data]) -> None:
        """Apply the difference of two prints.

        Raises:
            CannotEditError: a change has no place in the file.
        """
        kept = {path[:n] for path in after for n in range(len(path) + 1)}
        self._after = after
        self._known = kept | {path[:n] for path in before for n in range(len(path) + 1)}
        for path, value in after.items():
            if before.get(path, _GONE) != value:
                self._put(path, value)
        changed = {path: old for path, old in before.items() if after.get(path) != old}
        named = {old for old in changed.values() if isinstance(old, str)}
        for path in changed:  # an object that nothing names any more may stay
            if path not in kept and (path[:2] in kept or not named.intersection(path[1:2])):
                self._remove(path, kept)

    def find(self, path: Keys) -> list[Keys]:
        """Places in the file of a path of the print, in their order."""
        return list(self._find(self.tree, (), path, ()))

    def _find(self, node: Any, done: Keys, rest: Keys, place: Keys) -> Iterator[Keys]:
        inside = list(self._members(done, node)) if _is_branch(node) else []
        if not rest and all(step for _, step in inside):
            yield place
        for key, step in inside if rest or not all(step for _, step in inside) else ():
            if rest[: len(step)] == step:
                yield from self._find(node[key], done + step, rest[len(step) :], (*place, key))

    def _at(self, place: Keys) -> Any:
        node: Any = self.tree
        for key in place:
            node = node[key]
        return node

    def _shared(self, place: Keys, path: Keys) -> tuple[int, Keys, Keys, list[Keys]] | None:
        """The key in a place that also stands for a port or number with another value in the end:
        its index, the path of the print above it, its step of the path, and the other steps.
        """
        node, done = self.tree, Keys()
        for index, key in enumerate(place):
            steps = [s for other, s in self._members(done, node) if other == key]
            mine = next(s for s in steps if path[len(done) :][: len(s)] == s)
            others = [step for step in steps if step != mine]
            rest = path[len(done) + len(mine) :]
            for step in others:
                value = self._after.get((*done, *step, *rest), _GONE)
                known = (*done, *step) in self._known
                if known and value != self._after.get(path, _GONE):
                    return index, done, mine, others
            node, done = node[key], done + mine
        return None

    def _split(self, place: Keys, shared: tuple[int, Keys, Keys, list[Keys]]) -> None:
        """Give one port or number of a shared key its own key, with the same content."""
        index, done, mine, others = shared
        above, key = self._at(place[:index]), str(place[index])
        joined = self._name(done, key, others)
        names = [joined] if joined else [self._name(done, key, [step]) for step in others]
        names.append(self._name(done, key, [mine]))
        if not all(names):
            raise _no_place((*done, *mine))
        order: dict[Any, Any] = {}
        for old, value in above.items():
            for name in names if old == key else [old]:
                order[name] = deepcopy(value)
        for name in order.keys() & above.keys() - {key}:
            order[name] = _merged(above[name], order[name])
        above.clear()
        above.update(order)

    def _name(self, done: Keys, key: str, steps: list[Keys]) -> str:
        """A key that stands for exactly these, in the form of another; empty if none does."""
        names = [str(step[-1]) for step in steps]
        head = key.partition("|")[0] + "|" if len(steps[0]) > 1 else ""
        parts = [part for name in names if (part := _NUMBERED.fullmatch(name))]
        made = [",".join(names)]
        if len(parts) == len(names) and len({part[1] for part in parts}) == 1:
            made.insert(0, parts[0][1] + ranges([whole_of(part[2]) for part in parts]))
        for name in made:
            if {step for _, step in self._members(done, {head + name: {}})} == set(steps):
                return head + name
        return ""

    def _put(self, path: Keys, value: Any) -> None:
        shared: tuple[Keys, tuple[int, Keys, Keys, list[Keys]]] | None = None
        for count in range(len(path), -1, -1):
            places = self.find(path[:count])[-1 if count == len(path) else 0 :]
            if path[:count] in self.elsewhere and not (places and count):
                return
            for place in reversed(places):
                found = self._shared(place, path)
                if found is None and (shared is None or count > len(shared[1][1])):
                    self._set(place, path[count:], value)
                    return
                shared = shared or (place, found) if found is not None else shared
            if shared is not None and (count == len(path) or count <= len(shared[1][1])):
                self._split(*shared)
                self._put(path, value)
                return
        raise _no_place(path)

    def _set(self, place: Keys, rest: Keys, value: Any) -> None:
        """Set the value at a place, or below it."""
        key: Any = place[-1] if place else 0
        above = self._at(place[:-1]) if place else {0: self.tree}
        old = above[key]
        if rest and (old is None or isinstance(old, str)):  # the one member of a set, as a value
            above[key] = old = {} if old is None else {old: {}}
        if rest and isinstance(old, dict):
            flat = not place and any(len(step) > 1 for _, step in self._members((), old))
            rest = (f"{rest[0]}|{rest[1]}", *rest[2:]) if flat else rest
            if self._has_numbers and isinstance(value, str) and value.isdecimal():
                value = whole_of(value)
            for name in reversed(rest[1:]):
                value = {name: value}
            _insert(old, rest[0], value)
        elif rest:
            raise _no_place(rest)
        elif value not in ({}, old):
            if not isinstance(value, str):
                above[key] = value
            elif isinstance(old, dict):
                above[key] = {value: {}}
            elif type(old) is int and value.isdecimal():
                above[key] = whole_of(value)
            else:
                reference = _REFERENCE.fullmatch(str(old))
                above[key] = f"{reference[1]}{value}]" if reference else value

    def _remove(self, path: Keys, kept: set[Keys]) -> None:
        places = self.find(path) or [p for p in self.find(path[:-1]) if self._at(p) == path[-1]]
        for place in places:
            shared = self._shared(place, path)
            if shared is not None:
                self._split(place, shared)
                self._remove(path, kept)
                return
            for count in range(len(place), 0, -1):  # with what is empty then
                above = self._at(place[: count - 1])
                del above[place[count - 1]]
                if above or path[: len(path) - len(place) + count - 1] in kept:
                    break


def _no_place(path: Keys) -> CannotEditError:
    return CannotEditError(f"{' '.join(map(str, path))} has no place in the file")


def _merged(one: Any, other: Any) -> Any:
    """A tree with what another one adds to it."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one
    return other | {k: _merged(v, other[k]) if k in other else v for k, v in one.items()}


def _insert(members: dict[Any, Any], key: Any, value: Any) -> None:
    """Add a member in the order of its siblings, if they have one; else at the end."""
    names, after = list(members), len(members)
    for order in (str, natural_order):
        ranks: list[Any] = [order(str(name)) for name in names]
        if len(names) > 1 and sorted(ranks) == ranks:
            after = sum(rank < order(str(key)) for rank in ranks)
            break
    tail = {name: members.pop(name) for name in names[after:]}
    members[key] = value
    members.update(tail)


# Changes of a text.


class _Item(NamedTuple):
    """A member: its key, the offsets of key and value and behind it, and behind its lines."""

    key: Any
    begin: int
    value: int
    end: int
    behind: int
    node: Any  # the value, as `_write` takes it


class Writer:
    """Edits of a text of JSON or YAML, member by member."""

    def __init__(self, text: str, form: TreeForm):
        self.text = text
        self.tree = _load(form, text)
        self._edits: list[tuple[int, int, str]] = []  # offsets, and the text in place of theirs
        self._form = form
        self._yaml = form is TreeForm.YAML
        if self._yaml:
            self._root: Any = load_yaml_nodes(SourceFile.of("", text))[0].root
        else:
            self._root = json_text.document_start(text)
            inside = text[self._root :].partition("\n")[2]
            self._unit = inside[: len(inside) - len(inside.lstrip())] or " "

    def splices(self, new: Any) -> list[Splice]:
        """Edits that make another tree of the text.

        Raises:
            CannotEditError: a change is in a line of several members.
        """
        if new != self.tree:
            self._write(self._root, self.tree, new)
        made = _splices(self.text, self._edits)
        if _load(self._form, splice(self.text, made)) != new:
            raise CannotEditError("the change cannot be made in the text line by line")
        return made

    def _write(self, node: Any, old: Any, new: Any) -> None:
        if isinstance(old, list):
            old, new = dict(enumerate(old)), dict(enumerate(new))
        items = self._items(node)
        names = list(self._names(items, old, new))
        order = _placed(names, new)
        begins = [*([] if self._yaml else [node]), *(item.begin for item in items)]
        if order != names and not all("\n" in self.text[a:b] for a, b in pairwise(begins)):
            self._rewrite(items, old, new)
            return
        behind: dict[Any, int] = {}
        final = max((number for number, name in enumerate(names) if name in new), default=-1)
        for number, (item, name) in enumerate(zip(items, names, strict=True)):
            behind[name] = item.behind
            if name not in new:
                self._edit(self._line(item.begin), item.behind, "")
                continue
            if name != item.key:
                colon = self.text.rindex(":", item.begin, item.value)
                self._edit(item.begin, colon, yaml_key(name) if self._yaml else json.dumps(name))
            elif old[name] != new[name]:
                if _is_branch(old[name]) and _is_branch(new[name]):
                    self._write(item.node, old[name], new[name])
                else:
                    self._replace(item, old[name], new[name])
            last = number == len(items) - 1
            if not self._yaml and last != (number == final and name == order[-1]):
                at = item.end if last else self.text.index(",", item.end)
                self._edit(at, at + (not last), "," if last else "")
        at = self._line(node.offset) if self._yaml else self.text.index("\n", node) + 1
        inside = [self.text[item.value : item.end] for item in items]
        inline = any(text[:1] == "{" for text in inside) and "\n" not in "".join(inside)
        for name in order:
            if name not in behind:
                made = self._lines(name, new[name], self._margin(items[0].begin), inline=inline)
                comma = "" if self._yaml or name == order[-1] else ","
                self._edit(at, at, f"{made}{comma}\n")
            at = behind.get(name, at)

    def _names(self, items: list[_Item], old: Any, new: Any) -> Iterator[Any]:
        """The new keys of members; one that comes again is removed where the first is right."""
        renamed, seen = _renamed(old, new), dict[Any, str]()
        for item in items:
            wanted = json.dumps(new.get(item.key))
            is_again = seen.get(item.key) == wanted != json.dumps(old[item.key])
            yield _GONE if is_again else renamed.get(item.key, item.key)
            seen[item.key] = self.text[item.value : item.end]

    def _items(self, node: Any) -> list[_Item]:
        if not self._yaml:
            found = []
            for key, begin, value, end in json_scan.members(self.text, node):
                comma = _COMMA.match(self.text, end)
                behind = self.text.index("\n", comma.end() if comma else end) + 1
                found.append(_Item(key, begin, value, end, behind, value))
            return found
        pairs: Any = node.data.items() if isinstance(node.data, dict) else ()
        if isinstance(node.data, list):
            pairs = enumerate((child.offset, child) for child in node.data)
        return [
            _Item(key, begin, child.offset, begin, self._behind(begin), child)
            for key, (begin, child) in pairs
        ]

    def _behind(self, begin: int) -> int:
        """The offset behind the lines of a key of YAML and all below it."""
        column = begin - self._line(begin)
        end = at = self.text.index("\n", begin) + 1
        while at < len(self.text):
            after = self.text.index("\n", at) + 1
            body = self.text[at:after].lstrip(" ")
            depth = after - at - len(body)
            if body.strip() and not body.startswith("#"):
                if depth < column or (depth == column and not body.startswith("- ")):
                    break
                end = after
            at = after
        return end

    def _replace(self, item: _Item, old: Any, new: Any) -> None:
        at, quote = item.value, self.text[item.value : item.value + 1]
        margin = self._margin(item.begin)
        if not self._yaml:
            made = self._dump(new, margin, inline=False)
            if made != self.text[at : item.end]:
                self._edit(at, item.end, made)
        elif not isinstance(old, str) or not isinstance(new, str):
            made = self._lines(item.key, new, margin, inline=False)
            self._edit(self._line(item.begin), item.behind, f"{made}\n")
        elif quote in ("'", '"') and quote not in new and "\\" not in new:
            self._edit(at, self.text.index(quote, at + 1) + 1, f"{quote}{new}{quote}")
        else:
            self._edit(at, at + len(old), yaml_scalar(new))

    def _rewrite(self, items: list[_Item], old: Any, new: Any) -> None:
        """State members of JSON that share a line."""
        begin, end = items[0].begin, items[-1].end
        if self._yaml or "\n" in self.text[begin:end]:
            raise CannotEditError("several members share a line")
        same = {i.key: self.text[i.begin : i.end] for i in items if old[i.key] == new.get(i.key)}
        made = (same.get(k) or self._lines(k, value, "", inline=True) for k, value in new.items())
        self._edit(begin, end, ", ".join(made))

    def _lines(self, name: Any, value: Any, margin: str, *, inline: bool) -> str:
        if self._yaml:
            return "\n".join(yaml_lines({name: value}, margin))
        return f"{margin}{json.dumps(name)}: {self._dump(value, margin, inline=inline)}"

    def _dump(self, value: Any, margin: str, *, inline: bool) -> str:
        indent = None if inline or not value else self._unit
        return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", f"\n{margin}")

    def _margin(self, at: int) -> str:
        """The blanks before an offset, from the beginning of its line."""
        line = self.text[self._line(at) : at]
        return line[: len(line) - len(line.lstrip())]

    def _line(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _edit(self, begin: int, end: int, text: str) -> None:
        self._edits.append((begin, end, text))


_COMMA = re.compile(r"\s*,")


def _renamed(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> dict[Any, Any]:
    """Keys of members that only get another key."""
    free = [key for key in new if key not in old]
    found = {}
    for key in old:
        same = next((k for k in free if key not in new and new[k] == old[key]), None)
        if same is not None:
            found[key] = same
            free.remove(same)
    return found


def _placed(names: list[Any], new: Mapping[Any, Any]) -> list[Any]:
    """The keys of the changed members as they will follow each other: each new one behind the one
    before it.
    """
    order, before, held = [name for name in names if name in new], None, set(names)
    for key in new:
        if key not in held:
            order.insert(order.index(before) + 1 if before is not None else 0, key)
        before = key
    return order


def _splices(text: str, edits: Iterable[tuple[int, int, str]]) -> list[Splice]:
    """Edits of whole lines; edits of one place follow each other as they were made."""
    changed = text
    for begin, end, made in sorted(edits, key=lambda edit: edit[:2])[::-1]:
        changed = changed[:begin] + made + changed[end:]
    own, new = (each.replace("\r\n", "\n").split("\n") for each in (text, changed))
    return [
        Splice(first + 1, behind - first, tuple(new[begin:end]))
        for tag, first, behind, begin, end in SequenceMatcher(None, own, new).get_opcodes()
        if tag != "equal"
    ]
