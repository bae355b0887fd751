"""Forwarding classes, classifiers and rewrite rules."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import Classifier, Forwarding, Trust
from roce_lint.nos.junos import defaults
from roce_lint.text.source import LineState
from tests.nos.junos.reading import cos, qos, read
from tests.nos.reader import default_sentence, line, notes, states


def classifier(device: Device, port: str = "et-0/0/0") -> Classifier:
    return device.qos.classifiers[qos(device, port).classifier or ""]


def forwarding(device: Device, port: str = "et-0/0/0") -> Forwarding:
    return device.qos.forwardings[qos(device, port).forwarding or ""]


BOUND = "interfaces et-* unit * classifiers dscp C"


def test_a_classifier_and_what_it_does_not_name() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "classifiers dscp C forwarding-class X loss-priority low code-points [ af31 011000 ]",
        "classifiers dscp C forwarding-class best-effort loss-priority high code-points cs1",
        BOUND,
    )
    table = classifier(found).dscp_to_tc
    assert table.entries == {8: 0, 24: 4, 26: 4}
    assert [line(table, code) for code in (8, 24, 26)] == [5, 4, 4]
    assert (table.get(46), default_sentence(table, "otherwise")) == (
        0,
        defaults.NOT_NAMED.says,
    )
    assert (qos(found).trust, line(qos(found), "trust"), line(qos(found), "classifier")) == (
        Trust.DSCP,
        6,
        6,
    )
    matches = [(m.class_name, m.values, m.tc, m.text) for m in classifier(found).matches]
    assert matches == [
        ("X", frozenset({24, 26}), 4, "loss-priority low"),
        ("best-effort", frozenset({8}), 0, "loss-priority high"),
    ]


def test_import_fills_what_is_not_named() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "classifiers dscp BASE forwarding-class X loss-priority low code-points 011010",
        "classifiers dscp C import BASE",
        "classifiers dscp C forwarding-class X loss-priority low code-points 011000",
        "classifiers dscp BASE import default",
        BOUND,
    )
    table = classifier(found).dscp_to_tc
    assert table.entries == {24: 4, 26: 4, 48: 7, 56: 7}
    assert default_sentence(table, 48) == defaults.IMPORTED.says
    assert not table.where(48).confirmed


def test_classifiers_that_import_one_another_end() -> None:
    found = cos(
        "classifiers dscp A import B", "classifiers dscp B import A", BOUND.replace("C", "A")
    )
    assert classifier(found).dscp_to_tc.entries == {}


def test_a_port_without_classifier_has_the_system_s() -> None:
    found = cos("forwarding-classes class X queue-num 4")
    assert (qos(found).classifier, classifier(found).builtin) == ("default", True)
    assert classifier(found).dscp_to_tc.entries == {48: 7, 56: 7}
    assert default_sentence(qos(found), "classifier") == defaults.CLASSIFIER.says
    part = read("set class-of-service interfaces et-0/0/0 scheduler-map M\n")
    assert (qos(part).classifier, qos(part).trust) == (None, None)


def test_classes_by_queue_number_old_and_new_style() -> None:
    found = cos(
        "forwarding-classes class A queue-num 3",
        "forwarding-classes queue 5 B",
        "forwarding-classes class C queue-num 3",
        "forwarding-classes class D queue-num 99",
        "scheduler-maps M forwarding-class no-loss scheduler S",
        "scheduler-maps M forwarding-class fcoe scheduler S",
        "schedulers S priority low",
    )
    maps = forwarding(found)
    assert {tc: q for tc, q in maps.tc_to_queue.entries.items() if tc < 100} == {
        3: 3,
        5: 5,
        12: 3,
        0: 0,
        4: 4,
        14: 3,
        7: 7,
    }
    assert maps.tc_to_pfc_priority.entries == {4: 4, 14: 3}
    assert notes(found) == [(6, "queue '99', takes 0 to 11")]


@pytest.mark.parametrize(
    "lines",
    [
        ["class X queue-num 4 no-loss pfc-priority 3"],
        ["class X queue-num 4", "class X no-loss", "class X pfc-priority 3"],
        ["class X no-loss pfc-priority 3 queue-num 4"],
    ],
)
def test_a_lossless_class_on_one_line_or_on_several(lines: list[str]) -> None:
    found = cos(*(f"forwarding-classes {each}" for each in lines))
    maps = forwarding(found)
    assert (maps.tc_to_queue.get(4), maps.tc_to_pfc_priority.get(4)) == (4, 3)
    assert line(maps.tc_to_pfc_priority, 4) == 2 + len(lines)
    assert states(found, LineState.UNRECOGNISED) == []


def test_a_priority_without_no_loss_sends_no_pfc() -> None:
    found = cos("forwarding-classes class X queue-num 4 pfc-priority 3")
    assert forwarding(found).tc_to_pfc_priority.entries == {}
    message = "class X has a pfc-priority and is not no-loss: it is never paused"
    assert notes(found) == [(3, message)]


def test_no_loss_without_a_priority_has_its_queue_s() -> None:
    table = forwarding(cos("forwarding-classes class X queue-num 4 no-loss")).tc_to_pfc_priority
    assert (table.get(4), table.where(4).confirmed) == (4, False)


def test_aliases_of_the_configuration() -> None:
    found = cos(
        "code-point-aliases dscp my1 000011",
        "code-point-aliases dscp my2 00001",
        "classifiers dscp C forwarding-class best-effort loss-priority low code-points [ my1 nc2 xx 0110100 ]",
        BOUND,
    )
    assert sorted(classifier(found).dscp_to_tc.entries) == [3, 56]
    assert notes(found) == [
        (4, "code point '00001' is not 6 bits"),
        (5, "'xx' is not a dscp code point"),
        (5, "'0110100' is not a dscp code point"),
    ]


def test_both_kinds_of_classifiers() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "classifiers dscp C forwarding-class X loss-priority low code-points 011010",
        "classifiers ieee-802.1 P forwarding-class X loss-priority low code-points [ 011 nc1 ]",
        BOUND,
        "interfaces et-* unit * classifiers ieee-802.1 P",
    )
    assert (qos(found).trust, qos(found).classifier) == (Trust.BOTH, "C + P (802.1p)")
    assert classifier(found).pcp_to_tc.entries == {3: 4, 6: 4}
    alone = cos(
        "classifiers ieee-802.1 P forwarding-class best-effort loss-priority low code-points 000",
        "interfaces et-0/0/0 unit 0 classifiers ieee-802.1 P",
    )
    assert (qos(alone).trust, qos(alone).default_pcp) == (Trust.PCP, 0)


def test_a_fixed_class_trusts_nothing() -> None:
    found = cos("forwarding-classes class X queue-num 4", "interfaces et-0/0/0 forwarding-class X")
    bound = qos(found)
    assert (bound.trust, bound.default_tc, bound.classifier, line(bound, "trust")) == (
        Trust.NONE,
        4,
        None,
        4,
    )


def test_a_name_that_nothing_defines_leads_nowhere() -> None:
    found = cos(
        "classifiers dscp C forwarding-class GONE loss-priority low code-points ef",
        BOUND.replace("C", "D"),
    )
    undefined = [(s.kind, s.name) for s in found.structures if not s.defined]
    assert undefined == [("forwarding class", "GONE"), ("qos policy", "D")]
    assert (qos(found).classifier, qos(found).trust) == (None, Trust.DSCP)


def test_rewrite_rules() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "rewrite-rules dscp R forwarding-class X loss-priority high code-point cs2",
        "rewrite-rules dscp R forwarding-class X loss-priority low code-point cs1",
        "rewrite-rules exp E forwarding-class X loss-priority low code-point 000",
        "interfaces et-0/0/0 unit 0 rewrite-rules dscp R",
    )
    rewrite = found.qos.rewrites[qos(found).rewrite or ""]
    assert (rewrite.tc_to_dscp.get(4), line(rewrite.tc_to_dscp, 4)) == (8, 5)
    assert (rewrite.active, line(qos(found), "rewrite")) == (True, 7)


def test_a_correct_configuration_has_no_notes() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4", BOUND, "classifiers dscp C import default"
    )
    assert [n for n in found.notes if n.kind is not NoteKind.REMARK] == []


def test_the_rewrite_rule_of_the_system_needs_no_definition() -> None:
    found = cos("interfaces et-0/0/0 unit 0 rewrite-rules dscp default")
    assert [(s.name, s.defined) for s in found.structures if s.kind == "dscp rewrite map"] == [
        ("default", True)
    ]
    assert qos(found).rewrite is None


@pytest.mark.parametrize("name", ["mcast-be", "mcast-ef", "mcast-af", "mcast-nc"])
def test_classes_that_some_models_bring_are_not_undefined_and_have_no_known_queue(
    name: str,
) -> None:
    found = cos(
        f"classifiers dscp C forwarding-class {name} loss-priority low code-points 000111", BOUND
    )
    assert [s.name for s in found.structures if not s.defined] == []
    assert 7 not in classifier(found).dscp_to_tc.entries
    assert classifier(found).dscp_to_tc.get(7) is None


def test_two_lists_in_one_line() -> None:
    found = cos(
        "drop-profiles D interpolate fill-level [ 40 80 ] drop-probability [ 0 100 ]",
        "schedulers S drop-profile-map loss-priority any protocol any drop-profile D",
        "schedulers S explicit-congestion-notification",
        "scheduler-maps M forwarding-class best-effort scheduler S",
        "interfaces et-* scheduler-map M",
    )
    assert notes(found) == []
    assert [s.name for s in found.structures if not s.defined] == []
    queues = found.qos.egress[qos(found).egress or ""].queues.values()
    marking = next(queue.marking for queue in queues if queue.marking is not None)
    assert marking.ecn


def test_what_the_switch_sends_itself() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "host-outbound-traffic forwarding-class X",
        "host-outbound-traffic dscp-code-point cs2",
    )
    assert (found.system.own_tc, line(found.system, "own_tc")) == (4, 4)
    assert (found.system.own_dscp, line(found.system, "own_dscp")) == (16, 5)
    assert (cos("interfaces et-0/0/0").system.own_tc, found.system.own_dscp) == (None, 16)
    gone = cos("host-outbound-traffic forwarding-class GONE")
    assert [s.name for s in gone.structures if not s.defined] == ["GONE"]
