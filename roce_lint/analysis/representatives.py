"""One representative port per kind: a check without a result there has none on the whole kind.

A fabric has thousands of ports and a handful of configurations. A check that looks only at a port
and its device runs on one port of each kind first; only where it has a result does it run on every
port, so that each finding names its own line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from roce_lint.analysis.cabling import nics_at
from roce_lint.analysis.equivalence import LEFT_OUT, ContentIds, Getter, values_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.reuse import kind_of, reuse_of
from roce_lint.analysis.unread import lines_of_port
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.model.sourced import Sourced

T = TypeVar("T")

OWN = frozenset({"name", "aliases", "description", "addresses", "members", "neighbors", "parent"})
"""Fields that differ between ports of a kind."""


def find_kinds(analysis: Analysis, like: Analysis | None = None) -> None:
    """Fill `analysis.kinds`: one port in scope of every kind, and the number of its ports.

    A port unchanged from `like` keeps its kind. A device has either unchanged or new ports, apart
    from settings learned from its links.
    """
    before = _kinds_before(analysis, like) if like is not None else {}
    kinds: list[list[JudgedPort]] = []
    for ports in analysis.devices().values():
        found: dict[Hashable, list[JudgedPort]] = {}
        last, own = None, []
        for port in ports:
            kind = before[port.key] if port.key in before else _kind(analysis, port)
            if kind != last:  # else no hash is needed, which costs more than the comparison
                last, own = kind, found.setdefault(kind, [])
            own.append(port)
            port.kind = own[0].key
        kinds += found.values()
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
    return device.shape, device.role, _kind(analysis, port)


def _kind(analysis: Analysis, port: JudgedPort) -> Hashable:
    """The kind of a port among those of its device."""
    qos, contents = port.interface.qos, analysis.treatments.contents
    policy = None if qos is None else contents.policy(port.device.qos, qos.egress)
    nics = _adapters(analysis, port) if port.device.is_host else ()
    return kind_of_values(port, contents), policy, nics


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
    reached = {name for name, _ in results}
    for name, ports in analysis.devices().items() if results else ():
        for port in ports if name in reached else ():
            for each in results.get(port.key, ()):
                yield port, each


def kind_of_values(port: JudgedPort, contents: ContentIds) -> Hashable:
    """The kind of a port, without that of its device and of its egress policy."""
    qos = port.interface.qos
    objects = port.device.qos
    return (
        port.network,
        port.faces_host,
        port.peer is None,
        port.gbps,
        _values(port.interface, _INTERFACE, port.interface.addresses),
        None if qos is None else _values(qos, _QOS),
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


def _values(item: Sourced, values: Getter, own: tuple[str, ...] = ()) -> Hashable:
    """Values, and for each whether it is stated (a positive place) or which default applies; `own`
    are fields with places that differ between peers.
    """
    at = item.at
    stated = tuple([key for key in at if key not in own]) if own else tuple(at)
    for place in at.values():
        if place <= 0:
            return values(item), stated, tuple([(key, at[key]) for key in stated if at[key] <= 0])
    return values(item), stated


_INTERFACE = values_of(Interface, LEFT_OUT | OWN | {"qos", "tunnel"})
_NIC = values_of(Nic, LEFT_OUT | {"name", "port", "gids", "slot", "firmware"})
_QOS = values_of(PortQos, LEFT_OUT | {"pfc", "watchdog", "egress", "ingress_buffer"})
_PFC = values_of(PfcConfig, LEFT_OUT)
_WATCHDOG = values_of(PfcWatchdog, LEFT_OUT)
