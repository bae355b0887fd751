"""Trust, priority maps, ECN marking and scheduling of Comware."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import SchedulerKind, Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from tests.nos.comware.reading import NAMED, PORT, qos_of, read
from tests.nos.reader import line


@pytest.mark.parametrize(
    ("lines", "trust", "stated", "tc"),
    [
        (" mtu 9000\n", Trust.NONE, 0, None),
        (" qos priority 5\n", Trust.NONE, 0, 5),
        (" qos trust dscp\n", Trust.DSCP, 5, None),
        (" qos trust dot1p\n", Trust.PCP, 5, None),
        (" qos trust dscp override\n", Trust.DSCP, 5, None),
        (" qos trust auto\n", None, 0, None),
    ],
)
def test_what_a_port_trusts(lines: str, trust, stated: int, tc: int | None) -> None:
    _, qos = qos_of(f"{NAMED}{PORT}{lines}")
    assert (qos.trust, line(qos, "trust"), qos.default_tc) == (trust, stated, tc)


def entry(device, code: int) -> tuple[int | None, int, bool]:
    """Class of a DSCP, the line that states it, and whether that is certain."""
    table = device.qos.classifiers["maps"].dscp_to_tc
    return table.get(code), line(table, table.key(code)), table.where(table.key(code)).confirmed


def test_default_maps() -> None:
    device = read(NAMED)
    assert [entry(device, code) for code in (26, 48)] == [(3, 0, True), (6, 0, True)]
    assert [entry(device, code) for code in (0, 8, 16)] == [
        (2, 0, False), (0, 0, False), (1, 0, False),
    ]  # fmt: skip


def test_maps_are_looked_up_one_after_the_other() -> None:
    device = read(
        f"{NAMED}qos map-table dscp-dot1p\n import 26 to 27 export 5\n import 10 export 2\n"
        "qos map-table dot1p-lp\n import 5 export 4\n import 4 export 5\n import 2 export 2\n"
    )
    assert [entry(device, code) for code in (26, 27, 40, 24)] == [
        (4, 8, True), (4, 8, True), (4, 8, True), (3, 0, True),
    ]  # fmt: skip
    assert [entry(device, code) for code in (10, 0)] == [(2, 10, True), (2, 0, False)]
    maps = device.qos.forwardings
    assert "maps" not in maps  # 802.1p 0 and 2 share local precedence 2


def test_a_model_with_a_table_of_its_own() -> None:
    device = read(f"{NAMED}qos map-table dscp-lp\n import 26 export 5\n")
    assert [entry(device, code) for code in (26, 24)] == [(5, 5, True), (3, 0, True)]
    assert entry(device, 0)[0] is None


def test_a_policy_on_the_way_in_leaves_the_class_unknown() -> None:
    _, qos = qos_of(f"{NAMED}{PORT} qos trust dscp\n qos apply policy P inbound\n")
    assert (qos.classifier, line(qos, "classifier")) == (None, 6)


LIMITS = " qos wred queue 3 {}low-limit 1000 high-limit 4000 discard-probability 20\n"

ECN = " qos wred queue 3 ecn\n"

TABLE = "qos wred queue table T\n queue 3 drop-level 0 low-limit 10 high-limit 20\n"


@pytest.mark.parametrize(
    ("table", "lines", "marks", "drops", "stated"),
    [
        ("", LIMITS.format("") + ECN, True, None, 6),
        ("", LIMITS.format("drop-level 0 ") + ECN, True, None, 6),
        ("", LIMITS.format(""), False, True, 0),
        ("", ECN, False, None, 5),
        ("", " mtu 9000\n", False, None, 0),
        (f"{TABLE} queue 3 ecn\n#\n", " qos wred apply T\n", True, None, 6),
        (f"{TABLE}#\n", " qos wred apply T\n", False, True, 0),
        ("", " qos wred apply T\n", None, None, 0),
    ],
)
def test_marking_needs_wred_and_ecn(table: str, lines: str, marks, drops, stated: int) -> None:
    device, qos = qos_of(f"{NAMED}{table}{PORT}{lines}")
    policy = device.qos.egress[qos.egress]
    marking = policy.queue(3).marking
    if marks is None:
        assert (marking, policy.complete) == (None, False)
        assert [s.name for s in device.structures if not s.defined] == ["T"]
        return
    assert (marking.ecn, marking.wred_drop, line(marking, "ecn")) == (marks, drops, stated)
    assert marking.where("ecn").confirmed


def test_thresholds_of_green_packets_in_cells() -> None:
    red = " qos wred queue 3 drop-level 2 low-limit 1 high-limit 2 discard-probability 3\n"
    device, qos = qos_of(f"{NAMED}{PORT}{LIMITS.format('drop-level 0 ')}{red}{ECN}")
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (
        Threshold(1000, ThresholdUnit.CELLS), Threshold(4000, ThresholdUnit.CELLS), 20.0,
    )  # fmt: skip
    assert [line(marking, name) for name in ("kmin", "kmax", "pmax_percent")] == [5, 5, 5]


def test_thresholds_that_no_line_states_are_unknown() -> None:
    device, qos = qos_of(
        f"{NAMED}qos wred queue table T\n queue 3 ecn\n#\n{PORT} qos wred apply T\n"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, marking.kmin, marking.pmax_percent) == (True, None, None)


def test_turns_and_shaping() -> None:
    device, qos = qos_of(
        f"{NAMED}{PORT} qos wfq byte-count\n qos wfq ef group 1 byte-count 96\n"
        " qos wfq cs6 group sp\n qos gts queue 6 cir 200000 cbs 16000\n"
    )
    queues = {n: device.qos.egress[qos.egress].queue(n).scheduler for n in (0, 5, 6)}
    fair = queues[0]
    assert (fair.kind, fair.share, line(fair, "kind")) == (SchedulerKind.WEIGHTED, None, 0)
    assert not fair.where("kind").confirmed
    assert (queues[5].kind, queues[5].share, line(queues[5], "share")) == (
        SchedulerKind.WEIGHTED, 96.0, 6,
    )  # fmt: skip
    assert (queues[6].kind, queues[6].shape_bps, line(queues[6], "shape_bps")) == (
        SchedulerKind.STRICT, 200_000_000, 8,
    )  # fmt: skip


def test_the_line_of_a_table_binds_the_queues_also_below_turns() -> None:
    turns = " qos wfq byte-count\n qos wfq af3 group 1 byte-count 60\n"
    _, qos = qos_of(f"{NAMED}{TABLE}#\n{PORT}{turns} qos wred apply T\n")
    _, without = qos_of(f"{NAMED}{TABLE}#\n{PORT}{turns}")
    assert (line(qos, "egress"), line(without, "egress")) == (10, 8)


def test_lines_of_queues_are_those_of_each_port() -> None:
    text = f"interface HundredGigE1/0/{{}}\n{LIMITS.format('')}{ECN}"
    device = read(NAMED + text.format(1) + text.format(2))
    found = [
        line(device.qos.egress[port.qos.egress].queue(3).marking, "ecn")
        for port in device.interfaces.values()
    ]
    assert found == [6, 9]


def test_a_code_point_with_a_wrong_class_is_unknown() -> None:
    device = read(f"{NAMED}qos map-table dscp-dot1p\n import 26 export 9\n")
    assert entry(device, 26)[0] is None


@pytest.mark.parametrize(
    ("lines", "kind", "share", "stated"),
    [
        (" qos wfq af3 group 1 byte-count 60\n qos wrr af3 group 1 weight 5\n", SchedulerKind.WEIGHTED, 5, 6),
        (" qos wrr af3 group 1 weight 5\n qos wfq af3 group sp\n", SchedulerKind.STRICT, None, 6),
    ],
)  # fmt: skip
def test_the_last_turn_of_a_queue_holds(lines: str, kind, share, stated: int) -> None:
    device, qos = qos_of(f"{NAMED}{PORT}{lines}")
    turn = device.qos.egress[qos.egress].queue(3).scheduler
    assert (turn.kind, turn.share, line(turn)) == (kind, share, stated)
