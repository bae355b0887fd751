"""What the device refuses is an error at its line, and the consequence says what holds instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.small.made import made

REFUSED = [
    ("eos", "watchdog default timeout 0.2", "watchdog default timeout 250"),
    ("nxos", "watch-dog-interval on\n\n", "watch-dog-interval 500\n\n"),
    ("junos", "mtu 9216", "mtu 9100"),
]


@pytest.mark.parametrize(("system", "old", "new"), REFUSED)
def test_on_one_leaf(tmp_path: Path, system: str, old: str, new: str) -> None:
    own = made(tmp_path, system)
    assert own.told() == []
    own.change("leaf2", (old, new), every=True)
    told = own.told()
    assert {each[1:3] for each in told if each[0] == "error"} == {("SRC007", "leaf2")}
    assert {each[1] for each in told} <= {"SRC007", "MTU006"}
