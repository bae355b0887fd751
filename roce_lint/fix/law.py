"""What may never be done to put a finding right, whatever the equals of a device do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import ingress
from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.object_diff import Difference
from roce_lint.model.units import DSCPS
from roce_lint.text.source import Origin

PAUSE = {"generate", "honour"}
WATCHED = {"marking", "watchdog"}
SWITCHES = WATCHED | {"ecn", "enabled"}

NEVER = {
    "hostname", "description", "kind", "aliases", "routed", "addresses", "vrf", "untagged_vlan",
    "tagged_vlans", "speed_gbps", "lanes", "autoneg", "fec", "lag", "members", "neighbors",
    "tunnel", "asn", "routing", "policing", "policing_out", "pools", "size_bytes", "role",
    "igp", "igp_any_mtu", "peer_link", "has_qos",
}  # fmt: skip
"""Fields that no search may change: who a device is, where it leads, and what is set aside."""


PERSON = "a person decides that"


def forbidden(found: Iterable[Difference], protected: frozenset[int]) -> str:
    """Why changes of a device are refused; empty where they are not.

    `protected` are the priorities that carry RoCE in this fabric.
    """
    for each in found:
        reason = _forbidden(each, protected)
        if reason:
            return f"{each.path}: {reason}"
    return ""


def makes_lossless(before: Device, after: Device, known: frozenset[int]) -> str:
    """Why a device is refused of which a port pauses code points that it did not pause, and that
    nobody does; empty where there is none. `known` are the code points that are paused somewhere.
    """
    for name, port in after.interfaces.items():
        old = before.interfaces.get(name)
        if old is None or port.qos is None or port.kind is not InterfaceKind.PHYSICAL:
            continue
        for dscp in DSCPS:
            if dscp in known or ingress(after, port, dscp).lossless is not True:
                continue
            if ingress(before, old, dscp).lossless is False:
                return f"{name}: it would make DSCP {dscp} lossless"
    return ""


def _forbidden(each: Difference, protected: frozenset[int]) -> str:
    names = {step.field for step in each.path.steps}
    last = each.path.steps[-1].field if each.path.steps else ""
    a, b = each.a, each.b
    if names & NEVER:
        return PERSON
    if last == "ip_mtu" and isinstance(a, int) and (not isinstance(b, int) or b < a):
        return "it would lower the MTU"
    if "pfc" in names and last in PAUSE:
        before, after = _set(a), _set(b)
        if (before - after) & protected or (before and not after):
            return "it would take pause away"
        if after - before - protected:
            return "it would make more traffic lossless"
    switches = (names & WATCHED and last in SWITCHES) or last == "enabled"
    if switches and a not in (None, False) and b in (None, False):
        return "it would switch off a port, marking or the watchdog"
    if each.a_where.origin is Origin.STATED and each.b_where.origin is not Origin.STATED:
        return "it would delete what is stated"
    whole = is_dataclass(a) or bool(each.path.steps and each.path.steps[-1].key is not None)
    return "it would delete an entry" if whole and a is not None and b is None else ""


def _set(value: object) -> frozenset[object]:
    return frozenset(value) if isinstance(value, frozenset | set) else frozenset()


def paused_code_points(analysis: Analysis) -> frozenset[int]:
    """The code points of RoCE, and those that some switch of the fabric pauses with it."""
    roce = {dscp for traffic in analysis.classes for dscp in traffic.dscps}
    ports = [port for port, _ in analysis.kinds if not port.device.is_host]
    paused = {
        dscp
        for dscp in DSCPS
        for port in ports
        if analysis.treat(port, dscp).ingress.lossless is True
    }
    return frozenset(roce | paused)
