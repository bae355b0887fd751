"""802.1Q tagging of NICs: addresses, the GID table and a whole list of interfaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings

RDMA = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1 \n"
LO = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n"
PORT = "2: ens1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP\n"
VLAN = "5: ens1.100@ens1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP\n"
ADDRESS = "    inet 10.0.1.1/24 scope global\n"
GIDS = """\
DEV	PORT	INDEX	GID					IPv4  		VER	DEV
---	----	-----	---					------------  	---	---
mlx5_0	1	0	fe80:0000:0000:0000:966d:aeff:fe00:0001			v1	ens1
mlx5_0	1	1	fe80:0000:0000:0000:966d:aeff:fe00:0001			v2	ens1
mlx5_0	1	3	0000:0000:0000:0000:0000:ffff:0a00:0101	10.0.1.1  	v2	{}
n_gids_found=3
"""

TOLD = [
    ("one port of a list", {"ip -d link show dev ens1": PORT}, None),
    ("a whole list without VLANs", {"ip -d link show": LO + PORT}, False),
    ("a whole list with a VLAN", {"ip -d link show": LO + PORT + VLAN}, None),
    ("an address on the port", {"ip addr show": LO + PORT + ADDRESS + VLAN}, False),
    ("an address on the VLAN", {"ip addr show": LO + PORT + VLAN + ADDRESS}, True),
    ("a GID of the port", {"show_gids": GIDS.format("ens1")}, False),
    ("a GID of the VLAN", {"show_gids": GIDS.format("ens1.100")}, True),
    (
        "a GID of the VLAN, and it is in the list",
        {"ip -d link show": LO + PORT + VLAN, "show_gids": GIDS.format("ens1.100")},
        True,
    ),
    (
        "a GID of a VLAN that the list does not have",
        {"ip -d link show": LO + PORT, "show_gids": GIDS.format("ens1.100")},
        None,
    ),
    (
        "an address on the port and a GID of the VLAN",
        {"ip addr show": LO + PORT + ADDRESS + VLAN, "show_gids": GIDS.format("ens1.100")},
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("outputs", "tagged"), [(o, t) for _, o, t in TOLD], ids=[w for w, *_ in TOLD])  # fmt: skip
def test_witnesses(tmp_path: Path, outputs: dict[str, str], tagged: bool | None) -> None:
    for number, (command, text) in enumerate({"rdma link show": RDMA, **outputs}.items()):
        head = f"# command: {command}  host: gpu1\n"
        (tmp_path / f"{number}.txt").write_text(head + text)
    report = run(Request((str(tmp_path),), jobs=1, cache=False), Settings())
    assert report.fabric is not None
    assert report.fabric.devices["gpu1"].interfaces["ens1"].tagged is tagged
