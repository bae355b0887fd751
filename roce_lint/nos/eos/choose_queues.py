"""Which statements of EOS say how queues are served and marked."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import EgressPolicy, Marking, Queue, QueueKind, Scheduler, SchedulerKind
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.lines import Curve, Rate
from roce_lint.nos.eos.words import TX_QUEUES, QosWords, QueueWords
from roce_lint.nos.selection import value_to_state, whole

ONE_KIND = re.compile(r"(?:DCS-)?7(?:280|500|800)")
"""Models whose ports have queues of one kind, called `tx-queue` (docs/nos/eos.md)."""


def own_policy(device: Device, port: Interface) -> EgressPolicy | None:
    """The policy that the lines of a port bind; none where it has the platform's or a channel's."""
    key = port.qos.egress if port.qos is not None else None
    channel = device.interfaces.get(port.lag or "")
    if key is None or key == defaults.ALL_STRICT.value:
        return None
    if channel is not None and channel.qos is not None and channel.qos.egress == key:
        return None
    return device.qos.egress.get(key)


def profile_of(device: Device, policy: EgressPolicy) -> str | None:
    """The name of the profile that holds the lines of a policy; None where a port holds them."""
    name = policy.name or ""
    return None if not name or name.split()[0] in device.interfaces else name


def queue_words(device: Device, policy: EgressPolicy, words: QosWords) -> None:
    """Put the lines of a policy into the stanza of a port or profile."""
    words.shape = _rate(policy, "shape_bps", "shape_percent")
    single = ONE_KIND.match(device.model or "") is not None
    made = (_queue(queue, single=single) for queue in policy.queues.values())
    words.queues = tuple(queue for queue in made if len(queue.values()) > 2) or None


def _rate(item: EgressPolicy | Scheduler, bps: str, percent: str) -> Rate | None:
    rate = Rate(value_to_state(item, bps), value_to_state(item, percent))
    return rate if rate != Rate() else None


def _queue(queue: Queue, *, single: bool) -> QueueWords:
    one = single and queue.kind is QueueKind.UNICAST
    words = QueueWords(kind="tx-queue" if one else TX_QUEUES[queue.kind], number=queue.number)
    turn = queue.scheduler
    if turn is not None:
        kind = value_to_state(turn, "kind")
        words.strict = None if kind is None else kind is SchedulerKind.STRICT
        words.percent = whole(value_to_state(turn, "share"))
        words.guaranteed = _rate(turn, "guaranteed_bps", "guaranteed_percent")
        words.shape = _rate(turn, "shape_bps", "shape_percent")
    if queue.marking is not None:
        _mark(queue.marking, words)
    return words


def _mark(marking: Marking, words: QueueWords) -> None:
    """One pair of thresholds is known: that of marking where it is on, else that of dropping."""
    if marking.kmin is None or marking.kmin.unit is ThresholdUnit.PERCENT:
        return
    curve = Curve(
        marking.kmin,
        marking.kmax,
        marking.pmax_percent,
        weight=value_to_state(marking, "averaged_over"),
    )
    if marking.ecn:
        words.ecn = curve
    elif marking.wred_drop:
        words.drop = curve
