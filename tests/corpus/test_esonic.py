"""Real Enterprise SONiC texts: recognised, and nothing indefensible is said."""

from __future__ import annotations

import pytest

from tests.corpus.test_corpus import CORPUS, grave, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

# Neither has PFC, ECN or a QoS map: there is nothing to find.
NAMES = {
    "cumulus-test1-sonic-cli.txt": "DC-Leaf-Cumulus-01",
    "nxos-test4-sonic-cli.txt": "Dist-Switch-01",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said(name: str) -> None:
    report = judged(CORPUS / "sonic-ent" / name)
    assert [(device.nos, device.name) for device in report.devices] == [("esonic", NAMES[name])]
    assert list(grave(report)) == []
    assert [finding.message for finding in report.findings if finding.rule == "SRC001"] == []


def test_no_file_is_left_out() -> None:
    assert {path.name for path in (CORPUS / "sonic-ent").iterdir()} == set(NAMES)
