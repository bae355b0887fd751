"""Strict TTP templates over command output, with a line for every value.

TTP compiles the template; `replay` runs the result, because TTP itself drops the places of its
matches and has habits that a linter cannot afford:

* of two lines that set one value TTP keeps the first: here both are kept, in order;
* a line under an unknown heading goes to the group that started last: see `replay`;
* a variable may match past the end of its line: here it may not;
* digits in fixed words match any digits: here they are literal;
* faults that TTP only logs (an unknown function, a line without a variable) are errors.

Templates are data. Tags and functions that run code, look things up, or make values that no line
states are refused, and so are function arguments that are not plain constants: TTP evaluates them.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

from roce_lint.errors import ExtractError
from roce_lint.text.grammar import PATTERNS, RESERVED
from roce_lint.text.match import Record
from roce_lint.text.replay import Field, Group, Replay, Rule, Text
from roce_lint.text.source import LineState

TTP_PATTERNS = frozenset(
    ["WORD", "PHRASE", "ORPHRASE", "ROW", "DIGIT", "IP", "PREFIX", "IPV6", "PREFIXV6", "MAC"]
)
"""Patterns built into TTP, usable as `{{ x | PHRASE }}`."""

FLOW = frozenset(
    ["re", "ignore", "columns", "_start_", "_end_", "_line_", "_headers_", "_exact_",
     "_exact_space_"]
)  # fmt: skip
"""Keywords that control TTP's matching."""

FUNCTIONS = re.compile(
    r"append|prepend|replace|replaceall|resub|truncate|joinmatches|set"
    r"|lower|upper|strip|lstrip|rstrip|removeprefix|removesuffix"
    r"|equal|notequal|isdigit|notdigit|contains(_re)?|exclude(_re)?|(not)?(starts|ends)with_re"
)
"""Functions of one captured text that return a text or a verdict, without side effects."""

_VARIABLE = re.compile(r"\{\{([\S\s]+?)\}\}")
_ITEM = re.compile(r"(\S+?)\s?(?:\((.*)\))?")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][\w-]*")
_GROUP_NAME = re.compile(r"[A-Za-z_]\w*\*{0,2}")
_PATTERN_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


KEPT = 1024
LONGEST = 500
"""Cached outputs, and their lines: similar hosts print the same."""

_Key = tuple[str, str, tuple[tuple[str, str], ...], tuple[str, ...], bytes]
"""Template, its name, named patterns, lines, and the states that these already have."""

_KNOWN: dict[_Key, tuple[list[Record], bytes]] = {}


def extract(
    template: str,
    name: str,
    lines: list[str],
    first: int,
    states: bytearray,
    patterns: Mapping[str, str] | None = None,
) -> list[Record]:
    """Run the template in file `name` over the lines of one output; line n has `first + n`.

    Lines that match become CAPTURED, or IGNORED where the template line has no variable but
    `ignore` or `_end_`. Of the remaining lines without a state, blank lines become IGNORED, the
    rest UNRECOGNISED. `patterns` adds to the named patterns for `re(...)`.

    Raises:
        ExtractError: the template is wrong, or uses a refused construct.
    """
    key = (template, name, tuple((patterns or {}).items()), tuple(lines), bytes(states))
    known = _KNOWN.get(key)
    if known is None:
        records = _extract(key, states)
        if len(_KNOWN) < KEPT and len(lines) <= LONGEST:
            _KNOWN[key] = records, bytes(states)
    else:
        records, states[:] = known
    return [_place(record, first) for record in records]


def _extract(key: _Key, states: bytearray) -> list[Record]:
    """The records of a text whose line n has position n."""
    template, name, patterns, lines, _ = key
    groups = compile_template(template, name, patterns)
    text = Text(list(lines))
    records: list[Record] = []
    for group in groups if lines else ():
        replay = Replay(text, 0)
        for row, candidates in sorted(text.search(group).items()):
            rule = replay.take(row, candidates)
            if rule and (rule.fields or rule.starts):
                states[row] = LineState.CAPTURED
            elif rule and states[row] == LineState.UNCLAIMED:
                states[row] = LineState.IGNORED  # known, with nothing that a reader could take
        records += replay.records
    for row, line in enumerate(lines):
        if states[row] == LineState.UNCLAIMED:
            states[row] = LineState.UNRECOGNISED if line.strip() else LineState.IGNORED
    return sorted(records, key=lambda record: record.position)


