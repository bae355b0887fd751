"""SR Linux: three forms of one configuration, values with positions, defaults that are off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.model.qos import PfcMode, Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.srlinux import NOS
from roce_lint.text.source import LineState
from tests.nos import reader
from tests.nos.reader import line, notes

HERE = Path(__file__).resolve().parent
FORMS = {
    "leaf/config.cfg": "config",
    "leaf-braces/config.cfg": "config",
    "leaf-json/config.json": "config-json",
}

PROFILE = """\
set / qos queues queue q queue-index 5
set / qos queues pfc-queue p queue-index 2
set / qos forwarding-classes forwarding-class fc3 output unicast-queue q
set / qos pfc-mapping-profile m received-traffic unicast-mapping pfc-queue p forwarding-class [ fc3 ] pfc-pause-frame-priority 4
set / qos pfc-mapping-profile m received-pfc-pause-frames queue q pfc-pause-frame-priority 4
set / interface ethernet-1/1 admin-state enable
set / qos interfaces interface ethernet-1/1 pfc pfc-mapping-profile m
"""


def read(text: str, source: str = "config") -> Device:
    return reader.read(NOS, text, source)


def qos_of(text: str):
    device = read(text)
    return device, device.interfaces["ethernet-1/1"].qos


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_recognised(name: str) -> None:
    found = identify(name, (HERE / name).read_text())
    assert (found.nos, found.source) == ("srlinux", FORMS[name])


@pytest.mark.parametrize("name", list(FORMS)[1:])
def test_the_forms_give_one_model(name: str) -> None:
    first, other = (read((HERE / n).read_text(), FORMS[n]) for n in ("leaf/config.cfg", name))
    assert other.interfaces == first.interfaces
    assert (other.qos, other.system) == (first.qos, first.system)
    assert [(s.kind, s.name, len(s.references)) for s in other.structures] == [
        (s.kind, s.name, len(s.references)) for s in first.structures
    ]
    assert [note.message for note in (*first.notes, *other.notes)] == []


def test_values_have_lines_in_braces_too() -> None:
    text = (HERE / "leaf-braces/config.cfg").read_text()
    port = read(text).interfaces["ethernet-1/1"]
    rows = text.split("\n")
    assert rows[line(port, "frame_mtu") - 1].strip() == "mtu 9232"
    assert rows[line(port, "ip_mtu") - 1].strip() == "ip-mtu 9000"
    assert rows[line(port.qos.pfc, "mode") - 1].strip() == "pfc-enable true"


OBEY = "set / qos pfc-mapping-profile m received-pfc-pause-frames queue q enable-pfc true\n"


@pytest.mark.parametrize(
    ("more", "mode", "sent", "obeyed"),
    [
        ("", PfcMode.OFF, set(), set()),
        ("set / qos interfaces interface ethernet-1/1 pfc pfc-enable true\n", PfcMode.ON, {4}, set()),
        (
            "set / qos interfaces interface ethernet-1/1 pfc pfc-enable true\n" + OBEY,
            PfcMode.ON, {4}, {4},
        ),
    ],
)  # fmt: skip
def test_both_switches_are_off_by_default(
    more: str, mode, sent: set[int], obeyed: set[int]
) -> None:
    _, qos = qos_of(PROFILE + more)
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (mode, sent, obeyed)
    assert qos.pfc.where("mode").confirmed
    assert qos.pfc.where("honour").confirmed
    assert line(qos.pfc, "honour") == (5 if obeyed else 0)


def test_a_line_that_removes_a_queue_stops_its_pfc() -> None:
    on = "set / qos interfaces interface ethernet-1/1 pfc pfc-enable true\n"
    _, qos = qos_of(PROFILE + on + OBEY.replace("true", "false"))
    assert (qos.pfc.honour, line(qos.pfc, "honour")) == (frozenset(), 9)


def test_the_line_with_the_number_gives_the_pfc_priority_of_a_class() -> None:
    device, qos = qos_of(PROFILE)
    sent = device.qos.forwardings[qos.forwarding].tc_to_pfc_priority
    rows = PROFILE.split("\n")
    assert [rows[sent.at[tc] - 1].split()[-2:] for tc in sent.entries] == [
        ["pfc-pause-frame-priority", "4"]
    ]


def test_class_group_priority_and_queue_differ() -> None:
    device, qos = qos_of(PROFILE)
    maps = device.qos.forwardings[qos.forwarding]
    assert (maps.tc_to_pfc_priority.entries, line(maps.tc_to_pfc_priority, 3)) == ({3: 4}, 4)
    assert (maps.tc_to_pg.entries, maps.tc_to_queue.entries) == ({3: 2}, {3: 5})
    assert (maps.pfc_priority_to_queue.entries, line(maps.pfc_priority_to_queue, 4)) == ({4: 5}, 5)


def test_a_policy_and_what_it_does_not_map() -> None:
    device, qos = qos_of(
        "set / qos classifiers dscp-policy d dscp 26 forwarding-class fc3\n"
        "set / interface ethernet-1/1 mtu 9232\n"
        "set / qos interfaces interface x interface-ref interface ethernet-1/1\n"
        "set / qos interfaces interface x input classifiers dscp-policy d\n"
    )
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert (qos.trust, line(qos, "trust")) == (Trust.DSCP, 4)
    assert (table.get(26), line(table, 26)) == (3, 1)
    assert (table.get(0), table.where("otherwise").confirmed) == (0, False)


SLOPE = "set / qos buffer-management queue-management-profile m wred wred-slope {} min-threshold-percent 10 max-threshold-percent 70\n"


@pytest.mark.parametrize(
    ("slopes", "ecn", "drop"),
    [
        (["all drop-probability all enable-ecn true"], True, False),
        (["all drop-probability all enable-ecn false"], False, True),
        (["non-tcp drop-probability low enable-ecn true"], True, False),
        (["tcp drop-probability all enable-ecn true"], False, False),
        (["all drop-probability all enable-ecn true", "all drop-probability all enable-ecn false"], True, True),
    ],
)  # fmt: skip
def test_marking_is_an_entry_of_its_own(slopes: list[str], ecn: bool, drop: bool) -> None:
    device = read(
        "".join(SLOPE.format(slope) for slope in slopes)
        + "set / qos queues queue q queue-index 3\nset / interface ethernet-1/1 mtu 9232\n"
        "set / qos interfaces interface ethernet-1/1 output queues queue q queue-management-profile m\n"
    )
    policy = device.qos.egress[device.interfaces["ethernet-1/1"].qos.egress]
    marking = policy.queue(3).marking
    assert (marking.ecn, marking.wred_drop, policy.complete) == (ecn, drop, False)
    if ecn:
        assert marking.kmin == Threshold(10, ThresholdUnit.PERCENT)
        assert line(marking, "ecn") == 1


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated"),
    [
        ("mtu 9232\n", 9218, 1),
        ("mtu 9232\nset / interface ethernet-1/1 subinterface 0 ipv4 admin-state enable\n", 1500, 0),
        ("mtu 9232\nset / interface ethernet-1/1 subinterface 0 ipv4 admin-state enable\nset / interface ethernet-1/1 subinterface 0 ip-mtu 9000\n", 9000, 3),
        ("mtu 2000\nset / interface ethernet-1/1 subinterface 0 ipv4 admin-state enable\nset / interface ethernet-1/1 subinterface 0 ip-mtu 9000\n", 1986, 1),
        ("mtu 9232\nset / interface ethernet-1/1 subinterface 0 type bridged\n", 9218, 1),
        ("admin-state enable\n", 9218, 0),
    ],
)  # fmt: skip
def test_the_ip_mtu_is_1500_for_any_port_mtu(lines: str, ip_mtu: int, stated: int) -> None:
    port = read(f"set / interface ethernet-1/1 {lines}").interfaces["ethernet-1/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed


def test_a_later_line_overrules_an_earlier_one() -> None:
    device = read("set / interface ethernet-1/1 mtu 1600\nset / interface ethernet-1/1 mtu 9232\n")
    assert line(device.interfaces["ethernet-1/1"], "frame_mtu") == 2
    assert list(device.src.files[0].states)[:2] == [LineState.SHADOWED, LineState.UNDERSTOOD]


def test_an_unknown_word_is_listed_below_claimed_words_only() -> None:
    device = read("set / interface ethernet-1/1 new-thing 7\nset / network-instance default x y\n")
    left = [n.message for n in device.notes if n.kind is NoteKind.UNRECOGNISED]
    assert left == ["set / interface ethernet-1/1 new-thing 7"]
    assert device.src.files[0].states[1] == LineState.UNCLAIMED


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("set / interface ethernet-1/1 mtu x\n", "mtu 'x', takes 1280 to 9500 bytes"),
        ("set / interface ethernet-1/1 admin-state up\n", "admin-state 'up', takes enable, disable"),
        ("set / interface ethernet-1/1 ethernet port-speed fast\n", "port-speed 'fast' is not a speed such as 100G"),
        ("interface ethernet-1/1 {\n", "the text ends inside 1 open braces: the rest is missing"),
        ("}\n", "a closing brace without an opening one"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


@pytest.mark.parametrize(
    "data",
    [[], 7, {"interface": 7}, {"interface": [7, {}]}, {"interface": [{"name": [1]}]}, {"qos": []},
     {"interface": [{"name": "ethernet-1/1", "mtu": {}, "subinterface": {"a": 1}}]}],
)  # fmt: skip
def test_json_of_another_shape_is_read(data: object) -> None:
    text = json.dumps(data)
    if isinstance(data, dict | list):
        assert read(text, "config-json").nos == "srlinux"


def test_deep_nesting_is_cut() -> None:
    device = read("interface ethernet-1/1 {\n" * 200)
    assert (200, "nested too deep; left out") in notes(device)


@pytest.mark.parametrize("name", ["leaf/config.cfg", "leaf-braces/config.cfg"])
def test_cut_off_anywhere_it_is_read(name: str) -> None:
    text = (HERE / name).read_text()
    for end in range(0, len(text), 37):
        assert read(text[:end]).nos == "srlinux"


OVERLAY = """\
set / interface ethernet-1/3 subinterface 0 ipv4 address 10.0.0.0/31
set / interface ethernet-1/3 subinterface 7 ipv4 address 10.0.7.0/31
set / interface ethernet-1/1 subinterface 10 type bridged
set / tunnel-interface vxlan0 vxlan-interface 10 type bridged
set / tunnel-interface vxlan0 vxlan-interface 10 ingress vni 10
set / tunnel-interface vxlan0 vxlan-interface 20 type routed
set / tunnel-interface vxlan0 vxlan-interface 20 ingress vni 20
set / network-instance mac-1 type mac-vrf
set / network-instance mac-1 interface ethernet-1/1.10
set / network-instance mac-1 vxlan-interface vxlan0.10
set / network-instance mac-2 type mac-vrf
set / network-instance mac-2 interface lag1.0
set / network-instance mac-2 interface irb0.2
set / network-instance ip-1 type ip-vrf
set / network-instance ip-1 interface irb0.2
set / network-instance ip-1 interface ethernet-1/3.0
set / network-instance ip-1 vxlan-interface vxlan0.20
set / network-instance default interface ethernet-1/49.0
"""


def test_the_end_of_tunnels_carries_the_ports_of_its_instances() -> None:
    device = read(OVERLAY)
    end = device.interfaces["vxlan0"]
    tunnel = end.tunnel
    assert tunnel is not None
    assert (end.kind, line(end, "")) == (InterfaceKind.TUNNEL, 4)
    assert (tunnel.ports, tunnel.partly) == (
        frozenset({"ethernet-1/1", "lag1"}),
        frozenset({"ethernet-1/3"}),
    )
    assert (line(tunnel, "ports"), tunnel.vlans) == (10, frozenset())
    assert (tunnel.dscp_copied, tunnel.dscp) == (None, None)
    assert notes(device) == []


def test_a_tunnel_in_json_gives_the_same() -> None:
    tree = {
        "srl_nokia-tunnel-interface:tunnel-interface": [
            {"name": "vxlan0", "vxlan-interface": [{"index": 10, "ingress": {"vni": 10}}]}
        ],
        "srl_nokia-network-instance:network-instance": [
            {
                "name": "mac-1",
                "type": "srl_nokia-network-instance:mac-vrf",
                "interface": [{"name": "ethernet-1/1.10"}],
                "vxlan-interface": [{"name": "vxlan0.10"}],
            }
        ],
    }
    device = read(json.dumps(tree, indent=1), "config-json")
    tunnel = device.interfaces["vxlan0"].tunnel
    assert tunnel is not None
    assert (tunnel.ports, tunnel.vlans) == (frozenset({"ethernet-1/1"}), frozenset())


def test_instances_without_a_tunnel_make_none() -> None:
    assert list(read("set / network-instance default interface ethernet-1/1.0\n").interfaces) == []


BY_SUBINTERFACE = """\
set / qos classifiers dscp-policy one dscp 26 forwarding-class fc3
set / qos classifiers dscp-policy two dscp 26 forwarding-class fc4
set / interface ethernet-1/1 mtu 9232
set / qos interfaces interface a interface-ref interface ethernet-1/1
set / qos interfaces interface a interface-ref subinterface 0
set / qos interfaces interface a input classifiers dscp-policy one
set / qos interfaces interface ethernet-1/1.1 input classifiers dscp-policy {second}
set / qos interfaces interface b interface-ref interface ethernet-1/1
set / qos interfaces interface b pfc pfc-enable true
"""


@pytest.mark.parametrize(("second", "classifier"), [("one", "one"), ("two", None)])
def test_the_entries_of_a_port_and_its_subinterfaces_are_joined(
    second: str, classifier: str | None
) -> None:
    _, qos = qos_of(BY_SUBINTERFACE.format(second=second))
    assert (qos.trust, qos.classifier, line(qos, "classifier")) == (Trust.DSCP, classifier, 6)
    assert (qos.pfc.mode, line(qos.pfc, "mode")) == (PfcMode.ON, 9)


ADDRESS = "set / interface ethernet-1/1 subinterface {} ipv4 {}\n"


@pytest.mark.parametrize(
    ("other", "known"),
    [("address 10.1.0.0/31", True), ("admin-state enable", False), ("admin-state disable", False)],
)
def test_a_family_is_off_without_its_switch_where_the_release_has_one(
    other: str, known: bool
) -> None:
    device = read(ADDRESS.format(0, "address 10.0.0.0/31") + ADDRESS.format(1, other))
    assert bool(device.interfaces["ethernet-1/1.0"].addresses) is known


@pytest.mark.parametrize(
    ("lines", "fec", "stated"),
    [
        ("ethernet port-speed 400G\n", Fec.RS, 0),
        ("ethernet port-speed 100G\n", None, 0),
        ("transceiver forward-error-correction base-r\n", Fec.FC, 1),
        ("ethernet forward-error-correction fec-option disabled\n", Fec.NONE, 1),
    ],
)
def test_the_standard_gives_the_fec_above_100g(lines: str, fec: Fec | None, stated: int) -> None:
    port = read(f"set / interface ethernet-1/1 {lines}").interfaces["ethernet-1/1"]
    assert (port.fec, line(port, "fec")) == (fec, stated)


SESSION = """\
set / network-instance default protocols bgp autonomous-system 65001
set / network-instance default protocols bgp neighbor 10.0.0.0 peer-group up
set / network-instance default protocols bgp group up peer-as 65100
"""


@pytest.mark.parametrize(
    ("more", "accepts"),
    [("", False), ("ebgp-default-policy import-reject-all false\n", True)],
)
def test_a_session_without_a_policy_accepts_nothing_by_default(more: str, accepts: bool) -> None:
    bgp = "set / network-instance default protocols bgp "
    routing = read(SESSION + (bgp + more if more else "")).routing
    assert routing is not None
    session = routing.sessions["10.0.0.0"]
    assert (session.asn, line(session, "asn"), session.filtered_in) == (65100, 3, not accepts)
    assert routing.max_paths == 1


def test_a_share_of_the_buffer_is_reserved_for_headroom() -> None:
    chip = "set / qos linecard 1 forwarding-complex 0 input pfc-buffer-reservation 10\n"
    (pool,) = read(chip).pools.values()
    assert (pool.use, pool.share_percent, line(pool, "share_percent")) == (PoolUse.HEADROOM, 10, 1)
