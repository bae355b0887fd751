"""A file that is cut at the end of a line supports no more than its remaining lines.

Forms with an end marker (braces, JSON, `end`) show that they are cut. Others do not, such as lines
that begin with `set`: references in other files to a cut device still count, and READY needs every
port of the whole fabric to treat RoCE as before.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Answer, Verdict
from roce_lint.pipeline import Report
from tests.bench import Files, check
from tests.metamorphic.weaker import FABRICS, device_of, fabric, verdict
from tests.sampling import sample, sampled

FEW = 3
"""Approximate number of cuts per file in `make test`."""

LONG, STEP = 300, 3
"""Length of a repetitive file, and the distance of its cuts in the deep suite."""


def cut(files: Files, file: str, lines: int) -> Files:
    """The fabric with only the first lines of a file."""
    text = "".join(files[file].splitlines(keepends=True)[:lines])
    return {**files, file: text}


def places(name: str, file: str) -> range:
    """Possible numbers of remaining lines."""
    return range(len(fabric(name)[file].splitlines()))


Port = tuple[str, str]


def treatments(report: Report) -> dict[Port, tuple[object, ...]]:
    """Peer, VRF, size, and treatment of the class for each port of a path."""
    analysis = report.analysis
    assert analysis is not None
    dscps = [dscp for traffic in analysis.data_classes for dscp in traffic.dscps]
    found: dict[Port, tuple[object, ...]] = {}
    for port in analysis.switch_ports():
        treated = [analysis.treat(port, dscp) for dscp in dscps]
        found[port.key] = (
            str(port.peer), port.interface.vrf, port.interface.ip_mtu,
            [(each.ingress.protected.value, each.ingress.pause_priority.value) for each in treated],
            [(each.egress.marks, each.egress.stopped_by) for each in treated],
        )  # fmt: skip
    return found


def proved(verdict: Verdict) -> float:
    """Share of pairs that are judged and not broken."""
    return (verdict.judged - verdict.broken) / verdict.pairs if verdict.pairs else 0.0


def require_supported(name: str, file: str, lines: int) -> None:
    """Check the verdict on a fabric with one cut file."""
    before, report = verdict(name), check(cut(fabric(name), file, lines))
    after = report.verdict
    assert proved(after) <= proved(before)
    if name.endswith("/hosts") or device_of(file).startswith("spine"):
        assert after.pairs >= before.pairs  # edge ports are named by their own lines alone
    if after.answer is Answer.READY:
        assert (after.pairs, after.judged) == (before.pairs, before.judged)
        whole = treatments(check(fabric(name)))  # an uplink may be down: others take its traffic
        assert {port: whole[port] for port in treatments(report)} == treatments(report)


def kind_of(name: str, file: str) -> str:
    """Common part of the names of files of one kind: one of them is cut."""
    mixed = name.startswith("sample") and not file.startswith("hosts/")
    return file if mixed else "".join(letter for letter in file if not letter.isdigit())


CUT_FILES = [
    (name, file)
    for name in FABRICS
    for file in {kind_of(name, file): file for file in fabric(name)}.values()
    if file != "links.yaml" and (name.endswith("/hosts") or not file.startswith("hosts/"))
]


@pytest.mark.parametrize("case", sampled(CUT_FILES, 15, lambda case: case[0]), ids="-".join)
def test_a_file_cut_at_some_lines(case: tuple[str, str]) -> None:
    name, file = case
    every = places(name, file)
    one_in = 1 + len(every) // FEW
    chosen = sample(every, one_in, lambda _: name, name=lambda lines: f"{name}/{file}/{lines}")
    for lines in chosen:
        require_supported(name, file, lines)


@pytest.mark.deep
@pytest.mark.parametrize("case", CUT_FILES, ids="-".join)
def test_a_file_cut_at_every_line(case: tuple[str, str]) -> None:
    name, file = case
    every = places(name, file)
    for lines in every if len(every) < LONG else every[::STEP]:
        require_supported(name, file, lines)
