"""Maps, rewrites and policies of code points."""

from __future__ import annotations

from typing import Any

import pytest

from roce_lint.model.qos import Classifier, MatchKind, Trust
from roce_lint.nos.eos import defaults
from roce_lint.text.source import LineState
from tests.nos.eos.reading import pfc, qos, read, whole
from tests.nos.reader import default_sentence, line, notes, states

PORT = "interface Ethernet1\n   no switchport\n"


def classifier(device: Any, port: str = "Ethernet1") -> Classifier:
    return device.qos.classifiers[qos(device, port).classifier]


def test_the_default_maps_swap_zero_and_one() -> None:
    device = whole(PORT)
    found = classifier(device)
    assert found.builtin is True
    assert [found.dscp_to_tc.get(d) for d in (0, 7, 8, 15, 16, 26, 46, 48, 63)] == [
        1, 1, 0, 0, 2, 3, 5, 6, 7,
    ]  # fmt: skip
    assert len(found.dscp_to_tc.entries) == 64
    assert [found.pcp_to_tc.get(pcp) for pcp in range(8)] == [1, 0, 2, 3, 4, 5, 6, 7]
    assert found.dscp_to_tc.where(26).citation is not None
    assert found.dscp_to_tc.where(26).confirmed is True


def test_a_map_line_holds_for_its_code_points_only() -> None:
    device = whole(PORT + "qos map dscp 24-25 26 cs6 to traffic-class 5\n")
    found = classifier(device)
    assert {d: t for d, t in found.dscp_to_tc.entries.items() if line(found.dscp_to_tc, d)} == {
        24: 5, 25: 5, 26: 5, 48: 5,
    }  # fmt: skip
    assert line(found.dscp_to_tc, 26) == 4
    assert found.builtin is False


def test_of_two_map_lines_the_last_holds() -> None:
    device = whole(
        "qos map dscp 26 27 to traffic-class 4\nqos map dscp 26 to traffic-class 5\n"
        "qos map dscp 30 to traffic-class 5\nqos map dscp 30 to traffic-class 6\n" + PORT
    )
    found = classifier(device).dscp_to_tc
    assert [(found.get(d), line(found, d)) for d in (26, 27, 30)] == [(5, 3), (4, 2), (6, 5)]
    assert states(device, LineState.SHADOWED) == [4]  # line 2 still holds for 27


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qos map dscp 64 to traffic-class 3", "DSCP '64', takes 0 to 63"),
        ("qos map dscp 30-20 to traffic-class 3", "'30-20' holds what is no DSCP"),
        ("qos map dscp ecn to traffic-class 3", "'ecn' holds what is no DSCP"),
        (
            "qos map dscp 26 to traffic-class 8",
            "traffic class '8', takes 0 to 7",
        ),
        ("qos map cos 9 to traffic-class 1", "CoS '9', takes 0 to 7"),
        ("qos map traffic-class 3 to tx-queue 8", "queue '8', takes 0 to 7"),
        ("qos map traffic-class 3 to dscp 99", "DSCP '99', takes 0 to 63"),
    ],
)
def test_what_the_device_would_refuse_is_noted(text: str, message: str) -> None:
    device = whole(f"{text}\n{PORT}")
    assert notes(device) == [(2, message)]
    assert classifier(device).dscp_to_tc.get(26) == 3


def test_a_rewrite_map_classifies_nothing() -> None:
    """The trap: published guides write it under the heading of classification."""
    device = whole(
        "qos map traffic-class 3 to dscp 26\nqos map traffic-class 7 to dscp 48\n" + PORT
    )
    assert classifier(device).dscp_to_tc.get(48) == 6
    assert classifier(device).builtin is True
    rewrite = device.qos.rewrites[qos(device).rewrite or ""]
    assert rewrite.tc_to_dscp.entries == {3: 26, 7: 48}
    assert [line(rewrite.tc_to_dscp, tc) for tc in (3, 7)] == [2, 3]
    assert (rewrite.active, line(rewrite, "active")) == (False, 0)


def test_a_rewrite_acts_where_it_is_on() -> None:
    device = whole("qos rewrite dscp\nqos map traffic-class 3 to dscp af31\n" + PORT)
    rewrite = device.qos.rewrites[qos(device).rewrite or ""]
    assert (rewrite.active, line(rewrite, "active")) == (True, 2)
    assert rewrite.tc_to_dscp.entries == {3: 26}


def test_classes_queues_and_pause() -> None:
    device = whole("qos map traffic-class 3 to tx-queue 5\n" + PORT)
    maps = device.qos.forwardings[qos(device).forwarding or ""]
    assert maps.tc_to_queue.entries == {0: 0, 1: 1, 2: 2, 3: 5, 4: 4, 5: 5, 6: 6, 7: 7}
    assert line(maps.tc_to_queue, 3) == 2
    assert [maps.tc_to_queue.where(tc).confirmed for tc in (0, 1, 2)] == [False, False, True]
    assert maps.tc_to_pfc_priority.entries == {n: n for n in range(8)}
    assert maps.pfc_priority_to_queue.get(3) == 5
    assert maps.tc_to_pg.where(3).confirmed is False


@pytest.mark.parametrize(
    ("lines", "trust", "number"),
    [
        ("qos trust cos", Trust.PCP, 4),
        ("no qos trust", Trust.NONE, 4),
        ("qos trust cos\n   default qos trust", Trust.DSCP, 0),
        ("qos trust dscp\n   no qos trust\n   qos trust cos", Trust.PCP, 6),
    ],
)
def test_trust(lines: str, trust: Trust, number: int) -> None:
    found = qos(whole(f"{PORT}   {lines}\n"))
    assert (found.trust, line(found, "trust")) == (trust, number)


