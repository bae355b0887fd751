"""Designs are ready by all rules for every system, role, speed and profile; a golden device with a
changed value is not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roce_lint.catalog.profiles import names, profile
from roce_lint.design.golden import Design, design
from roce_lint.intent.read import read_whole
from roce_lint.model.device import Device
from tests.unit.design.wished import WATCHDOGS, by_profile, changed, faults, made_of, small

SYSTEMS = tuple(WATCHDOGS)


@pytest.mark.parametrize("speed", [100, 200, 400, 800])
@pytest.mark.parametrize("nos", SYSTEMS)
def test_every_system_at_every_speed(nos: str, speed: int, tmp_path: Path) -> None:
    made = made_of(tmp_path, small(nos, speed=speed))
    assert len(made.fabric.links) == 12
    assert faults(made) == []


@pytest.mark.parametrize("spine", SYSTEMS)
@pytest.mark.parametrize("leaf", SYSTEMS)
def test_mixed_fabrics(leaf: str, spine: str, tmp_path: Path) -> None:
    assert faults(made_of(tmp_path, small(leaf, spine))) == []


@pytest.mark.parametrize("nos", SYSTEMS)
@pytest.mark.parametrize("name", [name for name in names() if profile(name).classes])
def test_every_profile_on_every_system(name: str, nos: str, tmp_path: Path) -> None:
    assert faults(made_of(tmp_path, by_profile(name, nos))) == []


@pytest.mark.parametrize(
    "name", ["two-tiers", "rails", "mixed-vendors", "ecn-only", "sonic", "two-vendors"]
)
def test_the_samples(name: str, root: Path) -> None:
    made = design(read_whole(root / "sample_configs" / "intents" / f"{name}.yaml"))
    assert faults(made) == []


def no_pause(device: Device) -> None:
    for port in device.interfaces.values():
        if port.qos is not None and port.qos.pfc is not None:
            port.qos.pfc.generate = frozenset()


def no_marking(device: Device) -> None:
    for policy in device.qos.egress.values():
        for queue in policy.queues.values():
            assert queue.marking is not None
            queue.marking.ecn = False


def other_class(device: Device) -> None:
    for classifier in device.qos.classifiers.values():
        del classifier.dscp_to_tc.entries[26]


def small_packets(device: Device) -> None:
    for port in device.interfaces.values():
        port.ip_mtu = 1500


def slow_port(device: Device) -> None:
    next(iter(device.interfaces.values())).speed_gbps = 100


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (no_pause, "PFC"),
        (no_marking, "ECN"),
        (other_class, ""),
        (small_packets, "MTU"),
        (slow_port, ""),
    ],
)
@pytest.mark.parametrize("name", ["leaf1", "spine1"])
def test_what_is_spoilt_is_found(
    spoil: Callable[[Device], None], rule: str, name: str, tmp_path: Path
) -> None:
    made = made_of(tmp_path, small())
    spoil(made.fabric.devices[name])
    found = faults(made)
    assert [each for each in found if each.startswith(rule) and name in each], found


def test_a_design_is_the_same_each_time(tmp_path: Path) -> None:
    one, other = (made_of(tmp_path, small("sonic", "eos")) for _ in range(2))
    assert one.fabric.devices == other.fabric.devices


def test_golden_devices_state_what_is_wished_and_where(tmp_path: Path) -> None:
    made: Design = made_of(tmp_path, small())
    leaf = made.fabric.devices["leaf1"]
    port = leaf.interfaces["Ethernet17/1"]
    assert port.addresses == ("10.0.0.1/31",)
    assert port.fec is None  # left to the platform: nothing is stated
    place = port.where("ip_mtu")
    assert place.src.paths[place.position - (1 << 30)][1] == ("mtu",)
    assert leaf.routing is not None
    assert [(each.peer, each.asn) for each in leaf.routing.sessions.values()] == [
        ("10.0.0.0", 65100),
        ("10.0.0.2", 65100),
    ]


def test_rails_and_planes(root: Path) -> None:
    made = design(read_whole(root / "sample_configs" / "intents" / "rails.yaml"))
    host = [made.fabric.peer("gpu001", f"eth{nic}") for nic in range(8)]
    assert [end.device.hostname for end in host if end] == [f"pod1-leaf{n}" for n in range(1, 9)]
    spine = made.fabric.devices["pod2-spine3"]
    peers = {made.fabric.peer(spine.hostname, port) for port in spine.interfaces}
    names = {end.device.hostname for end in peers if end is not None}
    assert names == {"super3", *(f"pod2-leaf{n}" for n in range(1, 9))}


def test_an_override_is_where_it_was_said(tmp_path: Path) -> None:
    wish = changed(small(), "overrides.leaf1.ports", {"Ethernet1/1": {"mtu": 9000}})
    leaf = made_of(tmp_path, wish).fabric.devices["leaf1"]
    assert [leaf.interfaces[f"Ethernet{n}/1"].ip_mtu for n in (1, 2)] == [9000, 9100]
