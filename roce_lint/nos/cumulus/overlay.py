"""The end of VXLAN tunnels: which VLANs it carries, and what becomes of their code points.

`encapsulation dscp action` writes the outer DSCP: `copy`, `set` to a value, or `derive` from the
switch priority. `decapsulation dscp action` says what becomes of the inner one: `copy` from the
outer, `preserve`, or `derive`. Which DSCP is derived is not modelled: it is not known then.
"""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Tunnel
from roce_lint.model.units import parse_dscp
from roce_lint.nos.cumulus.naming import vlans_in
from roce_lint.nos.cumulus.statements import View
from roce_lint.nos.reading import ABSENT, Reading
from roce_lint.nos.segments import end_of_tunnels, is_ipv6

TUNNEL = "vxlan"
"""Name given to the tunnel end that `nve vxlan` configures."""

_INNER_REPLACED = {"preserve": False, "copy": True}


def read_tunnel(reading: Reading, top: View, device: Device) -> None:
    """Add the one VXLAN tunnel end of the switch to its interfaces."""
    view = top.get("nve", "vxlan")
    if not view:
        return
    enabled = view.enabled()
    action = view.word("encapsulation", "dscp", "action")
    value = view.word("encapsulation", "dscp", "value")
    kept = view.word("decapsulation", "dscp", "action")
    source = view.word("source", "address")
    tunnel = reading.build(
        Tunnel,
        view.begin,
        dscp_copied=action.map(lambda word: word == "copy"),
        dscp=view.convert(value, _dscp, "a DSCP") if action.value == "set" else ABSENT,
        inner_replaced=kept.map(_INNER_REPLACED.get),
        vlans=_carried_vlans(top),
        outer_ipv6=source.map(is_ipv6),
    )
    device.interfaces[TUNNEL] = end_of_tunnels(reading, view.begin, TUNNEL, tunnel, enabled=enabled)


def _dscp(text: str) -> int:
    found = parse_dscp(text)
    if found is None:
        raise ValueError(text)
    return found


def _carried_vlans(top: View) -> frozenset[int]:
    """VLANs of the bridges that have a VNI."""
    carried: set[int] = set()
    for _, domain in top.members("bridge", "domain"):
        for text, place in domain.members("vlan"):
            if place.get("vni"):
                carried |= vlans_in(text)
    return frozenset(carried)
