"""PCI of hosts: bridges above NICs and GPUs, order of writes, LLDP of the firmware."""

from __future__ import annotations

import pytest

from tests.nos.linux.reading import read
from tests.nos.reader import line

DRIVER = ("ethtool -i ens1", "driver: mlx5_core\nbus-info: 0000:17:00.0\n")
LINK = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
GPU = "3D controller: NVIDIA Corporation GH100"
BRIDGE = (
    "{address} PCI bridge: Broadcom / LSI PEX890xx\n"
    "\tBus: primary=14, secondary={low}, subordinate={high}, sec-latency=0\n"
)
CONTROL = "\t\tACSCtl:\tSrcValid{sv} TransBlk- ReqRedir{rr} CmpltRedir- UpstreamFwd+ EgressCtrl- DirectTrans-\n"
NIC = "17:00.0 Ethernet controller: Mellanox Technologies MT2910\n"


def bridge(address: str, low: str, high: str, control: str = "") -> str:
    text = BRIDGE.format(address=address, low=low, high=high)
    return text + (CONTROL.format(sv=control[0], rr=control[1]) if control else "")


def switch(nic: str = "", gpu: str = "", up: str = "") -> str:
    """A PCI switch with a NIC on bus 17 and a GPU on bus 16; the signs are SrcValid, ReqRedir."""
    return (
        bridge("14:00.0", "15", "18", up)
        + bridge("15:00.0", "16", "16", gpu)
        + bridge("15:01.0", "17", "17", nic)
        + f"16:00.0 {GPU}\n"
        + NIC
    )


@pytest.mark.parametrize(
    ("text", "by_switch", "redirected"),
    [
        (switch("--", "--", "--"), True, False),
        (switch("++", "--", "--"), True, True),
        (switch("--", "-+", "--"), True, True),
        (switch("--", "--", "++"), True, False),  # above both: nothing between them passes it
        (switch("+-", "+-", "--"), True, False),  # checks the source, and redirects nothing
        (switch(), True, None),  # not asked by root
        (switch("--"), True, None),
        (switch("++") + "\tKernel driver in use: vfio-pci\n", None, None),
        (switch("++").replace(GPU, "Non-Volatile memory controller: Samsung"), None, None),
        (bridge("16:01.0", "17", "17", "++") + NIC + f"29:00.0 {GPU}\n", False, True),
        (switch("++").replace("17:00.0 Eth", "97:00.0 Eth"), None, None),
        (switch("++").replace("16:00.0", "0001:16:00.0"), False, True),  # of another domain
    ],
)
def test_a_bridge_between_nic_and_gpu(
    text: str, by_switch: bool | None, redirected: bool | None
) -> None:
    nic = read(DRIVER, LINK, ("lspci -vvv", text)).nics["mlx5_0"]
    assert (nic.gpu_by_switch, nic.gpu_redirected) == (by_switch, redirected)


def test_the_place_is_that_of_the_bridge_that_redirects() -> None:
    nic = read(DRIVER, LINK, ("lspci -vvv", switch("--", "++", "--"))).nics["mlx5_0"]
    assert line(nic, "gpu_redirected") == 7
    assert line(nic, "gpu_by_switch") == 11


@pytest.mark.parametrize(("sign", "allowed"), [("+", True), ("-", False)])
def test_relaxed_ordering_of_a_function(sign: str, allowed: bool) -> None:
    control = f"\t\tDevCtl:\tCorrErr-\n\t\t\tRlxdOrd{sign} ExtTag+ NoSnoop+\n"
    text = bridge("16:01.0", "17", "17") + NIC + control
    nic = read(DRIVER, LINK, ("sudo lspci -vv", text)).nics["mlx5_0"]
    assert nic.relaxed_ordering is allowed
    assert line(nic, "relaxed_ordering") == 6


@pytest.mark.parametrize(
    ("setting", "relaxed", "agents"),
    [
        ("PCI_WR_ORDERING  force_relax(1)", True, None),
        ("PCI_WR_ORDERING  per_mkey(0)", False, None),
        ("LLDP_NB_TX_MODE_P1  ALL(2)", None, {"firmware"}),
        ("LLDP_NB_TX_MODE_P1  OFF(0)", None, set()),
        ("LLDP_NB_TX_MODE_P2  ALL(2)", None, None),
    ],
)
def test_what_the_firmware_is_set_to(
    setting: str, relaxed: bool | None, agents: set[str] | None
) -> None:
    query = f"Device #1:\nDevice:  0000:17:00.0\nConfigurations:\n  {setting}\n"
    nic = read(DRIVER, LINK, ("mlxconfig -d 0000:17:00.0 q", query)).nics["mlx5_0"]
    assert nic.all_writes_relaxed is relaxed
    assert nic.announced_by == agents
