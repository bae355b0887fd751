"""Every printed device is read back as itself; exceptions have a reason in `<nos>.txt`."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from roce_lint.nos.registry import all_nos
from tests.circle.circle import exceptions, names, run
from tests.sampling import sampled

PRINTED = [nos for nos, declared in all_nos().items() if declared.printing is not None]
CASES = [f"{nos} {name}" for nos in PRINTED for name in names(nos)]


@pytest.mark.parametrize("case", sampled(CASES, 4, lambda case: case.split()[0]))
def test_a_printed_device_is_read_back(case: str) -> None:
    nos, name = case.split(" ", 1)
    _, found = run(all_nos()[nos], name)
    known = exceptions(nos)
    assert [
        each for each in found if not any(fnmatchcase(f"{name} {each}", k) for k in known)
    ] == []
