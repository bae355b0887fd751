"""Mutates a text by the grammar of its form: lines, words, numbers, nesting, trees, bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from roce_lint.nos.declare import Form

NUMBERS = (
    "0", "-1", "00", "7", "8", "63", "64", "255", "256", "4095", "4096", "65536", "2147483648", "1e309",
    "9" * 20, "9" * 400, "9" * 5000, "0x1f", "1.5", "-0", "١٢", "nan", "inf", "1-", "1-4094", "0-4294967295",
)  # fmt: skip
WORDS = (
    "", '"', "'", "\\", "{", "}", "[", "]", "*", "?", "!", "#", "##", "::error::x", "##vso[task.x]y",
    "\x1b[2J", "\u202e", "\ud800", "\x00", "\ufeff", "é", "𝟛", "<script>", "$(x)", "${a:-${a}}", "`x`", "..",
    "/", "a" * 300, "true", "null", "no", "default", "any", "all", "password x", "key 7 y", "%s", "{0}", "&a", "*a",
)  # fmt: skip
LONG = 20_000
"""Characters of a line that is made long: more than a pattern may see."""

_WORD = re.compile(r"[^\s\"',;:{}\[\]=]+")
_NUMBER = re.compile(r"\d+")

Mutation = Callable[[Random, str], str]


def mutate(random: Random, text: str, form: Form) -> bytes:
    """The text after one to six mutations, as bytes."""
    ways = [*COMMON, *GRAMMAR.get(form, ()), *GRAMMAR.get(form, ())]
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        text = random.choice(ways)(random, text)
    data = text.encode("utf-8", "surrogatepass")
    return _bytes(random, data) if random.random() < 0.1 else data


def _lines(random: Random, text: str) -> str:
    """Delete, repeat, swap, move or indent a run of lines."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    run = lines[at : at + random.choice((1, 1, 1, 2, 5, 20))]
    rest = lines[:at] + lines[at + len(run) :]
    how = random.randrange(6)
    if how == 0:
        lines = rest
    elif how == 1:
        lines[at:at] = run * random.choice((1, 2, 50))
    elif how == 2:
        to = random.randrange(len(rest) + 1)
        lines = rest[:to] + run + rest[to:]
    elif how == 3:
        lines[at : at + len(run)] = [" " * random.choice((1, 2, 3, 8)) + line for line in run]
    elif how == 4:
        lines[at : at + len(run)] = [line.lstrip() for line in run]
    else:
        lines[at : at + len(run)] = run[::-1]
    return "\n".join(lines)


def _at(random: Random, text: str, pattern: re.Pattern[str]) -> tuple[int, int]:
    """The span of a match of a pattern, or a place of no width."""
    begin = random.randrange(len(text) + 1)
    found = pattern.search(text, begin) or pattern.search(text)
    return found.span() if found else (begin, begin)


def _number(random: Random, text: str) -> str:
    begin, end = _at(random, text, _NUMBER)
    number = text[begin:end]
    made = random.choice(NUMBERS)
    if number and len(number) < 10 and random.random() < 0.5:
        made = str(int(number) + random.choice((-1, 1, 10, 1000)))
    return text[:begin] + made + text[end:]


def _word(random: Random, text: str) -> str:
    begin, end = _at(random, text, _WORD)
    other = _at(random, text, _WORD)
    made = random.choice((random.choice(WORDS), text[slice(*other)], text[begin:end] * 2))
    return text[:begin] + made + text[end:]


def _cut(random: Random, text: str) -> str:
    """End in the middle of something."""
    return text[: random.randrange(len(text) + 1)]


def _long(random: Random, text: str) -> str:
    begin, end = _at(random, text, _WORD)
    pump = random.choice(
        (" ", "a ", "1,", "a" + "=", "{", '"', "(a)", "a !", "1-", text[begin:end] or "x")
    )
    return text[:end] + (pump * LONG)[:LONG] + text[end:]


def _ends(random: Random, text: str) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", " \n", "\x0b", "\u2028")))


def _bytes(random: Random, data: bytes) -> bytes:
    how = random.randrange(4)
    if how == 0:
        return data.decode("utf-8", "replace").encode("utf-16")
    if how == 1:
        return b"\xef\xbb\xbf" + data
    at = random.randrange(len(data) + 1)
    return data[:at] + random.randbytes(random.choice((1, 4, 400))) + data[at:]


def _brackets(random: Random, text: str) -> str:
    """More levels, or one end too many or too few."""
    at = random.randrange(len(text) + 1)
    opened, closed = random.choice((("{", "}"), ("[", "]"), ("(", ")"), ('"', '"')))
    depth = random.choice((1, 1, 1, 30, 3000))
    made = random.choice(
        (opened * depth, closed * depth, (opened + " x ") * depth + closed * depth)
    )
    return text[:at] + made + text[at:]


