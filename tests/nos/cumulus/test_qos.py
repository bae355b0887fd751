"""Profiles of ports and of the switch: mapping, PFC, congestion control, schedulers, watchdog."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import PfcMode, SchedulerKind, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import PRIORITIES, Threshold
from roce_lint.nos.cumulus import defaults
from roce_lint.text.source import Confidence, LineState
from tests.nos.cumulus.reading import commands, pfc, qos, queue, tc, watchdog
from tests.nos.reader import default_sentence, line, notes, states


def structures(device: Device) -> list[tuple[str, str, int, int]]:
    """Kind, name, line of the definition (0: none) and number of references."""
    return [(s.kind, s.name, line(s), len(s.references)) for s in device.structures]


@pytest.mark.parametrize(
    ("word", "trust"),
    [("l2", Trust.PCP), ("l3", Trust.DSCP), ("both", Trust.BOTH), ("port", Trust.NONE)],
)
def test_trust(word: str, trust: Trust) -> None:
    device = commands(f"nv set qos mapping default-global trust {word}")
    assert (qos(device).trust, line(qos(device), "trust")) == (trust, 2)
    assert (line(qos(device), "classifier"), tc(device, 26)) == (2, 3)
    assert device.qos.classifiers["default-global"].builtin is False


def test_a_wrong_trust_is_not_known() -> None:
    device = commands("nv set qos mapping default-global trust dscp")
    assert qos(device).trust is None
    assert notes(device) == [(2, "'dscp' is not one of l2, l3, both, port")]


def test_entries_change_the_default_map() -> None:
    device = commands(
        """
        nv set qos mapping default-global trust l3
        nv set qos mapping default-global dscp 0-2,26 switch-priority 4
        nv set qos mapping default-global dscp 40 switch-priority 9
        nv set qos mapping default-global dscp 64 switch-priority 1
        nv set qos mapping default-global pcp 5 switch-priority 3
        nv set qos mapping default-global port-default-sp 3
        """
    )
    assert [tc(device, dscp) for dscp in (0, 2, 3, 26, 27)] == [4, 4, 0, 4, 3]
    assert tc(device, 40) is None
    pcps = device.qos.classifiers["default-global"].pcp_to_tc
    assert (pcps.get(5), line(pcps, 5), pcps.get(4)) == (3, 6, 4)
    assert (qos(device).default_tc, qos(device).default_pcp) == (3, 3)
    assert notes(device) == [
        (5, "dscp '64', takes 0 to 63"),
        (4, "switch-priority '9', takes 0 to 7"),
    ]


def test_a_port_profile_is_independent() -> None:
    device = commands(
        """
        nv set qos roce
        nv set qos mapping EDGE dscp 10 switch-priority 3
        nv set interface swp1 qos mapping profile EDGE
        nv set interface swp2 ip address 10.0.0.2/31
        """
    )
    assert (qos(device).classifier, line(qos(device), "classifier")) == ("EDGE", 4)
    assert qos(device).trust is Trust.PCP
    where = qos(device).where("trust")
    assert where.citation is not None
    assert where.citation.confidence is Confidence.UNCONFIRMED
    assert (tc(device, 10), tc(device, 26)) == (3, 3)
    assert qos(device, "swp2").trust is Trust.BOTH
    assert structures(device) == [("qos policy", "EDGE", 3, 1)]


def test_undefined_and_unused_profiles() -> None:
    device = commands(
        """
        nv set interface swp1 qos pfc profile NOWHERE
        nv set qos pfc UNUSED switch-priority 4
        nv set qos pfc UNUSED tx enable
        nv set qos congestion-control UNUSED traffic-class 3 ecn enable
        nv set qos egress-scheduler UNUSED traffic-class 3 bw-percent 40
        nv set qos egress-shaper UNUSED port-max-rate 100
        nv set qos remark UNUSED rewrite l3
        nv set qos link-pause UNUSED rx enable
        nv set qos mapping UNUSED trust l3
        """
    )
    assert structures(device) == [
        ("dscp rewrite map", "UNUSED", 8, 0),
        ("link pause profile", "UNUSED", 9, 0),
        ("no-drop policy", "NOWHERE", 0, 1),
        ("no-drop policy", "UNUSED", 3, 0),
        ("qos policy", "UNUSED", 10, 0),
        ("queuing policy", "UNUSED", 5, 0),
        ("scheduler", "UNUSED", 6, 0),
        ("shaper", "UNUSED", 7, 0),
    ]
    assert qos(device).pfc is None
    assert states(device, LineState.UNRECOGNISED) == []


def test_pfc_profiles() -> None:
    device = commands(
        """
        nv set interface swp1 qos pfc profile P
        nv set qos pfc P switch-priority 3,5
        nv set qos pfc P cable-length 40
        nv set qos pfc P port-buffer 25000
        nv set interface swp2 ip address 10.0.0.2/31
        nv set interface swp2 qos pfc profile MUTE
        nv set qos pfc MUTE switch-priority 3
        nv set qos pfc MUTE tx disable
        nv set interface swp3 ip address 10.0.0.4/31
        nv set interface swp3 qos pfc profile DEAF
        nv set qos pfc DEAF switch-priority 3
        nv set qos pfc DEAF rx disable
        nv set interface swp4 ip address 10.0.0.6/31
        """
    )
    both, mute, deaf, none = (pfc(device, f"swp{n}") for n in (1, 2, 3, 4))
    assert (both.mode, both.generate, both.honour) == (PfcMode.ON, {3, 5}, set(PRIORITIES))
    assert (line(both, "mode"), line(both, "generate"), line(both, 5)) == (2, 3, 3)
    assert (both.cable_m, line(both, "cable_m")) == (40, 4)
    assert (mute.mode, mute.generate, line(mute, "generate"), mute.named) == (None, set(), 9, {3})
    assert mute.honour == set(PRIORITIES)
    assert (deaf.generate, deaf.honour, line(deaf, "honour")) == ({3}, set(), 13)
    assert deaf.cable_m == 10
    assert default_sentence(deaf, "cable_m") == defaults.CABLE.says
    assert (none.mode, none.generate) == (PfcMode.OFF, set())
    assert states(device, LineState.UNRECOGNISED) == []


def test_two_lines_name_priorities() -> None:
    device = commands(
        """
        nv set qos pfc default-global switch-priority 3
        nv set qos pfc default-global switch-priority 5
        """
    )
    assert pfc(device).generate == {3, 5}
    assert (line(pfc(device), 3), line(pfc(device), 5)) == (2, 3)


def test_ports_share_common_settings() -> None:
    device = commands("nv set qos roce\nnv set interface swp2-8 ip address 10.0.0.2/31\n")
    assert len({id(pfc(device, f"swp{n}")) for n in range(1, 9)}) == 1


def test_link_pause() -> None:
    device = commands(
        """
        nv set interface swp1 qos link-pause profile STOP
        nv set qos link-pause STOP rx disable
        """
    )
    assert (pfc(device).link_pause_rx, pfc(device).link_pause_tx) == (False, True)
    assert line(pfc(device), "link_pause_rx") == 3


def test_the_pfc_tlv() -> None:
    device = commands("nv set interface swp1 lldp dcbx-pfc-tlv on")
    assert (pfc(device).advertises, line(pfc(device), "advertises")) == (True, 2)


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("pfc-watchdog", True),
        ("pfc-watchdog state enable", True),
        ("pfc-watchdog state enabled", True),
        ("pfc-watchdog state disable", False),
        ("pfc-watchdog state disabled", False),
    ],
)
def test_watchdog_of_a_port(text: str, on: bool) -> None:
    device = commands(f"nv set interface swp1 qos {text}\nnv set qos roce\n")
    assert (watchdog(device).enabled, line(watchdog(device), "enabled")) == (on, 2)


def test_times_of_the_watchdog() -> None:
    device = commands(
        """
        nv set interface swp1 qos pfc-watchdog
        nv set qos pfc-watchdog polling-interval 200
        nv set qos pfc-watchdog robustness 5
        """
    )
    found = watchdog(device)
    assert (found.polling_ms, found.detection_ms, found.restoration_ms) == (200, 1000, 200)
    assert (line(found, "polling_ms"), line(found, "detection_ms")) == (3, 4)
    assert found.action is WatchdogAction.DROP


def test_times_of_the_watchdog_by_default() -> None:
    found = watchdog(commands("nv set interface swp1 qos pfc-watchdog"))
    assert (found.polling_ms, found.detection_ms, found.restoration_ms) == (100, 300, 100)
    assert default_sentence(found, "detection_ms") == defaults.ROBUSTNESS.says


def test_no_watchdog() -> None:
    device = commands("nv set qos roce")
    assert watchdog(device).enabled is False
    assert default_sentence(watchdog(device), "enabled") == defaults.NOT_WATCHED.says


def test_robustness_out_of_range() -> None:
    device = commands("nv set qos pfc-watchdog robustness 2000")
    assert notes(device) == [(2, "robustness '2000', takes 1 to 1000")]


def test_congestion_control_of_a_port() -> None:
    device = commands(
        """
        nv set qos roce
        nv set interface swp1 qos congestion-control profile CC
        nv set qos congestion-control CC traffic-class 3,5 min-threshold 40000
        nv set qos congestion-control CC traffic-class 3,5 max-threshold 200000
        nv set qos congestion-control CC traffic-class 3 red enable
        nv set qos congestion-control CC traffic-class 5 ecn disable
        nv set qos congestion-control CC traffic-class 5 probability 101
        """
    )
    three, five = queue(device, 3).marking, queue(device, 5).marking
    assert three is not None
    assert five is not None
    assert (three.ecn, three.wred_drop, three.allow_non_ect) == (True, True, False)
    assert (three.kmin, three.kmax, line(three, "kmin")) == (
        Threshold(40_000),
        Threshold(200_000),
        4,
    )
    assert (five.ecn, line(five, "ecn"), five.pmax_percent) == (False, 7, None)
    assert queue(device, 0).marking is None
    assert default_sentence(queue(device, 0), "marking") == defaults.NO_CONGESTION_CONTROL.says
    assert line(qos(device), "egress") == 3
    assert notes(device) == [(8, "probability '101', takes 0 to 100 percent")]


def test_congestion_control_of_the_switch_is_independent_without_roce() -> None:
    device = commands("nv set qos congestion-control default-global traffic-class 3 ecn enable")
    assert [n for n in PRIORITIES if queue(device, n).marking is not None] == [3]


def test_schedulers() -> None:
    device = commands(
        """
        nv set interface swp1 qos egress-scheduler profile S
        nv set qos egress-scheduler S traffic-class 0,3 mode dwrr
        nv set qos egress-scheduler S traffic-class 0,3 bw-percent 40
        nv set qos egress-scheduler S traffic-class 6 mode strict
        """
    )
    three, six, one = (queue(device, n).scheduler for n in (3, 6, 1))
    assert three is not None
    assert six is not None
    assert one is not None
    assert (three.kind, three.share, three.share_of) == (
        SchedulerKind.WEIGHTED,
        40,
        ShareKind.REMAINING,
    )
    assert line(three, "share") == 4
    assert (six.kind, six.share, line(six, "kind")) == (SchedulerKind.STRICT, None, 5)
    assert (one.share, default_sentence(one, "share")) == (
        0,
        defaults.NO_SHARE.says,
    )


def test_shapers() -> None:
    device = commands(
        """
        nv set interface swp1 qos egress-shaper profile S
        nv set qos egress-shaper S traffic-class 3 min-rate 10
        nv set qos egress-shaper S traffic-class 3 max-rate 1000000
        nv set qos egress-shaper S port-max-rate 2000000
        """
    )
    scheduler = queue(device, 3).scheduler
    assert scheduler is not None
    assert (scheduler.shape_bps, line(scheduler, "shape_bps")) == (1_000_000_000, 4)
    policy = device.qos.egress[qos(device).egress or ""]
    assert (policy.shape_bps, line(policy, "shape_bps")) == (2_000_000_000, 5)


@pytest.mark.parametrize("extra", ["mode pps", "port-max-rate 2147483647"])
def test_a_shaper_that_limits_nothing_known(extra: str) -> None:
    device = commands(
        f"nv set interface swp1 qos egress-shaper profile S\nnv set qos egress-shaper S {extra}\n"
    )
    assert device.qos.egress[qos(device).egress or ""].shape_bps is None


def test_rewriting_on_all_ports() -> None:
    device = commands(
        """
        nv set qos remark default-global rewrite l3
        nv set qos remark default-global switch-priority 3 dscp 26
        """
    )
    rewrite = device.qos.rewrites[qos(device).rewrite or ""]
    assert (rewrite.active, line(rewrite, "active")) == (True, 2)
    assert (rewrite.tc_to_dscp.get(3), line(rewrite.tc_to_dscp, 3)) == (26, 3)
    assert (rewrite.tc_to_dscp.get(6), line(rewrite.tc_to_dscp, 6)) == (48, 0)


def test_rewriting_on_some_ports_is_not_certain() -> None:
    device = commands(
        """
        nv set interface swp1 qos remark profile IN
        nv set interface swp2 ip address 10.0.0.2/31
        nv set interface swp2 qos remark profile OUT
        nv set qos remark IN rewrite l3
        nv set qos remark OUT switch-priority 0-1 dscp 37
        """
    )
    rewrite = device.qos.rewrites[qos(device, "swp2").rewrite or ""]
    assert rewrite.active is None
    assert rewrite.tc_to_dscp.entries == {0: 37, 1: 37}


def test_802_1p_rewriting_changes_no_dscp() -> None:
    device = commands(
        """
        nv set qos remark default-global rewrite l2
        nv set qos remark default-global switch-priority 3 pcp 5
        """
    )
    assert device.qos.rewrites["default-global"].active is False
    assert states(device, LineState.UNRECOGNISED) == []


def test_pools() -> None:
    device = commands(
        """
        nv set qos roce
        nv set qos traffic-pool default-lossy memory-percent 70
        nv set qos traffic-pool roce-lossless memory-percent 40
        """
    )
    assert [(name, pool.share_percent) for name, pool in device.pools.items()] == [
        ("default-lossy", 70),
        ("roce-lossless", 40),
    ]
    message = "memory-percent of all pools '110', takes 0 to 100 percent"
    assert notes(device) == [(4, message)]


def test_pools_of_all_the_memory() -> None:
    device = commands(
        """
        nv set qos traffic-pool default-lossy memory-percent 10
        nv set qos traffic-pool roce-lossless memory-percent 90
        """
    )
    assert notes(device) == []
