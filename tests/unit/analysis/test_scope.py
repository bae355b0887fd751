"""Ports in scope, and the reasons."""

from __future__ import annotations

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import is_edge, roce_nics
from roce_lint.catalog.applications import selects
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import Trust
from tests.unit.fabric import analysed, fabric, host, port, switch


def judged(analysis: Analysis) -> list[tuple[str, str]]:
    return [made.key for made in analysis.ports]


def spine_leaf() -> tuple[Device, Device, list]:
    leaf, spine = switch("leaf1"), switch("spine1")
    for name in ("e1", "e2", "e49"):
        port(leaf, name)
    port(spine, "e1")
    return leaf, spine, [((leaf, "e49"), (spine, "e1"))]


def test_with_linked_hosts_the_paths_of_their_nics_are_judged() -> None:
    leaf, spine, links = spine_leaf()
    gpu = host("gpu1", "ens1", "ens2")
    links.append(((leaf, "e1"), (gpu, "ens1")))
    analysis = analysed(leaf, spine, gpu, links=links)
    # ens2 carries RoCE too, wherever it leads; e2 has no RoCE NIC on it.
    assert judged(analysis) == [
        ("gpu1", "ens1"),
        ("gpu1", "ens2"),
        ("leaf1", "e1"),
        ("leaf1", "e49"),
        ("spine1", "e1"),
    ]
    ports = {made.key: made for made in analysis.ports}
    assert [made.key for made in analysis.ports if made.faces_host] == [("leaf1", "e1")]
    assert ports["leaf1", "e1"].why == "on the path of RoCE traffic: linked to gpu1 ens1"
    assert ports["gpu1", "ens2"].why == "RoCE NIC mlx5_1, peer unknown"
    assert ports["gpu1", "ens2"].peer is None


def test_each_nic_of_a_host_is_a_network_of_its_own() -> None:
    """A host does not connect its rails."""
    rails = [switch(f"rail{n}") for n in (1, 2)]
    gpu = host("gpu1", "ens1", "ens2")
    for rail in rails:
        port(rail, "e1")
    links = [((rails[0], "e1"), (gpu, "ens1")), ((rails[1], "e1"), (gpu, "ens2"))]
    analysis = analysed(*rails, gpu, links=links)
    assert analysis.networks == 2
    assert {made.key: made.network for made in analysis.ports} == {
        ("gpu1", "ens1"): 0,
        ("rail1", "e1"): 0,
        ("gpu1", "ens2"): 1,
        ("rail2", "e1"): 1,
    }


def test_with_hosts_that_are_not_linked_edge_ports_are_judged_too() -> None:
    leaf, spine, links = spine_leaf()
    gpu = host("gpu1", "ens1")
    analysis = analysed(leaf, spine, gpu, links=links)
    assert judged(analysis) == [
        ("gpu1", "ens1"),
        ("leaf1", "e1"),
        ("leaf1", "e2"),
        ("leaf1", "e49"),
        ("spine1", "e1"),
    ]
    edges = [made for made in analysis.ports if made.why.startswith("edge port")]
    assert [made.key for made in edges] == [("leaf1", "e1"), ("leaf1", "e2")]
    assert all(made.faces_host and made.peer is None for made in edges)


def test_with_nothing_linked_every_edge_port_is_judged() -> None:
    leaf, spine, _ = spine_leaf()
    analysis = analysed(leaf, spine)
    assert judged(analysis) == [
        ("leaf1", "e1"),
        ("leaf1", "e2"),
        ("leaf1", "e49"),
        ("spine1", "e1"),
    ]
    assert analysis.networks == 1


def test_a_component_without_edge_counts_where_it_pauses() -> None:
    one, two = switch("spine1"), switch("super1")
    port(one, "e1", stated=False)
    port(two, "e1", stated=False)
    analysis = analysed(one, two, links=[((one, "e1"), (two, "e1"))])
    assert judged(analysis) == [("spine1", "e1"), ("super1", "e1")]


