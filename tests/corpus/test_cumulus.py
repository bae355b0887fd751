"""Real Cumulus Linux configurations: each finding is justified line by line.

The reference designs (core-01, core-02, gl-plane1-01) have `qos roce` for every port and the
watchdog on the ports of GPUs alone: of their channels nothing tells what is behind them.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import Trust
from roce_lint.text.source import LineState
from tests.corpus.test_corpus import CORPUS, judged

FOLDER = CORPUS / "cumulus"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

FILES = sorted(FOLDER.glob("*"))

NAMES = {
    "era-2-8-9-400-core-01.yaml": "core-01",
    "era-2-8-9-400-core-01.nv.sh": "core-01",
    "era-2-4-3-200-core-02.yaml": "core-02",
    "era-2-4-3-200-oob-01.yaml": "oob-switch-01",
    "era-2-4-3-200-oob-01.nv.sh": "oob-switch-01",
    "era-2-4-5-800-gl-plane1-01.nv.sh": "gl-plane1-01",
    "flat-onug-leaf01.cfg": "leaf01",
    "flat-onug-spine01.cfg": "spine01",
    "ifupdown-leaf50-interfaces.txt": "cumulus",  # the folder: nothing in it says
    "nclu-test1.txt": "DC-Leaf-Cumulus-01",
    "nvue-leaf1.yml": "leaf1",
    "nvue-spine1.yml": "spine1",
}


def device(name: str) -> Device:
    fabric = judged(FOLDER / name).fabric
    assert fabric is not None
    (found,) = fabric.devices.values()
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_alone(path: Path) -> None:
    report = judged(path)
    assert [(d.name, d.nos) for d in report.devices] == [(NAMES[path.name], "cumulus")]
    assert [entry.message for entry in report.diagnostics] == []
    assert [f for f in report.findings if f.severity >= Severity.WARNING] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_line_of_a_claimed_part_is_understood(path: Path) -> None:
    (ref,) = device(path.name).src.files
    assert LineState.UNRECOGNISED not in ref.states
    assert LineState.SHADOWED not in ref.states
    assert device(path.name).notes == []


@pytest.mark.parametrize("stem", ["era-2-8-9-400-core-01", "era-2-4-3-200-oob-01"])
def test_document_and_commands_give_one_model(stem: str) -> None:
    by_document, by_commands = device(f"{stem}.yaml"), device(f"{stem}.nv.sh")
    assert by_document.os_version == "5.13.0"
    assert by_commands.os_version is None  # commands do not tell
    assert dataclasses.replace(by_document, os_version=None) == by_commands


def test_the_watchdog_of_the_reference_design() -> None:
    core = device("era-2-8-9-400-core-01.nv.sh")
    watched = [
        name
        for name, port in core.interfaces.items()
        if port.qos is not None and port.qos.watchdog is not None and port.qos.watchdog.enabled
    ]
    assert sorted(watched) == sorted(f"swp{n}s{half}" for n in range(4, 28) for half in (0, 1))


def test_ports_of_the_reference_design() -> None:
    core = device("era-2-8-9-400-core-01.nv.sh")
    ports = core.interfaces
    assert (core.asn, core.pools["roce-lossless"].share_percent) == (4260394788, 90)
    assert ports["swp1"].kind is InterfaceKind.BREAKOUT_PARENT
    assert ports["swp56"].enabled is False  # breakout disabled
    assert (ports["swp1s0"].lag, ports["swp1s0"].untagged_vlan) == ("bond1s0", 300)
    assert (ports["swp52s0"].tagged_vlans, ports["swp52s0"].untagged_vlan) == ({400}, 300)
    assert ports["swp4s0"].untagged_vlan == 900
    assert [n for n, p in ports.items() if p.uplink and n.startswith("swp28")] == [
        "swp28s0",
        "swp28s1",
    ]
    assert (ports["swp61s0"].uplink, ports["swp61s0"].vrf) == (True, "EXIT")
    # Made by the breakout, and nothing configured on them.
    assert [n for n, p in ports.items() if p.idle and n.startswith("swp61")] == [
        "swp61s6",
        "swp61s7",
    ]
    assert ports["vxlan"].tunnel is not None
    assert ports["vxlan"].tunnel.dscp_copied is True


def test_a_switch_without_qos_trusts_802_1p_only() -> None:
    oob = device("era-2-4-3-200-oob-01.yaml")
    qos = oob.interfaces["swp1"].qos
    assert qos is not None
    assert qos.trust is Trust.PCP
    assert oob.interfaces["spine_bond"].members == ("swp49", "swp51")


def test_the_older_files() -> None:
    leaf = device("ifupdown-leaf50-interfaces.txt")
    assert (leaf.interfaces["swp1"].ip_mtu, leaf.interfaces["eth0"].ip_mtu) == (9216, 1500)
    assert leaf.interfaces["peerlink"].peer_link is True
    assert {port.qos for port in leaf.interfaces.values()} == {None}
    nclu = device("nclu-test1.txt")
    assert nclu.interfaces["bond20"].members == ("swp11", "swp12")
    assert nclu.interfaces["swp11"].untagged_vlan == 20
    assert nclu.interfaces["swp3"].ip_mtu == 1500


def test_the_folder_as_one_fabric() -> None:
    report = judged(FOLDER)
    assert [entry.message for entry in report.diagnostics] == []
    assert {d.nos for d in report.devices} == {"cumulus"}
    found = {f.rule for f in report.findings if f.severity >= Severity.WARNING}
    assert found == set()
