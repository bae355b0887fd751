"""Every supported system has, for every action, the commands or the reason why they are unknown."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from roce_lint.catalog.remedies import Action, System, systems
from roce_lint.engine.page import parse_page
from tests.house.listing import read, under

OF_HOSTS = {"mark", "congestion_control"}
OF_SWITCHES = {"watchdog", "marking", "strict", "share", "headroom", "attach"}
ACTIONS = set(get_args(Action))
SHARED = "CLS003 CLS008 CLS009 CLS012 CLS022 CLS024 LNK002 MAP006 MAP007 MAP011 MTU004"
OWN = f"{SHARED} PFC004 PFC005 PFC009 TOP006 TOP007 TOP008 TOP009".split()
"""Rules about structures that differ between all systems: the lines are on their pages."""


def nos_folders() -> set[str]:
    return {name.split("/")[2] for name in under("roce_lint/nos") if name.count("/") > 2}


def test_every_system_that_is_read_has_remedies() -> None:
    assert {system.nos for system in systems()} == nos_folders()


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_every_action_has_lines_or_a_reason(system: System) -> None:
    wanted = ACTIONS - (OF_SWITCHES if system.nos == "linux" else OF_HOSTS)
    assert set(system.entries) == wanted


def test_what_a_line_leaves_open_is_explained() -> None:
    known = set(re.findall(r"`([A-Z][A-Z-]+)`", read("docs/remedies.md")))
    known |= {"PERCENT", "KILOBYTES", "BYTES", "METRES", "CELLS", "LENGTH", "BITMAP", "UUID"}
    known |= {"CNP-DSCP", "CNP-PRIORITY", "NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"}
    tables = {"PORT_QOS_MAP", "DSCP_TO_TC_MAP", "WRED_PROFILE", "SCHEDULER", "STRICT", "DWRR"}
    found = {
        word
        for system in systems()
        for entry in system.entries.values()
        for line in entry.lines
        for word in re.findall(r"(?<![A-Za-z_-])[A-Z][A-Z_-]+(?![A-Za-z_-])", line)
    }
    assert found - known - tables == set()


def test_a_page_with_lines_of_several_systems_names_an_action() -> None:
    names = {system.name.split(",")[0] for system in systems() if system.nos != "linux"}
    without = set()
    for name in under("rules", suffix=".md"):
        if name == "rules/README.md":
            continue
        page = parse_page(read(name), name)
        labels = re.findall(r"^- ([^:,`]+)[:,]", page.section("How to fix"), re.MULTILINE)
        if len(names.intersection(labels)) > 1 and not page.head.remedies:
            without.add(page.id)
    assert without - set(OWN) == set()
