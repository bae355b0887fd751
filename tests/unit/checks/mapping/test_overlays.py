"""RoCE in an overlay, and the code point of its outer header."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind, Tunnel
from tests.unit.checks.judging import judged, leaf_spine, missing, severities_and_values, values
from tests.unit.fabric import Ends, lines_of, port

VLAN = 10


def overlay(**says: object) -> tuple[tuple[Device, Device], list[Ends], Tunnel]:
    """A leaf whose edge port is in a tunnelled VLAN; configured fields have a line."""
    leaf, spine, links = leaf_spine()
    leaf.interfaces["e1"].untagged_vlan = VLAN
    end = port(leaf, "vtep", kind=InterfaceKind.TUNNEL)
    lines = lines_of(leaf)
    at = {"": lines.next(), **{name: lines.next() for name in says}}
    given = {"vlans": frozenset({VLAN}), **says}
    end.tunnel = Tunnel(src=leaf.src, at=dict(at), **given)  # type: ignore[arg-type]
    return (leaf, spine), links, end.tunnel


def test_a_code_point_that_is_not_copied_is_found_at_its_line() -> None:
    devices, links, tunnel = overlay(dscp_copied=False)
    (found,) = judged("MAP011", *devices, links=links).findings
    assert (found.severity.label, found.subjects) == ("warning", ("vtep",))
    assert values(found.message) == "leaf1 26"
    assert found.location is not None
    assert found.location.line == tunnel.at["dscp_copied"]
    assert ("leaf1", "e1", "arriving") in found.reaches


def test_another_code_point_that_is_always_written_is_found() -> None:
    devices, links, _ = overlay(dscp_copied=False, dscp=12)
    assert severities_and_values("MAP011", *devices, links=links) == [("warning", "leaf1 12 26")]


@pytest.mark.parametrize(
    "says",
    [
        {"dscp_copied": True},
        {"dscp_copied": False, "dscp": 26},
        {"dscp_copied": False, "vlans": frozenset({20})},
        {"dscp_copied": False, "vlans": None},
    ],
)
def test_what_is_right_or_not_carried_is_nothing(says: dict[str, object]) -> None:
    devices, links, _ = overlay(**says)
    assert severities_and_values("MAP011", *devices, links=links) == []
    assert missing("MAP011", *devices, links=links) == set()


def test_what_no_line_says_is_not_known() -> None:
    devices, links, _ = overlay()
    assert severities_and_values("MAP011", *devices, links=links) == []
    assert missing("MAP011", *devices, links=links) == {
        "the outer DSCP that vtep sets (not configured)"
    }


def test_a_tunnel_that_is_shut_down_carries_nothing() -> None:
    devices, links, _ = overlay(dscp_copied=False)
    devices[0].interfaces["vtep"].enabled = False
    assert severities_and_values("MAP011", *devices, links=links) == []
