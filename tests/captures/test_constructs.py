"""Lines in captures from the field that earlier releases did not support."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.model.device import Device
from tests.captures.bases import BASES
from tests.captures.test_matrix import judged, put


def read(folder: Path, text: str) -> Device:
    (device,) = load((str(put(folder, text)),), jobs=1).devices
    return device


def unknown(folder: Path, text: str) -> list[str]:
    """Remarks about unrecognised lines."""
    report = judged(put(folder, text))
    assert len(report.devices) == 1
    return [finding.message for finding in report.findings if finding.rule == "SRC001"]


def nxos(*lines: str) -> str:
    text = BASES["nxos"].text.replace("leaf1# \n", "")
    return "\n".join((text, *lines, ""))


def eos(*lines: str) -> str:
    return "\n".join(("hostname leaf1", "!", *lines, "!", "end", ""))


@pytest.mark.parametrize("line", ["shutdown", "shutdown force"])
def test_a_port_that_is_shut_by_force_is_shut(line: str, tmp_path: Path) -> None:
    device = read(tmp_path, nxos("interface Ethernet1/60", f"  {line}"))
    assert device.interfaces["Ethernet1/60"].enabled is False


def test_lines_of_a_vlan_interface_are_known(tmp_path: Path) -> None:
    lines = ("interface Vlan300", "  no autostate", "  autostate", "  no management")
    assert "autostate" not in str(unknown(tmp_path, nxos(*lines)))


def test_a_range_of_subinterfaces_is_each_of_them(tmp_path: Path) -> None:
    lines = ("interface Ethernet1/40.11-13", "  mtu 9000", "interface Ethernet1/41.1-1/41.2")
    device = read(tmp_path, nxos("feature bgp", *lines))
    ports = [name for name in device.interfaces if name.startswith("Ethernet1/40.")]
    assert ports == ["Ethernet1/40.11", "Ethernet1/40.12", "Ethernet1/40.13"]
    assert device.interfaces["Ethernet1/40.12"].ip_mtu == 9000


def test_a_policy_at_an_exit_is_used(tmp_path: Path) -> None:
    policy = ("policy-map type qos OUT", "  class class-default", "    set dscp 10")
    lines = ("interface Ethernet1/40", "  service-policy type qos output OUT")
    for given, used in (((*policy, *lines), True), (policy, False)):
        report = judged(put(tmp_path, nxos(*given)))
        said = [f.message for f in report.findings if f.rule == "MAP005" and "OUT" in f.message]
        assert (said == []) is used


def test_lines_of_bgp_are_known(tmp_path: Path) -> None:
    lines = (
        "router bgp 65001", "  no neighbor 10.9.9.9", "  neighbor 10.9.9.8",
        "    remote-as 65002", "    address-family ipv4 unicast", "      default-originate",
    )  # fmt: skip
    said = str(unknown(tmp_path, nxos(*lines)))
    assert "neighbor" not in said
    assert "originate" not in said


PROFILE = (
    "interface profile FABRIC",
    "   command mtu 9214",
    "   command no switchport",
    "   command priority-flow-control on",
    "   command priority-flow-control priority 3 no-drop",
    "!",
    "interface Ethernet1",
    "   profile FABRIC",
    "!",
    "interface Ethernet2",
    "   profile FABRIC",
    "   mtu 1500",
    "!",
)


def test_a_port_has_the_lines_of_its_profile_and_its_own_go_before(tmp_path: Path) -> None:
    device = read(tmp_path, eos(*PROFILE))
    first, second = device.interfaces["Ethernet1"], device.interfaces["Ethernet2"]
    assert (first.routed, first.ip_mtu, first.at["ip_mtu"]) == (True, 9214, 4)
    assert (second.routed, second.ip_mtu, second.at["ip_mtu"]) == (True, 1500, 14)
    assert first.qos is not None
    assert first.qos.pfc is not None
    assert first.qos.pfc.generate == frozenset({3})
    assert set(device.interfaces) == {"Ethernet1", "Ethernet2"}
    assert unknown(tmp_path, eos(*PROFILE)) == []


def test_a_profile_that_nobody_defines_is_told(tmp_path: Path) -> None:
    report = judged(put(tmp_path, eos("interface Ethernet1", "   profile FABRIK", "   mtu 9214")))
    assert "FABRIK" in str([finding.message for finding in report.findings])


@pytest.mark.parametrize(
    ("family", "paths"), [("   address-family ipv4", 8), ("   address-family evpn", 1)]
)
def test_paths_in_an_address_family_count(family: str, paths: int, tmp_path: Path) -> None:
    lines = ("service routing protocols model multi-agent", "router bgp 65001")
    device = read(tmp_path, eos(*lines, family, "      maximum-paths 8 ecmp 8"))
    assert device.routing is not None
    assert device.routing.max_paths == paths


def test_lines_of_a_switch_that_do_not_matter_are_known(tmp_path: Path) -> None:
    lines = (
        "interface Ethernet1", "   no queue-monitor length", "   mtu 9214", "!",
        "interface Ethernet2", "   channel-group recirculation 1", "!",
        "interface Recirc-Channel1", "   switchport recirculation features vxlan", "!",
        "router bgp 65001", "   vrf A", "      graceful-restart", "      maximum-paths 4",
        "      address-family ipv4", "         transit",
    )  # fmt: skip
    assert unknown(tmp_path, eos(*lines)) == []


def test_proxy_notification_is_known(tmp_path: Path) -> None:
    lines = ("iqcn", " assign queue 3", " rpg-time-reset 300", " iqcn enable", "#", "")
    text = BASES["vrp"].text.replace("#\nreturn", "#\n" + "\n".join(lines) + "return", 1)
    assert "rpg-time-reset" in text
    assert unknown(tmp_path, text) == unknown(tmp_path, BASES["vrp"].text)


def test_bfd_of_a_port_is_known(tmp_path: Path) -> None:
    text = BASES["iosxr"].text.replace(
        "\n mtu ", "\n bfd mode ietf\n bfd address-family ipv4 multiplier 3\n mtu ", 1
    )
    assert "bfd mode" in text
    assert unknown(tmp_path, text) == unknown(tmp_path, BASES["iosxr"].text)


def test_packets_that_can_be_marked_have_thresholds_of_their_own(tmp_path: Path) -> None:
    tables = json.loads(BASES["sonic"].text)
    name, row = next(iter(tables["WRED_PROFILE"].items()))
    row["green_ect_min_threshold"] = "123000"
    row["green_ect_max_threshold"] = "456000"
    text = json.dumps(tables, indent=2)
    device = read(tmp_path, text)
    marks = {
        (queue.marking.kmin.value, queue.marking.kmax.value)
        for policy in device.qos.egress.values()
        for queue in policy.queues.values()
        if queue.marking is not None and queue.marking.kmin and queue.marking.kmax
    }
    assert (123000, 456000) in marks, name
    assert "ect" not in str(unknown(tmp_path, text))


@pytest.mark.parametrize(
    ("low", "high", "severity", "confidence"),
    [
        ("green_min_threshold", "green_max_threshold", "error", "high"),
        ("green_ect_min_threshold", "green_ect_max_threshold", "warning", "low"),
    ],
)
def test_thresholds_that_not_every_platform_has_may_only_warn(
    low: str, high: str, severity: str, confidence: str, tmp_path: Path
) -> None:
    tables = json.loads(BASES["sonic"].text)
    for row in tables["WRED_PROFILE"].values():
        row |= {low: "456000", high: "123000"}
    report = judged(put(tmp_path, json.dumps(tables, indent=2)))
    found = [f for f in report.findings if f.rule == "ECN003"]
    assert [(f.severity.label, f.confidence.value) for f in found] == [(severity, confidence)]
    place = found[0].occurrences[0].locations[0]
    assert low in place.path + place.text


def test_a_threshold_of_their_own_that_says_the_same_is_certain(tmp_path: Path) -> None:
    tables = json.loads(BASES["sonic"].text)
    for row in tables["WRED_PROFILE"].values():
        row["green_ect_min_threshold"] = row["green_min_threshold"]
    device = read(tmp_path, json.dumps(tables, indent=2))
    marks = [queue.marking for p in device.qos.egress.values() for queue in p.queues.values()]
    assert all(mark.where("kmin").confirmed for mark in marks if mark is not None)


DROP = "class-of-service drop-profiles dp"


def test_a_set_line_with_two_lists_is_a_curve(tmp_path: Path) -> None:
    lines = (
        "set version 22.4R2",
        "set groups member0 system host-name leaf1",
        "set apply-groups member0",
        "set interfaces et-0/0/0 mtu 9216",
        f"set {DROP} interpolate fill-level [ 20 55 ] drop-probability [ 0 100 ]",
        "",
    )
    report = judged(put(tmp_path, "\n".join(lines)))
    assert [device.name for device in report.devices] == ["leaf1"]
    assert "fill levels" not in str([finding.message for finding in report.findings])
