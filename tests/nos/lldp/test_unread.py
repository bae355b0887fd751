"""Unsupported outputs: skipped by name, next to a configuration that stays in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.nos.pull import Kind
from roce_lint.nos.registry import all_nos
from tests.live.live_server import REFUSES
from tests.nos.lldp.outputs import configuration, header, needed

SYSTEMS = sorted(nos.name for nos in all_nos().values() if nos.pulled and not nos.is_host)
every_system = pytest.mark.parametrize("system", SYSTEMS)

BODIES = {
    "a table": "Port      Name   Status       Vlan\nEt1/1     x      connected    1\n",
    "JSON": json.dumps({"interfaces": {"Ethernet1/1": {"mtu": 1500}}}) + "\n",
    "lines of a configuration": "interface Ethernet1/1\n mtu 1500\n",
    "nothing": "",
    "no such command": "bash: show: command not found\n",
    "refused": "",
}


@every_system
@pytest.mark.parametrize("body", BODIES)
def test_what_a_pull_writes_is_read_or_passed_over(system: str, body: str, tmp_path: Path) -> None:
    plan = all_nos()[system].pulled
    assert plan is not None
    folder = tmp_path / "leaf1"
    folder.mkdir()
    others = [command for command in plan.of(Kind) if not command.needed]
    for command in others:
        text = f"{REFUSES[system]}\n" if body == "refused" else BODIES[body]
        if body == "JSON" and command.text.endswith("json"):
            text = "{}\n"
        (folder / command.file).write_text(header(command.text) + text, encoding="utf-8")
    whole = folder / "running.txt"
    whole.write_text(header(needed(system)) + configuration(system), encoding="utf-8")
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    (device,) = loaded.devices
    assert (device.hostname, device.nos) == ("leaf1", system)
    read = {ref.name for ref in device.src.files}
    skipped = {each.file for each in loaded.skipped}
    assert read | skipped == {f"leaf1/{path.name}" for path in folder.iterdir()}
    assert f"leaf1/{whole.name}" in read


@every_system
@pytest.mark.parametrize("body", ["", "refused"])
def test_a_configuration_that_was_not_answered_is_missing(
    system: str, body: str, tmp_path: Path
) -> None:
    text = f"{REFUSES[system]}\n" if body else ""
    file = tmp_path / "leaf1" / "config.txt"
    file.parent.mkdir()
    file.write_text(header(needed(system)) + text, encoding="utf-8")
    loaded = load((str(tmp_path),))
    assert loaded.devices == []
    assert [entry.file for entry in loaded.diagnostics if entry.incomplete][:1] == [
        "leaf1/config.txt"
    ]


def test_an_output_that_several_systems_have_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "leaf1-lldp.txt").write_text(header("show lldp neighbors") + "\n")
    (tmp_path / "leaf2.cfg").write_text(configuration("eos").replace("leaf1", "leaf2"))
    loaded = load((str(tmp_path),))
    assert [device.hostname for device in loaded.devices] == ["leaf2"]
    assert [each.file for each in loaded.skipped] == ["leaf1-lldp.txt"]
    assert loaded.diagnostics == []


def test_an_output_of_another_system_than_its_device(tmp_path: Path) -> None:
    """A host's output in the name of a switch is skipped, and the switch is checked."""
    (tmp_path / "leaf1.cfg").write_text(configuration("eos"))
    (tmp_path / "pause.txt").write_text(header("ethtool -a ens1") + "Pause parameters for ens1:\n")
    loaded = load((str(tmp_path),))
    assert [(device.hostname, device.nos) for device in loaded.devices] == [("leaf1", "eos")]
    assert [entry.incomplete for entry in loaded.diagnostics] == [False]


def test_an_output_that_looks_like_a_configuration(tmp_path: Path) -> None:
    """State in configuration syntax is not a second configuration of the device."""
    folder = tmp_path / "leaf1"
    folder.mkdir()
    (folder / "running.txt").write_text(header(needed("srlinux")) + configuration("srlinux"))
    rows = {"srl_nokia-qos:qos": {"interfaces": {"interface": [{"interface-id": "ethernet-1/1"}]}}}
    text = header("info from state qos | as json") + json.dumps(rows)
    (folder / "info-from-state-qos.txt").write_text(text)
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    assert [device.hostname for device in loaded.devices] == ["leaf1"]
    assert [each.file for each in loaded.skipped] == ["leaf1/info-from-state-qos.txt"]


def test_an_output_without_a_header_is_known_by_the_name_of_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "leaf1"
    folder.mkdir()
    (folder / "running.txt").write_text(header(needed("eos")) + configuration("eos"))
    (folder / "show-interfaces-status.txt").write_text("interface Ethernet1/1\ninterface Vlan1\n")
    loaded = load((str(tmp_path),))
    assert loaded.diagnostics == []
    assert [each.file for each in loaded.skipped] == ["leaf1/show-interfaces-status.txt"]
