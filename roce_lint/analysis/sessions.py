"""Sessions of BGP between switches, and whether a route comes down one and goes up another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_interface
from itertools import islice

from roce_lint.analysis.paths import Paths
from roce_lint.analysis.route_policies import Answer, Network, Route, through
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.routing import BgpSession
from roce_lint.text.source import Where

TRIED = 4
"""Switches whose routes are followed through policies: those of one tier are treated alike."""

INTERNAL_KINDS = (InterfaceKind.MANAGEMENT, InterfaceKind.INTERNAL)


@dataclass(slots=True, frozen=True)
class Session:
    """A session between two switches as one end of it, `device`, has it configured."""

    device: Device
    peer: Device
    stated: BgpSession


@dataclass(slots=True, frozen=True)
class RouteAcceptance:
    """Whether a route is taken back; the line that prevents it, or of which that is not known."""

    value: bool | None
    where: Where | None = None


NOT_KNOWN = RouteAcceptance(None)


class Sessions:
    """All sessions between switches of a fabric, by who has them configured and to whom."""

    def __init__(self, fabric: Fabric, paths: Paths) -> None:
        self._paths = paths
        self._devices = fabric.devices
        self._prefixes: dict[str, tuple[Network, ...]] = {}
        owners = {
            address.partition("/")[0]: device
            for device in fabric.devices.values()
            if not device.is_host
            for port in device.interfaces.values()
            if port.kind is not InterfaceKind.LOOPBACK  # sessions of the overlay end there
            for address in port.addresses
        }
        self._known: dict[tuple[str, str], Session] = {}
        for device in fabric.devices.values():
            for session in device.routing.sessions.values() if device.routing else ():
                peer = owners.get(session.peer)
                if peer is None:
                    end = fabric.peer(device.hostname, session.peer)
                    peer = end.device if end is not None else None
                if peer is not None:
                    key = (device.hostname, peer.hostname)
                    self._known.setdefault(key, Session(device, peer, session))

    def of(self, device: Device, peer: Device) -> Session | None:
        """The session that a switch has with another; None where none is known."""
        return self._known.get((device.hostname, peer.hostname))

    def takes(self, above: Device, below: Device, beyond: Device) -> RouteAcceptance:
        """Whether a switch takes from the one below it a route that this one has from `beyond`,
        another switch of the tier above. Not known where the configurations do not tell.
        """
        own, back, up = self.of(above, below), self.of(below, above), self.of(below, beyond)
        if own is None or back is None or up is None or None in (above.asn, beyond.asn, below.asn):
            return NOT_KNOWN
        if below.asn in (above.asn, beyond.asn):
            return NOT_KNOWN  # internal sessions: what they pass on is another matter
        if above.asn == beyond.asn:
            if own.stated.own_as_allowed == 0 or back.stated.to_own_as is False:
                return RouteAcceptance(False, above.where("asn"))
            if own.stated.own_as_allowed is None:
                return RouteAcceptance(None, own.stated.where())
        down = self.of(beyond, below)
        stages = _Stages(down, up, back, own)
        if stages.open:
            return RouteAcceptance(True)
        return _combine([stages.follow(route) for route in self._routes(beyond, below)])

    def _routes(self, beyond: Device, below: Device) -> list[Route]:
        """Routes that a switch may have: of switches with NICs that are below it too."""
        origins = self._below(beyond.hostname, {below.hostname, beyond.hostname})
        return list(islice(origins, TRIED)) or [Route(None)]

    def _below(self, name: str, passed: set[str], path: tuple[Device, ...] = ()) -> Iterator[Route]:
        for crossing in self._paths.nodes[name].down:
            low = crossing.into.device
            if low.hostname in passed:
                continue
            passed.add(low.hostname)
            way = (*path, low)  # the nearest first, as an AS path is written
            if self._paths.nodes[low.hostname].down:
                yield from self._below(low.hostname, passed, way)
                continue
            known = tuple(device.asn for device in way if device.asn is not None)
            yield Route(known if len(known) == len(way) else None, self._own(low))

    def _own(self, device: Device) -> tuple[Network, ...]:
        """Prefixes of what is attached to a switch; where that is not told, its own."""
        if device.hostname not in self._prefixes:
            self._prefixes[device.hostname] = tuple(
                _attached_networks(device, self._cables(device.hostname))
            )
        return self._prefixes[device.hostname]

    def _cables(self, name: str) -> set[str]:
        node = self._paths.nodes[name]
        return {c.out.interface.name for c in (*node.up, *node.along, *node.down)}


def _attached_networks(device: Device, cables: set[str]) -> list[Network]:
    found: dict[bool, list[Network]] = {True: [], False: []}
    for port in device.interfaces.values():
        if port.name in cables or port.kind in INTERNAL_KINDS:
            continue
        for address in port.addresses:
            try:
                network = ip_interface(address).network
            except ValueError:
                continue
            found[port.kind is InterfaceKind.LOOPBACK].append(network)
    return found[False] or found[True]


@dataclass(slots=True)
class _Stages:
    """The sessions that a route passes: down to a switch, and up again to another."""

    down: Session | None
    up: Session
    back: Session
    own: Session

    @property
    def open(self) -> bool:
        """True where no policy is between."""
        sent = self.down is None or self.down.stated.filtered_out is False
        filters = (
            self.up.stated.filtered_in,
            self.back.stated.filtered_out,
            self.own.stated.filtered_in,
        )
        return sent and all(filtered is False for filtered in filters)

    def follow(self, route: Route) -> RouteAcceptance:
        """What becomes of a route on its way."""
        steps: list[tuple[Session, Callable[[Session, Route], Answer]]] = [
            (self.up, _let_in),
            (self.back, _export_answer),
            (self.own, _let_in),
        ]
        doubt: Where | None = None
        unsure = False
        if self.down is not None:
            steps.insert(0, (self.down, _export_answer))
        else:
            route = _sent_route(route, self.up.peer, communities=None)
        for session, step in steps:
            answer = step(session, route)
            if answer.passes is False:
                return RouteAcceptance(False, answer.where)
            if answer.passes is None:
                doubt, unsure = doubt or answer.where, True
            route = answer.route
            if step is _export_answer:
                communities = session.stated.sends_communities
                route = _sent_route(route, session.device, communities=communities)
        return RouteAcceptance(None, doubt) if unsure else RouteAcceptance(True)


def _sent_route(route: Route, device: Device, *, communities: bool | None) -> Route:
    if device.asn is None:
        return replace(route, path=None)
    return route.pass_on(device.asn, communities=communities)


def _let_in(session: Session, route: Route) -> Answer:
    stated = session.stated
    return _filter(
        session, route, "filtered_in", filtered=stated.filtered_in, by=stated.policies_in
    )


def _export_answer(session: Session, route: Route) -> Answer:
    stated = session.stated
    return _filter(
        session, route, "filtered_out", filtered=stated.filtered_out, by=stated.policies_out
    )


def _filter(
    session: Session, route: Route, field: str, *, filtered: bool | None, by: tuple[str, ...]
) -> Answer:
    """A route behind the policies of one end of a session."""
    if filtered is False:
        return Answer(True, route)
    place = session.stated.where(field if session.stated.stated(field) else "")
    routing = session.device.routing
    if not filtered or not by or routing is None:
        return Answer(None, route, place)
    known = routing.policies
    answer = through([known.get(name) for name in by], route, known)
    return answer if answer.where is not None else replace(answer, where=place)


def _combine(answers: list[RouteAcceptance]) -> RouteAcceptance:
    """What is true of all routes that were followed."""
    values = {answer.value for answer in answers}
    if len(values) == 1:
        return answers[0]
    return RouteAcceptance(None, next(a.where for a in answers if a.value is not True))
