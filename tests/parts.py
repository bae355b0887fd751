"""Real programs beside which the project is tested, where this machine has them."""

from __future__ import annotations

import os
import shutil

import pytest

ABSENT = "absent: "


def part(*names: str) -> str:
    """The path of the first of these programs that is installed.

    Without any the test is skipped, and the run names the program at its end.
    """
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
    found = [path for name in names if (path := shutil.which(name, path=places))]
    if not found:
        pytest.skip(f"{ABSENT}{names[0]}")
    return found[0]
