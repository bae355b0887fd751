"""VLANs of switched ports: what lines state of them, and whether what crosses a port is tagged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.port_names import LAST_VLAN, vlan_number
from roce_lint.nos.quantities import numbers, upto, write_ranges
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.stanzas import first
from roce_lint.nos.switch_ports import Port


@dataclass(slots=True, frozen=True)
class Vlans:
    """What the lines of a switched port state about VLANs."""

    untagged: Value[int] = ABSENT
    tagged: Value[frozenset[int]] = ABSENT  # all that the port carries, the untagged one or not
    access: Value[bool] = ABSENT  # True: untagged only, with the line that says so


def set_vlans(interface: Interface, vlans: Vlans) -> None:
    """Put VLANs into an interface, and whether what crosses it is certainly tagged or not."""
    for name, value in (
        ("untagged_vlan", vlans.untagged),
        ("tagged_vlans", vlans.tagged.map(lambda every: every - {vlans.untagged.value or 0})),
    ):
        if value.value is not None:
            setattr(interface, name, value.value)
            interface.at[name] = value.position
    tagged: Value[bool] = ABSENT
    if vlans.access.value:
        tagged = Value(False, vlans.access.position)
        interface.tagged_vlans = None
        interface.at.pop("tagged_vlans", None)
    elif interface.routed and interface.kind in WIRED:
        tagged = Value(False, interface.at.get("routed", 0))
    elif interface.kind is InterfaceKind.VLAN:
        interface.untagged_vlan = vlan_number(interface.name)
    if tagged.value is not None:
        interface.tagged = tagged.value
        if tagged.position:
            interface.at["tagged"] = tagged.position


def vlans_by_mode(
    port: Port, mode: str, allowed: Callable[[Reader], Value[frozenset[int]]]
) -> Vlans:
    """VLANs of a port with a line that calls it an access port or another.

    `mode` is the variable of that line; `allowed` reads the list of a trunk. Without a native VLAN
    the access VLAN is the untagged one of a trunk too.
    """
    kind: Value[str] = port.inherit(lambda lines: lines.text(mode))
    tagged: Value[frozenset[int]] = port.inherit(allowed)
    return Vlans(
        untagged=first(port.vlan("native_vlan"), port.vlan("access_vlan")),
        tagged=tagged,
        access=kind.map(lambda word: word == "access"),
    )


def vlans_of_lines(reader: Reader) -> Value[frozenset[int]]:
    """VLANs of all lines of a trunk, each a list such as `10 20 to 30`; `all` is no list."""
    found: frozenset[int] = frozenset()
    position = 0
    for value in reader.all("allowed_vlans"):
        position = position or value.position
        if value.value == "all":
            return ABSENT
        given = reader.convert(value, _vlans, "a list of VLANs")
        if given.value is None:
            return given
        found |= given.value
    return Value(found, position) if position else ABSENT


def _vlans(text: str) -> frozenset[int]:
    found = numbers(write_ranges(text), upto(LAST_VLAN))
    if found is None:
        raise ValueError(text)
    return found
