"""Differences between a device and its golden one: all stated values, and ports by treatment.

A value of the golden device that the other device does not state is a difference, unless a known
default of the platform gives it or only a part of the device is known. A value that switches
something off, or is zero, is also met by a device that states nothing. Numbers of traffic classes,
queues and groups are never compared: they are local to a device.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roce_lint.analysis.treatment import (
    Treatment,
    classifier_of,
    egress_of,
    forwarding_of,
    group_buffer,
    treatment,
    way_of,
)
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.object_diff import NOWHERE, Difference, names_of
from roce_lint.model.path import PORTS, Path, Step
from roce_lint.model.qos import HeadroomModel, PfcWatchdog, SchedulerKind, ShareKind
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import DSCPS, ranges
from roce_lint.model.values import key_text
from roce_lint.text.source import Where

Stated = tuple[str, Any, Where]
"""A field of a treatment, its value and its source."""

APART = (
    {"nos", "role", "vendor", "model", "os_version", "qos_supported", "family"}  # identity
    | {"interfaces", "qos", "emits", "neighbors"}  # compared separately, or results of other fields
    | {"classifier", "forwarding", "egress", "rewrite", "ingress_buffer", "policing"}
    | {"policing_out", "generate", "honour", "named"}  # as treatment
    | {"rail", "cable_m", "description", "parts_gbps"}  # cabling, text for people, speed of parts
)
"""Fields without a comparison of their own."""

OPEN = {"lanes", "parent", "ethernet", "rdma_mtu"}
OPEN_ON_HOSTS = OPEN | {"speed_gbps", "fec", "enabled"}
"""Fields that a whole configuration may leave open: they are compared where known."""


GROWING = {"addresses", "forwards", "np_priorities", "rp_priorities"}
"""Sets that may hold more than is required: some adapters have one switch for all priorities."""

SERVED = {"scheduler", "share_percent"}
"""Fields that a device with further classes cannot have in common with an intent without them."""


SIZES = {*names_of(BufferProfile)}
"""Buffer sizes that only a device with the headroom model of the golden one states."""


def drift(golden: Device, own: Device) -> list[Difference]:
    """Differences of `own` from `golden`; a value is (golden, own)."""
    return list(_Drift(golden, own, _is_part(golden, own)).all())


def _is_part(golden: Device, own: Device) -> bool:
    """Whether more settings of the device may be in other files.

    Outputs that list all interfaces of a host show what was asked for; files without such a list
    that name a port of the golden device are its whole setup.
    """
    named = own.nics or golden.interfaces.keys() & own.interfaces.keys()
    return not (own.partial and named) if own.is_host else own.partial


@dataclass(slots=True)
class _Drift:
    golden: Device
    own: Device
    part: bool
    known: dict[Hashable, list[Difference]] = field(default_factory=dict)

    def all(self) -> Iterator[Difference]:
        golden, own = self.golden, self.own
        yield from self._objects((), golden, own)
        for name, port in golden.interfaces.items():
            yield from self._port(name, port)
        if not own.partial:
            yield from self._further_ports()
        mine, theirs = golden.routing, own.routing
        if mine is None or theirs is None or not mine.sessions:
            return
        for peer, session in theirs.sessions.items():
            if peer not in mine.sessions:
                steps = (Step("routing"), Step("sessions", peer))
                yield self._difference(steps, None, session, golden.where(), session.where())

    def _difference(
        self, steps: tuple[Step, ...], a: Any, b: Any, at: Where, its: Where
    ) -> Difference:
        return Difference(Path(self.golden.hostname, steps), a, b, at, its)

    def _objects(self, steps: tuple[Step, ...], a: Sourced, b: Sourced) -> Iterator[Difference]:
        """Differences in all values that the golden object states."""
        for name in names_of(type(a)):
            if name not in APART:
                yield from self._field(steps, a, b, name)

    def _field(
        self, steps: tuple[Step, ...], a: Sourced, b: Sourced, name: str
    ) -> Iterator[Difference]:
        mine, theirs = getattr(a, name), getattr(b, name)
        if mine is None or mine in ((), [], {}) or mine == theirs:
            return
        if isinstance(mine, dict):
            for key, value in mine.items():
                step = Step(name, key_text(key))
                yield from self._value((*steps, step), value, theirs.get(key), a, b, key)
        elif name == "headroom" and mine is not HeadroomModel.STATIC:
            return  # no line of the golden device sizes it
        elif name in GROWING and theirs is not None and set(mine) <= set(theirs):
            return
        else:
            yield from self._value((*steps, Step(name)), mine, theirs, a, b, name)

    def _value(
        self, steps: tuple[Step, ...], mine: Any, theirs: Any, a: Sourced, b: Sourced, key: Hashable
    ) -> Iterator[Difference]:
        """Difference of two values; of one that is not stated unless that is no difference."""
        if isinstance(mine, Sourced) and theirs is None and steps[-1].key is None:
            theirs = type(mine)(src=b.src, at={"": max(b.where(key).position, 0)})
        if isinstance(mine, Sourced) and isinstance(theirs, Sourced):
            yield from self._objects(steps, mine, theirs)
        elif mine != theirs and (
            theirs not in (None, ()) or self._is_missed(a, steps[-1].field, mine)
        ):
            place = a.where(key)
            if isinstance(mine, Sourced) and not place.position:
                place = mine.where()
            yield self._difference(steps, mine, theirs, place, b.where(key))

    def _is_missed(self, a: Sourced, name: str, mine: Any) -> bool:
        """Whether a device without a value differs from the golden value."""
        if self.part or not mine or (name == "routed" and not a.addresses):  # type: ignore[attr-defined]
            return False
        return name not in (OPEN_ON_HOSTS if self.golden.is_host else OPEN)

    def _port(self, name: str, golden: Interface) -> Iterator[Difference]:
        own = self._own_port(name)
        steps = (Step(PORTS, name),)
        if golden.kind is InterfaceKind.LOOPBACK:
            yield from self._loopback(steps, golden)
            return
        if own is None:
            parent = golden.kind is InterfaceKind.BREAKOUT_PARENT  # its parts show it
            if not parent and not (self.part and self.own.partial):
                yield self._difference(steps, golden, None, golden.where(), self.own.where())
            return
        yield from self._objects(steps, golden, own)
        yield from self._cable(steps, golden, own)
        if golden.qos is None:
            return
        yield from self._value((*steps, Step("qos")), golden.qos, own.qos, golden, own, "qos")
        yield from self._watchdog(golden.qos.watchdog)
        for each in self._treatment_differences(golden, own):
            path = Path(self.golden.hostname, (*steps, *each.path.steps))
            yield Difference(path, each.a, each.b, each.a_where, each.b_where)

    def _own_port(self, name: str) -> Interface | None:
        ports = self.own.interfaces
        return ports.get(name) or next((p for p in ports.values() if name in p.aliases), None)

    def _cable(
        self, steps: tuple[Step, ...], golden: Interface, own: Interface
    ) -> Iterator[Difference]:
        """Difference in the cable length that buffers are sized for: a shorter one, or none on a
        device that sizes them by it.
        """
        pfc = own.qos.pfc if own.qos is not None else None
        holder = own if pfc is None or pfc.cable_m is None else pfc
        mine, theirs = golden.cable_m, holder.cable_m
        needed = self.golden.system.headroom is HeadroomModel.STATIC
        if mine is None or (theirs is not None and theirs >= mine):
            return
        if theirs is not None or (needed and not self.part):
            places = golden.where("cable_m"), holder.where("cable_m")
            yield self._difference((*steps, Step("cable_m")), mine, theirs, *places)

    def _watchdog(self, golden: PfcWatchdog | None) -> Iterator[Difference]:
        """Difference in the switch of the device for the watchdogs of its ports, if it has one."""
        own = self.own.system.watchdog
        if golden is None or not golden.enabled or own is None or own.enabled is not False:
            return
        if own.stated("enabled") or not self.part:
            steps = (Step("system"), Step("watchdog"), Step("enabled"))
            places = golden.where("enabled"), own.where("enabled")
            yield self._difference(steps, golden.enabled, own.enabled, *places)

    def _loopback(self, steps: tuple[Step, ...], golden: Interface) -> Iterator[Difference]:
        """Difference in loopback addresses, whatever the number of the loopback."""
        loopbacks = [p for p in self.own.interfaces.values() if p.kind is InterfaceKind.LOOPBACK]
        held = {address for port in loopbacks for address in port.addresses}
        if set(golden.addresses) <= held or self.part:
            return
        own = self.own.interfaces.get(golden.name)
        theirs, place = (own.addresses, own.where("addresses")) if own else (None, NOWHERE)
        path = (*steps, Step("addresses"))
        yield self._difference(path, golden.addresses, theirs, golden.where("addresses"), place)

    def _further_ports(self) -> Iterator[Difference]:
        """Ports with an address that the golden device lacks."""
        expected = {id(self._own_port(name)) for name in self.golden.interfaces}
        for name, port in self.own.interfaces.items():
            used = port.kind is InterfaceKind.PHYSICAL and port.addresses and port.enabled
            if used and id(port) not in expected:
                steps = (Step(PORTS, name),)
                yield self._difference(steps, None, port, self.golden.where(), port.where())

    def _treatment_differences(self, golden: Interface, own: Interface) -> list[Difference]:
        """Differences in treatment, grouped by DSCPs that differ in the same way."""
        places = tuple(id(p.qos.pfc.at) if p.qos and p.qos.pfc else None for p in (golden, own))
        key = way_of(golden), way_of(own), places
        if key not in self.known:
            self.known[key] = list(self._compare(golden, own))
        return self.known[key]

    def _compare(self, golden: Interface, own: Interface) -> Iterator[Difference]:
        differing: dict[Hashable, tuple[list[int], Difference]] = {}
        classifier = classifier_of(self.golden, golden.qos)
        named = frozenset(classifier.dscp_to_tc.entries if classifier is not None else ())
        treated = {dscp: treatment(self.own, own, dscp) for dscp in DSCPS}
        served = _served(named, treated)
        resized = self.own.system.headroom is not self.golden.system.headroom
        for dscp, done in treated.items():
            theirs = {name: (v, w) for name, v, w in _describe(self.own, own, done)}
            kind = theirs.get("scheduler", (None, NOWHERE))[0]
            mine = treatment(self.golden, golden, dscp)
            for name, value, place in _describe(self.golden, golden, mine):
                other, where = theirs.get(name, (None, own.where("qos")))
                if value is None or value == other:
                    continue
                if other is None and (self.part or (resized and name in SIZES)):
                    continue
                if other is None and value is False and dscp not in named:
                    continue
                if name == "share_percent" and kind is SchedulerKind.STRICT:
                    continue  # a strict queue has no share
                if name in SERVED and dscp not in served and other != 0:
                    continue
                key = (name, str(value), str(other), place.position, where.position)
                path = Path("", (Step(name),))
                entry = Difference(path, value, other, place, where)
                differing.setdefault(key, ([], entry))[0].append(dscp)
        for dscps, each in differing.values():
            steps = (Step("treatment", ranges(dscps)), *each.path.steps)
            yield Difference(Path("", steps), each.a, each.b, each.a_where, each.b_where)


def _served(named: frozenset[int], treated: Mapping[int, Treatment]) -> Collection[int]:
    """DSCPs whose queue has a counterpart in the intent: those of its classes, others in their
    queues, and all others if they share one queue.
    """
    queues = {dscp: done.egress.queue for dscp, done in treated.items()}
    taken = {queues[dscp] for dscp in named}
    further = set(queues.values()) - taken
    return DSCPS if len(further) <= 1 else [d for d in DSCPS if queues[d] in taken]


def _describe(device: Device, port: Interface, done: Treatment) -> Iterator[Stated]:
    """Treatment of a DSCP on a port, comparable between devices; None for unknown."""
    arriving, leaving = done.ingress, done.egress
    class_place = arriving.traffic_class.place or NOWHERE
    yield "lossless", arriving.lossless, arriving.lossless_where or class_place
    if arriving.lossless:
        yield "pause_priority", arriving.priority, arriving.priority_where or class_place
        stopped = leaving.stopped_by
        obeyed = None if stopped is None else arriving.priority in stopped
        yield "obeyed", obeyed, leaving.honour_where or class_place
        yield from _headroom(device, port, arriving.pg)
        maps = forwarding_of(device, port.qos)
        if maps is not None and arriving.tc is not None:
            table = maps.tc_mtu
            yield "class_mtu", table.get(arriving.tc), table.where(table.key(arriving.tc))
    yield "marked", leaving.marks, leaving.marks_where or class_place
    marking, scheduler = leaving.marking, leaving.scheduler
    if leaving.marks and marking is not None:
        for name in ("kmin", "kmax", "pmax_percent"):
            yield name, getattr(marking, name), marking.where(name)
    if scheduler is not None:
        yield "scheduler", scheduler.kind, scheduler.where("kind")
        yield "share_percent", share_of(device, port, leaving.queue), scheduler.where("share")
    if done.rewrite is not None and done.rewrite != arriving.dscp:
        yield "leaves_as", done.rewrite, done.rewrite_where or class_place


def _headroom(device: Device, port: Interface, pg: int | None) -> Iterator[Stated]:
    if pg is None or port.qos is None or forwarding_of(device, port.qos) is None:
        return
    profile, _, _ = group_buffer(device, port.qos, pg)
    if profile is not None:
        for name in names_of(BufferProfile):
            if name not in {"pool", "lossless", "computed"}:
                yield name, getattr(profile, name), profile.where(name)


def share_of(device: Device, port: Interface, number: int | None) -> float | None:
    """Share of a queue in percent of the bandwidth left by strict queues; weights are converted."""
    policy = egress_of(device, port.qos)
    queue = policy.queue(number) if policy is not None else None
    if policy is None or queue is None or queue.scheduler is None:
        return None
    scheduler = queue.scheduler
    if scheduler.share is None or scheduler.share_of is not ShareKind.WEIGHT:
        return scheduler.share
    total = sum(q.scheduler.share or 0 for q in policy.queues.values() if q.scheduler is not None)
    return round(100 * scheduler.share / total, 3) if total else None
