"""Real IOS-XR configurations: recognised, read without a line left, and nothing said of them."""

from __future__ import annotations

import pytest

from tests.corpus.test_corpus import CORPUS, grave, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

# Two virtual routers without QoS, and a file of policy-map syntax without RoCE.
NAMES = {"bf-policy-map.cfg": "policy-map", "xrd-sr-1.cfg": "xrd-1", "xrd-srv6-pe1.cfg": "pe1"}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said(name: str) -> None:
    report = judged(CORPUS / "iosxr" / name)
    assert [(device.nos, device.name) for device in report.devices] == [("iosxr", NAMES[name])]
    assert list(grave(report)) == []
    assert [finding.message for finding in report.findings if finding.rule == "SRC001"] == []


def test_no_file_is_left_out() -> None:
    assert {path.name for path in (CORPUS / "iosxr").iterdir()} == set(NAMES)
