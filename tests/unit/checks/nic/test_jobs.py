"""Settings of jobs against the fabric: cases with and without a finding."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import PfcWatchdog, WatchdogAction
from roce_lint.model.routing import Spread
from tests.unit.checks.clos import balances, clos
from tests.unit.checks.judging import severities_and_values
from tests.unit.fabric import host, lines_of, port, switch


def state(device: Device, **variables: str) -> None:
    """Variables of an application, each on a new line."""
    for name, value in variables.items():
        device.environment[name] = value
        device.at[name] = lines_of(device).next()


def watched(
    action: WatchdogAction = WatchdogAction.DROP, restoration: float | None = 400
) -> Device:
    """A leaf whose watchdog detects after 200 ms."""
    leaf = switch("leaf1")
    qos = port(leaf, "p1").qos
    assert qos is not None
    qos.watchdog = PfcWatchdog(
        enabled=True, detection_ms=200, restoration_ms=restoration, action=action, src=leaf.src
    )
    return leaf


@pytest.mark.parametrize(
    ("variables", "tells"),
    [
        ({"NCCL_IB_TIMEOUT": "14"}, True),  # 67 ms, eight times
        ({"NCCL_IB_TIMEOUT": "15"}, False),
        ({"NCCL_IB_TIMEOUT": "17", "NCCL_IB_RETRY_CNT": "0"}, True),
        ({"NCCL_IB_TIMEOUT": "18", "NCCL_IB_RETRY_CNT": "0"}, False),
        ({"NCCL_IB_RETRY_CNT": "0"}, False),
        ({"NCCL_IB_TC": "106"}, False),
        ({"NCCL_IB_TIMEOUT": "0"}, False),  # waits for ever
        ({"NCCL_IB_TIMEOUT": "32"}, False),
        ({"NCCL_IB_TIMEOUT": "14", "NCCL_IB_RETRY_CNT": "many"}, False),
    ],
)
def test_patience_against_the_watchdog(variables: dict[str, str], tells: bool) -> None:
    gpu = host("gpu1", "ens1")
    state(gpu, **variables)
    leaf = watched()
    assert (
        bool(severities_and_values("NIC025", leaf, gpu, links=[((leaf, "p1"), (gpu, "ens1"))]))
        is tells
    )


@pytest.mark.parametrize(
    ("action", "restoration"),
    [(WatchdogAction.ALERT, 400), (WatchdogAction.FORWARD, 400), (WatchdogAction.DROP, None)],
)
def test_a_watchdog_that_throws_nothing_away(
    action: WatchdogAction, restoration: float | None
) -> None:
    gpu = host("gpu1", "ens1")
    state(gpu, NCCL_IB_TIMEOUT="8")
    leaf = watched(action, restoration)
    assert severities_and_values("NIC025", leaf, gpu, links=[((leaf, "p1"), (gpu, "ens1"))]) == []


@pytest.mark.parametrize(
    ("variables", "tells"),
    [
        ({"NCCL_IB_HCA": "mlx5_0"}, True),
        ({"NCCL_IB_ADAPTIVE_ROUTING": "0"}, True),
        ({"NCCL_IB_ADAPTIVE_ROUTING": "1"}, False),
        ({"NCCL_IB_HCA": "mlx5_0", "NCCL_IB_DISABLE": "1"}, False),
        ({"UCX_TLS": "rc"}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("how", ["packets", "ports"])
def test_a_fabric_that_adapts(how: str, variables: dict[str, str], tells: bool) -> None:
    made = clos(leaves=1, spines=2)
    state(made.hosts[0], **variables)
    leaf = made.leaves[0]
    if how == "packets":
        balances(leaf, spread=Spread.PACKET)
    else:
        leaf.interfaces["up1"].adaptive_routing = leaf.interfaces["up2"].adaptive_routing = True
    assert bool(severities_and_values("NIC026", *made.devices, links=made.links)) is tells


@pytest.mark.parametrize("on", [{"up1": True}, {}])
def test_a_fabric_that_adapts_in_part_or_not(on: dict[str, bool]) -> None:
    made = clos(leaves=1, spines=2)
    state(made.hosts[0], NCCL_IB_HCA="mlx5_0")
    for name, value in on.items():
        made.leaves[0].interfaces[name].adaptive_routing = value
    assert severities_and_values("NIC026", *made.devices, links=made.links) == []


def test_half_of_the_switches_are_not_the_fabric() -> None:
    made = clos(leaves=2, spines=2)
    state(made.hosts[0], NCCL_IB_HCA="mlx5_0")
    balances(made.leaves[0], spread=Spread.PACKET)
    assert severities_and_values("NIC026", *made.devices, links=made.links) == []


@pytest.mark.parametrize(
    ("variables", "members", "tells"),
    [
        ({"NCCL_IB_HCA": "mlx5"}, ("p1", "p2"), True),
        ({"NCCL_IB_QPS_PER_CONNECTION": "1"}, ("p1", "p2"), True),
        ({"NCCL_IB_QPS_PER_CONNECTION": "4"}, ("p1", "p2"), False),
        ({"NCCL_IB_HCA": "irdma"}, ("p1", "p2"), False),
        ({"NCCL_IB_HCA": "mlx5"}, ("p1",), False),
        ({"NCCL_IB_HCA": "mlx5"}, (), False),
        ({}, ("p1", "p2"), False),
    ],
)
def test_a_bond_of_ports(variables: dict[str, str], members: tuple[str, ...], tells: bool) -> None:
    gpu = host("gpu1", "ens1")
    state(gpu, **variables)
    gpu.interfaces["ens1"].members = members
    leaf = switch("leaf1")
    port(leaf, "p1")
    assert (
        bool(severities_and_values("NIC027", leaf, gpu, links=[((leaf, "p1"), (gpu, "ens1"))]))
        is tells
    )
