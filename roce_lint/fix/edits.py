"""Line edits that put the difference of two prints of a device into the device's own files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roce_lint.fix.files import ConfigFile
from roce_lint.fix.statements import (
    Chain,
    Node,
    Stated,
    Words,
    common,
    places_of,
    substitute,
    values_of,
)
from roce_lint.fix.tree_edits import CannotEditError, is_config, is_tree, tree_edits
from roce_lint.model.schema import REFERENCES
from roce_lint.model.sourced import Sourced
from roce_lint.nos.base import Nos
from roce_lint.remedy.effect import Effect
from roce_lint.text.redaction import MASK
from roce_lint.text.source import Origin
from roce_lint.text.splice import Splice


def edits(nos: Nos, files: Sequence[ConfigFile], effect: Effect) -> dict[str, list[Splice]]:
    """Edits by file name that state in a device's own files what its second print adds or changes,
    and take out what it no longer has.

    Raises:
        CannotEditError: a statement shares its line with one that must stay, or has no place.
    """
    files = [each for each in files if is_config(nos, each.ref)]
    trees = [file for file in files if is_tree(file.text)]
    found = {file.name: tree_edits(nos, file, effect) for file in trees}
    lines = [file for file in files if file not in trees]
    if lines:
        found |= _Edits(nos, lines, effect).splices()
    if not any(found.values()):
        raise CannotEditError("no line of its system states the change")
    return {name: splices for name, splices in found.items() if splices}


class _Edits(Stated):
    """The edits of one device."""

    def __init__(self, nos: Nos, files: Sequence[ConfigFile], effect: Effect):
        super().__init__(nos, files, effect)
        self.replaced: dict[Node, list[str]] = {}
        self.deleted: set[Node] = set()
        self.inserts: dict[tuple[str, int], list[str]] = {}
        self.openers = {node.words: node for node in self.nodes if node.opens}
        self.sizes = _block_sizes(self.nodes) if self.openers else {}

    def splices(self) -> dict[str, list[Splice]]:
        """The edits by file name."""
        if not self.flat:
            self._rename_headers()
        removed = self._removed()
        added = _topmost([chain for chain in self.second if chain not in self.first])
        placed = self._take_out(removed, _pairs(removed, added, flat=self.flat))
        self._take_out_unprinted()
        self._put_in([chain for chain in added if chain not in placed])
        return self._collected()

    # Taking out.

    def _rename_headers(self) -> None:
        """Give headers that differ in their last word the words of the first print, and rename them
        in the files where they have these words.
        """
        gone = [c for c in self.first if c not in self.second and self.first[c].children]
        new = [c for c in self.second if c not in self.first and self.second[c].children]
        for old in _topmost(gone):
            like = (c for c in new if c[:-1] == old[:-1] and c[-1][:-1] == old[-1][:-1] != ())
            found = next(like, None) if self.held[old] else None
            if found is None:
                continue
            new.remove(found)
            for node in self.held[old]:
                if old[-1] in node.keys:
                    self.replaced[node] = [self.second[found].text]
                else:
                    self.renamed[found[-1][-1]] = node.words[-1]
            size = len(found)
            self.second = {
                (*old, *c[size:]) if c[:size] == found else c: n for c, n in self.second.items()
            }

    def _removed(self) -> list[Chain]:
        """The statements to take out: of objects that remain in use those inside alone, of objects
        that nothing uses any more none.
        """
        gone = [chain for chain in self.first if chain not in self.second]
        if self.flat:
            return gone
        kept, used = self._remaining()
        found: list[Chain] = []
        for chain in gone:
            nodes = self.held[chain]
            if any(chain[:n] in found for n in range(1, len(chain))) or kept & set(nodes):
                continue
            parents = {node.parent for node in nodes}
            if not kept & parents or used & parents:
                found.append(chain)
        return found

    def _remaining(self) -> tuple[set[Node | None], set[Node | None]]:
        """The headers of ports and named objects after the changes, and those of objects in use."""
        ports = [port.qos for port in self.after.interfaces.values() if port.qos is not None]
        kept: list[Sourced] = list(self.after.interfaces.values())
        used = list(kept)
        for reference, collection in REFERENCES.items():
            names = {getattr(qos, reference) for qos in ports}
            objects = getattr(self.after.qos, collection)
            kept += objects.values()
            used += [item for name, item in objects.items() if name in names]
        found = (self.nodes_at((i.src, i.at.get("", 0)) for i in items) for items in (kept, used))
        first, second = ({node for node in nodes if node.children} for nodes in found)
        return set(first), set(second)

    def _take_out(self, removed: Sequence[Chain], pairs: dict[Chain, Chain]) -> set[Chain]:
        """Replace or delete the statements of removed chains; return the added ones placed so."""
        touched: dict[Node, list[Chain]] = {}
        for chain in removed:
            for node in self.held[chain] or self.similar(chain):
                if not (self.flat and node.opens and node.children):
                    touched.setdefault(node, []).append(chain)
        placed: set[Chain] = set()
        for node, gone in touched.items():
            if MASK in node.text:
                raise CannotEditError(f"line {node.line} of {node.file} is masked")
            new = [pairs[chain] for chain in gone if chain in pairs]
            listed = values_of(node.text)
            is_one = self.flat and len(gone) == len(new) == 1  # of several settings of one thing
            if set(self.claims.get(node, ())) <= set(gone) or is_one:
                texts = self._replacements(node, [(c, pairs[c]) for c in gone if c in pairs], gone)
                placed.update(new)
                if not texts:
                    self.deleted.add(node)
                elif texts != [node.text]:
                    self.replaced[node] = texts
            elif listed is not None and len(node.keys) > 1:
                lost = {self.own(chain[-1]) for chain in gone}
                kept = zip(listed.values, node.keys, strict=True)
                self.replaced[node] = [listed.text([v for v, key in kept if key not in lost])]
            elif len(new) < len(gone):
                self._unbind(node, gone)
        return placed

    def _unbind(self, node: Node, gone: Sequence[Chain]) -> None:
        """Delete the lines that bind ports to a block of which they keep nothing."""
        block = node.parent or node
        inner = [chain for each in block.below() for chain in self.claims.get(each, ())]
        for above in {chain[:-1] for chain in gone}:
            left = [c for c in inner if c[:-1] == above and c in self.second]
            headers = self.headers(above) if above and not left else []
            binding = [n for h in headers for n in h.children if n.words[-1:] == block.words[-1:]]
            if not binding:
                where = f"line {node.line} of {node.file}"
                raise CannotEditError(f"{where} is about more than what is changed")
            self.deleted.update(binding)

    def _replacements(
        self, node: Node, pairs: Sequence[tuple[Chain, Chain]], gone: Sequence[Chain]
    ) -> list[str]:
        """The lines in place of a statement whose printed ones are all removed."""
        found: dict[str, None] = {}
        above = node.parent or self.roots[0]
        for old, new in pairs:
            if len(gone) == 1 or values_of(node.text) is None:
                text = substitute(node, self.own(old[-1]), self.own(new[-1]))
            else:  # a list: its printed line as a whole
                lines = (each.text.split() for each in (self.first[old], self.second[new]))
                text = substitute(node, *map(tuple, lines))
            there = [n for n in above.children if n.text == text] or above.by.get(new[-1], [])
            if node in there or not there:
                found[self.own_text(self.second[new].text) if text is None else text] = None
        return list(found)

    def _take_out_unprinted(self) -> None:
        """Delete the lines of values that are unset and that no print states."""
        for each in self.changes:
            old, new = each.a_where, each.b_where
            unset = each.b is None or (new.position and new.origin is not Origin.STATED)
            if each.wording or not unset or old.origin is not Origin.STATED:
                continue
            for node in self.nodes_at([(old.src, old.position)]):
                if not (node.children or node in self.claims or node in self.replaced):
                    self.deleted.add(node)

    # Putting in.

    def _put_in(self, added: Sequence[Chain]) -> None:
        """Insert the added statements, those of one printed line together."""
        lines: dict[Node, list[Chain]] = {}
        waiting = list(added)
        while waiting:
            chain = waiting.pop(0)
            there = [node for node in self.exact(chain) if node not in self.deleted]
            if there:  # a header without what it needs, or a line that states nothing yet
                self.held[chain] = there
                waiting[:0] = [c for c in self.second if c[:-1] == chain]
                self.deleted.update(n for node in there if self.flat for n in self._rivals(node))
            else:
                lines.setdefault(self.second[chain], []).append(chain)
        for printed, chains in lines.items():
            node, listed = printed, values_of(printed.text)
            if listed is not None and len(chains) < len(printed.keys):
                new = {chain[-1] for chain in chains}
                pairs = list(zip(listed.values, printed.keys, strict=True))
                rest = [(*chains[0][:-1], key) for _, key in pairs if key not in new]
                holders = {holder for other in rest for holder in self.held.get(other, ())}
                values = [value for value, key in pairs if key in new]
                claims = [claim for holder in holders for claim in self.claims.get(holder, ())]
                alike = all((*claim[:-1], chains[0][-1]) in self.second for claim in claims)
                if len(holders) == 1 and alike:
                    self._extend(holders.pop(), values, printed.text)
                    continue
                if alike:
                    node = Node(listed.text(values), parent=printed.parent, keys=tuple(new))
            if self.flat:
                self._insert_path(chains[0], node)
            else:
                self._insert_below(chains[0], node)

    def _rivals(self, node: Node) -> list[Node]:
        """Lines for the setting of an added statement, which has one in the print."""
        above = next(node.above())
        head = node.words[: len(above.words) + 1]
        once = [self.own(c[-1])[: len(head)] for c in self.second].count(head) == 1
        like = {*above.children} - {node, *self.claims} if once else ()
        return [n for n in like if n.words[: len(head)] == head and not n.children]

    def _extend(self, holder: Node, values: Sequence[str], whole: str) -> None:
        """Add values to a list in the files, or put a list in place of one value."""
        own = values_of(self.replaced.get(holder, [holder.text])[0])
        text = self.own_text(whole)
        if own is not None:
            text = own.text([*own.values, *(v for v in values if v not in own.values)])
        self.replaced[holder] = [text]

    def _list_like(self, words: Words) -> Node | None:
        """The statement with a list in brackets that an added path is one more value of."""
        for node in self.claims:
            if len(node.keys) > 1 and len(node.words) == len(words) and "[" in node.text:
                pairs = zip(node.keys[0], node.keys[1], words, strict=True)
                if all(word == one for one, other, word in pairs if one == other):
                    return node
        return None

    def _insert_below(self, chain: Chain, node: Node) -> None:
        """Insert a statement of an indented text: beside its neighbours, else below its header."""
        above = chain[:-1]
        headers = [h for h in self.headers(above) if len(h.keys) == 1] if above else self.roots
        same = [c for c in self.second if c[:-1] == above]
        place = same.index(chain)
        sides = [(c, 1) for c in same[:place][::-1]] + [(c, 0) for c in same[place + 1 :]]
        places = [
            (n, side)
            for c, side in sides
            for n in self.held.get(c, ())
            if n.parent in headers or (above and self._shared(n, chain, c))
        ]
        blocks = headers + [n.parent for n, _ in places[:1] if n.parent is not None]
        taken = self._unread(chain, [n for block in blocks for n in block.children])
        if taken is not None:
            self.replaced[taken] = [node.text]
        elif places:
            found, side = places[0]
            self._add(found, found.last + 1 if side else found.line, node, found.indent)
        elif headers and above:
            header = headers[-1]
            indent = header.children[0].indent if header.children else header.indent + self._unit()
            self._add(header, header.line + 1, node, indent)
        elif above:
            stanza = node
            for words in reversed(above):
                stanza = Node(" ".join(words), children=[stanza], keys=(words,))
            ranged = self.headers(above[:1])
            if ranged:
                self._add(ranged[-1], ranged[-1].last + 1, stanza, "")
            else:
                self._insert_below(above[:1], stanza)
        else:
            raise CannotEditError("nothing in its files shows a place for a new part")

    def _shared(self, found: Node, chain: Chain, sibling: Chain) -> bool:
        """Whether a statement of another block is a place for an added one: all that it states in
        the print get the same.
        """
        return all(
            claim[-1] == sibling[-1] and (*claim[:-1], chain[-1]) in self.second
            for claim in self.claims[found]
        )

    def _unread(self, chain: Chain, nodes: Iterable[Node]) -> Node | None:
        """The one statement like an added one but for a word that has no meaning for the reader: a
        value that was refused, or a wrong word.
        """
        words = self.own(chain[-1])
        like = [c for c in self.second if c[:-1] == chain[:-1] and c[-1][:-1] == chain[-1][:-1]]
        if not self.read:
            self.read.update(self.nodes_at(places_of(self.device, self.device)))
        found = set()
        for node in nodes:
            if len(node.words) != len(words) or node.words[:1] != words[:1] or node.children:
                continue
            differing = [n for n, word in enumerate(words) if node.words[n] != word]
            is_last = differing == [len(words) - 1]
            unread = node not in self.read and (is_last or not self.flat)
            if len(differing) == 1 and (unread or (is_last and len(like) == 1)):
                found.add(node)
        found -= {*self.claims, *self.replaced}
        return found.pop() if len(found) == 1 else None

    def _add(self, beside: Node, line: int, node: Node, indent: str) -> None:
        """Insert the lines of a statement before a line, divided as the one beside it is."""
        lines = [self.own_text(text) for text in node.lines(indent, self._unit())]
        mark = "".join(self.texts[beside.file][line - 1 : line]).rstrip()
        if (node.children or beside.children) and mark in (f"{indent}!", f"{indent}#"):
            line, lines = line + 1, [*lines, mark]
        key = beside.file, line
        self.inserts[key] = _merged(self.inserts.get(key, []), lines)

    def _insert_path(self, chain: Chain, node: Node) -> None:
        """Insert a complete path: into the deepest block that it begins with, or as a line."""
        words = self.own(chain[-1])
        taken = self._unread(chain, self.nodes)
        if taken is not None:
            self.replaced[taken] = [substitute(taken, taken.words, words) or taken.text]
            return
        listed = self._list_like(words)
        if listed is not None:
            index = next(n for n, word in enumerate(words) if word != listed.words[n])
            self._extend(listed, [words[index]], node.text)
            return
        raw = list(words) if "[" in node.text else node.text.split()
        above = [self.openers[words[:n]] for n in range(len(words)) if words[:n] in self.openers]
        block = above[-1] if above else self.roots[0]
        stated = [n for n in self.claims if self.grammar.put_of(n)] if not above else []
        inside = stated or [n for n in block.children if n in self.claims]
        beside = max(inside, key=lambda n: (common(words, n.words), -n.line), default=None)
        if beside is not None and stated:
            own = (*self.grammar.put_of(beside), *raw[len(raw) - len(words) :])
            self._add(beside, beside.line + 1, Node(" ".join(own)), beside.indent)
            return
        last = beside or ([None, *block.children])[-1]
        indent = last.indent if last is not None else block.indent + self._unit()
        line = last.last + 1 if last is not None else block.line + 1
        end = ";" if any(n.text.endswith(";") for n in self.nodes) else ""
        rest = raw[len(raw) - len(words) + len(block.words) :]
        self._add(block, line, self._nested(block.words, tuple(rest), end), indent)

    def _nested(self, above: Words, words: Words, end: str) -> Node:
        """A new path in braces, as deep as the files show blocks at such a place."""
        sizes = self.sizes
        keys = [(known, len(above), w) for w in (words[0], "") for known in (above[:2], above[:1])]
        size = next((sizes[key] for key in keys if key in sizes), 0)
        if not 0 < size < len(words):
            return Node(" ".join(words) + end)
        inner = self._nested(above + words[:size], words[size:], end)
        return Node(" ".join((*words[:size], "{")), children=[inner], keys=(words,))

    def _unit(self) -> str:
        """The step of indentation in the files."""
        steps = (n.children[0].indent for root in self.roots for n in root.children if n.children)
        return next(steps, "    " if self.flat else " ")

    # The result.

    def _collected(self) -> dict[str, list[Splice]]:
        """The splices of all files."""
        gone = [node for node in self.deleted if self.deleted.isdisjoint(node.above())]
        lost = {(n.file, line) for n in gone for line in range(n.line + 1, n.last + 1)}
        found: dict[str, list[Splice]] = {name: [] for name in self.texts}
        for node in gone:
            found[node.file].append(Splice(node.line, node.last - node.line + 1, ()))
        for node, texts in self.replaced.items():
            line = self.texts[node.file][node.line - 1].rstrip("\r")
            blanks = line[len(line.rstrip()) :]
            if node not in self.deleted and (node.file, node.line) not in lost:
                lines = tuple(node.indent + text + blanks for text in texts)
                found[node.file].append(Splice(node.line, 1, lines))
        for (name, at), new in self.inserts.items():
            if (name, at) not in lost:
                found[name].append(Splice(at, 0, tuple(new)))
        return {name: sorted(each) for name, each in found.items()}


def _merged(known: list[str], lines: list[str]) -> list[str]:
    """New lines behind others; a block in braces that is there gets what is inside."""
    if lines[0] not in known:
        return known + lines
    close = lines[0][: len(lines[0]) - len(lines[0].lstrip())] + "}"
    if lines[-1] != close:
        return known if len(lines) == 1 else known + lines
    first = known.index(lines[0]) + 1
    last = known.index(close, first)
    return known[:first] + _merged(known[first:last], lines[1:-1]) + known[last:]


def _block_sizes(nodes: Iterable[Node]) -> dict[tuple[Words, int, str], int]:
    """The words of headers in braces, by the beginning of the path and its length, and by the first
    word; with an empty one: 1 if all are names. 0 for a statement without a block.
    """
    found: dict[tuple[Words, int, str], int] = {}
    for node in nodes:
        own, above = node.text.split(), next(node.above()).words
        size = len(own) - 1 if node.opens else 0
        for known in (above[:1], above[:2]):
            found[known, len(above), own[0]] = size
            named = found.setdefault((known, len(above), ""), size)
            found[known, len(above), ""] = 1 if size == named == 1 else 0
    return found


def _topmost(chains: Sequence[Chain]) -> list[Chain]:
    """Chains without those whose header is among them."""
    known = set(chains)
    return [c for c in chains if not any(c[:n] in known for n in range(1, len(c)))]


def _pairs(removed: Sequence[Chain], added: Sequence[Chain], *, flat: bool) -> dict[Chain, Chain]:
    """For removed statements the added ones in their place: same headers and the same beginning."""
    found: dict[Chain, Chain] = {}
    rated = []
    for old in removed:
        for new in (new for new in added if new[:-1] == old[:-1]):
            size, length = common(old[-1], new[-1]), len(old[-1])
            if size >= length - 1 and length == len(new[-1]) if flat else size:
                rated.append((size, len(set(old[-1]) & set(new[-1])), old, new))
    for *_, old, new in sorted(rated, key=lambda pair: pair[:2], reverse=True):
        if old not in found and new not in found.values():
            found[old] = new
    return found
