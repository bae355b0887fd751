"""One port of every kind: what a check finds nothing on there, it finds nowhere.

A fabric has thousands of ports and a handful of ways to configure one. A check that promises to
look at nothing but a port and its own device is first tried on one port of each kind; only where
that gives an outcome is every port asked, so that each is named with its own line.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

from roce_lint.analysis.answers import Answers, kind_of
from roce_lint.analysis.cabling import nics_at
from roce_lint.analysis.contents import Contents
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.unread import lines_of_port
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.model.sourced import Sourced

T = TypeVar("T")

PLACES = frozenset({"src", "at"})

_Getter = Callable[[Any], tuple[Any, ...]]

OWN = frozenset({"name", "aliases", "description", "addresses", "members", "neighbors", "parent"})
"""What tells one port from its equals."""


FEW = 8
"""Kinds of ports of a device that are compared one by one: to hash what a port says takes longer
than to see that it is what the port before says.
"""


def find_kinds(analysis: Analysis, like: Analysis | None = None) -> None:
    """Fill `analysis.kinds`: one judged port of every kind, and how many there are of it.

    What is a port of `like` still is of the kind that it was of there: no device has some ports
    that are and others that are compared anew, but for what their links tell.
    """
    before = _kinds_before(analysis, like) if like is not None else {}
    kinds: list[list[JudgedPort]] = []
    few: dict[str, list[tuple[Hashable, list[JudgedPort]]]] = {}
    many: dict[Hashable, list[JudgedPort]] = {}
    for port in analysis.ports:
        kind = before.get(port.key)
        if kind is None:
            kind = _kind(port, analysis.contents), _adapters(analysis, port)
        known = few.setdefault(port.device.hostname, [])
        ports = next((ports for other, ports in known if other == kind), None)
        if ports is None and len(known) >= FEW:
            ports = many.get(kind)
        if ports is None:
            ports = []
            kinds.append(ports)
            if len(known) < FEW:
                known.append((kind, ports))
            else:
                many[kind] = ports
        ports.append(port)
    analysis.kinds = [(ports[0], len(ports)) for ports in kinds]
    analysis.equals = {ports[0].key: ports for ports in kinds}


def _kinds_before(analysis: Analysis, like: Analysis) -> dict[tuple[str, str], Hashable]:
    """By key, a name for the kind of every port that is what it was in another analysis."""
    index = analysis.index()
    found: dict[tuple[str, str], Hashable] = {}
    for ports in like.equals.values():
        for old in ports:
            port = index.get(old.key)
            same = port is not None and kind_of(port) == kind_of(old)
            if same and (id(old.interface) in like.told) == (id(old.interface) in analysis.told):
                found[old.key] = ports[0].key
    return found


def over_kinds(
    analysis: Analysis, ask: Callable[[JudgedPort], Iterable[T]], question: Hashable = None
) -> Iterator[tuple[JudgedPort, T]]:
    """What is said about judged ports, in their order. One port of every kind is asked first: of
    those configured like one of which nothing is said, nothing would be said either. A `question`
    with a name is not put again where an earlier judgement knows that nothing is said.
    """
    told: dict[tuple[str, str], list[T]] = {}
    known = analysis.known if question is not None else None
    for first, _ in analysis.kinds:
        if known is not None and known.silent(question, kind_of(first)):
            continue
        found = list(ask(first))
        if found:
            told[first.key] = found
            for port in analysis.equals[first.key][1:]:
                told[port.key] = list(ask(port))
    if question is not None and analysis.answers is not None:
        _keep(analysis, analysis.answers, question, told)
    for port in analysis.ports if told else ():
        for each in told.get(port.key, ()):
            yield port, each


def _keep(
    analysis: Analysis, answers: Answers, question: Hashable, told: Container[tuple[str, str]]
) -> None:
    """Note of which kinds something was said."""
    if not answers.kinds:
        answers.kinds = frozenset(kind_of(first) for first, _ in analysis.kinds)
    said = (first for first, _ in analysis.kinds if first.key in told)
    answers.told[question] = {kind_of(first) for first in said}


def _kind(port: JudgedPort, contents: Contents) -> Hashable:
    qos = port.interface.qos
    objects = port.device.qos
    return (
        id(port.device),
        port.network,
        port.faces_host,
        port.peer is None,
        port.gbps,
        _values(port.interface, _INTERFACE, port.interface.addresses),
        None if qos is None else _values(qos, _QOS),
        None if qos is None else contents.policy(objects, qos.egress),
        None if qos is None else contents.of(objects.ingress_buffers.get(qos.ingress_buffer or "")),
        None if qos is None or qos.pfc is None else _values(qos.pfc, _PFC),
        None if qos is None or qos.watchdog is None else _values(qos.watchdog, _WATCHDOG),
        lines_of_port(port.device, port.interface),
    )


def _adapters(analysis: Analysis, port: JudgedPort) -> Hashable:
    """What the RDMA devices of a host's port say, and which of the host's statements on what it
    sends are theirs.
    """
    return tuple(
        (
            _values(nic, _NIC, ("", "port", "gids")),
            tuple(
                number
                for number, emission in enumerate(port.device.emits)
                if not emission.nics or nic.name in emission.nics
            ),
        )
        for nic in nics_at(analysis, port)
    )


def _values(item: Sourced, values: _Getter, own: tuple[str, ...] = ()) -> Hashable:
    """Values, and of each whether it is stated (a positive place) or which default it is; `own`
    are places of what tells one port from its equals.
    """
    at = item.at
    stated = tuple(at) if at.keys().isdisjoint(own) else tuple([k for k in at if k not in own])
    if not at or min(at.values()) > 0:
        return values(item), stated
    return values(item), stated, tuple([(key, at[key]) for key in stated if at[key] <= 0])


def _values_of(kind: type[Any], left_out: frozenset[str]) -> _Getter:
    return attrgetter(*(entry.name for entry in fields(kind) if entry.name not in left_out))


_INTERFACE = _values_of(Interface, PLACES | OWN | {"qos", "tunnel"})
_NIC = _values_of(Nic, PLACES | {"name", "port", "gids", "slot", "firmware"})
_QOS = _values_of(PortQos, PLACES | {"pfc", "watchdog", "egress", "ingress_buffer"})
_PFC = _values_of(PfcConfig, PLACES)
_WATCHDOG = _values_of(PfcWatchdog, PLACES)
