"""Trust, DSCP map, PFC, classes and buffers of a port, with their lines and defaults."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import PfcConfig, PfcMode, PortQos, SchedulerKind, ShareKind, Trust
from roce_lint.model.sourced import Concern
from roce_lint.nos.linux import defaults
from tests.nos.linux.reading import MLNX_QOS, notes, read
from tests.nos.reader import default_sentence, line

SHOW = "mlnx_qos -i ens1"


def qos_of(device: Device, port: str = "ens1") -> PortQos:
    qos = device.interfaces[port].qos
    assert qos is not None
    return qos


def pfc_of(device: Device, port: str = "ens1") -> PfcConfig:
    pfc = qos_of(device, port).pfc
    assert pfc is not None
    return pfc


def test_mlnx_qos() -> None:
    device = read((SHOW, MLNX_QOS))
    qos = qos_of(device)
    assert (qos.trust, line(qos, "trust")) == (Trust.DSCP, 3)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.entries, line(codes, 26)) == ({0: 0, 26: 3, 48: 6}, 6)
    pfc = pfc_of(device)
    assert (pfc.mode, pfc.generate, pfc.honour) == (PfcMode.ON, frozenset({3}), frozenset({3}))
    assert (line(pfc, "generate"), pfc.cable_m, line(pfc, "cable_m")) == (13, 7.0, 10)
    maps = device.qos.forwardings["ens1"]
    assert maps.tc_to_queue.entries == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 7}
    assert [line(maps.tc_to_queue, priority) for priority in (0, 3, 7)] == [16, 22, 26]
    assert (maps.tc_to_pg.get(3), line(maps.tc_to_pg, 3)) == (1, 14)
    assert maps.tc_to_pfc_priority.entries == {n: n for n in range(8)}
    assert default_sentence(maps.tc_to_pfc_priority, 3) == defaults.PAUSE_IS_PRIORITY.says
    assert maps.pfc_priority_to_queue.get(3) == 3


def test_classes_and_buffers() -> None:
    device = read((SHOW, MLNX_QOS))
    policy = device.qos.egress["ens1"]
    third, sixth, seventh = (policy.queue(n) for n in (3, 6, 7))
    assert third is not None
    assert sixth is not None
    assert seventh is not None
    ets, strict, first = third.scheduler, sixth.scheduler, seventh.scheduler
    assert ets is not None
    assert strict is not None
    assert first is not None
    assert (ets.kind, ets.share, ets.share_of) == (SchedulerKind.WEIGHTED, 50, ShareKind.REMAINING)
    assert (ets.shape_bps, line(ets, "shape_bps")) == (100_000_000_000, 21)
    assert (strict.kind, strict.strict_level, first.strict_level) == (SchedulerKind.STRICT, 2, 1)
    groups = device.qos.ingress_buffers["ens1"].groups
    assert (groups[1].lossless, groups[1].reserved_bytes, line(groups[1])) == (True, 130944, 9)
    assert (groups[0].lossless, groups[2].reserved_bytes) == (False, 0)


def test_a_dscp_that_is_not_listed_is_priority_0_unconfirmed() -> None:
    codes = read((SHOW, MLNX_QOS)).qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(10), codes.key(10)) == (0, "otherwise")
    assert default_sentence(codes, "otherwise") == defaults.UNLISTED_DSCP.says
    assert not codes.where("otherwise").confirmed


def test_a_dscp_under_two_priorities_is_unknown() -> None:
    device = read((SHOW, MLNX_QOS.replace("prio:6 dscp:48,", "prio:6 dscp:48,26,")))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    # The others are listed, since `otherwise` would include 26.
    assert (codes.get(26), codes.otherwise, codes.get(10)) == (None, None, 0)
    assert notes(device, NoteKind.AMBIGUOUS) == [
        "ens1: DSCP 26 is mapped to priority 3 and 6; which one the NIC uses is not known"
    ]


def test_a_priority_in_two_traffic_classes_is_noted() -> None:
    text = MLNX_QOS.replace("priority:  6", "priority:  3")
    assert notes(read((SHOW, text)), NoteKind.AMBIGUOUS) == [
        "ens1: priority 3 is in traffic class 3 and in 6; which one the NIC uses is not known"
    ]


def test_trust_pcp_shows_what_the_map_would_be() -> None:
    text = MLNX_QOS.replace("trust state: dscp", "trust state: pcp").replace("\tprio:", "\tno:")
    device = read((SHOW, text))
    qos = qos_of(device)
    assert (qos.trust, qos.default_pcp, line(qos, "default_pcp")) == (Trust.PCP, 0, 0)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert codes.entries == {dscp: dscp >> 3 for dscp in range(64)}
    assert codes.where(26).confirmed


def test_a_map_that_was_not_captured_is_the_usual_one_unconfirmed() -> None:
    device = read(("cat /sys/class/net/ens1/qos/trust", "dscp\n"))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(26), codes.where(26).confirmed) == (3, False)
    assert qos_of(device).trust is Trust.DSCP


def test_a_default_priority_is_that_of_the_rest() -> None:
    device = read((SHOW, MLNX_QOS.replace("default priority:", "default priority:\t5")))
    assert (qos_of(device).default_pcp, line(qos_of(device), "default_pcp")) == (5, 8)
    assert device.qos.classifiers["ens1"].dscp_to_tc.get(10) == 5


@pytest.mark.parametrize(
    ("driver", "confirmed"), [("mlx5_core", True), ("ice", False), ("bnxt_en", False)]
)
def test_an_empty_app_table_means_trust_pcp(driver: str, confirmed: bool) -> None:
    device = read(
        ("ethtool -i ens1", f"driver: {driver}\nfirmware-version: 1\n"),
        ("dcb -j app show dev ens1", "{ }\n"),
    )
    qos = qos_of(device)
    assert (qos.trust, qos.where("trust").confirmed) == (Trust.PCP, confirmed)


def test_dscp_entries_mean_trust_dscp() -> None:
    device = read(("dcb -j app show dev ens1", '{"dscp_prio":[[26,3],[48,6]]}\n'))
    qos = qos_of(device)
    assert (qos.trust, qos.stated("trust")) == (Trust.DSCP, True)
    assert device.qos.classifiers["ens1"].dscp_to_tc.entries == {26: 3, 48: 6}


@pytest.mark.parametrize(
    ("order", "trust"),
    [("dscp", Trust.DSCP), ("pcp", Trust.PCP), ("dscp pcp", Trust.BOTH), ("pcp dscp", None)],
)
def test_apptrust(order: str, trust: Trust | None) -> None:
    listed = ",".join(f'"{word}"' for word in order.split())
    as_json = read(("dcb -j apptrust show dev ens1", f'{{"order":[{listed}]}}\n'))
    as_text = read(("dcb apptrust show dev ens1", f"order: {order} \n"))
    for device in (as_json, as_text):
        qos = device.interfaces["ens1"].qos if device.interfaces else None
        assert (qos.trust if qos else None) is trust
        assert bool(notes(device, NoteKind.UNRECOGNISED)) == (trust is None)


def test_json_and_text_say_the_same() -> None:
    texts = (
        ("pfc", "pfc-cap 8 macsec-bypass off delay 5 \nprio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off \n"),
        ("ets", "willing off ets-cap 8 cbs off \ntc-bw 0:40 1:60 2:0 3:0 4:0 5:0 6:0 7:0 \ntc-tsa 0:ets 1:ets 2:strict 3:strict 4:strict 5:strict 6:strict 7:vendor \nprio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:0 \n"),
        ("app", "default-prio 2 \ndscp-prio AF31:3 CS6:6 9:1 \n"),
        ("buffer", "prio-buffer 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0 \nbuffer-size 0:128Kb 1:130944b 2:1Mb 3:0b 4:0b 5:0b 6:0b 7:0b \ntotal-size 524032b \n"),
        ("dcbx", "host ieee \n"),
    )  # fmt: skip
    trees = (
        ("pfc", '{"pfc_cap":8,"macsec_bypass":false,"delay":5,"prio_pfc":[false,false,false,true,false,false,false,false]}'),
        ("ets", '{"willing":false,"tc_bw":[40,60,0,0,0,0,0,0],"tc_tsa":["ets","ets","strict","strict","strict","strict","strict","vendor"],"prio_tc":[0,0,0,1,0,0,2,0]}'),
        ("app", '{"default_prio":[2],"dscp_prio":[[26,3],[48,6],[9,1]]}'),
        ("buffer", '{"prio_buffer":[0,0,0,1,0,0,0,0],"buffer_size":[131072,130944,1048576,0,0,0,0,0],"total_size":524032}'),
        ("dcbx", '{"host":true,"ieee":true}'),
    )  # fmt: skip
    text = read(*((f"dcb {what} show dev ens1", body) for what, body in texts))
    tree = read(*((f"dcb -j {what} show dev ens1", body) for what, body in trees))
    assert text.interfaces == tree.interfaces
    assert text.qos == tree.qos
    assert text.qos.ingress_buffers["ens1"].groups[2].reserved_bytes == 1_048_576
    assert pfc_of(tree).generate == frozenset({3})
    assert pfc_of(tree).dcbx == "ieee"
    assert qos_of(tree).default_pcp == 2


def test_the_delay_is_a_length_on_nvidia_only() -> None:
    body = '{"delay":5,"prio_pfc":[false,false,false,true,false,false,false,false]}'
    for driver, length in (("mlx5_core", 5.0), ("ice", None)):
        device = read(
            ("ethtool -i ens1", f"driver: {driver}\nfirmware-version: 1\n"),
            ("dcb -j pfc show dev ens1", body),
        )
        assert pfc_of(device).cable_m == length


@pytest.mark.parametrize(
    ("before", "after", "agents", "place"),
    [
        ("OS controlled", "OS controlled", frozenset(), 2),
        ("OS controlled", "Firmware controlled", frozenset({"firmware"}), 2),
        (
            "DCBX mode",
            "****** WARNING: lldpad service is running and may overwrite your settings ******\n\nDCBX mode",
            frozenset({"lldpad"}),
            2,
        ),
    ],
)
def test_who_may_change_settings(
    before: str, after: str, agents: frozenset[str], place: int
) -> None:
    pfc = pfc_of(read((SHOW, MLNX_QOS.replace(before, after))))
    assert (pfc.agents, line(pfc, "agents")) == (agents, place)


def test_a_damaged_line_of_the_map_leaves_out_what_is_damaged() -> None:
    device = read((SHOW, MLNX_QOS.replace("prio:3 dscp:26,", "prio:3 dscp:99,26,")))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(26), line(codes, 26)) == (3, 6)
    assert notes(device, NoteKind.BAD_VALUE) == [
        "the line does not map DSCPs to a priority from 0 to 7"
    ]
    # Any DSCP may have been on the line, so an unlisted one has no known entry.
    assert default_sentence(codes, 30) == defaults.DSCP_MAP_UNSEEN.says


def test_a_line_of_the_map_that_is_not_understood_may_hold_any_code_point() -> None:
    device = read((SHOW, MLNX_QOS.replace("prio:3 dscp:26,", "prio:3 dscp:2\ufffd,")))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert default_sentence(codes, 26) == defaults.DSCP_MAP_UNSEEN.says
    assert [line(n) for n in device.notes if n.kind is NoteKind.UNRECOGNISED] == [6]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ('[[26,"x"],[48,6]]', "dscp_prio is not a list of pairs of a DSCP and a priority"),
        ("[[26],[48,6]]", "dscp_prio is not a list of pairs of a DSCP and a priority"),
        ("[[99,3],[48,6]]", "DSCP 99 to priority 3 is out of range"),
    ],
)
def test_a_damaged_entry_of_the_app_table_may_be_of_any_code_point(
    pairs: str, message: str
) -> None:
    device = read(("dcb -j app show dev ens1", f'{{"dscp_prio":{pairs}}}\n'))
    assert notes(device, NoteKind.BAD_VALUE) == [message]
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(48), default_sentence(codes, 26)) == (6, defaults.DSCP_MAP_UNSEEN.says)


def test_an_empty_app_table_is_what_decides_the_trust() -> None:
    link = ("ip link", "2: ens1: <UP,LOWER_UP> mtu 9000 qdisc mq state UP\n")
    driver = ("ethtool -i ens1", "driver: mlx5_core\nfirmware-version: 1\n")
    qos = qos_of(read(link, driver, ("dcb -j app show dev ens1", "{ }\n")))
    assert (qos.trust, default_sentence(qos, "trust")) == (Trust.PCP, defaults.TRUST_PCP_MLX5.says)
    where = qos.where("trust")
    assert qos.src.files[qos.src.file_of(qos.where().position)].source == "dcb-app-json"
    assert where.citation is not None


def test_a_script_that_empties_the_table_before() -> None:
    script = "#!/bin/sh\nls -d /sys/class/net/ens1/device/infiniband/rocep1s0 > /dev/null\n"
    add = "dcb app add dev ens1 dscp-prio 26:3\n"
    flush = "dcb app flush dev ens1 dscp-prio\n"
    for text, seven in ((add, None), (flush + add, 0), (add + flush, None)):
        device = read(("roce.sh", script + text))
        codes = device.qos.classifiers["ens1"].dscp_to_tc if device.qos.classifiers else None
        assert device.nics["rocep1s0"].port == "ens1"
        assert (codes.otherwise if codes is not None else None) == seven


WARNED = (
    "****** WARNING: lldpad service is running and may overwrite your settings ******\n" + MLNX_QOS
)
FIRMWARE = MLNX_QOS.replace("OS controlled", "Firmware controlled")
BY_HAND = ("roce.sh", "#!/bin/sh\nmlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0\n")
BY_LLDPAD = ("roce.sh", "#!/bin/sh\nlldptool -T -i ens1 -V PFC enabled=3\n")


@pytest.mark.parametrize(
    ("shown", "more", "agent", "set_at"),
    [
        (WARNED, (), "lldpad", 0),
        (WARNED, (BY_HAND,), "lldpad", 2),
        (WARNED, (BY_LLDPAD,), None, 0),  # what it would set is compared as a setting
        (WARNED, (("lldptool -t -i ens1 -V PFC -c", "willing=no\nenabled=3\n"),), None, 0),
        (FIRMWARE, (), None, 0),  # the host may leave everything to it
        (FIRMWARE, (BY_HAND,), "firmware", 2),
        (WARNED.replace("OS controlled", "Firmware controlled"), (BY_HAND,), None, 0),  # two
        (MLNX_QOS, (BY_HAND,), None, 0),
    ],
)
def test_an_agent_that_may_replace_what_the_operator_set(
    shown: str, more: tuple[tuple[str, str], ...], agent: str | None, set_at: int
) -> None:
    pfc = pfc_of(read((SHOW, shown), *more))
    assert (pfc.overwriter, line(pfc, "overwriter")) == (agent, 2 if agent else 0)
    assert line(pfc, Concern.SETTER) == set_at


def test_copies_without_tabs_give_the_same() -> None:
    for change in (
        lambda text: text.replace("\t", "        "),
        lambda text: text.replace("\t", ""),
        lambda text: "".join(f"    {each}\n" for each in text.strip().split("\n")),
        lambda text: text.replace("\n", "\r\n"),
    ):
        assert read((SHOW, change(MLNX_QOS))).qos == read((SHOW, MLNX_QOS)).qos


def test_nothing_supported_is_unknown() -> None:
    text = (
        "Priority trust state is not supported on your system\n"
        "Buffers commands are not supported on your system\n"
        "Rate limit is not supported on your system!\n"
        "ETS features are not supported on your system\n"
    )
    device = read((SHOW, text))
    assert (device.interfaces, device.notes) == ({}, [])


@pytest.mark.parametrize(
    "refusal", ["", "Attribute read: Operation not supported\n", "bash: dcb: command not found\n"]
)
def test_json_that_was_refused_is_unknown(refusal: str) -> None:
    device = read(("dcb -j pfc show dev ens1", refusal), (SHOW, MLNX_QOS))
    assert pfc_of(device).generate == frozenset({3})
    assert notes(device, NoteKind.CONFLICT) == []
