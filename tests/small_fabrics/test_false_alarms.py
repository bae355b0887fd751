"""Configurations that must not be reported, or not that severely, on any system."""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.report.layout import plain
from roce_lint.report.selection import Options
from roce_lint.report.summary import tail
from roce_lint.report.wording import reach_of
from tests.bench import check
from tests.small_fabrics.made import ENV, made

UNDEFINED = {
    "eos": "! device: acc1 (DCS-7050SX3-48YC8, EOS-4.30.1F)\nhostname acc1\n!\nclass-map type qos match-any VOICE\n   match dscp 46\n!\npolicy-map type quality-of-service EDGE\n   class VOICE\n      set traffic-class 6\n   class VIDEO\n      set traffic-class 4\n!\ninterface Ethernet1\n   switchport access vlan 20\n   service-policy type qos input EDGE\n!\nend\n",
    "nxos": "!Command: show running-config\nversion 10.4(3) Bios:version 05.50\nhostname acc1\nclass-map type qos match-any VOICE\n  match dscp 46\npolicy-map type qos EDGE\n  class VOICE\n    set qos-group 5\n  class VIDEO\n    set qos-group 4\ninterface Ethernet1/1\n  switchport access vlan 20\n  service-policy type qos input EDGE\n  no shutdown\n",
    "sonic": '{\n "DEVICE_METADATA": {"localhost": {"hostname": "acc1", "type": "ToRRouter"}},\n "PORT": {"Ethernet0": {"lanes": "1", "speed": "25000", "mtu": "9100", "admin_status": "up"}},\n "DSCP_TO_TC_MAP": {"M": {"46": "5"}},\n "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "N"}}\n}\n',
    "junos": "set system host-name acc1\nset interfaces xe-0/0/0 unit 0 family ethernet-switching vlan members v20\nset class-of-service classifiers dscp VOICE forwarding-class expedited-forwarding loss-priority low code-points 101110\nset class-of-service interfaces xe-0/0/0 unit 0 classifiers dscp VIDEO\n",
    "os10": "! Version 10.5.6.0\nhostname acc1\ntrust dscp-map VOICE\n qos-group 5 dscp 46\n!\ninterface ethernet1/1/1\n no shutdown\n switchport access vlan 20\n trust-map dscp VIDEO\n!\n",
    "comware": "#\n version 7.1.070, Release 6710\n#\n sysname acc1\n#\nqos wred queue table EDGE\n queue 3 drop-level 0 low-limit 1000 high-limit 4000 discard-probability 20\n#\ninterface FourHundredGigE1/0/1\n port link-mode route\n qos wred apply VIDEO\n#\nreturn\n",
}  # fmt: skip
"""An access switch with a line that refers to an undefined name, and no protection."""


@pytest.mark.parametrize("system", UNDEFINED)
def test_an_undefined_name_where_nothing_is_protected(system: str) -> None:
    report = check({"acc1.txt": UNDEFINED[system]})
    assert [device.nos for device in report.devices] == [system]
    outcomes = {f.rule: f.severity for f in report.findings}
    assert outcomes.pop("MAP003") is Severity.INFO
    assert max(outcomes.values(), default=Severity.INFO) is Severity.INFO


def test_an_undefined_name_beside_ports_of_roce() -> None:
    """On a port without RoCE a warning, on one that carries it an error."""
    line = "   service-profile TELEPHONES\n"
    own = made("eos", hosts=True)
    own.change("leaf1", ("!\nend", f"!\ninterface Ethernet9/1\n   speed 10g\n{line}!\nend"))
    assert own.outcomes() == [("warning", "MAP003", "leaf1", line.strip())]
    own = made("eos", hosts=True).change("leaf1", ("service-profile ROCE", line.strip()))
    assert {outcome[:2] for outcome in own.outcomes()} == {("error", "MAP003")}


DESCRIBED = ("ethernet1/1/9", " no shutdown\n no switchport\n mtu 9216\n flowcontrol receive off\n priority-flow-control mode on\n")  # fmt: skip


@pytest.mark.parametrize(
    ("words", "observed"), [("ToR_Peer_Link", set()), ("Rack 7", {("error", "PFC003")})]
)
def test_a_peer_link_by_its_description(words: str, observed: set[tuple[str, str]]) -> None:
    name, body = DESCRIBED
    own = made("os10")
    port = f"interface {name}\n description {words}\n{body}!\ninterface ethernet1/1/1\n"
    own.change("leaf2", ("interface ethernet1/1/1\n", port))
    assert {
        (outcome[0], outcome[1]) for outcome in own.outcomes() if outcome[1] == "PFC003"
    } == observed


