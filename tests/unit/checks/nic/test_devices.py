"""RoCE v1 on hosts, and what the next boot of an adapter changes: where the rules speak."""

from __future__ import annotations

import pytest

from tests.small_fabrics.made import made

MODE = "#!/bin/sh\ncma_roce_mode -d mlx5_0 -p 1 -m {}\n"
QUERY = "Device:  mlx5_0\nConfigurations:   Next Boot\n  LINK_TYPE_P{}    IB(1)\n"
EOS_PORT = "interface Ethernet1/1\n   mtu 9214\n   no switchport\n   ip address"


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("mode.sh", MODE.format(1), "cma_roce_mode -d mlx5_0 -p 1 -m 1"),
        ("mode.sh", MODE.format(2), None),
        ("nccl.conf", "NCCL_IB_ROCE_VERSION_NUM=1\n", "NCCL_IB_ROCE_VERSION_NUM=1"),
        ("nccl.conf", "NCCL_IB_ROCE_VERSION_NUM=2\n", None),
    ],
)
def test_roce_v1_behind_a_routed_port(file: str, text: str, place: str | None) -> None:
    own = made("eos", hosts=True)
    for name in own.hosts:
        own.add(name, file, text)
    outcomes = [each for each in own.outcomes() if each[1] == "NIC028"]
    assert outcomes == ([] if place is None else [("error", "NIC028", "gpu1", place)])
    assert own.devices("NIC028") == (set() if place is None else set(own.hosts))


def test_roce_v1_within_a_vlan() -> None:
    own = made("eos", hosts=True)
    own.change(
        "leaf1", (EOS_PORT, EOS_PORT.replace("   no switchport\n", "").replace("ip", "! ip"))
    )
    own.add("gpu1", "mode.sh", MODE.format(1))
    assert "NIC028" not in {rule for _, rule, *_ in own.outcomes()}


@pytest.mark.parametrize(("port", "severity"), [(1, "warning"), (2, "info")])
def test_infiniband_from_the_next_boot_on(port: int, severity: str) -> None:
    """No other output covers port 2, so nothing would be lost."""
    own = made("eos", hosts=True)
    own.add("gpu1", "mlxconfig.txt", QUERY.format(port), "mlxconfig -d mlx5_0 q")
    (found,) = [f for f in own.report().findings if f.rule == "NIC014"]
    assert (found.severity.label, found.device) == (severity, "gpu1")
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("hosts/gpu1/mlxconfig.txt", 4)
