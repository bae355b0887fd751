"""Access lists of NVUE: which of their rules drop RoCE, and the ports they are bound to."""

from __future__ import annotations

from roce_lint.model.interface import Interface
from roce_lint.model.qos import Policing, PortQos
from roce_lint.nos.access_lists import (
    LIST_OF_IPV6,
    AccessLists,
    bind_lists,
    lists_of,
    speaks_ipv6_alone,
)
from roce_lint.nos.cumulus.statements import View
from roce_lint.nos.reading import ABSENT, Reading, Value

WAYS = ("inbound", "outbound")

CONTROL_PLANE = "control-plane"
"""Below a direction: the list is for packets to the switch itself."""

DROPPING = frozenset({"deny", "drop"})
"""Actions of a rule; others (permit, set, log, police) let packets pass."""

EVERY = ("ANY", "any", "0.0.0.0/0", "::/0")

_PORTS = (("source-port", "source-ip"), ("dest-port", "dest-ip"))


class FilterReader:
    """The access lists of a switch by the version of IP they are for, and who is given them."""

    def __init__(self, reading: Reading, top: View) -> None:
        self.types: dict[str, str] = {}
        found: dict[str, list[tuple[str, int, list[Value[str]]]]] = {"ipv4": [], "ipv6": []}
        for name, view in top.members("acl"):
            kind = self.types[name] = view.word("type").value or ""
            if kind not in found:
                continue
            rules = sorted(view.members("rule"), key=lambda rule: rule[0].zfill(10))
            found[kind].append((name, view.begin, [_rule(each) for _, each in rules]))
        self.lists: dict[str, AccessLists] = {
            "ipv4": lists_of(reading, found["ipv4"], passes_rest=True),
            "ipv6": lists_of(reading, found["ipv6"], LIST_OF_IPV6, passes_rest=True),
        }

    def bind(self, qos: PortQos, view: View, port: Interface) -> None:
        """Give a port the lists that its packets meet, where they drop some of RoCE."""
        for name, place in view.members("acl"):
            kind = self.types.get(name, "ipv4")
            ways = [_binding(name, place.get(way)) for way in WAYS]
            if kind == "ipv4" or (kind == "ipv6" and speaks_ipv6_alone(port.addresses)):
                bind_lists(qos, self.lists[kind], *ways)

    def objects(self) -> dict[str, Policing]:
        """The lists that drop something, by key."""
        return self.lists["ipv4"].objects() | self.lists["ipv6"].objects()


def _binding(name: str, way: View) -> Value[str]:
    if not way or CONTROL_PLANE in way.says():
        return ABSENT
    return Value(name, way.take().position or way.begin)


def _rule(view: View) -> Value[str]:
    """A rule in the words of the access lists of other systems."""
    drops = not DROPPING.isdisjoint(view.get("action").says())
    match = view.get("match", "ip")
    words = [(match.word("protocol").value or "ip").lower()]
    held = match.says() - {"protocol"}
    for port, address in _PORTS:
        given = match.word(address).value
        words += ["any"] if given in (None, *EVERY) else ["host", given]
        held.discard(address)
        for kind in ("", "udp", "tcp"):
            place = match.get(kind) if kind else match
            named = place.word(port).value
            if named is not None and named not in EVERY:
                low, dash, high = named.replace(":", "-").partition("-")
                words += ["range", low, high] if dash else ["eq", named]
        held.discard(port)
    code = match.word("dscp").value
    words += [] if code in (None, *EVERY) else ["dscp", code]
    more = held - {"udp", "tcp", "dscp"} or view.get("match").says() - {"ip"}
    words += ["more"] if more else []
    return Value(f"{'deny' if drops else 'permit'} {' '.join(words)}", _place(view))


def _place(view: View) -> int:
    """The line of what is done, else of the rule."""
    return max((node.stated for node in view.get("action").all_below()), default=0) or view.begin
