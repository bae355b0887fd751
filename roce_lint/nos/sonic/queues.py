"""SCHEDULER, WRED_PROFILE, QUEUE and BUFFER_QUEUE: egress of a port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from roce_lint.model.buffer import BufferProfile, Direction
from roce_lint.model.device import Device
from roce_lint.model.qos import (
    EgressPolicy,
    Marking,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.sourced import Home
from roce_lint.model.units import Threshold
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Value, put
from roce_lint.nos.refusals import words
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.buffers import PROFILE, fits
from roce_lint.nos.sonic.maps import HIGHEST_QUEUE
from roce_lint.nos.sonic.ports import TRUTHS, port_of
from roce_lint.nos.sonic.tables import LOSSLESS_QUEUE, Namespace, Row, numbers_in
from roce_lint.text.numbers import real

QUEUE = "QUEUE"
BUFFER_QUEUE = "BUFFER_QUEUE"
SCHEDULER = "scheduler"
MARKING = "marking profile"

KINDS = {"STRICT": SchedulerKind.STRICT} | dict.fromkeys(("DWRR", "WRR"), SchedulerKind.WEIGHTED)
MARKS_GREEN = {
    f"ecn_{colours}": "green" in colours or colours == "all"
    for colours in words("none green yellow red green_yellow green_red yellow_red all")
}
"""Marking modes that cover RoCE packets, which are green unless a policer colours them."""
HIGHEST_WEIGHT = 100
BITS = 8


class OwnOfMarked(NamedTuple):
    """Value of ECN-markable packets: field of the model, row fields (own, of all), the doubt."""

    name: str
    field: str
    plain: str
    doubt: Default
    percent: bool = False


STOCK = (LOSSLESS_QUEUE, "egress_lossy_profile")
"""Profiles of queues that the image makes."""

OWN_OF_MARKED = (
    OwnOfMarked("kmin", "green_ect_min_threshold", "green_min_threshold", defaults.OWN_KMIN),
    OwnOfMarked("kmax", "green_ect_max_threshold", "green_max_threshold", defaults.OWN_KMAX),
    OwnOfMarked(
        "pmax_percent", "green_ect_mark_probability", "green_drop_probability", defaults.OWN_PMAX,
        percent=True,
    ),
)  # fmt: skip


@dataclass(slots=True)
class QueueReader:
    """Reads the egress queues of all ports of one namespace."""

    space: Namespace
    device: Device
    buffers: Mapping[str, BufferProfile]
    schedulers: dict[str, Scheduler]
    markings: dict[str, Marking]
    all_rows: bool = False
    """Whether absent rows are meaningful: the table exists and the rows of this card are known."""

    def read(self) -> None:
        """Build one EgressPolicy a port: every queue has its own row, and so its own line."""
        self.all_rows = QUEUE in self.space and not self.space.of_unknown_card(QUEUE)
        policies: dict[str, EgressPolicy] = {}
        for table, read in ((QUEUE, self._read_scheduler), (BUFFER_QUEUE, self._read_buffer)):
            for name, rest, row in self.space.port_rows(table):
                numbers = numbers_in(row, rest, HIGHEST_QUEUE, "not a queue or a range of queues")
                policy = self._policy(policies, name, row) if numbers else None
                if policy is not None:
                    read(policy, numbers, row)
        own = self.space.rows("PORT") or self.device.interfaces
        for port in (self.device.interfaces[name] for name in own):
            if port.qos is None:
                continue
            policy = policies.get(port.name)
            if policy is None and self.all_rows:
                policy = self._new_policy(port.name, port.qos.at.get("", 0))
            if policy is not None:
                policy.at[""] = port.qos.at.get("", 0) or policy.at[""]
                self.device.qos.egress[port.name] = policy
                port.qos.egress = port.name

    def _policy(
        self, policies: dict[str, EgressPolicy], name: str, row: Row
    ) -> EgressPolicy | None:
        if name not in policies:
            if port_of(self.space, self.device, name, row) is None:
                return None
            policies[name] = self._new_policy(name, row.position)
        return policies[name]

    def _new_policy(self, name: str, begin: int) -> EgressPolicy:
        return self.space.reading.build(EgressPolicy, begin, name=name, complete=self.all_rows)

    def _read_scheduler(self, policy: EgressPolicy, numbers: tuple[int, ...], row: Row) -> None:
        reading = self.space.reading
        scheduler = self.space.refer(row, "scheduler", SCHEDULER)
        profile = self.space.refer(row, "wred_profile", MARKING)
        scheduling = Value(self.schedulers.get(scheduler.value or ""), scheduler.position)
        marking = Value(self.markings.get(profile.value or ""), profile.position)
        # Without a (defined) profile there is no ECN marking; the place shows the reason.
        unmarked = profile.position or reading.default(defaults.NO_MARKING).position
        for number in numbers:
            queue = reading.build(
                Queue, row.position, number=number, scheduler=scheduling, marking=marking
            )
            queue.at["marking"] = unmarked
            policy.queues[(QueueKind.UNICAST, number)] = queue

    def _read_buffer(self, policy: EgressPolicy, numbers: tuple[int, ...], row: Row) -> None:
        named = self.space.refer(row, "profile", PROFILE)
        profile = Value(self.buffers.get(named.value or ""), named.position)
        # Files with egress buffers hold all that the image made.
        sides = {pool.direction for pool in self.device.pools.values()}
        made = named.value in STOCK and Direction.EGRESS not in sides
        if made and named.value and profile.value is None:
            self.space.reading.names.builtin(PROFILE, self.space.label(named.value))
            stock = self.space.reading.build(BufferProfile, named.position, name=named.value)
            profile = Value(stock, named.position)
        elif profile.value is not None:
            fits(self.space, self.device, row, profile.value, Direction.EGRESS)
        for number in numbers:
            key = (QueueKind.UNICAST, number)
            queue = policy.queues.get(key)
            if queue is None:
                queue = self.space.reading.build(Queue, row.position, number=number)
                if policy.complete:
                    queue.at["marking"] = self.space.reading.default(defaults.NO_MARKING).position
                policy.queues[key] = queue
            put(queue, buffer=profile)


def read_queues(space: Namespace, device: Device, buffers: Mapping[str, BufferProfile]) -> None:
    """Set the egress policy of every port."""
    schedulers = {}
    for name, row in space.rows("SCHEDULER").items():
        space.define(SCHEDULER, row)
        schedulers[name] = _scheduler(space, row)
    markings = {}
    for name, row in space.rows("WRED_PROFILE").items():
        space.define(MARKING, row)
        markings[name] = _marking(space, row)
    if any(table in space for table in (QUEUE, BUFFER_QUEUE)):
        QueueReader(space, device, buffers, schedulers, markings).read()


def _scheduler(space: Namespace, row: Row) -> Scheduler:
    kind = space.default(row.text("type"), defaults.SCHEDULER_TYPE)
    known = Value(KINDS.get(kind.value or ""), kind.position)
    if known.value is None and kind.position > 0:
        row.one_of("type", KINDS)
    weight: Value[float] = ABSENT
    if known.value is SchedulerKind.WEIGHTED:
        stated = row.integer("weight", 1, HIGHEST_WEIGHT).map(real)
        weight = space.default(stated, defaults.SCHEDULER_WEIGHT)
    peak = row.bytes("pir")
    if row.text("meter_type").value == "packets":
        peak = Value(None)
    return space.reading.build(
        Scheduler,
        row.position,
        name=row.key,
        kind=known,
        share=weight,
        share_of=weight.map(lambda _: ShareKind.WEIGHT),
        shape_bps=peak.map(lambda rate: rate * BITS or None),
    )


def _marking(space: Namespace, row: Row) -> Marking:
    """ECN marking of a profile for green packets.

    ECN-capable packets are marked and not dropped if the ecn mode covers green, so early drop
    counts only if it does not.
    """
    ecn = space.default(row.one_of("ecn", MARKS_GREEN), defaults.ECN_NONE)
    enabled = space.default(row.one_of("wred_green_enable", TRUTHS), defaults.NO_EARLY_DROP)
    low, high, share = (_own(space, row, own) for own in OWN_OF_MARKED)
    if ecn.value and not low.position:
        ecn = space.reading.default(defaults.WHOLE_BUFFER)
    percent = share.map(real)
    acts = ecn.value or enabled.value
    made = space.reading.build(
        Marking,
        row.position,
        name=row.key,
        ecn=ecn,
        wred_drop=Value(False, ecn.position) if ecn.value else enabled,
        enabled=enabled,
        kmin=low.map(Threshold),
        kmax=high.map(Threshold),
        pmax_percent=space.default(percent, defaults.DROP_PROBABILITY) if acts else percent,
    )
    for own in OWN_OF_MARKED:
        if made.at.get(own.name, 0) < 0 and (line := row.text(own.field).position):
            made.at[Home(own.name)] = line
    if not made.stated("ecn"):
        made.at[Home("ecn")] = row.position
    return made


def _own(space: Namespace, row: Row, own: OwnOfMarked) -> Value[int]:
    """Separate value of ECN-markable packets, if there is one.

    A platform without support for it uses the plain value: the value in force is unconfirmed, at
    the position of the doubt, unless both are equal.
    """

    def stated(field: str) -> Value[int]:
        return row.integer(field, 0, 100) if own.percent else row.bytes(field)

    plain, other = stated(own.plain), stated(own.field)
    if not other.position or (other.value is not None and other.value == plain.value):
        return plain
    if other.value is None:
        return other
    return Value(other.value, space.reading.default(own.doubt).position)
