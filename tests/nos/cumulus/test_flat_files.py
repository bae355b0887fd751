"""The flat QoS files."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import SchedulerKind, ShareKind, Trust
from roce_lint.model.units import PRIORITIES, Threshold
from roce_lint.text.source import LineState
from tests.nos.cumulus.reading import INTERFACES, flat, pfc, qos, queue, read, tc, watchdog
from tests.nos.reader import line, notes, states

PORTS = (
    INTERFACES,
    """
    auto swp1
    iface swp1
        address 10.0.0.0/31

    auto swp2
    iface swp2
        address 10.0.0.2/31
    """,
)


@pytest.mark.parametrize(
    ("value", "trust"),
    [
        ("[802.1p]", Trust.PCP),
        ("[dscp]", Trust.DSCP),
        ("[802.1p,dscp]", Trust.BOTH),
        ("[dscp, 802.1p]", Trust.BOTH),
        ("[port]", Trust.NONE),
        ("[]", Trust.NONE),
    ],
)
def test_what_is_trusted(value: str, trust: Trust) -> None:
    device = read(PORTS, flat(f"traffic.packet_priority_source_set = {value}\n"))
    assert (qos(device).trust, line(qos(device), "trust")) == (trust, 1)


def test_maps() -> None:
    device = read(
        PORTS,
        flat(
            """
            traffic.packet_priority_source_set = [dscp]   # all ports
            traffic.cos_3.priority_source.dscp = [24,26]
            traffic.cos_0.priority_source.dscp = [0-7, 25]
            traffic.cos_5.priority_source.8021p = [1,5]
            traffic.cos_7.priority_source.8021p = []
            #traffic.cos_1.priority_source.dscp = [26]
            cos_egr_queue.cos_3.uc  = 4
            """
        ),
    )
    assert [tc(device, dscp) for dscp in (24, 25, 26, 27)] == [3, 0, 3, 3]
    entries = device.qos.classifiers["default-global"]
    assert (line(entries.dscp_to_tc, 26), entries.pcp_to_tc.get(1)) == (2, 5)
    maps = device.qos.forwardings["default-global"]
    assert (maps.tc_to_queue.get(3), line(maps.tc_to_queue, 3)) == (4, 7)
    assert states(device, LineState.IGNORED, 1) == [6, 8]
    assert notes(device) == []


def test_port_groups() -> None:
    device = read(
        PORTS,
        flat(
            """
            source.port_group_list = [EDGE]
            source.EDGE.packet_priority_source_set = [dscp]
            source.EDGE.port_set = swp2
            source.EDGE.cos_4.priority_source.dscp = [26]
            pfc.port_group_list = [LOSSLESS]
            pfc.LOSSLESS.port_set = swp1-swp2
            pfc.LOSSLESS.cos_list = [3,4]
            pfc.LOSSLESS.tx_enable = true
            pfc.LOSSLESS.rx_enable = false
            pfc.LOSSLESS.cable_length = 50
            pfc.LOSSLESS.xoff_size = 10000
            pfc_watchdog.port_group_list = [WD]
            pfc_watchdog.WD.port_set = swp1
            """
        ),
    )
    assert (qos(device, "swp2").classifier, qos(device).classifier) == ("EDGE", "default-global")
    assert line(qos(device, "swp2"), "classifier") == 3
    assert (tc(device, 26, "swp2"), tc(device, 26)) == (4, 3)
    found = pfc(device)
    assert (found.mode, found.generate, found.honour) == (None, {3, 4}, set())
    assert (found.cable_m, line(found, "cable_m"), line(found, "honour")) == (50, 10, 9)
    assert (watchdog(device).enabled, watchdog(device, "swp2").enabled) == (True, False)
    assert states(device, LineState.UNRECOGNISED, 1) == []


def test_pfc_for_all_ports() -> None:
    device = read(
        PORTS,
        flat(
            """
            pfc.port_group_list = [default-global]
            pfc.default-global.port_set = allports
            pfc.default-global.cos_list = [3]
            """
        ),
    )
    assert [pfc(device, f"swp{n}").generate for n in (1, 2)] == [{3}, {3}]


def test_a_group_for_all_ports() -> None:
    device = read(
        PORTS,
        flat(
            """
            pfc.port_group_list = [ALL]
            pfc.ALL.port_set = allports
            pfc.ALL.cos_list = [4]
            """
        ),
    )
    assert [pfc(device, f"swp{n}").generate for n in (1, 2)] == [{4}, {4}]
    assert "allports" not in device.interfaces


def test_a_listed_group_without_keys_and_keys_without_a_list() -> None:
    device = read(
        PORTS,
        flat(
            """
            pfc.port_group_list = [ROCE_PFC]
            pfc.pfc_port_group.cos_list = [3]
            pfc.pfc_port_group.port_set = swp1
            pfc_watchdog.port_group_list = [WD]
            """
        ),
    )
    assert pfc(device).generate == set()
    found = [
        (s.kind, s.name, line(s) if s.defined else 0, len(s.references)) for s in device.structures
    ]
    assert found == [
        ("no-drop policy", "ROCE_PFC", 0, 1),
        ("no-drop policy", "pfc_port_group", 2, 0),
    ]
    message = "pfc_watchdog.port_group_list names WD, of which no line says anything"
    assert notes(device) == [(4, message)]


def test_marking() -> None:
    device = read(
        PORTS,
        flat(
            """
            default_ecn_red_conf.egress_queue_list = [3,5]
            default_ecn_red_conf.ecn_enable = true
            default_ecn_red_conf.red_enable = false
            default_ecn_red_conf.min_threshold_bytes = 40000
            default_ecn_red_conf.max_threshold_bytes = 200000
            default_ecn_red_conf.probability = 50
            ecn_red.port_group_list = [A,B]
            ecn_red.A.egress_queue_list = [1]
            ecn_red.A.port_set = swp2
            B.egress_queue_list = [2]
            B.port_set = swp2
            B.ecn_enable = false
            """
        ),
    )
    marking = queue(device, 3).marking
    assert marking is not None
    assert (marking.ecn, marking.kmin, marking.kmax, marking.pmax_percent) == (
        True,
        Threshold(40_000),
        Threshold(200_000),
        50,
    )
    assert [n for n in PRIORITIES if queue(device, n).marking is not None] == [3, 5]
    # Of two profiles for one port the last counts.
    assert [n for n in PRIORITIES if queue(device, n, "swp2").marking is not None] == [2]
    assert states(device, LineState.UNRECOGNISED, 1) == []


def test_marking_without_a_list_is_of_queue_0() -> None:
    device = read(PORTS, flat("default_ecn_red_conf.ecn_enable = false\n"))
    marking = queue(device, 0).marking
    assert marking is not None
    assert (marking.ecn, line(marking, "ecn")) == (False, 1)


def test_schedulers() -> None:
    device = read(
        PORTS,
        flat(
            """
            default_egress_sched.egr_queue_0.bw_percent = 50
            default_egress_sched.egr_queue_3.bw_percent = 50
            default_egress_sched.egr_queue_6.bw_percent = 0
            """
        ),
    )
    three, six, one = (queue(device, n).scheduler for n in (3, 6, 1))
    assert three is not None
    assert six is not None
    assert one is not None
    assert (three.share, line(three, "share")) == (50, 2)
    assert (six.kind, line(six, "kind")) == (SchedulerKind.STRICT, 3)
    assert one.share == 0


def test_weights_of_the_older_file() -> None:
    device = read(
        PORTS,
        flat(
            """
            priority_group.control.cos_list = [6,7]
            priority_group.control.weight = 0
            priority_group.service.cos_list = [3]
            priority_group.service.weight = 32
            ecn_red.port_group_list = [ROCE]
            ecn_red.ROCE.cos_list = [3]
            ecn_red.ROCE.port_set = swp1
            """
        ),
    )
    seven, three = (queue(device, n).scheduler for n in (7, 3))
    assert seven is not None
    assert three is not None
    assert seven.kind is SchedulerKind.STRICT
    assert (three.share, three.share_of) == (32, ShareKind.WEIGHT)
    marking = queue(device, 3).marking
    assert marking is not None
    assert marking.ecn is True


def test_pools_and_watchdog_times() -> None:
    device = read(
        PORTS,
        flat(
            """
            ingress_service_pool.0.percent = 50.0
            ingress_service_pool.1.percent = 60
            pfc_wd.poll_interval = 200
            pfc_wd.robustness = 5
            pfc_watchdog.port_group_list = [WD]
            pfc_watchdog.WD.port_set = swp1
            """
        ),
    )
    assert {name: pool.share_percent for name, pool in device.pools.items()} == {
        "default-lossy": 50,
        "default-lossless": 60,
    }
    assert notes(device) == [(2, "memory-percent of all pools '110', takes 0 to 100 percent")]
    assert (watchdog(device).polling_ms, watchdog(device).detection_ms) == (200, 1000)


def test_rewriting_and_shaping() -> None:
    device = read(
        PORTS,
        flat(
            """
            traffic.packet_priority_remark_set = [dscp]
            traffic.cos_3.priority_remark.dscp = [26]
            shaping.port_group_list = [S]
            shaping.S.port_set = swp1
            shaping.S.egr_queue_3.shaper = [50000, 100000]
            shaping.S.port.shaper = 900000
            """
        ),
    )
    rewrite = device.qos.rewrites["default-global"]
    assert (rewrite.active, rewrite.tc_to_dscp.get(3)) == (True, 26)
    scheduler = queue(device, 3).scheduler
    assert scheduler is not None
    assert scheduler.shape_bps == 100_000_000
    assert device.qos.egress[qos(device).egress or ""].shape_bps == 900_000_000


def test_unread_lines_of_flat_files() -> None:
    device = read(
        flat(
            """
            wibble.foo = 3
            no equals sign
            scheduling.algorithm = dwrr
            priority_group.bulk.id = 0
            flow_control.ingress_service_pool = 1
            hash_config.enable = true
            """
        )
    )
    assert states(device, LineState.UNRECOGNISED) == [1, 2]
    assert states(device, LineState.IGNORED) == [3, 4, 5, 6, 7]
