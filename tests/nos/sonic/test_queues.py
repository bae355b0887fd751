from __future__ import annotations

from typing import Any

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import Marking, Queue, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import Threshold
from roce_lint.nos.sonic import defaults
from tests.nos.sonic.making import chain, device_of, place, port, remarks


def marking(**fields: str) -> Marking:
    """The marking of queue 3 with a profile of these fields."""
    device = device_of(chain(WRED_PROFILE={"W": fields}))
    found = device.qos.egress["Ethernet0"].queue(3).marking
    assert found is not None
    return found


LIMITS = {"green_min_threshold": "1000", "green_max_threshold": "2000"}


def test_a_marking_profile() -> None:
    found = marking(ecn="ecn_all", wred_green_enable="true", green_drop_probability="5", **LIMITS)
    assert (found.ecn, found.wred_drop, found.enabled) == (True, False, True)
    assert (found.kmin, found.kmax, found.pmax_percent) == (Threshold(1000), Threshold(2000), 5)
    assert place(found, "kmin") == "WRED_PROFILE|W|green_min_threshold"
    assert place(found, "ecn") == "WRED_PROFILE|W|ecn"


@pytest.mark.parametrize(
    ("mode", "marks"),
    [
        ("ecn_none", False),
        ("ecn_green", True),
        ("ecn_yellow", False),
        ("ecn_red", False),
        ("ecn_green_yellow", True),
        ("ecn_green_red", True),
        ("ecn_yellow_red", False),
        ("ecn_all", True),
    ],
)
def test_only_modes_with_green_mark_roce(mode: str, marks: bool) -> None:
    found = marking(ecn=mode, wred_green_enable="true", **LIMITS)
    assert (found.ecn, found.wred_drop) == (marks, not marks)
    assert place(found, "ecn") == "WRED_PROFILE|W|ecn"


def test_without_ecn_the_profile_drops() -> None:
    found = marking(wred_green_enable="true", **LIMITS)
    assert (found.ecn, found.wred_drop, found.pmax_percent) == (False, True, 100)
    assert place(found, "ecn").startswith("SONiC default: ecn_none")
    assert place(found, "wred_drop") == "WRED_PROFILE|W|wred_green_enable"
    assert place(found, "pmax_percent") == defaults.DROP_PROBABILITY.says


def test_ecn_without_green_threshold_marks_nothing() -> None:
    found = marking(ecn="ecn_all", wred_green_enable="true", yellow_min_threshold="1000")
    assert found.ecn is False
    assert place(found, "ecn").startswith("SAI default: without green_min_threshold")


def test_the_switch_of_green_is_kept_apart() -> None:
    found = marking(ecn="ecn_all", **LIMITS)
    assert (found.ecn, found.enabled) == (True, False)
    assert place(found, "enabled") == defaults.NO_EARLY_DROP.says


def test_a_wrong_mode_is_unknown() -> None:
    device = device_of(chain(WRED_PROFILE={"W": {"ecn": "on", **LIMITS}}))
    assert device.qos.egress["Ethernet0"].queue(3).marking.ecn is None
    assert [message.split(", takes")[0] for message in remarks(device, NoteKind.BAD_VALUE)] == [
        "WRED_PROFILE ecn 'on'"
    ]


def queue(row: dict[str, Any], key: str = "Ethernet0|3") -> Queue:
    found = device_of(chain(QUEUE={key: row})).qos.egress["Ethernet0"].queue(3)
    assert found is not None
    return found


def test_a_queue_without_profile_does_not_mark() -> None:
    found = queue({"scheduler": "S"})
    assert found.marking is None
    assert place(found, "marking").startswith("SONiC default: a queue without wred_profile")
    assert found.where("marking").position > 0


def test_a_queue_whose_profile_is_not_defined_points_at_the_name() -> None:
    found = queue({"scheduler": "S", "wred_profile": "GONE"})
    assert (found.marking, place(found, "marking")) == (None, "QUEUE|Ethernet0|3|wred_profile")


