"""Scheduling, ECN marking, and the queuing policy of a port."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import MarkingMode, PortQos, Queue, SchedulerKind, ShareKind
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.nxos import defaults
from tests.nos.nxos.reading import read
from tests.nos.reader import default_sentence, line, notes

POLICY = """
hostname leaf1
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    {lines}
system qos
  service-policy type queuing output OUT
interface Ethernet1/1
"""


def policy(*lines: str) -> Device:
    return read(POLICY.format(lines="\n    ".join(lines)))


def queue(*lines: str) -> Queue:
    found = policy(*lines).qos.egress["OUT"].queue(3)
    assert found is not None
    return found


def port(device: Device, name: str = "Ethernet1/1") -> PortQos:
    found = device.interfaces[name].qos
    assert found is not None
    return found


def test_wred_with_ecn() -> None:
    marking = queue(
        "random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes"
        " drop-probability 7 weight 0 ecn"
    ).marking
    assert marking is not None
    assert (marking.ecn, marking.wred_drop, marking.mode) == (True, False, MarkingMode.STATIC)
    assert marking.kmin == Threshold(150_000)
    assert marking.kmax == Threshold(3_000_000)
    assert marking.pmax_percent == 7.0
    assert {line(marking, name) for name in ("ecn", "kmin", "kmax", "pmax_percent")} == {4}


def test_wred_without_ecn_drops() -> None:
    marking = queue(
        "random-detect minimum-threshold 5 packets maximum-threshold 50 packets"
    ).marking
    assert marking is not None
    assert (marking.ecn, marking.wred_drop) == (False, True)
    assert marking.kmin == Threshold(5, ThresholdUnit.PACKETS)
    assert marking.pmax_percent is None


@pytest.mark.parametrize(
    ("words", "threshold"),
    [
        ("5000 bytes", Threshold(5000)),
        ("2 mbytes", Threshold(2_000_000)),
        ("20 percent", Threshold(20, ThresholdUnit.PERCENT)),
        ("3 ms", Threshold(3000, ThresholdUnit.MICROSECONDS)),
        ("30 us", Threshold(30, ThresholdUnit.MICROSECONDS)),
    ],
)
def test_units_of_thresholds(words: str, threshold: Threshold) -> None:
    marking = queue(f"random-detect minimum-threshold {words} maximum-threshold {words}").marking
    assert marking is not None
    assert (marking.kmin, marking.kmax) == (threshold, threshold)


def test_ecn_on_a_line_of_its_own() -> None:
    marking = queue(
        "random-detect minimum-threshold 1 kbytes maximum-threshold 2 kbytes", "ecn"
    ).marking
    assert marking is not None
    assert (marking.ecn, line(marking, "ecn"), marking.wred_drop) == (True, 5, False)


def test_a_wrapped_statement_is_one() -> None:
    device = policy(
        "random-detect minimum-threshold 950 kbytes",
        "  maximum-threshold 3000 kbytes",
        "    drop-probability 7 ecn",
    )
    found = device.qos.egress["OUT"].queue(3)
    assert found is not None
    assert found.marking is not None
    assert (found.marking.kmax, found.marking.ecn) == (Threshold(3_000_000), True)
    assert line(found.marking, "kmax") == 4
    assert notes(device) == []


@pytest.mark.parametrize(
    "text",
    [
        "random-detect threshold burst-optimized ecn",
        "random-detect threshold mesh-optimized ecn",
        "random-detect ecn",
        "afd queue-desired 150 kbytes ecn",
    ],
)
def test_marking_at_depths_the_switch_chooses(text: str) -> None:
    marking = queue(text).marking
    assert marking is not None
    assert (marking.ecn, marking.mode) == (True, MarkingMode.PLATFORM)
    assert (marking.kmin, marking.kmax) == (None, None)


def test_a_queue_without_random_detect_does_not_mark() -> None:
    for lines in (["bandwidth percent 5"], ["random-detect ecn", "no random-detect"]):
        marking = queue(*lines).marking
        assert marking is not None
        assert marking.ecn is False
        assert default_sentence(marking, "ecn") == defaults.NO_ECN.says


def test_the_last_of_two_statements_holds() -> None:
    marking = queue("random-detect ecn", "afd queue-desired 150 kbytes").marking
    assert marking is not None
    assert (marking.ecn, line(marking, "ecn")) == (False, 5)


def test_marking_of_the_network_qos_class() -> None:
    device = read(
        POLICY.format(lines="bandwidth percent 5")
        + "policy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n"
        "    congestion-control random-detect threshold burst-optimized ecn\n"
        "system qos\n  service-policy type network-qos NQ\n"
    )
    found = device.qos.egress["OUT"].queue(3)
    assert found is not None
    assert found.marking is not None
    assert (found.marking.ecn, line(found.marking, "ecn")) == (True, 10)


@pytest.mark.parametrize(
    ("text", "kind", "level", "share", "of"),
    [
        ("priority level 2", SchedulerKind.STRICT, 2, None, None),
        ("priority", SchedulerKind.STRICT, 1, None, None),
        ("bandwidth percent 20", SchedulerKind.WEIGHTED, None, 20.0, ShareKind.LINK),
        ("bandwidth remaining percent 0", SchedulerKind.WEIGHTED, None, 0.0, ShareKind.REMAINING),
    ],
)
def test_scheduling(
    text: str, kind: SchedulerKind, level: int | None, share: float | None, of: ShareKind | None
) -> None:
    scheduler = queue(text).scheduler
    assert scheduler is not None
    assert (scheduler.kind, scheduler.strict_level) == (kind, level)
    assert (scheduler.share, scheduler.share_of) == (share, of)
    assert line(scheduler, "kind") == 4


def test_the_later_bandwidth_replaces_the_earlier() -> None:
    scheduler = queue("bandwidth percent 20", "bandwidth remaining percent 30").scheduler
    assert scheduler is not None
    assert (scheduler.share, scheduler.share_of) == (30.0, ShareKind.REMAINING)
    assert line(scheduler, "share") == 5


def test_a_shaper_is_the_ceiling() -> None:
    scheduler = queue("shape min 1 gbps max 25 gbps").scheduler
    assert scheduler is not None
    assert (scheduler.shape_bps, line(scheduler, "shape_bps")) == (25 * 10**9, 4)
    assert scheduler.kind is None


def test_the_port_comes_before_the_system() -> None:
    device = read(
        POLICY.format(lines="bandwidth percent 5")
        + "  service-policy type queuing output MINE\ninterface Ethernet1/2\n"
        "policy-map type queuing MINE\n  class type queuing c-out-8q-q-default\n"
    )
    assert (port(device).egress, line(port(device), "egress")) == ("MINE", 8)
    assert (port(device, "Ethernet1/2").egress, line(port(device, "Ethernet1/2"), "egress")) == (
        "OUT",
        6,
    )


def test_the_default_policy_of_the_9000() -> None:
    device = read("! Model: N9K-C9364D-GX2A\nhostname leaf1\ninterface Ethernet1/1\n")
    assert port(device).egress == "default-8q-out-policy"
    assert port(device).where("egress").confirmed
    queues = device.qos.egress["default-8q-out-policy"]
    shares = {
        number: (found.scheduler.kind, found.scheduler.share)
        for number in range(8)
        if (found := queues.queue(number)) and found.scheduler
    }
    assert shares == {
        0: (SchedulerKind.WEIGHTED, 100.0),
        **dict.fromkeys(range(1, 7), (SchedulerKind.WEIGHTED, 0.0)),
        7: (SchedulerKind.STRICT, None),
    }
    third = queues.queue(3)
    assert third is not None
    assert third.marking is not None
    assert default_sentence(third.marking, "ecn") == defaults.DEFAULT_NO_ECN.says


def test_the_default_policy_of_an_unknown_series_is_a_guess() -> None:
    device = read("version 10.3(4a)\nhostname leaf1\ninterface Ethernet1/1\n")
    assert port(device).egress == "default-8q-out-policy"
    assert port(device).where("egress").confirmed is False


@pytest.mark.parametrize(
    "text",
    [
        "version 7.3(8)N1(1)\nhostname leaf1\ninterface Ethernet1/1\n",
        (
            "hostname leaf1\ninterface Ethernet1/1\npolicy-map type network-qos NQ\n"
            "  class type network-qos c-nq3\n    pause pfc-cos 3\n"
        ),
        (
            "hostname leaf1\ninterface Ethernet1/1\nsystem qos\n"
            "  service-policy type queuing output default-out-policy\n"
        ),
        "interface Ethernet1/1\n",
    ],
    ids=["5000", "four queues", "default-out-policy", "fragment"],
)
def test_elsewhere_the_default_is_not_known(text: str) -> None:
    assert port(read(text)).egress is None


def test_an_ingress_policy_is_not_an_egress_policy() -> None:
    device = read(
        "hostname leaf1\npolicy-map type queuing IN\n  class type queuing c-in-q3\n"
        "    pause buffer-size 27456 pause-threshold 12480 resume-threshold 12480\n"
        "interface Ethernet1/1\n  service-policy type queuing input IN\n"
    )
    assert "IN" not in device.qos.egress
    assert (port(device).ingress_buffer, line(port(device), "ingress_buffer")) == ("IN", 6)
    assert device.qos.ingress_buffers["IN"].groups[3].xoff_bytes == 14976
    assert line(device.qos.ingress_buffers["IN"], 3) == 4


def test_a_class_defined_nowhere_makes_the_policy_incomplete() -> None:
    device = read("policy-map type queuing OUT\n  class type queuing MINE\n    priority level 1\n")
    assert device.qos.egress["OUT"].complete is False
    assert device.qos.egress["OUT"].queues == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bandwidth percent 101", "bandwidth percent '101', takes 0 to 100"),
        ("priority level 9", "priority level '9', takes 1 to 8"),
        ("shape percent 10", "shape 'percent 10': rate not in bits per second"),
        ("random-detect minimum-threshold 1 yard ecn", "'1 yard' is not a queue depth"),
        (
            "random-detect drop-probability 101",
            "drop-probability '101', takes 0 to 100 percent",
        ),
        ("random-detect sometimes", "not understood: 'sometimes'"),
        ("random-detect weight", "not understood: 'weight'"),
    ],
)
def test_what_the_switch_refuses_is_remarked(text: str, message: str) -> None:
    assert notes(policy(text)) == [(4, message)]


@pytest.mark.parametrize(
    ("sizes", "noted"),
    [
        ((60000, 30000, 20000), []),
        ((30000, 30000, 30000), []),
        ((20000, 30000, 10000), ["pause-threshold 30000 is above buffer-size 20000"]),
        ((60000, 30000, 40000), ["resume-threshold 40000 is above pause-threshold 30000"]),
    ],
)
def test_thresholds_of_a_pause_buffer_are_in_order(
    sizes: tuple[int, int, int], noted: list[str]
) -> None:
    words = "pause buffer-size {} pause-threshold {} resume-threshold {} pfc-cos 3".format(*sizes)
    device = read(
        f"policy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n    {words}\n"
        "system qos\n  service-policy type network-qos NQ\n"
    )
    assert notes(device) == [(3, text) for text in noted]
