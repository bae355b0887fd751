"""File names are relative to the working directory, wherever the configurations are."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.report.places import Places


@pytest.mark.parametrize(
    ("base", "cwd", "file", "shown"),
    [
        (".", "/site", "leaf1.cfg", "leaf1.cfg"),
        ("configs", "/site", "a/leaf1.cfg", "configs/a/leaf1.cfg"),
        ("configs/", "/site", "leaf1.cfg", "configs/leaf1.cfg"),
        ("../other", "/site", "leaf1.cfg", "../other/leaf1.cfg"),
        ("/data/configs", "/data", "leaf1.cfg", "configs/leaf1.cfg"),
        ("/data/configs", "/site", "leaf1.cfg", "../data/configs/leaf1.cfg"),
        ("configs", "/site", "../roce-lint.toml", "roce-lint.toml"),
        ("configs", "/site", "<stdin>", "<stdin>"),
        ("configs", "/site", "", ""),
        ("configs", "/site", "snap.tar.gz!leaf1/x.txt", "snap.tar.gz!leaf1/x.txt"),
        ("configs", "/site", "SNAP.ZIP!x", "SNAP.ZIP!x"),
        ("configs", "/site", "odd!name.cfg", "configs/odd!name.cfg"),
        ("configs", "/site", "/site/x.cfg", "x.cfg"),
    ],
)
def test_names_for_people(base: str, cwd: str, file: str, shown: str) -> None:
    places = Places(base, cwd)
    assert places.name(file) == shown
    assert places.name(file) == shown


@pytest.mark.parametrize(
    ("file", "shown"),
    [("a/x.cfg", "a/x.cfg"), ("/data/x.cfg", "../x.cfg"), ("<stdin>", "<stdin>")],
)
def test_names_for_machines(file: str, shown: str) -> None:
    assert Places("configs", "/data").within_base(file) == shown


def test_our_own_pages_are_named_as_in_the_project(root: Path) -> None:
    page = str(root / "rules" / "mtu" / "MTU001-x.md")
    places = Places("configs", "/site")
    assert places.name(page) == places.within_base(page) == "rules/mtu/MTU001-x.md"
