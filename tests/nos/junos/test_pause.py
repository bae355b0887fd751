"""Congestion notification profiles, watchdog, headroom and buffers."""

from __future__ import annotations

import pytest

from roce_lint.model.buffer import Direction, PoolUse
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import HeadroomModel, PfcMode, WatchdogAction
from roce_lint.nos.junos import defaults
from tests.nos.junos.reading import cos, pfc, qos, read
from tests.nos.reader import default_sentence, line, notes

CLASSES = (
    "forwarding-classes class X queue-num 4 no-loss pfc-priority 3",
    "classifiers dscp C forwarding-class X loss-priority low code-points [ 011010 011000 ]",
    "interfaces et-* unit * classifiers dscp C",
    "interfaces et-* congestion-notification-profile P",
)
"""Lines 3 to 6; the statements of a test begin in line 7."""


def made(*lines: str) -> Device:
    return cos(*CLASSES, *(f"congestion-notification-profile P {each}" for each in lines))


def classes_of(device: Device) -> dict[int, int]:
    return device.qos.classifiers[qos(device).classifier or ""].dscp_to_tc.entries


def test_a_port_sends_pfc_for_listed_code_points() -> None:
    found = made("input dscp code-point 011010 pfc", "input dscp code-point 011000 pfc")
    assert (pfc(found).mode, line(pfc(found), "mode")) == (PfcMode.ON, 6)
    assert (pfc(found).generate, line(pfc(found), "generate")) == (frozenset({3}), 7)
    assert classes_of(found) == {24: 4, 26: 4}


def test_what_the_input_does_not_list_is_not_paused() -> None:
    found = made("input dscp code-point 011010 pfc")
    assert classes_of(found) == {24: 104, 26: 4}
    maps = found.qos.forwardings[qos(found).forwarding or ""]
    assert (maps.tc_to_queue.get(104), maps.tc_to_pfc_priority.get(104)) == (4, None)
    table = found.qos.classifiers[qos(found).classifier or ""].dscp_to_tc
    assert (line(table, 24), line(table, 26)) == (7, 4)


def test_a_listed_code_point_of_a_lossy_class_is_reported() -> None:
    found = made("input dscp code-point 001010 pfc", "input dscp code-point 011010 pfc")
    message = "profile P pauses DSCP 10, and classifier C puts it into no class"
    assert notes(found, NoteKind.CONFLICT) == [(7, message)]


def test_the_one_entry_for_another_code_point_is_where_pause_is_missing() -> None:
    found = made("input dscp code-point 011000 pfc", "input dscp code-point 011110 pfc")
    table = found.qos.classifiers[qos(found).classifier or ""].dscp_to_tc
    assert classes_of(found) == {24: 4, 26: 104}
    assert line(table, 26) == 8


BY_TAG = "set class-of-service congestion-notification-profile P input ieee-802.1 code-point"


@pytest.mark.parametrize(
    ("family", "paused"),
    [
        ("ethernet-switching interface-mode trunk", {3, 4}),
        ("ethernet-switching interface-mode access", set()),
        ("inet address 10.0.0.0/31", set()),
    ],
)
def test_pause_by_802_1p_is_for_packets_with_a_tag(family: str, paused: set[int]) -> None:
    lines = [f"set class-of-service {each}" for each in CLASSES]
    lines += [f"{BY_TAG} 011 pfc", f"{BY_TAG} 100 pfc"]
    lines += [f"set interfaces et-0/0/0 unit 0 family {family}", "set version 23.4R2"]
    found = read("\n".join(lines) + "\n")
    assert (pfc(found).generate, pfc(found).named) == (paused, {3, 4})
    assert line(pfc(found), "generate") == 5


def test_both_inputs_in_one_profile_are_reported() -> None:
    found = made("input dscp code-point 011010 pfc", "input ieee-802.1 code-point 011 pfc")
    message = "profile P pauses by DSCP and by 802.1p: one of the two is refused"
    assert notes(found) == [(8, message)]


def test_received_pfc_stops_the_queues_of_the_output() -> None:
    found = made("output ieee-802.1 code-point 011 flow-control-queue [ 2 4 ]")
    maps = found.qos.forwardings[qos(found).forwarding or ""]
    assert (pfc(found).honour, line(pfc(found), "honour")) == (frozenset({3}), 7)
    assert (maps.pfc_priority_to_queue.entries, line(maps.pfc_priority_to_queue, 3)) == ({3: 4}, 7)
    assert pfc(found).generate == frozenset()


def test_without_output_received_pfc_stops_queues_3_and_4() -> None:
    found = made("input dscp code-point 011010 pfc")
    maps = found.qos.forwardings[qos(found).forwarding or ""]
    assert pfc(found).honour == frozenset({3, 4})
    assert maps.pfc_priority_to_queue.entries == {3: 3, 4: 4}
    assert default_sentence(pfc(found), "honour") == defaults.OBEYED.says


def test_a_port_without_profile_sends_no_pause() -> None:
    found = cos(CLASSES[0], CLASSES[1])
    assert (pfc(found).mode, pfc(found).generate, pfc(found).named) == (
        PfcMode.OFF,
        frozenset(),
        None,
    )
    named = cos(*CLASSES[:3])
    assert (pfc(named).named, line(pfc(named), 3)) == (frozenset({3}), 3)