def test_a_component_without_edge_and_pause_is_not_judged() -> None:
    one, two = switch("a"), switch("b")
    port(one, "e1", pauses=(), stated=False)
    port(two, "e1", pauses=(), stated=False)
    assert judged(analysed(one, two, links=[((one, "e1"), (two, "e1"))])) == []


def test_two_fabrics_that_are_not_connected_are_two_networks() -> None:
    leaves = [switch(f"leaf{n}") for n in (1, 2, 3, 4)]
    for leaf in leaves:
        port(leaf, "e1")
        port(leaf, "e49")
    links = [((leaves[0], "e49"), (leaves[1], "e49")), ((leaves[2], "e49"), (leaves[3], "e49"))]
    analysis = analysed(*leaves, links=links)
    assert analysis.networks == 2
    assert len({made.network for made in analysis.ports if made.device is leaves[0]}) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"enabled": False}, "leaf1 e1: shut down"),
        ({"kind": InterfaceKind.MANAGEMENT}, "leaf1 e1: management interface"),
        ({"kind": InterfaceKind.BREAKOUT_PARENT}, "leaf1 e1: breakout-parent interface"),
    ],
)
def test_what_is_not_judged_says_why(change: dict, reason: str) -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", "ens2")
    port(leaf, "e1", **change)
    port(leaf, "e2")
    links = [((leaf, "e1"), (gpu, "ens1")), ((leaf, "e2"), (gpu, "ens2"))]
    analysis = analysed(leaf, gpu, links=links)
    assert ("leaf1", "e1") not in judged(analysis)
    assert analysis.not_judged["leaf1", "e1"] == analysis.not_judged["gpu1", "ens1"] == reason


@pytest.mark.parametrize("role", [Role.BORDER, Role.STORAGE, Role.OTHER])
def test_devices_beside_the_fabric_are_not_judged(role: Role) -> None:
    leaf, beside = switch("leaf1"), switch("edge1", role=role)
    port(leaf, "e49")
    port(leaf, "e1")
    port(beside, "e1")
    analysis = analysed(leaf, beside, links=[((leaf, "e49"), (beside, "e1"))])
    assert judged(analysis) == [("leaf1", "e1")]
    assert analysis.not_judged["leaf1", "e49"] == f"edge1 e1: role {role.value}"


def test_a_host_port_without_roce_nic_is_not_judged() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1")
    port(leaf, "e1")
    port(leaf, "e2")
    port(gpu, "eno1")
    links = [((leaf, "e1"), (gpu, "ens1")), ((leaf, "e2"), (gpu, "eno1"))]
    analysis = analysed(leaf, gpu, links=links)
    assert judged(analysis) == [("gpu1", "ens1"), ("leaf1", "e1")]
    assert analysis.not_judged["leaf1", "e2"] == "gpu1 eno1: not a RoCE NIC"


@pytest.mark.parametrize(
    ("field", "value", "carries"),
    [
        ("ethernet", False, False),
        ("ethernet", None, True),
        ("active", False, False),
        ("active", None, True),
        ("port", None, False),
    ],
)
def test_an_rdma_device_carries_roce_unless_something_says_no(
    field: str, value: bool | None, carries: bool
) -> None:
    gpu = host("gpu1", "ens1")
    setattr(gpu.nics["mlx5_0"], field, value)
    assert [nic.name for nic in roce_nics(gpu)] == (["mlx5_0"] if carries else [])


def test_a_nic_on_a_port_that_is_down_carries_none() -> None:
    gpu = host("gpu1", "ens1")
    gpu.interfaces["ens1"].enabled = False
    assert list(roce_nics(gpu)) == []


