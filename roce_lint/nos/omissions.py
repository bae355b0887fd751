"""What a device states and its system has no words for: told, and never left out silently.

Each system that is printed declares which fields of the model its statements say. All else that a
device states is found here, so that a field that the model gets is told until it is declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, NamedTuple

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PortQos,
    QosObjects,
    Queue,
    Rewrite,
    Scheduler,
    SystemQos,
)
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.model.sourced import Sourced

Fields = Mapping[type, frozenset[str]]
"""Fields of the model that statements of a system say, by class; of a class that is not in it, they
say nothing."""


class Omission(NamedTuple):
    """A value that no statement of the system says; `place` is "" for the whole device."""

    what: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what


IMPLIED: Fields = {
    Device: frozenset(
        {"hostname", "nos", "role", "vendor", "model", "asic", "os_version", "partial", "fleet"}
        | {"above_leaves", "nics_partial", "structures", "notes", "limits", "nics", "emits"}
        | {"headroom_table"}
    ),
    Interface: frozenset(
        {"name", "aliases", "kind", "members", "parent", "live_gbps", "lanes", "rail", "neighbors"}
        | {"idle", "tagged", "shared_with", "uplink"}
        | {"cable_m"}  # a fact, which only some systems are told
    ),
    SystemQos: frozenset(
        {"headroom", "headroom_in_file", "headroom_written", "headroom_rules", "qos_supported"}
        | {"has_qos"}
    ),
    QosObjects: frozenset({"tc_names", "repeated"}),
    PortQos: frozenset({"classifier", "forwarding", "egress"}),
    PfcConfig: frozenset({"named"}),
    Classifier: frozenset({"name", "exact", "builtin"}),
    Forwarding: frozenset({"name"}),
    EgressPolicy: frozenset({"name", "complete"}),
    Queue: frozenset({"number", "kind"}),
    Scheduler: frozenset({"name", "strict_level"}),
    Marking: frozenset({"name", "mode"}),
    Rewrite: frozenset({"name"}),
    Routing: frozenset({"policies"}),
    BgpSession: frozenset({"peer"}),
}
"""Fields that no statement has to say: names, what follows from others, and what is observed."""

NUMBERED_ALIKE = frozenset(
    {"tc_to_pg", "tc_to_pfc_priority", "pfc_priority_to_queue", "pfc_priority_to_pg"}
)
"""Maps inside the box that need no statement where they give every number itself."""

ABSENCE = frozenset(
    {"wred_drop", "link_pause_rx", "link_pause_tx", "peer_link", "pfc_killed"}
    | {"filtered_in", "filtered_out", "to_own_as", "sends_communities"}
)
"""Fields that are False where nothing is said."""

BESIDE = frozenset({"src", "at"})


def find_omissions(device: Device, told: Fields) -> tuple[Omission, ...]:
    """What a device states beyond what `told` says, each once for a place."""
    return tuple(dict.fromkeys(_omissions(device, told, "")))


def _omissions(item: Sourced | QosObjects, told: Fields, place: str) -> Iterator[Omission]:
    known = told.get(type(item), frozenset()) | IMPLIED.get(type(item), frozenset())
    at = item.at if isinstance(item, Sourced) else {}
    for declared in fields(item):
        name = declared.name
        value = getattr(item, name)
        if name in BESIDE or name in known or at.get(name, 0) < 0:
            continue
        parts = _parts(value, name, place)
        if any(type(part) in told for part, _ in parts):
            for part, where in parts:
                yield from _omissions(part, told, where)
        elif _states(value, declared):
            yield Omission(name, place)


def _parts(value: Any, name: str, place: str) -> list[tuple[Any, str]]:
    """The objects of the model in a value, each with what its place is called."""
    if isinstance(value, QosObjects | Sourced) and not isinstance(value, CodeMap):
        return [(value, place)]
    if not isinstance(value, Mapping):
        return []
    ports = name == "interfaces"
    return [
        (part, str(key) if ports else f"{place} {name} {_name(key)}".strip())
        for key, part in value.items()
        if isinstance(part, Sourced)
    ]


def _name(key: Any) -> str:
    return str(key[-1]) if isinstance(key, tuple) else str(key)


def _states(value: Any, declared: Field[Any] | None = None) -> bool:
    """Whether a value says more than that nothing is said, and is no default of the platform."""
    if value is None or value in ((), {}, []):
        return False
    name = declared.name if declared is not None else ""
    if isinstance(value, CodeMap):
        return any(
            value.at.get(number, 0) >= 0 and not (name in NUMBERED_ALIKE and number == into)
            for number, into in value.entries.items()
        )
    if value is False and name in ABSENCE:
        return False
    if isinstance(value, Sourced):
        known = IMPLIED.get(type(value), frozenset()) | BESIDE
        return any(
            value.at.get(each.name, 0) >= 0 and _states(getattr(value, each.name), each)
            for each in fields(value)
            if each.name not in known
        )
    if isinstance(value, Mapping):
        return any(_states(part) for part in value.values())
    return declared is None or declared.default is MISSING or value != declared.default
