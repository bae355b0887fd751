"""CloudEngine: values with their lines, what the defaults are, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.qos import MarkingMode, PfcMode, Trust, WatchdogAction
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.vrp import NOS
from tests.nos import reader
from tests.nos.pair import causes, judged
from tests.nos.reader import line, notes

LEAF = (Path(__file__).parent / "pair.cfg").read_text()
PORTS = "100GE1/0/1", "100GE1/0/25"
NAMED = "sysname leaf1\n"


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str, name: str = "100GE1/0/1"):
    device = read(text)
    return device, device.interfaces[name].qos


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("100GE1/0/1", ["100GE1/0/1"]),
        ("25GE1/0/1:2", ["25GE1/0/1:2"]),
        ("GigabitEthernet0/0/1", ["GE0/0/1"]),
        ("Eth-Trunk10", ["Eth-Trunk10"]),
        ("Vlanif20", ["Vlanif20"]),
        ("MEth0/0/0", ["MEth0/0/0"]),
        ("400GE1/0/1.100", ["400GE1/0/1.100"]),
    ],
)
def test_names(header: str, names: list[str]) -> None:
    assert list(read(f"interface {header}\n undo shutdown\n").interfaces) == names


@pytest.mark.parametrize(
    ("profile", "sent", "stated"),
    [
        ("", {3}, 0),
        ("dcb pfc\n", {3}, 2),
        ("dcb pfc\n priority 4\n", {3, 4}, 3),
        ("dcb pfc\n priority 4 5\n", {3, 4, 5}, 3),
        ("dcb pfc\n priority 4 to 6\n", {3, 4, 5, 6}, 3),
        ("dcb pfc\n undo priority 3\n priority 4\n", {4}, 4),
        ("dcb pfc\n undo priority 3\n", set(), 2),
    ],
)
def test_priority_3_is_lossless_unless_taken_away(
    profile: str, sent: set[int], stated: int
) -> None:
    _, qos = qos_of(f"{NAMED}{profile}interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (PfcMode.ON, sent, sent)
    assert (line(qos.pfc, "generate"), qos.pfc.where("generate").confirmed) == (stated, True)


@pytest.mark.parametrize(
    ("lines", "mode", "sent", "stated"),
    [
        (" mtu 9000\n", PfcMode.OFF, set(), 0),
        (" dcb pfc enable\n", PfcMode.ON, {3}, 3),
        (" dcb pfc enable mode auto\n", PfcMode.AUTO, None, 3),
        (" dcb pfc enable mode manual\n undo dcb pfc enable\n", PfcMode.OFF, set(), 4),
        (" dcb pfc enable NONE mode manual\n", PfcMode.ON, None, 3),
    ],
)
def test_pfc_of_a_port(lines: str, mode, sent: set[int] | None, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}interface 100GE1/0/1\n{lines}")
    assert (qos.pfc.mode, qos.pfc.generate, line(qos.pfc, "mode")) == (mode, sent, stated)


def test_a_part_of_a_configuration_does_not_tell_the_priorities() -> None:
    _, qos = qos_of("interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    assert (qos.pfc.mode, qos.pfc.generate) == (PfcMode.ON, None)


@pytest.mark.parametrize(
    ("lines", "trust", "stated", "confirmed"),
    [
        (" undo portswitch\n", Trust.DSCP, 0, True),
        (" port default vlan 20\n", Trust.PCP, 0, False),
        (" mtu 9000\n", None, 0, False),
        (" trust dscp\n", Trust.DSCP, 3, True),
        (" undo portswitch\n trust 8021p inner\n", Trust.PCP, 4, True),
        (" trust dscp\n trust upstream none\n", Trust.NONE, 4, True),
    ],
)
def test_what_a_port_trusts(lines: str, trust, stated: int, confirmed: bool) -> None:
    _, qos = qos_of(f"{NAMED}interface 100GE1/0/1\n{lines}")
    assert (qos.trust, line(qos, "trust")) == (trust, stated)
    assert qos.where("trust").confirmed is (confirmed or trust is None)


def test_a_domain_is_the_default_mapping_with_its_own_lines() -> None:
    device, qos = qos_of(
        f"{NAMED}diffserv domain D\n ip-dscp-inbound 26 phb af4 green\n 8021p-inbound 5 phb cs7\n"
        "interface 100GE1/0/1\n trust dscp\n trust upstream D\n"
    )
    own = device.qos.classifiers[qos.classifier]
    assert (own.dscp_to_tc.get(26), line(own.dscp_to_tc, 26)) == (4, 3)
    assert (own.dscp_to_tc.get(24), line(own.dscp_to_tc, 24)) == (3, 0)
    assert (own.pcp_to_tc.get(5), own.pcp_to_tc.get(3)) == (7, 3)
    builtin = device.qos.classifiers["default"]
    assert [builtin.dscp_to_tc.get(code) for code in (0, 26, 48, 63)] == [0, 3, 6, 7]
    assert (own.builtin, builtin.builtin) == (False, True)


@pytest.mark.parametrize("domain", ["", " trust upstream default\n"])
def test_the_default_domain_needs_no_definition(domain: str) -> None:
    device, qos = qos_of(f"{NAMED}interface 100GE1/0/1\n undo portswitch\n{domain}")
    assert (qos.classifier, line(qos, "classifier")) == ("default", 4 if domain else 0)
    assert [s.name for s in device.structures if not s.defined] == []


def test_the_default_domain_may_be_changed() -> None:
    device, qos = qos_of(
        f"{NAMED}diffserv domain default\n ip-dscp-inbound 26 phb be\n"
        "interface 100GE1/0/1\n undo portswitch\n"
    )
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert (table.get(26), line(table, 26), table.get(24)) == (0, 3, 3)


def test_a_domain_or_profile_that_nothing_defines_is_unknown() -> None:
    device, qos = qos_of(
        f"{NAMED}interface 100GE1/0/1\n trust upstream D\n dcb pfc enable P\n"
        " qos queue 3 wred W\n qos queue 3 ecn\n"
    )
    assert (qos.classifier, qos.pfc.generate) == (None, None)
    policy = device.qos.egress[qos.egress]
    assert (policy.queue(3).marking.ecn, policy.complete) == (None, False)
    assert {(s.kind, s.name, s.references) for s in device.structures if not s.defined} == {
        ("dscp map", "D", (3,)), ("pfc profile", "P", (4,)), ("marking profile", "W", (5,)),
    }  # fmt: skip


ECN = " qos queue 3 ecn\n"
WRED = " qos queue 3 wred W\n"


@pytest.mark.parametrize(
    ("lines", "marks", "stated"), [(WRED + ECN, True, 6), (ECN, False, 5), (WRED, False, 0)]
)
def test_marking_needs_both_lines(lines: str, marks: bool, stated: int) -> None:
    device, qos = qos_of(
        f"{NAMED}drop-profile W\n ecn low-limit 10 high-limit 80 discard-percentage 5\n"
        f"interface 100GE1/0/1\n{lines}"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, line(marking, "ecn"), marking.where("ecn").confirmed) == (
        marks, stated, True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ecn", "kmin", "kmax", "pmax"),
    [
        (
            "low-limit 10 high-limit 80 discard-percentage 5",
            Threshold(10, ThresholdUnit.PERCENT), Threshold(80, ThresholdUnit.PERCENT), 5.0,
        ),
        (
            "buffer-size low-limit 7000 high-limit 500000 discard-percentage 30",
            Threshold(7000), Threshold(500_000), 30.0,
        ),
        (
            "buffer-size cell low-limit 30 high-limit 90 discard-percentage 30",
            Threshold(30, ThresholdUnit.CELLS), Threshold(90, ThresholdUnit.CELLS), 30.0,
        ),
    ],
)  # fmt: skip
def test_thresholds_keep_their_unit(ecn: str, kmin, kmax, pmax: float) -> None:
    device, qos = qos_of(f"{NAMED}drop-profile W\n ecn {ecn}\ninterface 100GE1/0/1\n{WRED}{ECN}")
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (kmin, kmax, pmax)
    assert [line(marking, name) for name in ("kmin", "kmax", "pmax_percent")] == [3, 3, 3]


@pytest.mark.parametrize("profile", ["W", "default"])
def test_thresholds_that_are_not_on_an_ecn_line_are_unknown(profile: str) -> None:
    device, qos = qos_of(
        f"{NAMED}drop-profile W\n color green low-limit 5 high-limit 9 discard-percentage 1\n"
        f"interface 100GE1/0/1\n qos queue 3 wred {profile}\n{ECN}"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, marking.kmin, marking.kmax, marking.wred_drop) == (True, None, None, None)


def test_a_color_line_without_ecn_drops() -> None:
    device, qos = qos_of(
        f"{NAMED}drop-profile W\n color green low-limit 5 high-limit 9 discard-percentage 1\n"
        f"interface 100GE1/0/1\n{WRED}"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, marking.wred_drop, line(marking, "wred_drop")) == (False, True, 3)


def test_queues_whose_thresholds_the_device_learns() -> None:
    device, qos = qos_of(
        f"{NAMED}ai-service\n #\n ai-ecn\n  ai-ecn enable\n  assign queue 4\n"
        "interface 100GE1/0/1\n undo portswitch\n"
    )
    marking = device.qos.egress[qos.egress].queue(4).marking
    assert (marking.ecn, marking.mode, line(marking, "ecn")) == (True, MarkingMode.PLATFORM, 6)


def test_lines_of_queues_are_those_of_each_port() -> None:
    text = f"interface 100GE1/0/{{}}\n undo portswitch\n{WRED}{ECN}"
    profile = "drop-profile W\n ecn low-limit 10 high-limit 80 discard-percentage 5\n"
    device = read(NAMED + profile + text.format(1) + text.format(2))
    found = [
        line(device.qos.egress[port.qos.egress].queue(3).marking, "ecn")
        for port in device.interfaces.values()
    ]
    assert found == [7, 11]


@pytest.mark.parametrize(
    ("lines", "detection", "restoration", "stated"),
    [
        ("", 100.0, 100.0, 0),
        ("dcb pfc deadlock-detect interval 100\n", 1000.0, 1000.0, 2),
        ("dcb pfc deadlock-detect timer 512\n", 512.0, 100.0, 2),
        ("dcb pfc\n priority 3 deadlock-detect time 5\n", 50.0, 100.0, 3),
        ("dcb pfc\n priority 3 deadlock-detect time 10 deadlock-recovery time 15\n", 100.0, 150.0, 3),
        ("dcb pfc\n priority 4\n priority 3 deadlock-detect time 5\n", None, 100.0, 0),
        (
            "dcb pfc\n priority 3 deadlock-detect time 5\ndcb pfc deadlock-detect interval 100\n",
            500.0, 1000.0, 3,
        ),
    ],
)  # fmt: skip
def test_times_of_deadlock_detection(lines: str, detection, restoration, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}{lines}interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    watchdog = qos.watchdog
    assert (watchdog.enabled, watchdog.detection_ms, watchdog.restoration_ms) == (
        True, detection, restoration,
    )  # fmt: skip
    assert line(watchdog, "detection_ms") == stated


def test_what_is_done_with_packets_in_a_deadlock() -> None:
    _, qos = qos_of(
        f"{NAMED}dcb pfc deadlock recovery-behavior forwarding slot 1\n"
        "interface 100GE1/0/1\n dcb pfc enable\n"
    )
    assert (qos.watchdog.action, line(qos.watchdog, "action")) == (WatchdogAction.FORWARD, 2)


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated", "confirmed"),
    [
        (" undo portswitch\n mtu 9000\n", 9000, 4, True),
        (" undo portswitch\n mtu 9216\n", 9198, 0, True),
        (" undo portswitch\n mtu 9400\n jumboframe enable 9500\n", 9400, 4, True),
        (" undo portswitch\n", 1500, 0, False),
        (" port default vlan 20\n mtu 1500\n", 9198, 0, True),
        (" port default vlan 20\n jumboframe enable 5018\n", 5000, 4, True),
    ],
)
def test_two_mtus(lines: str, ip_mtu: int, stated: int, confirmed: bool) -> None:
    port = read(f"{NAMED}interface 100GE1/0/1\n{lines}").interfaces["100GE1/0/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed is confirmed


def test_a_member_has_what_its_channel_states() -> None:
    device = read(
        f"{NAMED}interface Eth-Trunk10\n port link-type trunk\n port trunk pvid vlan 10\n"
        " port trunk allow-pass vlan 10 20 to 22\n trust dscp\n"
        "interface 100GE1/0/1\n eth-trunk 10\n"
    )
    port, channel = device.interfaces["100GE1/0/1"], device.interfaces["Eth-Trunk10"]
    assert (port.lag, channel.members) == ("Eth-Trunk10", ("100GE1/0/1",))
    assert (port.untagged_vlan, port.tagged_vlans) == (10, frozenset({20, 21, 22}))
    assert (port.qos.trust, line(port.qos, "trust"), port.routed) == (Trust.DSCP, 6, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("interface 100GE1/0/1\n mtu x\n", "mtu 'x' is not a number from 46 to 65535"),
        ("interface 100GE1/0/1\n jumboframe enable 9\n", "jumboframe '9' is not a number from 1518 to 65535"),
        ("dcb pfc\n priority 9\n", "'9' is not a list of priorities"),
        ("diffserv domain D\n ip-dscp-inbound 64 phb af3\n", "'64' is not a list of DSCPs"),
        ("diffserv domain D\n ip-dscp-inbound 26 phb af9\n", "'af9' is not a per-hop behaviour"),
        ("drop-profile W\n ecn low-limit x\n", "ecn 'low-limit x' is not understood"),
        ("interface 100GE1/0/1\n qos queue 9 ecn\n", "queue '9' is not a number from 0 to 7"),
        ("dcb pfc deadlock-detect timer 5\n", "timer '5' is not a number from 10 to 1500"),
        ("dcb pfc\n priority 3 deadlock-detect time x\n", "'deadlock-detect time x' is no time of deadlock detection"),
        ("dcb pfc deadlock recovery-behavior wait slot 1\n", "'wait' is not discard or forwarding"),
        ("interface 100GE1/0/1\n eth-trunk x\n", "eth-trunk 'x' is not a number from 0 to 65535"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, said: str) -> None:
    assert [message for _, message in notes(read(text))] == [said]


def test_a_code_point_with_a_wrong_class_is_unknown() -> None:
    device = read(f"{NAMED}diffserv domain D\n ip-dscp-inbound 26 phb af9\n")
    assert device.qos.classifiers["D"].dscp_to_tc.get(26) is None


def test_cut_off_anywhere_it_is_read() -> None:
    for end in range(len(LEAF)):
        assert read(LEAF[:end]).nos == "vrp"


def test_a_right_pair_of_leaves_is_silent(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {})
    assert [traffic.name for traffic in report.classes] == ["RoCE DSCP 26", "CNP DSCP 48"]
    assert [finding.message for finding in report.findings] == []
    # How much headroom a model has is not in the file.
    assert {group.rule for group in report.unknowns} == {"BUF001"}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (" dcb pfc enable mode manual\n", "", [("error", "PFC001", 20), ("error", "PFC001", 31)]),
        ("26 phb af3", "26 phb af2", [("error", "MAP001", 14)]),
        ("48 phb cs6", "48 phb af3", [("error", "CLS002", 15)]),
        (" priority 3\n", " undo priority 3\n priority 4\n", [("error", "PFC001", 8)]),
        ("trust dscp", "trust 8021p", [("error", "MAP002", 25), ("error", "MAP002", 37)]),
        ("upstream rdma", "upstream rmda", [("error", "MAP003", 26), ("error", "MAP003", 38)]),
        ("wred rdma-ecn", "wred rdma-ecm", [("error", "MAP003", 29), ("error", "MAP003", 41)]),
        (" mtu 9100\n", " mtu 1500\n", [("error", "MTU001", 23), ("error", "MTU001", 35)]),
        ("dcb pfc\n", "dcb pfc global disable\n#\ndcb pfc\n", [("error", "PFC004", 6)]),
        ("low-limit 100000", "low-limit 700000", [("error", "ECN003", 18)]),
        ("mode manual", "mode auto", [("warning", "PFC007", 28), ("warning", "PFC007", 40)]),
        (" qos queue 3 ecn\n", "", [("warning", "CLS020", 29)]),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(tmp_path: Path, old: str, new: str, found: list) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {old: new})
    said = [(sev, rule, at) for sev, rule, file, at in causes(report) if file == "leaf1.cfg"]
    assert said == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" trust dscp\n", ""),  # a routed port trusts DSCP by default
        (" trust upstream rdma\n", ""),  # the default domain maps alike
        (" mode manual\n", "\n"),  # manual is what it is without the word
        (" priority 3\n", ""),  # the profile has priority 3 of itself
    ],
)
def test_what_the_default_does_alike_is_no_fault(tmp_path: Path, old: str, new: str) -> None:
    assert causes(judged(tmp_path, LEAF, *PORTS, {old: new})) == []


def test_what_nobody_confirmed_is_at_most_a_warning(tmp_path: Path) -> None:
    changes = {" undo portswitch\n": " port link-type access\n", " trust dscp\n": ""}
    found = causes(judged(tmp_path, LEAF, *PORTS, changes))
    assert {(severity, rule) for severity, rule, _, _ in found} == {("warning", "MAP002")}
