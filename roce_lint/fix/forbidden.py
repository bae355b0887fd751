"""Changes that a fix makes on its device, and those it may never make, whatever the peers have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import ingress
from roce_lint.fix.files import ConfigFile
from roce_lint.fix.peers import Way
from roce_lint.fix.prove import Proof, State
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
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
"""Fields that a fix may not change: identity, connections and exemptions of a device."""


PERSON = "needs a manual decision"


def forbidden(found: Iterable[Difference], protected: frozenset[int]) -> str:
    """Reason to refuse changes of a device; empty if they are allowed.

    `protected` are the priorities that carry RoCE in this fabric.
    """
    for each in found:
        reason = _forbidden(each, protected)
        if reason:
            return f"{each.path}: {reason}"
    return ""


def makes_lossless(before: Device, after: Device, known: frozenset[int]) -> str:
    """Reason to reject a fix that makes a DSCP lossless where no other device does; empty if none.
    `known` are the DSCPs that are lossless somewhere.
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
            return "it would turn PFC off"
        if after - before - protected:
            return "it would make more traffic lossless"
    switches = (names & WATCHED and last in SWITCHES) or last == "enabled"
    if switches and a not in (None, False) and b in (None, False):
        return "it would turn off a port, ECN marking or the watchdog"
    if each.a_where.origin is Origin.STATED and each.b_where.origin is not Origin.STATED:
        return "it would delete configuration"
    whole = is_dataclass(a) or bool(each.path.steps and each.path.steps[-1].key is not None)
    return "it would delete an entry" if whole and a is not None and b is None else ""


def _set(value: object) -> frozenset[object]:
    return frozenset(value) if isinstance(value, frozenset | set) else frozenset()


def paused_code_points(analysis: Analysis) -> frozenset[int]:
    """The DSCPs of RoCE, and those that some switch puts into the same lossless class."""
    roce = {dscp for traffic in analysis.classes for dscp in traffic.dscps}
    ports = [port for port, _ in analysis.kinds if not port.device.is_host]
    paused = {
        dscp
        for dscp in DSCPS
        for port in ports
        if analysis.treat(port, dscp).ingress.lossless is True
    }
    return frozenset(roce | paused)


# Effect of changed lines on one device.

NOTHING = "no effect"


class Changes:
    """Reads single devices with lines changed, and caches the result."""

    def __init__(self, proof: Proof, state: State, files: dict[str, ConfigFile]):
        self._proof = proof
        self._files = files
        self._devices = state.devices
        analysis = state.report.analysis
        modes = analysis.modes.values() if analysis is not None else ()
        self._priorities = frozenset(m.priority for m in modes if m.priority is not None)
        self._paused = paused_code_points(analysis) if analysis is not None else frozenset()
        self._as_is: dict[str, Device | None] = {}
        self._known: dict[Way, tuple[list[Difference], str]] = {}

    def of(self, way: Way) -> list[Difference]:
        """Differences in the model."""
        return self._look_at(way)[0]

    def refusal(self, way: Way) -> str:
        """Reason not to verify a way; empty if it is worth verifying."""
        return self._look_at(way)[1]

    def _look_at(self, way: Way) -> tuple[list[Difference], str]:
        found = self._known.get(way)
        if found is None:
            found = self._known[way] = self._read(way)
        return found

    def _read(self, way: Way) -> tuple[list[Difference], str]:
        found: list[Difference] = []
        try:
            texts = self._proof.texts(way, self._files)
        except ValueError as error:
            return [], str(error)
        for name in sorted({each.device for each in way}):
            device = self._devices[name]
            if name not in self._as_is:
                self._as_is[name] = self._proof.read(device, {})
            before, after = self._as_is[name], self._proof.read(device, texts)
            if before is None or after is None:
                return [], "the device cannot be read separately"
            if before.stated("hostname") and not after.stated("hostname"):
                return [], f"host name: {PERSON}"
            own = differences(before, after)
            reason = forbidden(own, self._priorities)
            reason = reason or makes_lossless(before, after, self._paused)
            if reason:
                return own, reason
            found += own
        return found, "" if found else NOTHING
