"""Treatment of a DSCP on a port, and the deciding line."""

from __future__ import annotations

import pytest

from roce_lint.analysis.provenance import Fact
from roce_lint.analysis.treatment import egress, group_buffer, ingress, treatment
from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import Device
from roce_lint.model.qos import CodeMap, HeadroomModel, Marking, Queue, QueueKind, Rewrite, Trust
from roce_lint.text.source import Origin
from tests.unit.fabric import code_map, lines_of, port, switch


@pytest.fixture
def leaf() -> Device:
    return switch("leaf1", dscps={26: 3, 48: 6}, priorities={3: 4}, marked=(3,))


def test_a_lossless_code_point_names_every_deciding_line(leaf: Device) -> None:
    made = port(leaf, "e1", pauses=(4,))
    into = ingress(leaf, made, 26)
    maps = leaf.qos.forwardings["maps"]
    assert (into.tc, into.pg, into.priority, into.lossless) == (3, 3, 4, True)
    classified, bound = into.tc_where
    assert classified.position == leaf.qos.classifiers["map"].dscp_to_tc.at[26]
    assert bound.position == made.qos.at["classifier"]
    assert into.priority_where.position == maps.tc_to_pfc_priority.at[3]
    assert into.lossless_where.position == made.qos.pfc.at["generate"]
    assert into.missing == ""


def test_a_class_without_pfc_priority_is_never_paused(leaf: Device) -> None:
    into = ingress(leaf, port(leaf, "e1", pauses=(4,)), 48)
    assert (into.tc, into.priority, into.lossless) == (6, None, False)


def test_a_code_point_that_no_line_names_becomes_what_the_rest_becomes(leaf: Device) -> None:
    into = ingress(leaf, port(leaf, "e1"), 0)
    assert into.tc == 0
    assert into.tc_where[0].position == leaf.qos.classifiers["map"].dscp_to_tc.at["otherwise"]


def test_an_unknown_class_is_said_to_be_missing() -> None:
    leaf = switch("leaf1", otherwise=None)
    into = ingress(leaf, port(leaf, "e1"), 0)
    assert (into.tc, into.lossless) == (None, None)
    assert into.missing == "the class of a DSCP that the map of the port does not list"


def test_a_policy_that_is_defined_nowhere_is_what_is_missing() -> None:
    leaf = switch("leaf1")
    qos = port(leaf, "e1").qos
    qos.classifier = None
    qos.at.pop("classifier", None)
    assert ingress(leaf, leaf.interfaces["e1"], 26).missing == (
        "the classifier of the port (its QoS configuration)"
    )
    qos.at["classifier"] = lines_of(leaf).next()
    assert ingress(leaf, leaf.interfaces["e1"], 26).missing == (
        "the undefined policy that the port refers to"
    )


def test_a_paused_priority_of_another_class_does_not_help(leaf: Device) -> None:
    assert ingress(leaf, port(leaf, "e1", pauses=(3,)), 26).lossless is False


def test_negotiated_pfc_is_not_known(leaf: Device) -> None:
    into = ingress(leaf, port(leaf, "e1", pauses=None), 26)
    assert into.lossless is None
    assert into.missing == "the negotiated PFC state of the port"
    assert into.lossless_where.origin is Origin.DEFAULT


def test_pfc_off_is_known_even_where_the_class_is_not() -> None:
    leaf = switch("leaf1", otherwise=None)
    assert ingress(leaf, port(leaf, "e1", pauses=()), 0).lossless is False


def test_a_kill_switch_beats_the_port(leaf: Device) -> None:
    leaf.system.pfc_killed = True
    leaf.system.at["pfc_killed"] = lines_of(leaf).next()
    made = port(leaf, "e1", pauses=(4,))
    treated = treatment(leaf, made, 26)
    assert treated.ingress.lossless is False
    assert treated.ingress.lossless_where.position == leaf.system.at["pfc_killed"]
    assert treated.egress.stopped_by == frozenset()


def test_a_port_without_qos_is_not_known(leaf: Device) -> None:
    made = port(leaf, "e1")
    made.qos = None
    treated = treatment(leaf, made, 26)
    assert treated.ingress.missing == treated.egress.missing == "the QoS configuration of the port"
    assert treated.ingress.lossless is treated.egress.marks is None


def test_no_trust_puts_everything_into_the_class_of_the_port(leaf: Device) -> None:
    made = port(leaf, "e1", pauses=(4,), trust=Trust.NONE)
    made.qos.default_tc = 0
    into = ingress(leaf, made, 26)
    assert (into.tc, into.lossless) == (0, False)
    assert [where.position for where in into.tc_where] == [made.qos.at["trust"]]


@pytest.mark.parametrize("tagged", [True, None])
def test_pcp_trust_on_tagged_packets_is_not_known(leaf: Device, tagged: bool | None) -> None:
    made = port(leaf, "e1", trust=Trust.PCP)
    made.tagged = tagged
    made.qos.default_pcp = 0
    assert ingress(leaf, made, 26).missing == "the 802.1p priority of tagged packets"


