"""Switches beside their peers: one of a tier, a network or a pair that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import Files, check, edit
from tests.fabrics.mixed import HERE
from tests.small_fabrics.made import made
from tests.small_fabrics.rows import made as fabric
from tests.small_fabrics.rows import observed
from tests.small_fabrics.rows_of_comparison import ROWS, Row


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.nos}-{row}")
def test_the_odd_switch_and_its_line(row: Row) -> None:
    assert observed(check(fabric(row))) == list(row.found)


def test_bulk_is_compared_over_all_systems() -> None:
    """Bulk and ECN marking mean the same on every system, so all switches of the network count."""
    own = made(["eos", "nxos", "cumulus", "eos"])
    own.change("leaf1", ("set qos-group 7", "set qos-group 0"))
    assert own.outcomes() == []
    assert own.devices("CLS025") == {"leaf1"}


def test_a_watchdog_that_one_of_a_tier_lacks() -> None:
    """The spine has no watchdog, so most ports between switches lack one."""
    watched = "nv set interface swp2 qos pfc-watchdog state enable\n"
    unwatched = [(watched.replace("swp2", f"swp{port}"), "") for port in (1, 2, 3)]
    own = made("cumulus").change("spine1", *unwatched)
    assert own.devices("PFC020") == set()
    (found,) = own.change("leaf2", (watched, "")).report().findings
    assert (found.rule, found.severity.label, found.device) == ("PFC020", "info", "leaf2")
    assert [o.subjects for o in found.occurrences] == [("swp2",)]


BOND = HERE / "dual-homed-bond" / "fabric"
LEAF = "switches/leaf2.cfg"
CONTROL = "qos map dscp 48 to traffic-class 6\n"


def bond(*changes: tuple[str, str], spine: bool = True) -> Files:
    """Two leaves with one bond of a host, with storage in a separate class on both; lines of the
    second changed.
    """
    files = {path.relative_to(BOND).as_posix(): path.read_text() for path in _files(BOND)}
    named = "qos map dscp 12 to traffic-class 5\n"
    for name in ("switches/leaf1.cfg", LEAF):
        files = edit(files, name, (CONTROL, named + CONTROL))
    if not spine:
        del files["switches/spine1.json"]
        lines = files["links.yaml"].splitlines(keepends=True)
        files["links.yaml"] = "".join(line for line in lines if "spine" not in line)
    return edit(files, LEAF, *changes)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("spine", [True, False])
@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("", ""), []),
        (("12 to traffic-class 5", "12 to traffic-class 0"), [("warning CLS025", "leaf1")]),
        (("switchport access vlan 10", "switchport access vlan 20"), [("warning LNK003", "leaf2")]),
        (("switchport access vlan 10", "switchport mode trunk"), [("warning LNK003", "leaf2")]),
        (("48 to traffic-class 6", "48 to traffic-class 1"), [("warning CLS004", "leaf2")]),
    ],
)
def test_the_legs_of_a_bond(
    change: tuple[str, str], found: list[tuple[str, str]], spine: bool
) -> None:
    """One warning with a line of both sides; none where another rule reports the fault."""
    report = check(bond(change, spine=spine))
    assert [(f"{f.severity.label} {f.rule}", f.device) for f in report.findings] == found
    for finding in report.findings if found and "CLS004" not in found[0][0] else ():
        files = {place.file for o in finding.occurrences for place in o.locations}
        assert files == {"switches/leaf1.cfg", LEAF}


def test_two_switches_that_a_peer_link_joins() -> None:
    """Without hosts there is no bond: the peer link identifies the pair."""
    files = bond(("12 to traffic-class 5", "12 to traffic-class 0"), spine=False)
    files = {name: text for name, text in files.items() if not name.startswith("hosts/")}
    links = files["links.yaml"].splitlines(keepends=True)
    files["links.yaml"] = "".join(line for line in links if "gpu1" not in line)
    assert [f.device for f in check(files).findings if f.rule == "CLS025"] == ["leaf1"]
    apart = {**files, "links.yaml": ""}
    assert [f for f in check(apart).findings if f.rule == "CLS025"] == []
