"""From code point to qos-group, PFC priority and queue, each with its deciding line."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import Classifier, Forwarding, MatchKind, Trust
from roce_lint.nos.nxos import defaults
from roce_lint.text.source import Confidence
from tests.nos.nxos.reading import read
from tests.nos.reader import default_sentence, line, notes


def classifier(classes: str) -> Classifier:
    return read(classes).qos.classifiers["P"]


@pytest.mark.parametrize(
    ("match", "dscps"),
    [
        ("match dscp 26", {26}),
        ("match dscp 24-31", set(range(24, 32))),
        ("match dscp 18,20,22-24", {18, 20, 22, 23, 24}),
        ("match dscp cs3, af31 ,ef", {24, 26, 46}),
        ("match dscp cs1-cs2", set(range(8, 17))),
        ("match ip dscp 26", {26}),
        ("match precedence 3", set(range(24, 32))),
        ("match precedence 0-1", set(range(16))),
    ],
)
def test_dscp_operands(match: str, dscps: set[int]) -> None:
    found = classifier(
        f"class-map type qos match-any R\n  {match}\n"
        "policy-map type qos P\n  class R\n    set qos-group 3\n"
    )
    assert set(found.dscp_to_tc.entries) == dscps
    assert {line(found.dscp_to_tc, dscp) for dscp in dscps} == {5}
    assert found.matches[0].kind is MatchKind.DSCP
    assert line(found.matches[0], "values") == 2
    assert line(found.matches[0], "tc") == 5
    assert found.exact


def test_the_rest_goes_to_the_default_class() -> None:
    found = classifier(
        "class-map R\n  match dscp 26\npolicy-map P\n  class R\n    set qos-group 3\n"
        "  class class-default\n    set qos-group 1\n"
    )
    assert found.dscp_to_tc.get(0) == 1
    assert line(found.dscp_to_tc, "otherwise") == 7


def test_without_a_default_class_the_rest_is_in_group_0() -> None:
    found = classifier(
        "class-map R\n  match dscp 26\npolicy-map P\n  class R\n    set qos-group 3\n"
    )
    assert found.dscp_to_tc.otherwise == 0
    assert default_sentence(found.dscp_to_tc, "otherwise") == defaults.CLASS_DEFAULT.says


def test_the_first_class_that_matches_wins() -> None:
    found = classifier(
        "class-map A\n  match dscp 26\nclass-map B\n  match dscp 24-31\n"
        "policy-map P\n  class A\n    set qos-group 3\n  class B\n    set qos-group 4\n"
    )
    assert found.dscp_to_tc.get(26) == 3
    assert found.dscp_to_tc.get(27) == 4


def test_a_class_without_a_group_stays_in_group_0() -> None:
    found = classifier("class-map A\n  match dscp 26\npolicy-map P\n  class A\n")
    assert found.dscp_to_tc.entries == {26: 0}
    assert default_sentence(found.dscp_to_tc, 26) == defaults.GROUP_NOT_SET.says


@pytest.mark.parametrize(
    ("matches", "trust", "exact"),
    [
        ("match dscp 26", Trust.DSCP, True),
        ("match cos 3", Trust.PCP, True),
        ("match dscp 26\n  match cos 3", Trust.BOTH, False),
        ("match access-group name STORAGE", Trust.DSCP, False),
        ("match dscp 26\n  match protocol fcoe", Trust.DSCP, False),
        ("match dscp 26\n  match packet length 64", Trust.DSCP, False),
        ("description nothing", Trust.NONE, False),
    ],
)
def test_trust_follows_what_the_policy_looks_at(matches: str, trust: Trust, exact: bool) -> None:
    device = read(
        f"class-map type qos match-all R\n  {matches}\npolicy-map type qos P\n  class R\n"
        "    set qos-group 3\ninterface Ethernet1/1\n  service-policy type qos input P\n"
    )
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert port.trust is trust
    assert port.classifier == "P"
    assert device.qos.classifiers["P"].exact is exact


def test_untagged_packets_under_a_cos_policy() -> None:
    device = read(
        "class-map R\n  match cos 3\npolicy-map P\n  class R\n    set qos-group 3\n"
        "interface Ethernet1/1\n  service-policy type qos input P\n"
    )
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert port.default_pcp == 0
    assert port.where("default_pcp").confirmed is False
    assert device.qos.classifiers["P"].pcp_to_tc.entries == {3: 3}
    assert device.qos.classifiers["P"].dscp_to_tc.otherwise == 0


def test_a_class_defined_nowhere_makes_the_policy_inexact() -> None:
    device = read("policy-map type qos P\n  class GONE\n    set qos-group 3\n")
    assert device.qos.classifiers["P"].exact is False
    assert [(s.kind, s.name, s.defined) for s in device.structures if s.name == "GONE"] == [
        ("class map", "GONE", False)
    ]


def test_a_refused_group_leaves_its_code_points_unknown() -> None:
    device = read("class-map A\n  match dscp 26\npolicy-map P\n  class A\n    set qos-group 8\n")
    table = device.qos.classifiers["P"].dscp_to_tc
    assert table.get(26) is None
    assert table.get(25) == 0
    assert len(table.entries) == 63
    assert notes(device) == [(5, "qos-group '8', takes 0 to 7")]


def test_policers_and_rewrites_belong_to_the_match() -> None:
    found = classifier(
        "class-map A\n  match dscp 26\npolicy-map P\n  class A\n    set qos-group 3\n"
        "    set dscp ef\n    police cir 10 gbps bc 200 ms conform transmit violate drop\n"
    )
    assert (found.matches[0].set_dscp, line(found.matches[0], "set_dscp")) == (46, 6)
    assert (found.matches[0].police_bps, line(found.matches[0], "police_bps")) == (10**10, 7)
    assert found.matches[0].police_drops is None


def test_a_policer_may_mark_down_what_is_above_its_rate() -> None:
    found = classifier(
        "class-map A\n  match dscp 26\npolicy-map P\n  class A\n"
        "    police cir 10 gbps conform transmit violate set dscp af11\n"
    )
    match = found.matches[0]
    assert (match.police_drops, line(match, "police_drops")) == (False, 5)


NETWORK_QOS = """
hostname leaf1
policy-map type network-qos NQ
  class type network-qos {label}
    {lines}
