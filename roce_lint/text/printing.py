"""Prints records of a configuration template back as lines.

The template alone defines the form of a line, for reading and printing. Where two lines of a group
take the same variables, the first that fits the values is printed: it is the canonical one. A line
is printed only if the template would read the same values from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from roce_lint.errors import RenderError
from roce_lint.text.grammar import Group, Rule
from roce_lint.text.match import Record, Template

Printed = tuple[int, str, int]
"""Depth below the stanza's header (which has 0), text without indent, position in the record."""


def print_stanzas(template: Template, records: Iterable[Record]) -> list[str]:
    """The lines of stanzas, indented as the template is.

    Raises:
        RenderError: no line of the template can express some values so that they read back.
    """
    return [
        " " * (template.step * depth) + text
        for record in records
        for depth, text, _ in lines_of(template, record)
    ]


def lines_of(template: Template, record: Record) -> Iterator[Printed]:
    """The lines of one stanza, in the order of their positions.

    Raises:
        RenderError: as `print_stanzas`.
    """
    return _record(template.root, record, 0)


def _record(parent: Group, record: Record, depth: int) -> Iterator[Printed]:
    starts = [r for r in parent.rules if r.starts is not None and r.starts.name == record.group]
    by_position = _by_position(record)
    head = by_position.pop(record.position, {})
    text, rule = _line(parent, starts, head, record.group)
    yield depth, text, record.position
    group = rule.starts
    if group is None:  # only rules that start a group were requested
        raise AssertionError(record.group)
    plain = [rule for rule in group.rules if rule.starts is None]
    below = [child for children in record.children.values() for child in children]
    items: list[tuple[int, Record | None]] = [(child.position, child) for child in below]
    items += [(position, None) for position in by_position]
    for position, child in sorted(items, key=lambda item: item[0]):
        if child is not None:
            yield from _record(group, child, depth + 1)
        else:
            text, _ = _line(group, plain, by_position[position], record.group)
            yield depth + 1, text, position


def _by_position(record: Record) -> dict[int, dict[str, str]]:
    """The values of each line."""
    found: dict[int, dict[str, str]] = {}
    for name, values in record.values.items():
        for value, position in values:
            found.setdefault(position, {})[name] = value
    return found


def _line(
    group: Group, rules: Iterable[Rule], values: Mapping[str, str], place: str
) -> tuple[str, Rule]:
    """The canonical line for these values, and its rule."""
    for name, value in values.items():
        if not value.isprintable():
            raise RenderError(f"{place}: {name} is not a line of printable text: {value[:40]!a}")
    for rule in rules:
        if set(rule.names) == values.keys():
            text = _fill(rule, values)
            if _reads(group, rule, text, values):
                return text, rule
    names = ", ".join(f"{name} {value[:40]!a}" for name, value in values.items())
    raise RenderError(f"{place}: no line of the template can express {names or 'this'}")


def _fill(rule: Rule, values: Mapping[str, str]) -> str:
    pairs = zip(rule.pieces, (*(values[name] for name in rule.names), ""), strict=True)
    return "".join(piece + value for piece, value in pairs)


def _reads(group: Group, rule: Rule, text: str, values: Mapping[str, str]) -> bool:
    """Whether the first rule that matches the text takes these values and starts the same group."""
    if rule.fullmatch(text) is None:
        return False
    _, starts, captures, _ = group.match(text)
    return starts is rule.starts and dict(captures) == values
