"""A value that the device rejects is an error at its line, with the effective value as consequence."""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Finding, Severity
from roce_lint.nos.registry import all_nos
from tests.house.test_refusals import SYSTEMS
from tests.small_fabrics.made import Made, made

REFUSED = [
    (
        "nxos",
        "    pause pfc-cos 3",
        "    pause buffer-size 100 pause-threshold 50 resume-threshold 20 pfc-cos 3",
    ),
    ("nxos", "  match dscp 26", "  match cos 9\n  match dscp 26"),
    ("os10", " queue 3 qos-group 3", " queue 9 qos-group 3"),
    (
        "os10",
        "trust dscp-map RDMA-TRUST",
        "trust dot1p-map BY-TAG\n qos-group 3 dot1p 9\n!\ntrust dscp-map RDMA-TRUST",
    ),
    ("srlinux", "detection-timer 500", "recovery-timer 5000"),
    ("srlinux", "max-drop-probability-percent 100", "max-drop-probability-percent 101"),
    ("srlinux", "min-threshold-percent 10", "min-threshold-percent 101"),
    ("eos", "watchdog default recovery-time 0.2", "watchdog default recovery-time 250"),
    ("eos", "qos map dscp 48", "qos map cos 9 to traffic-class 3\nqos map dscp 48"),
    (
        "cumulus",
        "nv set system",
        "nv set qos mapping default-global pcp 9 switch-priority 3\nnv set system",
    ),
    (
        "cumulus",
        "nv set system",
        "nv set qos egress-scheduler default-global traffic-class 3 bw-percent 120\nnv set system",
    ),
    (
        "cumulus",
        "nv set system",
        "nv set qos traffic-pool default-lossy memory-percent 120\nnv set system",
    ),
    ("comware", " qos trust dscp", " qos trust dscp\n qos priority 9"),
    (
        "comware",
        "qos map-table dscp-dot1p",
        "qos map-table dot1p-lp\n import 3 export 9\n#\nqos map-table dscp-dot1p",
    ),
    (
        "aoscx",
        "qos trust dscp\nqos dscp",
        "qos trust dscp\nqos cos-map 9 local-priority 3\nqos dscp",
    ),
    ("eos", "watchdog default timeout 0.2", "watchdog default timeout 250"),
    ("nxos", "watch-dog-interval on\n\n", "watch-dog-interval 500\n\n"),
    ("junos", "mtu 9216", "mtu 9100"),
    ("eos", "max-mark-probability 20", "max-mark-probability 120"),
    ("eos", "weight 0", "weight 20"),
    ("eos", "maximum-threshold 10000 kbytes", "maximum-threshold 300000000 kbytes"),
    ("eos", "qos map dscp 26 to", "qos map dscp 66 to"),
    ("eos", "dscp 26 to traffic-class 3", "dscp 26 to traffic-class 9"),
    ("eos", "priority 3 no-drop", "priority 9 no-drop"),
    ("eos", "mtu 9214", "mtu 66000"),
    ("eos", "uc-tx-queue 3", "uc-tx-queue 9"),
    ("eos", "watchdog default polling-interval 0.1", "watchdog default polling-interval 100"),
    ("eos", "watchdog port action drop", "watchdog port action shutdown"),
    ("nxos", "mtu 9216\n  ip", "mtu 9500\n  ip"),
    ("nxos", "    mtu 9216\n    pause", "    mtu 500\n    pause"),
    ("nxos", "pause pfc-cos 3", "pause pfc-cos 8"),
    ("nxos", "set qos-group 3", "set qos-group 8"),
    ("nxos", "match dscp 26", "match dscp 66"),
    ("nxos", "drop-probability 7", "drop-probability 107"),
    ("nxos", "remaining percent 60", "remaining percent 160"),
    ("nxos", "priority level 1", "priority level 9"),
    ("sonic", '"pfc_enable": "3"', '"pfc_enable": "3,9"'),
    ("sonic", '"pfcwd_sw_enable": "3"', '"pfcwd_sw_enable": "3,9"'),
    ("sonic", '"26": "3"', '"66": "3"'),
    ("sonic", '"26": "3"', '"26": "16"'),
    ("sonic", '"action": "drop"', '"action": "discard"'),
    ("sonic", '"ecn": "ecn_all"', '"ecn": "all"'),
    ("sonic", '"green_drop_probability": "5"', '"green_drop_probability": "105"'),
    ("sonic", '"mtu": "9100"', '"mtu": "10000"'),
    ("sonic", '"fec": "rs"', '"fec": "reed"'),
    ("sonic", '"speed": "400000"', '"speed": "400G"'),
    ("sonic", '"dynamic_th": "0"', '"dynamic_th": "9"'),
    ("sonic", '"weight": "15"', '"weight": "150"'),
    ("sonic", '"type": "STRICT"', '"type": "SP"'),
    ("sonic", '"admin_status": "up"', '"admin_status": "on"'),
    ("junos", "pfc-priority 3", "pfc-priority 9"),
    ("junos", "queue-num 4 no-loss", "queue-num 14 no-loss"),
    ("junos", "flow-control-queue 4", "flow-control-queue 14"),
    ("junos", "transmit-rate percent 60", "transmit-rate percent 160"),
    ("junos", "fill-level [ 55 90 ]", "fill-level [ 55 190 ]"),
    ("junos", "drop-probability [ 0 100 ]", "drop-probability [ 0 200 ]"),
    ("junos", "dynamic-threshold 10", "dynamic-threshold 12"),
    ("junos", "percent 66", "percent 166"),
    ("cumulus", "link mtu 9216", "link mtu 9500"),
    ("cumulus", "roce mode lossless", "roce mode loss-less"),
    (
        "cumulus",
        "nv set system",
        "nv set qos mapping default-global dscp 66 switch-priority 3\nnv set system",
    ),
    (
        "cumulus",
        "nv set system",
        "nv set qos mapping default-global dscp 26 switch-priority 9\nnv set system",
    ),
    ("cumulus", "nv set system", "nv set qos pfc-watchdog robustness 2000\nnv set system"),
    (
        "cumulus",
        "nv set system",
        "nv set qos traffic-pool default-lossy memory-percent 80\nnv set qos traffic-pool roce-lossless memory-percent 50\nnv set system",
    ),
    (
        "cumulus",
        "nv set system",
        "nv set qos congestion-control default-global traffic-class 3 probability 200\nnv set system",
    ),
    ("cumulus", "nv set system", "nv set qos pfc default-global cable-length 0\nnv set system"),
    (
        "cumulus",
        "nv set system",
        "nv set qos congestion-control default-global traffic-class 9 ecn enable\nnv set system",
    ),
    ("junos", "loss-priority low code-points 011010", "loss-priority lo code-points 011010"),
    ("junos", "priority strict-high", "priority strict"),
    ("os10", "pfc-cos 3", "pfc-cos 9"),
    ("os10", "qos-group 3 dscp 26", "qos-group 9 dscp 26"),
    ("os10", "qos-group 3 dscp 26", "qos-group 3 dscp 66"),
    ("os10", "drop-probability 20", "drop-probability 120"),
    ("os10", "bandwidth percent 60", "bandwidth percent 160"),
    ("esonic", "detect-time 200", "detect-time 20"),
    ("esonic", "restore-time 400", "restore-time 90000"),
    (
        "esonic",
        "qos map dscp-tc",
        "priority-flow-control watchdog polling-interval 50\nqos map dscp-tc",
    ),
    ("esonic", "weight 60", "weight 160"),
    ("esonic", "dscp 26 traffic-class 3", "dscp 66 traffic-class 3"),
    ("esonic", "drop-probability 5", "drop-probability 105"),
    ("esonic", "cable-length 5m", "cable-length 7m"),
    ("esonic", "action drop", "action discard"),
    ("esonic", "control priority 3", "control priority 9"),
    ("iosxr", "set traffic-class 3", "set traffic-class 9"),
    ("iosxr", "match dscp 26", "match dscp 66"),
    ("iosxr", "pause-threshold 1500000", "pause-threshold 100000"),
    ("iosxr", "headroom 1600000", "headroom 100000"),
    ("iosxr", "ecn 600000", "ecn 100000"),
    ("srlinux", "pfc-pause-frame-priority 3", "pfc-pause-frame-priority 9"),
    ("srlinux", "detection-timer 500", "detection-timer 5000"),
    ("srlinux", "max-threshold-percent 70", "max-threshold-percent 170"),
    ("srlinux", "dscp 26 forwarding", "dscp 66 forwarding"),
    ("srlinux", "mtu 9232", "mtu 20000"),
    ("srlinux", "pfc-enable true", "pfc-enable yes"),
    ("aoscx", "map queue 3 local-priority 3", "map queue 9 local-priority 3"),
    ("aoscx", "dscp-map 26 local-priority 3", "dscp-map 26 local-priority 9"),
    ("aoscx", "dscp-map 26 local", "dscp-map 66 local"),
    ("aoscx", "ip mtu 9198", "ip mtu 9300"),
    ("aoscx", "rxtx 3", "rxtx 9"),
    ("vrp", "26 phb af3", "66 phb af3"),
    ("vrp", " priority 3\n", " priority 9\n"),
    ("vrp", "discard-percentage 20", "discard-percentage 120"),
    ("comware", "import 26 export 3", "import 26 export 9"),
    ("comware", "import 26 export 3", "import 66 export 3"),
    ("comware", "no-drop dot1p 3", "no-drop dot1p 9"),
    ("comware", "discard-probability 20", "discard-probability 120"),
    ("comware", "deadlock cos 3", "deadlock cos 9"),
]
"""By system, a text of the correct fabric and one that the platform rejects."""

