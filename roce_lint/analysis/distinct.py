"""One port of every kind: what a check finds nothing on there, it finds nowhere.

A fabric has thousands of ports and a handful of ways to configure one. A check that promises to
look at nothing but a port and its own device is first tried on one port of each kind; only where
that gives an outcome is every port asked, so that each is named with its own line.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, replace
from typing import Any

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.model.sourced import Sourced

PLACES = frozenset({"src", "at"})

OWN = frozenset({"name", "aliases", "description", "addresses", "members", "neighbors", "parent"})
"""What tells one port from its equals."""


def distinct(analysis: Analysis) -> Analysis:
    """The analysis with one judged port of every kind; looking a port up still finds them all."""
    kinds: dict[Hashable, JudgedPort] = {}
    for port in analysis.ports:
        kinds.setdefault(_kind(port), port)
    if len(kinds) == len(analysis.ports):
        return analysis
    return replace(analysis, ports=list(kinds.values()), by_key=analysis.index(), by_device={})


def _kind(port: JudgedPort) -> Hashable:
    qos = port.interface.qos
    return (
        id(port.device),
        port.network,
        port.faces_host,
        port.peer is None,
        _values(port.interface, _INTERFACE),
        None if qos is None else _values(qos, _QOS),
        None if qos is None or qos.pfc is None else _values(qos.pfc, _PFC),
        None if qos is None or qos.watchdog is None else _values(qos.watchdog, _WATCHDOG),
    )


def _values(item: Sourced, names: tuple[str, ...]) -> Hashable:
    """Values, and of each whether it is stated (a positive place) or which default it is."""
    places = [(key, min(position, 1)) for key, position in item.at.items()]
    return (*[getattr(item, name) for name in names], *places)


def _names(kind: type[Any], left_out: frozenset[str]) -> tuple[str, ...]:
    return tuple(entry.name for entry in fields(kind) if entry.name not in left_out)


_INTERFACE = _names(Interface, PLACES | OWN | {"qos", "tunnel"})
_QOS = _names(PortQos, PLACES | {"pfc", "watchdog"})
_PFC = _names(PfcConfig, PLACES)
_WATCHDOG = _names(PfcWatchdog, PLACES)
