"""Values that findings require, on the examples of the rule pages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.model.apply import Lines, apply_settings, value_at
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.schema import type_of
from roce_lint.remedy.effect import setting_of
from tests.bench import Files, load, report_on, report_on_change
from tests.rules.examples import Example, cases, describe, examples
from tests.sampling import sample

OTHERWISE = {
    "BUF015-bad-nvue": "the page moves trimming to another queue",
    "NIC015-bad": "the host then sends nothing else, and the next emission takes its number",
    "NIC017-bad-bench": "the ECN bits of the other data; the page has none",
    "TOP009-bad-junos": "the statement of the page allows more paths than needed",
}
"""Examples with another value than their page has, and the reason."""

RULES = {
    "BUF009", "BUF015", "CLS002", "CLS006", "CLS008", "CLS009", "CLS011", "CLS022", "ECN001",
    "ECN002", "ECN008", "ECN009", "ECN013", "LNK002", "LNK012", "MAP001", "MAP002", "MAP004",
    "MAP006", "MAP007", "MAP011", "MTU001", "MTU002", "MTU003", "MTU004", "MTU005", "MTU009",
    "NIC001", "NIC002", "NIC007", "NIC009", "NIC010", "NIC015", "NIC017", "NIC019", "NIC023",
    "NIC026", "NIC028", "PFC001", "PFC002", "PFC004", "PFC005", "PFC006", "PFC007", "PFC008", "PFC009",
    "PFC020", "PFC021", "PFC022", "TOP005", "TOP008", "TOP009",
}  # fmt: skip
"""Rules that require a certain value in an example of their page."""

wholly = pytest.mark.parametrize("one_in", [6, pytest.param(1, marks=pytest.mark.deep)])


@wholly
def test_the_rules_that_require_a_value(one_in: int) -> None:
    tried = sample(examples("bad"), one_in, lambda example: example.rule[:3])
    found = {example.rule for example in tried if _needs(example)}
    assert found == RULES if one_in == 1 else found < RULES
    assert len(found) > 5


@pytest.mark.parametrize("example", cases(examples("bad"), 6))
def test_required_values_clear_the_finding(example: Example) -> None:
    changes = _needs(example)
    loaded, devices = load(_texts(example)), _changed(example)
    settings = [setting_of(change) for change in changes]
    assert all(change.old != change.value for change in changes), "a value that is there already"
    assert all(map(type_of, (change.path for change in changes)))
    for found in _own(example, report_on(load(_texts(example))).findings):
        required = _required(found)
        assert len({change.path for change in required}) == len(required), "two values"
    if devices:
        changed = [devices.get(each.hostname, each) for each in loaded.devices]
        loaded, device = replace(loaded, devices=changed), next(iter(devices.values()))
        report = report_on_change(loaded, device, Lines(settings).file)
        assert describe(_own(example, report.findings)) == []


@wholly
def test_required_values_are_those_of_the_page(one_in: int) -> None:
    fixed = {(each.rule, each.case): each for each in examples("fixed")}
    others: dict[str, list[str]] = {}
    for example in sample(examples("bad"), one_in, lambda example: example.rule[:3]):
        page = fixed.get((example.rule, example.case))
        right = {each.hostname: each for each in load(_texts(page)).devices} if page else {}
        for change in _needs(example):
            device = right.get(change.path.device)
            if device is None or not _agrees(device, change, _changed(example)[device.hostname]):
                others.setdefault(str(example), []).append(str(change))
    if one_in == 1:
        assert others.keys() == OTHERWISE.keys(), others
    assert others.keys() <= OTHERWISE.keys(), others


def _agrees(right: Device, change: Change, changed: Device) -> bool:
    """Whether a page has a value too; a switch that is off may be unset."""
    wanted, found = value_at(right, change.path), value_at(changed, change.path)
    off = (None, False)
    return bool(found == wanted or (found in off and wanted in off))


@cache
def _needs(example: Example) -> tuple[Change, ...]:
    """Values that the findings of the page's rule require."""
    findings = report_on(load(_texts(example))).findings
    return tuple(change for each in _own(example, findings) for change in _required(each))


def _required(finding: Finding) -> list[Change]:
    return [change for each in finding.occurrences for change in each.changes]


@cache
def _changed(example: Example) -> dict[str, Device]:
    """Devices with the required values, by name."""
    settings = [setting_of(change) for change in _needs(example)]
    lines, made = Lines(settings), {}
    for device in load(_texts(example)).devices:
        own = [setting for setting in settings if setting.path.device == device.hostname]
        if own:
            made[device.hostname] = apply_settings(device, own, lines)
    return made


def _texts(example: Example) -> Files:
    return {name: block.text for name, block in example.files.items()}


def _own(example: Example, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.rule == example.rule]
