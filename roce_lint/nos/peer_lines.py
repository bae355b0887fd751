"""BGP in statements that begin with `peer` or `neighbor`, each about one neighbour or group."""

from __future__ import annotations

from itertools import pairwise

from roce_lint.model.routing import Routing
from roce_lint.nos.bgp import MOST_PATHS, OWN_AS_ONCE, Peers, as_number, is_address
from roce_lint.nos.policies import is_number
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.text.numbers import whole_of

FILTERS = ("route-policy", "filter-policy", "ip-prefix", "prefix-list", "as-path-filter")
"""Words before the name or number of a policy for routes of a neighbour."""

ALIKE = {
    "remote-as": "as-number",
    "peer-group": "group",
    "local-as": "fake-as",
    "shutdown": "ignore",
}
"""Other words for the same settings."""


def routing_of(reading: Reading, source: str, *, enabled_alone: bool) -> Routing | None:
    """Neighbours of the global routing instance; None without BGP.

    `enabled_alone` is False if a neighbour gets no routes without an `enable` line. What no line
    states is unknown: statements of other address families and VRFs are not read.
    """
    found = [reader for _, reader in reading.merge(source, "bgp", "asn")]
    if not found:
        return None
    peers = Peers(ABSENT)
    enabled: set[str] = set()  # peers and groups
    for reader in found:
        peers.router_id = reader.text("router_id").or_else(peers.router_id)
        for lines in (reader, *reader.children("family")):
            lines.take()
            lines.text("family")
            for value in lines.all("peer"):
                _read(peers, value)
                words = (value.value or "").split()
                if words[1:2] == ["enable"]:
                    enabled.add(words[0])
            paths = whole(lines, lines.word("max_paths"), MOST_PATHS, "paths", 1)
            peers.max_paths = paths.or_else(peers.max_paths)
            for name, word in (("imported", "redistribute"), ("network", "network")):
                for line in lines.all(name):
                    peers.announce([Value(f"{word} {line.value}", line.position)])
    for (_, name), peer in peers.peers.items():
        peer.shut |= not enabled_alone and not {name, peer.group} & enabled
    return peers.routing(reading, found[0].begin, whole=False)


def _read(peers: Peers, line: Value[str]) -> None:
    """One line: `10.0.0.1 as-number 65001`, `10.0.0.1 group SPINES`, `SPINES allow-as-loop 2`."""
    name, *rest = (ALIKE.get(word, word) for word in (line.value or "").split())
    at = line.position
    peer = peers.peer("", name, at) if is_address(name) else peers.group(name, at)
    pairs = dict(pairwise(rest))
    peer.group = pairs.get("group", peer.group)
    if "as-number" in pairs:
        peer.asn = Value(as_number(pairs["as-number"]), at)
    if rest[:1] == ["allow-as-loop"]:
        text = pairs.get("allow-as-loop", "")
        peer.own_as = Value(whole_of(text) if is_number(text) else OWN_AS_ONCE, at)
    if rest[:1] == ["advertise-community"]:
        peer.communities = Value(True, at)
    kind = next((word for word in FILTERS if word in rest), None)
    for word, way in (("import", "in"), ("export", "out")):
        if kind is not None and word in rest:
            peer.filter(way, kind, pairs.get(kind, ""), at)
    peer.default_route |= rest[:1] == ["default-route-advertise"]
    peer.unknown |= rest[:1] == ["fake-as"]
    peer.shut |= rest[:1] == ["ignore"]
