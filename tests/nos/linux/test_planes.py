"""Precedence of statements: live before declared, unknown if two of a kind differ."""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import Trust
from tests.nos.linux.reading import MLNX_QOS, notes, read
from tests.nos.reader import line

SHOW = "mlnx_qos -i ens1"
PFC_5 = '{"prio_pfc":[false,false,false,false,false,true,false,false]}'


def test_two_live_outputs_that_differ_leave_the_value_unknown() -> None:
    device = read((SHOW, MLNX_QOS), ("dcb -j pfc show dev ens1", PFC_5))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, qos.pfc.mode) == (None, None)
    [note] = [note for note in device.notes if note.kind is NoteKind.CONFLICT]
    assert note.message == (
        "ens1 PFC differs between mlnx_qos and dcb-pfc-json"
        " (priority 3 = on and off; priority 5 = off and on)"
    )
    assert line(note) == 13


def test_file_order_does_not_decide() -> None:
    files = [(SHOW, MLNX_QOS), ("dcb -j pfc show dev ens1", PFC_5)]
    one, other = read(*files), read(*reversed(files))
    assert one.qos == other.qos
    assert notes(one, NoteKind.CONFLICT) == notes(other, NoteKind.CONFLICT)


def test_one_entry_that_differs_is_unknown_alone() -> None:
    app = '{"dscp_prio":[[0,0],[26,5],[48,6]]}'
    device = read((SHOW, MLNX_QOS), ("dcb -j app show dev ens1", app))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(0), codes.get(26), codes.get(48), codes.get(1)) == (0, None, 6, 0)


def test_live_beats_declared_with_a_note() -> None:
    script = "#!/bin/sh\nmlnx_qos -i ens1 --trust pcp\nmlnx_qos -i ens1 --pfc 0,0,0,0,0,1,0,0\n"
    device = read((SHOW, MLNX_QOS), ("setup.sh", script))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, qos.pfc.generate) == (Trust.DSCP, frozenset({3}))
    found = [(line(n), n.message) for n in device.notes if n.kind is NoteKind.DRIFT]
    assert notes(device, NoteKind.CONFLICT) == []
    assert found == [
        (2, "ens1 trust is dscp now, setup.sh sets pcp (lost at reboot or never applied)"),
        (
            3,
            (
                "ens1 PFC is not what setup.sh sets (priority 3 = on and off; priority 5 = off and on; first what is now),"
                " lost at reboot or never applied"
            ),
        ),
    ]


def test_what_agrees_is_not_noted() -> None:
    script = "#!/bin/sh\nmlnx_qos -i ens1 --dscp2prio set,26,3 --cable_len 7\n"
    assert read((SHOW, MLNX_QOS), ("setup.sh", script)).notes == []


def test_declared_fills_what_is_not_live() -> None:
    device = read(
        ("cat /sys/class/net/ens1/qos/trust", "dscp\n"),
        ("setup.sh", "#!/bin/sh\nmlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0\n"),
    )
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, qos.pfc.generate, line(qos.pfc, "generate")) == (
        Trust.DSCP,
        frozenset({3}),
        2,
    )


def test_two_files_that_differ_leave_the_value_unknown() -> None:
    one = ("a.sh", "#!/bin/sh\ncma_roce_tos -d mlx5_0 -t 106\n")
    other = ("b.sh", "#!/bin/sh\ncma_roce_tos -d mlx5_0 -t 160\n")
    device = read(one, other)
    assert device.nics["mlx5_0"].cma_tos is None
    assert notes(device, NoteKind.CONFLICT) == ["mlx5_0 rdma_cm ToS is 106 in a.sh and 160 in b.sh"]


def test_the_last_line_of_one_script_wins() -> None:
    script = "#!/bin/sh\ncma_roce_tos -d mlx5_0 -t 106\ncma_roce_tos -d mlx5_0 -t 160\n"
    device = read(("a.sh", script))
    nic = device.nics["mlx5_0"]
    assert (nic.cma_tos, line(nic, "cma_tos"), device.notes) == (160, 3, [])


def test_branches_that_differ_say_nothing() -> None:
    script = (
        "#!/bin/bash\n"
        'if [ "$1" = a ]; then cma_roce_tos -d mlx5_0 -t 106; cma_roce_mode -d mlx5_0 -m 2\n'
        "else cma_roce_tos -d mlx5_0 -t 160; cma_roce_mode -d mlx5_0 -m 2; fi\n"
    )
    device = read(("a.sh", script))
    nic = device.nics["mlx5_0"]
    assert (nic.cma_tos, nic.roce_version, device.notes) == (None, 2, [])


def test_a_branch_that_was_not_run_is_not_drift() -> None:
    script = '#!/bin/bash\nif [ "$1" = off ]; then mlnx_qos -i ens1 --trust pcp; fi\n'
    assert read((SHOW, MLNX_QOS), ("a.sh", script)).notes == []


def test_a_script_for_another_host_is_noted() -> None:
    links = '[{"ifindex":2,"ifname":"ens1","flags":["UP"],"mtu":9000,"linkmode":"DEFAULT","link_type":"ether"}]'
    device = read(
        ("ip -j link show", links), ("a.sh", "#!/bin/sh\nmlnx_qos -i ens9 --trust dscp\n")
    )
    assert list(device.interfaces) == ["ens1"]
    assert notes(device, NoteKind.CONFLICT) == [
        "ens9 is set up here, but this host has no such network interface"
    ]
