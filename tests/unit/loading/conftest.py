"""A NOS that only these tests have, known to every part of the loader while a test runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from roce_lint.loading import identify, intake
from roce_lint.nos.base import Nos
from roce_lint.nos.registry import all_nos

Known = Callable[[Nos], Nos]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[Known]:
    """Registers a NOS; unregistered after the test."""

    def forget() -> None:
        identify._scores.cache_clear()
        identify._by_command.cache_clear()
        intake._KNOWN.clear()

    def make(nos: Nos) -> Nos:
        monkeypatch.setitem(all_nos(), nos.name, nos)
        forget()
        return nos

    yield make
    forget()
