"""Which statements of EOS say how BGP peers, and how many paths it uses."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.nos.bgp import is_address
from roce_lint.nos.choosing import said
from roce_lint.nos.eos.words import Bgp, BgpVrf
from roce_lint.nos.left_out import Left

GROUP = "UNDERLAY"
"""Peer group of sessions by port, which EOS wants to have one."""


def bgp(device: Device) -> Iterator[Bgp]:
    """The stanza of BGP, where the device has a number."""
    asn = said(device, "asn")
    if asn is None:
        return
    words = Bgp(asn=asn)
    routing = device.routing
    if routing is not None:
        paths = said(routing, "max_paths")
        words.max_paths = f"{paths} ecmp {paths}" if paths is not None else None
        by_vrf: dict[str, list[str]] = {}
        for key, session in routing.sessions.items():
            by_vrf.setdefault(key.rpartition(" ")[0], []).extend(_session(session))
        words.neighbors = tuple(_with_group(by_vrf.pop("", []))) or None
        words.vrfs = tuple(
            BgpVrf(name=vrf, neighbors=tuple(_with_group(lines))) for vrf, lines in by_vrf.items()
        )
    yield words


def unsaid(routing: Routing) -> Iterator[Left]:
    """Sessions that no line states, and what is said of sessions by port in their group alone."""
    for key, session in routing.sessions.items():
        place = f"sessions {key}"
        if not list(_session(session)):
            yield Left("session", place)
        elif not is_address(session.peer):
            for name in ("own_as_allowed", "sends_communities"):
                if said(session, name):
                    yield Left(name, place)
        elif ":" in session.peer:
            yield Left("activation in the address family of IPv6", place)


def _with_group(lines: list[str]) -> list[str]:
    if any(line.startswith("interface ") for line in lines):
        return [f"{GROUP} peer group", *lines]
    return lines


def _session(session: BgpSession) -> Iterator[str]:
    asn = said(session, "asn")
    if not is_address(session.peer):
        if asn is not None:
            yield f"interface {session.peer} peer-group {GROUP} remote-as {asn}"
        return
    if asn is not None:
        yield f"{session.peer} remote-as {asn}"
    if said(session, "own_as_allowed"):
        yield f"{session.peer} allowas-in {session.own_as_allowed}"
    if said(session, "sends_communities"):
        yield f"{session.peer} send-community"
