"""Lists of VLANs as `switchport trunk allowed vlan` states and changes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from roce_lint.nos.eos import defaults
from roce_lint.text.numbers import whole_of

ALL_VLANS: frozenset[int] = defaults.ALLOWED_VLANS.value  # type: ignore[assignment]
LAST_VLAN = 4094

_VLANS = re.compile(r"(?:(?P<change>add|remove|except)\s+)?(?P<list>[\d,\s-]+|all|none)")


@lru_cache(maxsize=1024)
def change_vlans(vlans: frozenset[int], text: str) -> frozenset[int] | None:
    """What `switchport trunk allowed vlan TEXT` makes of the VLANs allowed before."""
    found = _VLANS.fullmatch(text)
    if found is None:
        return None
    listed = {"all": ALL_VLANS, "none": frozenset[int]()}.get(found["list"])
    if listed is None:
        spans = list(_spans(found["list"]))
        if any(not 1 <= low <= high <= LAST_VLAN for low, high in spans):
            return None
        listed = frozenset(vlan for low, high in spans for vlan in range(low, high + 1))
    match found["change"]:
        case "add":
            return vlans | listed
        case "remove":
            return vlans - listed
        case "except":
            return ALL_VLANS - listed
        case _:
            return listed


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for part in re.split(r"[,\s]+", re.sub(r"(?<!\s)\s*-\s*", "-", text.strip())):
        low, dash, high = part.partition("-")
        first = whole_of(low[:9] or "0")
        yield first, whole_of(high[:9] or "0") if dash else first


@lru_cache(maxsize=256)
def without(vlans: frozenset[int], vlan: int | None) -> frozenset[int]:
    """The VLANs but for one, which is untagged on the port."""
    return vlans - {vlan} if vlan is not None else vlans
