"""Dates in file and folder names select the copy of a device that is checked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from roce_lint.loading.group import group, stem
from roce_lint.loading.naming import above_days, day_in, without_day
from tests.unit.loading.making import eos, part


@pytest.mark.parametrize(
    ("name", "day", "rest"),
    [
        ("leaf1-2026-10-01.cfg", "2026-10-01 00:00", "leaf1.cfg"),
        ("leaf2_config.2026-11-20@08:11:43", "2026-11-20 08:11", "leaf2_config"),
        ("leaf1_20261007_0613.txt", "2026-10-07 06:13", "leaf1.txt"),
        ("2026-10-07", "2026-10-07 00:00", ""),
        ("leaf1-10.20.30.40", None, "leaf1-10.20.30.40"),
        ("spine-20261399", None, "spine-20261399"),
    ],
)
def test_the_day_in_a_name(name: str, day: str | None, rest: str) -> None:
    found = day_in(name)
    assert (found and f"{found:%Y-%m-%d %H:%M}") == day
    assert without_day(name) == rest


@pytest.mark.parametrize(
    ("leaf", "name"),
    [
        ("leaf1-2026-10-01.cfg", "leaf1"),
        ("leaf2_config.2026-11-20@08:11:43", "leaf2"),
        ("leaf1.cfg.2026-10-01", "leaf1"),
        ("leaf1.dc1.2026-10-01", "leaf1.dc1"),
        ("2026-10-01-leaf3.cfg", "leaf3"),
        ("2026-10-07.cfg", ""),
    ],
)
def test_a_device_is_not_called_by_a_day(leaf: str, name: str) -> None:
    assert stem(leaf) == name
    assert above_days("backups/leaf1/2026-10-07") == "backups/leaf1"
    assert above_days("2026-10-07") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("leaf1-2026-10-01.cfg", "leaf1-2026-10-08.cfg"),
        ("leaf1_config.2026-11-20@08:11:43", "leaf1_config.2026-11-21@08:11:43"),
        ("2026-10-01/leaf1.cfg", "2026-10-07/leaf1.cfg"),
        ("leaf1/2026-10-01/running-config.txt", "leaf1/2026-10-07/running-config.txt"),
        ("backups/2026-10-01/leaf1/run.txt", "backups/2026-10-07/leaf1/run.txt"),
        ("backups/20261001-2200/leaf1.cfg", "backups/20261002-0100/leaf1.cfg"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_the_newest_copy_is_judged_and_said(old: str, new: str, turned: bool) -> None:
    files = [part(old, eos("leaf1", 9000)), part(new, eos("leaf1", 9214))]
    groups, (said,) = group(files[::-1] if turned else files)
    assert [(g.device, [p.name for p in g.parts]) for g in groups] == [("leaf1", [new])]
    assert (said.kind, said.incomplete) == ("dated-copies", False)
    assert f"using {new}, the newest" in said.message
    assert old in said.message


def test_the_header_of_a_file_goes_before_its_name() -> None:
    old = part(
        "leaf1-2026-10-08.cfg", eos("leaf1", 9000), written=datetime(2026, 10, 1, tzinfo=UTC)
    )
    new = part(
        "leaf1-2026-10-01.cfg", eos("leaf1", 9214), written=datetime(2026, 10, 9, tzinfo=UTC)
    )
    groups, _ = group([old, new])
    assert [p.name for g in groups for p in g.parts] == [new.name]


def test_copies_of_the_same_day_or_of_no_day_decide_nothing() -> None:
    files = [part("2026-10-01/a/leaf1.cfg", eos("leaf1", 9000)),
             part("2026-10-01/b/leaf1.cfg", eos("leaf1", 9214))]  # fmt: skip
    groups, (said,) = group(files)
    assert (groups, said.kind, said.incomplete) == ([], "two-configs", True)
