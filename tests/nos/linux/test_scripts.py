"""Scripts, units and environment files: settings, unknowns, errors."""

from __future__ import annotations

import pickle

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Fec
from roce_lint.model.qos import SchedulerKind, Trust
from tests.nos.linux.reading import MLNX_QOS, notes, read
from tests.nos.reader import line


def script(*commands: str) -> Device:
    """The device of a script; the first command is line 2."""
    body = "\n".join(commands)
    return read(("setup.sh", f"#!/bin/bash\n{body}\n# mlnx_qos\n"))


def test_mlnx_qos_options() -> None:
    device = script(
        "mlnx_qos -iens1 --trust=dscp -f 0,0,0,1,0,0,0,0 -p 0,1,2,3,4,5,6,7",
        "mlnx_qos --interface ens1 --tsa strict,ets,ets,ets,ets,ets,ets,vendor"
        " --tcb 0,10,10,50,10,10,10,0 --ratel 0,0,0,100 --cable 5",
        "mlnx_qos -i ens1 --dscp2prio set,26,4 --dscp2prio del,27,3 --prio2b 0,0,0,0,1,0,0,0",
        "mlnx_qos -i ens1 --buffer_size 100,200,0,0,0,0,0,0 --defltprio set,2 -d fw",
    )
    assert device.notes == []
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, line(qos, "trust"), qos.default_pcp) == (Trust.DSCP, 2, 2)
    assert (qos.pfc.generate, qos.pfc.cable_m) == (frozenset({3}), 5.0)
    assert (qos.pfc.agents, line(qos.pfc, "agents")) == (frozenset({"firmware"}), 5)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(26), line(codes, 26), codes.get(24), line(codes, 24)) == (4, 4, 3, 0)
    assert device.qos.forwardings["ens1"].tc_to_queue.get(5) == 5
    assert device.qos.forwardings["ens1"].tc_to_pg.get(4) == 1
    assert device.qos.ingress_buffers["ens1"].groups[1].reserved_bytes == 200
    third = device.qos.egress["ens1"].queue(3)
    assert third is not None
    assert third.scheduler is not None
    assert third.scheduler.kind is SchedulerKind.WEIGHTED
    assert (third.scheduler.share, third.scheduler.shape_bps) == (50, 100_000_000_000)


def test_specific_pfc_leaves_the_rest_unknown() -> None:
    device = script("mlnx_qos -i ens1 -F x,x,x,1,x,x,x,x")
    qos = device.interfaces["ens1"].qos
    assert qos is None or qos.pfc is None or qos.pfc.generate is None
    whole = (
        script("mlnx_qos -i ens1 -f 0,0,0,0,0,1,0,0", "mlnx_qos -i ens1 -F x,x,x,1,x,x,x,x")
        .interfaces["ens1"]
        .qos
    )
    assert whole is not None
    assert whole.pfc is not None
    assert whole.pfc.generate == frozenset({3, 5})


def test_dcb_set() -> None:
    device = script(
        "dcb pfc set dev ens1 prio-pfc all:off 3:on",
        "dcb ets set dev ens1 willing off tc-tsa all:ets 6:strict tc-bw all:10 3:40"
        " prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0",
        "dcb app replace dev ens1 dscp-prio AF31:3 48:6 default-prio 1",
        "dcb buffer set dev ens1 prio-buffer all:0 3:1 buffer-size all:0 0:128Kb 1:262144",
        "dcb -N apptrust set dev ens1 order dscp pcp",
        "dcb pfc show dev ens1",
    )
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, qos.default_pcp, qos.pfc.generate) == (Trust.BOTH, 1, frozenset({3}))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert (codes.get(26), codes.get(48), line(codes, 26)) == (3, 6, 4)
    maps = device.qos.forwardings["ens1"]
    assert (maps.tc_to_queue.get(3), maps.tc_to_pg.get(3)) == (3, 1)
    groups = device.qos.ingress_buffers["ens1"].groups
    assert (groups[0].reserved_bytes, groups[1].reserved_bytes) == (131072, 262144)
    assert device.notes == []