def _tree(random: Random, text: str) -> str:
    """One value of a JSON document becomes another, of another type, or a deeper one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places: list[tuple[Any, Any]] = []
    if isinstance(data, dict | list):
        _places(data, places)
    if not places:
        return text
    for _ in range(random.choice((1, 1, 4))):
        holder, key = random.choice(places)
        value = _value(random, holder[key])
        if isinstance(holder, dict) and random.random() < 0.3:
            holder[str(key) + random.choice(WORDS)] = value
        else:
            holder[key] = value
    return json.dumps(data, indent=random.choice((None, 1, 4)), ensure_ascii=random.random() < 0.5)


def _places(data: Any, found: list[tuple[Any, Any]]) -> None:
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    for key in list(keys):
        found.append((data, key))
        if isinstance(data[key], dict | list):
            _places(data[key], found)


def _value(random: Random, old: Any) -> Any:
    return random.choice(
        (
            None, True, -1, 2**70, 1.5, "", [], {}, [old], {"x": old}, random.choice(WORDS),
            random.choice(NUMBERS), [old] * 50, {str(n): old for n in range(50)}, "|", "a|b",
        )
    )  # fmt: skip


def _yaml(random: Random, text: str) -> str:
    at = text.find("\n", random.randrange(len(text) + 1)) + 1
    made = random.choice(
        (
            "x: &a [1]\ny: *a\n", "<<: *b\n", "? - x\n: y\n", "- - - - x\n", "---\n", "...\n", "x: !!int y\n",
            "swp1-9999:\n", "? swp[1-64]s[0-3]\n", "x: |\n  y\n", "\tx: y\n", "'x': {y: [}\n", "%YAML 1.2\n",
        )
    )  # fmt: skip
    return text[:at] + made + text[at:]


def _shell(random: Random, text: str) -> str:
    at = text.find("\n", random.randrange(len(text) + 1)) + 1
    made = random.choice(
        (
            "for i in {1..9}{1..9}{1..9}; do mlnx_qos -i eth$i --pfc 0,0,0,1,0,0,0,0; done\n", "if true\nthen\n",
            "x=$x$x\n" * 30, "while :; do :; done\n", "f() { f; }; f\n", "cat <<E\nE\n", "a='\n", "$((1/0))\n",
            "for a in $b; do for b in $a; do echo; done; done\n", "case x in x) ;; esac\n", "eval $x\n", "x=${x#?}\n",
        )
    )  # fmt: skip
    return text[:at] + made + text[at:]


def _groups(random: Random, text: str) -> str:
    made = random.choice(
        (
            "groups { a { interfaces { <*> { mtu 1; } } } }\napply-groups a;\n",
            "groups { a { apply-groups b; } b { apply-groups a; } }\napply-groups [ a b ];\n",
            "set groups g interfaces <et-*> mtu 9\nset apply-groups g\n",
            'interfaces { interface-range r { member "et-*"; member-range et-0/0/0 to et-0/0/999; mtu 2; } }\n',
            "inactive: ", "/* ", "## SECRET-DATA\n", 'apply-path "x <*>";\n', "delete interfaces\n",
        )
    )  # fmt: skip
    at = text.find("\n", random.randrange(len(text) + 1)) + 1
    return text[:at] + made + text[at:]


def _ranges(random: Random, text: str) -> str:
    at = text.find("\n", random.randrange(len(text) + 1)) + 1
    made = random.choice(
        (
            "interface Ethernet1-64\n", "interface Vlan5 x\n", "interface Ethernet1/1-99999999\n",
            "class-map type qos match-any a\n match dscp 1-99\n", "default interface Ethernet1\n",
            "qos map dscp 99 to traffic-class 99\n", "no qos map\n", "end\nend\n", "!\n" * 40, "banner motd ^\nx\n",
            "policy-map type queuing p\n class type queuing c\n", "   mtu 9214 ! x ! x ! x\n",
        )
    )  # fmt: skip
    return text[:at] + made + text[at:]


COMMON: tuple[Mutation, ...] = (_lines, _lines, _number, _number, _word, _word, _cut, _long, _ends)
GRAMMAR: dict[Form, tuple[Mutation, ...]] = {
    Form.INDENTED: (_ranges,),
    Form.LINES: (_ranges,),
    Form.STATEMENTS: (_groups, _brackets),
    Form.JSON: (_tree, _tree, _brackets),
    Form.YAML: (_yaml, _brackets),
    Form.INI: (_brackets,),
    Form.ENV: (_shell,),
    Form.SHELL: (_shell, _brackets),
}
