"""The end of VXLAN tunnels: `interface vxlan NAME` with the segments that it carries.

`qos-mode pipe` gives the outer header a DSCP of its own and keeps the inner one, `uniform` copies
in both directions. What holds without the line is a cited default (docs/nos/esonic.md).
"""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import Tunnel
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.quantities import number
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.segments import is_ipv6, some

defaults = defaults_of("esonic")

WORD = "vxlan "

HIGHEST_DSCP = 63


def is_tunnel(name: str) -> bool:
    """True for `vxlan vtep1`."""
    return name.startswith(WORD)


def tunnel_of(reader: Reader) -> Tunnel:
    """What the lines below `interface vxlan NAME` say."""
    vlans: set[int] = set()
    vrfs: set[str] = set()
    position = 0
    for line in reader.all("segment"):
        position = position or line.position
        words = (line.value or "").split()
        match words[1:]:
            case ["vlan", first, *rest] if (of := _vlans(first, rest)) is not None:
                vlans |= of
            case ["vrf", name]:
                vrfs.add(name)
            case _:
                what = f"map vni {line.value!r} names no VLAN and no VRF"
                reader.reading.note(NoteKind.BAD_VALUE, what, line.position)
    copied, dscp = _mode(reader)
    return reader.build(
        Tunnel,
        vlans=Value(frozenset(vlans), position or reader.begin),
        vrfs=some(vrfs, position),
        dscp_copied=copied,
        inner_replaced=copied,
        dscp=dscp,
        outer_ipv6=reader.text("source").map(is_ipv6),
    )


def _vlans(first: str, rest: list[str]) -> set[int] | None:
    """The VLANs of `vlan 12` and of `vlan 12 count 3`."""
    begin = number(first)
    count = number(rest[1]) if len(rest) == 2 and rest[0] == "count" else 1 if not rest else None
    if not begin or not count or begin + count - 1 > LAST_VLAN:
        return None
    return set(range(begin, begin + count))


def _mode(reader: Reader) -> tuple[Value[bool], Value[int]]:
    """Whether the DSCP is copied, and the one that is written where it is not."""
    line = reader.text("qos_mode")
    words = (line.value or "").split()
    pipe: Value[bool] = reader.reading.default(defaults.PIPE)
    zero: Value[int] = reader.reading.default(defaults.OUTER_DSCP)
    match words:
        case []:
            return pipe, zero
        case ["uniform"]:
            return Value(True, line.position), ABSENT
        case ["pipe"]:
            return Value(False, line.position), zero
        case ["pipe", "dscp", text] if (dscp := number(text)) is not None and dscp <= HIGHEST_DSCP:
            return Value(False, line.position), Value(dscp, line.position)
    what = f"qos-mode {line.value!r} is neither uniform nor pipe with a DSCP"
    reader.reading.note(NoteKind.BAD_VALUE, what, line.position)
    return Value(None, line.position), Value(None, line.position)
