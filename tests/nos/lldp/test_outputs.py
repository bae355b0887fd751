"""LLDP in every output form: neighbours of each port, and the resulting links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.loading.identify import identify
from roce_lint.loading.load import load
from roce_lint.model.device import NoteKind
from roce_lint.model.fabric import LinkSource
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from roce_lint.topology.links import build_fabric
from tests.nos.lldp.outputs import MAC, OUTPUTS, PORTS, configuration, header, needed, system_of

SWITCHES = [output for output in OUTPUTS if system_of(output) != "linux"]
every_output = pytest.mark.parametrize("output", OUTPUTS, ids=lambda path: path.stem)
every_switch_output = pytest.mark.parametrize("output", SWITCHES, ids=lambda path: path.stem)

BRIEF = ("brief", "table", "list", "text", "keyvalue", "json", "state", "nvue")
SPINE = "hostname spine1\n! boot system flash:EOS-4.32.swi\ninterface Ethernet1/1\n   mtu 9214\n"


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_every_system_has_its_outputs() -> None:
    names = {output.stem for output in OUTPUTS}
    for system in all_nos():
        forms = {name.partition("-")[2] for name in names if name.startswith(f"{system}-")}
        assert len(forms) > 1, system
        assert forms & set(BRIEF), system


@every_output
def test_the_neighbours_of_each_port(output: Path, tmp_path: Path) -> None:
    system = system_of(output)
    first, second = PORTS[system]
    text = output.read_text(encoding="utf-8")
    put(tmp_path, "leaf1/lldp.txt", text)
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    (device,) = loaded.devices
    assert (device.hostname, device.nos) == ("leaf1", system)
    assert sorted(device.interfaces) == sorted((first, second))
    (spine,), (nic,) = (device.interfaces[port].neighbors for port in (first, second))
    known = "28:99:3a:22:00:01" if output.stem == "comware-brief" else "spine1.fabric.example"
    assert (spine.device, spine.names, spine.is_cut, spine.planned) == (
        known, ("Ethernet1/1",), None, False,
    )  # fmt: skip
    assert (nic.device in ("gpu1", MAC), nic.names) == (True, (MAC,))
    for neighbor in (spine, nic):
        assert neighbor.where("device").position > 0
        assert neighbor.where("device").captured == "2026-03-02T08:12:03Z"


@every_output
def test_an_output_without_a_header_is_known_by_its_words(output: Path) -> None:
    text = output.read_text(encoding="utf-8").partition("\n")[2]
    identified = identify("x.txt", text)
    assert (identified.nos, identified.undecided) == (system_of(output), False)
    assert all_nos()[identified.nos].by_source[identified.source].base is False


@every_switch_output
def test_the_links(output: Path, tmp_path: Path) -> None:
    system = system_of(output)
    first, second = PORTS[system]
    put(tmp_path, "leaf1/config.txt", header(needed(system)) + configuration(system))
    put(tmp_path, "leaf1/lldp.txt", output.read_text(encoding="utf-8"))
    put(tmp_path, "spine1.cfg", SPINE)
    nic = {"ifname": "enp65s0f0np0", "address": MAC, "link_type": "ether", "mtu": 9000}
    put(tmp_path, "gpu1/ip-link.json", header("ip -d -j link show", "gpu1") + json.dumps([nic]))
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    fabric, _ = build_fabric(loaded.devices)
    links = {(str(link.a), str(link.b)): link.known_from for link in fabric.links}
    wanted = {("gpu1 enp65s0f0np0", f"leaf1 {second}")}
    if output.stem != "comware-brief":  # it has no name of the neighbour
        wanted.add((f"leaf1 {first}", "spine1 Ethernet1/1"))
    assert links == dict.fromkeys(wanted, LinkSource.LLDP)


@every_switch_output
def test_the_device_decides_whose_output_it_is(output: Path, tmp_path: Path) -> None:
    """The header of a command that several systems have, with nothing below it."""
    system = system_of(output)
    put(tmp_path, "leaf1/config.txt", header(needed(system)) + configuration(system))
    put(tmp_path, "leaf1/lldp.txt", output.read_text(encoding="utf-8").partition("\n")[0] + "\n\n")
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    assert [(device.hostname, device.nos) for device in loaded.devices] == [("leaf1", system)]


def test_table_lines_without_a_neighbour_are_reported(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "eos-brief.txt").read_text(encoding="utf-8")
    nobody = text.replace("gpu1                     b83f.d201.0000", " " * 39)
    put(tmp_path, "leaf1/lldp.txt", nobody.replace("120", "112"))
    (device,) = load((str(tmp_path),)).devices
    assert list(device.interfaces) == ["Ethernet1/1"]
    (note,) = device.notes
    assert (note.kind, device.src.line_of(note.at[""])) == (NoteKind.UNRECOGNISED, 11)


@pytest.mark.parametrize(
    ("spines", "linked"),
    [
        (("spine1-pod7-hall3-row12", "spine2"), True),
        (("spine1-pod7-hall3-row12", "spine1-pod7-hall3-row14"), False),
        (("spine2",), False),
    ],
    ids=["one begins so", "several do", "none does"],
)
def test_a_name_that_its_column_cut(spines: tuple[str, ...], linked: bool, tmp_path: Path) -> None:
    put(tmp_path, "leaf1.cfg", header(needed("os10")) + configuration("os10"))
    table = (
        "Loc PortID          Rem Host Name         Rem Port Id                    Rem Chassis Id\n"
        "---------------------------------------------------------------------------------------\n"
        "ethernet1/1/1       spine1-pod7-hall3-row Ethernet1/1                    28:99:3a:22:00:01\n"
    )
    put(tmp_path, "leaf1-lldp.txt", header("show lldp neighbors") + table)
    for name in spines:
        put(tmp_path, f"{name}.cfg", SPINE.replace("spine1", name))
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    fabric, _ = build_fabric(loaded.devices)
    assert [str(link.b) for link in fabric.links] == [f"{spines[0]} Ethernet1/1"] * linked


def test_both_claims_are_shown_with_their_times(tmp_path: Path) -> None:
    """A host reports another switch than the switch that reports the host."""
    leaf = header(needed("eos"), "leaf1") + configuration("eos")
    put(tmp_path, "leaf1/running-config.txt", leaf)
    put(tmp_path, "leaf2/running-config.txt", leaf.replace("leaf1", "leaf2"))
    table = (
        "Port          Neighbor Device ID       Neighbor Port ID    TTL\n"
        "---------- ------------------------ ---------------------- ---\n"
        "Et1/1         gpu1                     enp65s0f0np0        120\n"
    )
    put(tmp_path, "leaf1/lldp.txt", header("show lldp neighbors") + table)
    heard = (Path(__file__).parent / "linux-text.txt").read_text(encoding="utf-8")
    heard = heard.replace("leaf1", "gpu1").replace("T08:12:03", "T11:47:00")
    heard = heard.replace("spine1.fabric.example", "leaf2").replace(MAC, "28:99:3a:22:00:01")
    names = ("enp65s0f0np0", "enp66s0f0np0")
    heard = heard.replace("PortID:       mac 28:99:3a:22:00:01", "PortID:       ifname Ethernet1/1")
    heard = heard.replace(
        "ChassisID:    mac 28:99:3a:22:00:01\n  Port", "SysName:      leaf1\n  Port"
    )
    put(tmp_path, "gpu1/lldp.txt", heard)
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    assert [entry for entry in report.diagnostics if entry.incomplete] == []
    (found,) = (finding for finding in report.findings if finding.rule == "LNK001")
    assert (found.severity, found.device, found.subjects) == (
        Severity.WARNING, "leaf1", ("Ethernet1/1",),
    )  # fmt: skip
    for name in names:
        assert f"gpu1 {name}" in found.message
    for time in ("2026-03-02T08:12:03Z", "2026-03-02T11:47:00Z"):
        assert time in found.message
