"""Size of the packets that every hop must carry."""

from __future__ import annotations

from roce_lint.analysis.result import Analysis, LargestPacket
from roce_lint.model.device import Device
from roce_lint.model.nic import Gid
from roce_lint.model.plan import RocePlan
from tests.unit.checks.judging import values
from tests.unit.fabric import analysed, host, port, switch


def linked(*hosts: Device, plan: RocePlan | None = None, **how: object) -> Analysis:
    leaf = switch("leaf1")
    links = []
    for device in hosts:
        for interface in device.interfaces:
            name = f"{device.hostname}-{interface}"
            port(leaf, name, **how)
            links.append(((leaf, name), (device, interface)))
    return analysed(leaf, *hosts, links=links, plan=plan)


def test_the_rdma_mtu_with_its_headers() -> None:
    gpu = host("gpu1", "ens1", rdma_mtu=4096, mtu=9000)
    need = linked(gpu).required[0]
    assert need.bytes == 4160
    assert values(need.by) == "gpu1 mlx5_0 4096 64"
    assert [where.position for where in need.where] == [gpu.nics["mlx5_0"].at["rdma_mtu"]]
    assert not need.assumed


def test_ipv6_has_20_bytes_more() -> None:
    gpu = host("gpu1", "ens1", rdma_mtu=1024)
    gpu.nics["mlx5_0"].gids = (Gid(index=0, gid="fd00::1", address="fd00::1"),)
    assert linked(gpu).required[0].bytes == 1024 + 84
    gpu.nics["mlx5_0"].gids += (Gid(index=3, gid="::ffff:10.0.0.1", address="10.0.0.1"),)
    assert linked(gpu).required[0].bytes == 1024 + 64


def test_without_an_rdma_mtu_the_interface_bounds_it() -> None:
    gpu = host("gpu1", "ens1", mtu=9000)
    need = linked(gpu).required[0]
    assert (need.bytes, values(need.by)) == (9000, "gpu1 ens1 9000")


def test_a_default_mtu_of_a_host_says_nothing() -> None:
    gpu = host("gpu1", "ens1", mtu=1500)
    gpu.interfaces["ens1"].at.pop("ip_mtu")
    assert linked(gpu).sends == {}


def test_the_largest_sender_of_a_network_decides() -> None:
    analysis = linked(host("gpu1", "ens1", rdma_mtu=1024), host("gpu2", "ens1", rdma_mtu=4096))
    assert analysis.required[0].bytes == 4160
    assert {key: need.bytes for key, need in analysis.sends.items()} == {
        ("gpu1", "ens1"): 1088,
        ("gpu2", "ens1"): 4160,
    }


def test_the_plan_asks_for_more_but_not_for_less() -> None:
    gpu = host("gpu1", "ens1", rdma_mtu=1024)
    plan = RocePlan(name="site", required_packet=4160)
    need = linked(gpu, plan=plan).required[0]
    assert (need.bytes, need.by) == (4160, "site requires 4160 bytes")
    assert (
        linked(host("gpu2", "ens1", rdma_mtu=4096), plan=RocePlan(required_packet=2000))
        .required[0]
        .by.startswith("gpu2 mlx5_0")
    )


def test_where_no_host_speaks_the_host_facing_ports_do() -> None:
    leaf = switch("leaf1")
    small, large = port(leaf, "e1", mtu=1500), port(leaf, "e2", mtu=9214)
    need = analysed(leaf).required[0]
    assert need == LargestPacket(4160, need.by, (large.where("ip_mtu"),), assumed=True)
    assert values(need.by) == "leaf1 e2 4160"
    large.ip_mtu = 2200
    assert analysed(leaf).required[0].bytes == 2200
    for made in (small, large):
        del made.at["ip_mtu"]
    assert analysed(leaf).required == {}


def test_a_host_that_speaks_silences_the_ports() -> None:
    gpu = host("gpu1", "ens1", rdma_mtu=1024)
    assert linked(gpu, mtu=9214).required[0].bytes == 1088


def test_a_plan_silences_the_ports() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", mtu=9214)
    assert analysed(leaf, plan=RocePlan(required_packet=1088)).required[0].bytes == 1088
