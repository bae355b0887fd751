"""Broadcom adapters: niccli, bnxt_setupcc.sh and congestion control in configfs."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Certainty
from roce_lint.model.qos import SchedulerKind, Trust
from roce_lint.nos.linux import defaults
from tests.nos.linux.reading import notes, read
from tests.nos.reader import default_sentence, line

LINK = ("rdma link", "link bnxt_re0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
QOS = """
IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2
         TC Bandwidth: 50% 50% 0%
         TSA_MAP: 0:ets 1:ets 2:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: 3
IEEE 8021QAZ APP TLV:
         APP#0:
          Priority: 7
          Sel: 5
          DSCP: 48

         APP#1:
          Priority: 3
          Sel: 5
          DSCP: 26

         APP#2:
          Priority: 3
          Sel: 3
          UDP or DCCP: 4791

TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%
"""


def test_the_state_that_niccli_shows() -> None:
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", QOS))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, qos.pfc.generate, line(qos.pfc, "generate")) == (
        Trust.DSCP,
        frozenset({3}),
        7,
    )
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert [(d, codes.get(d), line(codes, d)) for d in (26, 48)] == [(26, 3, 15), (48, 7, 10)]
    assert (codes.get(0), default_sentence(codes, "otherwise")) == (
        0,
        defaults.UNLISTED_DSCP.says,
    )
    queues = device.qos.forwardings["ens1"].tc_to_queue
    assert (queues.entries[3], queues.entries[7], line(queues, 3)) == (1, 2, 3)
    nic = device.nics["bnxt_re0"]
    assert (nic.cnp_dscp, line(nic, "cnp_dscp"), nic.cnp_priority) == (48, 10, 7)
    assert device.notes == []


def test_numbers_of_niccli_come_from_its_list() -> None:
    listed = """
    1) Broadcom BCM57608 1x400G QSFP-DD PCIe Ethernet NIC (Adp#1 Port#1)
        Device Interface                          : ens1
        MAC Address                               : 81:82:83:84:85:88
    2) Broadcom BCM57608 1x400G QSFP-DD PCIe Ethernet NIC (Adp#2 Port#1)
        Device Interface                          : ens2
    """
    device = read(("niccli -dev 2 getqos", QOS), ("niccli --list_devices", listed))
    assert {name for name, port in device.interfaces.items() if port.qos} == {"ens2"}


@pytest.mark.parametrize("end", ["APP#1:\n", "Priority: 3\n", "Sel: 5\n"])
def test_an_answer_that_ends_within_an_entry(end: str) -> None:
    cut = QOS[: QOS.index(end, QOS.index("APP#1")) + len(end)]
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", cut))
    assert [(n.message, line(n)) for n in device.notes] == [
        ("the output ends within this APP entry: others may be missing", 14)
    ]
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(48), line(codes, 48)) == (7, 10)
    assert default_sentence(codes, 26) == defaults.DSCP_MAP_UNSEEN.says


def test_the_words_of_a_refusal_are_reported() -> None:
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", "ERROR: no such device\n"))
    assert [(n.kind, n.message, line(n)) for n in device.notes] == [
        (
            NoteKind.UNRECOGNISED,
            "nothing of this output is understood: ERROR: no such device",
            2,
        )
    ]


def test_a_number_without_the_list_is_left_aside() -> None:
    device = read(LINK, ("niccli -dev 2 getqos", QOS))
    assert device.interfaces["ens1"].qos is None
    assert [line(note) for note in device.notes] == [1]


def test_a_pci_address_is_that_of_the_driver() -> None:
    driver = "driver: bnxt_en\nbus-info: 0000:22:00.0\n"
    device = read(("ethtool -i ens1", driver), ("niccli --dev 0000:22:00.0 qos --ets --show", QOS))
    assert device.interfaces["ens1"].qos is not None


def test_no_priority_is_paused() -> None:
    device = read(("bnxtqos -dev=ens1 get_qos", QOS.replace("enabled: 3", "enabled: none")))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, line(qos.pfc, "generate")) == (frozenset(), 7)


def test_what_the_setup_script_sets() -> None:
    script = (
        "#!/bin/sh\nbnxt_setupcc.sh -d bnxt_re0 -i ens1 -m 3 -r 3 -s 0x1a -c 7 -p 48 -b 60 -u 3\n"
    )
    device = read(LINK, ("roce.sh", script))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, qos.pfc.link_pause_rx, qos.pfc.link_pause_tx) == (
        frozenset({3}),
        False,
        False,
    )
    assert device.qos.classifiers["ens1"].dscp_to_tc.entries[26] == 3
    queues = device.qos.forwardings["ens1"].tc_to_queue.entries
    assert queues == {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0}
    nic = device.nics["bnxt_re0"]
    assert (nic.own_dscp, nic.cnp_dscp, nic.cnp_priority) == (26, 48, 7)
    assert (nic.np_priorities, line(nic, "rp_priorities")) == (frozenset(range(8)), 2)


@pytest.mark.parametrize(
    ("mode", "paused", "controlled"),
    [("1", {3}, set()), ("2", set(), set(range(8))), ("3", {3}, set(range(8)))],
)
def test_modes_of_the_setup_script(mode: str, paused: set[int], controlled: set[int]) -> None:
    script = f"#!/bin/sh\nbnxt_setupcc.sh -d bnxt_re0 -i ens1 -m {mode} -r 3 -s 26\n"
    device = read(LINK, ("roce.sh", script))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, device.nics["bnxt_re0"].rp_priorities) == (paused, controlled)


def test_the_setup_script_beside_the_live_state() -> None:
    script = "#!/bin/sh\nbnxt_setupcc.sh -i ens1 -m 3 -r 5 -s 26 -c 7 -p 48\n"
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", QOS), ("roce.sh", script))
    assert sorted(notes(device, NoteKind.DRIFT)) == [
        (
            "ens1 DSCP to priority is not what roce.sh sets (DSCP 26 = 3 and 5; first what is now),"
            " lost at reboot or never applied"
        ),
        (
            "ens1 PFC is not what roce.sh sets (priority 3 = on and off; priority 5 = off and on; first what is now),"
            " lost at reboot or never applied"
        ),
        (
            "ens1 priority to class is not what roce.sh sets (priority 3 = 1 and 0;"
            " priority 5 = 0 and 1; first what is now), lost at reboot or never applied"
        ),
    ]


NO_CNP_ENTRY = QOS.replace(
    """         APP#0:
          Priority: 7
          Sel: 5
          DSCP: 48

""",
    "",
)


@pytest.mark.parametrize(
    ("shown", "options", "missing"),
    [
        (NO_CNP_ENTRY, "", True),  # a class for CNPs is live: the script makes the entry with it
        (NO_CNP_ENTRY.replace("7:2", "7:0"), "", False),  # the firmware may have no such service
        (NO_CNP_ENTRY, " -C 1", True),
        (NO_CNP_ENTRY, " -m 1", False),  # PFC alone sets nothing up for CNPs
        (QOS, "", False),
    ],
)
def test_an_entry_of_the_setup_script_that_is_not_live(
    shown: str, options: str, missing: bool
) -> None:
    script = f"#!/bin/sh\nbnxt_setupcc.sh -i ens1 -r 3 -s 26 -c 7 -p 48 -b 50{options}\n"
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", shown), ("roce.sh", script))
    found = [
        (note.message, line(note))
        for note in device.notes
        if note.kind is NoteKind.DRIFT and "DSCP" in note.message
    ]
    message = (
        "ens1 DSCP to priority is not what roce.sh sets (DSCP 48 = none and 7; first what is now),"
        " lost at reboot or never applied"
    )
    assert found == ([(message, 2)] if missing else [])


def test_the_setup_script_with_a_service_for_cnps() -> None:
    script = "#!/bin/sh\nbnxt_setupcc.sh -i ens1 -r 3 -s 26 -c 7 -p 48 -C 1\n"
    device = read(LINK, ("roce.sh", script))
    assert device.qos.forwardings["ens1"].tc_to_queue.entries[7] == 2
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.entries, codes.otherwise) == ({26: 3, 48: 7}, 0)  # it empties the table before
    queue = device.qos.egress["ens1"].queue(2)
    assert queue is not None
    assert queue.scheduler is not None
    assert queue.scheduler.kind is SchedulerKind.STRICT


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("-d bnxt_re0 -r 3 -s 26", "-i INTERFACE is missing"),
        ("-d bnxt_re0 -i ens1 -s 26", "-r PRIORITY is missing"),
        ("-i ens1 -r 3 -u 9", "-u 9 is not one of 1, 2, 3, 4"),
        ("-i ens1 -r 3 -m 4", "-m 4 is not one of 1, 2, 3"),
    ],
)
def test_what_the_setup_script_refuses(words: str, why: str) -> None:
    device = read(LINK, ("roce.sh", f"#!/bin/sh\nbnxt_setupcc.sh {words}\n"))
    assert [(n.kind, n.message, line(n)) for n in device.notes] == [
        (
            NoteKind.LEXICAL,
            f"bnxt_setupcc.sh {why}: it prints its usage and sets nothing",
            2,
        )
    ]
    assert device.interfaces["ens1"].qos is None


def test_words_that_only_the_running_script_knows_are_not_checked() -> None:
    device = read(LINK, ("roce.sh", "#!/bin/sh\nbnxt_setupcc.sh -d bnxt_re0 $OPTIONS\n"))
    assert device.notes == []


CC = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc"


def test_congestion_control_of_configfs() -> None:
    shown = f"{CC}/ecn_enable:0x0\n{CC}/roce_dscp:0x1a\n{CC}/cnp_dscp:0x30\n{CC}/cnp_prio:0x7\n"
    device = read(LINK, (f"grep -r . {CC}/", shown))
    nic = device.nics["bnxt_re0"]
    assert (nic.own_dscp, nic.cnp_dscp, nic.cnp_priority) == (26, 48, 7)
    assert [line(nic, name) for name in ("own_dscp", "cnp_dscp", "cnp_priority")] == [3, 4, 5]
    assert (nic.np_priorities, line(nic, "np_priorities")) == (frozenset(), 2)


def test_the_priority_of_configfs_beside_that_of_the_table() -> None:
    shown = f"{CC}/roce_dscp:0x1a\n{CC}/roce_prio:0x4\n"
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", QOS), (f"grep -r . {CC}/", shown))
    assert notes(device, NoteKind.CONFLICT) == [
        "bnxt_re0 sends RoCE with priority 4, and ens1 gives its DSCP 26 priority 3"
    ]


def test_values_in_force() -> None:
    device = read(
        LINK, (f"cat {CC}/apply", "ecn status (ecn_enable): Enabled\nroce dscp (roce_dscp): 26\n")
    )
    nic = device.nics["bnxt_re0"]
    assert (nic.own_dscp, line(nic, "own_dscp"), nic.np_priorities) == (26, 3, None)


def test_values_that_a_script_writes() -> None:
    device = read(
        LINK, ("cc.sh", f"#!/bin/sh\necho -n 0x1a > {CC}/roce_dscp\necho 1 > {CC}/ecn_enable\n")
    )
    nic = device.nics["bnxt_re0"]
    assert (nic.own_dscp, line(nic, "own_dscp"), nic.rp_priorities) == (26, 2, frozenset(range(8)))


@pytest.mark.parametrize(
    ("conf", "emitted"),
    [
        ("NCCL_IB_SL=0\n", [("roce_dscp", 26, Certainty.STATED)]),
        ("NCCL_IB_TC=0\n", [("roce_dscp", 26, Certainty.STATED)]),
        (
            "NCCL_IB_TC=96\n",
            [("NCCL_IB_TC", 24, Certainty.STATED), ("roce_dscp", 26, Certainty.POSSIBLE)],
        ),
    ],
)
def test_the_adapter_marks_by_default(conf: str, emitted: list[tuple[str, int, Certainty]]) -> None:
    device = read(LINK, (f"grep -r . {CC}/", f"{CC}/roce_dscp:26\n"), ("nccl.conf", conf))
    data = [(e.by, e.dscp, e.certainty) for e in device.emits if e.by != "cnp_dscp"]
    assert data == emitted


def test_the_profile_of_the_firmware_is_not_certain() -> None:
    nic = read(LINK).nics["bnxt_re0"]
    assert (nic.cnp_dscp, nic.cnp_priority) == (48, 7)
    assert not nic.where("cnp_dscp").confirmed
    assert not nic.where("cnp_priority").confirmed


def test_cnps_with_another_priority_than_the_port_gives_them() -> None:
    shown = f"{CC}/cnp_dscp:0x30\n{CC}/cnp_prio:0x3\n"
    device = read(LINK, ("bnxtqos -dev=ens1 get_qos", QOS), (f"grep -r . {CC}/", shown))
    assert notes(device, NoteKind.CONFLICT) == [
        "bnxt_re0 sends CNPs with priority 3, and ens1 gives their DSCP 48 priority 7"
    ]
    other = read(LINK, ("bnxtqos -dev=ens1 get_qos", NO_CNP_ENTRY), (f"grep -r . {CC}/", shown))
    assert other.notes == []  # without an entry configfs alone decides
