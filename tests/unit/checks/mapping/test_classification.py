"""Branches of the mapping rules that the examples of their pages do not reach."""

from __future__ import annotations

from roce_lint.model.qos import Rewrite, Trust
from tests.unit.checks.judging import found_on, judged, missing, policy, severities_and_values
from tests.unit.fabric import code_map, host, lines_of, port, switch


def test_an_access_list_may_decide_otherwise() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=26)
    for name in ("e1", "e2", "e3"):
        port(leaf, name)
    leaf.qos.classifiers["acl"] = switch("x", dscps={}).qos.classifiers["map"]
    leaf.qos.classifiers["acl"].exact = False
    leaf.interfaces["e3"].qos.classifier = "acl"
    assert severities_and_values("MAP001", leaf, gpu) == []
    assert missing("MAP001", leaf, gpu) >= {"the result of an access list or VLAN match"}


def test_tagged_roce_may_be_classified_by_its_priority() -> None:
    leaf = switch("leaf1")
    for name in ("e1", "e2", "e3"):
        port(leaf, name)
    odd = leaf.interfaces["e3"]
    odd.qos.trust = Trust.PCP
    odd.tagged = True
    assert severities_and_values("MAP002", leaf) == []
    odd.tagged = None
    assert missing("MAP002", leaf) == {"802.1Q tagging of RoCE on the port"}
    odd.tagged, odd.qos.default_pcp = False, 0
    assert severities_and_values("MAP002", leaf) == [("error", "leaf1 e3 802.1p")]


def test_an_unattached_queuing_policy_is_a_warning_where_nobody_asks_for_marking() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    policy(leaf, "queuing policy", "OUT")
    (found,) = judged("MAP004", leaf).findings
    assert found.severity.label == "warning"
    assert "OUT" in found.message
    policy(leaf, "queuing policy", "OUT2", lines_of(leaf).next())
    assert severities_and_values("MAP004", leaf) == []


def test_an_unattached_queuing_policy_is_an_error_where_the_design_marks() -> None:
    leaves = [switch(f"leaf{n}", marked=(3,)) for n in range(3)]
    spine = switch("spine1")
    links = []
    for number, leaf in enumerate(leaves):
        port(leaf, "e1")
        port(leaf, "e49")
        port(spine, f"e{number}")
        links.append(((leaf, "e49"), (spine, f"e{number}")))
    policy(spine, "queuing policy", "OUT")
    assert [level for level, _ in severities_and_values("MAP004", *leaves, spine, links=links)] == [
        "error"
    ]


def test_an_unattached_classification_is_an_error_where_pfc_pauses_nothing() -> None:
    leaf = switch("leaf1", dscps={})
    port(leaf, "e1")
    policy(leaf, "qos policy", "CLASSIFY")
    (found,) = judged("MAP004", leaf).findings
    assert found.severity.label == "error"
    assert "CLASSIFY" in found.message


def test_an_unattached_policy_of_another_purpose_is_nothing() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    policy(leaf, "qos policy", "COPP").lossless_matters = False
    assert severities_and_values("MAP004", leaf) == []


def test_a_part_of_a_configuration_refers_to_what_it_does_not_hold() -> None:
    leaf = switch("leaf1")
    leaf.partial = True
    made = policy(leaf, "class map", "ROCE", lines_of(leaf).next())
    made.at[""] = 0
    assert severities_and_values("MAP003", leaf) == []
    assert missing("MAP003", leaf) == {"the rest of the configuration (only a part of it was read)"}
    policy(leaf, "class map", "SPARE")
    assert severities_and_values("MAP005", leaf) == []
    leaf.partial = False
    assert [level for level, _ in severities_and_values("MAP003", leaf)] == ["error"]
    assert found_on("MAP005", leaf) == [("info", ("class map SPARE",))]


def test_a_name_that_the_platform_keeps_is_defined_in_no_other_part() -> None:
    leaf = switch("leaf1")
    leaf.partial = True
    made = policy(leaf, "no-drop class map", "c-out", lines_of(leaf).next())
    made.at[""], made.reserved = 0, True
    (found,) = judged("MAP003", leaf).findings
    assert (found.severity.label, found.subjects) == ("error", ("no-drop class map c-out",))
    assert "cannot be" in found.message
    assert missing("MAP003", leaf) == set()


def test_a_rewrite_map_that_is_not_switched_on() -> None:
    leaf = switch("leaf1", dscps={26: 3, 48: 6})
    lines = lines_of(leaf)
    table = code_map(lines, {3: 26, 7: 48})
    leaf.qos.rewrites["map"] = Rewrite(name="map", tc_to_dscp=table, active=False, src=leaf.src)
    ((level, message),) = severities_and_values("MAP009", leaf)
    assert (level, message[-6:]) == ("info", "48 6 7")
    leaf.qos.rewrites["map"].active = True
    assert severities_and_values("MAP009", leaf) == []
    leaf.qos.rewrites["map"].active = False
    leaf.qos.classifiers["map"].exact = False  # an access list may decide otherwise
    ((_, message),) = severities_and_values("MAP009", leaf)
    assert "48" not in message.split()
