"""What every test may ask for: the project's root, the corpus of real configs, golden files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
LONGEST_NAME = 200

# A hosted pipeline must not change what a run prints; tests that ask for it say so.
for _name in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)

# Shared machines stall: a deadline would find the neighbour's load, not our faults. CI repeats the
# same examples, so that a failure there is one that a developer sees too.
settings.register_profile("house", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("house")


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write golden files anew instead of comparing; read the change before it is kept",
    )


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Short names for what is long; those of archives would also change with the time of day, and
    workers that collect at different seconds must agree on the names.
    """
    if isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_NAME):
        return argname
    return None


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
