"""The change of a file as commands: what is new is typed, what is gone is taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roce_lint.fix.outline import Statement, outline
from roce_lint.nos.base import Nos
from roce_lint.nos.edit import FileEdit, Typed

Chain = tuple[str, ...]


def commands(nos: Nos, edit: FileEdit) -> str:
    """The commands that make one text of another; empty where the system has declared none."""
    if nos.commands is not None:
        found: str = nos.commands(edit)
        return found
    if nos.typed is None or edit.before.lstrip().startswith("{"):
        return ""
    typed = nos.typed
    # First what is new: a port is shut before its lines go, and opened when all of them are there.
    steps = [*_put(edit, typed), *_taken(edit, typed)]
    lines = [line for _, line in steps] if typed.put else list(_typed(steps, typed.leave))
    return "".join(f"{line}\n" for line in (*typed.begin, *lines, *typed.end)) if lines else ""


def _statements(text: str) -> dict[Chain, Statement]:
    return {(*each.above, each.text): each for each in outline(text)}


def _taken(edit: FileEdit, typed: Typed) -> Iterator[tuple[Chain, str]]:
    """The outermost statements that are gone, with their headers; not those with a new value."""
    after, before = _statements(edit.after), _statements(edit.before)
    new = {_setting(chain, typed) for chain in after if chain not in before}
    for chain, each in before.items():
        if chain in after or (each.above and each.above not in after):
            continue
        if _setting(chain, typed) in new:
            continue
        if typed.put:
            yield (), f"{typed.take} {_path(chain, typed)}"
            continue
        negated = each.text.removeprefix(f"{typed.take} ")
        yield each.above, negated if negated != each.text else f"{typed.take} {each.text}"


def _setting(chain: Chain, typed: Typed) -> str:
    """The words of a statement without its value."""
    words = _path(chain, typed).split()
    return " ".join(words[:-1] if typed.put else (*chain[:-1], *chain[-1].split()[:1]))


def _put(edit: FileEdit, typed: Typed) -> Iterator[tuple[Chain, str]]:
    """The lines that are new, with their headers."""
    before, after = _statements(edit.before), _statements(edit.after)
    headers = {chain[:-1] for chain in after}
    for chain in after:
        if chain not in before and chain not in headers:
            line = f"{typed.put} {_path(chain, typed)}" if typed.put else chain[-1]
            yield chain[:-1], line


def _typed(steps: Iterable[tuple[Chain, str]], leave: str) -> Iterator[str]:
    """Lines with the headers that have to be typed before them, and what leaves these."""
    inside: Chain = ()
    for above, line in steps:
        shared = next(n for n in range(len(inside), -1, -1) if inside[:n] == above[:n])
        yield from [leave] * (len(inside) - shared)
        yield from above[shared:]
        inside = above
        yield line
    yield from [leave] * len(inside)


def _path(chain: Chain, typed: Typed) -> str:
    """The words of a statement and of its headers, as one line."""
    words = []
    for each in chain:
        key, colon, value = each.removesuffix(": {}").rstrip("{;").rstrip().partition(": ")
        quoted = f"'{value}'" if " " in value and value[:1] not in "'\"[" else value
        words += [key.removesuffix(":"), quoted] if colon else [key.removesuffix(":")]
    return " ".join(words).removeprefix("- set ").removeprefix(f"{typed.put} ")
