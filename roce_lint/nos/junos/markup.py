"""The configuration as `display xml` and `display json` print it, written in braces.

Both forms name what the form in braces leaves out: the word for the entries of a list
(`interfaces/interface`), and the leaf that holds a name (`<name>`, `<profile-name>`). Which words
these are is from the models that the vendor publishes for its configuration (docs/nos/junos.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from roce_lint.text.elements import Element

Line = tuple[str, int]
"""A line in braces, and the number of the line that says it in the other form."""

STEP = "    "
CONFIGURATION = "configuration"

KEYS = frozenset({"name", "class-name"})
"""First leaves of an entry that are its name."""

ADDRESSED = frozenset({"route-filter", "rf_list", "source-address-filter"})
"""Lists whose entries are named by their `address`."""

CHAINED = frozenset({"choice-ident", "choice-value", "community-name"})
"""Leaves that follow the name of an entry in the same statement, by their values alone."""

KEYED = frozenset({"drop-profile-map"})
"""Statements of one line whose leaves follow each other, each with its word."""

_UNSAID = """
as-number bits bundle classifier-name class-name community filter-name group-value identifier
interface-name path profile-name range-end rate rd-type rewrite-rule-name ribgroup-name
"""
UNSAID_LEAVES = frozenset(_UNSAID.split())
"""Leaves that stand in braces by their values alone."""

SAID_BELOW = {"community": ("vrf-target",), "path": ("as-path",), "identifier": ("esi",)}
"""Of these, those that are left out below some words only."""

UNSAID_LISTS = frozenset(
    (
        ("interfaces", "interface"),
        ("vlans", "vlan"),
        ("routing-instances", "instance"),
        ("bridge-domains", "domain"),
        ("prefix-list", "prefix-list-item"),
        ("route-filter-list", "rf_list"),
    )
)
"""Lists whose word is left out, each with the word above it."""

_BEGUN_BY_DIGIT = re.compile(r"ieee-(?=802\.3ad$)|ethernet-(?=\d)")
"""What stands before a word that begins with a digit, which the name of an element may not."""

_BARE = re.compile(r"[^\s{};\"#\[\]]+|\([^{};\"#\[\]\n]+\)")
"""One word, or policies that are combined: `( A && B )`."""


def lines_of(configuration: Element) -> list[Line]:
    """The statements below the outermost element, as the form in braces has them."""
    return list(_below(configuration, 0))


def _below(above: Element, depth: int) -> Iterator[Line]:
    below = _children(above)
    at = 0
    while at < len(below):
        each = below[at]
        end = at + 1
        while end < len(below) and _is_listed(each, below[end]):
            end += 1
        if end > at + 1:
            yield _list(below[at:end], above, depth)
        else:
            yield from _statement(each, above, depth)
        at = end


def _children(above: Element) -> list[Element]:
    """The elements that are statements, in their order."""
    found = []
    for each in above.below:
        if each.name == "undocumented":
            found += _children(each)
        elif each.name != "comment":
            found.append(each)
    return found


def _is_leaf(element: Element) -> bool:
    return not element.below


def _is_listed(one: Element, other: Element) -> bool:
    """Whether two elements in a row are members of one list, and both are in force."""
    return (
        one.name == other.name
        and all(_is_leaf(each) and each.text.strip() for each in (one, other))
        and not any("inactive" in each.marks for each in (one, other))
    )


def _list(members: list[Element], above: Element, depth: int) -> Line:
    words = [_quote(each.text.strip()) for each in members]
    word = "" if _is_unsaid(members[0], above) else f"{_word(members[0])} "
    return f"{STEP * depth}{word}[ {' '.join(words)} ];", members[0].line


def _statement(each: Element, above: Element, depth: int) -> Iterator[Line]:
    words, rest = _header(each, above)
    if not words:
        yield from _below(each, depth)
        return
    begin = STEP * depth + _prefix(each) + " ".join(words)
    if not rest.below:
        yield f"{begin};", rest.line
        return
    yield f"{begin} {{", rest.line
    yield from _below(rest, depth + 1)
    yield f"{STEP * depth}}}", rest.line


def _header(each: Element, above: Element) -> tuple[list[str], Element]:
    """The words of a statement, and what stands in its block."""
    words = [] if _is_unsaid(each, above) else [_word(each)]
    if _is_leaf(each):
        text = each.text.strip()
        return [*words, *([_quote(text)] if text else [])], each
    below = _children(each)
    taken = 0
    if each.name in KEYED:
        for leaf in below:
            words += [_word(leaf), _quote(leaf.text.strip())]
        taken = len(below)
    elif _is_name(below[0] if below else None, each):
        words.append(_quote(below[0].text.strip()))
        taken = 1
    while taken < len(below) and below[taken].name in CHAINED:
        text = below[taken].text.strip()
        words += [_quote(text)] if text else []
        taken += 1
    if taken < len(below) and below[taken].name == "end-range":
        words += ["to", _quote(below[taken].text.strip())]
        taken += 1
    # The line with the name tells more than the one on which an entry of a list begins.
    line = below[0].line if taken else each.line
    return words, Element(each.name, line, below=below[taken:], marks=each.marks)


def _is_name(first: Element | None, entry: Element) -> bool:
    if first is None or not _is_leaf(first):
        return False
    return first.name in KEYS or (first.name == "address" and entry.name in ADDRESSED)


def _is_unsaid(each: Element, above: Element) -> bool:
    if (above.name, each.name) in UNSAID_LISTS or (each.name == above.name and _is_leaf(each)):
        return True
    if each.name not in UNSAID_LEAVES or not _is_leaf(each):
        return False
    return above.name in SAID_BELOW.get(each.name, (above.name,))


def _word(element: Element) -> str:
    return _BEGUN_BY_DIGIT.sub("", element.name)


def _prefix(element: Element) -> str:
    prefix = "inactive: " if "inactive" in element.marks else ""
    return prefix + ("protect: " if "protect" in element.marks else "")


def _quote(text: str) -> str:
    """A value as it stands in braces; in quotes where it is not one bare word."""
    if _BARE.fullmatch(text) and not text.startswith("/*"):
        return text
    return json.dumps(text, ensure_ascii=False)
