"""Statements of files and prints as words, and the statements of a device's own files that state
what a print states, whatever the blanks, names and spellings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any

from roce_lint.fix.files import ConfigFile
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.qos import PortQos
from roce_lint.model.schema import REFERENCES
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import ranges
from roce_lint.nos.base import Nos
from roce_lint.remedy.effect import Effect, line_at
from roce_lint.text.numbers import whole_of
from roce_lint.text.outline import Statement, outline
from roce_lint.text.source import SourceMap

Words = tuple[str, ...]
Chain = tuple[Words, ...]
"""The words of a statement below those of its headers; in `set` lines and braces all are one."""


@dataclass(slots=True, eq=False)
class Node:
    """A statement of a file or a print; `keys` are its words, once for each value of a list."""

    text: str
    line: int = 0
    last: int = 0
    indent: str = ""
    file: str = ""
    parent: Node | None = None
    keys: tuple[Words, ...] = ((),)
    children: list[Node] = field(default_factory=list)
    by: dict[Words, list[Node]] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """The words, with the first value of a list."""
        return self.keys[0]

    @property
    def opens(self) -> bool:
        """Whether a brace or bracket opens its block."""
        return self.text.endswith(("{", "["))

    def above(self) -> Iterator[Node]:
        """Its headers, the nearest first, and the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def below(self) -> Iterator[Node]:
        """All statements of its block."""
        for child in self.children:
            yield child
            yield from child.below()

    def lines(self, indent: str, unit: str) -> Iterator[str]:
        """The statement with its block, in the indent of another place."""
        yield indent + self.text
        for child in self.children:
            yield from child.lines(indent + unit, unit)
        if self.text.endswith("{"):
            yield f"{indent}}}"


class Grammar:
    """Statements of one system: by indentation, or as complete paths of words (`flat`)."""

    def __init__(self, nos: Nos):
        put = nos.typed.put if nos.typed is not None else ""
        self.put = tuple(put.rstrip("/ ").split())
        self.flat = bool(self.put)
        self.ports: Any = nos.ports.function if nos.ports is not None else None

    def tree(self, statements: Sequence[Statement], file: str = "") -> Node:
        """The statements of a text below a root."""
        root = Node("", file=file)
        open_ = [root]
        for each in statements:
            del open_[len(each.above) + 1 :]
            above = open_[-1]
            keys = tuple(self._keys(each.text, above))
            node = Node(each.text, each.line, each.last, each.indent, file, above, keys)
            above.children.append(node)
            open_.append(node)
            for key in keys:
                (root if self.flat else above).by.setdefault(key, []).append(node)
        return root

    def put_of(self, node: Node) -> Words:
        """The first words of a `set` line; none in braces."""
        words = tuple(node.text.split())
        size = len(self.put)
        if words[:size] != self.put:
            return ()
        return words[: size + 1] if words[size : size + 1] == ("/",) else self.put

    def _keys(self, text: str, above: Node) -> Iterator[Words]:
        first = () if not self.flat else above.words
        if self.flat:
            text = text.rstrip("{[;").rstrip()
        if self.flat and not above.text:
            text = re.sub(rf"^{' '.join(self.put)} (/ ?)?", "", text)
        words = tuple(text.replace('"', "").split())
        if not self.flat and words[:1] == ("interface",) and self.ports is not None:
            names = self.ports.expand(" ".join(words[1:]).removeprefix("range ")).names
            yield from (("interface", name) for name in names[:LISTED])
            if names:
                return
        listed = values_of(text)
        if listed is None:
            yield (*first, *words)
            return
        head, tail = tuple(listed.head.split()), tuple(listed.tail.split())
        yield from ((*first, *head, value.strip('"'), *tail) for value in listed.values)


def chains_of(root: Node) -> dict[Chain, Node]:
    """The statements of a print by their chains."""
    found: dict[Chain, Node] = {}

    def walk(node: Node, above: Chain) -> None:
        for child in node.children:
            found.update(((*above, key), child) for key in child.keys)
            walk(child, (*above, child.words))

    walk(root, ())
    return found


# Lists of values.

