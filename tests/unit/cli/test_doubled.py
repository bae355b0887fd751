"""Two whole configurations of one device are a finding, and the exit status stays what it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

CONFIG = """{head}! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
!
interface Ethernet1
   no switchport
   mtu {mtu}
end
"""
HEADER = "# command: show running-config  host: leaf1  time: 2026-10-0{0}T06:13:11Z\n"


def found(run: Run, *args: str) -> tuple[int, list[tuple[str, str, str, str]]]:
    """Exit status, and rule, severity, device and file of the findings."""
    result = run("check", "configs", "--no-cache", "-j", "1", "--format", "json", *args)
    entries = json.loads(result.stdout)["findings"]
    return result.exit_code, [
        (e["rule"], e["severity"], e["device"], e["locations"][0]["file"])
        for e in entries
        if e["rule"] == "SRC004"
    ]


def write(site: Path, name: str, mtu: int, head: str = "") -> None:
    path = site / "configs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(CONFIG.format(head=head, mtu=mtu))


def test_neither_is_judged(run: Run, site: Path) -> None:
    write(site, "a/leaf1.cfg", 1500)
    write(site, "b/leaf1.cfg", 9214)
    status, findings = found(run)
    assert findings == [("SRC004", "warning", "leaf1", "a/leaf1.cfg")]
    assert status == 3
    assert found(run, "--fail-on", "warning")[0] == 1
    assert found(run, "--ignore", "SRC004") == (3, [])


def test_the_newest_is_judged(run: Run, site: Path) -> None:
    write(site, "a/leaf1.cfg", 1500, HEADER.format(1))
    write(site, "b/leaf1.cfg", 9214, HEADER.format(2))
    assert found(run) == (0, [("SRC004", "warning", "leaf1", "b/leaf1.cfg")])


@pytest.mark.parametrize("second", ["a/leaf1.cfg", "b/copy.cfg"])
def test_one_or_two_copies_are_no_fault(run: Run, site: Path, second: str) -> None:
    write(site, "a/leaf1.cfg", 9214)
    write(site, second, 9214)
    assert found(run) == (0, [])


def test_the_finding_shows_its_line(run: Run, site: Path) -> None:
    write(site, "a/leaf1.cfg", 1500)
    write(site, "b/leaf1.cfg", 9214)
    result = run("check", "configs", "--no-cache", "--format", "json")
    (finding,) = (f for f in json.loads(result.stdout)["findings"] if f["rule"] == "SRC004")
    (place,) = finding["locations"]
    assert (place["line"], place["note"]) == (1, "")
    assert place["text"] == "! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)"


def test_a_device_that_could_not_be_judged_may_be_asked_for(run: Run, site: Path) -> None:
    write(site, "a/leaf1.cfg", 1500)
    write(site, "b/leaf1.cfg", 9214)
    write(site, "leaf2.cfg", 9214)
    (site / "configs" / "leaf2.cfg").write_text(
        CONFIG.format(head="", mtu=1).replace("leaf1", "leaf2")
    )
    assert found(run, "--device", "leaf1") == (3, [("SRC004", "warning", "leaf1", "a/leaf1.cfg")])
    assert found(run, "--device", "leaf2") == (3, [])