def test_a_profile_that_is_elsewhere_leaves_pfc_unknown() -> None:
    found = read("set class-of-service interfaces et-0/0/0 congestion-notification-profile P\n")
    assert (qos(found).pfc, qos(found).forwarding, qos(found).watchdog) == (None, None, None)


@pytest.mark.parametrize("form", ["pfc mru 9216", "mru 9216"])
def test_mru_is_the_packet_that_headroom_is_made_for(form: str) -> None:
    lines = [f"input dscp code-point 011010 {form}"]
    if form == "mru 9216":
        lines.insert(0, "input dscp code-point 011010 pfc")
    found = made(*lines, "input cable-length 40")
    maps = found.qos.forwardings[qos(found).forwarding or ""]
    assert (maps.tc_mtu.get(4), maps.tc_mtu_limits) == (9216, False)
    assert line(maps.tc_mtu, 4) == 6 + len(lines)
    assert (pfc(found).cable_m, line(pfc(found), "cable_m")) == (40.0, 7 + len(lines))


def test_headroom_by_default() -> None:
    found = made("input dscp code-point 011010 pfc")
    maps = found.qos.forwardings[qos(found).forwarding or ""]
    assert (maps.tc_mtu.get(4), default_sentence(maps.tc_mtu, 4)) == (
        2500,
        defaults.MRU.says,
    )
    assert (pfc(found).cable_m, found.system.headroom) == (100.0, HeadroomModel.PLATFORM)


def test_a_watchdog_with_its_own_times() -> None:
    found = made(
        "pfc-watchdog detection 5",
        "pfc-watchdog poll-interval 200",
        "pfc-watchdog recovery 400",
        "pfc-watchdog watchdog-action drop",
        "output ieee-802.1 code-point 011 flow-control-queue 4",
    )
    watchdog = qos(found).watchdog
    assert watchdog is not None
    times = (watchdog.polling_ms, watchdog.detection_ms, watchdog.restoration_ms)
    assert times == (200.0, 1000.0, 400.0)
    assert [
        line(watchdog, f) for f in ("polling_ms", "detection_ms", "restoration_ms", "action")
    ] == [8, 7, 9, 10]
    assert (watchdog.enabled, watchdog.priorities, watchdog.action) == (
        True,
        frozenset({3}),
        WatchdogAction.DROP,
    )


def test_a_watchdog_without_output_guards_nothing() -> None:
    watchdog = qos(made("pfc-watchdog", "input dscp code-point 011010 pfc")).watchdog
    assert watchdog is not None
    assert (watchdog.enabled, watchdog.priorities, line(watchdog, "enabled")) == (
        True,
        frozenset(),
        7,
    )
    assert default_sentence(watchdog, "priorities") == defaults.WATCHES_NOTHING.says
    without = qos(made("input dscp code-point 011010 pfc")).watchdog
    assert without is not None
    assert (without.enabled, line(without)) == (False, 7)


def test_link_pause() -> None:
    port = (
        "set interfaces et-0/0/{} ether-options {}\nset interfaces et-0/0/{} unit 0 family inet6\n"
    )
    found = read(
        "set system host-name x\n"
        + "".join(
            port.format(n, word, n)
            for n, word in ((1, "flow-control"), (2, "no-flow-control"), (3, "fec none"))
        )
    )
    states = [pfc(found, f"et-0/0/{n}").link_pause_rx for n in (1, 2, 3)]
    assert (states, line(pfc(found, "et-0/0/1"), "link_pause_tx")) == ([True, False, None], 2)


def test_values_out_of_range_are_reported() -> None:
    found = made(
        "input dscp code-point 011010 pfc mru 99999999",
        "input cable-length far",
        "output ieee-802.1 code-point 011 flow-control-queue 12",
        "output ieee-802.1 code-point 1111 flow-control-queue 4",
        "pfc-watchdog detection 0x1",
    )
    assert notes(found) == [
        (7, "mru '99999999' is not 0 to 65535"),
        (8, "cable-length 'far' is not a length in metres"),
        (9, "flow-control-queue '12', takes 0 to 7"),
        (10, "'1111' is not an 802.1p code point"),
        (11, "detection '0x1' is not 0 to 1000"),
    ]


def test_partitions_of_the_buffer() -> None:
    found = cos(
        "shared-buffer ingress buffer-partition lossless percent 66",
        "shared-buffer ingress buffer-partition lossless dynamic-threshold 10",
        "shared-buffer ingress buffer-partition lossless-headroom percent 24",
        "shared-buffer egress buffer-partition lossy percent 10",
        "shared-buffer egress buffer-partition other percent 101",
        "dedicated-buffer ingress percent 15",
    )
    pools = [
        (p.name, p.direction, p.use, p.share_percent, line(p, "share_percent"))
        for p in found.pools.values()
    ]
    assert pools == [
        ("ingress lossless", Direction.INGRESS, PoolUse.LOSSLESS, 66.0, 3),
        ("ingress lossless-headroom", Direction.INGRESS, PoolUse.HEADROOM, 24.0, 5),
        ("egress lossy", Direction.EGRESS, PoolUse.LOSSY, 10.0, 6),
    ]
    assert notes(found) == [(7, "buffer-partition 'other' is not known")]