def test_pcp_trust_gives_untagged_packets_the_priority_of_the_port(leaf: Device) -> None:
    leaf.qos.classifiers["map"].pcp_to_tc = code_map(lines_of(leaf), {0: 1, 3: 3})
    made = port(leaf, "e1", trust=Trust.PCP)
    made.qos.default_pcp = 0
    assert ingress(leaf, made, 26).tc == 1


def test_an_inexact_classifier_is_not_certain(leaf: Device) -> None:
    leaf.qos.classifiers["map"].exact = False
    assert ingress(leaf, port(leaf, "e1"), 26).certain is False


def test_the_queue_of_the_class_is_stopped_by_the_priority_mapped_to_it(leaf: Device) -> None:
    out = egress(leaf, port(leaf, "e1", pauses=(4,), obeys=(4, 5)), Fact(3))
    assert (out.queue, out.marks, out.stopped_by) == (3, True, frozenset({4}))


def test_a_queue_that_a_complete_policy_does_not_list_marks_nothing(leaf: Device) -> None:
    made = port(leaf, "e1")
    del leaf.qos.egress["out"].queues[QueueKind.UNICAST, 3]
    assert egress(leaf, made, Fact(3)).marks is False
    leaf.qos.egress["out"].complete = False
    out = egress(leaf, made, Fact(3))
    assert (out.marks, out.missing) == (None, "the ECN marking of the queue")


def test_a_multicast_queue_of_the_same_number_is_another_queue(leaf: Device) -> None:
    policy = leaf.qos.egress["out"]
    unicast = policy.queues.pop((QueueKind.UNICAST, 3))
    policy.queues[QueueKind.MULTICAST, 3] = Queue(
        number=3, kind=QueueKind.MULTICAST, marking=unicast.marking
    )
    assert egress(leaf, port(leaf, "e1"), Fact(3)).marks is False


def test_without_maps_the_queue_is_not_known(leaf: Device) -> None:
    made = port(leaf, "e1")
    made.qos.forwarding = None
    assert egress(leaf, made, Fact(3)).missing == "the class maps of the port"
    leaf.qos.forwardings["maps"].tc_to_queue = CodeMap()
    made.qos.forwarding = "maps"
    assert egress(leaf, made, Fact(3)).missing == "the queue of the class"


@pytest.mark.parametrize(("active", "leaves_with"), [(True, 10), (False, None), (None, None)])
def test_a_rewrite_acts_only_where_it_is_on(
    leaf: Device, active: bool | None, leaves_with: int | None
) -> None:
    made = port(leaf, "e1")
    rewrite = Rewrite(tc_to_dscp=code_map(lines_of(leaf), {3: 10}), active=active)
    leaf.qos.rewrites["rw"] = rewrite
    made.qos.rewrite = "rw"
    assert treatment(leaf, made, 26).rewrite == leaves_with


def buffers(leaf: Device, *, complete: bool = True) -> None:
    profile = BufferProfile(name="lossless", lossless=True)
    leaf.qos.ingress_buffers["b"] = IngressBuffer(groups={3: profile}, complete=complete)


@pytest.mark.parametrize(
    ("model", "in_file", "complete", "missing"),
    [
        (HeadroomModel.STATIC, True, True, ""),
        (HeadroomModel.STATIC, True, False, "the priority-group buffers of the port"),
        (HeadroomModel.STATIC, False, True, ""),
        (HeadroomModel.DYNAMIC, True, True, ""),
        (None, None, True, "the headroom that the device computes (from its buffer tables)"),
    ],
)
def test_a_missing_group_is_missing_only_where_rows_must_be(
    leaf: Device, model: HeadroomModel | None, in_file: bool | None, complete: bool, missing: str
) -> None:
    made = port(leaf, "e1")
    buffers(leaf, complete=complete)
    made.qos.ingress_buffer = "b"
    leaf.system.headroom, leaf.system.headroom_in_file = model, in_file
    assert group_buffer(leaf, made.qos, 3)[0].name == "lossless"
    profile, _, lack = group_buffer(leaf, made.qos, 4)
    assert (profile, lack) == (None, missing)


def test_a_virtual_image_says_nothing_about_the_hardware(leaf: Device) -> None:
    leaf.system.qos_supported = False
    treated = treatment(leaf, port(leaf, "e1", pauses=()), 48)
    assert treated.ingress.lossless is treated.egress.marks is treated.egress.stopped_by is None
    assert treated.ingress.missing == treated.egress.missing
    assert "virtual lab image" in treated.ingress.missing


def test_what_a_virtual_image_does_state_counts(leaf: Device) -> None:
    leaf.system.qos_supported = False
    treated = treatment(leaf, port(leaf, "e1", pauses=(4,)), 26)
    assert treated.ingress.lossless is treated.egress.marks is True


def test_what_no_line_says_of_marking_is_shown_at_the_port() -> None:
    leaf = switch("leaf1")
    uplink = port(leaf, "e1")
    uplink.qos.at[""] = lines_of(leaf).next()
    queue = leaf.qos.egress["out"].queues[QueueKind.UNICAST, 3]
    queue.marking = Marking(src=leaf.src, ecn=False)
    place = egress(leaf, uplink, Fact(3)).marks_where
    assert place is not None
    assert place.position == uplink.qos.at[""]
