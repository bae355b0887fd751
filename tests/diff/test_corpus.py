"""Real configurations have no difference from themselves."""

from __future__ import annotations

import pytest

from roce_lint.loading.load import load
from tests.corpus.test_corpus import CORPUS
from tests.diff.compared import change_lines, compared

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of real configs")


@pytest.mark.parametrize("folder", sorted(p.name for p in CORPUS.glob("*") if p.is_dir()))
def test_read_twice_nothing_differs(folder: str) -> None:
    first, second = (load((str(CORPUS / folder),)).devices for _ in range(2))
    assert len(first) == len(second) > 0
    for a, b in zip(first, second, strict=True):
        assert change_lines(compared(a, b, stated=True)) == []
        assert change_lines(compared(a, a, stated=True)) == []
