"""Ports that are configured alike treat a code point alike: worked out once, placed when asked.

A fabric has thousands of ports and a handful of ways to configure them. What a port does with a
code point follows from the objects its QoS refers to, so it is computed once per device and way.
Only the places (`tc_where`, `lossless_where`, ...) differ from port to port, since each binding
has its own line; they are found when somebody has something to say about the port.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from typing import Any, cast

from roce_lint.analysis.contents import Contents
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


class Treatments:
    """Treatments of the ports of a fabric, shared between ports that are configured alike."""

    __slots__ = ("_arriving", "_seen", "_shared", "contents")

    def __init__(self) -> None:
        self.contents = Contents()
        self._arriving: dict[tuple[int, bool | None, int], Ingress] = {}
        # By id of the interface, and whether its packets are tagged (its link decides that too, and
        # may be another in a changed fabric): what its way gave so far, and what was handed out.
        self._seen: dict[Hashable, tuple[dict[int, Treatment], dict[int, Treatment]]] = {}
        self._shared: dict[Hashable, dict[int, Treatment]] = {}

    def of(self, device: Device, port: Interface, dscp: int) -> Treatment:
        """How `port` treats packets of code point `dscp`."""
        own = id(port), port.tagged
        known = self._seen.get(own)
        if known is None:
            known = self._seen[own] = (
                self._shared.setdefault(self._way(device, port), {}),
                {},
            )
        way, seen = known
        found = seen.get(dscp)
        if found is None:
            values, exact = way.get(dscp), None
            if values is None:
                into = self.ingress(device, port, dscp)
                values = exact = way[dscp] = treat_exit(device, port, into)
            # A _Seen answers to the names of a Treatment and costs a tenth of one.
            found = seen[dscp] = cast(
                "Treatment", _SharedTreatment(values, device, port, dscp, exact)
            )
        return found

    def ingress(self, device: Device, port: Interface, dscp: int) -> Ingress:
        """What happens to packets of code point `dscp` as they arrive at this very port."""
        key = id(port), port.tagged, dscp
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
"""What holds places; all else is the same for ports that are configured alike."""
_OBJECTS = frozenset({"scheduler", "marking"})


class _SharedTreatment:
    """A Treatment whose values are shared and whose places are this port's own."""

    __slots__ = ("_device", "_dscp", "_exact", "_port", "egress", "ingress", "rewrite")

    def __init__(
        self,
        values: Treatment,
        device: Device,
        port: Interface,
        dscp: int,
        exact: Treatment | None = None,  # where the values are this port's own
    ) -> None:
        self._device = device
        self._port = port
        self._dscp = dscp
        self._exact = exact
        self.ingress = _Side(self, "ingress", values.ingress)
        self.egress = _Side(self, "egress", values.egress)
        self.rewrite = values.rewrite

    def exact(self) -> Treatment:
        """The treatment worked out for this very port."""
        if self._exact is None:
            self._exact = treatment(self._device, self._port, self._dscp)
        return self._exact

    def of_queue(self, name: str) -> Any:
        """Scheduler or marking of the queue, the port's own object: it has lines of its own."""
        qos = self._port.qos
        policy = egress_of(self._device, qos) if qos is not None else None
        queue = policy.queue(self.egress.queue) if policy is not None else None
        return getattr(queue, name, None)

    @property
    def rewrite_where(self) -> Any:
        """Place of the rewrite."""
        return self.exact().rewrite_where


class _Side:
    """Ingress or egress of a _Seen."""

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