def test_links_and_firmware() -> None:
    device = script(
        "ip link set dev ens1 mtu 4200 up",
        "ifconfig ens2 mtu 9000",
        "ethtool -A ens1 autoneg off rx off tx on",
        "ethtool -s ens1 speed 400000 autoneg off",
        "ethtool --set-fec ens1 encoding rs",
        "ethtool --set-priv-flags ens1 fw-lldp-agent off",
        "mlxconfig -d mlx5_0 -y set CNP_DSCP_P1=46 ROCE_CC_PRIO_MASK_P1=0x8",
        "echo 1 > /sys/class/infiniband/mlx5_0/ports/1/nothing",
        "cma_roce_mode -d mlx5_0 -m 2",
    )
    first = device.interfaces["ens1"]
    assert (first.ip_mtu, line(first, "ip_mtu"), first.speed_gbps) == (4200, 2, 400.0)
    assert (first.autoneg, first.fec) == (False, Fec.RS)
    assert first.qos is not None
    assert first.qos.pfc is not None
    assert (first.qos.pfc.link_pause_rx, first.qos.pfc.link_pause_tx) == (False, True)
    assert first.qos.pfc.agents == frozenset()
    assert device.interfaces["ens2"].ip_mtu == 9000
    nic = device.nics["mlx5_0"]
    assert (nic.cnp_dscp, line(nic, "cnp_dscp"), nic.np_priorities) == (46, 8, frozenset({3}))
    assert nic.roce_version == 2


@pytest.mark.parametrize(
    "command",
    [
        "echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "echo 106 | sudo tee /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "echo -n tclass=106 >/sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "printf '106\\n' > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        'sudo sh -c "echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class"',
        "sudo -E /bin/bash -ec 'for d in mlx5_0; do echo 106 > /sys/class/infiniband/$d/tc/1/traffic_class; done'",
        (
            "sudo -u root timeout 5 tee /sys/class/infiniband/mlx5_0/tc/1/traffic_class < x;"
            " echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class"
        ),
        "TC=106; D=mlx5_0; echo $TC > /sys/class/infiniband/$D/tc/1/traffic_class",
    ],
)
def test_ways_to_force_the_traffic_class(command: str) -> None:
    device = script(command)
    nic = device.nics["mlx5_0"]
    assert (nic.traffic_class, line(nic, "traffic_class")) == (106, 2)


@pytest.mark.parametrize(
    "command",
    [
        "echo $TC > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "cma_roce_tos -d mlx5_0 -t $TOS",
        "cma_roce_tos -d mlx5_0",
        "ip link set dev $DEV mtu 9000",
        "ip link set dev ens1 mtu $MTU",
        "sysctl -w $NAME=1",
        "cat <<X\nmlnx_qos -i ens1 --trust dscp\nX",
    ],
)
def test_what_only_the_running_script_knows_sets_nothing(command: str) -> None:
    device = script(command)
    assert (device.interfaces, device.nics, device.kernel, device.emits) == ({}, {}, {}, [])
    assert device.notes == []


LOOP = "for d in $(ls /sys/class/net); do {}; done"


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("mlnx_qos -i $1 --trust dscp", "trust"),
        (LOOP.format("mlnx_qos -i $d --trust dscp --pfc 0,0,0,1,0,0,0,0"), "trust, PFC"),
        (LOOP.format("$MLNX_QOS -i $d --trust dscp"), "trust"),
        (LOOP.format("dcb pfc set dev $d prio-pfc 3:on"), "PFC"),
        (LOOP.format("cma_roce_tos -d $d -t 106"), "rdma_cm ToS"),
        ("echo 106 > /sys/class/infiniband/$DEV/tc/1/traffic_class", "traffic class"),
        ("echo 1 > /sys/class/net/$DEV/ecn/roce_np/enable/3", "NP enabled"),
        (
            "for f in /sys/class/infiniband/*/tc/1/traffic_class; do echo 26 > $f; done",
            "traffic class",
        ),
        ("echo 106 | tee /sys/class/infiniband/*/tc/1/traffic_class", "traffic class"),
    ],
)
def test_a_setting_of_an_unknown_device_is_named_with_its_line(command: str, fields: str) -> None:
    device = script(command)
    assert (device.interfaces, device.nics, device.emits) == ({}, {}, [])
    (note,) = device.notes
    assert (note.kind, line(note)) == (NoteKind.UNRECOGNISED, 2)
    assert f"sets {fields} of " in note.message
    assert [(each.at[""], each.about_qos) for each in device.unread] == [(note.at[""], True)]


def test_what_is_known_of_every_device_leaves_no_setting_open() -> None:
    rdma = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
    qos = ("mlnx_qos -i ens1", MLNX_QOS)
    loop = ("set.sh", "#!/bin/sh\n" + LOOP.format("mlnx_qos -i $d --trust dscp") + "\n")
    reported = [
        notes(read(*given, loop), NoteKind.UNRECOGNISED) for given in ((rdma,), (rdma, qos))
    ]
    assert [len(each) for each in reported] == [1, 0]


@pytest.mark.parametrize("device", ["%i", "$$d", "$d"])
def test_a_shell_of_a_unit_for_an_unknown_device(device: str) -> None:
    command = f'/bin/sh -c "echo 26 > /sys/class/infiniband/{device}/tc/1/traffic_class"'
    made = read(("tc@.service", f"[Service]\nExecStart={command}\n"))
    assert [(line(note), note.kind) for note in made.notes] == [(2, NoteKind.UNRECOGNISED)]
    assert (made.nics, len(made.unread)) == ({}, 1)


