"""`router bgp`: AS of the switch, its neighbours, and the routes it accepts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from roce_lint.nos.bgp import MOST_PATHS, OWN_AS_ONCE, Peer, Peers, as_number, is_address, leave_out
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import SOURCE, Context, word
from roce_lint.nos.eos.naming import expand
from roce_lint.nos.policies import is_number
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.text.numbers import whole_number, whole_of

FILTERS = ("route-map", "prefix-list", "rcf")
"""Neighbour keywords that name a policy, which another stanza defines."""

UNICAST = ("ipv4", "ipv6")
"""Address families of the routes for RoCE."""


def read_bgp(context: Context) -> tuple[Value[int], Peers | None]:
    """AS of the switch, and its neighbours; None without a `router bgp` stanza."""
    found = [reader for _, reader in context.reading.merge(SOURCE, "bgp", "asn")]
    if not found:
        return ABSENT, None
    first = found[0]
    text = first.text("asn")
    asn = text.map(as_number)
    if asn.value is None:
        context.bad(f"{text.value!r} is not the number of an AS", text.position)
    peers = Peers(context.default(defaults.NO_OWN_AS))
    peers.look_beside(context.reading, SOURCE)
    peers.max_paths = _max_paths(context, first)
    peers.router_id = first.text("router_id")
    for reader in (first, *_unicast(first)):
        peers.connected = reader.text("redistribute").map(bool).or_else(peers.connected)
        peers.redistributes = peers.connected.or_else(peers.redistributes)
        peers.announce(reader.all("own"))
    for vrf, line in _lines(first):
        _neighbor(peers, vrf, line)
    return asn, peers


def _max_paths(context: Context, bgp: Reader) -> Value[int]:
    """`8` of `maximum-paths 8 ecmp 8`, at the top or in a family of routes for RoCE."""
    stated = ABSENT
    for reader in (*_unicast(bgp), bgp):
        stated = reader.text("max_paths").or_else(stated)
    for vrf in bgp.children("vrf"):  # an overlay's own: which of two holds is open there
        for reader in (vrf, *_unicast(vrf)):
            reader.text("max_paths")
    if not stated:
        return context.default(defaults.MAX_PATHS)
    first = (stated.value or "").split()[0]
    paths = whole_number(first, 1, MOST_PATHS)
    if paths is None:
        context.bad(f"maximum-paths {first[:20]!r} is not a number of paths", stated.position)
        return ABSENT
    return Value(paths, stated.position)


def _unicast(bgp: Reader) -> list[Reader]:
    return [family for family in bgp.children("family") if _is_unicast(family)]


def _is_unicast(family: Reader) -> bool:
    words = word(family, "family").split()
    return words[0] in UNICAST and words[1:] in ([], ["unicast"])


def _lines(bgp: Reader) -> Iterator[tuple[str, Value[str]]]:
    """Lines about neighbours with their VRF, including unicast families."""
    for vrf, reader in (("", bgp), *((word(r, "vrf"), r) for r in bgp.children("vrf"))):
        reader.take()
        for line in reader.all("neighbor"):
            yield vrf, line
        for family in reader.children("family"):
            if _is_unicast(family):
                family.take()
                for taken in ("active", "next_hop"):
                    family.all(taken)
                for line in family.all("neighbor"):
                    yield vrf, line
            else:
                leave_out(family)


def _neighbor(peers: Peers, vrf: str, line: Value[str]) -> None:
    """One line: `10.0.0.1 remote-as 65001`, `interface Et1-2 peer-group LEAVES remote-as 65001`."""
    words = (line.value or "").replace("peer group", "peer-group").split()
    if words[0] == "interface":
        _, ports, *rest = words
        targets = [peers.peer(vrf, port, line.position) for port in expand(ports).names]
    else:
        (name, *rest), at = words, line.position
        targets = [peers.peer(vrf, name, at) if is_address(name) else peers.group(name, at)]
    for peer in targets:
        _read_neighbor(peer, rest, line.position)


def _read_neighbor(peer: Peer, words: list[str], position: int) -> None:
    pairs = dict(pairwise(words))
    peer.group = pairs.get("peer-group", peer.group)
    if "remote-as" in pairs:
        peer.asn = Value(as_number(pairs["remote-as"]), position)
    if "allowas-in" in words:
        text = pairs.get("allowas-in", "")
        peer.own_as = Value(whole_of(text) if is_number(text) else OWN_AS_ONCE, position)
    if "send-community" in words:
        kinds = words[words.index("send-community") + 1 :]
        peer.communities = Value(not kinds or "standard" in kinds or None, position)
    kind = next((each for each in FILTERS if each in words), None)
    for way in ("in", "out"):
        if kind is not None and way in words:
            peer.filter(way, kind, pairs.get(kind, ""), position)
    peer.default_route |= "default-originate" in words
    if "remove-private-as" in words or "as-path" in words:
        peer.filtered_out = Value(True, position)
    peer.unknown |= "local-as" in words
    peer.shut |= "shutdown" in words
