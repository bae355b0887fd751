"""The generated fabrics for `new-leaf` are sound: read completely, without remark or finding."""

from __future__ import annotations

import difflib
from pathlib import PurePath

import pytest

from roce_lint.engine.finding import Answer
from roce_lint.model.fabric import LinkSource
from tests.bench import Files, check, load
from tests.new_leaf.fabrics import KINDS, SPINE_AS, fabric, file_of, mixed

HEADROOM = "the headroom that the device computes (from its buffer tables)"
OPEN = {"aoscx": "the priority group of the class", "vrp": HEADROOM,
        "comware": HEADROOM}  # fmt: skip
"""Missing input that prevents a proof for a system, however sound its configuration."""

MIXED = [["eos", "sonic", "nxos", "eos", "sonic", "nxos"], ["junos", "srlinux-flat", "cumulus"] * 2]


def require_sound(files: Files, links: int, systems: set[str], source: LinkSource) -> None:
    report = check(files)
    assert (report.diagnostics, report.findings) == ([], [])
    assert report.fabric is not None
    assert [link.known_from for link in report.fabric.links] == [source] * links
    missing = {OPEN[system] for system in systems & {*OPEN}}
    assert {what for what, _ in report.verdict.missing} == missing
    assert report.verdict.answer is (Answer.NOT_PROVED if missing else Answer.READY)


def bare(system: str) -> LinkSource:
    """Source of the links without a plan and LLDP."""
    return LinkSource.NEIGHBOR_TABLE if system == "sonic" else LinkSource.ADDRESS


@pytest.mark.parametrize("system", KINDS)
def test_small(system: str) -> None:
    files = fabric(system, 3)
    require_sound(files, 6, {system}, bare(system))
    devices = {device.hostname: device for device in load(files).devices}
    assert {name: device.asn for name, device in devices.items()} == {
        **{f"leaf{k}": 65000 + k for k in (1, 2, 3)},
        **{f"spine{s}": SPINE_AS for s in (1, 2)},
    }
    for device in devices.values():
        assert len([port for port in device.interfaces.values() if port.addresses]) >= 4


@pytest.mark.deep
@pytest.mark.parametrize("shown", ["", "plan", "lldp", "plan lldp"])
@pytest.mark.parametrize("hosts", [0, 2, 3])
@pytest.mark.parametrize("system", KINDS)
def test_with_hosts_and_links(system: str, hosts: int, shown: str) -> None:
    files = fabric(system, hosts=hosts, plan="plan" in shown, lldp="lldp" in shown)
    named = LinkSource.PLAN if "plan" in shown else LinkSource.LLDP
    require_sound(files, 8 * (2 + hosts), {system}, named if shown else bare(system))


@pytest.mark.parametrize("systems", MIXED)
def test_mixed(systems: list[str]) -> None:
    require_sound(mixed(systems, hosts=2, plan=True), 6 * 4, {*systems}, LinkSource.PLAN)


@pytest.mark.parametrize("leaf", ["leaf4", pytest.param("leaf2", marks=pytest.mark.deep)])
@pytest.mark.parametrize("system", KINDS)
def test_without_a_leaf(system: str, leaf: str) -> None:
    """Its file is gone, with its hosts and links; spines lack what they had for it, and no file
    names it.
    """
    whole = fabric(system, 4, hosts=2, plan=True)
    rest = fabric(system, 4, hosts=2, plan=True, without=leaf)
    hosts = [f"/gpu{2 * int(leaf[4:]) - n}/" for n in (0, 1)]
    own = {file_of(leaf, system), *(f for f in whole if any(host in f for host in hosts))}
    assert {*whole} - {*rest} == own
    changed = {name for name in rest if rest[name] != whole[name]}
    assert changed == {file_of("spine1", system), file_of("spine2", system), "links.yaml"}
    for name in changed:
        steps = difflib.ndiff(rest[name].splitlines(), whole[name].splitlines())
        added = [line for line in steps if line[:2] == "+ "]
        assert any(leaf in line for line in added), name
    assert not [name for name, text in rest.items() if leaf in text]
    assert {PurePath(name).parts[0] for name in rest} == {"switches", "hosts", "links.yaml"}