@pytest.mark.parametrize(
    ("listed", "chosen"),
    [
        ("", {"mlx5_0", "mlx5_1", "mlx5_10", "bnxt_re0"}),
        ("mlx5", {"mlx5_0", "mlx5_1", "mlx5_10"}),
        ("mlx5_1", {"mlx5_1", "mlx5_10"}),
        ("=mlx5_1", {"mlx5_1"}),
        ("=mlx5_0,mlx5_1", {"mlx5_0", "mlx5_1"}),
        ("=mlx5_0:1,mlx5_1:1", {"mlx5_0", "mlx5_1"}),
        ("^mlx5_1", {"mlx5_0", "bnxt_re0"}),
        ("^=mlx5_1", {"mlx5_0", "mlx5_10", "bnxt_re0"}),
        (" mlx5_0 , bnxt ", {"mlx5_0", "bnxt_re0"}),
        ("none_such", set()),
    ],
)
def test_the_device_list_of_nccl(listed: str, chosen: set[str]) -> None:
    names = ("mlx5_0", "mlx5_1", "mlx5_10", "bnxt_re0")
    assert {name for name in names if selects(listed, name)} == chosen


def test_nics_outside_the_list_are_not_judged() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", "ens2")
    for name in ("e1", "e2"):
        port(leaf, name)
    gpu.environment["NCCL_IB_HCA"] = "=mlx5_1"
    links = [((leaf, "e1"), (gpu, "ens1")), ((leaf, "e2"), (gpu, "ens2"))]
    assert judged(analysed(leaf, gpu, links=links)) == [("gpu1", "ens2"), ("leaf1", "e2")]


@pytest.mark.parametrize(
    ("how", "edge"),
    [
        ({}, True),
        ({"pauses": (), "stated": True}, True),  # trust is stated
        ({"pauses": (), "stated": False}, False),
        ({"pauses": (3,), "stated": False}, True),
        ({"enabled": False}, False),
        ({"enabled": None}, True),
        ({"kind": InterfaceKind.LAG}, False),
    ],
)
def test_an_edge_port_has_something_to_do_with_roce(how: dict, edge: bool) -> None:
    leaf = switch("leaf1")
    made = port(leaf, "e1", **how)
    assert is_edge(leaf, made, fabric(leaf)) is edge


def test_trust_makes_no_edge_port_on_a_switch_that_protects_nothing() -> None:
    leaf = switch("leaf1")
    made = port(leaf, "e1", pauses=(), stated=True)
    leaf.qos.forwardings.clear()
    leaf.qos.egress.clear()
    assert not is_edge(leaf, made, fabric(leaf))
    port(leaf, "e2")
    assert is_edge(leaf, made, fabric(leaf))


def test_stated_distrust_makes_no_edge_port() -> None:
    leaf = switch("leaf1")
    made = port(leaf, "e1", pauses=(), trust=Trust.NONE)
    del made.qos.at["classifier"]
    assert not is_edge(leaf, made, fabric(leaf))


def test_a_port_towards_a_switch_is_no_edge_port_and_one_towards_a_host_is() -> None:
    leaf, spine, links = spine_leaf()
    gpu = host("gpu1", "ens1")
    links.append(((leaf, "e1"), (gpu, "ens1")))
    made = fabric(leaf, spine, gpu, links=links)
    assert not is_edge(leaf, leaf.interfaces["e49"], made)
    assert is_edge(leaf, leaf.interfaces["e1"], made)


@pytest.mark.parametrize(
    ("speed", "pauses", "judged"),
    [(100.0, (), False), (101.0, (), True), (100.0, (3,), True), (None, (), True)],
)
def test_a_port_far_slower_than_lossless_ones_is_for_services(
    speed: float | None, pauses: tuple[int, ...], judged: bool
) -> None:
    leaf = switch("leaf1")
    port(leaf, "p1").speed_gbps = 400.0
    port(leaf, "service", pauses=pauses).speed_gbps = speed
    analysis = analysed(leaf)
    assert (analysis.port("leaf1", "service") is not None) is judged
    assert (("leaf1", "service") in analysis.not_judged) is not judged