def test_a_no_drop_policy_that_is_not_defined_where_pfc_is_off() -> None:
    """The ports that bind it lack the other half as well: both are reported."""
    own = made("os10").change(
        "leaf2",
        (" priority-flow-control mode on\n", ""),
        ("input type network-qos PFC-RDMA", "input type network-qos PFC-RMDA"),
    )
    (found,) = [f for f in own.report().findings if f.rule == "MAP003"]
    assert found.severity is Severity.ERROR
    assert "PFC is also off on 1 port" in found.consequence


def test_a_lone_switch_of_which_one_port_only_obeys_pause() -> None:
    own = made("junos")
    own.remove("links.yaml", *(own.files[name] for name in ("leaf1", "leaf3", "spine1")))
    paused = "        et-* {\n            congestion-notification-profile ROCE;\n"
    text = own.texts[own.files["leaf2"]]
    assert paused in text
    only = "congestion-notification-profile {\n        OBEY {\n            output {\n                ieee-802.1 {\n                    code-point 011 {\n                        flow-control-queue 4;\n                    }\n                }\n            }\n        }\n"
    bound = "        et-0/0/0 {\n            congestion-notification-profile OBEY;\n        }\n        et-* {\n"
    own.change("leaf2", (paused, bound), ("congestion-notification-profile {\n", only))
    outcomes = {(f.rule, f.severity) for f in own.report().findings if f.rule == "PFC003"}
    assert outcomes == {("PFC003", Severity.INFO)}


@pytest.mark.parametrize(("bonded", "level"), [(True, "info"), (False, "warning")])
def test_ports_of_another_kind_than_the_watched_ones(bonded: bool, level: str) -> None:
    """The other end is unknown: a channel may lead to anything."""
    more = "nv set interface swp5 type swp\nnv set interface swp5 link mtu 9216\nnv set interface swp5 link state up\n"
    if bonded:
        more += "nv set interface bond5 type bond\nnv set interface bond5 bond member swp5\nnv set interface bond5 bridge domain br_default\n"
    else:
        more += "nv set interface swp5 ip address 10.0.9.0/31\n"
    own = made("cumulus").change(
        "leaf2", ("nv set qos roce enable", more + "nv set qos roce enable")
    )
    outcomes = {f.severity.label for f in own.report().findings if f.rule == "PFC020"}
    assert outcomes == {level}


def of_hosts(*bytes_: str) -> list[tuple[str, str]]:
    """NIC016 where each host has another notation of the class byte."""
    own = made("eos", hosts=True)
    for name, byte in zip(own.hosts, bytes_, strict=True):
        own.add(name, "nccl.conf", f"{ENV}NCCL_IB_TC={byte}\n", "cat /etc/nccl.conf")
    found = [f for f in own.report().findings if f.rule == "NIC016"]
    return [(occurrence.device, f.severity.label) for f in found for occurrence in f.occurrences]


def test_a_class_byte_is_compared_by_its_code_point() -> None:
    assert of_hosts("106", "0x68", "107") == []
    assert of_hosts("106", "0x68", "98") == [("gpu3", "warning")]


def test_a_variable_that_most_hosts_do_not_set_is_no_difference() -> None:
    more = "\nUCX_IB_TRAFFIC_CLASS=98\nUCX_IB_GID_INDEX=auto"
    assert of_hosts("106", "106", f"106{more}") == []
    assert of_hosts("106\nUCX_IB_GID_INDEX=3", "106\nUCX_IB_GID_INDEX=3", f"106{more}") == []
    assert of_hosts(f"106{more}", f"106{more}", "106\nUCX_IB_TRAFFIC_CLASS=106") == [
        ("gpu3", "warning")
    ]


@pytest.mark.parametrize(("byte", "apart"), [("0x6a", False), ("107", False), ("98", True)])
def test_two_files_that_spell_one_value_do_not_contradict_each_other(
    byte: str, *, apart: bool
) -> None:
    own = made("eos", hosts=True)
    for file, text in (("nccl.conf", "106"), ("job.env", byte)):
        own.add("gpu1", file, f"{ENV}NCCL_IB_TC={text}\n", f"cat /etc/{file}")
    assert ("SRC002" in {outcome[1] for outcome in own.outcomes()}) is apart


def test_what_every_folder_of_switches_lacks_is_no_footnote() -> None:
    report = made("eos").report()
    assert {unknown.tells for unknown in report.unknowns} == {"host", "link"}
    assert "Not checked" not in plain(tail(report, Options(cwd=".")))
    assert "Not checked" in plain(tail(report, Options(cwd=".", all_gaps=True)))


def test_pairs_without_hosts_are_those_of_edge_ports() -> None:
    for hosts, ends in ((False, "edge port"), (True, "NIC")):
        own = made("eos", hosts=hosts)
        own.change("leaf1", ("priority-flow-control priority 3 no-drop", "qos trust dscp"))
        found = next(f for f in own.report().findings if f.severity is Severity.ERROR)
        assert found.pairs is not None
        assert f" {ends} pairs" in reach_of(found.pairs)
