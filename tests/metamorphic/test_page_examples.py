"""A sound example of a rule page without one of its files never yields more knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from roce_lint.analysis.missing_switches import numberless
from roce_lint.engine.finding import Answer
from roce_lint.pipeline import Report
from tests.bench import Files, check
from tests.rules.examples import Example, cases, examples

_SETTINGS = {"intent.yaml", "roce-lint.toml"}  # they state what is wanted, and no device
SOUND = [each for each in examples("good", "fixed") if not _SETTINGS & each.files.keys()]


def owners(report: Report) -> dict[str, str]:
    """Device of each file."""
    return {file: device.name for device in report.devices for file in device.files}


def named_devices(texts: Iterable[str], series: set[str]) -> set[str]:
    """Words of texts that are device names in one of the series."""
    words = {word for text in texts for word in re.findall(r"[\w-]+", text)}
    return {word for word in words if numberless(word) in series}


def nics_of(report: Report, device: str) -> set[str]:
    """RDMA devices of a host with known ports."""
    assert report.fabric is not None
    host = report.fabric.devices.get(device)
    return {nic.name for nic in host.nics.values() if nic.port} if host is not None else set()


def may_lose_ends(whole: Report, report: Report, device: str | None) -> bool:
    """Whether ends of pairs may be lost although their device is named.

    Edge ports are known from their configuration only, NICs of a host from some of its outputs, and
    a network of several switches from links only.
    """
    assert report.analysis is not None
    if device is None:
        switches = {port.device.hostname for port in report.analysis.switch_ports()}
        return report.links == 0 and len(switches) > 1
    left = device in owners(report).values()
    return whole.verdict.assumed or (left and not nics_of(whole, device) <= nics_of(report, device))


def require_less(whole: Report, files: Files, gone: str) -> None:
    """Check the verdict on an example without one of its files."""
    rest = {name: text for name, text in files.items() if name != gone}
    report, device = check(rest), owners(whole).get(gone)
    before, after = whole.verdict, report.verdict
    if before.pairs:  # without a pair there is no coverage to compare with
        assert after.coverage <= before.coverage
    left = owners(report).values()
    series = {numberless(name) for name in owners(whole).values()}
    absent = named_devices([gone, files[gone]], series) - named_devices(rest.values(), series)
    if not absent and not may_lose_ends(whole, report, device):
        assert after.pairs >= before.pairs
    if after.answer is Answer.READY:
        assert device is None or device in left or device in absent
        assert device in absent or (after.pairs, after.judged) == (before.pairs, before.judged)


@pytest.mark.parametrize("example", cases(SOUND, 20))
def test_an_example_without_a_file(example: Example) -> None:
    files = {name: block.text for name, block in example.files.items()}
    whole = check(files)
    for gone in files if len(files) > 1 else ():
        require_less(whole, files, gone)
