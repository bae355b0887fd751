"""The larger packets of an overlay, and the cables that have to carry them."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind, Tunnel
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import Ends, host, lines_of, port, switch

VLAN = 10


def fabric(
    up: int = 9214, *, rdma_mtu: int | None = 4096, mtu: int | None = 9000, **says: object
) -> tuple[list[Device], list[Ends]]:
    """Two leaves with a host each in a VLAN that their tunnels carry, and a spine; `up` is the MTU
    between the switches.
    """
    spine = switch("spine1", role=Role.SPINE)
    devices, links = [spine], []
    for number in (1, 2):
        leaf = switch(f"leaf{number}", role=Role.LEAF)
        machine = host(f"gpu{number}", "eth0", sends=26, pauses=(3,), rdma_mtu=rdma_mtu, mtu=mtu)
        port(leaf, "down").untagged_vlan = VLAN
        port(leaf, "up", mtu=up)
        port(spine, f"e{number}", mtu=up)
        end = port(leaf, "vtep", kind=InterfaceKind.TUNNEL)
        given = {"vlans": frozenset({VLAN}), **says}
        end.tunnel = Tunnel(src=leaf.src, at={"": lines_of(leaf).next()}, **given)  # type: ignore[arg-type]
        links += [((leaf, "down"), (machine, "eth0")), ((leaf, "up"), (spine, f"e{number}"))]
        devices += [leaf, machine]
    return devices, links


def mtu_findings(up: int, **how: object) -> list[tuple[str, str]]:
    devices, links = fabric(up, **how)  # type: ignore[arg-type]
    return severities_and_values("MTU001", *devices, links=links)


def test_the_outer_headers_count_on_every_cable_below_them() -> None:
    devices, links = fabric(4200)
    findings = judged("MTU001", *devices, links=links).findings
    # Every leaf puts its own packets in: the size is the same, who says it is not.
    places = {(o.device, name) for f in findings for o in f.occurrences for name in o.subjects}
    assert places == {("leaf1", "up"), ("leaf2", "up"), ("spine1", "e1"), ("spine1", "e2")}
    assert {f.severity.label for f in findings} == {"error"}
    message = next(f.message for f in findings if "leaf1 up" in f.message)
    assert values(message) == "leaf1 4200 gpu1 mlx5_0 4096 64 leaf1 50"
    lines = {o.locations[0].line for f in findings for o in f.occurrences if o.device == "leaf1"}
    assert lines == {devices[1].interfaces["up"].at["ip_mtu"]}


@pytest.mark.parametrize("up", [4210, 9214])
def test_a_cable_that_carries_them_is_nothing(up: int) -> None:
    assert mtu_findings(up) == []


@pytest.mark.parametrize(("ipv6", "smallest"), [(None, 4210), (False, 4210), (True, 4230)])
def test_an_underlay_of_ipv6_has_larger_headers(ipv6: bool | None, smallest: int) -> None:
    assert mtu_findings(smallest, outer_ipv6=ipv6) == []
    assert mtu_findings(smallest - 1, outer_ipv6=ipv6) != []


def test_what_the_tunnel_does_not_carry_is_no_larger() -> None:
    assert mtu_findings(4160, vlans=frozenset({20})) == []
    assert mtu_findings(4159, vlans=frozenset({20})) != []


def test_where_it_is_not_known_whether_the_tunnel_carries_it() -> None:
    devices, links = fabric(4200, vlans=None)
    assert severities_and_values("MTU001", *devices, links=links) == []
    (lack,) = set(missing("MTU001", *devices, links=links))
    assert lack.startswith("tunnelling of RoCE")
    devices, links = fabric(4210, vlans=None)
    assert missing("MTU001", *devices, links=links) == set()


@pytest.mark.parametrize(
    ("mtu", "smallest"),
    [
        (1500, 1500),  # 1024 bytes of payload: 1138 with all headers
        (4200, 4210),
        (9000, 9000),  # 4096 bytes of payload and no more
    ],
)
def test_the_mtu_of_a_host_bounds_its_packets_and_is_none_of_them(mtu: int, smallest: int) -> None:
    assert mtu_findings(smallest, rdma_mtu=None, mtu=mtu) == []
    assert mtu_findings(smallest - 1, rdma_mtu=None, mtu=mtu) != []


def test_below_one_leaf_nothing_is_larger() -> None:
    leaf = switch("leaf1", role=Role.LEAF)
    devices, links = [leaf], []
    for number in (1, 2):
        machine = host(f"gpu{number}", "eth0", sends=26, pauses=(3,), rdma_mtu=4096, mtu=9000)
        port(leaf, f"h{number}", mtu=4160).untagged_vlan = VLAN
        links.append(((leaf, f"h{number}"), (machine, "eth0")))
        devices.append(machine)
    end = port(leaf, "vtep", kind=InterfaceKind.TUNNEL)
    end.tunnel = Tunnel(src=leaf.src, vlans=frozenset({VLAN}))
    assert severities_and_values("MTU001", *devices, links=links) == []