UNSURE = [
    (
        "nxos",
        "watch-dog-interval on\n\n",
        "watch-dog-interval on\npriority-flow-control watch-dog interval 5000\n\n",
    ),
    ("vrp", "#\ndcb pfc\n", "#\ndcb pfc deadlock-detect interval 5000\n#\ndcb pfc\n"),
]
"""Beyond unconfirmed bounds: a warning."""

BY_RANGE = [
    ("sonic", '"detection_time": "200"', '"detection_time": "20"'),
    ("sonic", '"restoration_time": "200"', '"restoration_time": "90000"'),
    ("sonic", '"POLL_INTERVAL": "200"', '"POLL_INTERVAL": "5000"'),
    ("cumulus", "nv set system", "nv set qos pfc-watchdog polling-interval 20\nnv set system"),
]
"""Times of the watchdog, which a separate rule reports (PFC022)."""


def refusals(own: Made) -> list[Finding]:
    return [f for f in own.report().findings if f.rule == "SRC007" or "SRC007" in f.also]


@pytest.mark.parametrize(("system", "old", "new"), REFUSED, ids=lambda text: text[-40:])
def test_what_a_platform_refuses_is_an_error(system: str, old: str, new: str) -> None:
    own = made(system)
    assert own.outcomes() == []
    own.change("leaf2", (old, new), every=True)
    found = refusals(own)
    assert {(f.severity.label, f.device) for f in found} == {("error", "leaf2")}
    assert all(f.consequence for f in found)
    # What follows from it is told with it.
    others = {f.rule for f in own.report().findings if f.severity > Severity.INFO} - {"SRC007"}
    others -= {f.rule for f in found}
    assert others == BESIDE.get((system, new), set())


