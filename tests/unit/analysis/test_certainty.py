"""A doubt belongs to a claim: which of them could change what is found, and for which packets."""

from __future__ import annotations

import pytest

from roce_lint.analysis.provenance import Fact
from roce_lint.analysis.treatment import egress, ingress
from roce_lint.model.device import Device
from roce_lint.model.qos import Match, MatchKind
from roce_lint.text.source import Citation, Confidence
from tests.unit.fabric import UNCONFIRMED, lines_of, port, switch

PAGE = "docs/nos/made.md#defaults"
UNFILLED = Citation("the rest is class 0", PAGE, Confidence.UNCONFIRMED, unfilled=True)
ONE_OF_TWO = Citation("queue 0", PAGE, Confidence.UNCONFIRMED, among=frozenset((0, 1)))


@pytest.fixture
def leaf() -> Device:
    return switch("leaf1", dscps={26: 3}, priorities={3: 3}, marked=(3,))


def unlisted(leaf: Device, citation: Citation) -> None:
    table = leaf.qos.classifiers["map"].dscp_to_tc
    table.at["otherwise"] = leaf.src.cite(citation)


@pytest.mark.parametrize(("citation", "doubts"), [(UNFILLED, 0), (UNCONFIRMED, 1)])
def test_what_no_line_fills_is_not_in_the_class_that_a_line_fills(
    leaf: Device, citation: Citation, doubts: int
) -> None:
    unlisted(leaf, citation)
    into = ingress(leaf, port(leaf, "e1", pauses=(3,)), 30)
    assert (into.lossless, len(into.traffic_class.doubts)) == (False, 1)
    assert len(into.protected.doubts) == doubts


def test_a_paused_class_that_no_line_fills_may_be_the_default(leaf: Device) -> None:
    leaf.qos.forwardings["maps"].tc_to_pfc_priority.entries[5] = 5
    unlisted(leaf, UNFILLED)
    assert ingress(leaf, port(leaf, "e1", pauses=(3,)), 30).protected.doubts == ()
    assert len(ingress(leaf, port(leaf, "e2", pauses=(3, 5)), 30).protected.doubts) == 1


@pytest.mark.parametrize(("marked", "doubts"), [((3,), 0), ((0, 1), 0), ((1,), 1)])
def test_where_all_readings_mark_alike_nothing_is_in_doubt(
    marked: tuple[int, ...], doubts: int
) -> None:
    leaf = switch("leaf1", marked=marked)
    leaf.qos.forwardings["maps"].tc_to_queue.at[0] = leaf.src.cite(ONE_OF_TWO)
    out = egress(leaf, port(leaf, "e1"), Fact(0))
    assert (out.queue, len(out.marked.doubts)) == (0, doubts)


def match(leaf: Device, kind: MatchKind, tc: int, *values: int) -> Match:
    made = Match(kind=kind, values=frozenset(values), class_name=f"C{tc}", tc=tc, src=leaf.src)
    made.at.update({"": lines_of(leaf).next(), "tc": lines_of(leaf).next()})
    return made


@pytest.mark.parametrize(
    ("tagged", "first", "unless"),
    [
        (False, MatchKind.PCP, ""),
        (True, MatchKind.PCP, "the packets that match the 802.1p priority C6"),
        (None, MatchKind.PCP, "the packets that match the 802.1p priority C6"),
        (False, MatchKind.ACL, "the packets that match the access list C6"),
        (False, MatchKind.VLAN, "the packets that match the VLAN match C6"),
    ],
)
def test_a_term_makes_uncertain_what_no_earlier_match_took(
    leaf: Device, tagged: bool | None, first: MatchKind, unless: str
) -> None:
    classifier = leaf.qos.classifiers["map"]
    classifier.exact = False
    term = match(leaf, first, 6, *([3] if first is MatchKind.PCP else []))
    classifier.matches = [match(leaf, MatchKind.DSCP, 3, 26), term]
    made = port(leaf, "e1")
    made.tagged = tagged
    assert ingress(leaf, made, 26).unless == ""
    assert ingress(leaf, made, 30).unless == unless


def test_a_term_that_gives_the_same_class_decides_nothing(leaf: Device) -> None:
    classifier = leaf.qos.classifiers["map"]
    classifier.exact = False
    classifier.matches = [match(leaf, MatchKind.ACL, 3), match(leaf, MatchKind.DSCP, 3, 26)]
    assert ingress(leaf, port(leaf, "e1"), 26).certain
    assert not ingress(leaf, port(leaf, "e1"), 30).certain


def test_an_untagged_packet_is_taken_by_the_match_of_its_own_priority(leaf: Device) -> None:
    classifier = leaf.qos.classifiers["map"]
    classifier.exact = False
    classifier.matches = [match(leaf, MatchKind.PCP, 6, 0), match(leaf, MatchKind.DSCP, 3, 26)]
    made = port(leaf, "e1")
    made.tagged = False
    assert made.qos is not None
    made.qos.default_pcp = 0
    assert (ingress(leaf, made, 26).tc, ingress(leaf, made, 26).certain) == (6, True)
