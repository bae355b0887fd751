"""Checks by name: registering, finding, and what plug-ins bring."""

from __future__ import annotations

import importlib.metadata
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.engine import registry
from roce_lint.engine.api import device_check, fabric_check, link_check, object_check
from roce_lint.engine.registry import Scope
from roce_lint.errors import RoceLintError, RulePageError
from tests.unit.engine.rules import checks_of_this_test


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with checks_of_this_test():
        yield


def test_decorators_register_with_their_scope() -> None:
    @device_check("test:a")
    def of_device(device, given): ...

    @link_check("test:b", params=dict)
    def of_link(link, given): ...

    @object_check("test:c", over="egress")
    def of_object(bound, given): ...

    @fabric_check("test:d")
    def of_fabric(fabric, given): ...

    found = [registry.get(f"test:{letter}", "p.md") for letter in "abcd"]
    assert [(c.scope, c.function, c.params, c.over) for c in found] == [
        (Scope.DEVICE, of_device, None, ""),
        (Scope.LINK, of_link, dict, ""),
        (Scope.OBJECT, of_object, None, "egress"),
        (Scope.FABRIC, of_fabric, None, ""),
    ]


def test_two_checks_of_one_name_are_refused() -> None:
    @device_check("test:a")
    def first(device, given): ...

    with pytest.raises(RoceLintError, match="two checks are named 'test:a'"):

        @device_check("test:a")
        def second(device, given): ...


def test_importing_a_module_again_is_no_second_check() -> None:
    def make() -> None:
        @device_check("test:a")
        def again(device, given): ...

    make()
    make()
    assert "test:a" in registry.CHECKS


def test_an_unknown_check_names_the_page_and_its_neighbours() -> None:
    with pytest.raises(RulePageError) as caught:
        registry.get("mtu.too_smal", "rules/mtu/X.md")
    assert str(caught.value).startswith("rules/mtu/X.md: no check is named 'mtu.too_smal' (known:")
    assert "mtu.too_small_for_roce" in str(caught.value)
    with pytest.raises(RulePageError, match=r"no check is named 'nosuch\.thing'$"):
        registry.get("nosuch.thing", "p.md")


def test_importing_the_package_of_checks_registers_them() -> None:
    assert {"mtu.ends_differ", "pfc.on_without_class", "links.claims_contradict"} <= set(
        registry.CHECKS
    )


def point(value: object) -> types.SimpleNamespace:
    return types.SimpleNamespace(name="acme", value="acme:pages", load=lambda: value)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list]:
    points: list[types.SimpleNamespace] = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
    registry.plugin_pages.cache_clear()
    yield points
    registry.plugin_pages.cache_clear()


def test_a_plugin_brings_a_folder_of_pages(plugins: list, tmp_path: Path) -> None:
    plugins.append(point(tmp_path))
    assert registry.plugin_pages() == (tmp_path,)


def test_a_plugin_without_folder_is_refused(plugins: list, tmp_path: Path) -> None:
    plugins.append(point(tmp_path / "gone"))
    with pytest.raises(RoceLintError, match=r"entry point acme:pages of group roce_lint\.rules"):
        registry.plugin_pages()
