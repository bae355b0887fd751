"""Designs are ready by all rules for every system, role, speed and profile; a golden device with a
changed value is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from operator import itemgetter
from pathlib import Path

import pytest

from roce_lint.catalog.profiles import names, profile
from roce_lint.design.golden import Design, design
from roce_lint.intent.read import read_whole
from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import Queue
from tests.sampling import sampled
from tests.unit.design.wished import WATCHDOGS, by_profile, changed, faults, made_of, small

SYSTEMS = tuple(WATCHDOGS)


def pairs(*values: Iterable[object]) -> pytest.MarkDecorator:
    """A third of all pairs of two values, and each value at least once."""
    cases = sampled(product(*values), 3, itemgetter(0), itemgetter(1))
    return pytest.mark.parametrize("pair", cases, ids=lambda pair: "-".join(map(str, pair)))


@pairs(SYSTEMS, (100, 200, 400, 800))
def test_every_system_at_every_speed(pair: tuple[str, int], tmp_path: Path) -> None:
    made = made_of(tmp_path, small(pair[0], speed=pair[1]))
    assert len(made.fabric.links) == 12
    assert faults(made) == []


@pairs(SYSTEMS, SYSTEMS)
def test_mixed_fabrics(pair: tuple[str, str], tmp_path: Path) -> None:
    assert faults(made_of(tmp_path, small(*pair))) == []


@pairs([name for name in names() if profile(name).classes], SYSTEMS)
def test_every_profile_on_every_system(pair: tuple[str, str], tmp_path: Path) -> None:
    assert faults(made_of(tmp_path, by_profile(*pair))) == []


@pytest.mark.parametrize(
    "name", ["two-tiers", "rails", "mixed-vendors", "ecn-only", "two-vendors", "intel", *SYSTEMS]
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
    assert place.src.keys_of(place.position)[1] == ("mtu",)
    assert leaf.routing is not None
    assert [(each.peer, each.asn) for each in leaf.routing.sessions.values()] == [
        ("10.0.0.0", 65100),
        ("10.0.0.2", 65100),
    ]


def test_golden_switches_carry_packets_between_their_ports(tmp_path: Path) -> None:
    leaf = made_of(tmp_path, small()).fabric.devices["leaf1"]
    assert leaf.routing is not None
    assert (leaf.routing.router_id, leaf.routing.connected) == ("10.255.0.1", True)
    assert (leaf.forwards, leaf.lldp) == (frozenset({"ipv4"}), True)
    assert leaf.qos.tc_names == {3: "roce", 6: "cnp"}
    assert leaf.interfaces["Ethernet17/1"].description == "to spine1 Ethernet1/1"
    for item, name, keys in (
        (leaf.routing, "router_id", ("addressing", "loopbacks")),
        (leaf, "forwards", ("addressing", "hosts")),
    ):
        place = item.where(name)
        assert place.src.keys_of(place.position)[1] == keys


@pytest.mark.parametrize(
    ("path", "value", "router_id", "forwards"),
    [
        ("addressing.loopbacks", None, "10.0.0.1", {"ipv4"}),
        ("addressing.loopbacks", "fd00:1::/64", "10.0.0.1", {"ipv4"}),
        ("addressing.links", "unnumbered", "10.255.0.1", {"ipv4", "ipv6"}),
        ("addressing", {"links": "fd00:1::/64", "hosts": "fd00:2::/64"}, None, {"ipv6"}),
    ],
)
def test_a_router_id_is_an_ipv4_address(
    path: str, value: object, router_id: str | None, forwards: set[str], tmp_path: Path
) -> None:
    leaf = made_of(tmp_path, changed(small(), path, value)).fabric.devices["leaf1"]
    assert leaf.routing is not None
    assert (leaf.routing.router_id, leaf.forwards) == (router_id, forwards)


def test_routes_of_a_host_go_through_its_leaf(tmp_path: Path) -> None:
    devices = made_of(tmp_path, small()).fabric.devices
    port = devices["gpu1"].interfaces["eth0"]
    assert port.gateway is not None
    assert f"{port.gateway}/31" == devices["leaf1"].interfaces["Ethernet1/1"].addresses[0]
    open_hosts = changed(small(), "addressing.hosts", None)
    assert made_of(tmp_path, open_hosts).fabric.devices["gpu1"].interfaces["eth0"].gateway is None


@pytest.mark.parametrize(
    ("nos", "name", "parts", "parent"),
    [
        ("nxos", "Ethernet1/1", "Ethernet1/1/2", "Ethernet1/1"),
        ("cumulus", "swp1", "swp1s1", "swp1"),
        ("junos", "et-0/0/0", "et-0/0/0:1", "et-0/0/0"),
        ("sonic", "Ethernet0", "Ethernet2", "Ethernet0"),
        ("eos", "Ethernet1/1", "Ethernet1/3", None),  # the speed of the parts breaks it out
    ],
)
def test_a_port_in_parts(
    nos: str, name: str, parts: str, parent: str | None, tmp_path: Path
) -> None:
    down = {"first": 1, "last": 4, "speed_gbps": 100, "breakout": 4, "lanes": 8}
    wish = changed(changed(small(nos), "fabric.leaf.down", down), "hosts.gpu.speed_gbps", 100)
    leaf = made_of(tmp_path, wish).fabric.devices["leaf1"]
    whole = leaf.interfaces[name]
    expected = (None, None) if parent is None else (4, 100)
    assert (whole.parts, whole.parts_gbps) == expected
    assert leaf.interfaces[parts].parent == parent
    kind = InterfaceKind.PHYSICAL if nos in ("eos", "sonic") else InterfaceKind.BREAKOUT_PARENT
    assert (whole.kind, whole.parent) == (kind, None)


def test_maps_of_all_classes_where_a_system_needs_them(tmp_path: Path) -> None:
    leaf = made_of(tmp_path, small("sonic")).fabric.devices["leaf1"]
    maps = leaf.qos.forwardings["roce"]
    assert maps.tc_to_queue.entries == {number: number for number in range(8)}
    assert maps.tc_to_pg.entries == {**dict.fromkeys(range(8), 0), 3: 3}
    buffers = {
        number: queue.buffer for (_, number), queue in leaf.qos.egress["400G"].queues.items()
    }
    assert buffers[3] is not None
    assert (buffers[3].name, buffers[6]) == ("egress_lossless_profile", None)


def test_a_port_that_honours_all_priorities(tmp_path: Path) -> None:
    port = made_of(tmp_path, small("cumulus")).fabric.devices["leaf1"].interfaces["swp1"]
    assert port.qos is not None
    assert port.qos.pfc is not None
    assert (port.qos.pfc.generate, port.qos.pfc.honour) == ({3}, set(range(8)))


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


def test_service_and_thresholds_of_systems_devices_and_ports(tmp_path: Path) -> None:
    wish = small("eos", "nxos")
    thresholds = {"kmin_bytes": 950000, "kmax_bytes": 3000000, "pmax_percent": 7}
    wish["marking"].append({"system": "nxos", **thresholds})
    wish["classes"]["roce"]["systems"] = {"linux": {"share_percent": 50}}
    wish["overrides"] = {
        "leaf2": {
            "marking": [{"speed_gbps": 400, **thresholds, "pmax_percent": 8}],
            "watchdog": {"polling_ms": 50},
            "ports": {
                "Ethernet1/1": {"classes": {"cnp": {"share_percent": 10}}},
                "Ethernet2/1": {"classes": {"cnp": {"share_percent": 10}}},
                "Ethernet3/1": {"marking": [{**thresholds, "pmax_percent": 9}]},
            },
        },
        "gpu1": {"classes": {"roce": {"strict": True, "cap_percent": 90}}},
    }
    made = made_of(tmp_path, wish)

    def marks(device: str, port: str) -> float | None:
        marking = queue(made, device, port, 3).marking
        assert marking is not None
        return marking.pmax_percent

    assert marks("leaf1", "Ethernet1/1") == 10
    assert marks("spine1", "Ethernet1/1") == 7
    ports = [marks("leaf2", f"Ethernet{n}/1") for n in (1, 3, 4)]
    assert ports == [8, 9, 8]
    assert shares(made, "leaf1", "Ethernet1/1") == {0: 40, 3: 60, 6: None}
    assert shares(made, "leaf2", "Ethernet1/1") == {0: 30, 3: 60, 6: 10}
    assert shares(made, "leaf2", "Ethernet4/1") == {0: 40, 3: 60, 6: None}
    assert shares(made, "gpu2", "eth0") == {0: 50, 3: 50, 6: None}
    assert shares(made, "gpu1", "eth0") == {0: 100, 3: None, 6: None}
    assert set(made.fabric.devices["leaf2"].qos.egress) == {"400G", "400G-1", "400G-2"}
    watchdogs = {
        name: made.fabric.devices[name].interfaces["Ethernet1/1"].qos.watchdog.polling_ms  # type: ignore[union-attr]
        for name in ("leaf1", "leaf2")
    }
    assert watchdogs == {"leaf1": 100, "leaf2": 50}


@pytest.mark.parametrize(
    ("nos", "port", "percent", "bps"),
    [
        ("eos", "Ethernet1/1", 10, None),
        ("nxos", "Ethernet1/1", None, 40_000_000_000),
        ("sonic", "Ethernet0", None, 40_000_000_000),
        ("cumulus", "swp1", None, 40_000_000_000),
    ],
)
def test_a_cap_in_the_unit_of_the_system(
    nos: str, port: str, percent: float | None, bps: int | None, tmp_path: Path
) -> None:
    made = made_of(tmp_path, changed(small(nos), "classes.cnp.cap_percent", 10))
    scheduler = queue(made, "leaf1", port, 6).scheduler
    assert scheduler is not None
    assert (scheduler.shape_percent, scheduler.shape_bps) == (percent, bps)


def queue(made: Design, device: str, port: str, number: int) -> Queue:
    golden = made.fabric.devices[device]
    qos = golden.interfaces[port].qos
    assert qos is not None
    found = golden.qos.egress[qos.egress or ""].queue(number)
    assert found is not None
    return found


def shares(made: Design, device: str, port: str) -> dict[int, float | None]:
    schedulers = {number: queue(made, device, port, number).scheduler for number in (0, 3, 6)}
    return {number: each.share for number, each in schedulers.items() if each is not None}
