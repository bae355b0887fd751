"""Real SR Linux configurations: recognised, read without a line left, and nothing said of them."""

from __future__ import annotations

import pytest

from tests.corpus.test_corpus import CORPUS, grave, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

# Four lab devices without QoS.
NAMES = ("mpls-srl1.cfg", "mpls-srl2.cfg", "telemetry-leaf1.cfg", "telemetry-spine1.cfg")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said(name: str) -> None:
    report = judged(CORPUS / "srlinux" / name)
    assert [device.nos for device in report.devices] == ["srlinux"]
    assert list(grave(report)) == []
    assert [finding.message for finding in report.findings if finding.rule == "SRC001"] == []


def test_no_file_is_left_out() -> None:
    assert {path.name for path in (CORPUS / "srlinux").iterdir()} == set(NAMES)


def test_ip_mtu_of_a_routed_port() -> None:
    report = judged(CORPUS / "srlinux" / "telemetry-leaf1.cfg")
    assert report.fabric is not None
    port = next(iter(report.fabric.devices.values())).interfaces["ethernet-1/49"]
    assert (port.ip_mtu, port.where("ip_mtu").position) == (9000, 6)
