"""Impossible intents are refused with line, value and permitted values; all in one run."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

from roce_lint.errors import IntentError
from roce_lint.intent.read import read_whole
from tests.conftest import Within
from tests.unit.design.wished import changed, made_of, small, written


def refused_all(tmp_path: Path, wish: dict[str, Any]) -> list[str]:
    with pytest.raises(IntentError) as raised:
        made_of(tmp_path, wish)
    return str(raised.value).splitlines()


def refused(tmp_path: Path, wish: dict[str, Any]) -> list[str]:
    path = tmp_path / "intent.yaml"
    with pytest.raises(IntentError) as raised:
        made_of(tmp_path, wish)
    lines = str(raised.value).splitlines()
    assert all(line.startswith(f"{path}:") for line in lines), lines
    return [line.removeprefix(f"{path}:").split(": ", 1)[1] for line in lines]


@pytest.mark.parametrize(
    ("nos", "path", "value", "message"),
    [
        ("eos", "fabric.leaf.nos", "eoss", "unknown system 'eoss' (did you mean eos"),
        ("eos", "fabric.leaf.nos", "linux", "linux is not supported by `generate`"),
        ("cumulus", "mtu", 9500, "cumulus takes 552 to 9216 bytes, found 9500"),
        ("eos", "watchdog.systems.eos.detection_ms", 70000, "eos takes 10 to 60000 ms, found"),
        (
            "nxos",
            "watchdog.systems.nxos.detection_ms",
            200,
            "nxos has no documented setting for detection_ms",
        ),
        ("cumulus", "watchdog.systems.cumulus.detection_ms", 250, "whole polling intervals"),
        (
            "cumulus",
            "watchdog.systems.cumulus.action",
            "alert",
            "cumulus supports drop, found alert",
        ),
        ("junos", "watchdog.systems.eos", {}, "no switch of the design has the system 'eos'"),
        ("sonic", "buffers", None, "no buffers for 400 Gb/s and 3 m, which sonic requires"),
        ("sonic", "fabric.leaf.cable_m", None, "sonic sizes headroom by cable length"),
        ("sonic", "fabric.leaf.down.lanes", None, "fabric.leaf.down.lanes is missing"),
        ("sonic", "classes.roce.share_percent", 60.5, "sonic requires whole numbers, found 60.5"),
        (
            "sonic",
            "classes.roce.systems.sonic.share_percent",
            30.5,
            "sonic requires whole numbers, found 30.5",
        ),
        ("eos", "classes.roce.systems.esoo", {}, "no device of the design has the system 'esoo'"),
        ("eos", "classes.roce.systems.eos.share_percent", 100, "leave nothing for other traffic"),
        ("eos", "classes.cnp.systems.eos.strict", False, "cnp has neither strict: true nor"),
        ("eos", "overrides.leaf1.classes.rose", {}, "no class 'rose' (did you mean roce?)"),
        ("eos", "overrides.leaf2.classes.roce.share_percent", 0.5, "eos requires whole numbers"),
        ("eos", "overrides.leaf2.marking", [{"kmin_percent": 5}], "kmin_bytes is missing"),
        ("eos", "overrides.leaf2.watchdog.detection_ms", 70000, "eos takes 10 to 60000 ms"),
        ("eos", "overrides.gpu1.watchdog.polling_ms", 1, "gpu1 is a host, and has no watchdog"),
        (
            "eos",
            "overrides.gpu1.ports.eth0.marking",
            [{"kmin_bytes": 1}],
            "gpu1 is a host, and has no marking in a design",
        ),
        (
            "eos",
            "marking",
            [{"kmin_bytes": 1, "kmax_bytes": 2, "pmax_percent": 5, "system": "nxos"}],
            "no switch of the design has the system 'nxos'",
        ),
        ("eos", "buffers", [{"xoff_bytes": 1}], "none of eos has configurable buffers"),
        ("eos", "marking", [], "no thresholds in bytes for 400 Gb/s, as eos states them"),
        ("junos", "marking", [{"kmin_bytes": 1, "kmax_bytes": 2}], "no thresholds in percent"),
        ("eos", "marking", [{"kmin_bytes": 1, "kmax_bytes": 2}], "pmax_percent is missing"),
        ("comware", "marking", [{"kmin_bytes": 1, "kmax_bytes": 2}], "no thresholds in cells"),
        (
            "eos",
            "marking",
            [{"kmin_bytes": 1, "kmax_bytes": 300_000_000, "pmax_percent": 1}],
            "kmax_bytes 3e+08: ECN threshold of eos takes 1 to 256000000",
        ),
        ("eos", "thresholds", {"profile": "amd-rocm"}, "thresholds.profile and marking exclude"),
        ("eos", "thresholds", {"profile": "computed"}, "cannot be computed yet"),
        ("eos", "separation", {"storage": 1}, "separation is not designed yet"),
        ("eos", "hosts.gpu.form", "netplan", "hosts.gpu.form is not designed yet"),
        ("eos", "classes.roce.applications", ["nccl"], "applications is not designed yet"),
        ("eos", "classes.roce.lossless", None, "classes.roce.lossless is missing"),
        ("eos", "classes.cnp.strict", None, "neither strict: true nor a share_percent"),
        ("eos", "classes.roce.share_percent", 100, "leave nothing for other traffic"),
        ("eos", "classes.cnp.dscp", [26], "DSCP 26 is in both roce and cnp"),
        ("eos", "classes.cnp.pfc_priority", 3, "both roce and cnp have priority 3"),
        ("eos", "classes.roce.pcp", 4, "has pcp 4 and pfc_priority 3"),
        ("eos", "mode", "ecn-only", "is ecn-only, but a class is lossless: roce"),
        ("eos", "classes.cnp", None, "no class has flow: cnp, which ECN marking requires"),
        ("eos", "max_lossless", 0, "max_lossless is 0, but roce are lossless"),
        ("eos", "fabric.tiers", 3, "fabric.tiers is 3, but there are 2"),
        ("eos", "fabric.pods", 2, "2 pods need a superspine to join them"),
        ("eos", "fabric.rails", 3, "2 leaves of a pod cannot be divided into 3 rails"),
        ("eos", "fabric.planes", 2, "planes require superspines"),
        ("eos", "fabric.leaf.up", None, "fabric.leaf.up is missing: ports to the tier above"),
        ("eos", "fabric.spine.up", {"first": 9, "speed_gbps": 1}, "there is no tier above"),
        ("eos", "fabric.leaf.down.last", 2, "leaf1 has no port left up to 2"),
        ("eos", "fabric.leaf.up.first", 2, "of leaf1 is used twice"),
        ("eos", "fabric.leaf.up.speed_gbps", 800, "fabric.spine.down at the other end 400"),
        ("eos", "hosts.gpu.speed_gbps", 200, "fabric.leaf.down at the other end 400"),
        ("eos", "fabric.leaf.asn.each", "tier", "leaves with the same AS reject"),
        ("eos", "fabric.spine.asn.each", "device", "allow valley paths"),
        ("eos", "fabric.spine.asn.first", 65001, "spine1 and leaf1 have the same AS number: 65001"),
        ("eos", "fabric.leaf.asn.first", 4_294_967_294, "numbers run out"),
        ("eos", "addressing.links", "10.0.0.0/30", "10.0.0.0/30 has 2 pairs of addresses, but 4"),
        ("eos", "addressing", None, "BGP sessions require addresses on the links between switches"),
        ("eos", "addressing.links", None, "BGP sessions require addresses on the links between"),
        ("eos", "addressing.links", "fd00::/64", "hosts with IPv4 addresses, but no links between"),
        ("eos", "addressing.hosts", "fd00::/64", "hosts with IPv6 addresses, but no links between"),
        ("junos", "watchdog.systems.junos.detection_ms", 250, "whole polling intervals"),
        ("eos", "addressing.loopbacks", "10.255.0.0/30", "has 3 addresses for 4 switches"),
        ("eos", "addressing.hosts", "10.0.0.0/16", "overlaps 10.0.0.0/24 of addressing.links"),
        ("eos", "addressing.hosts", "10.0.0.1/16", "must be a network such as 10.0.0.0/16"),
        ("eos", "overrides.leaf9", {}, "the design has no device 'leaf9'"),
        ("eos", "overrides.leaf1.ports", {"Ethernet9/9": {}}, "leaf1 has no port 'Ethernet9/9'"),
        ("eos", "overrides.leaf1.asn", 65002, "leaf2 and leaf1 have the same AS number: 65002"),
        ("eos", "overrides.leaf1.loopback", "10.255.0.2/32", "have the same address: 10.255.0.2"),
        ("eos", "overrides.gpu1.asn", 1, "gpu1 is a host, and has no asn in a design"),
        ("eos", "fabric.links", "links.yaml", "fabric.devices is missing"),
        ("eos", "fabric.leaf", None, "fabric.leaf is missing"),
        ("eos", "fabric", None, "fabric is missing"),
        ("eos", "classes", None, "classes are missing"),
    ],
)
def test_a_wish_that_cannot_be_met(
    nos: str, path: str, value: Any, message: str, tmp_path: Path
) -> None:
    lines = refused(tmp_path, changed(small(nos), path, value))
    assert any(message in line for line in lines), lines


def test_a_speed_without_a_type_of_port(tmp_path: Path) -> None:
    lines = refused(tmp_path, small("vrp", speed=30))
    assert all("vrp has no ports of 30 Gb/s" in line for line in lines), lines


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("fabric.leaf.down.last", 2, "leaf1 has no port left up to 2"),
        ("fabric.leaf.nos", "eso", "unknown system 'eso'"),
        ("fabric.tiers", 3, "fabric.tiers is 3"),
        ("fabric.leaf.cabel_m", 3, "unknown key fabric.leaf.cabel_m (did you mean cable_m?)"),
        ("hosts.gpu.speed_gbps", 200, "has 200 Gb/s"),
        ("classes.roce.lossless", None, "classes.roce.lossless is missing"),
        ("classes.roce.dscp", [64], "classes.roce.dscp[0] must be at most 63"),
        ("addressing.links", "10.0.0.0/30", "10.0.0.0/30 has 2 pairs"),
        ("marking", "x", "marking must be a list"),
        ("overrides.leaf9", {}, "the design has no device 'leaf9'"),
    ],
)
def test_independent_faults_are_reported_together(
    path: str, value: Any, message: str, tmp_path: Path
) -> None:
    wish = changed(changed(small("nxos"), "mtu", 10000), "rdma_payload", 4000)
    wish = changed(wish, "watchdog.systems.nxos.polling_ms", 5000)
    lines = refused(tmp_path, changed(wish, path, value))
    others = [line for line in lines if "nxos takes 576 to 9216 bytes" in line]
    others += [line for line in lines if line.startswith("rdma_payload must be one of")]
    assert len(others) == 2, lines
    assert any(message in line for line in lines), lines
    # A watchdog needs a lossless class: without its classes nothing is known of it.
    assert ("nxos takes 100 to 1000 ms, found 5000" in "".join(lines)) is (
        path not in {"classes.roce.dscp", "classes.roce.lossless"}
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("fabric.leaf.nos", "eso"), ("fabric.rails", 3), ("fabric.leaf.up", None),
        ("fabric.leaf.cable_m", -1), ("hosts.gpu.count", 0), ("classes.roce.pfc_priority", 9),
        ("marking", [{"kmin_bytes": -1}]), ("buffers", [{"xoff_bytes": -1}]),
        ("watchdog.systems.sonic.polling_ms", "x"), ("fabric.leaf.asn", {"first": 0}),
        ("mode", "losless"), ("overrides.leaf1.asn", "x"),
    ],
)  # fmt: skip
def test_no_consequence_is_reported(path: str, value: Any, tmp_path: Path) -> None:
    wish = changed(small("sonic"), "overrides.leaf2", {"loopback": "10.255.9.9/32"})
    wish |= {"balancing": {"max_paths": 4}}
    assert len(refused(tmp_path, changed(wish, path, value))) == 1


@pytest.mark.parametrize(
    "name", ["ro\x1b[31mce\ninjected", "", "4roce", "-roce", "a b", "ro{{ce", "r" * 32, "r\u00f6ce"]
)
def test_hostile_names_of_classes(name: str, tmp_path: Path) -> None:
    wish = small()
    wish["classes"][name] = wish["classes"].pop("roce")
    lines = refused_all(tmp_path, wish)
    assert "must be a letter and up to 30 letters, digits and . _ -" in lines[0]
    assert all(line.isprintable() and len(line) < 300 for line in lines)


def test_hostile_keys_and_titles(tmp_path: Path) -> None:
    wish = changed(small(), "name", "Pod\x1b[2J 1") | {"a\x1b[31m\n" + "b" * 500: 1}
    lines = refused_all(tmp_path, wish)
    assert len(lines) == 2
    assert all(line.isprintable() and len(line) < 300 for line in lines), lines


@pytest.mark.parametrize(
    "name",
    [
        "{{ 7 * 7 }}", "{% for x in y %}", "leaf{n}\nno shutdown", "leaf'{n}", 'leaf"{n}', "a\tb",
        "../leaf{n}", "/etc/leaf{n}", "leaf{n}\x1b[2J", "leaf {n}", "{n.__class__}", "{n!r}",
        "{m}", "", "a" * 65, "{n:99999d}", "-leaf{n}", "leaf{n}/", "leaf{n}{",
    ],
)  # fmt: skip
def test_hostile_names(name: str, tmp_path: Path) -> None:
    assert refused(tmp_path, changed(small(), "fabric.leaf.name", name))


@pytest.mark.parametrize("text", ["x\nrouter bgp 1", "x\x07", "\u202ex", "x\r", "y" * 201])
def test_hostile_texts(text: str, tmp_path: Path) -> None:
    assert refused(tmp_path, changed(small(), "fabric.leaf.platform", text))


def test_two_devices_of_one_name(tmp_path: Path) -> None:
    lines = refused(tmp_path, changed(small(), "fabric.spine.name", "leaf{n}"))
    assert "two devices have the name leaf1" in lines


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("fabric.leaf.count", 100_000), ("hosts.gpu.count", 100_000), ("fabric.pods", 4096),
        ("fabric.leaf.count", 10**30), ("hosts.gpu.nics", 65),
    ],
)  # fmt: skip
def test_more_than_can_be_is_refused_at_once(
    path: str, value: int, tmp_path: Path, within: Within
) -> None:
    wish = small()
    wish["fabric"]["superspine"] = {"count": 1, "name": "top", "nos": "eos"}
    wish["fabric"]["spine"]["up"] = wish["fabric"]["superspine"]["down"] = {
        "first": 33, "speed_gbps": 400,
    }  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with within(5):
        assert refused(tmp_path, changed(wish, path, value))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10  # KiB


def test_a_large_fabric_is_refused_by_its_first_switches(tmp_path: Path, within: Within) -> None:
    wish = changed(small(), "fabric.leaf.count", 1000)
    wish["addressing"] = {"links": "10.0.0.0/16", "loopbacks": "10.255.0.0/16"}
    wish["hosts"] = {}
    wish["fabric"]["leaf"]["asn"]["first"] = 4200000001
    wish["marking"] = []
    with within(5):
        lines = refused(tmp_path, wish)
    assert any("no thresholds in bytes" in line for line in lines)


def test_thousands_of_wrong_cables(tmp_path: Path, within: Within) -> None:
    wish = small()
    devices = {f"leaf{n}": {"role": "leaf", "nos": "eos"} for n in range(1000)}
    links = [
        {"a": f"leef{n}:Ethernet1/1", "b": f"leaf{n}:Ethernet1/1", "speed_gbps": 400}
        for n in range(5000)
    ]
    wish["fabric"] = {"devices": devices, "links": links}
    with within(10):
        lines = refused_all(tmp_path, wish)
    assert lines[-1].endswith(": 4950 more are wrong")


def test_an_anchor_that_explodes(tmp_path: Path, within: Within) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    path = written(tmp_path, {})
    path.write_text("\n".join(rows))
    with within(5), pytest.raises(IntentError):
        read_whole(path)


def test_all_is_lines_in_one_run(tmp_path: Path) -> None:
    wish = changed(changed(small(), "mtu", 70000), "fabric.leaf.count", 0)
    wish = changed(wish, "hosts.gpu.nic", 2)
    assert len(refused(tmp_path, wish)) == 3


def test_cables_of_listed_devices(tmp_path: Path) -> None:
    wish = small()
    wish["fabric"] = {
        "devices": {
            "leaf1": {"role": "leaf", "nos": "eos", "asn": 65001},
            "spine1": {"role": "spine", "nos": "eos", "asn": 65100},
        },
        "links": [
            {"a": "leaf1:Ethernet1/1", "b": "spine1:Ethernet1/1", "speed_gbps": 400},
            {"a": "leaf1:Ethernet1/1", "b": "spine1:Ethernet2/1", "speed_gbps": 400},
            {"a": "leaf1:Ethernet2/1", "b": "spine9:Ethernet2/1", "speed_gbps": 400},
            {"a": "leaf1:Ethernet3/1", "b": "gpu1:eth7"},
            {"a": "leaf1:Ethernet4/1", "b": "spine1:Ethernet4/1"},
            {"a": "leaf1", "b": "spine1:Ethernet5/1"},
        ],
    }
    lines = refused(tmp_path, wish)
    assert lines == [
        "leaf1:Ethernet1/1 is at the end of two cables",
        "the design has no device 'spine9' (did you mean spine1?)",
        "gpu1 has no interface 'eth7' (did you mean eth1, eth0?)",
        "the link of leaf1:Ethernet4/1 needs a speed_gbps",
        "an end of a cable is device:port",
    ]


@pytest.mark.parametrize("name", ["../links.yaml", "/etc/passwd", "links.txt", "a\nb.yaml"])
def test_a_cable_plan_is_a_file_beside_the_intent(name: str, tmp_path: Path) -> None:
    wish = small()
    wish["fabric"] = {"devices": {"leaf1": {"role": "leaf", "nos": "eos"}}, "links": name}
    assert "must be a .yaml or .csv file beside the intent" in refused(tmp_path, wish)[0]