LISTED = 64
"""Values of a list that are edited one by one."""

_NUMBERS = re.compile(r"(swp|bond|eth|)(\d+(?:[-,]\w+)+)")
_PAIRED = {"fill-level", "drop-probability"}
"""Statements whose lists are points of a curve, and not sets."""


@dataclass(slots=True, frozen=True)
class Listed:
    """The list in a statement: in brackets, or numbers with commas or blanks behind a name."""

    head: str
    values: list[str]
    tail: str
    mark: str  # "[", "," or "-" (with ranges), or a blank
    name: str = ""

    def text(self, kept: Sequence[str]) -> str:
        """The statement with other values in its list."""
        joined = " ".join(kept)
        if self.mark == "[" and len(kept) > 1:
            joined = f"[ {joined} ]"
        elif self.mark in ",-":
            numbers = sorted(whole_of(value.removeprefix(self.name)) for value in kept)
            joined = ranges(numbers) if self.mark == "-" else ",".join(map(str, numbers))
            joined = self.name + joined.replace(",", f",{self.name}")
        return self.head + joined + self.tail


def values_of(text: str) -> Listed | None:
    """The list of values in a statement."""
    head, bracket, rest = text.partition(" [ ")
    inside, end, tail = rest.rpartition(" ]")
    if bracket and end:
        paired = not _PAIRED.isdisjoint(head.split()[-1:])
        return None if paired else Listed(f"{head} ", inside.split(), tail, "[")
    words = list(re.finditer(r"\S+", text))
    for n, word in enumerate(words):
        found = _NUMBERS.fullmatch(word[0])
        values = _numbers(*found.groups()) if found is not None else []
        if found is not None and values:
            mark = "-" if "-" in word[0] else ","
            return Listed(text[: word.start()], values, text[word.end() :], mark, found[1])
        if word[0] == "dscp":
            numbers = list(takewhile(lambda each: each[0].isdecimal(), words[n + 1 :]))
            if len(numbers) > 1:
                first, last = numbers[0].start(), numbers[-1].end()
                return Listed(text[:first], [each[0] for each in numbers], text[last:], " ")
    return None


def _numbers(name: str, text: str) -> list[str]:
    """The members of a list of numbers, each with the name; empty if it is none, or too long."""
    found: list[str] = []
    for part in text.split(","):
        first, dash, last = part.removeprefix(name).partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            return []
        numbers = range(whole_of(first), whole_of(last or first) + 1)
        if len(found) + len(numbers) > LISTED:
            return []
        found += [f"{name}{number}" for number in numbers]
    return found


# Words.


def common(one: Words, other: Words) -> int:
    """The number of words with which both begin."""
    return sum(1 for _ in takewhile(lambda p: p[0] == p[1], zip(one, other, strict=False)))


def holds(words: Words, wanted: Words) -> bool:
    """Whether a statement of several settings has a printed one (`class A queue-num 4 no-loss`)."""
    for size in (2,) if wanted[-1].isdecimal() else (2, 1):
        head, end = wanted[:-size], wanted[-size:]
        if len(head) < 3 or len(words) <= len(wanted) or words[: len(head)] != head:
            continue
        if any(words[n : n + size] == end for n in range(len(head), len(words))):
            return True
    return False


def substitute(node: Node, old: Words, new: Words) -> str | None:
    """The text of a statement with new words where they differ from the old ones."""
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    out, into = old[head : len(old) - tail], new[head : len(new) - tail]
    tokens = list(re.finditer(r'[^\s;"]+', node.text))
    texts = tuple(token[0] for token in tokens)
    places: list[int] = []
    for more in range(head + 1):  # with words before them, where they stand twice
        seen = old[head - more : len(old) - tail]
        begins = [n for n in range(len(texts)) if texts[n : n + len(seen)] == seen]
        places = [n + more for n in begins] if out else []
        if len(places) <= 1:
            break
    if len(places) != 1 and node.words == old and len(tokens) >= len(old) - head:
        places = [len(tokens) - len(old) + head]
    if len(places) != 1 or (not out and node.words != old):
        return None
    first = places[0]
    begin = tokens[first].start() if first < len(tokens) else len(node.text.rstrip("; "))
    end = tokens[first + len(out) - 1].end() if out else begin
    middle = " ".join(into)
    if not out and middle:
        middle = f"{middle} " if first < len(tokens) else f" {middle}"
    return node.text[:begin] + middle + node.text[end:]


