from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from roce_lint.loading.group import HEADING_LINES, hostname_in, time_of_writing
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.registry import all_nos
from tests.unit.loading.making import eos, nxos

MARCH = datetime(2026, 3, 7, 10, 11, 12, tzinfo=UTC)


def source(nos: str, name: str) -> Source:
    return all_nos()[nos].by_source[name]


@pytest.mark.parametrize(
    ("nos", "name", "text", "hostname"),
    [
        ("eos", "running-config", eos("leaf1.dc1"), "leaf1.dc1"),
        ("eos", "running-config", eos(None), None),
        ("nxos", "running-config", nxos("leaf1"), "leaf1"),
        ("nxos", "running-config", "switchname leaf1\r\n", "leaf1"),
        ("nxos", "running-config", "interface x\n  description hostname leaf2\n", None),
        ("nxos", "running-config", f"hostname {'h' * 1_000_000}\n", "h" * 253),
        ("nxos", "running-config", "hostname \x1b[31mred\n", "\\x1b[31mred"),
        (
            "sonic", "config-db",
            json.dumps({"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}}), "leaf1",
        ),
        ("sonic", "config-db", json.dumps({"PORT": {"Ethernet0": {"hostname": "x"}}}), None),
    ],
)  # fmt: skip
def test_the_hostname_in_a_text(nos: str, name: str, text: str, hostname: str | None) -> None:
    assert hostname_in(source(nos, name), text) == hostname


def test_a_source_without_one_has_none() -> None:
    assert hostname_in(Source("x", Form.RAW), "hostname leaf1\n") is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("!Command: show running-config\n!Time: Sat Mar  7 10:11:12 2026\n", MARCH),
        ("!Running configuration last done at: Sat Mar  7 10:11:12 2026\n\nversion 1\n", MARCH),
        ("! Last configuration change at 10:11:12 UTC Sat Mar 7 10:11:12 2026 by admin\n", MARCH),
        ("! Startup-config last modified at  Sat Mar  7 10:11:12 2026 by admin\n", MARCH),
        ("!Time: Sat Mar  7 10:11:12.345 2026\n", MARCH),
        ("# saved 2026-03-07T10:11:12Z\n", MARCH),
        ("# saved 2026-03-07 10:11:12 by x\n", MARCH),
        ("# saved 2026-03-07T12:11:12+02:00\n", MARCH),
        ("!Last: Fri Mar  6 10:11:12 2026\n!Time: Sat Mar  7 10:11:12 2026\n!x\n", MARCH),
        ("!Time: Sat Mar 77 10:11:12 2026\n", None),
        ("# saved 2026-13-45T10:11:12Z\n", None),
        ("hostname leaf1\n!Time: Sat Mar  7 10:11:12 2026\n", None),
        ("!\n" * HEADING_LINES + "!Time: Sat Mar  7 10:11:12 2026\n", None),
        ("!" + " " * 400 + "Sat Mar  7 10:11:12 2026\n", None),
        ("", None),
    ],
)
def test_when_a_text_was_written(text: str, moment: datetime | None) -> None:
    assert time_of_writing(text) == moment


def test_what_the_header_of_a_snapshot_states_goes_first() -> None:
    text = "!Time: Sat Mar  7 10:11:12 2026\n"
    zone = timezone(timedelta(hours=1))
    assert time_of_writing(text, "2026-10-07T06:13:11+01:00") == datetime(
        2026, 10, 7, 6, 13, 11, tzinfo=zone
    )
    assert time_of_writing(text, "yesterday") is None
