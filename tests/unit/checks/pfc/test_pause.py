"""Branches of the PFC rules that the examples of their pages do not reach."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.qos import PfcMode
from tests.unit.checks.judging import (
    found_on,
    judged,
    leaf_spine,
    missing,
    policy,
    severities_and_values,
    taken_in,
)
from tests.unit.fabric import host, lines_of, port, switch


def test_negotiated_pfc_is_not_known() -> None:
    leaf = switch("leaf1")
    for name in ("e1", "e2"):
        port(leaf, name)
    port(leaf, "e3", pauses=None)
    assert severities_and_values("PFC001", leaf) == []
    assert missing("PFC001", leaf) == {"the negotiated PFC state of the port"}


def test_without_a_majority_the_design_is_missing() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=26)
    port(leaf, "e1")
    port(leaf, "e2", pauses=())
    assert missing("PFC001", leaf, gpu) == {
        "the design of RoCE DSCP 26 (no majority of ports with or without PFC)"
    }


def test_both_ends_with_another_priority_are_one_finding() -> None:
    spine = switch("spine1", priorities={3: 4})
    leaf, spine, links = leaf_spine(spine=spine)
    spine.interfaces["e1"].qos.pfc.generate = frozenset({4})
    spine.interfaces["e1"].qos.pfc.honour = frozenset({4})
    place = spine.qos.forwardings["maps"].tc_to_pfc_priority.at[3]
    spine.interfaces["e1"].qos.pfc.at["honour"] = place
    (found,) = judged("PFC002", leaf, spine, links=links).findings
    assert (found.device, found.subjects) == ("spine1", ("e1",))


def test_a_sender_that_obeys_nothing_is_to_blame() -> None:
    leaf, spine, links = leaf_spine()
    spine.interfaces["e1"].qos.pfc.honour = frozenset()
    ((level, message),) = severities_and_values("PFC002", leaf, spine, links=links)
    assert level == "error"
    assert message == "spine1 e1 leaf1 e49 26 3"


def test_a_sender_with_the_class_in_another_place_is_one_finding() -> None:
    spine = switch("spine1", dscps={26: 2})
    leaf, spine, links = leaf_spine(spine=spine)
    assert severities_and_values("PFC002", leaf, spine, links=links) == [
        ("error", "spine1 e1 3 2 26")
    ]
    assert severities_and_values("MAP001", leaf, spine, links=links) == [
        (
            "error",
            "spine1 e1 26 2 3",
        )
    ]
    both = taken_in("PFC001 PFC002 MAP001", leaf, spine, links=links)
    assert both == [("MAP001", ("PFC001", "PFC002"))]


def test_what_a_host_obeys_may_be_unknown() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=26)
    port(leaf, "e1")
    links = [((leaf, "e1"), (gpu, "ens1"))]
    assert severities_and_values("PFC002", leaf, gpu, links=links) == []
    assert missing("PFC002", leaf, gpu, links=links) == {"the QoS configuration of the port"}


def half_configured(leaf: Device) -> None:
    made = port(leaf, "e1", pauses=())
    made.qos.pfc.mode = PfcMode.ON
    made.qos.pfc.at["mode"] = lines_of(leaf).next()


def test_half_a_pfc_is_found_and_not_beside_what_explains_it() -> None:
    leaf = switch("leaf1")
    half_configured(leaf)
    assert found_on("PFC003", leaf) == [("error", ("e1",))]
    policy(leaf, "no-drop policy", "LOSSLESS")
    assert [level for level, _ in severities_and_values("PFC003", leaf)] == ["error"]
    assert [level for level, _ in severities_and_values("MAP004", leaf)] == ["error"]
    assert taken_in("MAP004 PFC003", leaf) == [("MAP004", ("PFC003",))]


def test_an_undefined_no_drop_class_explains_half_a_pfc() -> None:
    leaf = switch("leaf1")
    half_configured(leaf)
    leaf.interfaces["e1"].qos.pfc.at["generate"] = lines_of(leaf).next()  # by the policy it applies
    policy(leaf, "no-drop class map", "RDMA", lines_of(leaf).next()).at[""] = 0
    assert [level for level, _ in severities_and_values("PFC003", leaf)] == ["error"]
    assert [level for level, _ in severities_and_values("MAP003", leaf)] == ["error"]
    assert taken_in("MAP003 PFC003", leaf) == [("MAP003", ("PFC003",))]


def test_an_undefined_no_drop_class_explains_nothing_of_a_port_without_a_policy() -> None:
    leaf = switch("leaf1")
    half_configured(leaf)
    policy(leaf, "no-drop class map", "RDMA", lines_of(leaf).next()).at[""] = 0
    assert found_on("PFC003", leaf) == [("error", ("e1",))]


def kill(leaf: Device) -> None:
    leaf.system.pfc_killed = True
    leaf.system.at["pfc_killed"] = lines_of(leaf).next()


def test_a_kill_switch_counts_where_pfc_is_configured_or_designed() -> None:
    leaf, spine, links = leaf_spine()
    kill(spine)
    assert severities_and_values("PFC004", leaf, spine, links=links) == [("error", "spine1")]
    alone = switch("leaf9")
    port(alone, "e1")
    kill(alone)
    assert [level for level, _ in severities_and_values("PFC004", alone)] == ["error"]
    off = switch("leaf8")
    port(off, "e1", pauses=())
    kill(off)
    assert severities_and_values("PFC004", off) == []
