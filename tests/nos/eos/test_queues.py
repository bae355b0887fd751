"""Egress queues: scheduling, ECN marking, shapers, buffers."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import (
    EgressPolicy,
    MarkingMode,
    Queue,
    QueueKind,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.sourced import Concern
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.eos.lines import Rate, parse_rate
from roce_lint.text.source import LineState
from tests.nos.eos.reading import qos, whole
from tests.nos.reader import line, notes, states

CELLS, MICROSECONDS = ThresholdUnit.CELLS, ThresholdUnit.MICROSECONDS


def egress(device: Device, port: str = "Ethernet1") -> EgressPolicy:
    return device.qos.egress[qos(device, port).egress or ""]


def queue(device: Device, number: int = 3, port: str = "Ethernet1") -> Queue:
    found = egress(device, port).queue(number)
    assert found is not None
    return found


def profile(body: str, port: str = "") -> Device:
    """Ethernet1 with a profile of these lines; line 3 is the first, deeper ones have their own."""
    return whole(f"qos profile P\n{body}interface Ethernet1\n   service-profile P\n{port}")


def test_eight_strict_queues_without_ecn_marking_by_default() -> None:
    device = whole("interface Ethernet1\n")
    found = egress(device)
    assert (qos(device).egress, found.complete) == ("default", True)
    assert sorted(number for _, number in found.queues) == list(range(8))
    for number in range(8):
        scheduler, marking = queue(device, number).scheduler, queue(device, number).marking
        assert scheduler is not None
        assert marking is not None
        assert (scheduler.kind, scheduler.strict_level) == (SchedulerKind.STRICT, 8 - number)
        assert (marking.ecn, marking.wred_drop, marking.where("ecn").confirmed) == (
            False,
            False,
            True,
        )


def test_a_profile_makes_one_policy_for_all_its_ports() -> None:
    device = profile("   uc-tx-queue 3\n      no priority\n      bandwidth percent 95\n")
    device_two = profile(
        "   tx-queue 3\n      no priority\n", "interface Ethernet2\n   service-profile P\n"
    )
    assert (qos(device).egress, line(qos(device), "egress")) == ("P", 7)
    scheduler = queue(device).scheduler
    assert scheduler is not None
    assert (scheduler.kind, line(scheduler, "kind")) == (SchedulerKind.WEIGHTED, 4)
    assert (scheduler.share, scheduler.share_of, line(scheduler, "share")) == (
        95.0,
        ShareKind.WEIGHT,
        5,
    )
    assert scheduler.strict_level is None
    assert qos(device_two, "Ethernet1").egress == qos(device_two, "Ethernet2").egress == "P"


def test_a_queue_the_profile_leaves_out_is_shown_at_the_profile() -> None:
    device = profile("   tx-queue 3\n      no priority\n")
    assert line(queue(device, 5)) == 2


@pytest.mark.parametrize(
    ("text", "kmin", "kmax", "pmax"),
    [
        ("256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0",
         Threshold(256000), Threshold(512000), 100.0),
        ("2000 segments maximum-threshold 10000 segments max-mark-probability 20",
         Threshold(2000, CELLS), Threshold(10000, CELLS), 20.0),
        ("320 kbytes maximum-threshold 2 mbytes weight 10", Threshold(320000), Threshold(2000000), None),
        ("3 milliseconds maximum-threshold 9 milliseconds", Threshold(3000, MICROSECONDS),
         Threshold(9000, MICROSECONDS), None),
        ("1 bytes maximum-threshold 2 bytes", Threshold(1), Threshold(2), None),
    ],
)  # fmt: skip
def test_marking(text: str, kmin: Threshold, kmax: Threshold, pmax: float | None) -> None:
    device = profile(f"   tx-queue 3\n      random-detect ecn minimum-threshold {text}\n")
    marking = queue(device).marking
    assert marking is not None
    assert (marking.ecn, line(marking, "ecn"), marking.mode) == (True, 4, MarkingMode.STATIC)
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (kmin, kmax, pmax)
    assert marking.wred_drop is False


@pytest.mark.parametrize(
    "text",
    [
        "256 pounds maximum-threshold 512 pounds",
        "256 kbytes",
        "99999999999 kbytes maximum-threshold 1 kbytes",
        "256 kbytes maximum-threshold 512 kbytes max-mark-probability 5000",
    ],
)
def test_thresholds_that_are_none_are_noted(text: str) -> None:
    device = profile(f"   tx-queue 3\n      random-detect ecn minimum-threshold {text}\n")
    assert notes(device) == [(4, f"{text!r} is not a pair of thresholds")]
    marking = queue(device).marking
    assert marking is not None
    assert marking.ecn is False


def test_wred_drops() -> None:
    device = profile(
        "   tx-queue 3\n      random-detect drop minimum-threshold 1 kbytes "
        "maximum-threshold 10 kbytes drop-probability 90 weight 15\n"
    )
    marking = queue(device).marking
    assert marking is not None
    assert (marking.ecn, marking.wred_drop, line(marking, "wred_drop")) == (False, True, 4)
    assert (marking.kmin, marking.pmax_percent) == (Threshold(1000), 90.0)


def test_wred_of_other_drop_precedences_is_not_ours() -> None:
    device = profile(
        "   tx-queue 3\n      random-detect drop drop-precedence 2 minimum-threshold 2 kbytes "
        "maximum-threshold 200 kbytes drop-probability 50\n"
    )
    marking = queue(device).marking
    assert marking is not None
    assert (marking.wred_drop, marking.kmin, notes(device)) == (False, None, [])
    assert states(device, LineState.UNRECOGNISED) == []


def test_marking_by_the_whole_buffer() -> None:
    device = whole(
        "qos random-detect ecn global-buffer minimum-threshold 1 kbytes maximum-threshold 2 kbytes\n"
        "interface Ethernet1\n"
    )
    marking = queue(device).marking
    assert marking is not None
    assert (marking.ecn, marking.mode, line(marking, "ecn")) == (True, MarkingMode.PLATFORM, 2)


def test_blocks_of_one_queue_add_up_under_either_name() -> None:
    device = profile(
        "   tx-queue 3\n      no priority\n      bandwidth percent 10\n"
        "   uc-tx-queue 3\n      bandwidth percent 20\n"
        "   mc-tx-queue 3\n      bandwidth percent 30\n"
    )
    scheduler = queue(device).scheduler
    multicast = egress(device).queues[QueueKind.MULTICAST, 3].scheduler
    assert scheduler is not None
    assert multicast is not None
    assert (scheduler.kind, scheduler.share, line(scheduler, "share")) == (
        SchedulerKind.WEIGHTED, 20.0, 7,
    )  # fmt: skip
    assert (multicast.kind, multicast.share) == (SchedulerKind.STRICT, 30.0)
    assert states(device, LineState.SHADOWED) == [5]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("40 percent", Rate(percent=40.0)),
        ("percent 10", Rate(percent=10.0)),
        ("200000 kbps", Rate(bps=200_000_000)),
        ("200000", Rate(bps=200_000_000)),
        ("10 gbps", Rate(bps=10_000_000_000)),
        ("5000 pps", Rate()),
        ("fast", None),
        ("9" * 30, None),
    ],
)
def test_rates(text: str, rate: Rate | None) -> None:
    assert parse_rate(text) == rate


def test_shapers_of_port_and_queue() -> None:
    device = profile(
        "   shape rate 80 percent\n   tx-queue 3\n      shape rate 40000\n"
        "      bandwidth guaranteed percent 10\n"
    )
    policy, scheduler = egress(device), queue(device).scheduler
    assert scheduler is not None
    assert (policy.shape_percent, policy.shape_bps, line(policy, "shape_percent")) == (
        80.0,
        None,
        3,
    )
    assert (scheduler.shape_bps, line(scheduler, "shape_bps")) == (40_000_000, 5)
    assert (scheduler.guaranteed_percent, line(scheduler, "guaranteed_percent")) == (10.0, 6)


def test_own_lines_of_a_port_make_a_policy_of_its_own() -> None:
    device = profile(
        "   tx-queue 3\n      no priority\n",
        "   tx-queue 4\n      no priority\ninterface Ethernet2\n   service-profile P\n",
    )
    assert (qos(device).egress, qos(device, "Ethernet2").egress) == ("Ethernet1", "P")
    third, fourth = queue(device, 3).scheduler, queue(device, 4).scheduler
    assert third is not None
    assert fourth is not None
    assert (line(third, "kind"), line(fourth, "kind")) == (4, 8)


def test_counting_marks_is_not_a_queue_setting() -> None:
    device = profile(
        "   tx-queue 3\n      random-detect ecn count\n",
        "   tx-queue 3\n      random-detect ecn count\n",
    )
    assert states(device, LineState.IGNORED) == [4, 8, 9]


def test_two_lines_for_one_queue_are_a_conflict() -> None:
    device = profile(
        "   tx-queue 3\n      no priority\n      bandwidth percent 60\n",
        "   tx-queue 3\n      bandwidth percent 40\n",
    )
    scheduler = queue(device).scheduler
    assert scheduler is not None
    assert (scheduler.kind, scheduler.share, scheduler.share_of) == (
        SchedulerKind.WEIGHTED,
        None,
        None,
    )
    ((number, message),) = notes(device, NoteKind.CONFLICT)
    assert number == 9
    assert message.startswith("bandwidth of queue 3: another line applies here too")
    (note,) = (each for each in device.notes if each.kind is NoteKind.CONFLICT)
    assert line(note, Concern.BESIDE) == 5


def test_queues_that_do_not_exist_are_noted() -> None:
    device = profile("   tx-queue 8\n      no priority\n")
    assert notes(device) == [(3, "queue '8', takes 0 to 7")]


def test_buffers_act_once_applied() -> None:
    text = (
        "interface Ethernet1\nplatform trident mmu queue profile B\n"
        "   egress unicast queue 3 threshold 1/8\n   egress unicast queue 3 reserved bytes 1664\n"
        "   egress multicast queue 1 reserved cells 0\n   egress unicast queue 9 threshold 1\n"
        "   egress unicast queue 3 colour blue\n"
    )
    idle, device = whole(text), whole(text + "platform trident mmu queue profile B apply\n")
    assert queue(idle).buffer is None
    buffer = queue(device).buffer
    assert buffer is not None
    assert (buffer.name, buffer.alpha, line(buffer, "alpha")) == ("B", 0.125, 4)
    assert (buffer.reserved_bytes, line(buffer, "reserved_bytes")) == (1664, 5)
    assert notes(device) == [
        (7, "queue 9 is outside 0-7"),
        (8, "'colour blue' is not a setting of a queue"),
    ]


def test_the_headroom_pool_keeps_its_unit() -> None:
    cells = whole("platform trident mmu headroom-pool limit cells 9600\n").pools["headroom"]
    size = whole("platform trident mmu headroom-pool limit bytes 5000000\n").pools["headroom"]
    assert (cells.headroom_cells, cells.headroom_bytes, line(cells)) == (9600, None, 2)
    assert (size.headroom_cells, size.headroom_bytes) == (None, 5_000_000)