@pytest.mark.parametrize("command", ["/usr/bin/mlnx_qos", "${MLNX_QOS}"])
def test_a_unit_for_an_unknown_interface(command: str) -> None:
    text = f"[Service]\nExecStart={command} -i ${{RAIL}} --trust dscp\n"
    (note,) = read(("roce.service", text)).notes
    assert (note.kind, line(note)) == (NoteKind.UNRECOGNISED, 2)
    noted = read(("roce.service", text.replace("\n", "\nEnvironment=RAIL=ens1\n", 1)))
    assert list(noted.interfaces) == ["ens1"]


def test_a_value_that_is_not_known_leaves_the_others() -> None:
    device = script('mlnx_qos -i ens1 --pfc "$PFC" --trust dscp')
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert (qos.trust, qos.pfc) == (Trust.DSCP, None)
    assert device.notes == []


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        ("mlnx_qos -i ens1 --tc_bw 50,50", "mlnx_qos has no option --tc_bw (it is --tcbw)"),
        ("mlnx_qos -i ens1 --p 1", "mlnx_qos --p could be --pfc or --prio_tc or --prio2buffer"),
        ("mlnx_qos -i ens1 -f 1,1", "mlnx_qos --pfc wants 8 values, 1,1 has 2"),
        ("mlnx_qos -i ens1 --pfc", "mlnx_qos --pfc lacks its value"),
        (
            "mlnx_qos -i ens1 --dscp2prio 22,3",
            "mlnx_qos --dscp2prio takes set,DSCP,PRIORITY or del,DSCP,PRIORITY, not 22,3",
        ),
        (
            "mlnx_qos -i ens1 --defltprio 3",
            "mlnx_qos --defltprio takes set,PRIORITY or del,PRIORITY, not 3",
        ),
        ("mlnx_qos -i ens1 -d firmware", "mlnx_qos --dcbx takes os or fw, not firmware"),
        ("cma_roce_tos -d mlx5_0 -t 256", "cma_roce_tos -t 256 is not a value it takes"),
        (
            "mlnx_qos \u2014i ens1 --trust dscp",
            "mlnx_qos \u2014i holds a sign that is not ASCII (em dash), which the tool misreads",
        ),
        (
            "dcb pfc set dev ens1 prio-pfc \u20183:on\u2019",
            (
                "dcb \u20183:on\u2019 holds a sign that is not ASCII (left single quotation mark),"
                " which the tool misreads"
            ),
        ),
    ],
)
def test_a_command_that_is_refused_sets_nothing(command: str, reported: str) -> None:
    device = script(command)
    assert notes(device, NoteKind.LEXICAL) == [reported]
    assert (device.interfaces, device.nics) == ({}, {})


def test_a_wrong_form_in_a_loop_is_noted_once() -> None:
    device = script("for d in ens1 ens2 ens3; do mlnx_qos -i $d --tc_bw 50,50; done")
    assert notes(device, NoteKind.LEXICAL) == ["mlnx_qos has no option --tc_bw (it is --tcbw)"]


def test_lldptool_sets_two_values_at_once() -> None:
    qos = script("lldptool -T -i ens1 -V PFC enabled=3 willing=yes").interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, qos.pfc.willing) == (frozenset({3}), True)


def test_lldptool_takes_a_list_of_priorities() -> None:
    device = script("lldptool -T -i ens1 -V PFC enabled=0,0,0,1,0,0,0,0")
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert qos.pfc.generate == frozenset({0, 1})
    assert notes(device, NoteKind.LEXICAL) == [
        (
            "lldptool enabled= takes a list of priorities, so 0,0,0,1,0,0,0,0 turns PFC on for 0 and 1,"
            " not for 3"
        )
    ]
    for text, priorities in (("3,4", {3, 4}), ("none", set()), ("3", {3})):
        right = script(f"lldptool -T -i ens1 -V PFC enabled={text}")
        assert right.notes == []
        assert right.interfaces["ens1"].qos is not None
        assert right.interfaces["ens1"].qos.pfc is not None
        assert right.interfaces["ens1"].qos.pfc.generate == frozenset(priorities)


