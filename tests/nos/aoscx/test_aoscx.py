"""AOS-CX: values with their lines, and unknown values."""

from __future__ import annotations

import pytest

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import PfcMode, SchedulerKind, Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.aoscx import NOS
from tests.nos import reader
from tests.nos.reader import line, notes


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str):
    device = read(text)
    return device, device.interfaces["1/1/1"].qos


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("1/1/1", ["1/1/1"]),
        ("1/1/1-1/1/3", ["1/1/1", "1/1/2", "1/1/3"]),
        ("1/1/1:2", ["1/1/1:2"]),
        ("lag 10 multi-chassis", ["lag10"]),
        ("vlan 20", ["vlan20"]),
        ("mgmt", ["mgmt"]),
    ],
)
def test_names(header: str, names: list[str]) -> None:
    assert list(read(f"interface {header}\n    no shutdown\n").interfaces) == names


@pytest.mark.parametrize(
    ("lines", "mode", "sent", "stated", "confirmed"),
    [
        ("    flow-control priority rxtx 3\n", PfcMode.ON, {3}, 2, True),
        ("    flow-control priority rxtx 3,4\n", PfcMode.ON, {3, 4}, 2, True),
        ("    flow-control priority rxtx 3\n    no flow-control\n", PfcMode.OFF, set(), 3, True),
        ("    mtu 9198\n", PfcMode.OFF, set(), 0, False),
    ],
)
def test_pfc(lines: str, mode, sent: set[int], stated: int, confirmed: bool) -> None:
    _, qos = qos_of(f"interface 1/1/1\n{lines}")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (mode, sent, sent)
    assert (line(qos.pfc, "generate"), qos.pfc.where("generate").confirmed) == (stated, confirmed)


