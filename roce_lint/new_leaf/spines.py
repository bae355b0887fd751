"""Changes of a spine for a new leaf: its lines for a sister, repeated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from roce_lint.new_leaf.choices import Choices, LeafRequest
from roce_lint.new_leaf.substitution import Aligned, Key, Moved, Series, Words, mentioned, shape_of
from roce_lint.new_leaf.texts import Text
from roce_lint.text.numbers import whole_of
from roce_lint.text.outline import Statement, outline
from roce_lint.text.splice import Splice

ANONYMOUS = frozenset({"{", "-", "["})
"""Entries of lists, which have no name."""

_KEY = re.compile(r"(\"[^\"]+\"|[^\s:]+):(?:\s|$)")


@dataclass(slots=True)
class Marks:
    """Ports and addresses that mark the lines of a spine for one leaf, besides its name."""

    words: list[str]
    moved: Moved


@dataclass(slots=True)
class Block:
    """A statement with everything below it, about one leaf."""

    statement: Statement
    above: Key
    order: int  # index among the blocks of the leaf with its shape

    @property
    def kind(self) -> tuple[Key, str, int]:
        """Key shared by the blocks of other leaves with the same purpose."""
        return (self.above, shape_of(self.statement.text)[0], self.order)


class Addition:
    """Changes of one file of a spine for a new leaf; `marks` are those of all of its series."""

    def __init__(self, text: Text, wish: LeafRequest, marks: Mapping[str, Marks], made: Choices):
        self.text, self.made, self.sister = text, made, wish.like
        key = (wish.name, text.device.hostname)
        self.links = [link for link in made.links if (link.a[0], link.b[0]) == key]
        self.series: Series | None = made.series[wish.like]
        self.marks = marks
        self.splices: list[Splice] = []  # stanzas of ports that were free
        self.behind: dict[int, list[str]] = {}  # new lines by the line that they follow
        self.keys = {each.line: above for each, above in text.keyed()}
        self.about = {each.line: self._leaves_of(each) for each in text.statements}
        self.blocks = {name: list(self._blocks_of(name)) for name in marks}
        self.words = Words(
            names=made.words.names,
            ports=made.words.near.get(text.device.hostname, {}),
            moved=made.words.moved,
        )
        lines = {name: list(self._lines_of(own)) for name, own in self.blocks.items()}
        self.aligned = Aligned(lines)
        self.order: Counter[tuple[Key, str]] = Counter()
        self.own: dict[str, str] = {}  # by new line, that of the sister
        self.counts = Counter(each.text for each in text.statements)
        if self.blocks[self.sister]:
            self._add()
            self._add_to_lists()

    # ------------------------------------------------------------------------------------- blocks

    def _leaves_of(self, each: Statement) -> set[str]:
        """The leaves that a line is about: those it names, else those of its ports and addresses.

        A port of one leaf in the entry of another leaf counts for the latter.
        """
        named = set(mentioned(each.text, {name: [name] for name in self.marks}))
        if named:
            return named
        words = {name: mark.words for name, mark in self.marks.items()}
        addresses = [a for token in shape_of(each.text)[1] if (a := token.address) is not None]
        found = {*mentioned(each.text, words)} | {
            n for n, mark in self.marks.items() if any(map(mark.moved.holds, addresses))
        }
        around = self.text.around(each) if found else ""
        entry = {*mentioned(around, {name: [name] for name in self.marks})}
        return found & entry if entry else found

    def _blocks_of(self, name: str) -> Iterator[Block]:
        """The statements about one leaf, each as large as possible without another leaf."""
        text = self.text
        order: Counter[tuple[Key, str]] = Counter()
        last = 0
        for each in text.statements:
            if each.line <= last or self.about[each.line] != {name}:
                continue
            block = each
            while (header := text.by_line.get(text.headers[block.line])) is not None:
                alone = header.text in ANONYMOUS or name in self.about[header.line]
                if header.line <= last or self._inside(header) - {name}:
                    break
                if not alone and not self._is_one_of_many(header, name):
                    break
                block = header
            kind = (self.keys[block.line], shape_of(block.text)[0])
            yield Block(block, kind[0], order[kind])
            order[kind] += 1
            last = block.last

    def _inside(self, each: Statement) -> set[str]:
        """The leaves that a statement and everything below it are about."""
        return set().union(*(self.about.get(line, ()) for line in range(each.line, each.last + 1)))

    def _is_one_of_many(self, header: Statement, name: str) -> bool:
        """Whether other leaves each have a header like this: a channel, an entry of a list."""
        shape, tokens = shape_of(header.text)
        return bool(tokens) and any(
            each.line != header.line
            and self.keys[each.line] == self.keys[header.line]
            and shape_of(each.text)[0] == shape
            and self._inside(each) - {name}
            and name not in self._inside(each)
            for each in self.text.statements
        )

    def _lines_of(self, blocks: Iterable[Block]) -> Iterator[tuple[Key, str]]:
        inside = {n for b in blocks for n in range(b.statement.line, b.statement.last + 1)}
        return ((self.keys[s.line], s.text) for s in self.text.statements if s.line in inside)

    # ---------------------------------------------------------------------------------- additions

    def _add(self) -> None:
        text, lines = self.text, self.text.lines
        known = {(each.above, _name(each.text)): each for each in text.statements}
        after = self._last_blocks()
        for group in self._grouped():
            place = after.get(group[-1].kind, group[-1]).statement.last
            before = self._separators(group[-1])
            fresh: list[str] = []
            for block in group:
                body = self._rewritten(block)
                above = tuple(map(self.words.rewrite, block.statement.above))
                name = _name(body[0].strip().removesuffix(","))
                old = known.get((above, name))
                if old is not None and name not in ANONYMOUS:
                    self.splices.append(self._merged(old, body))
                    continue
                fresh += [*before, *body]
                before = lines[block.statement.last : _tail(text, block)]
            self.behind.setdefault(place, []).extend(fresh)
        changed = {n for each in self.splices for n in range(each.first, each.end)}
        self.splices += [Splice(line, 1, ()) for line in self._shut() - changed]

    def _add_to_lists(self) -> None:
        """Add the new ports to the ranges and lists that contain those of the sister."""
        taken = {n for each in self.splices for n in range(each.first, each.end)}
        for each in self.text.statements:
            text = each.text
            for link in self.links:
                text = _with_port(text, link.far.interface.name, link.b[1])
            if text != each.text and each.line not in taken:
                line = self.text.lines[each.line - 1].replace(each.text, text, 1)
                self.splices.append(Splice(each.line, 1, (line,)))

    def _grouped(self) -> list[list[Block]]:
        """Consecutive blocks with nothing but separators between."""
        groups: list[list[Block]] = []
        for block in self.blocks[self.sister]:
            before = groups[-1][-1].statement if groups else None
            if before is not None and before.above == block.statement.above:
                between = self.text.lines[before.last : block.statement.line - 1]
                if all(map(_is_separator, between)):
                    groups[-1].append(block)
                    continue
            groups.append([block])
        return groups

    def _last_blocks(self) -> dict[tuple[Key, str, int], Block]:
        """By kind, the block of the leaf with the highest number below the new one."""
        if self.series is None:
            return {}
        members = self.series.members
        known = [name for name in self.blocks if name in members]
        below = [name for name in known if members[name] < self.series.number]
        ordered = sorted(below or known, key=lambda name: members[name])
        return {block.kind: block for name in ordered for block in self.blocks[name]}

    def _rewritten(self, block: Block) -> list[str]:
        first, last = block.statement.line, block.statement.last
        lines = self.text.lines[first - 1 : last]
        for each in self.text.statements:
            if first <= each.line <= last:
                above = self.keys[each.line]
                key = (above, shape_of(each.text)[0])
                fits = self.aligned.fits(
                    self.sister, above, each.text, self.order[key], self.series
                )
                self.order[key] += 1
                worded = self.words.rewrite(each.text, fits)
                self.own[worded] = each.text
                at = each.line - first
                lines[at] = lines[at].replace(each.text, worded, 1)
        return lines

    def _separators(self, block: Block) -> list[str]:
        """The lines between two blocks of a kind: common to all but the last."""
        like = [each for own in self.blocks.values() for each in own if each.kind == block.kind]
        like.sort(key=lambda each: each.statement.line)
        tails = [
            self.text.lines[each.statement.last : _tail(self.text, each)]
            for each in (like[:-1] or like)
        ]
        return min(tails, key=len)

    def _merged(self, old: Statement, body: Sequence[str]) -> Splice:
        """The stanza of a free port, with the missing lines of an equal port.

        A value that differs from port to port keeps its value.
        """
        lines, text = self.text.lines, self.text
        if len(body) == 1:
            comma = "," if lines[old.last - 1].rstrip().endswith(",") else ""
            new = body[0].strip().removesuffix(",")
            if new != old.text:
                self.made.reasons.append(f"{text.device.hostname}: {old.text} becomes {new}")
            return Splice(old.line, 1, (body[0].rstrip().removesuffix(",") + comma,))
        header, *inner = body
        closes = inner[-1].strip().rstrip(",;") in ("}", "]", "!", "exit")
        ends = closes and header.rstrip().endswith("{")
        inner, end = (inner[:-1], [lines[old.last - 1]]) if ends else (inner, [])
        there = [each for each in text.statements if text.headers[each.line] == old.line]
        wanted: list[str] = []
        for child in outline("\n".join(body)):
            if len(child.above) == 1:
                words = child.text.removesuffix(",") if text.is_json else child.text
                wanted.append(words)
                own = next((each for each in there if _sets_the_same(each.text, words)), None)
                alone = self.counts[self.own.get(words, words)] == 1 and _KEY.match(words)
                if own and alone and self.counts[own.text] == 1 and "descr" not in words.lower():
                    inner[child.line - 2] = lines[own.line - 1]
        shut = self._shut()
        for each in there:
            if not any(_sets_the_same(each.text, words) for words in wanted):
                span = range(each.line, each.last + 1)
                inner += [lines[number - 1] for number in span if number not in shut]
        made = _without_empty([line.rstrip() for line in inner if line.strip()])
        if text.is_json:
            made = _with_commas(made, closes=True)
        return Splice(old.line, old.last - old.line + 1, (lines[old.line - 1], *made, *end))

    def _shut(self) -> set[int]:
        return {
            line - (1 if self.text.head else 0)
            for link in self.links
            if (port := link.far.device.interfaces.get(link.b[1])) and port.enabled is False
            if (line := self.made.line_in(self.text.ref.name, port, "enabled"))
        }


def _with_port(text: str, like: str, new: str) -> str:
    """A text with a port added to the range that contains another port, or after it in a list."""
    tokens = shape_of(like)[1]
    head = re.escape(like[: tokens[-1].begin]) if tokens else ""
    number = tokens[-1].value if tokens else None
    found = re.search(rf"{head}([0-9]+)(?:-| to )(?:{head})?([0-9]+)(?![0-9]|[/:][0-9])", text)
    if head and found is not None and number is not None:
        low, high = whole_of(found[1]), whole_of(found[2])
        if re.fullmatch(rf"{head}{high + 1}", new) and low <= number <= high:
            return f"{text[: found.start(2)]}{high + 1}{text[found.end(2) :]}"
        return (
            f"{text[: found.end()]},{new}{text[found.end() :]}" if low <= number <= high else text
        )
    listed = rf"(?:(?<=,){re.escape(like)}(?![A-Za-z0-9]|[/:][0-9])|\b{re.escape(like)}(?=,))"
    return re.sub(listed, lambda port: f"{port[0]},{new}", text, count=1)


def splices_of(text: Text, additions: Iterable[Addition]) -> list[Splice]:
    """The changes of one file for several leaves, each after those of the previous one."""
    behind: dict[int, list[str]] = {}
    found: list[Splice] = []
    for each in additions:
        found += each.splices
        for place, lines in each.behind.items():
            behind.setdefault(place, []).extend(lines)
    for place, lines in behind.items():
        old = text.lines[place - 1].rstrip()
        last = text.is_json and lines and not old.endswith(",")
        put = _with_commas(lines, closes=bool(last)) if text.is_json else lines
        if last:
            found.append(Splice(place, 1, (f"{old},", *put)))
        elif put:
            found.append(Splice(place + 1, 0, tuple(put)))
    return found


def _is_separator(line: str) -> bool:
    return line.strip() in ("", "!", "#")


def _tail(text: Text, block: Block) -> int:
    """The last line of the separators after a block."""
    lines, end = text.lines, block.statement.last
    while end + 1 < len(lines) and _is_separator(lines[end]):
        mark = lines[end].strip()
        if mark and lines[end].rstrip() != block.statement.indent + mark:
            break
        end += 1
    return end


def _without_empty(lines: list[str]) -> list[str]:
    """The lines of a tree without keys that have become empty."""
    found: list[str] = []
    for line in reversed(lines):
        below = found and len(found[-1]) - len(found[-1].lstrip()) > len(line) - len(line.lstrip())
        if below or not line.endswith(":"):
            found.append(line)
    return found[::-1]


def _with_commas(lines: Sequence[str], *, closes: bool) -> list[str]:
    """The lines of JSON entries with a comma after each entry except the last."""
    depth, found = 0, []
    for line in (each.rstrip() for each in lines if each.strip()):
        body = line.removesuffix(",")
        depth += body.count("{") + body.count("[") - body.count("}") - body.count("]")
        found.append(line if depth else f"{body},")
    if closes and found:
        found[-1] = found[-1].removesuffix(",")
    return found


def _name(text: str) -> str:
    """The key of an entry of a tree; a command unchanged."""
    found = _KEY.match(text)
    return found[1] if found else text


def _sets_the_same(one: str, other: str) -> bool:
    """Whether two lines of a stanza set the same thing: a key, or the first words of a command."""
    a, b = ((_KEY.match(line.strip()) or [line.strip()] * 2)[1] for line in (one, other))
    a_words, b_words = a.split(), b.split()
    if a_words[:1] != b_words[:1] or not a_words:
        return False
    return "descr" in a or a_words[1:2] == b_words[1:2] or len(a_words) == len(b_words) == 2
