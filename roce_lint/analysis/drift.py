"""Differences between a device and its golden one: only stated values, and ports by treatment.

Numbers of traffic classes, queues and groups are never compared: they are local to a device. An
unknown value is not a difference.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.analysis.treatment import forwarding_of, group_buffer, treatment
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.object_diff import NOWHERE, Difference
from roce_lint.model.path import PORTS, Path, Step
from roce_lint.model.qos import Queue, ShareKind
from roce_lint.model.routing import Routing
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.source import Where

Stated = tuple[str, Any, Where]
"""A field of a treatment, its value and its source."""

PORT_FIELDS = ("enabled", "addresses", "ip_mtu", "speed_gbps", "fec")
WATCHDOG_FIELDS = ("enabled", "polling_ms", "detection_ms", "restoration_ms", "action")
NIC_FIELDS = ("rdma_mtu", "traffic_class", "cnp_dscp", "cnp_priority", "roce_version")
SERVED = {"scheduler", "share_percent"}
"""Fields compared only for DSCPs with a class in the intent."""

SESSION_FIELDS = ("asn", "own_as_allowed")


def drift(golden: Device, own: Device) -> list[Difference]:
    """Differences of `own` from `golden`; a value is (golden, own)."""
    return list(_Drift(golden, own).all())


@dataclass(slots=True)
class _Drift:
    golden: Device
    own: Device
    known: dict[Hashable, list[Difference]] = field(default_factory=dict)

    def all(self) -> Iterator[Difference]:
        golden, own = self.golden, self.own
        yield from self._fields((), golden, own, ("asn",))
        for name, port in golden.interfaces.items():
            yield from self._port(name, port)
        if not own.partial:
            yield from self._further_ports()
        if golden.routing is not None and golden.routing.sessions:
            yield from self._sessions(golden.routing, own.routing)
        if golden.balancing is not None and own.balancing is not None:
            steps = (Step("balancing"),)
            yield from self._fields(steps, golden.balancing, own.balancing, ("l4_ports",))
        for name, nic in golden.nics.items():
            other = own.nics.get(name)
            if other is not None:
                yield from self._fields((Step("nics", name),), nic, other, NIC_FIELDS)

    def _difference(
        self, steps: tuple[Step, ...], a: Any, b: Any, at: Where, its: Where
    ) -> Difference:
        return Difference(Path(self.golden.hostname, steps), a, b, at, its)

    def _fields(
        self, steps: tuple[Step, ...], a: Sourced, b: Sourced, names: Iterable[str]
    ) -> Iterator[Difference]:
        """Fields with different values on both sides."""
        for name in names:
            mine, theirs = getattr(a, name), getattr(b, name)
            if mine in (None, ()) or theirs is None or mine == theirs:
                continue
            if name == "addresses" and set(mine) <= set(theirs):
                continue  # further addresses are not part of the golden device
            yield self._difference((*steps, Step(name)), mine, theirs, a.where(name), b.where(name))

    def _port(self, name: str, golden: Interface) -> Iterator[Difference]:
        own = self.own.interfaces.get(name) or self._port_called(name)
        steps = (Step(PORTS, name),)
        if golden.kind is InterfaceKind.LOOPBACK:
            yield from self._loopback(steps, golden)
            return
        if own is None:
            if not self.own.partial:
                yield self._difference(steps, golden, None, golden.where(), self.own.where())
            return
        yield from self._fields(steps, golden, own, PORT_FIELDS)
        mine = golden.qos.watchdog if golden.qos is not None else None
        theirs = own.qos.watchdog if own.qos is not None else None
        if mine is not None and theirs is not None:
            inner = (*steps, Step("qos"), Step("watchdog"))
            yield from self._fields(inner, mine, theirs, WATCHDOG_FIELDS)
        for each in self._treatment_differences(golden, own):
            path = Path(self.golden.hostname, (*steps, *each.path.steps))
            yield Difference(path, each.a, each.b, each.a_where, each.b_where)

    def _port_called(self, name: str) -> Interface | None:
        ports = self.own.interfaces.values()
        return next((port for port in ports if name in port.aliases), None)

    def _loopback(self, steps: tuple[Step, ...], golden: Interface) -> Iterator[Difference]:
        """Difference in loopback addresses, whatever the number of the loopback."""
        loopbacks = [p for p in self.own.interfaces.values() if p.kind is InterfaceKind.LOOPBACK]
        held = {address for port in loopbacks for address in port.addresses}
        if set(golden.addresses) <= held or self.own.partial:
            return
        own = self.own.interfaces.get(golden.name)
        theirs, place = (own.addresses, own.where("addresses")) if own else (None, NOWHERE)
        path = (*steps, Step("addresses"))
        yield self._difference(path, golden.addresses, theirs, golden.where("addresses"), place)

    def _further_ports(self) -> Iterator[Difference]:
        """Ports with an address that the golden device lacks."""
        expected = {
            id(self.own.interfaces.get(n) or self._port_called(n)) for n in self.golden.interfaces
        }
        for name, port in self.own.interfaces.items():
            used = port.kind is InterfaceKind.PHYSICAL and port.addresses and port.enabled
            if used and id(port) not in expected:
                yield self._difference(
                    (Step(PORTS, name),), None, port, self.golden.where(), port.where()
                )

    def _sessions(self, golden: Routing, own: Routing | None) -> Iterator[Difference]:
        theirs = own.sessions if own is not None else {}
        for peer, session in golden.sessions.items():
            steps = (Step("routing"), Step("sessions", peer))
            other = theirs.get(peer)
            if other is not None:
                yield from self._fields(steps, session, other, SESSION_FIELDS)
            elif not self.own.partial:
                yield self._difference(
                    steps, session, None, session.where(), self.own.where("routing")
                )
        for peer, session in theirs.items():
            if peer not in golden.sessions:
                steps = (Step("routing"), Step("sessions", peer))
                yield self._difference(steps, None, session, golden.where(), session.where())
        if own is not None:
            yield from self._fields((Step("routing"),), golden, own, ("max_paths",))

    def _treatment_differences(self, golden: Interface, own: Interface) -> list[Difference]:
        """Differences in treatment, grouped by DSCPs that differ in the same way."""
        key = tuple(_way(port) for port in (golden, own))
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = list(self._compare(golden, own))
        return known

    def _compare(self, golden: Interface, own: Interface) -> Iterator[Difference]:
        if golden.qos is None or own.qos is None:
            return
        differing: dict[Hashable, tuple[list[int], Difference]] = {}
        named = self._codes_of_intent(golden)
        for dscp in DSCPS:
            theirs = {name: (v, w) for name, v, w in _describe(self.own, own, dscp)}
            for name, value, place in _describe(self.golden, golden, dscp):
                other, where = theirs.get(name, (None, NOWHERE))
                if value is None or other is None or value == other:
                    continue
                if name in SERVED and dscp not in named:
                    continue
                key = (name, str(value), str(other), place.position, where.position)
                path = Path("", (Step(name),))
                entry = Difference(path, value, other, place, where)
                differing.setdefault(key, ([], entry))[0].append(dscp)
        for dscps, each in differing.values():
            steps = (Step("treatment", ranges(dscps)), *each.path.steps)
            yield Difference(Path("", steps), each.a, each.b, each.a_where, each.b_where)

    def _codes_of_intent(self, golden: Interface) -> frozenset[int]:
        """DSCPs of the classes that the intent names."""
        key = golden.qos.classifier if golden.qos is not None else None
        classifier = self.golden.qos.classifiers.get(key or "")
        return frozenset(classifier.dscp_to_tc.entries) if classifier is not None else frozenset()


def _way(port: Interface) -> Hashable:
    qos = port.qos
    if qos is None:
        return None
    pfc = None if qos.pfc is None else (qos.pfc.generate, qos.pfc.honour, id(qos.pfc.at))
    maps = qos.classifier, qos.forwarding, qos.egress, qos.rewrite, qos.ingress_buffer
    return (maps, qos.trust, qos.default_tc, pfc)


def _describe(device: Device, port: Interface, dscp: int) -> Iterator[Stated]:
    """Treatment of a DSCP on a port, comparable between devices; None for unknown."""
    done = treatment(device, port, dscp)
    arriving, leaving = done.ingress, done.egress
    class_place = arriving.traffic_class.place or NOWHERE
    yield "lossless", arriving.lossless, arriving.lossless_where or class_place
    if arriving.lossless:
        yield "pause_priority", arriving.priority, arriving.priority_where or class_place
        stopped = leaving.stopped_by
        obeyed = None if stopped is None else arriving.priority in stopped
        yield "obeyed", obeyed, leaving.honour_where or class_place
        yield from _headroom(device, port, arriving.pg)
    yield "marked", leaving.marks, leaving.marks_where or class_place
    marking, scheduler = leaving.marking, leaving.scheduler
    if leaving.marks and marking is not None:
        for name in ("kmin", "kmax", "pmax_percent"):
            yield name, getattr(marking, name), marking.where(name)
    if scheduler is not None:
        yield "scheduler", scheduler.kind, scheduler.where("kind")
        yield "share_percent", share_of(device, port, leaving.queue), scheduler.where("share")
    if done.rewrite is not None and done.rewrite != dscp:
        yield "leaves_as", done.rewrite, done.rewrite_where or class_place


def _headroom(device: Device, port: Interface, pg: int | None) -> Iterator[Stated]:
    if pg is None or port.qos is None or forwarding_of(device, port.qos) is None:
        return
    profile, _, _ = group_buffer(device, port.qos, pg)
    for name in ("xoff_bytes", "xon_bytes") if profile is not None else ():
        yield name, getattr(profile, name), profile.where(name)  # type: ignore[union-attr]


def share_of(device: Device, port: Interface, number: int | None) -> float | None:
    """Share of a queue in percent of the bandwidth left by strict queues; weights are converted."""
    policy = device.qos.egress.get(port.qos.egress or "") if port.qos is not None else None
    queue = policy.queue(number) if policy is not None and number is not None else None
    if policy is None or queue is None or queue.scheduler is None:
        return None
    scheduler = queue.scheduler
    if scheduler.share is None or scheduler.share_of is not ShareKind.WEIGHT:
        return scheduler.share
    total = sum(_weight(each) for each in policy.queues.values())
    return round(100 * scheduler.share / total, 3) if total else None


def _weight(queue: Queue) -> float:
    scheduler = queue.scheduler
    return (scheduler.share or 0) if scheduler is not None else 0
