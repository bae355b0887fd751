"""What tells a Cumulus Linux switch what is wished of it: one tree of NVUE, as a file or commands.

The tree states an intent and nothing else; `nv config replace` takes the file, `nv set` the
commands. docs/nos/cumulus.md has the sources of words and units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.nos.base import WHOLE, RenderedFiles, RenderRequest
from roce_lint.nos.bgp import is_address
from roce_lint.nos.cumulus import render_qos
from roce_lint.nos.cumulus.render_tree import Tree, commands, document
from roce_lint.nos.cumulus.routing import FAMILIES
from roce_lint.nos.render import require_printable
from roce_lint.nos.selection import whole
from roce_lint.text.numbers import whole_of

FECS = {Fec.RS: "rs", Fec.FC: "baser", Fec.NONE: "off", Fec.AUTO: "auto"}

_RELEASE = re.compile(r"(?P<major>\d{1,3})\.(?P<minor>\d{1,3})(?:\.\d{1,3})?")
_PART = re.compile(r"(?P<whole>swp\d+)s\d+")

NEWER = (5, 15)
"""The release that renamed `enable: on` to `state: enabled`, and `ip address` to that of a family
(published NVUE schema, 5.14 and 5.15).
"""
L4_PORTS = ("source-port", "destination-port")


def render(asked: RenderRequest) -> RenderedFiles:
    """`<device>.yaml`, and the same as commands.

    Raises:
        RenderError: the release is not stated, or a wish has a value that no word takes.
    """
    device, tree = asked.device, Tree()
    newer = _is_newer(device)
    enabled = {"state": "enabled"} if newer else {"enable": "on"}
    if asked.part == WHOLE:
        tree.put("system", "hostname", device.hostname)
        for port in device.interfaces.values():
            _port(port, tree, newer=newer)
        _bgp(device, enabled, tree)
        _hash(device, tree, newer=newer)
    render_qos.add_qos(device, enabled, tree)
    require_printable(tree.root)
    left = tuple(_rest(device)) if asked.part == WHOLE else ()
    text = document(tree.root, asked.header, device.os_version or "")
    return RenderedFiles({f"{device.hostname}.yaml": text}, left, commands(tree.root, asked.header))


def _is_newer(device: Device) -> bool:
    """Whether the release has the words of 5.15.

    Raises:
        RenderError: the release is not stated.
    """
    found = _RELEASE.fullmatch(device.os_version or "")
    if found is None:
        message = "Cumulus Linux 5.15 has other words than releases before it: say the release"
        raise RenderError(message)
    return (whole_of(found["major"]), whole_of(found["minor"])) >= NEWER


def _port(port: Interface, tree: Tree, *, newer: bool) -> None:
    loopback = port.kind is InterfaceKind.LOOPBACK
    place = ("interface", port.name)
    for address in port.addresses:
        family = ("ipv6" if ":" in address else "ipv4") if newer else "ip"
        tree.put(*place, family, "address", address, {})
    tree.put(*place, "type", "loopback" if loopback else "swp")
    if loopback:
        return
    if port.fec is not None:
        tree.put(*place, "link", "fec", FECS[port.fec])
    if port.ip_mtu is not None:
        tree.put(*place, "link", "mtu", port.ip_mtu)
    speed = whole(port.speed_gbps)
    if speed is not None:
        tree.put(*place, "link", "speed", f"{speed}G")
    tree.put(*place, "link", "state", "down" if port.enabled is False else "up", {})


def _bgp(device: Device, enabled: Mapping[str, str], tree: Tree) -> None:
    if device.asn is None:
        return
    tree.put("router", "bgp", "autonomous-system", device.asn)
    for word, value in enabled.items():
        tree.put("router", "bgp", word, value)
        tree.put("vrf", "default", "router", "bgp", word, value)
    colons = {":" in text for port in device.interfaces.values() for text in port.addresses}
    for colon in sorted(colons):  # else no other switch has a route to the hosts
        place = ("vrf", "default", "router", "bgp", "address-family", FAMILIES[colon])
        for word, value in enabled.items():
            tree.put(*place, "redistribute", "connected", word, value)
    if device.routing is not None and device.routing.max_paths is not None:
        place = ("vrf", "default", "router", "bgp", "address-family", "ipv4-unicast")
        tree.put(*place, "multipaths", "ebgp", device.routing.max_paths)
    for session in device.routing.sessions.values() if device.routing is not None else ():
        place = ("vrf", "default", "router", "bgp", "neighbor", session.peer)
        if session.asn is not None:
            tree.put(*place, "remote-as", session.asn)
        tree.put(*place, "type", "numbered" if is_address(session.peer) else "unnumbered")
        if ":" in session.peer and is_address(session.peer):
            family = (*place, "address-family", "ipv6-unicast")
            for word, value in enabled.items():
                tree.put(*family, word, value)


def _hash(device: Device, tree: Tree, *, newer: bool) -> None:
    ports = device.balancing.l4_ports if device.balancing is not None else None
    for word in L4_PORTS if ports is not None else ():
        on, off = ("enabled", "disabled") if newer else ("on", "off")
        tree.put("system", "forwarding", "ecmp-hash", word, on if ports else off)


def _rest(device: Device) -> Iterator[str]:
    """What is wished and no word says."""
    parents = {found["whole"] for name in device.interfaces if (found := _PART.fullmatch(name))}
    if parents:
        yield f"breakout of {len(parents)} ports: nothing wished says into how many parts"
