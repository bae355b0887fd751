"""Vendor knowledge stops at the Device: no judgement looks at the name of a vendor or its NOS."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.listing import read, under

NEUTRAL = ("roce_lint/checks", "roce_lint/analysis", "roce_lint/engine")
NOS = "eos nxos sonic cumulus junos esonic os10 iosxr srlinux vrp comware aoscx linux"
VENDORS = "arista cisco mellanox nvidia juniper broadcom dell huawei nokia nexus nx-os"


def nos_folders() -> set[str]:
    return {name.split("/")[2] for name in under("roce_lint/nos") if name.count("/") > 2}


def words() -> re.Pattern[str]:
    names = {*NOS.split(), *VENDORS.split(), *nos_folders()}
    choice = "|".join(re.escape(name) for name in sorted(names))
    return re.compile(rf"(?<![a-z])({choice})(?![a-z])", re.IGNORECASE)


def docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """Strings that are statements of their own: they explain and decide nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def vendor_words(text: str) -> list[str]:
    """Strings of a module that name a vendor, each with its line; docstrings may explain."""
    tree = ast.parse(text)
    explained = {id(node) for node in docstrings(tree)}
    pattern = words()
    return [
        f"{node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in explained
        and pattern.search(node.value)
    ]


@pytest.mark.parametrize("folder", NEUTRAL)
def test_no_vendor_is_named(folder: str) -> None:
    sources = under(folder)
    assert sources != []
    named = {name: found for name in sources if (found := vendor_words(read(name)))}
    assert named == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('if device.nos == "eos": pass', ["1: 'eos'"]),
        ('x = f"{a} on NX-OS"', ["1: ' on NX-OS'"]),
        ('\nKNOWN = {"sonic_t0", 3}', ["2: 'sonic_t0'"]),
        ('match x:\n    case "Cisco": pass', ["2: 'Cisco'"]),
        ('def f():\n    """EOS does this."""\n    return "videos, geosite"', []),
        ('x = (lambda: 1) if y else "linux"', ["1: 'linux'"]),
    ],
)
def test_a_vendor_word_is_noticed(text: str, found: list[str]) -> None:
    assert vendor_words(text) == found
