"""MTU009: where OSPF and IS-IS compare the MTUs of the two ends of a link."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import ISIS, OSPF
from roce_lint.text.source import Citation
from tests.unit.checks.judging import leaf_spine, severities_and_values
from tests.unit.fabric import Ends, lines_of


def link(protocol: str = OSPF, low: int = 9202, high: int = 9216) -> tuple[Device, Device, Ends]:
    """A leaf and a spine that run a protocol over their link; the leaf has the smaller MTU."""
    leaf, spine, links = leaf_spine()
    for device, name, mtu in ((leaf, "e49", low), (spine, "e1", high)):
        port = device.interfaces[name]
        port.ip_mtu, port.igp, port.at["igp"] = mtu, (protocol,), lines_of(device).next()
    return leaf, spine, links[0]


def found(leaf: Device, spine: Device, ends: Ends) -> list[tuple[str, str]]:
    return severities_and_values("MTU009", leaf, spine, links=[ends])


def test_both_protocols_are_named() -> None:
    for protocol in (OSPF, ISIS):
        assert found(*link(protocol)) == [("warning", "leaf1 e49 9202 spine1 e1 9216")]


def test_equal_ends_form_an_adjacency() -> None:
    assert found(*link(low=9216)) == []


def test_the_end_that_decides_may_take_any_mtu() -> None:
    """OSPF: the one with the smaller MTU refuses. IS-IS: the one with the larger fills up."""
    for protocol, decides in ((OSPF, 0), (ISIS, 1)):
        for number in (0, 1):
            leaf, spine, ends = link(protocol)
            name = ("e49", "e1")[number]
            (leaf, spine)[number].interfaces[name].igp_any_mtu = (protocol,)
            assert (found(leaf, spine, ends) == []) is (number == decides)


def test_a_protocol_on_one_end_forms_nothing() -> None:
    leaf, spine, ends = link()
    spine.interfaces["e1"].igp = (ISIS,)
    assert found(leaf, spine, ends) == []


def test_an_mtu_that_nobody_stated_is_left_alone() -> None:
    leaf, spine, ends = link()
    port = spine.interfaces["e1"]
    port.at["ip_mtu"] = port.src.cite(Citation("MTU 9216", "docs/nos/made.md#ports"))
    assert found(leaf, spine, ends) == []
