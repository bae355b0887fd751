"""Trust, DiffServ domains and ECN marking of CloudEngine."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import MarkingMode, Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from tests.nos.reader import line
from tests.nos.vrp.reading import NAMED, qos_of, read


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
    ("lines", "marks", "stated"), [(WRED + ECN, True, 6), (ECN, False, 0), (WRED, False, 0)]
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


def test_a_code_point_with_a_wrong_class_is_unknown() -> None:
    device = read(f"{NAMED}diffserv domain D\n ip-dscp-inbound 26 phb af9\n")
    assert device.qos.classifiers["D"].dscp_to_tc.get(26) is None
