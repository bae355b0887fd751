"""Changes that `fix` never makes, though most of the fabric has the value: no majority takes
protection from the one device that is right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.fix.offers import Answer
from roce_lint.text.splice import splice
from tests.bench import write_files
from tests.fix.harm import answer_of
from tests.small_fabrics.made import EVERY, Made, made


def after(answer: Answer, name: str) -> str:
    """A file with all offered fixes."""
    text = answer.files[name].text
    for each in answer.made(answer.offers).values():
        text = splice(text, each.splices.get(name, ()))
    return text


def wrong_elsewhere(system: str, right: str, wrong: str) -> Made:
    """A fabric of which only leaf1 has a text."""
    own = made(system, hosts=True)
    for device in EVERY[1:]:
        own.change(device, (right, wrong), every=True)
    return own


LAW = [
    ("eos", "priority-flow-control priority 3 no-drop", "priority-flow-control priority 4 no-drop"),
    ("eos", "   priority-flow-control on\n", ""),
    ("eos", "   mtu 9214\n", "   mtu 1500\n"),
    ("nxos", "  priority-flow-control mode on\n", "  priority-flow-control mode off\n"),
    ("nxos", "  mtu 9216\n  ip", "  mtu 1500\n  ip"),
    ("nxos", " weight 0 ecn", " weight 0"),
    ("nxos", "  priority-flow-control watch-dog-interval on\n", ""),
    ("os10", " priority-flow-control mode on\n", ""),
    ("os10", " random-detect ecn\n", ""),
]  # fmt: skip
"""A system, a text of it that protects RoCE, and what stands there on all devices but one."""


@pytest.mark.parametrize(("system", "right", "wrong"), LAW)
def test_a_majority_takes_protection_from_nobody(
    system: str, right: str, wrong: str, tmp_path: Path
) -> None:
    own = wrong_elsewhere(system, right, wrong)
    answer = answer_of(write_files(own.texts, tmp_path))
    name = own.files["leaf1"]
    assert answer.before.report.findings != []
    assert after(answer, name).count(right) == own.texts[name].count(right)


@pytest.mark.parametrize(
    ("system", "right", "wrong", "rule"),
    [
        ("eos", " minimum-threshold 2000 kbytes", " minimum-threshold 20000 kbytes", "ECN003"),
        ("nxos", "bandwidth remaining percent 60", "bandwidth remaining percent 0", "CLS006"),
        ("junos", "                percent 66;\n", "                percent 0;\n", "BUF020"),
    ],
)
def test_a_value_that_is_wrong_on_all_devices_is_left_to_a_person(
    system: str, right: str, wrong: str, rule: str, tmp_path: Path
) -> None:
    own = made(system).everywhere((right, wrong))
    answer = answer_of(write_files(own.texts, tmp_path))
    left = [case for case in answer.manual if case.finding.rule == rule]
    assert {case.occurrence.device for case in left} == set(EVERY)
    assert all(case.reason for case in left)
    assert not any(case.finding.rule == rule for offer in answer.offers for case in offer.cases)