def test_the_older_form_is_unknown_and_no_link_pause() -> None:
    _, qos = qos_of("interface 1/1/1\n    flow-control rxtx pool 1\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.link_pause_rx) == (None, None, None)
    _, qos = qos_of("interface 1/1/1\n    flow-control rx\n")
    assert (qos.pfc.link_pause_rx, qos.pfc.link_pause_tx, line(qos.pfc, "link_pause_rx")) == (
        True, False, 2,
    )  # fmt: skip


@pytest.mark.parametrize(("words", "metres"), [("50", 50.0), ("auto", None)])
def test_cable_length(words: str, metres: float | None) -> None:
    device = read(f"interface 1/1/1\n    flow-control buffer cable-length {words}\n")
    port = device.interfaces["1/1/1"]
    assert (port.cable_m, line(port, "cable_m")) == (metres, 2 if metres else 0)
    assert device.unread == []


POOLS = (
    "qos pool 1 lossless size 60 percent headroom 2048 kbytes priorities 3\n"
    "qos pool 2 lossless size factory-default headroom factory-default priorities 4,5\n"
)


def test_pools() -> None:
    one, other = read(POOLS).pools.values()
    assert (one.use, one.share_percent, one.headroom_bytes) == (PoolUse.LOSSLESS, 60.0, 2_048_000)
    assert (line(one, "share_percent"), other.share_percent, other.headroom_bytes) == (
        1,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("pools", "priorities", "reported"),
    [
        (POOLS, "3,5", []),
        (POOLS, "3,6", [(4, "flow-control priority 6 is in no qos pool")]),
        ("", "6", []),
    ],
)
def test_a_pfc_priority_needs_a_pool(pools: str, priorities: str, reported: list) -> None:
    device = read(f"{pools}interface 1/1/1\n    flow-control priority rxtx {priorities}\n")
    assert notes(device, NoteKind.CONFLICT) == reported


def test_the_management_port() -> None:
    device = read(
        "interface mgmt\n    no shutdown\n    ip static 192.0.2.1/24\n    default-gateway 192.0.2.2\n"
    )
    assert device.interfaces["mgmt"].addresses == ("192.0.2.1/24",)
    assert device.unread == []


def test_sessions_of_bgp() -> None:
    """A session with another own AS, or one that is shut down, is left out."""
    device = read(
        "router bgp 65001\n    neighbor SPINES peer-group\n    neighbor SPINES remote-as 65101\n"
        "    neighbor 10.0.0.1 peer-group SPINES\n    neighbor 10.0.0.3 remote-as 65102\n"
        "    neighbor 10.0.0.3 ebgp-multihop 3\n    neighbor 10.0.0.5 remote-as 65102\n"
        "    neighbor 10.0.0.5 local-as 9\n    neighbor 10.0.0.7 shutdown\n"
        "    address-family ipv4 unicast\n        neighbor 10.0.0.1 activate\n"
        "    exit-address-family\n    vrf RED\n        neighbor 10.9.0.1 remote-as 8\n"
    )
    found = device.routing.sessions
    assert {name: session.asn for name, session in found.items()} == {
        "10.0.0.1": 65101, "10.0.0.3": 65102,
    }  # fmt: skip
    assert (line(found["10.0.0.1"], "asn"), device.routing.complete) == (3, False)
    assert device.unread == []


@pytest.mark.parametrize(
    ("switch", "port", "trust", "stated"),
    [("", "", None, 0), ("dscp", "", Trust.DSCP, 1), ("dscp", "cos", Trust.PCP, 4), ("none", "", Trust.NONE, 1)],
)  # fmt: skip
def test_trust(switch: str, port: str, trust, stated: int) -> None:
    text = f"qos trust {switch}\n" if switch else ""
    text += "qos dscp-map 26 local-priority 3\ninterface 1/1/1\n    mtu 9198\n"
    text = text.replace("    mtu 9198\n", f"    qos trust {port}\n" if port else "    mtu 9198\n")
    _, qos = qos_of(text)
    assert (qos.trust, line(qos, "trust")) == (trust, stated)


def test_a_code_point_that_no_line_maps_has_the_default_that_is_published() -> None:
    device, qos = qos_of(
        "qos trust dscp\nqos dscp-map 26 local-priority 3 name R\ninterface 1/1/1\n    mtu 9198\n"
    )
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert (table.get(26), line(table, 26)) == (3, 2)
    assert [table.get(dscp) for dscp in (0, 8, 46, 48, 63)] == [1, 0, 5, 6, 7]
    assert (line(table, 0), table.where(0).confirmed) == (0, True)
    assert [table.get(dscp) for dscp in (9, 24, 34)] == [None, None, None]


@pytest.mark.parametrize(
    ("lines", "trust", "stated", "tc"),
    [
        ("hostname a\n", Trust.NONE, 0, None),
        ("hostname a\nqos cos-map 0 local-priority 2\n", Trust.NONE, 0, 2),
        ("hostname a\nqos trust dscp\n", Trust.DSCP, 2, None),
        ("hostname a\nqos trust dot1p\n", None, 0, None),
        ("", None, 0, None),  # the line may stand in what was not read
    ],
)
def test_a_port_that_no_line_makes_trust(
    lines: str, trust: Trust | None, stated: int, tc: int | None
) -> None:
    _, qos = qos_of(f"{lines}interface 1/1/1\n    mtu 9198\n")
    assert (qos.trust, line(qos, "trust"), qos.default_tc) == (trust, stated, tc)


def test_queue_and_step() -> None:
    device, qos = qos_of(
        "qos queue-profile Q\n    map queue 5 local-priority 3\n"
        "qos schedule-profile S\n    strict queue 5\n"
        "qos threshold-profile T\n    queue 5 action ecn all threshold 400 kbytes\n"
        "interface 1/1/1\n    apply qos queue-profile Q schedule-profile S\n"
        "    apply qos threshold-profile T\n"
    )
    maps = device.qos.forwardings[qos.forwarding]
    assert (maps.tc_to_queue.entries, line(maps.tc_to_queue, 3)) == ({3: 5}, 2)
    assert maps.tc_to_pfc_priority.where(3).confirmed is False
    queue = device.qos.egress[qos.egress].queue(5)
    assert (queue.marking.ecn, queue.marking.kmin, queue.marking.kmax) == (
        True, Threshold(400_000), Threshold(400_000),
    )  # fmt: skip
    assert (line(queue.marking, "kmin"), queue.scheduler.kind) == (6, SchedulerKind.STRICT)
    other = device.qos.egress[qos.egress].queue(0)
    assert (other.marking.ecn, other.marking.where("ecn").confirmed) == (False, False)


def test_without_profiles_queues_are_unknown() -> None:
    device, qos = qos_of("interface 1/1/1\n    mtu 9198\n")
    assert (qos.egress, device.qos.forwardings[qos.forwarding].tc_to_queue.get(3)) == (None, None)


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated"),
    [
        ("    routing\n    mtu 9198\n    ip mtu 9198\n", 9198, 4),
        ("    routing\n    mtu 9198\n    ip mtu 1500\n", 1500, 4),
        ("    routing\n    mtu 9198\n", 1500, 0),
        ("    no routing\n    mtu 9198\n", 9198, 3),
        ("    no routing\n", 1500, 0),
    ],
)
def test_two_mtus(lines: str, ip_mtu: int, stated: int) -> None:
    port = read(f"interface 1/1/1\n{lines}").interfaces["1/1/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed is bool(stated)


def test_vlans() -> None:
    text = "interface 1/1/{}\n    no routing\n    vlan {}\n"
    device = read(
        text.format(1, "access 20")
        + text.format(2, "trunk native 10 tag\n    vlan trunk allowed 10,20")
        + text.format(3, "trunk native 10\n    vlan trunk allowed 10,20")
        + text.format(4, "trunk allowed all")
    )
    found = {
        name: (port.untagged_vlan, port.tagged_vlans, port.tagged)
        for name, port in device.interfaces.items()
    }
    assert found == {
        "1/1/1": (20, None, False),
        "1/1/2": (None, frozenset({10, 20}), True),
        "1/1/3": (10, frozenset({20}), None),
        "1/1/4": (None, None, None),
    }


@pytest.mark.parametrize(
    ("words", "kmin", "kmax"),
    [
        ("threshold 40 percent", *[Threshold(40, ThresholdUnit.PERCENT)] * 2),
        ("min-threshold 500 kbytes max-threshold 1500 kbytes", Threshold(500_000), Threshold(1_500_000)),
        ("threshold 400 kbytes\n    queue 3 action ecn all min-threshold 1 kbytes max-threshold 2 kbytes", Threshold(1000), Threshold(2000)),
    ],
)  # fmt: skip
def test_forms_of_thresholds(words: str, kmin: Threshold, kmax: Threshold) -> None:
    device, qos = qos_of(
        f"qos threshold-profile T\n    queue 3 action ecn all {words}\n"
        "interface 1/1/1\n    apply qos threshold-profile T\n"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, marking.kmin, marking.kmax) == (True, kmin, kmax)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("interface 1/1/1\n    mtu x\n", "mtu 'x', not 46 to 65535"),
        ("interface 1/1/1\n    flow-control priority rxtx 9\n", "priority '9', takes 0 to 7"),
        ("interface 1/1/1\n    flow-control priority rx 3\n", "flow-control priority rx: only rxtx is known"),
        ("interface 1/1/1\n    qos trust ip\n", "'ip' is not dscp, cos or none"),
        ("qos dscp-map 99 local-priority 3\n", "DSCP '99', takes 0 to 63"),
        ("qos threshold-profile T\n    queue 3 action ecn all threshold 40 cells\n", "'40 cells' is not a threshold in kbytes or percent"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    text = "qos trust dscp\nqos threshold-profile T\n    queue 3 action ecn all threshold 4 kbytes\ninterface 1/1/1-1/1/2\n    flow-control priority rxtx 3\n"
    for end in range(len(text)):
        assert read(text[:end]).nos == "aoscx"


@pytest.mark.parametrize(("address", "ipv6"), [("10.0.0.1", False), ("2001:db8::1", True)])
def test_the_end_of_tunnels_carries_its_segments(address: str, ipv6: bool) -> None:
    device = read(
        f"interface vxlan 1\n    source ip {address}\n    no shutdown\n    vni 10010\n"
        "        vlan 10\n    vni 50001\n        vrf RED\n        routing\n"
    )
    end = device.interfaces["vxlan1"]
    tunnel = end.tunnel
    assert (end.kind, end.enabled, end.routed) == (InterfaceKind.TUNNEL, True, None)
    assert (tunnel.vlans, line(tunnel, "vlans")) == (frozenset({10}), 4)
    assert (tunnel.vrfs, tunnel.outer_ipv6) == (frozenset({"RED"}), ipv6)
    assert (tunnel.dscp_copied, tunnel.adds) == (None, 70 if ipv6 else 50)
    assert notes(device) == []
