"""Branches of the MTU rules that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.checks.mtu.links import mtu_differs_on_link
from roce_lint.engine.api import Given, NoParams, Problem
from roce_lint.model.device import Device
from roce_lint.model.fabric import LinkConflict, LinkSource
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import Where
from tests.unit.checks.judging import (
    judged,
    leaf_spine,
    missing,
    outcomes_of,
    severities_and_values,
)
from tests.unit.fabric import fabric, host, lines_of, port, switch


def test_a_host_facing_port_below_the_others_is_a_warning() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", mtu=9214)
    port(leaf, "e2", mtu=1500)
    assert severities_and_values("MTU001", leaf) == [
        (
            "warning",
            "leaf1 e2 1500 leaf1 e1 4160",
        )
    ]


def test_without_any_mtu_the_packet_size_is_missing() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", mtu=None)
    assert missing("MTU001", leaf) == {
        "the packet size of the senders (provide a host snapshot or an intent)"
    }
    port(leaf, "e2", mtu=9214)
    assert missing("MTU001", leaf) == {"the MTU of the port"}


def gateway(leaf: Device, vlan: int, mtu: int) -> None:
    made = port(leaf, f"Vlan{vlan}", kind=InterfaceKind.VLAN, mtu=mtu)
    made.qos, made.untagged_vlan, made.addresses = None, vlan, ("10.0.0.1/24",)


def access(leaf: Device, name: str, vlan: int | None) -> None:
    made = port(leaf, name)
    made.routed, made.untagged_vlan = vlan is None, vlan


@pytest.mark.parametrize(
    ("second", "found"),
    [
        (10, []),  # RoCE stays inside the VLAN
        (20, ["leaf1 Vlan10 1500 leaf1 e1 4160"]),  # it is routed into another VLAN
        (None, ["leaf1 Vlan10 1500 leaf1 e1 4160"]),  # it leaves by a routed port
    ],
)
def test_a_gateway_counts_where_roce_leaves_its_vlan(second: int | None, found: list[str]) -> None:
    leaf = switch("leaf1")
    access(leaf, "e1", 10)
    access(leaf, "e2", second)
    gateway(leaf, 10, 1500)
    gateway(leaf, 20, 9214)
    assert [message for _, message in severities_and_values("MTU001", leaf)] == found


def test_a_trunk_may_carry_the_same_vlan_on() -> None:
    leaf = switch("leaf1")
    access(leaf, "e1", 10)
    trunk = port(leaf, "e2")
    trunk.routed, trunk.tagged_vlans = False, frozenset({10})
    gateway(leaf, 10, 1500)
    assert severities_and_values("MTU001", leaf) == []


@pytest.mark.parametrize("change", [{"enabled": False}, {"addresses": ()}])
def test_a_gateway_that_routes_nothing_does_not_count(change: dict) -> None:
    leaf = switch("leaf1")
    access(leaf, "e1", 10)
    access(leaf, "e2", None)
    gateway(leaf, 10, 1500)
    for name, value in change.items():
        setattr(leaf.interfaces["Vlan10"], name, value)
    assert severities_and_values("MTU001", leaf) == []


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [(9216, 9100, 0), (9000, 9216, 0), (4300, 4200, 0), (1500, 9214, 1), (8000, 9214, 1)],
)
def test_ends_may_differ_by_how_headers_are_counted(one: int, other: int, found: int) -> None:
    leaf, spine, links = leaf_spine()
    for device in (leaf, spine):  # no host-facing port states an MTU
        for made in device.interfaces.values():
            del made.at["ip_mtu"]
    leaf.interfaces["e49"].ip_mtu, spine.interfaces["e1"].ip_mtu = one, other
    assert len(severities_and_values("MTU002", leaf, spine, links=links)) == found


def test_where_roce_fits_only_stated_mtus_differ() -> None:
    leaf, spine, links = leaf_spine()
    gpu = host("gpu1", "ens1", rdma_mtu=4096)
    links.append(((leaf, "e1"), (gpu, "ens1")))
    leaf.interfaces["e49"].ip_mtu = 4200
    assert [
        level for level, _ in severities_and_values("MTU002", leaf, spine, gpu, links=links)
    ] == ["warning"]
    del leaf.interfaces["e49"].at["ip_mtu"]
    assert severities_and_values("MTU002", leaf, spine, gpu, links=links) == []


def test_a_finding_on_an_assumed_link_says_so() -> None:
    leaf, spine, links = leaf_spine()
    for device in (leaf, spine):
        for made in device.interfaces.values():
            del made.at["ip_mtu"]
    leaf.interfaces["e49"].ip_mtu = 1500
    (found,) = judged(
        "MTU002", leaf, spine, links=links, known_from=LinkSource.DESCRIPTION
    ).findings
    assert ["assumed" in note for note in found.notes] == [True]


@pytest.mark.parametrize(
    ("rdma", "mtu", "leaf_mtu", "found"),
    [
        (4096, 9000, 9214, []),
        (4096, 9000, 4200, ["warning"]),
        (None, 9000, 4200, ["error"]),
        (4096, 9000, 1500, ["error"]),
    ],
)
def test_a_host_above_its_leaf(rdma: int | None, mtu: int, leaf_mtu: int, found: list[str]) -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", rdma_mtu=rdma, mtu=mtu)
    port(leaf, "e1", mtu=leaf_mtu)
    links = [((leaf, "e1"), (gpu, "ens1"))]
    assert [level for level, _ in severities_and_values("MTU003", leaf, gpu, links=links)] == found


def test_an_unknown_mtu_of_a_host_is_missing() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", rdma_mtu=4096)
    port(leaf, "e1")
    links = [((leaf, "e1"), (gpu, "ens1"))]
    assert "the MTU of the host's interface" in missing("MTU003", leaf, gpu, links=links)


def test_a_link_that_is_said_to_lead_elsewhere_is_told_with_that_claim_first() -> None:
    leaf, spine, links = leaf_spine()
    for device in (leaf, spine):
        for made in device.interfaces.values():
            del made.at["ip_mtu"]
    leaf.interfaces["e49"].ip_mtu = 1500
    whole = fabric(leaf, spine, links=links)
    claim = Where(leaf.src, lines_of(leaf).next())
    whole.links[0].where = (claim,)
    given = Given(NoParams(), whole, analyse(whole, RocePlan()), RocePlan())

    def places() -> list[Where]:
        found = outcomes_of(mtu_differs_on_link, given)
        (problem,) = (each for each in found if isinstance(each, Problem))
        return problem.at

    assert claim not in places()
    whole.conflicts.append(
        LinkConflict(
            ("leaf1", "e49"), LinkSource.LLDP, LinkSource.PLAN, "spine2 e1", "spine1 e1", (claim,)
        )
    )
    assert places()[0] == claim
    assert leaf.interfaces["e49"].where("ip_mtu") in places()
