"""H3C Comware: values with their lines, what the defaults are, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.comware import NOS
from tests.nos import reader
from tests.nos.pair import causes, judged
from tests.nos.reader import line, notes

LEAF = (Path(__file__).parent / "pair.cfg").read_text()
PORTS = "FourHundredGigE1/0/1", "FourHundredGigE1/0/25"
NAMED = " sysname leaf1\n#\n"
PORT = "interface HundredGigE1/0/1\n"


def read(text: str):
    return reader.read(NOS, f"#\n{text}")


def qos_of(text: str, name: str = "HundredGigE1/0/1"):
    device = read(text)
    return device, device.interfaces[name].qos


@pytest.mark.parametrize(
    ("header", "names", "aliases"),
    [
        ("FourHundredGigE1/0/1", ["FourHundredGigE1/0/1"], ()),
        ("TwoHundredGigE1/0/1:2", ["TwoHundredGigE1/0/1:2"], ()),
        ("Ten-GigabitEthernet1/0/49", ["Ten-GigabitEthernet1/0/49"], ("XGE1/0/49",)),
        ("Twenty-FiveGigE 1/0/3", ["Twenty-FiveGigE1/0/3"], ("WGE1/0/3",)),
        ("range HundredGigE 1/0/1 to HundredGigE 1/0/2", ["HundredGigE1/0/1", "HundredGigE1/0/2"], ("HGE1/0/1",)),
        ("Bridge-Aggregation10", ["Bridge-Aggregation10"], ("BAGG10",)),
        ("Vlan-interface20", ["Vlan-interface20"], ()),
        ("M-GigabitEthernet0/0/0", ["M-GigabitEthernet0/0/0"], ()),
    ],
)  # fmt: skip
def test_names(header: str, names: list[str], aliases: tuple[str, ...]) -> None:
    found = read(f"interface {header}\n undo shutdown\n").interfaces
    assert (list(found), found[names[0]].aliases) == (names, aliases)


def test_global_lines_are_indented_and_belong_to_no_stanza() -> None:
    device = read(
        f"{PORT} mtu 9000\n#\n sysname leaf1\n#\n priority-flow-control enable\n"
        " priority-flow-control no-drop dot1p 3\n"
    )
    assert (device.at["hostname"], device.partial) == (5, False)
    qos = device.interfaces["HundredGigE1/0/1"].qos
    assert (qos.pfc.mode, line(qos.pfc, "mode"), qos.pfc.generate) == (PfcMode.ON, 7, {3})
    assert notes(device, NoteKind.UNRECOGNISED) == []


ON = " priority-flow-control enable\n"
LOSSLESS = " priority-flow-control no-drop dot1p {}\n"


@pytest.mark.parametrize(
    ("lines", "mode", "sent", "stated"),
    [
        (ON + LOSSLESS.format(3), PfcMode.ON, {3}, 6),
        (ON + LOSSLESS.format("3,5-6"), PfcMode.ON, {3, 5, 6}, 6),
        (ON + LOSSLESS.format("3 to 4"), PfcMode.ON, {3, 4}, 6),
        (ON + LOSSLESS.format(3) + LOSSLESS.format(4), PfcMode.ON, {4}, 7),
        (ON, PfcMode.ON, set(), 0),
        (LOSSLESS.format(3), PfcMode.OFF, set(), 0),
        (" mtu 9000\n", PfcMode.OFF, set(), 0),
        (" priority-flow-control auto\n" + LOSSLESS.format(3), PfcMode.AUTO, None, 0),
        (ON + LOSSLESS.format(3) + " undo priority-flow-control\n", PfcMode.OFF, set(), 7),
    ],
)
def test_pfc_needs_both_lines(lines: str, mode, sent: set[int] | None, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}{PORT}{lines}")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (mode, sent, sent)
    assert line(qos.pfc, "generate") == stated
    assert qos.pfc.where("generate").confirmed


def test_what_is_named_lossless_and_is_not_in_force() -> None:
    _, qos = qos_of(f"{NAMED}{PORT}{LOSSLESS.format(3)}")
    assert (qos.pfc.named, line(qos.pfc, 3), qos.pfc.generate) == (frozenset({3}), 5, frozenset())


@pytest.mark.parametrize(
    ("system", "own", "mode", "sent"),
    [
        (ON + LOSSLESS.format(3), "", PfcMode.ON, {3}),
        (ON + LOSSLESS.format(3), ON + LOSSLESS.format(3), PfcMode.ON, {3}),
        (LOSSLESS.format(3), ON, PfcMode.ON, {3}),
        (ON + LOSSLESS.format(3), LOSSLESS.format(4), PfcMode.ON, None),
        (ON + LOSSLESS.format(3), " undo priority-flow-control\n", None, None),
    ],
)
def test_of_two_places_that_differ_it_is_not_known_which_holds(
    system: str, own: str, mode, sent: set[int] | None
) -> None:
    device, qos = qos_of(f"{NAMED}{system}#\n{PORT} mtu 9000\n{own}")
    assert (qos.pfc.mode, qos.pfc.generate) == (mode, sent)
    said = [message.split(":")[0] for _, message in notes(device, NoteKind.REMARK)]
    differs = {True: "the device states PFC otherwise"}.get(
        mode is None, "the device states the lossless priorities otherwise"
    )
    assert said == ([differs] if sent is None else [])


def test_a_part_of_a_configuration_does_not_tell_what_is_off() -> None:
    _, qos = qos_of(f"{PORT} mtu 9000\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.watchdog.enabled) == (None, None, None)


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


def test_the_paused_priority_is_the_one_that_leads_to_the_class() -> None:
    device, qos = qos_of(
        f"{NAMED}qos map-table dot1p-lp\n import 5 export 4\n import 4 export 5\n"
        f"#\n{PORT} qos trust dscp\n"
    )
    maps = device.qos.forwardings[qos.forwarding]
    assert [maps.tc_to_pfc_priority.get(tc) for tc in (3, 4, 5)] == [3, 5, 4]
    assert [maps.pfc_priority_to_queue.get(priority) for priority in (3, 4, 5)] == [3, 5, 4]
    assert [maps.tc_to_queue.get(tc) for tc in range(8)] == list(range(8))
    assert (line(maps.tc_to_pfc_priority, 4), line(maps.tc_to_pfc_priority, 3)) == (5, 0)


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
    assert queues[0] is None
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
    assert (line(qos, "egress"), line(without, "egress")) == (10, 9)


def test_a_table_that_nothing_defines_reaches_the_pairs_of_its_port(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {"wred apply ROCE": "wred apply RCOE"})
    (finding,) = [f for f in report.findings if f.rule == "MAP003"]
    assert finding.location is not None
    assert (finding.location.file, finding.location.line) == ("leaf1.cfg", 49)
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (2, 2)


def test_lines_of_queues_are_those_of_each_port() -> None:
    text = f"interface HundredGigE1/0/{{}}\n{LIMITS.format('')}{ECN}"
    device = read(NAMED + text.format(1) + text.format(2))
    found = [
        line(device.qos.egress[port.qos.egress].queue(3).marking, "ecn")
        for port in device.interfaces.values()
    ]
    assert found == [6, 9]


def test_deadlock_detection() -> None:
    system = (
        " priority-flow-control deadlock cos 3 interval 10\n"
        " priority-flow-control deadlock auto-recover action discard\n"
    )
    _, qos = qos_of(f"{NAMED}{system}#\n{PORT} priority-flow-control deadlock enable\n")
    watchdog = qos.watchdog
    assert (watchdog.enabled, line(watchdog, "enabled")) == (True, 8)
    assert (watchdog.priorities, line(watchdog, "priorities")) == (frozenset({3}), 4)
    assert (watchdog.action, watchdog.detection_ms) == (WatchdogAction.DROP, None)
    _, qos = qos_of(f"{NAMED}{PORT} mtu 9000\n")
    assert (qos.watchdog.enabled, qos.watchdog.action) == (False, WatchdogAction.FORWARD)


def test_pool_of_headroom() -> None:
    device = read(f"{NAMED} priority-flow-control poolid 0 headroom 80000\n")
    pool = device.pools["pool 0"]
    assert (pool.use, pool.headroom_cells, line(pool, "headroom_cells")) == (
        PoolUse.HEADROOM, 80_000, 4,
    )  # fmt: skip


@pytest.mark.parametrize(("more", "said"), [("", [4]), (" buffer apply\n", [])])
def test_buffer_lines_that_are_not_applied(more: str, said: list[int]) -> None:
    device = read(f"{NAMED} buffer egress cell queue 3 shared ratio 100\n{more}")
    assert [at for at, _ in notes(device, NoteKind.REMARK)] == said


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated", "confirmed"),
    [
        (" port link-mode route\n mtu 9000\n", 9000, 6, True),
        (" port link-mode route\n mtu 9416\n jumboframe enable 9416\n", 9402, 7, True),
        (" port link-mode route\n", 1500, 0, False),
        (" port link-mode bridge\n jumboframe enable 9416\n", 9402, 6, True),
        (" port link-mode bridge\n undo jumboframe enable\n", 1522, 6, True),
        (" port link-mode bridge\n", None, 0, False),
    ],
)
def test_two_mtus(lines: str, ip_mtu: int | None, stated: int, confirmed: bool) -> None:
    port = read(f"{NAMED}{PORT}{lines}").interfaces["HundredGigE1/0/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed is (confirmed or ip_mtu is None)


@pytest.mark.parametrize(
    ("mode", "channel"), [("bridge", "Bridge-Aggregation10"), ("route", "Route-Aggregation10")]
)
def test_members_of_an_aggregation(mode: str, channel: str) -> None:
    device = read(
        f"interface {channel}\n jumboframe enable 9000\n"
        f"{PORT} port link-mode {mode}\n port link-aggregation group 10\n"
    )
    port = device.interfaces["HundredGigE1/0/1"]
    assert (port.lag, device.interfaces[channel].members) == (channel, ("HundredGigE1/0/1",))
    assert (port.routed, port.frame_mtu, line(port, "frame_mtu")) == (mode == "route", 9000, 3)


def test_vlans() -> None:
    device = read(
        f"{PORT} port link-type trunk\n port trunk permit vlan 10 20 to 22\n"
        " port trunk pvid vlan 10\ninterface HundredGigE1/0/2\n port access vlan 30\n"
    )
    first, second = device.interfaces.values()
    assert (first.untagged_vlan, first.tagged_vlans, first.routed) == (
        10, frozenset({20, 21, 22}), False,
    )  # fmt: skip
    assert (second.untagged_vlan, second.tagged_vlans) == (30, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{PORT} mtu x\n", "mtu 'x' is not a number from 46 to 65535"),
        (f"{PORT} jumboframe enable 9\n", "jumboframe '9' is not a number from 1536 to 65535"),
        (f"{PORT}{LOSSLESS.format(9)}", "'9' is not a list of priorities"),
        (f"{PORT} qos wred queue 9 ecn\n", "'9' is not a queue"),
        (f"{PORT} qos wred queue 3 low-limit x\n", "'low-limit x' are no limits of a queue"),
        (f"{PORT} qos wfq af9 group sp\n", "'af9' is not a queue"),
        (f"{PORT} qos wfq af3 group x\n", "'group x' is no turn of a queue"),
        (f"{PORT} qos gts queue 3 cir x\n", "cir 'x' is not a number from 1 to 10000000000"),
        (f"{PORT} qos priority 9\n", "priority '9' is not a number from 0 to 7"),
        ("qos map-table dscp-dot1p\n import 64 export 3\n", "'64' is not a list of code points"),
        ("qos map-table dscp-dot1p\n import 26 export 9\n", "export '9' is not a number from 0 to 7"),
        (" priority-flow-control deadlock auto-recover action wait\n", "'wait' is not discard or forwarding"),
        (" priority-flow-control poolid 0 headroom x\n", "headroom 'x' is not a number from 0 to 16777216"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, said: str) -> None:
    assert [message for _, message in notes(read(text))] == [said]


def test_a_code_point_with_a_wrong_class_is_unknown() -> None:
    device = read(f"{NAMED}qos map-table dscp-dot1p\n import 26 export 9\n")
    assert entry(device, 26)[0] is None


def test_cut_off_anywhere_it_is_read() -> None:
    for end in range(len(LEAF)):
        assert read(LEAF[:end]).nos == "comware"


def test_a_right_pair_of_leaves_is_silent(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {})
    assert [traffic.name for traffic in report.classes] == ["RoCE DSCP 26", "CNP DSCP 48"]
    assert [finding.message for finding in report.findings] == []
    # How a model sizes headroom in bytes is not in the file.
    assert {group.rule for group in report.unknowns} == {"BUF001"}


MAP = "#\nqos wred queue table"
TO_ONE = "#\nqos map-table dscp-dot1p\n import {} export {}\n#\nqos wred queue table"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (ON, "", [("error", "PFC009", 18), ("error", "PFC009", 35)]),
        (LOSSLESS.format(3), "", [("error", "PFC003", 24), ("error", "PFC003", 41)]),
        (LOSSLESS.format(3), LOSSLESS.format(4), [("error", "PFC001", 25), ("error", "PFC001", 43)]),
        (ON, ON.replace("enable", "auto"), [("warning", "PFC007", 24), ("warning", "PFC007", 42)]),
        (" qos trust dscp\n", "", [("error", "MAP002", 18), ("error", "MAP002", 35)]),
        (MAP, TO_ONE.format(26, 4), [("error", "MAP001", 13)]),
        (MAP, TO_ONE.format(48, 3), [("error", "CLS002", 13)]),
        (" qos wred queue 3 ecn\n", "", [("error", "ECN002", 31)]),
        ("wred apply ROCE", "wred apply RCOE", [("error", "MAP003", 49)]),
        ("\n queue 3 ecn\n", "\n", [("error", "ECN002", 13)]),
        (" mtu 9100\n", " mtu 1500\n", [("error", "MTU001", 21), ("error", "MTU001", 39)]),
        (" priority-flow-control deadlock enable\n", "", [("warning", "PFC020", 18)]),
        ("cs6 group sp", "af3 group sp", [("warning", "CLS005", 30), ("warning", "CLS005", 48)]),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(tmp_path: Path, old: str, new: str, found: list) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {old: new})
    said = [(sev, rule, at) for sev, rule, file, at in causes(report) if file == "leaf1.cfg"]
    assert said == found


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        (MAP, TO_ONE.format(26, 2), {"MAP001"}),  # the local precedence of 2 is not confirmed
        (" mtu 9100\n", "", {"MTU001"}),  # nor is an MTU of 1500 without a line
    ],
)
def test_what_nobody_confirmed_is_at_most_a_warning(
    tmp_path: Path, old: str, new: str, rules: set[str]
) -> None:
    found = causes(judged(tmp_path, LEAF, *PORTS, {old: new}))
    assert {(severity, rule) for severity, rule, _, _ in found} == {("warning", r) for r in rules}


def test_what_two_places_state_otherwise_is_no_error(tmp_path: Path) -> None:
    changes = {
        " lldp global enable\n": " lldp global enable\n priority-flow-control no-drop dot1p 4\n"
    }
    report = judged(tmp_path, LEAF, *PORTS, changes)
    assert causes(report) == []
    assert "PFC001" in {group.rule for group in report.unknowns}
