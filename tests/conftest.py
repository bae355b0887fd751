"""Shared fixtures: project root, corpus of real configurations, golden files."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tests.parts import ABSENT

ROOT = Path(__file__).resolve().parent.parent
LONGEST_NAME = 200
Within = Callable[[float], AbstractContextManager[None]]

# A hosted pipeline must not change what a run prints; tests that ask for it say so.
for _name in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)

# Shared machines stall: a deadline would find the neighbour's load, not our faults. What fails in
# `make test` fails again; `make test-deep` looks at more examples, and at others each time.
settings.register_profile("landing", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("deep", deadline=None, derandomize=bool(os.environ.get("CI")))
NOT_DEEP = "not deep"


@dataclass(frozen=True)
class Golden:
    """Compares results with files kept under tests/, and writes them anew when asked."""

    rewrite: bool

    def check(self, path: Path, text: str) -> None:
        """Fail unless `path` holds exactly `text`; with --rewrite, make it so."""
        if self.rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        if not path.is_file():
            pytest.fail(f"{path} is missing; `pytest --rewrite` writes it, then read it")
        assert text == path.read_bytes().decode(), (
            f"{path} differs; if the new text is right, `pytest --rewrite` and read the change"
        )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("landing" if config.option.markexpr == NOT_DEEP else "deep")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write golden files anew instead of comparing; read the change before it is kept",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector: thousands of cases are made and none is dropped."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(
            50_000, 20, 50
        )  # what is collected stays; the rest is looked at less often


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the house rules first: they are quick, and a breach of one is worth knowing early. Cases
    of one group share what they check; side by side, most of them run on one worker.
    """
    items.sort(key=_place)


def _place(item: pytest.Item) -> tuple[bool, bool, str]:
    mark = item.get_closest_marker("xdist_group")
    return "house" not in item.path.parts, mark is None, str(mark.args[0]) if mark else ""


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Short names for what is long; those of archives would also change with the time of day, and
    workers that collect at different seconds must agree on the names.
    """
    if isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_NAME):
        return argname
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs whose absence left tests out (tests/parts.py)."""
    skipped = [str(report.longrepr) for report in terminalreporter.getreports("skipped")]
    absent = {text.split(ABSENT)[1].rstrip("')") for text in skipped if ABSENT in text}
    if absent:
        names = ", ".join(sorted(absent))
        terminalreporter.write_line(f"absent, their tests were skipped: {names}")


@pytest.fixture(scope="session")
def within(request: pytest.FixtureRequest) -> Within:
    """A bound of the processor time of a block, in seconds; only the deep suite measures it."""
    deep = request.config.getoption("-m") != NOT_DEEP

    @contextmanager
    def bound(seconds: float) -> Iterator[None]:
        begin = sum(os.times()[:4])  # with that of children
        yield
        assert not deep or sum(os.times()[:4]) - begin < seconds

    return bound


@pytest.fixture
def cached(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of what was read, shared by the tests of a worker that ask for it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder that holds pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> Golden:
    """The keeper of golden files."""
    return Golden(rewrite=request.config.getoption("--rewrite"))


@pytest.fixture(scope="session")
def corpus(root: Path) -> Path:
    """Real configs beside the project; they belong to others and are never copied into it."""
    folder = root.parent / "shared" / "corpus"
    if not folder.is_dir():
        pytest.skip("no corpus of real configs beside the project (../shared/corpus)")
    return folder