def test_every_port_has_queues_of_its_own_and_shares_profiles() -> None:
    config = chain(PORT={f"Ethernet{n}": port() for n in (0, 4, 8)})
    config["QUEUE"]["Ethernet4|3"] = config["QUEUE"]["Ethernet0|3"]
    egress = device_of(config).qos.egress
    first, second = egress["Ethernet0"].queue(3), egress["Ethernet4"].queue(3)
    assert first.marking is second.marking
    assert place(second, "marking") == "QUEUE|Ethernet4|3|wred_profile"
    assert (egress["Ethernet8"].queues, egress["Ethernet8"].complete) == ({}, True)
    assert place(egress["Ethernet8"]) == "PORT|Ethernet8"


def test_without_the_table_queues_are_unknown() -> None:
    config = chain(
        BUFFER_PROFILE={"B": {"pool": "p", "size": "0"}},
        BUFFER_QUEUE={"Ethernet0|3-4": {"profile": "B"}},
    )
    del config["QUEUE"]
    policy = device_of(config).qos.egress["Ethernet0"]
    assert (policy.complete, policy.queue(3).buffer.name) == (False, "B")
    assert policy.queue(3).at.get("marking") is None
    del config["BUFFER_QUEUE"]
    device = device_of(config)
    assert device.qos.egress == {}
    assert device.interfaces["Ethernet0"].qos.egress is None


def test_buffers_of_queues() -> None:
    config = chain(
        BUFFER_PROFILE={"B": {"pool": "p", "size": "1518", "dynamic_th": "3"}},
        BUFFER_QUEUE={"Ethernet0|3-4": {"profile": "[BUFFER_PROFILE|B]"}},
    )
    policy = device_of(config).qos.egress["Ethernet0"]
    assert policy.queue(3).buffer is policy.queue(4).buffer
    assert (policy.queue(3).buffer.alpha, policy.queue(3).scheduler.name) == (8, "S")
    assert place(policy.queue(4), "buffer") == "BUFFER_QUEUE|Ethernet0|3-4|profile"


def scheduler(**fields: str) -> Scheduler:
    found = device_of(chain(SCHEDULER={"S": fields})).qos.egress["Ethernet0"].queue(3).scheduler
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("fields", "kind", "share", "shape"),
    [
        ({"type": "DWRR", "weight": "15"}, SchedulerKind.WEIGHTED, 15, None),
        ({"type": "WRR"}, SchedulerKind.WEIGHTED, 1, None),
        ({"weight": "7"}, SchedulerKind.WEIGHTED, 7, None),
        ({"type": "STRICT", "weight": "7"}, SchedulerKind.STRICT, None, None),
        ({"type": "STRICT", "pir": "1250000000"}, SchedulerKind.STRICT, None, 10_000_000_000),
        ({"type": "STRICT", "pir": "5", "meter_type": "packets"}, SchedulerKind.STRICT, None, None),
        ({"type": "FAIR"}, None, None, None),
    ],
)
def test_schedulers(
    fields: dict[str, str], kind: SchedulerKind | None, share: float | None, shape: int | None
) -> None:
    found = scheduler(**fields)
    assert (found.kind, found.share, found.shape_bps) == (kind, share, shape)
    assert found.share_of is (ShareKind.WEIGHT if share else None)


def test_keys_that_are_no_queues() -> None:
    config = chain()
    config["QUEUE"] |= {"Ethernet0|16": {}, "Ethernet0|2-99999999": {}, "Ethernet0": {}}
    device = device_of(config)
    assert remarks(device, NoteKind.BAD_VALUE) == [
        "QUEUE|Ethernet0|16: '16' is not a queue or a range of queues",
        "QUEUE|Ethernet0|2-99999999: '2-99999999' is not a queue or a range of queues",
        "QUEUE|Ethernet0: '' is not a queue or a range of queues",
    ]