# Printed statements in the files of a device.


class Stated:
    """The statements of two prints of a device, and those of its files with the same meaning."""

    def __init__(self, nos: Nos, files: Sequence[ConfigFile], effect: Effect):
        self.grammar = Grammar(nos)
        self.flat = self.grammar.flat
        self.device, self.after = effect.before, effect.after
        self.texts = {file.name: file.text.split("\n") for file in files}
        self.roots = [self.grammar.tree(file.statements, file.name) for file in files]
        self.nodes = [node for root in self.roots for node in root.below()]
        self.at = {(node.file, node.line): node for node in self.nodes}
        first, second = (
            chains_of(self.grammar.tree(outline(printed.lines)))
            for printed in (effect.printed_before, effect.printed_after)
        )
        self.first, self.second = first, second
        self.changes = differences(self.device, self.after, stated=True)
        self.changed = self.nodes_at((c.a_where.src, c.a_where.position) for c in self.changes)
        self.read: set[Node] = set()
        self.about: dict[str, list[Node]] = {}
        self.renamed: dict[str, str] = {}
        self.held: dict[Chain, list[Node]] = {}
        self.claims: dict[Node, list[Chain]] = {}
        self._hold(self.exact)
        while self.flat and self._learn_names():
            self._hold(self.exact)
        self._hold(self._other)
        new = [c for c in self.second if c not in self.first and self.second[c].children]
        names = Counter(chain[-1][-1] for chain in new)
        for chain in () if self.flat else new:
            if names[chain[-1][-1]] > 1 and chain[:-1] in {(), *self.held}:  # defined and used
                self._block_like(chain)

    def _hold(self, find: Callable[[Chain], Iterable[Node]]) -> None:
        """Find the statements of the files for printed ones that have none yet."""
        for chain in self.first:
            if not self.held.get(chain):
                self.held[chain] = list(dict.fromkeys(find(chain)))
                for node in self.held[chain]:
                    self.claims.setdefault(node, []).append(chain)

    def exact(self, chain: Chain) -> list[Node]:
        """The statements below the same headers with the same words."""
        above = self.held.get(chain[:-1], []) if chain[:-1] else self.roots
        words = self.own(chain[-1])
        return [node for each in above for node in each.by.get(words, ())]

    def _other(self, chain: Chain) -> Iterable[Node]:
        """The statements with the same meaning in other words, or below other headers."""
        return (
            self.exact(chain)
            or (self._block_like(chain) if self.first[chain].children else [])
            or [n for n in self._near(chain) if any(self._same(key, chain[-1]) for key in n.keys)]
            or [n for n in self.nodes if self.flat and holds(n.words, chain[-1])]
        )

    def _same(self, own: Words, words: Words) -> bool:
        """Whether a statement has the words of a printed one, or patterns for them."""
        if not self.flat or len(own) != len(words):
            return own == words
        return all(fnmatchcase(word, part) for word, part in zip(words, own, strict=True))

    def _block_like(self, chain: Chain) -> list[Node]:
        """The block of a header with another name that no other printed one has, by its content."""
        printed = self.first.get(chain) or self.second[chain]
        above = self.held[chain[:-1]] if chain[:-1] else self.roots
        rated = [
            (sum(child.words in block.by for child in printed.children), block)
            for each in above
            for block in each.children
            if block.words[:-1] == printed.words[:-1] and block not in self.claims
        ]
        best = max((score for score, _ in rated), default=0)
        found = [block for score, block in rated if score == best > 0]
        if len(found) != 1:
            return []
        self.renamed[printed.words[-1]] = found[0].words[-1]
        return found

    def _learn_names(self) -> bool:
        """Find the names that the files have where the print numbers things: complete paths that
        differ in one word.
        """
        used = {word for node in self.nodes for key in node.keys for word in key}
        used.update(self.device.interfaces)
        free: dict[Words, set[str]] = {}
        for key in (key for node in self.nodes if node not in self.claims for key in node.keys):
            for n, word in enumerate(key):
                if word[:1].isalpha():
                    free.setdefault((*key[:n], "", *key[n + 1 :]), set()).add(word)
        learned: dict[str, str] = {}
        for words in (self.own(chain[-1]) for chain, nodes in self.held.items() if not nodes):
            for n, word in enumerate(words):
                found = free.get((*words[:n], "", *words[n + 1 :]), ())
                if word not in used and len(found) == 1 and re.match(r"[A-Za-z].*\d", word):
                    learned.setdefault(word, *found)
        self.renamed |= learned
        return bool(learned)

    def own(self, words: Words) -> Words:
        """Printed words with the names that the files have for the same things."""
        return tuple(self.renamed.get(word, word) for word in words)

    def own_text(self, text: str) -> str:
        """A printed text with the names that the files have for the same things."""
        return re.sub(r"\S+", lambda word: self.renamed.get(word[0], word[0]), text)

    def _near(self, chain: Chain) -> list[Node]:
        """The statements about the port or object of a printed one, or about changed values."""
        words = chain[-1] if self.flat else chain[0]
        name = next((word for word in words if word in self.device.interfaces), "")
        items: list[Any] = [self.device.interfaces[name]] if name else []
        if not items and not self.flat and len(chain) > 1:
            name = words[-1]
            items = [
                item
                for collection in dict.fromkeys(REFERENCES.values())
                for key, item in getattr(self.device.qos, collection).items()
                if key.split(" ")[0] == name
            ]
        if not items:
            return self.changed
        if name not in self.about:
            places = (place for item in items for place in places_of(item, self.device))
            self.about[name] = self.nodes_at(places)
        return self.about[name]

    def similar(self, chain: Chain) -> list[Node]:
        """The statement of a changed value, or of the block, that is most like a printed one."""
        words = chain[-1]
        inside = [n for header in self.held.get(chain[:-1], ()) for n in header.children]
        rated = [
            (len(set(node.words) & set(words)) / len(set(words)), -n, node)
            for n, node in enumerate(self.changed + inside)
            if node.words[:1] == words[:1]
            and node not in self.claims
            and not (self.flat and _is_word(words[common(node.words, words) :]))
        ]
        return [max(rated)[2]] if rated and max(rated)[0] >= 0.5 else []

    def nodes_at(self, places: Iterable[tuple[SourceMap, int]]) -> list[Node]:
        """The statements of the files at positions."""
        lines = [line_at(src, position) for src, position in dict.fromkeys(places)]
        found = [self.at.get(line) for line in lines if line is not None]
        return list(dict.fromkeys(node for node in found if node is not None))

    def headers(self, above: Chain) -> list[Node]:
        """The headers in the files for a printed chain of headers."""
        inner = (n.parent for c, held in self.held.items() if c[:-1] == above for n in held)
        beside = dict.fromkeys(parent for parent in inner if parent and parent.text)
        return self.held.get(above) or list(beside)


def _is_word(words: Words) -> bool:
    """Whether a word of the language is first, before others."""
    return len(words) > 1 and words[0][:1].isalpha()


def places_of(item: Any, device: Device) -> Iterator[tuple[SourceMap, int]]:
    """The places of an object and of all that it holds or refers to."""
    values: Iterable[Any] = ()
    if isinstance(item, Sourced):
        yield from ((item.src, place) for place in item.at.values())
    if isinstance(item, dict):
        values = item.values()
    elif isinstance(item, list | tuple):
        values = item
    elif isinstance(item, Sourced) or item is device.qos:
        refer = {
            name: getattr(device.qos, REFERENCES[name]).get(getattr(item, name))
            for name in (REFERENCES if isinstance(item, PortQos) else ())
        }
        values = (*(getattr(item, each.name) for each in fields(item)), *refer.values())
    for value in values:
        if isinstance(value, _HOLDING) or value is device.qos:
            yield from places_of(value, device)


_HOLDING = (Sourced, dict, list, tuple)
