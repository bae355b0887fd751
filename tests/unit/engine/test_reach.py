"""A finding says how many pairs of NICs pass what it is about."""

from __future__ import annotations

from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Certainty, Finding, Occurrence, Pairs, Severity, Suppression
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.reach import with_pairs
from roce_lint.resources import resource_dir
from roce_lint.text.excerpts import Excerpts
from tests.unit.analysis.test_walk import wired


def found(
    rule: str,
    *places: tuple[str, tuple[str, ...]],
    severity: Severity = Severity.ERROR,
    suppressed: Suppression | None = None,
) -> Finding:
    """A finding on these devices and subjects."""
    occurrences = tuple(Occurrence(device, subjects, ()) for device, subjects in places)
    return Finding(
        rule, "some-rule", severity, Certainty.HIGH, "", "", occurrences, "f", "",
        suppressed=suppressed,
    )  # fmt: skip


def fabric() -> Analysis:
    """Two leaves with two hosts each and a spine: 12 pairs, 8 of them cross the spine."""
    return wired([0, 1, 0], [(0, 1), (2, 1)], [0, 0, 2, 2])


def pages() -> list[RulePage]:
    """The rules of the catalogue."""
    return load_pages([resource_dir("rules")])


def pairs_of(finding: Finding) -> Pairs | None:
    """What is said of one finding."""
    return with_pairs([finding], fabric(), pages(), Excerpts())[0].pairs


def test_a_fault_of_arriving_packets_counts_one_direction() -> None:
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)))) == Pairs(4, 12)
    assert pairs_of(found("ECN001", ("s0", ("Ethernet0",)))) == Pairs(4, 12)
    assert pairs_of(found("MTU001", ("s0", ("Ethernet0",)))) == Pairs(8, 12)


def test_pairs_that_pass_several_ports_count_once() -> None:
    both = found("MTU001", ("s0", ("Ethernet0",)), ("s2", ("Ethernet1",)))
    assert pairs_of(both) == Pairs(8, 12)


def test_an_rdma_device_stands_for_its_port() -> None:
    assert pairs_of(found("NIC001", ("h0", ("mlx5_0",)))) == Pairs(3, 12)


def test_what_is_on_no_path_gets_none() -> None:
    assert pairs_of(found("PFC001", ("s0", ("Ethernet99",)))) is None
    assert pairs_of(found("MAP003", ("s0", ()))) is None
    assert pairs_of(found("PFC001", ("gone", ("Ethernet0",)))) is None
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)), severity=Severity.INFO)) is None
    waived = Suppression("waiver", "known")
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)), suppressed=waived)) is None
