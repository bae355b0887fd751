"""A browser for the tests of this folder, and pages to open in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.report import Options, render
from roce_lint.settings import Settings
from tests.browser.chromium import NAMES, Browser
from tests.parts import part


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser, shared by all tests, since it takes a second to start. ROCE_LINT_BROWSER selects
    another one.
    """
    browser = Browser(
        os.environ.get("ROCE_LINT_BROWSER") or part(*NAMES), tmp_path_factory.mktemp("profile")
    )
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """The browser in its initial state: a wide window, light mode."""
    chromium.size(1280, 900)
    chromium.looks()
    yield chromium
    chromium.call_page("Emulation.setScriptExecutionDisabled", value=False)


@pytest.fixture(scope="session")
def broken(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page of the broken sample."""
    report = run(Request(paths=(str(root / "sample_configs" / "broken-fabric"),)), Settings())
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render("html", report, Options(cwd=str(root))), encoding="utf-8")
    return path.as_uri()
