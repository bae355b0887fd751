"""Real configurations without RoCE: recognised, read without a line left, and without a fault."""

from __future__ import annotations

import pytest

from tests.corpus.test_corpus import CORPUS, grave, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

NAMES = {
    # Two virtual routers without QoS, and a file of policy-map syntax.
    ("iosxr", "bf-policy-map.cfg"): "policy-map",
    ("iosxr", "xrd-sr-1.cfg"): "xrd-1",
    ("iosxr", "xrd-srv6-pe1.cfg"): "pe1",
    # Without PFC, ECN or a QoS map.
    ("sonic-ent", "cumulus-test1-sonic-cli.txt"): "DC-Leaf-Cumulus-01",
    ("sonic-ent", "nxos-test4-sonic-cli.txt"): "Dist-Switch-01",
    # Lab devices without QoS; no line of them has a name, and the file does.
    ("srlinux", "mpls-srl1.cfg"): "mpls-srl1",
    ("srlinux", "mpls-srl2.cfg"): "mpls-srl2",
    ("srlinux", "telemetry-leaf1.cfg"): "telemetry-leaf1",
    ("srlinux", "telemetry-spine1.cfg"): "telemetry-spine1",
}
SYSTEMS = {"iosxr": "iosxr", "sonic-ent": "esonic", "srlinux": "srlinux"}


@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_nothing_is_reported(folder: str, name: str) -> None:
    report = judged(CORPUS / folder / name)
    found = [(device.nos, device.name) for device in report.devices]
    assert found == [(SYSTEMS[folder], NAMES[folder, name])]
    assert list(grave(report)) == []
    assert [finding.message for finding in report.findings if finding.rule == "SRC001"] == []


@pytest.mark.parametrize("folder", SYSTEMS)
def test_no_file_is_left_out(folder: str) -> None:
    assert {(folder, path.name) for path in (CORPUS / folder).iterdir()} <= NAMES.keys()


def test_ip_mtu_of_a_routed_port() -> None:
    report = judged(CORPUS / "srlinux" / "telemetry-leaf1.cfg")
    assert report.fabric is not None
    port = next(iter(report.fabric.devices.values())).interfaces["ethernet-1/49"]
    assert (port.ip_mtu, port.where("ip_mtu").position) == (9000, 6)
