"""Shared treatments of identically configured ports, with places resolved on demand.

A fabric has thousands of ports and a handful of configurations. The treatment of a DSCP follows
from the objects that the QoS of a port refers to, so it is computed once per device and
configuration. Only the places (`tc_where`, `lossless_where`, ...) differ by port, since each
binding has its own line; they are resolved when a message needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, cast

from roce_lint.analysis.treatment import (
    Egress,
    Ingress,
    Treatment,
    egress_of,
    ingress,
    treat_exit,
    treatment,
)
from roce_lint.analysis.unread import lines_of_port
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import QosObjects
from roce_lint.model.sourced import Sourced

# Content numbers: some devices have an object for each port, named after it. The name is left out.

LEFT_OUT = frozenset({"src", "at"})
_NAMED = {"EgressPolicy", "IngressBuffer"}
"""Types with possibly one object per port, named after the port."""
_PLAIN = frozenset({int, str, float, bool, type(None)})
"""Types that are compared as they are."""
Getter = Callable[[Any], tuple[Any, ...]]


class ContentIds:
    """Content numbers of the QoS objects of a fabric: objects of one device with equal content
    share a number.

    The content includes, for each field, whether a line states it or which default applies.
    """

    __slots__ = ("_known", "_numbers")

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # by id of the object; the fabric keeps them alive
        self._numbers: dict[Hashable, int] = {}

    def of(self, item: Sourced | None) -> int | None:
        """Number of an object; None for None."""
        if item is None:
            return None
        number = self._known.get(id(item))
        if number is None:
            places = tuple([(key, 1 if at > 0 else at) for key, at in item.at.items()])
            held = _values(type(item))(item)  # type: ignore[arg-type]  # a class is hashable
            values = tuple([v if type(v) in _PLAIN else self._plain(v) for v in held])
            content = (type(item), values, places)
            number = self._numbers.setdefault(content, len(self._numbers))
            self._known[id(item)] = number
        return number

    def policy(self, objects: QosObjects, name: str | None) -> int | None:
        """Number of an egress policy of a device by name; a repeated or only one is not read."""
        found = objects.egress.get(objects.repeated.get(name or "", name or ""))
        return 0 if found is not None and len(objects.egress) == 1 else self.of(found)

    def _plain(self, value: Any) -> Hashable:
        if isinstance(value, Sourced):
            return self.of(value)
        if isinstance(value, dict):
            # A DSCP map has 64 entries, nearly all of them numbers.
            if _PLAIN.issuperset(map(type, value.values())):
                return tuple(value.items())
            return tuple([(key, self._plain(each)) for key, each in value.items()])
        if isinstance(value, list):
            return tuple(map(self._plain, value))
        return value  # type: ignore[no-any-return]  # plain values of the model are hashable


@cache
def _values(kind: type[Any]) -> Getter:
    """Getter of all fields that are part of the content."""
    return values_of(kind, LEFT_OUT | ({"name"} if kind.__name__ in _NAMED else set()))


def values_of(kind: type[Any], left_out: frozenset[str]) -> Getter:
    """Getter of all other fields than these."""
    return attrgetter(*(entry.name for entry in fields(kind) if entry.name not in left_out))


class Treatments:
    """Treatments of the ports of a fabric, shared between identically configured ports."""

    __slots__ = ("_arriving", "_seen", "_shared", "contents")

    def __init__(self) -> None:
        self.contents = ContentIds()
        self._arriving: dict[tuple[int, int, bool | None, int], Ingress] = {}
        # By ids of device and interface, and tagging (which may differ in a changed fabric):
        # treatments of its configuration, and those returned for it.
        self._seen: dict[Hashable, tuple[dict[int, Treatment], dict[int, Treatment]]] = {}
        self._shared: dict[Hashable, dict[int, Treatment]] = {}

    def of(self, device: Device, port: Interface, dscp: int) -> Treatment:
        """Treatment of a DSCP on a port."""
        own = id(device), id(port), port.tagged
        known = self._seen.get(own)
        if known is None:
            way = self._shared.setdefault(self._way(device, port), {})
            known = self._seen[own] = way, {}
        way, seen = known
        found = seen.get(dscp)
        if found is None:
            values = way.get(dscp)
            if values is None:
                found = treat_exit(device, port, self.ingress(device, port, dscp))
                way[dscp] = found
            else:  # It has the attributes of a Treatment and costs a tenth of one.
                found = cast("Treatment", _SharedTreatment(values, device, port, dscp))
            seen[dscp] = found
        return found

    def ingress(self, device: Device, port: Interface, dscp: int) -> Ingress:
        """Ingress treatment of a DSCP on this port, with its own places."""
        key = id(device), id(port), port.tagged, dscp
        found = self._arriving.get(key)
        if found is None:
            found = self._arriving[key] = ingress(device, port, dscp)
        return found

    def _way(self, device: Device, port: Interface) -> Hashable:
        """Everything that decides a treatment; `treatment.py` reads nothing else of a port."""
        qos = port.qos
        if qos is None:
            return id(device), None
        pfc = qos.pfc
        return (
            id(device),
            qos.trust,
            qos.classifier,
            qos.at.get("classifier", 0) < 0,
            qos.forwarding,
            self.contents.policy(device.qos, qos.egress),
            qos.rewrite,
            qos.default_pcp,
            qos.default_tc,
            port.tagged,
            pfc if pfc is None else (pfc.mode, pfc.generate, pfc.honour),
            lines_of_port(device, port),
        )


_PLACES = frozenset(
    name
    for kind in (Ingress, Egress)
    for name in (
        *(entry.name for entry in fields(kind) if str(entry.type).startswith("Fact[")),
        *(name for name in vars(kind) if name.endswith("_where")),
    )
)
"""Properties with places; all others are equal for identically configured ports."""
_OBJECTS = frozenset({"scheduler", "marking"})


class _SharedTreatment:
    """A Treatment with shared values and the places of this port."""

    __slots__ = ("_device", "_dscp", "_exact", "_port", "egress", "ingress", "rewrite")

    def __init__(self, values: Treatment, device: Device, port: Interface, dscp: int) -> None:
        self._device = device
        self._port = port
        self._dscp = dscp
        self._exact: Treatment | None = None
        self.ingress = _Side(self, "ingress", values.ingress)
        self.egress = _Side(self, "egress", values.egress)
        self.rewrite = values.rewrite

    def exact(self) -> Treatment:
        """The treatment computed for this very port."""
        if self._exact is None:
            self._exact = treatment(self._device, self._port, self._dscp)
        return self._exact

    def of_queue(self, name: str) -> Any:
        """Scheduler or marking object of the port's own queue, with its own lines."""
        policy = egress_of(self._device, self._port.qos)
        return getattr(policy and policy.queue(self.egress.queue), name, None)

    @property
    def rewrite_where(self) -> Any:
        """Place of the rewrite."""
        return self.exact().rewrite_where


class _Side:
    """Ingress or egress of a _SharedTreatment."""

    __slots__ = ("_name", "_seen", "_values")

    def __init__(self, seen: _SharedTreatment, name: str, values: Any) -> None:
        self._seen = seen
        self._name = name
        self._values = values

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._values, name)
        if name in _PLACES:
            return getattr(getattr(self._seen.exact(), self._name), name)
        return self._seen.of_queue(name) if name in _OBJECTS and value is not None else value