def test_launchers_pass_variables_on() -> None:
    device = script(
        "mpirun -np 2 -x NCCL_IB_TC=106 -x PATH ./a",
        "srun --export=ALL,UCX_TLS=rc ./a",
        "NCCL_IB_GID_INDEX=3 ./a",
        "env NCCL_IB_SL=0 ./a",
        "sudo -u hpc -E NCCL_SOCKET_IFNAME=eth0 timeout -k 5 10s ./a",
    )
    assert device.environment == {
        "NCCL_IB_TC": "106",
        "UCX_TLS": "rc",
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_IB_SL": "0",
        "NCCL_SOCKET_IFNAME": "eth0",
    }
    assert {name: line(device, name) for name in device.environment} == {
        "NCCL_IB_TC": 2,
        "UCX_TLS": 3,
        "NCCL_IB_GID_INDEX": 4,
        "NCCL_IB_SL": 5,
        "NCCL_SOCKET_IFNAME": 6,
    }


def test_a_variable_that_is_not_exported() -> None:
    device = script("NCCL_IB_TC=106", "NCCL_IB_SL=1", "export NCCL_IB_SL")
    assert device.environment == {"NCCL_IB_SL": "1"}
    assert notes(device, NoteKind.LEXICAL) == [
        "NCCL_IB_TC is set but not exported: no program started here sees it"
    ]


def test_a_unit() -> None:
    unit = """\
        [Service]
        Environment="NCCL_IB_TC=106" 'TOKEN=x y'
        Environment=NCCL_IB_HCA==mlx5_0
        ExecStart=-/usr/bin/mlnx_qos -i ens1 \\
            --trust dscp
        ExecStartPost=/bin/sh -c 'echo 160 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class'
        ExecStop=/usr/bin/mlnx_qos -i ens1 --trust pcp
        ExecStart=/usr/bin/mlnx_qos -i %i --pfc 0,0,0,1,0,0,0,0
        """
    device = read(("roce@.service", unit))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert (qos.trust, line(qos, "trust"), qos.pfc) == (Trust.DSCP, 4, None)
    assert (device.nics["mlx5_0"].traffic_class, line(device.nics["mlx5_0"])) == (160, 6)
    assert device.environment == {"NCCL_IB_TC": "106", "NCCL_IB_HCA": "=mlx5_0"}
    assert list(device.interfaces) == ["ens1"]


SECRETS = (
    "export AWS_SECRET_ACCESS_KEY=hunter2\n"
    "export MC_HOST_store=https://user:hunter2@store\n"
    "export NCCL_TOKEN=hunter2 UCX_PASSWORD=hunter2\n"
    "export NCCL_IB_TC=106\n"
)


def test_nothing_but_rdma_settings_is_kept() -> None:
    for device in (
        read(("setup.sh", f"#!/bin/sh\n{SECRETS}")),
        read(("job.env", SECRETS.replace("export ", ""))),
        read(("cat /proc/12/environ", SECRETS.replace("export ", "").replace("\n", "\0"))),
        read(
            ("a.service", "[Service]\nEnvironment=NCCL_IB_TC=106 AWS_SECRET_ACCESS_KEY=hunter2\n")
        ),
    ):
        assert device.environment == {"NCCL_IB_TC": "106"}
        assert b"hunter2" not in pickle.dumps(device)


def test_kernel_settings() -> None:
    device = read(
        ("sysctl net", "net.ipv4.conf.all.rp_filter = 2\nnet.ipv4.conf.ens1.arp_ignore = 1\nnet.ipv4.ip_forward = 1\n"),
        ("99-sysctl.conf", "net.ipv4.conf.all.rp_filter=0\nnet.core.rmem_max=1\n"),
    )  # fmt: skip
    assert device.kernel == {
        "net.ipv4.conf.all.rp_filter": "2",
        "net.ipv4.conf.ens1.arp_ignore": "1",
        "net.core.rmem_max": "1",
    }
    assert notes(device, NoteKind.DRIFT) == [
        (
            "net.ipv4.conf.all.rp_filter value is 2 now, 99-sysctl.conf sets 0"
            " (lost at reboot or never applied)"
        )
    ]


@pytest.mark.parametrize(
    ("line", "noted"),
    [
        ('echo "$(mlnx_qos \u2013i ens1 | grep enabled)"', True),
        ("now=`sudo cma_roce_tos \u2013d mlx5_0`", True),
        ("x=$(/usr/bin/dcb pfc show dev ens1 \u2014j)", True),
        ('echo "$(mlnx_qos -i ens1)" \u2013 done', False),
        ('echo "$(date \u2013u)"', False),
        ('# echo "$(mlnx_qos \u2013i ens1)"', False),
    ],
)
def test_a_typographic_dash_in_a_command(line: str, noted: bool) -> None:
    text = f"#!/bin/sh\nmlnx_qos -i ens1 --trust dscp\n{line}\n"
    found = notes(read(("setup.sh", text)), NoteKind.LEXICAL)
    assert bool(found) is noted
    assert all("is not ASCII" in message for message in found)
