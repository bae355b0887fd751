"""Names that mean something on one device only: whether two of them stand for the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any

from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.qos import Marking, Scheduler
from roce_lint.model.routing import BgpSession
from roce_lint.model.sourced import Sourced


class Labels:
    """The names of two states of a device."""

    def __init__(self, a: Device, b: Device):
        self.a = a
        self.b = b

    def is_other(
        self,
        item: Sourced,
        names: tuple[Hashable, Hashable],
        collections: tuple[Mapping[str, Any], Mapping[str, Any]] | None,
    ) -> bool:
        """True where two names mean two objects, and not one that was renamed: at least one of the
        names is known on both sides.
        """
        mine, theirs = names
        if mine == theirs or mine is None or theirs is None:
            return False
        if collections is not None:
            return mine in collections[1] or theirs in collections[0]
        known = self._names
        kind = type(item)
        return (kind, mine) in known[1] or (kind, theirs) in known[0]

    @cached_property
    def _names(self) -> tuple[set[tuple[type[Any], Hashable]], set[tuple[type[Any], Hashable]]]:
        return set(_named_objects(self.a)), set(_named_objects(self.b))

    def alike(self, a: Sourced, b: Sourced, field: str) -> bool:
        """Whether a field holds names, and both mean objects that say the same."""
        if field == "pool" and isinstance(a, BufferProfile) and isinstance(b, BufferProfile):
            mine, theirs = self.a.pools.get(a.pool or ""), self.b.pools.get(b.pool or "")
            return mine is not None and theirs is not None and _same_but_name(mine, theirs)
        if field in ("policies_in", "policies_out") and isinstance(a, BgpSession):
            return self._same_policies(getattr(a, field), getattr(b, field))
        return False

    def is_renamed_pool(self, name: str) -> bool:
        """Whether a pool that one side alone has is there under another name on the other."""
        sides = (self.a.pools, self.b.pools)
        for own, others in (sides, sides[::-1]):
            if name in own and name not in others:
                return any(
                    _same_but_name(own[name], pool) for n, pool in others.items() if n not in own
                )
        return False

    def _same_policies(self, mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
        if len(mine) != len(theirs) or self.a.routing is None or self.b.routing is None:
            return False
        pairs = zip(mine, theirs, strict=True)
        own, others = self.a.routing.policies, self.b.routing.policies
        return all(x in own and y in others and own[x] == others[y] for x, y in pairs)


def _same_but_name(a: Any, b: Any) -> bool:
    name = a.name
    try:
        a.name = b.name
        return bool(a == b)
    finally:
        a.name = name


def _named_objects(device: Device) -> Iterator[tuple[type[Any], Hashable]]:
    """Kind and name of every scheduler, marking and profile that something refers to."""
    for policy in device.qos.egress.values():
        for queue in policy.queues.values():
            for part in (queue.scheduler, queue.marking, queue.buffer):
                if part is not None:
                    yield type(part), part.name
    for buffers in device.qos.ingress_buffers.values():
        for profile in buffers.groups.values():
            yield BufferProfile, profile.name


KINDS = (Scheduler, Marking, BufferProfile)
"""Objects that are found by name inside of others."""
