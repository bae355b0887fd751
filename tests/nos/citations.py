"""Names of the citations of a system: golden models hold the name, citations.txt the sentence.

A name is the constant below roce_lint/nos/<nos> or the table in rules/platforms/<nos>.toml; an
entry of a table of constants adds its key. Limits of the system are in the table `LIMITS`.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from roce_lint.model.dump import place
from roce_lint.nos.declare import Default
from roce_lint.nos.platforms import Defaults
from roce_lint.nos.refusals import Bounds, Words
from roce_lint.text.source import Citation, Confidence, SourceMap


@cache
def names_of(nos: str) -> dict[Citation, str]:
    """Each citation of a system with its shortest name."""
    package = importlib.import_module(f"roce_lint.nos.{nos}")
    limits = _inside(package.NOS.limits, ("LIMITS",))
    found: dict[Citation, str] = {citation: ".".join(path) for citation, path in limits}
    below = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    for module in (package.__name__, *(each.name for each in below)):
        constants = vars(importlib.import_module(module))
        for citation, path in _inside({k: v for k, v in constants.items() if k[0] != "_"}, ()):
            name = ".".join(path)
            found[citation] = min(name, found.get(citation, name), key=lambda n: (n.count("."), n))
    return found


def listing(nos: str) -> str:
    """The text of citations.txt: the sentence and the source of each name."""
    lines = []
    for citation, name in names_of(nos).items():
        doubt = "" if citation.confidence is Confidence.CONFIRMED else ", unconfirmed"
        lines.append(f"{name}: {citation.says} [{citation.source}{doubt}]\n")
    return "".join(sorted(lines))


def cited(nos: str, src: SourceMap) -> dict[str, str]:
    """Citations of a device as printed in `dump`, each with the name that replaces it."""
    return {
        place(src, -number): _label(nos, citation)
        for number, citation in enumerate(src.citations, 1)
    }


def _label(nos: str, citation: Citation) -> str:
    """The name, with a doubt if the reader is less sure than the constant."""
    names = names_of(nos)
    if citation in names:
        return f"@default {names[citation]}"
    sure = replace(citation, confidence=Confidence.CONFIRMED)
    assert sure in names, f"no constant of roce_lint/nos/{nos} is {citation}"
    return f"@default {names[sure]}, unconfirmed"


def _inside(value: object, path: tuple[str, ...]) -> Iterator[tuple[Citation, tuple[str, ...]]]:
    """Citations in a constant, in its tables and in its fields; not in lists, which have no names."""
    if isinstance(value, Default | Bounds | Words):
        yield value.citation, path
    elif isinstance(value, Defaults):
        yield from _inside(value.tables, ())
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _inside(entry, (*path, str(key)))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _inside(getattr(value, field.name), (*path, field.name))