system qos
  service-policy type network-qos NQ
"""


def forwarding(label: str, *lines: str, head: str = "") -> Forwarding:
    text = NETWORK_QOS.format(label=label, lines="\n    ".join(lines)) + head
    return read(text).qos.forwardings["NQ"]


@pytest.mark.parametrize(
    ("label", "group"),
    [
        ("c-8q-nq3", 3),
        ("c-8q-nq7", 7),
        ("c-8q-nq-default", 0),
        ("c-nq2", 2),
        ("c-nq-default", 0),
        ("class-default", 0),
        ("class-fcoe", 1),
    ],
)
def test_system_defined_classes_name_their_group(label: str, group: int) -> None:
    found = forwarding(label, "pause pfc-cos 4", "mtu 9216")
    assert found.tc_to_pfc_priority.entries == {group: 4}
    assert line(found.tc_to_pfc_priority, group) == 4
    assert found.pfc_priority_to_queue.entries == {4: group}
    assert found.tc_mtu.get(group) == 9216
    assert line(found.tc_mtu, group) == 5


@pytest.mark.parametrize("label", ["c-out-8q-q3", "c-8q-nq8", "c-8q-nq0", "MINE"])
def test_other_classes_are_not_defined(label: str) -> None:
    device = read(NETWORK_QOS.format(label=label, lines="pause pfc-cos 3"))
    assert device.qos.forwardings["NQ"].tc_to_pfc_priority.entries == {}
    undefined = [s for s in device.structures if not s.defined]
    assert [(s.kind, s.name) for s in undefined] == [("no-drop class map", label)]


def test_a_class_map_gives_the_group() -> None:
    found = forwarding(
        "MINE", "pause pfc-cos 3", head="class-map type network-qos MINE\n  match qos-group 5\n"
    )
    assert found.tc_to_pfc_priority.entries == {5: 3}


def test_pause_without_cos_is_a_guess() -> None:
    found = forwarding(
        "MINE",
        "pause no-drop",
        head="class-map type network-qos MINE\n  match qos-group 5\n"
        "class-map type qos match-any R\n  match cos 4\npolicy-map type qos P\n  class R\n"
        "    set qos-group 5\n",
    )
    assert found.tc_to_pfc_priority.entries == {5: 4}
    where = found.tc_to_pfc_priority.where(5)
    assert where.citation is not None
    assert where.citation.confidence is Confidence.UNCONFIRMED


def test_several_cos_of_one_class() -> None:
    device = read(
        NETWORK_QOS.format(label="c-8q-nq3", lines="pause pfc-cos 3, 4")
        + "interface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    found = device.qos.forwardings["NQ"]
    assert found.tc_to_pfc_priority.entries == {3: 3}
    assert found.pfc_priority_to_queue.entries == {3: 3, 4: 3}
    assert priorities(device) == frozenset({3, 4})


def priorities(device: Device) -> frozenset[int] | None:
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert port.pfc is not None
    return port.pfc.generate


def test_no_pause_takes_a_pause_back() -> None:
    found = forwarding("c-8q-nq3", "pause pfc-cos 3", "no pause")
    assert found.tc_to_pfc_priority.entries == {}
    assert line(found.tc_to_pfc_priority, 3) == 5


def test_without_a_network_qos_policy_nothing_is_paused() -> None:
    device = read("hostname leaf1\ninterface Ethernet1/1\n  priority-flow-control mode on\n")
    found = device.qos.forwardings["default-nq-policy"]
    assert found.tc_to_pfc_priority.entries == {}
    assert found.tc_mtu.get(3) == 1500
    assert priorities(device) == frozenset()
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert default_sentence(port, "forwarding") == defaults.NO_PAUSE.says


def test_a_policy_defined_nowhere_leaves_pause_unknown() -> None:
    device = read(
        "hostname leaf1\nsystem qos\n service-policy type network-qos jumbo\n"
        "interface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert port.forwarding is None
    assert line(port, "forwarding") == 3
    assert priorities(device) is None


def test_pause_buffers_are_the_ingress_buffer() -> None:
    device = read(
        NETWORK_QOS.format(
            label="c-8q-nq3",
            lines="pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320 pfc-cos 3",
        )
        + "interface Ethernet1/1\n"
    )
    port = device.interfaces["Ethernet1/1"].qos
    assert port is not None
    assert port.ingress_buffer == "NQ"
    profile = device.qos.ingress_buffers["NQ"].groups[3]
    assert (profile.reserved_bytes, profile.static_limit_bytes) == (101920, 46800)
    assert (profile.xoff_bytes, profile.xon_bytes) == (55120, 34320)
    assert line(profile, "xoff_bytes") == 4


@pytest.mark.parametrize(
    ("head", "limits"),
    [
        ("version 7.3(8)N1(1)", True),
        ("version 6.0(2)U5(1)", True),
        ("boot system bootflash:/n3000-uk9.6.0.2.U5.1.bin", True),
        ("! Model: N3K-C3132Q-V", True),
        ("! Model: 93180yc-fx", False),
        ("!Model: cisco Nexus9000 C93180YC-EX Chassis", False),
        ("version 9.3(1) Bios:version 05.38", None),
        ("version 10.3(4a)", None),
        ("boot nxos bootflash:/nxos64-cs.10.3.4a.M.bin", None),
    ],
)
def test_the_series_decides_the_effect_of_a_class_mtu(head: str, limits: bool | None) -> None:
    device = read(f"{head}\nhostname x\n{NETWORK_QOS.format(label='c-8q-nq3', lines='mtu 4200')}")
    found = device.qos.forwardings["NQ"]
    assert found.tc_mtu_limits is limits
    assert line(found, "tc_mtu_limits") == (0 if limits is None else 1)


def test_a_host_name_is_weak_evidence() -> None:
    text = NETWORK_QOS.format(label="c-8q-nq3", lines="mtu 4200")
    found = read(text, hostname="rack7-n9k-leaf1").qos.forwardings["NQ"]
    assert found.tc_mtu_limits is False
    assert found.where("tc_mtu_limits").confirmed is False


@pytest.mark.parametrize(
    ("lines", "dscp", "at"),
    [
        ("ip dscp-lop 40\n", 40, 1),
        ("ip dscp-lop 40\nno ip dscp-lop\n", None, 0),
        ("ip dscp-lop 40\nip dscp-lop 48\n", 48, 2),
        ("ip dscp-lop 64\n", None, 1),
        ("", None, 0),
    ],
)
def test_what_the_switch_marks_its_own_packets_with(lines: str, dscp: int | None, at: int) -> None:
    system = read(lines + "hostname leaf1\n").system
    assert (system.own_dscp, line(system, "own_dscp")) == (dscp, at)