def test_trust_by_default_follows_the_mode() -> None:
    device = whole(PORT + "interface Ethernet2\n")
    assert default_sentence(qos(device), "trust") == defaults.TRUST_ROUTED.says
    assert default_sentence(qos(device, "Ethernet2"), "trust") == defaults.TRUST_SWITCHED.says
    assert (qos(device, "Ethernet2").trust, qos(device, "Ethernet2").default_pcp) == (Trust.PCP, 0)


def test_an_untrusted_port_gives_the_class_of_its_cos() -> None:
    device = whole("interface Ethernet1\n   no qos trust\n   qos cos 1\n")
    found = qos(device)
    assert (found.default_pcp, found.default_tc, line(found, "default_tc")) == (1, 0, 4)


def test_a_part_without_maps_leaves_the_class_unknown() -> None:
    device = read("interface Ethernet1\n   no switchport\n   qos trust dscp\n")
    assert (qos(device).classifier, qos(device).forwarding, device.qos.classifiers) == (
        None,
        None,
        {},
    )
    assert device.partial is True
    assert device.system.pfc_killed is None
    assert pfc(device).generate == frozenset()


POLICY = """\
policy-map type quality-of-service P
   class ROCE
      set traffic-class 3
"""


def test_a_policy_decides_for_what_it_matches() -> None:
    device = whole(
        PORT + "   service-policy type qos input P\n"
        "class-map type qos match-any ROCE\n   match dscp 26 30\n" + POLICY
    )
    found = classifier(device)
    assert (found.name, line(qos(device), "classifier"), line(found)) == ("P", 4, 7)
    assert (found.dscp_to_tc.get(26), line(found.dscp_to_tc, 26)) == (3, 9)
    assert (found.dscp_to_tc.get(30), found.dscp_to_tc.get(0)) == (3, 1)
    assert found.exact is True
    (match,) = found.matches
    assert (match.kind, match.values, match.class_name, line(match)) == (
        MatchKind.DSCP, frozenset({26, 30}), "ROCE", 6,
    )  # fmt: skip


def test_class_default_takes_all_others_at_any_position() -> None:
    device = whole(
        PORT + "   service-policy type qos input P\n"
        "class-map type qos match-any ROCE\n   match dscp 26\n"
        "policy-map type quality-of-service P\n   class class-default\n      set traffic-class 1\n"
        "   class ROCE\n      set traffic-class 3\n"
    )
    found = classifier(device)
    assert [match.class_name for match in found.matches] == ["ROCE", "class-default"]
    assert {d for d, tc in found.dscp_to_tc.entries.items() if tc != 1} == {26}
    assert (line(found.dscp_to_tc, 46), found.pcp_to_tc.get(5)) == (9, 1)


@pytest.mark.parametrize(
    ("match", "extra", "kind", "exact"),
    [
        ("match vlan 10", "", MatchKind.VLAN, False),
        ("match cos 3", "", MatchKind.PCP, False),
        ("match ip access-group A", "", MatchKind.ACL, False),
        ("match ip access-group A", "ip access-list A\n   permit udp any any\n", MatchKind.ACL, False),
        ("match ip access-group A", "ip access-list A\n   10 permit ip any any dscp 26\n",
         MatchKind.DSCP, False),
    ],
)  # fmt: skip
def test_what_makes_a_policy_inexact(match: str, extra: str, kind: MatchKind, exact: bool) -> None:
    device = whole(
        f"{extra}{PORT}   service-policy type qos input P\n"
        f"class-map type qos match-any ROCE\n   {match}\n{POLICY}"
    )
    found = classifier(device)
    assert (found.matches[0].kind, found.exact) == (kind, exact)
    assert notes(device) == []


def test_lists_of_both_ip_versions_are_exact() -> None:
    device = whole(
        "ip access-list A\n   10 permit ip any any dscp 26\n"
        "ipv6 access-list B\n   10 permit ipv6 any any dscp af31\n"
        f"{PORT}   service-policy type qos input P\n"
        "class-map type qos match-any ROCE\n   match ip access-group A\n"
        f"   match ipv6 access-group B\n{POLICY}"
    )
    assert classifier(device).exact is True
    assert classifier(device).dscp_to_tc.get(26) == 3


def test_names_are_kept_with_their_lines() -> None:
    device = whole(
        PORT + "   service-policy type qos input GONE\n   service-profile NONE\n"
        "qos profile UNUSED\n   service-policy type qos input P\n" + POLICY
    )
    known = {(s.kind, s.name): (line(s), s.references) for s in device.structures}
    assert known == {
        ("qos policy", "GONE"): (0, (4,)),
        ("qos profile", "NONE"): (0, (5,)),
        ("qos profile", "UNUSED"): (6, ()),
        ("qos policy", "P"): (8, (7,)),
        ("class map", "ROCE"): (0, (9,)),
    }
    assert qos(device).classifier is None  # what the profile should say is not known


def test_policies_of_other_types_are_left_alone() -> None:
    device = whole("policy-map type pbr P\n   class C\n      set nexthop 10.0.0.1\n")
    assert device.structures == []
    assert states(device, LineState.UNCLAIMED) == [2, 3, 4]
