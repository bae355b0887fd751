"""Access lists of NVUE: which of their rules drop RoCE, and the ports they are bound to."""

from __future__ import annotations

from roce_lint.model.interface import Interface
from roce_lint.model.qos import PortQos
from roce_lint.nos.access_lists import ARRIVING, IPV4, KINDS, LEAVING, AccessLists, Dialect
from roce_lint.nos.cumulus.statements import View
from roce_lint.nos.reading import ABSENT, Reading, Value

WAYS = {"inbound": ARRIVING, "outbound": LEAVING}

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
        self.lists = AccessLists(reading, Dialect(passes_rest=True))
        for name, view in top.members("acl"):
            stated = view.word("type").value or IPV4
            kind = self.types[name] = KINDS.get(stated, stated)
            rules = sorted(view.members("rule"), key=lambda rule: rule[0].zfill(10))
            self.lists.define(kind, name, [_rule(each) for _, each in rules])

    def bind(self, view: View, port: Interface, qos: PortQos | None) -> None:
        """Give a port the lists that its packets meet, where they drop some of RoCE; those of other
        interfaces are given to the ports of their VLANs.
        """
        for name, place in view.members("acl"):
            kind = self.types.get(name, IPV4)
            for way, field in WAYS.items():
                bound = _binding(name, place.get(way))
                if qos is not None:
                    self.lists.bind(qos, field, kind, bound, port.addresses)
                else:
                    self.lists.bind_elsewhere(port, field, kind, bound)


def _binding(name: str, way: View) -> Value[str]:
    if not way or CONTROL_PLANE in way.says():
        way.get(CONTROL_PLANE).take()
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
