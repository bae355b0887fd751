"""`router bgp`: which AS the switch is, who its neighbours are, and which routes it takes."""

from __future__ import annotations

from itertools import pairwise

from roce_lint.model.device import NoteKind
from roce_lint.model.routing import Balancing
from roce_lint.nos.bgp import MOST_PATHS, OWN_AS_ONCE, Peer, Peers, as_number, is_address, leave_out
from roce_lint.nos.nxos import defaults
from roce_lint.nos.nxos.stanzas import CONFIG, number, whole
from roce_lint.nos.policies import MAP, PATHS, PREFIXES
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.records import merge

UNICAST = ("ipv4 unicast", "ipv6 unicast")
"""Address families of the routes that RoCE takes."""

_POLICIES = ((MAP, "route_map"), (PREFIXES, "prefix_list"), (PATHS, "filter_list"))
"""Kinds of policies that a neighbour may name, and what their lines are called."""


def read_bgp(reading: Reading) -> tuple[Value[int], Peers | None]:
    """The AS of the switch, and its neighbours; None without a `router bgp` stanza."""
    found = [reader for _, reader in reading.merge(CONFIG, "bgp", "asn")]
    if not found:
        return ABSENT, None
    first = found[0]
    asn = _as(reading, first.text("asn"))
    peers = Peers(reading.default(defaults.NO_OWN_AS), reading.default(defaults.NOT_TO_OWN_AS))
    first.text("any_as")
    peers.look_beside(reading, CONFIG)
    peers.max_paths = _max_paths(peers, first)
    for template in first.children("template"):
        name = template.text("peer").value or ""
        _say(peers.group(name, template.begin), template)
    for vrf, reader in (("", first), *((r.text("vrf").value or "", r) for r in _vrfs(first))):
        for neighbor in reader.children("peer"):
            _neighbor(peers, vrf, neighbor)
    return asn, peers


def read_hash(reading: Reading) -> Balancing | None:
    """`ip load-sharing address WHAT [port WHAT] [universal-id N]`; the last line holds."""
    lines = [r for entry in reading[CONFIG] for r in entry.records.get("load_sharing", ())]
    if not lines:
        return None
    line = Reader(merge(lines), reading).text("hash")
    words = (line.value or "").split()
    pairs = dict(pairwise(words))
    seed = Value(pairs.get("universal-id"), line.position).map(number)
    # What stands behind `address` decides the rest; another form of the line is not known.
    ports = Value("port" in words, line.position) if words[:1] == ["address"] else ABSENT
    return reading.build(Balancing, line.position, seed=seed, l4_ports=ports)


def _vrfs(bgp: Reader) -> list[Reader]:
    return bgp.children("vrf")


def _as(reading: Reading, text: Value[str]) -> Value[int]:
    asn = text.map(as_number)
    if text and asn.value is None:
        message = f"{(text.value or '')[:20]!r} is not the number of an AS"
        reading.note(NoteKind.BAD_VALUE, message, text.position)
    return asn


def _max_paths(peers: Peers, bgp: Reader) -> Value[int]:
    """The number of paths; which networks of its own the switch announces is put with its peers."""
    stated: Value[int] = ABSENT
    for family in bgp.children("family"):
        if family.record.values["family"][-1][0] in UNICAST:
            family.take()
            connected = family.text("redistribute").map(bool)
            peers.redistributes = connected.or_else(peers.redistributes)
            peers.announce(family.all("own"))
            found = whole(family, family.text("max_paths"), MOST_PATHS, "maximum-paths", 1)
            stated = stated.or_else(found)
        else:
            leave_out(family)
    return stated.or_else(bgp.reading.default(defaults.MAX_PATHS))


def _neighbor(peers: Peers, vrf: str, reader: Reader) -> None:
    """`neighbor 10.0.0.1`, `neighbor 10.0.0.1 remote-as 65001`; a whole network is no session."""
    line = reader.text("peer")
    words = (line.value or "").split()
    if not is_address(words[0]) or "/" in words[0]:
        peers.dynamic |= not vrf
        leave_out(reader)
        return
    peer = peers.peer(vrf, words[0], reader.begin)
    if words[1:2] == ["remote-as"] and len(words) > 2:
        peer.asn = _as(reader.reading, Value(words[2], line.position))
    peer.group = reader.text("group").value or peer.group
    _say(peer, reader)


def _say(peer: Peer, reader: Reader) -> None:
    reader.take()
    stated = _as(reader.reading, reader.text("asn"))
    peer.asn = stated if stated.position else peer.asn
    peer.unknown |= bool(reader.text("local_as"))
    for line in (line for r in (reader, *reader.children("family")) for line in r.all("own")):
        word = (line.value or "").split()[0]
        peer.shut |= word == "shutdown"
        peer.default_route |= word == "default-originate"
        if word in ("remove-private-as", "as-override"):
            peer.filtered_out = Value(True, line.position)
    for family in reader.children("family"):
        if family.record.values["family"][-1][0] not in UNICAST:
            leave_out(family)
            continue
        family.take()
        times = family.integer("own_as")
        once = family.text("own_as_once").map(lambda _: OWN_AS_ONCE)
        peer.own_as = times.or_else(once).or_else(peer.own_as)
        sent = family.text("to_own_as").map(lambda _: True)
        peer.to_own_as = sent.or_else(peer.to_own_as)
        # `standard`, `both` or no word: what `extended` alone says of the others is not known.
        for line in family.all("communities"):
            extended = (line.value or "").endswith("extended")
            peer.communities = Value(None if extended else True, line.position)
        for kind, word in _POLICIES:
            for policy in family.all(word):
                name, _, way = (policy.value or "").partition(" ")
                if way.strip() == "out":
                    peer.filtered_out = Value(True, policy.position)
                    peer.policies_out[kind] = name
                else:
                    peer.filtered_in = Value(True, policy.position)
                    peer.policies_in[kind] = name
