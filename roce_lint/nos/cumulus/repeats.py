"""Ports with identical statements: read once, copied to the others with shifted lines.

The ports of a switch mostly differ only in name, description and address. Ports with the same
statements at the same distances have the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from roce_lint.model.qos import PortQos
from roce_lint.nos.copies import Move
from roce_lint.nos.cumulus.statements import Node
from roce_lint.nos.reading import Reading
from roce_lint.nos.switch_ports import is_address
from roce_lint.text.source import FileRef

T = TypeVar("T")

DEEPEST = 8
"""Words below a port name; a port with deeper statements is read separately."""


@dataclass(frozen=True)
class StatementLayout:
    """Layout of the statements about one port.

    Ports with one `shape` have the same words at the same distances from `begin`, except the
    description and addresses. `lines` are all positions, in the order of the words.
    """

    shape: Hashable
    begin: int
    lines: tuple[int, ...]
    file: FileRef
    description: str | None
    binds: bool  # names a profile or another structure of QoS
    addresses: dict[str, int] | None  # None: those that have one shape have the same

    @cached_property
    def own(self) -> frozenset[int]:
        """The lines as a set."""
        return frozenset(self.lines)

    def states(self) -> bytes:
        """Current states of the lines."""
        states, shift = self.file.states, self.file.first + 1
        return bytes([states[line - shift] for line in self.lines])

    def settle(self, states: bytes) -> None:
        """Set the states of the lines."""
        shift = self.file.first + 1
        for line, state in zip(self.lines, states, strict=True):
            self.file.states[line - shift] = state


def layout_of(reading: Reading, node: Node) -> StatementLayout | None:
    """Layout of the statements about a port; None if it must be read separately."""
    begin = node.line
    described = node.below.get("description")
    addressed = _addresses(node)
    free = {id(below) for below in (described, addressed) if below is not None}
    shape: list[Hashable] = [node.stated and node.stated - begin, len(node.below)]
    lines = [begin, node.stated] if node.stated else [begin]
    if not _walk(node, begin, free, shape, lines, 0):
        return None
    files = reading.src.files
    index = reading.src.file_of(begin)
    file = files[index]
    if not file.first < min(lines) <= max(lines) <= file.first + file.lines:
        return None
    words = list(described.below) if described is not None else []
    if len(words) > 1:
        return None
    addresses = None
    if addressed is not None:
        addresses = {text: place.stated or place.line for text, place in addressed.below.items()}
    qos = node.below.get("qos")
    return StatementLayout(
        (index, *shape), begin, tuple(lines), file, words[0] if words else None,
        "acl" in node.below
        or (qos is not None and any("profile" in feature.below for feature in qos.below.values())),
        addresses,
    )  # fmt: skip


def _addresses(node: Node) -> Node | None:
    """The word that has only addresses below it."""
    family = node.below.get("ip")
    found = family.below.get("address") if family is not None else None
    if found is None or "ipv4" in node.below or "ipv6" in node.below:
        return None  # families equivalent to `ip`: addresses below them count once
    return found if all(map(is_address, found.below)) else None


def _walk(
    node: Node, begin: int, free: set[int], shape: list[Hashable], lines: list[int], depth: int
) -> bool:
    """Add the words below a word; False if they are too deep."""
    if depth > DEEPEST:
        return False
    named = id(node) not in free
    for word, below in node.below.items():
        line, stated = below.line, below.stated
        shape += (
            word if named else None, line - begin, stated and stated - begin, len(below.below)
        )  # fmt: skip
        lines.append(line)
        if stated and stated != line:
            lines.append(stated)
        if below.below and not _walk(below, begin, free, shape, lines, depth + 1):
            return False
    return True


class Repeats(Generic[T]):
    """Reads a port, or copies the result of one with the same statements.

    `move` makes the copy from the other port's result and both layouts.
    """

    def __init__(
        self, reading: Reading, move: Callable[[T, StatementLayout, StatementLayout], T]
    ) -> None:
        self._reading = reading
        self._move = move
        self._known: dict[Hashable, tuple[T, StatementLayout, bytes]] = {}

    def read(self, own: StatementLayout | None, read: Callable[[], T]) -> T:
        """Result of `read`, fresh or copied; results with notes are never copied."""
        if own is None:
            return read()
        key = (own.shape, own.states())
        known = self._known.get(key)
        if known is not None:
            made, of, states = known
            own.settle(states)
            return self._move(made, of, own)
        noted = len(self._reading.notes)
        made = read()
        if len(self._reading.notes) == noted:
            self._known[key] = made, own, own.states()
        return made


def move_qos(made: PortQos, of: StatementLayout, to: StatementLayout) -> PortQos:
    """A copy for another port, with copies of its parts that a line of the first port states."""
    return Move(to.begin - of.begin, of.own).port_qos(made)