def _place(record: Record, first: int) -> Record:
    """A record and its children, shifted by some lines."""
    return Record(
        record.group,
        record.position + first,
        {name: [(v, at + first) for v, at in found] for name, found in record.values.items()},
        {name: [_place(r, first) for r in below] for name, below in record.children.items()},
    )


@lru_cache(maxsize=256)
def compile_template(
    text: str, name: str, patterns: tuple[tuple[str, str], ...] = ()
) -> tuple[Group, ...]:
    """Compile an audited template with TTP and adopt the result.

    Raises:
        ExtractError: the template is wrong, or uses a refused construct.
    """
    known = {**PATTERNS, **dict(patterns)}
    _Audit(text, name, known).run()
    module, glue = _ttp()
    try:
        made = module._template_class(  # noqa: SLF001 - pinned by tests/contract/test_ttp.py
            template_text=_wrap(_exact(text)), ttp_vars=known, _ttp_=glue
        )
    except re.error as error:
        raise ExtractError(f"{error.msg} in {error.pattern!r}", location=name) from error
    return tuple(_adopt(group, None, name) for group in made.groups)


@cache
def _ttp() -> tuple[Any, dict[str, Any]]:
    """TTP's module and its table of functions.

    TTP keeps that table in a pickle, in a folder that others may be able to write, and would load
    any pickle it finds there. It is given a folder that cannot exist, so that it reads and writes
    nothing, and continues; its log messages about that are irrelevant. No disk is needed, full or
    read-only.
    """
    module = importlib.import_module("ttp.ttp")
    before = os.environ.get("TTPCACHEFOLDER")
    os.environ["TTPCACHEFOLDER"] = os.path.join(os.devnull, "none")  # noqa: PTH118
    silent, module.log.disabled = module.log.disabled, True
    try:
        glue = module.lazy_import_functions()
    finally:
        module.log.disabled = silent
        del os.environ["TTPCACHEFOLDER"]
        if before is not None:
            os.environ["TTPCACHEFOLDER"] = before
    return module, glue


def _wrap(text: str) -> str:
    """The template in one tag; a DTD, and so an entity bomb, cannot occur inside a tag."""
    return f"<template>{text}\n</template>"


