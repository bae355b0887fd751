"""Configurations inside other documents: JSON and YAML of automation tools, logs, tickets, pages.

Only documents that hold texts are searched; the caller decides which texts are configurations.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from roce_lint.loading.captures.cutting import HEADING_BEGINS, heading
from roce_lint.loading.captures.segment import Segment
from roce_lint.loading.captures.session import STEP, is_form, is_in
from roce_lint.text.json_scan import JsonPlaces

LINES = 3
"""Minimum lines of a string that can be a configuration."""

LONG = 40
"""Minimum characters of a document on one line."""

TEXTS = 10_000
"""Texts extracted from one document, and values visited for each."""

VALUES = 1_000_000
DEPTH = 40

_HOST_KEYS = (
    "inventory_hostname", "ansible_net_hostname", "hostname", "host", "device", "device_name",
)  # fmt: skip
_FRAME_WORDS = """
stdout stdout_lines result results output outputs data config configuration configurations
running startup candidate running_config running-config running_configuration ansible_facts
ansible_net_config hostvars hosts _meta tasks plays msg response content rendered text
rendered_config full_config backup all children vars contents diffs get_config
"""

_FRAMES = frozenset(_FRAME_WORDS.split())
"""Keys that are not device names."""

_NOT_IN_FORCE = frozenset(("startup", "candidate", "startup_config", "startup-config"))
_PASSED = frozenset(("stderr", "stderr_lines", "exception", "diff", "prepared"))
_COMMAND = re.compile(r"(?:show|display|sh|cat|nv|info)\b[ \w./|-]*")
_SCALAR = re.compile(
    r"(?P<indent>[ \t]*+)(?:- ++)*+(?:(?P<key>[\w.\"'/-][\w.\"'/ -]{0,79}?): *+)?"
    r"[|>][-+]?\d?[-+]?[ \t]*+"
)
_JSON_TASK = re.compile(
    r"(?:\w+: \[(?P<host>[^\]\s]{1,80})[^\]]*\]|(?P<host2>[\w.-]{1,80}) \| \w+!?)"
    r"[^{\[]{0,80}=> (?P<begin>[{\[])"
)
_RAW_TASK = re.compile(r"(?P<host>[\w.-]{1,80}) \| \w+!?(?: \|[^>]{0,80})? >>[ \t]*")
_RUN = re.compile(r"\* (?P<host>[\w.-]{1,80}) \*\* changed : \w+ \*+[ \t]*")
_RUN_TASK = re.compile(r"(?:v{4}|-{4}) .* \*\* changed : \w+ (?:v{3,}|-{3,})(?: \w+)?[ \t]*")
_RUN_END = re.compile(r"\^{4} END .*|\*{10,}.*|[\w-]+\*{20,}[ \t]*")
_ENDS = "^^^^ END "
_TASK_LINE = re.compile(r"(?:TASK|PLAY|PLAY RECAP) .*\*{3,}[ \t]*|ok: \[.*|changed: \[.*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_COMMENTS = re.compile(r"(?:[!#][^\n]*+\n|[ \t\r]*+\n){0,200}+")
_PAGE = re.compile(
    r"^[ \t]*<(?:pre|html|!DOCTYPE|code|div|body)(?=[\s/>])", re.MULTILINE | re.IGNORECASE
)
_FENCE = re.compile(r"[ \t]{0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?:[\w.+-]{1,40}|\{[^}]{1,80}\})?[ \t]*")
_BEGUN = re.compile(r"(?P<mark>`{3})(?P<text>[^` \t][^`]*)")
_ENDED = re.compile(r"(?P<text>[^`]*[^`\s])(?P<mark>`{3})[ \t]*")
_PRE = re.compile(r"</?(?:pre|code|span|div|p|br|html|body|head|font|b|i)(?=[\s/>])[^>]{0,200}>")


_SIGNS = (
    ("`", ("```",)),
    ("~", ("~~~",)),
    ("|", (": |", "- |")),
    (">", ("=> {", "=> [", " >>\n", ": >", "- >")),
    ("<", ("<pre",)),
    ("*", ("** changed : ",)),
)
"""Indications of a document with embedded texts: a character, and its words."""


def unwrap(whole: Segment, text: str) -> tuple[list[Segment], str]:
    """The texts inside a document, and the document without them.

    Empty if it is not such a document.
    """
    if _begin(text) in ("{", "["):
        start = _start(text)
        return list(_in_json(whole, text, start)), _STRING.sub(_key, text[start:])
    if "<" in text and _PAGE.search(text):
        return [_without_tags(whole)], ""
    if found := list(_in_logs(whole)):
        return found, ""
    for find in (_in_fences, _in_scalars):
        if found := list(find(whole)):
            inside = {number for each in found for number in each.numbers}
            rest = [
                line
                for line, number in zip(whole.lines, whole.numbers, strict=True)
                if number not in inside
            ]
            return found, "\n".join(rest)
    return [], ""


def may_hold(text: str) -> bool:
    """Whether a text may be a document with embedded texts; a cheap search for a few words."""
    if _begin(text) in ("{", "["):
        if "\\" in text and ("\\n" in text or '\\"' in text):
            return True
        return '_lines"' in text or '"cmds"' in text or is_in(text)
    # One character is found fastest, and few texts contain these.
    for mark, words in _SIGNS:
        if mark in text:
            for word in words:
                if word in text:
                    return True
    return False


def _start(text: str) -> int:
    """Start of a text after the comments that a collector put before it."""
    found = _COMMENTS.match(text)
    return found.end() if found is not None else 0


def _begin(text: str) -> str:
    start = _start(text) if text[:1] in ("!", "#") else 0
    return text[start : start + 4096].lstrip("\ufeff \t\r\n")[:1]


def _key(string: re.Match[str]) -> str:
    """Reduce a JSON string to one that may be a key or a value; long texts are dropped."""
    return '""' if " " in string[0] or "\\" in string[0] else string[0]


# ------------------------------------------------------------------------------------------- JSON


@dataclass(slots=True)
class _Spot:
    """A value, its path, and the host and command known on the way."""

    value: Any
    path: tuple[Hashable, ...] = ()
    host: str | None = None
    command: str | None = None
    startup: bool = False


def _in_json(whole: Segment, text: str, start: int, host: str | None = None) -> Iterator[Segment]:
    begin = len(text) - len(text[start:].lstrip("\ufeff \t\r\n"))
    try:
        data, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
    except (ValueError, RecursionError):
        return
    places = JsonPlaces(text, begin)
    for count, spot in enumerate(_texts(_Spot(data, host=host))):
        if count >= TEXTS:
            return
        yield _of_value(whole, places, spot)


def _texts(first: _Spot) -> Iterator[_Spot]:
    """The strings of several lines, and the lists of lines, in the order of the document."""
    stack = [first]
    looked = 0
    while stack and looked < VALUES:
        spot = stack.pop()
        looked += 1
        value = spot.value
        if isinstance(value, str):
            if value.count("\n") >= LINES or (value[:1] in ("{", "[") and len(value) > LONG):
                yield spot
        elif _is_lines(value) or _is_commands(value) or _is_form(spot):
            yield spot
        elif isinstance(value, dict | list) and len(spot.path) < DEPTH:
            stack += reversed(list(_below(spot)))


def _is_lines(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > LINES
        and all(isinstance(item, str) and "\n" not in item for item in value)
    )


def _is_form(spot: _Spot) -> bool:
    """Whether a nested value is of an export form; as a whole document it is not a container."""
    return isinstance(spot.value, dict) and len(spot.path) > 0 and is_form(spot.value)


def _is_commands(value: Any) -> bool:
    """Whether a value is a configuration as a tree of its lines."""
    commands = value.get("cmds") if isinstance(value, dict) else None
    return (
        isinstance(commands, dict)
        and len(commands) > 0
        and all(below is None or isinstance(below, dict) for below in commands.values())
    )


def _lines_of(value: dict[str, Any]) -> Iterator[tuple[str, tuple[Hashable, ...]]]:
    """The lines of such a tree, indented by their depth, and the path to each."""
    header = value.get("header")
    for index, line in enumerate(header if isinstance(header, list) else ()):
        yield str(line), ("header", index)
    stack: list[tuple[str, Any, tuple[Hashable, ...]]] = [("", value, ())]
    while stack:
        line, node, path = stack.pop()
        if path:
            yield STEP * (len(path) // 2 - 1) + line, path
        commands = node.get("cmds") if isinstance(node, dict) else None
        if isinstance(commands, dict) and len(path) < DEPTH:
            stack += [
                (str(key), below, (*path, "cmds", key))
                for key, below in reversed(list(commands.items()))
            ]


def _below(spot: _Spot) -> Iterator[_Spot]:
    value = spot.value
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield replace(spot, value=item, path=(*spot.path, index))
        return
    host = next((value[k] for k in _HOST_KEYS if isinstance(value.get(k), str)), None)
    commands = _commands(value)
    for key, item in value.items():
        if key in _PASSED or (key == "stdout" and _has_lines(value.get("stdout_lines"))):
            continue
        command = key if isinstance(key, str) and _COMMAND.fullmatch(key) else None
        named = host or (None if command or key in _FRAMES or key.startswith("_") else key)
        below = replace(
            spot, value=item, path=(*spot.path, key), host=host or spot.host or named,
            command=command or spot.command, startup=spot.startup or key in _NOT_IN_FORCE,
        )  # fmt: skip
        if named and not host and isinstance(item, dict | list | str):
            below.host = named
        if key in ("stdout", "stdout_lines") and isinstance(item, list) and commands:
            for index, each in enumerate(item):
                command = commands[index] if index < len(commands) else None
                yield replace(below, value=each, path=(*below.path, index), command=command)
            continue
        yield below


def _has_lines(value: Any) -> bool:
    return isinstance(value, list) and any(_is_lines(item) for item in (value, *value[:50]))


def _commands(value: dict[str, Any]) -> list[str]:
    """The commands whose outputs `stdout` holds, in order."""
    given = value.get("commands")
    called = value.get("invocation")
    if given is None and isinstance(called, dict) and isinstance(called.get("module_args"), dict):
        given = called["module_args"].get("commands")
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list):
        return []
    return [
        each if isinstance(each, str) else str(each.get("command", "")) if isinstance(each, dict)
        else "" for each in given
    ]  # fmt: skip


def _of_value(whole: Segment, places: JsonPlaces, spot: _Spot) -> Segment:
    if isinstance(spot.value, str):
        lines = spot.value.split("\n")
        numbers = [_number(whole, places, spot.path)] * len(lines)
    elif _is_form(spot):
        text, line = places.text_of(spot.path)
        lines = text.split("\n")
        numbers = [whole.numbers[line - 1 + index] for index in range(len(lines))]
    elif isinstance(spot.value, dict):
        made = list(_lines_of(spot.value))
        lines = [line for line, _ in made]
        numbers = [_number(whole, places, (*spot.path, *path)) for _, path in made]
    else:
        lines = list(spot.value)
        numbers = [_number(whole, places, (*spot.path, index)) for index in range(len(lines))]
    return Segment(lines, numbers, spot.host, spot.command, -1, spot.startup)


def _number(whole: Segment, places: JsonPlaces, path: tuple[Hashable, ...]) -> int:
    line, _ = places.place(path)
    return whole.numbers[min(line, len(whole.numbers)) - 1]


# ------------------------------------------------------------------------------------------- logs


def _in_logs(whole: Segment) -> Iterator[Segment]:
    """Outputs of tasks that an automation tool printed, each with its device name."""
    lines = whole.lines
    heads = [
        (index, found)
        for index, line in enumerate(lines)
        if ("=> " in line or ">>" in line or "** changed" in line) and len(line) < 1 << 26
        for form in (_JSON_TASK, _RAW_TASK, _RUN)
        if (found := form.match(line))
    ]
    if heads and _is_inside(lines[: heads[0][0]]):
        return
    for number, (index, found) in enumerate(heads):
        end = heads[number + 1][0] if number + 1 < len(heads) else len(lines)
        if found.re is _RUN:
            end = next((n + 1 for n in range(index, end) if lines[n].startswith(_ENDS)), end)
        if found.re is _JSON_TASK:
            host = found["host"] or found["host2"]
            part = whole.part(index, end)
            text = part.text
            yield from _in_json(part, text[found.start("begin") :], 0, host)
            continue
        kept = ["" if form_of_frame(line) else line for line in lines[index + 1 : end]]
        part = whole.part(index + 1, end).with_lines(kept)
        part.host = found["host"]
        yield part


def _is_inside(before: list[str]) -> bool:
    """Whether a fence or a heading was opened before the log, so that the log is nested in it."""
    return any(
        line.startswith(HEADING_BEGINS)
        and (_FENCE.fullmatch(line) is not None or heading(line) is not None)
        for line in before
    )


def form_of_frame(line: str) -> bool:
    """Whether a tool separates its tasks by such a line."""
    return any(form.fullmatch(line) for form in (_RUN_TASK, _RUN_END, _TASK_LINE))


# -------------------------------------------------------------------------------- tickets and pages


def _in_fences(whole: Segment) -> Iterator[Segment]:
    """The fenced blocks of a page, ticket or chat.

    The text may begin on the line of the opening fence, and end on that of the closing one.
    """
    opened: tuple[int, str] | None = None
    lines = list(whole.lines)
    for index, line in enumerate(whole.lines):
        if "```" not in line and "~~~" not in line:
            continue
        found = _FENCE.fullmatch(line)
        if opened is None:
            if found is not None:
                opened = index, found["mark"]
            elif (begun := _BEGUN.fullmatch(line)) is not None:
                opened = index - 1, begun["mark"]
                lines[index] = begun["text"]
            continue
        ended = _ENDED.fullmatch(line) if found is None else None
        mark = found["mark"] if found is not None else ended["mark"] if ended is not None else ""
        if mark.startswith(opened[1]):
            if ended is not None:
                lines[index] = ended["text"]
            end = index + (ended is not None)
            if end - opened[0] > LINES or _is_document(lines[opened[0] + 1 : end]):
                yield _of(whole, lines, opened[0] + 1, end)
            opened = None
    if opened is not None and len(lines) - opened[0] > LINES:
        yield _of(whole, lines, opened[0] + 1, len(lines))


def _of(whole: Segment, lines: list[str], first: int, end: int) -> Segment:
    part = whole.part(first, end)
    return part if part.lines == lines[first:end] else part.with_lines(lines[first:end], -1)


def _in_scalars(whole: Segment) -> Iterator[Segment]:
    """The block scalars of a YAML document."""
    lines = whole.lines
    index = 0
    while index < len(lines):
        found = (
            _SCALAR.fullmatch(lines[index]) if "|" in lines[index] or ">" in lines[index] else None
        )
        index += 1
        if found is None:
            continue
        outer = len(found["indent"])
        end = index
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > outer):
            end += 1
        if end - index < LINES and not _is_document(lines[index:end]):
            continue
        texts = [line for line in lines[index:end] if line.strip()]
        width = min(map(_indent, texts), default=0)
        part = whole.part(index, end)
        part = part.with_lines([line[width:] for line in part.lines], width)
        key = (found["key"] or "").strip("\"' ")
        part.startup = key in _NOT_IN_FORCE
        if key and key not in _FRAMES and not _COMMAND.fullmatch(key):
            part.host = key if "." not in key else None
        yield part
        index = end


def _is_document(lines: list[str]) -> bool:
    """Whether it is JSON, which holds many lines in one."""
    first = next((line.lstrip() for line in lines if line.strip()), "")
    return len(first) > LONG and first[0] in "{["


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_tags(whole: Segment) -> Segment:
    """The visible text of a page: without tags, with entities replaced."""
    lines = []
    typed = not any("<pre" in line.lower() for line in whole.lines)
    for line in whole.lines:
        low = line.lower()
        begins = low.find("<pre")
        kept = line[begins:] if begins >= 0 else line if typed else ""
        typed = low.rfind("</pre") < begins if begins >= 0 else typed and "</pre" not in low
        lines.append(html.unescape(_PRE.sub("", kept)))
    return whole.with_lines(lines, 0 if lines == whole.lines else -1)
