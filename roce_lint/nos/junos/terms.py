"""Terms of firewall filters: which code points they take for certain, RoCEv2 being UDP."""

from __future__ import annotations

from roce_lint.nos.access_lists import ROCE_PORT
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import whole_of

CODE_POINTS = {"inet": "dscp", "inet6": "traffic-class"}
"""The condition that looks at the DSCP; `dscp` in the other families."""

PROTOCOLS = ("protocol", "ip-protocol", "next-header", "payload-protocol")
UDP = frozenset({"udp", "17"})
OTHERS = frozenset(
    {"tcp", "icmp", "icmp6", "icmpv6", "igmp", "ospf", "pim", "rsvp", "vrrp", "gre", "esp", "ah"}
    | {"6", "1", "58", "2", "89", "103", "46", "112", "47", "50", "51"}
)
"""IP protocols that RoCEv2 does not use (IANA protocol numbers)."""

DROPPING = ("discard", "reject")

ALL = (None, True)
"""What a term without conditions takes."""


def terms(firewall: Branch, family: str, name: str) -> list[tuple[str, Branch]]:
    """The terms of a filter, in their order; one without a family is of `inet`."""
    stated = firewall.get("family", family, "filter", name)
    if not stated and family == "inet":
        stated = firewall.get("filter", name)
    return list(stated.get("term").pairs())


def allowed_codes(
    codes: CodePoints, family: str, stated: Branch
) -> tuple[frozenset[int] | None, bool] | None:
    """Code points that conditions allow (None: any), and whether they ask for nothing else.

    None where they take no packet of RoCEv2, which is UDP.
    """
    values: frozenset[int] | None = None
    exact = True
    for condition in stated.names():
        words = set(stated.get(condition).names())
        if condition == CODE_POINTS.get(family, "dscp"):
            found = [_code(codes, word) for word in words]
            values = frozenset(code for code in found if code is not None)
            if None in found:
                values, exact = None, False
        elif condition in PROTOCOLS and words and words <= OTHERS:
            return None
        elif condition == "destination-port" and words:
            if not any(map(_has_roce, words)):
                return None  # a name too: RoCE's port has none
        elif not (condition in PROTOCOLS and words & UDP):
            exact = False
    return values, exact


def _has_roce(text: str) -> bool:
    """Whether a port or a range of ports, `4000-5000`, has that of RoCEv2."""
    low, _, high = text.partition("-")
    return low.isdigit() and whole_of(low) <= ROCE_PORT <= whole_of(high or low)


def _code(codes: CodePoints, text: str) -> int | None:
    """A code point as filters write it: a number, bits, or a name."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return whole_of(text) if whole_of(text) < 64 else None
    return codes.number("dscp", text.removeprefix("b"))
