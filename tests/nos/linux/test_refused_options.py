"""Options and values that host tools refuse: noted, and not recorded."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from tests.nos.linux.reading import notes, read
from tests.nos.reader import line as line_of

LINK = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev e1\n")
LIVE = ("mlnx_qos -i e1", "DCBX mode: OS controlled\nPriority trust state: dscp\n")
AMD = ("rdma link", "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev e1\n")


def script(line: str, *others: tuple[str, str]) -> Device:
    link = AMD if line.startswith("nicctl") else LINK
    return read(link, *others, ("setup.sh", f"#!/bin/bash\nmlnx_qos -i e2 --trust dscp\n{line}\n"))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("mlnx_qos -i e1 --trust dscp --dscp2prio set,26,3", "two commands"),
        ("mlnx_qos -i e1 --tsa ets,ets,ets,ets,ets,ets,sp,ets", "'sp'"),
        ("mlnx_qos -i e1 --tsa ets,ets,ets,ets,ets,ets,strict,ets --tcbw 10,10,10,50,10,5,0,6", "--tcbw"),
        ("mlnx_qos -i e1 --tsa ets,ets,ets,ets,ets,ets,strict,ets --tcbw 10,10,10,45,10,5,5,5", "--tcbw"),
        ("mlnx_qos -i e1 --cable_len 5m", "5m"),
        ("mlnx_qos -i e1 --defltprio set,8", "set,8"),
        ("mlnx_qos -i e1 --trust l3", "l3"),
        ("dcb pfc set dev e1 prio-pfc 3:1", "3:1"),
        ("dcb pfc set dev e1 prio-pfc 8:on", "8:on"),
        ("dcb app add dev e1 dscp-prio 26:8", "26:8"),
        ("dcb app add dev e1 dscp 26:3", "dscp"),
        ("dcb ets set dev e1 tc-tsa 3:dwrr", "3:dwrr"),
        ("dcb ets set dev e1 prio-tc 3:9", "3:9"),
        ("dcb buffer set dev e1 prio-buffer 3:9", "3:9"),
        ("dcb apptrust set dev e1 order dscp,pcp", "dscp,pcp"),
        ("lldptool -T -i e1 -V PFC enabled=8", "8"),
        ("lldptool -T -i e1 -V PFC willing=maybe", "maybe"),
        ("lldptool -T -i e1 -V ETS-CFG up2tc=0:0,1:9", "1:9"),
        ("lldptool -T -i e1 -V APP app=9,5,26", "9,5,26"),
        ("lldptool -T -i e1 -V APP app=3,5,64", "3,5,64"),
        ("ethtool -A e1 rx yes tx yes", "yes"),
        ("ethtool -s e1 speed 400G autoneg off", "400G"),
        ("ethtool --set-fec e1 encoding rs544", "rs544"),
        ("nicctl update qos --classification-type l3", "l3"),
        ("nicctl update qos dscp-to-priority --dscp 64 --priority 3", "64"),
        ("nicctl update qos pfc --priority 3 --no-drop yes", "yes"),
        ("nicctl update port --pause-type priority", "PRIORITY"),
        ("nicctl update dcqcn -r ionic_0 -i 1 --cnp-dscp 64", "64"),
    ],
)  # fmt: skip
def test_what_a_tool_refuses_sets_nothing(line: str, part: str) -> None:
    device = script(line)
    found = notes(device, NoteKind.LEXICAL)
    assert found
    assert all(part in message for message in found)
    assert {line_of(note) for note in device.notes if note.kind is NoteKind.LEXICAL} == {3}
    qos = device.interfaces["e1"].qos if "e1" in device.interfaces else None
    assert qos is None or (qos.trust, qos.egress) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "mlnx_qos -i e1 -d get",
        "mlnx_qos -i e1 --tsa ets,ets,ets,ets,ets,ets,strict,ets --tcbw 10,10,10,50,10,5,0,5",
        "mlnx_qos -i e1 --pfc $BITS --trust $TRUST",
        "dcb pfc set dev e1 prio-pfc all:off 3:on delay 7",
        "dcb app add dev e1 dscp-prio AF31:3 CS6:6 26:3 dgram-port-prio 4791:3",
        "dcb ets set dev e1 willing off tc-tsa all:ets tc-bw 0:50 3:50 reco-tc-bw 0:50",
        "dcb buffer set dev e1 prio-buffer 3:1 buffer-size 1:100K",
        "dcb dcbx set dev e1 host ieee",
        "dcb apptrust set dev e1 order dscp pcp",
        "lldptool -T -i e1 -V PFC enabled=none willing=no",
        "lldptool -T -i e1 -V APP app=3,3,4791",
        "ethtool -A e1 autoneg off rx off tx off",
        "ethtool -s e1 speed 400000 duplex full autoneg on",
        "ethtool --set-fec e1 encoding RS",
        "nicctl update qos scheduling --priority 0,3,6 --dwrr 10,90,0 --rate-limit 0,0,10",
        "nicctl update qos pfc --priority 3 --no-drop enable",
        "echo tclass=106,src_ip=10.0.0.1 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
    ],
)
def test_what_a_tool_takes(line: str) -> None:
    assert notes(script(line), NoteKind.LEXICAL) == []


@pytest.mark.parametrize(
    ("line", "others", "port"),
    [
        ("mlnx_qos -i e1 --trust l3", (), "e1"),
        ("mlnx_qos -i e1 --trust l3", (LIVE,), ""),
        ("mlnx_qos -i e1 --trust l3\nmlnx_qos -i e1 --trust dscp", (), ""),
        ("mlnx_qos -i e1 --pfc 0,0,0,1", (LIVE,), "e1"),
        ("cma_roce_tos -d mlx5_0 -t 300", (), "mlx5_0"),
        ("lldptool -T -i e1 -V PFC enabled=0,0,0,1,0,0,0,0", (), ""),  # taken, for something else
    ],
)
def test_the_port_that_is_left_without_its_setting(
    line: str, others: tuple[tuple[str, str], ...], port: str
) -> None:
    device = script(line, *others)
    assert [note.port for note in device.notes if note.kind is NoteKind.LEXICAL] == [port]
