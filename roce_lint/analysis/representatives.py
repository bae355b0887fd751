"""One representative port per kind: a check without a result there has none on the whole kind.

A fabric has thousands of ports and a handful of configurations. A check that looks only at a port
and its device runs on one port of each kind first; only where it has a result does it run on every
port, so that each finding names its own line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

from roce_lint.analysis.cabling import nics_at
from roce_lint.analysis.equivalence import ContentIds
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.reuse import kind_of, reuse_of
from roce_lint.analysis.unread import lines_of_port
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.model.sourced import Sourced

T = TypeVar("T")

PLACES = frozenset({"src", "at"})

_Getter = Callable[[Any], tuple[Any, ...]]

OWN = frozenset({"name", "aliases", "description", "addresses", "members", "neighbors", "parent"})
"""Fields that differ between ports of a kind."""


FEW = 8
"""Number of kinds per device that are compared one by one: hashing a port costs more than comparing
it with the port before."""


def find_kinds(analysis: Analysis, like: Analysis | None = None) -> None:
    """Fill `analysis.kinds`: one port in scope of every kind, and the number of its ports.

    A port unchanged from `like` keeps its kind. A device has either unchanged or new ports, apart
    from settings learned from its links.
    """
    before = _kinds_before(analysis, like) if like is not None else {}
    kinds: list[list[JudgedPort]] = []
    few: dict[str, list[tuple[Hashable, list[JudgedPort]]]] = {}
    many: dict[Hashable, list[JudgedPort]] = {}
    for port in analysis.ports:
        kind = before.get(port.key)
        if kind is None:
            kind = (
                id(port.device),
                kind_of_values(port, analysis.treatments.contents),
                _adapters(analysis, port),
            )
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
    types: dict[Hashable, list[JudgedPort]] = {}
    for ports in kinds:
        types.setdefault(_type(analysis, ports[0]), []).extend(ports)
    analysis.types = list(types.values())


def _type(analysis: Analysis, port: JudgedPort) -> Hashable:
    """The kind of a port, shared by hosts that are equal up to names and addresses."""
    device = port.device
    if device.shape is None:
        return port.key
    kind = kind_of_values(port, analysis.treatments.contents), _adapters(analysis, port)
    return device.shape, device.role, kind


def _kinds_before(analysis: Analysis, like: Analysis) -> dict[tuple[str, str], Hashable]:
    """Kind of every port that is unchanged from another analysis, by key."""
    index = analysis.index()
    found: dict[tuple[str, str], Hashable] = {}
    for ports in like.equals.values():
        for old in ports:
            port = index.get(old.key)
            same = port is not None and kind_of(port) == kind_of(old)
            number = id(old.interface)
            if same and (number in like.link_tagged) == (number in analysis.link_tagged):
                found[old.key] = ports[0].key
    return found


def over_kinds(
    analysis: Analysis, check: Callable[[JudgedPort], Iterable[T]], query: Hashable = None
) -> Iterator[tuple[JudgedPort, T]]:
    """Results of a query for ports in scope, in their order. It runs on one port of every kind,
    once for equal hosts, and on the others only if that one has a result. A named `query` is
    skipped for kinds without a result in an earlier run.
    """
    results: dict[tuple[str, str], list[T]] = {}
    reuse = reuse_of(analysis)
    earlier = reuse.earlier if query is not None else None
    for first, *others in analysis.types:
        if earlier is not None and earlier.is_silent(query, kind_of(first)):
            continue
        found = list(check(first))
        if found:
            results[first.key] = found
            for port in others:
                results[port.key] = list(check(port))
    if query is not None and reuse.recorded is not None:
        recorded = reuse.recorded
        recorded.kinds = recorded.kinds or frozenset(kind_of(first) for first, _ in analysis.kinds)
        reported = (first for first, _ in analysis.kinds if first.key in results)
        recorded.reported[query] = set(map(kind_of, reported))
    for port in analysis.ports if results else ():
        for each in results.get(port.key, ()):
            yield port, each


def kind_of_values(port: JudgedPort, contents: ContentIds) -> Hashable:
    """The kind of a port, without that of its device."""
    qos = port.interface.qos
    objects = port.device.qos
    return (
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
    """Settings of the RDMA devices of a host port, and the host's markings that apply to them."""
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
    """Values, and for each whether it is stated (a positive place) or which default applies; `own`
    are fields with places that differ between peers.
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