BESIDE = {
    # The class-default of the policy, in which RoCE is now, is a section of its own.
    ("iosxr", "set traffic-class 9"): {"MAP001"},
    # Lines of one profile stand in no section.
    ("srlinux", "pfc-pause-frame-priority 9"): {"PFC003"},
    # Lines of a tree stand in no section either.
    ("junos", "transmit-rate percent 160"): {"CLS006"},
    ("junos", "priority strict"): {"CLS025"},
}
"""Further findings beside a rejected value."""


@pytest.mark.parametrize(("system", "old", "new"), UNSURE)
def test_beyond_bounds_that_nobody_confirmed(system: str, old: str, new: str) -> None:
    own = made(system).change("leaf2", (old, new), every=True)
    assert {f.severity.label for f in refusals(own)} == {"warning"}


@pytest.mark.parametrize(("system", "old", "new"), BY_RANGE)
def test_times_of_the_watchdog(system: str, old: str, new: str) -> None:
    own = made(system).change("leaf2", (old, new), every=True)
    assert {outcome[:2] for outcome in own.outcomes()} == {("error", "PFC022")}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_bound_is_one_that_the_reader_asks(system: str) -> None:
    """A bound that the reader does not check is a promise of the page that is not kept."""
    named = set()
    for nos, old, new in (*REFUSED, *UNSURE):
        if nos == system:
            own = made(nos).change("leaf2", (old, new), every=True)
            fabric = own.report().fabric
            assert fabric is not None
            notes = fabric.devices["leaf2"].notes
            named |= {
                what
                for note in notes
                for what in all_nos()[system].limits
                if f"{what} '" in note.message
            }
    assert {*all_nos()[system].limits} - named == NOT_TRIED.get(system, set())


NOT_TRIED = {"sonic": {"DEFAULT_LOSSLESS_BUFFER_PARAMETER default_dynamic_th"}}
"""Settings without a line in the fabrics of these tests."""
