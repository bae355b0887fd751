from __future__ import annotations

import pytest

from roce_lint.model.nic import Nic
from roce_lint.topology.name_index import Names
from tests.unit.topology.making import device, port

MAC = "b8:3f:d2:00:00:01"

LEAF = device(
    "Leaf1.dc1.example.com",
    port("Ethernet1/1", aliases=("Eth1/1", "etp1")),
    port("Ethernet1/2", aliases=("Eth1/2", "Ethernet1/1", MAC)),
)
HOST = device("gpu-017", port("ens1np0", aliases=(MAC.replace("01", "02").upper(),)))
HOST.nics["mlx5_0"] = Nic(name="mlx5_0", port="ens1np0")
HOST.nics["mlx5_9"] = Nic(name="mlx5_9", port="gone")
TWINS = (device("spine1.dc1"), device("spine1.dc2"))
ADDRESS = device("10.0.0.1")
NAMES = Names([LEAF, HOST, *TWINS, ADDRESS])


@pytest.mark.parametrize(
    ("name", "hostname"),
    [
        ("leaf1.dc1.example.com", "Leaf1.dc1.example.com"),
        ("LEAF1", "Leaf1.dc1.example.com"),
        (" leaf1.dc1 ", "Leaf1.dc1.example.com"),
        ("leaf1.dc1.example.com.", "Leaf1.dc1.example.com"),
        ("leaf1.dc2.example.com", None),
        ("leaf1.dc", None),
        ("GPU-017.dc9.example.com", "gpu-017"),
        ("gpu-01", None),
        ("spine1.dc1", "spine1.dc1"),
        ("spine1.dc2.example.com", "spine1.dc2"),
        ("spine1", None),  # which of the two?
        ("10.0.0.1", "10.0.0.1"),
        ("10", None),
        ("10.0.0.1.example.com", None),
        ("", None),
        (".", None),
    ],
)
def test_devices_are_known_in_any_case_with_or_without_a_domain(
    name: str, hostname: str | None
) -> None:
    found = NAMES.device(name)
    assert (found.hostname if found is not None else None) == hostname


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Ethernet1/1", "Ethernet1/1"),
        ("ethernet 1/1", "Ethernet1/1"),
        ("ETH1/1", "Ethernet1/1"),
        ("etp1", "Ethernet1/1"),
        ("Eth1/2", "Ethernet1/2"),
        (MAC, "Ethernet1/2"),
        (MAC.upper().replace(":", "-"), "Ethernet1/2"),
        ("b83f.d200.0001", "Ethernet1/2"),
        ("b83fd2000001", "Ethernet1/2"),
        ("Ethernet1", None),
        ("", None),
    ],
)
def test_ports_are_known_by_name_alias_and_mac(name: str, found: str | None) -> None:
    known = NAMES.port(LEAF, name)
    assert (known.name if known is not None else None) == found


def test_a_port_is_known_by_its_rdma_device() -> None:
    found = NAMES.port(HOST, "MLX5_0")
    assert found is HOST.interfaces["ens1np0"]
    assert NAMES.port(HOST, "mlx5_9") is None


def test_both_at_once() -> None:
    assert str(NAMES.endpoint("leaf1", "eth1/1")) == "Leaf1.dc1.example.com Ethernet1/1"
    assert NAMES.endpoint("leaf1", "eth9") is None
    assert NAMES.endpoint("leaf9", "eth1/1") is None


def test_a_neighbour_is_found_by_the_first_spelling_that_is_known() -> None:
    assert str(NAMES.heard("leaf1", ("swp9", "Eth1/2"))) == "Leaf1.dc1.example.com Ethernet1/2"
    assert NAMES.heard("leaf1", ("swp9",)) is None
    assert NAMES.heard("nobody", ("Eth1/2",)) is None


def test_a_neighbour_without_a_name_is_found_by_its_mac() -> None:
    other = MAC.replace("01", "02")
    assert str(NAMES.heard("", (other,))) == "gpu-017 ens1np0"
    assert str(NAMES.heard("nobody", ("port 1", other))) == "gpu-017 ens1np0"
    assert str(NAMES.heard(other, ("port 1",))) == "gpu-017 ens1np0"
    assert NAMES.heard("", ("b8:3f:d2:00:00:99",)) is None


def test_a_mac_of_several_ports_says_nothing() -> None:
    names = Names([device("a", port("x", aliases=(MAC,))), device("b", port("y", aliases=(MAC,)))])
    assert names.heard("", (MAC,)) is None


def test_names_that_differ_in_case_only_are_one() -> None:
    first, second = device("leaf1"), device("LEAF1")
    assert Names([first, second]).device("Leaf1") is first
