"""Findings state the number of affected NIC pairs."""

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
    traffic: str = "",
    suppressed: Suppression | None = None,
) -> Finding:
    """A finding on these devices and subjects."""
    occurrences = tuple(Occurrence(device, subjects, ()) for device, subjects in places)
    return Finding(
        rule, "some-rule", severity, Certainty.HIGH, "", "", occurrences, "f", "",
        traffic=traffic, suppressed=suppressed,
    )  # fmt: skip


def fabric() -> Analysis:
    """Two leaves with two hosts each and a spine: 12 pairs, 8 of them cross the spine."""
    return wired([0, 1, 0], [(0, 1), (2, 1)], [0, 0, 2, 2])


def pages() -> list[RulePage]:
    """The rules of the catalogue."""
    return load_pages([resource_dir("rules")])


def pairs_of(*findings: Finding) -> Pairs | None:
    """Pairs of the first of some findings."""
    return with_pairs(list(findings), fabric(), pages(), Excerpts())[0].pairs


def test_a_fault_of_arriving_packets_counts_one_direction() -> None:
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)))) == Pairs(4, 12, 4)
    assert pairs_of(found("ECN001", ("s0", ("Ethernet0",)))) == Pairs(4, 12, 4)
    assert pairs_of(found("MTU001", ("s0", ("Ethernet0",)))) == Pairs(8, 12, 8)


def test_pairs_that_pass_several_ports_count_once() -> None:
    both = found("MTU001", ("s0", ("Ethernet0",)), ("s2", ("Ethernet1",)))
    assert pairs_of(both) == Pairs(8, 12, 8)


def test_an_rdma_device_stands_for_its_port() -> None:
    assert pairs_of(found("NIC001", ("h0", ("mlx5_0",)))) == Pairs(3, 12, 3)


def test_what_is_on_no_path_gets_none() -> None:
    assert pairs_of(found("PFC001", ("s0", ("Ethernet99",)))) is None
    assert pairs_of(found("MAP003", ("s0", ()))) is None
    assert pairs_of(found("PFC001", ("gone", ("Ethernet0",)))) is None
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)), severity=Severity.INFO)) is None
    waived = Suppression("waiver", "known")
    assert pairs_of(found("PFC001", ("s0", ("Ethernet0",)), suppressed=waived)) is None


def test_behind_another_error_it_is_not_first() -> None:
    """Packets from s0 go through the spine to s2: the port of a host there is behind both."""
    spine = found("PFC001", ("s1", ("Ethernet0",)))
    leaf = found("PFC001", ("s2", ("Ethernet1",)))
    assert pairs_of(leaf, spine) == Pairs(4, 12, 0)
    assert pairs_of(spine, leaf) == Pairs(4, 12, 4)
    mtu = found("MTU001", ("s2", ("Ethernet1",)))
    assert pairs_of(mtu, spine) == Pairs(8, 12, 4)


def test_only_errors_of_the_same_class_stand_before_it() -> None:
    data, cnp = "RoCE DSCP 26", "CNP DSCP 48"
    spine = found("PFC001", ("s1", ("Ethernet0",)), traffic=data)
    assert pairs_of(found("PFC001", ("s2", ("Ethernet1",)), traffic=data), spine) == Pairs(4, 12, 0)
    assert pairs_of(found("CLS002", ("s2", ("Ethernet1",)), traffic=cnp), spine) == Pairs(4, 12, 4)
    everything = found("PFC001", ("s2", ("Ethernet1",)))
    assert pairs_of(everything, spine) == Pairs(4, 12, 0)
    milder = found("PFC001", ("s1", ("Ethernet0",)), severity=Severity.WARNING)
    assert pairs_of(found("PFC001", ("s2", ("Ethernet1",))), milder) == Pairs(4, 12, 4)
    assert pairs_of(milder) == Pairs(4, 12, None)
