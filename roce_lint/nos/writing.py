"""Prints words through the parse templates: what a line looks like stands there alone.

The lines of a stanza stand in the order of its template, and of template lines that can take the
same variables the first is printed. A stanza is printed only if the template reads it as the very
same values (`text/printing.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.nos.base import Nos, Source
from roce_lint.nos.codecs import Limits
from roce_lint.nos.device_reader import template_of
from roce_lint.nos.omissions import Omission
from roce_lint.nos.words import Words
from roce_lint.text.grammar import Group, Rule
from roce_lint.text.match import Record, Template
from roce_lint.text.printing import print_stanzas

Told = list[tuple[str, str | None]]


class WrittenConfig(NamedTuple):
    """A configuration, and what the device states that it does not say."""

    text: str
    left: tuple[Omission, ...]


Parts = Mapping[str, frozenset[str]]
"""Groups of words that are to be printed, with the fields of each; all fields where none is named.
"""


def write(nos: Nos, device: Device, parts: Parts | None = None) -> WrittenConfig:
    """The configuration of a device in the words of its system, and what those cannot say.

    With `parts` only these groups are printed.

    Raises:
        RenderError: the system is not printed, or a value cannot stand in its configuration.
    """
    if nos.choose is None:
        raise RenderError(f"{nos.title} is read, and not printed yet")
    source = next(source for source in nos.sources if source.base)
    chosen = nos.choose(device)
    words = chosen.words if parts is None else _of_parts(chosen.words, parts)
    text = "".join(f"{line}\n" for line in lines_of(nos, source, words))
    return WrittenConfig(text, chosen.left)


def _of_parts(stanzas: Iterable[Words], parts: Parts) -> Iterator[Words]:
    """The stanzas of some groups with some fields; one of which a name alone is left goes too."""
    for words in stanzas:
        if words.group in parts:
            kept = parts[words.group] or frozenset(words.fields)
            values = {name: value for name, value in words.values().items() if name in kept}
            if values.keys() != {"name"} or words.values().keys() == {"name"}:
                yield type(words)(**values)


def lines_of(nos: Nos, source: Source, stanzas: Iterable[Words]) -> list[str]:
    """The lines of stanzas.

    Raises:
        RenderError: a value that no line of the templates states.
    """
    found = []
    for words in stanzas:
        template = _template(nos, source, words.group)
        record = _record(template.root, words, nos.limits, count(1))
        found += print_stanzas(template, [record])
    return found


def _template(nos: Nos, source: Source, group: str) -> Template:
    """The template that reads a group."""
    for section in source.sections:
        template = template_of(nos, source, section.name)
        if any(rule.starts and rule.starts.name == group for rule in template.root.rules):
            return template
    raise RenderError(f"{nos.title}: no template reads {group}")


def _record(parent: Group, words: Words, limits: Limits, numbers: count[int]) -> Record:
    told: Told = [pair for line in words.print_records(limits) for pair in line.items()]
    record = Record(words.group, next(numbers))
    heads = [r for r in parent.rules if r.starts is not None and r.starts.name == words.group]
    head = next((rule for rule in heads if _takes(rule, told, record, record.position)), None)
    if head is None or head.starts is None:
        raise RenderError(f"{words.group}: what its first line states is missing")
    below = words.below()
    for rule in head.starts.rules:
        if rule.starts is not None:
            for child in below.pop(rule.starts.name, ()):
                made = _record(head.starts, child, limits, numbers)
                record.children.setdefault(child.group, []).append(made)
            continue
        while _takes(rule, told, record, next(numbers)):
            pass
    if told or below:
        lost = ", ".join([*(name for name, _ in told), *below])
        raise RenderError(f"{words.group}: no line of the template states {lost}")
    return record


def _takes(rule: Rule, told: Told, record: Record, number: int) -> bool:
    """Whether a line says some of what is left; it is then put into the record."""
    names = [name for name, _ in told]
    if not set(rule.names) <= set(names):
        return False
    for name, fixed in zip(rule.names, rule.fixed, strict=True):
        _, text = told.pop(next(i for i, (known, _) in enumerate(told) if known == name))
        if text is None and fixed is None:
            raise RenderError(f"{record.group}: the words of {name} are not fixed by its template")
        record.values.setdefault(name, []).append(
            (text if text is not None else fixed or "", number)
        )
    return True
