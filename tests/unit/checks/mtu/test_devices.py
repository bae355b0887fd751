"""MTU of a class, of a host against its RDMA device, and of one port among its equals."""

from __future__ import annotations

from typing import Any

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.checks.mtu.devices import (
    OddParams,
    class_mtu_too_small_for_roce,
    host_mtu_below_rdma_mtu,
    mtu_odd_one_out,
)
from roce_lint.checks.mtu.links import host_mtu_above_leaf_mtu, mtu_too_small_for_roce
from roce_lint.engine.api import Given, NoParams, Outcome, Problem, Severity, Unknown
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from tests.unit.checks.judging import outcomes_of
from tests.unit.fabric import CONFIRMED, analysed, code_map, host, lines_of, port, switch


def given(analysis: Analysis, params: Any = None) -> Given[Any]:
    return Given(params or NoParams(), analysis.fabric, analysis, RocePlan())


def leaf(mtus: dict[int, int], *, limits: bool | None, default: int | None = None) -> Device:
    device = switch("leaf1")
    port(device, "e1")
    maps = device.qos.forwardings["maps"]
    maps.tc_mtu, maps.tc_mtu_limits = code_map(lines_of(device), mtus), limits
    if default is not None:
        maps.tc_mtu.otherwise = default
        maps.tc_mtu.at["otherwise"] = device.src.cite(CONFIRMED)
    return device


def judged(device: Device) -> list[Outcome]:
    gpu = host("gpu1", "ens1", sends=26, rdma_mtu=4096, pauses=(3,))
    analysis = analysed(device, gpu, links=[((device, "e1"), (gpu, "ens1"))])
    return list(outcomes_of(class_mtu_too_small_for_roce, given(analysis)))


def test_a_class_mtu_that_drops_packets_is_as_grave_as_the_page_says() -> None:
    device = leaf({3: 2240}, limits=True)
    (found,) = judged(device)
    assert isinstance(found, Problem)
    assert found.severity is None
    assert found.at[0].position == device.qos.forwardings["maps"].tc_mtu.at[3]
    assert (found.device, found.subjects, found.value) == ("leaf1", ("e1",), "2240")


def test_a_class_mtu_that_only_carves_buffers_warns() -> None:
    (found,) = judged(leaf({3: 2240}, limits=False))
    assert isinstance(found, Problem)
    assert found.severity is Severity.WARNING


def test_a_default_counts_only_where_it_drops() -> None:
    (found,) = judged(leaf({}, limits=True, default=1500))
    assert isinstance(found, Problem)
    assert found.value == "1500"
    assert judged(leaf({}, limits=False, default=1500)) == []


def test_an_unknown_series_is_said_only_where_it_matters() -> None:
    (found,) = judged(leaf({3: 2240}, limits=None))
    assert isinstance(found, Unknown)
    assert "switch series" in found.missing
    assert judged(leaf({3: 9216}, limits=None)) == []


@pytest.mark.parametrize(("limits", "mtu"), [(True, 4160), (True, 9216), (False, 4160)])
def test_a_class_mtu_that_fits_is_nothing(limits: bool, mtu: int) -> None:
    assert judged(leaf({3: mtu}, limits=limits)) == []


def test_a_routed_port_has_an_mtu_of_its_own() -> None:
    device = leaf({3: 2240}, limits=True)
    device.interfaces["e1"].routed = True
    assert judged(device) == []


def test_a_port_that_the_class_limits_lacks_no_mtu() -> None:
    device = leaf({3: 9216}, limits=True)
    device.interfaces["e1"].ip_mtu = None
    gpu = host("gpu1", "ens1", sends=26, rdma_mtu=4096, mtu=4200, pauses=(3,))
    analysis = analysed(device, gpu, links=[((device, "e1"), (gpu, "ens1"))])
    assert list(outcomes_of(mtu_too_small_for_roce, given(analysis))) == []
    assert list(host_mtu_above_leaf_mtu(analysis.fabric.links[0], given(analysis))) == []


def rdma(mtu: int | None, payload: int | None) -> list[Outcome]:
    gpu = host("gpu1", "ens1", sends=26, rdma_mtu=payload, mtu=mtu)
    return list(host_mtu_below_rdma_mtu(gpu, given(analysed(gpu))))


@pytest.mark.parametrize(("mtu", "payload"), [(1500, 2048), (4175, 4096), (1103, 1024)])
def test_a_payload_that_does_not_fit_the_interface(mtu: int, payload: int) -> None:
    (found,) = rdma(mtu, payload)
    assert isinstance(found, Problem)
    assert (found.value, found.subjects) == (f"{mtu}/{payload}", ("ens1",))
    (change,) = found.changes
    assert change.value == payload + 104


@pytest.mark.parametrize(
    ("mtu", "payload"), [(1500, 1024), (4176, 4096), (9000, 4096), (1500, None)]
)
def test_a_payload_that_fits_or_is_not_stated(mtu: int, payload: int | None) -> None:
    assert rdma(mtu, payload) == []


def test_an_interface_whose_mtu_nobody_states() -> None:
    (found,) = rdma(None, 4096)
    assert isinstance(found, Unknown)
    assert found.missing == "the MTU of the host's interface"


def odd(*mtus: int) -> list[Outcome]:
    device = switch("leaf1")
    for number, mtu in enumerate(mtus):
        port(device, f"e{number}", mtu=mtu)
    analysis = analysed(device)
    return list(outcomes_of(mtu_odd_one_out, given(analysis, OddParams())))


def test_one_port_against_three() -> None:
    (found,) = odd(9214, 9124, 9214, 9214)
    assert isinstance(found, Problem)
    assert (found.subjects, found.value) == (("e1",), "9124")


@pytest.mark.parametrize(
    "mtus",
    [(9214,) * 4, (9214, 9214, 9124), (9214, 9214, 9214, 9124, 9124), (9214, 9214, 9214, 9000, 1)],
)
def test_no_port_is_odd_without_equals(mtus: tuple[int, ...]) -> None:
    assert odd(*mtus) == []
