"""Conversion of `display xml` and `display json` output to the braces form.

Both forms name words that the braces form omits: the word for the entries of a list
(`interfaces/interface`), and the leaf that holds a name (`<name>`, `<profile-name>`). The list of
these words is from the vendor's configuration models (docs/nos/junos.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from itertools import zip_longest
from typing import Any

from roce_lint.nos.declare import Export, ExportError
from roce_lint.text.elements import Element, ElementsError, read_xml
from roce_lint.text.json_scan import JsonPlaces
from roce_lint.text.places import DEPTH_LIMIT

# From elements to lines in braces.

Line = tuple[str, int]
"""A line in braces, and its line number in the other form."""

STEP = "    "
CONFIGURATION = "configuration"

KEYS = frozenset({"name", "class-name"})
"""First leaves of an entry that are its name."""

ADDRESSED = frozenset({"route-filter", "rf_list", "source-address-filter"})
"""Lists whose entries are named by their `address`."""

CHAINED = frozenset({"choice-ident", "choice-value", "community-name"})
"""Leaves that follow the name of an entry in the same statement, as bare values."""

KEYED = frozenset({"drop-profile-map"})
"""One-line statements with leaves in sequence, each with its word."""

BARE_LEAVES = frozenset({
    "as-number", "bits", "bundle", "classifier-name", "class-name", "community", "filter-name",
    "group-value", "identifier", "interface-name", "path", "profile-name", "range-end", "rate",
    "rd-type", "rewrite-rule-name", "ribgroup-name",
})  # fmt: skip
"""Leaves that are bare values in the braces form."""

BARE_BELOW = {"community": ("vrf-target",), "path": ("as-path",), "identifier": ("esi",)}
"""Exceptions: leaves that are bare values below these words only."""

OMITTED_LISTS = {
    "interfaces": "interface",
    "vlans": "vlan",
    "routing-instances": "instance",
    "bridge-domains": "domain",
    "prefix-list": "prefix-list-item",
    "route-filter-list": "rf_list",
}
"""Lists whose own word is omitted, by the word above them."""

_BEGUN_BY_DIGIT = re.compile(r"ieee-(?=802\.3ad$)|ethernet-(?=\d)")
"""Prefix of a word that begins with a digit; an element name may not begin so."""

_BARE = re.compile(r"[^\s{};\"#\[\]]+|\([^{};\"#\[\]\n]+\)")
"""One word, or a combination of policies: `( A && B )`."""


def _below(above: Element, depth: int) -> Iterator[Line]:
    """Statements below an element, in braces form."""
    below = _children(above)
    end = 0
    for at, each in enumerate(below):
        if at < end:
            continue  # of the list before
        end = at + 1
        while end < len(below) and _is_listed(each, below[end]):
            end += 1
        if end == at + 1:
            yield from _statement(each, above, depth)
            continue
        words = [] if _is_omitted(each, above) else [_BEGUN_BY_DIGIT.sub("", each.name)]
        words += ["[", *(_quote(member.text.strip()) for member in below[at:end]), "];"]
        yield STEP * depth + " ".join(words), each.line


def _children(above: Element) -> list[Element]:
    """Child elements that are statements, in order."""
    found = []
    for each in above.below:
        if each.name == "undocumented":
            found += _children(each)
        elif each.name != "comment":
            found.append(each)
    return found


def _is_listed(one: Element, other: Element) -> bool:
    """Whether two consecutive elements are members of one list, and both in force."""
    return one.name == other.name and all(
        not each.below and each.text.strip() and "inactive" not in each.marks
        for each in (one, other)
    )


def _statement(each: Element, above: Element, depth: int) -> Iterator[Line]:
    words, rest = _header(each, above)
    if not words:
        yield from _below(each, depth)
        return
    marks = [f"{mark}: " for mark in ("inactive", "protect") if mark in each.marks]
    begin = STEP * depth + "".join(marks) + " ".join(words)
    if not rest.below:
        yield f"{begin};", rest.line
        return
    yield f"{begin} {{", rest.line
    yield from _below(rest, depth + 1)
    yield f"{STEP * depth}}}", rest.line


def _header(each: Element, above: Element) -> tuple[list[str], Element]:
    """Words of a statement, and the content of its block."""
    words = [] if _is_omitted(each, above) else [_BEGUN_BY_DIGIT.sub("", each.name)]
    if not each.below:
        text = each.text.strip()
        return [*words, *([_quote(text)] if text else [])], each
    below = _children(each)
    taken = 0
    if each.name in KEYED:
        for leaf in below:
            words += [_BEGUN_BY_DIGIT.sub("", leaf.name), _quote(leaf.text.strip())]
        taken = len(below)
    elif (
        below
        and not below[0].below
        and (below[0].name in KEYS or (below[0].name == "address" and each.name in ADDRESSED))
    ):
        words.append(_quote(below[0].text.strip()))
        taken = 1
    while taken < len(below) and below[taken].name in CHAINED:
        text = below[taken].text.strip()
        words += [_quote(text)] if text else []
        taken += 1
    if taken < len(below) and below[taken].name == "end-range":
        words += ["to", _quote(below[taken].text.strip())]
        taken += 1
    # The line with the name is more useful than the first line of a list entry.
    line = below[0].line if taken else each.line
    return words, Element(each.name, line, below=below[taken:], marks=each.marks)


def _is_omitted(each: Element, above: Element) -> bool:
    if OMITTED_LISTS.get(above.name) == each.name:
        return True
    bare = each.name in BARE_LEAVES and above.name in BARE_BELOW.get(each.name, (above.name,))
    return not each.below and (bare or each.name == above.name)


def _quote(text: str) -> str:
    """A value in braces form; quoted unless it is one bare word."""
    if _BARE.fullmatch(text) and not text.startswith("/*"):
        return text
    return json.dumps(text, ensure_ascii=False)


# From text to elements with positions, and on to lines in braces.

TEXTS = ("configuration-text", "configuration-set", "configuration-output")
"""Elements that hold the configuration as text."""

REPLIES = (
    "rpc-reply", "data", "multi-routing-engine-results", "multi-routing-engine-item",
    "configuration-information", "rpc", "edit-config", "config", "get-configuration",
)  # fmt: skip
"""Elements around a configuration."""

MARKS = ("@", "attributes")
"""Keys for the attributes that XML elements have."""

_Path = tuple[Hashable, ...]


def from_xml(text: str) -> list[Line]:
    """Lines of a configuration in XML.

    Raises:
        ExportError: it breaks off, is nested without end, or holds no configuration.
    """
    begin = text.find("<")
    try:
        root = read_xml(text[begin:], text.count("\n", 0, begin) + 1)
    except ElementsError as error:
        raise ExportError(str(error), error.line) from error
    stack = [root]
    while stack:
        each = stack.pop()
        if each.name == CONFIGURATION:
            return list(_below(each, 0))
        if each.name in TEXTS:
            return [(line, each.line + index) for index, line in enumerate(each.text.split("\n"))]
        if each.name in REPLIES:
            stack += reversed(each.below)
    raise ExportError("no element `configuration`", root.line)


def from_json(text: str) -> list[Line]:
    """Lines of a configuration in JSON, in the current form and that before 16.1.

    Raises:
        ExportError: it breaks off, is nested without end, or holds no configuration.
    """
    begin = text.find("{")
    try:
        data, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
    except json.JSONDecodeError as error:
        raise ExportError(error.msg, error.lineno) from error
    except RecursionError:
        raise ExportError("nested deeper than any device nests", 1) from None
    if not isinstance(data, dict) or CONFIGURATION not in data:
        raise ExportError(f"no {CONFIGURATION!r}", 1)
    places = JsonPlaces(text, begin)
    top = _element(places, CONFIGURATION, data[CONFIGURATION], (CONFIGURATION,))
    return list(_below(top, 0))


def _element(places: JsonPlaces, name: str, value: Any, path: _Path) -> Element:
    """The element of a value, with the line of its key."""
    made = Element(name, places.place(path)[0])
    if len(path) > DEPTH_LIMIT:
        raise ExportError("nested deeper than any device nests", made.line)
    if isinstance(value, list) and len(value) == 1:
        value, path = value[0], (*path, 0)
    data = value.get("data", {}) if isinstance(value, dict) else {}
    if not isinstance(data, dict | list) or data == [None]:
        made.marks = _marks(value)
        made.line = places.place((*path, "data"))[0]
        value = data
    if isinstance(value, dict):
        made.marks = _marks(value)
        made.below = list(_elements(places, value, path))
    elif isinstance(value, bool):
        made.text = "true" if value else "false"
    elif not isinstance(value, list):
        made.text = "" if value is None else str(value)
    elif value != [None]:
        raise ExportError(f"several values of {name!r} where one is expected", made.line)
    return made


def _elements(places: JsonPlaces, value: dict[str, Any], path: _Path) -> Iterator[Element]:
    for key, item in value.items():
        if key in MARKS or key.startswith("@"):
            continue
        stated = value.get(f"@{key}")
        marks = stated if isinstance(stated, list) else [stated]
        entries = [(item, (*path, key))]
        if isinstance(item, list) and len(item) != 1:
            entries = [(one, (*path, key, index)) for index, one in enumerate(item)]
        for (one, place), mark in zip_longest(entries, marks[: len(entries)]):
            each = _element(places, key, one, place)
            each.marks = each.marks or _attributes(mark)
            yield each


def _marks(value: dict[str, Any]) -> dict[str, str]:
    return next((_attributes(value[key]) for key in MARKS if key in value), {})


def _attributes(marks: Any) -> dict[str, str]:
    """Attributes of an element; `false` ones are left out."""
    if not isinstance(marks, dict):
        return {}
    return {key.rsplit(":", 1)[-1]: str(value) for key, value in marks.items() if value}


# Recognition of both forms.

_TOP = (
    "version|groups|apply-groups|system|chassis|interfaces|class-of-service|firewall|vlans"
    "|policy-options|protocols|routing-options|routing-instances|forwarding-options|switch-options"
    "|snmp|security|services|access|accounting-options|event-options|applications"
)
"""Top-level statements, which distinguish the form from settings of other programs."""

_XML = (
    r"\A(?:\s|<\?[^>]{0,200}>|<!DOCTYPE[^>\[]{0,200}(?:\[[^\]]{0,4000}\])?>)*+"
    r"(?:<(?:[\w-]{1,20}:)?(?:rpc-reply|rpc|data|config)\b[\s\S]*?)?<configuration"
    rf"(?:-(?:text|set|output)[\s>]|(?:\s[^>]{{0,600}})?>\s*<(?:{_TOP})[\s/>])"
)
_JSON = (
    r"\A\s*\{\s*\"configuration\"\s*:\s*(?:\[\s*)?\{\s*"
    rf"(?:\"(?:@|attributes)\"\s*:\s*\{{[^{{}}]{{0,600}}\}}\s*,\s*)?\"@?(?:{_TOP})\"\s*:"
)

INSTEAD = "save the text form, that of `show configuration`"

EXPORTS = tuple(
    Export(f"the configuration as {form}", hint, sign, begins, lines, INSTEAD)
    for form, hint, sign, begins, lines in (
        ("XML", "<configuration", _XML, "<", from_xml),
        ("JSON", '"configuration"', _JSON, "{", from_json),
    )
)