def _exact(text: str) -> str:
    """Make TTP match digits in fixed words literally."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if "_exact_" not in line and re.search(r"\d", _VARIABLE.sub("", line)):
            lines[index] = line.replace("}}", " | _exact_ }}", 1)
    return "\n".join(lines)


def _adopt(made: Any, parent: Group | None, name: str) -> Group:
    """Convert a group of TTP to ours."""
    group = Group(made.path[-1].rstrip("*"), parent, parent.depth + 1 if parent else 0)
    if made.defaults:
        stateless = ", ".join(made.defaults)
        raise ExtractError(f"no line would state the value of {stateless}", location=name)
    if not made.start_re:
        raise ExtractError(f"group {group.name} has no start line", location=name)
    for compiled in (*made.start_re, *made.re, *made.end_re):
        group.rules.append(_rule(compiled, group, name))
    group.children = [_adopt(child, group, name) for child in made.children]
    group.settle()
    return group


def _rule(compiled: Mapping[str, Any], group: Group, name: str) -> Rule:
    regex: re.Pattern[str] = compiled["REGEX"]
    action: str = compiled["ACTION"]
    variables: dict[str, Any] = compiled["VARIABLES"]
    # TTP lists a variable under its own name and under one that suits a regex. A line without
    # captures has set(...), whose function receives the whole match.
    named = {variable.var_name for variable in variables.values()} - FLOW | (
        {"_line_"} & variables.keys()
    )
    indexes = dict(regex.groupindex) or dict.fromkeys(sorted(named), 0)
    if indexes.keys() != named or (indexes and action in ("startempty", "end")):
        raise ExtractError(
            f"group {group.name}: the line captures {sorted(regex.groupindex)}, but names "
            f"{sorted(named)}; set() stands in a line of its own, _start_ is a filter where the "
            "line has variables, _end_ is alone",
            location=name,
        )
    fields = [
        Field(
            index,
            variables[key].var_name_original,
            [
                (_function(item["name"]), tuple(item["args"]), dict(item["kwargs"]))
                for item in variables[key].functions
            ],
        )
        for key, index in indexes.items()
    ]
    starts = action.startswith("start")
    rank = 3 if compiled["IS_LINE"] else {"startempty": 0, "start": 1}.get(action, 2)
    return Rule(regex, group, rank, len(group.rules), starts, action == "end", fields)


def _function(name: str) -> Callable[..., Any]:
    """A function of TTP, or a method of str with the same signature."""
    module, glue = _ttp()
    function = glue["match"].get(name)
    if isinstance(function, module.CachedModule):
        function.load()
        function = glue["match"][name]
    if function is None:
        method = getattr(str, name)
        return lambda value, *args, **kwargs: (method(value, *args, **kwargs), None)
    return function  # type: ignore[no-any-return]


class _Audit:
    """Refuses forbidden constructs in a template before TTP sees (and evaluates) it."""

    def __init__(self, text: str, name: str, patterns: Mapping[str, str]) -> None:
        self._raw = text.split("\n")
        self._name = name
        self._patterns = patterns.keys() | TTP_PATTERNS
        self._number = 0

    def run(self) -> None:
        """Raise ExtractError at the first fault."""
        try:
            root = ET.XML(_wrap("\n".join(self._raw)))
        except ET.ParseError as error:
            self._number = min(error.position[0], len(self._raw))
            reason = expat.ErrorString(error.code)
            raise self._error(f"the tags are not well-formed: {reason}") from error
        self._element(root)

    def _element(self, element: ET.Element) -> None:
        """Check the lines directly in a tag, and the tags in it."""
        for text in (element.text, *(child.tail for child in element)):
            for line in (text or "").splitlines():  # as TTP does, with entities resolved
                self._line(line.strip(), grouped=element.tag == "group")
        for child in element:
            name = child.get("name", "")
            if child.tag == "doc" and element.tag == "template":
                continue
            self._number = self._find(f"<{child.tag}", name)
            if child.tag != "group":
                raise self._error(f"tag {child.tag} is refused; known are group and doc")
            if not _GROUP_NAME.fullmatch(name):
                raise self._error(f"{name!r} cannot name a group")
            refused = set(child.keys()) - {"name", "method"}
            if refused:
                raise self._error(f"group {name}: {', '.join(sorted(refused))} is refused")
            self._element(child)

    def _line(self, line: str, *, grouped: bool) -> None:
        if not line or line.startswith("##"):
            return
        self._number = self._find(line)
        if not grouped:
            raise self._error("this line is in no group")
        variables = _VARIABLE.findall(line)
        if not variables:
            raise self._error(f"no variable in the line: {line}")
        for variable in variables:
            name, *filters = (item.strip() for item in variable.split("|"))
            self._variable(name)
            for item in filters:
                self._filter(item)

    def _variable(self, item: str) -> None:
        if item.startswith("ignore(") or item in FLOW:
            self._filter(item)
        elif not _VARIABLE_NAME.fullmatch(item) or RESERVED.fullmatch(item):
            raise self._error(f"{item!r} cannot name a variable")

    def _filter(self, item: str) -> None:
        parts = _ITEM.fullmatch(item)
        name, given = parts.groups() if parts else (item, None)
        if name not in FLOW | TTP_PATTERNS and not FUNCTIONS.fullmatch(name):
            raise self._error(f'{item!r} is not a known filter ("|" cannot be in an argument)')
        arguments = self._constants(name, given or "")
        if name in ("re", "ignore") and arguments:
            pattern = str(arguments[0])
            if _PATTERN_NAME.fullmatch(pattern) and pattern not in self._patterns:
                raise self._error(f"there is no pattern named {pattern}")

    def _constants(self, name: str, given: str) -> list[object]:
        """The arguments of a filter, which must be plain constants."""
        try:
            call = ast.parse(f"f({given})", mode="eval").body
        except (SyntaxError, ValueError):
            call = None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise self._error(f"{name}({given}) cannot be read")
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        constants: list[object] = [
            value.value for value in values if isinstance(value, ast.Constant)
        ]
        if len(constants) < len(values) or any(keyword.arg is None for keyword in call.keywords):
            raise self._error(f"{name}({given}): arguments must be quoted text or numbers")
        return constants

    def _find(self, *parts: str) -> int:
        """Number of the first line that contains all parts; 0 if entities hide it."""
        numbers = (n for n, line in enumerate(self._raw, 1) if all(p in line for p in parts))
        return next(numbers, 0)

    def _error(self, message: str) -> ExtractError:
        location = f"{self._name}:{self._number}" if self._number else self._name
        return ExtractError(message, location=location)
