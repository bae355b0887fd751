"""Real OS10 configurations: each error and warning was read against the file and docs/nos/os10.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.test_corpus import CORPUS, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

FILES = ("azs-reference.conf", "azlocal-tor-1a.cfg", "m365-tor1.config")
"""Files of the corpus; `reviewed.py` lists their findings."""


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_understood(name: str) -> None:
    report = judged(Path(CORPUS / "os10" / name))
    assert [(device.nos, device.files) for device in report.devices] == [("os10", (name,))]
    assert [f.message for f in report.findings if f.rule == "SRC001"] == []


def test_two_causes_of_two_ports_are_two_findings() -> None:
    """ethernet1/1/1 lacks a class of its policy, ethernet1/1/2 the policy: fixing one leaves the
    other.
    """
    report = judged(CORPUS / "os10" / "azs-reference.conf")
    found = {each.rule: each for each in report.findings}
    assert [each.subjects for each in found["PFC003"].occurrences] == [("ethernet1/1/2",)]
    assert found["PFC003"].also == found["MAP003"].also == ()


def test_no_file_is_left_out() -> None:
    assert {path.name for path in (CORPUS / "os10").iterdir()} == set(FILES)


def test_unbound_structures_are_reported() -> None:
    report = judged(CORPUS / "os10" / "azlocal-tor-1a.cfg")
    unused = [f.location.line for f in report.findings if f.rule == "MAP005"]
    assert unused == [103, 123, 129, 135]  # a class, the queue map, both policies
