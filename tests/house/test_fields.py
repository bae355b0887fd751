"""Every model field set by readers is used by a check, or listed with a reason."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator

import roce_lint.model
from roce_lint.model.interface import Tunnel
from roce_lint.model.sourced import Sourced
from tests.house.listing import read, under

JUDGING = ("roce_lint/analysis", "roce_lint/checks", "roce_lint/engine", "roce_lint/topology")

COMPARES_ALL = ("drift.py", "difference.py", "contents.py", "representatives.py")
"""They compare or copy all fields uniformly, which is not a check of any of them."""

NOT_JUDGED = {
    "BufferProfile.xon_bytes": "no document gives a bound for where traffic resumes; drift from a "
    "golden device and differences of two states show it",
    "Device.lldp": "neighbours are judged by what LLDP shows; drift from a golden device shows it",
    "Device.shape": "tells which hosts are copies of one, and nothing about a host",
    "Device.vendor": "judgements know no vendor; reports and exports name it",
    "Interface.gateway": "routes of hosts are not simulated; drift from a golden device shows it",
    "Interface.parts_gbps": "the speed of each part is judged",
    "Nic.maker": "judgements go by what an adapter does; an intent of a fabric names it",
    "RocePlan.max_lossless": "bounds what a design may ask for, and is held against it there",
    "Routing.connected": "what a leaf announces is judged by `redistributes` and `announced`",
    "Routing.router_id": "routing is not simulated; drift from a golden device shows it",
    "Tunnel.outer_ipv6": "read through `adds`, by which the walk judges it",
}
"""Only fields that were removed, or are checked by now, may leave the list."""


def kinds(of: type[Sourced] = Sourced) -> Iterator[type[Sourced]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def fields_of_the_model() -> dict[str, set[str]]:
    """Every field of a model object, and the kinds that have it."""
    for module in pkgutil.iter_modules(roce_lint.model.__path__):
        importlib.import_module(f"roce_lint.model.{module.name}")
    found: dict[str, set[str]] = {}
    for kind in kinds():
        for entry in dataclasses.fields(kind):
            if entry.name not in ("src", "at") and kind.__module__.startswith("roce_lint.model."):
                found.setdefault(entry.name, set()).add(kind.__name__)
    return found


def names_read() -> set[str]:
    """Attributes that judging code reads, and words by which it may ask for a field."""
    found: set[str] = set()
    for name in under(*JUDGING):
        if not name.endswith(COMPARES_ALL):
            for node in ast.walk(ast.parse(read(name))):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    found.add(node.attr)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
    return found


def test_every_field_is_judged_or_listed() -> None:
    known = names_read()
    unread = {
        f"{kind}.{name}"
        for name, found in fields_of_the_model().items()
        for kind in found
        if name not in known
    }
    assert unread == set(NOT_JUDGED)


def test_what_is_read_through_another_name_is_read() -> None:
    assert "adds" in names_read()
    assert Tunnel.adds.fget is not None
    assert "outer_ipv6" in Tunnel.adds.fget.__code__.co_names
