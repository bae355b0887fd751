"""Which statements of EOS say what a port is apart from its QoS."""

from __future__ import annotations

from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind
from roce_lint.nos.eos.words import Address, PortWords
from roce_lint.nos.selection import value_to_state

INHERITED = (
    "mtu", "frame_mtu", "routed", "mode", "access_vlan", "native_vlan", "allowed_vlans", "up",
    "trust", "cos", "pfc", "no_drop", "watched", "watchdog_action", "watchdog_timer",
)  # fmt: skip
"""What a member of a channel has from it, where its own lines say nothing."""

MEGABITS = 1000
"""Megabits in a gigabit."""


def port_words(port: Interface) -> PortWords:
    """What a port says of itself."""
    words = PortWords(
        name=port.name,
        description=value_to_state(port, "description"),
        up=value_to_state(port, "enabled"),
        vrf=value_to_state(port, "vrf"),
        channel=f"{port.lag.removeprefix('Port-Channel')} mode active" if port.lag else None,
        addresses=tuple(
            Address(family="ipv6" if ":" in each else "ip", address=each) for each in port.addresses
        )
        or None,
    )
    frame = value_to_state(port, "frame_mtu")
    words.frame_mtu = str(frame) if frame is not None else None
    if port.routed is not False:
        words.mtu = value_to_state(port, "ip_mtu")
    if port.kind in WIRED:
        words.routed = value_to_state(port, "routed")
        _vlans(port, words)
    elif port.kind is InterfaceKind.SUBINTERFACE and port.tagged_vlans:
        words.encapsulation = str(min(port.tagged_vlans))
    if port.kind is InterfaceKind.PHYSICAL:
        words.fec = _fec(port)
    words.speed = _speed(port)
    return words


def _fec(port: Interface) -> tuple[Fec, ...] | None:
    """Both encodings where the link may choose."""
    fec = value_to_state(port, "fec")
    if fec is None:
        return None
    return (Fec.RS, Fec.FC) if fec is Fec.AUTO else (fec,)


def _speed(port: Interface) -> str | None:
    """`400g-8`, `forced 100gfull`, `auto 100g-1`."""
    gbps, auto = value_to_state(port, "speed_gbps"), value_to_state(port, "autoneg")
    if gbps is None:
        return "auto" if auto else None
    rate = f"{gbps:.0f}g" if gbps >= 1 and not gbps % 1 else f"{gbps * MEGABITS:.0f}"
    if rate.endswith("g") and port.lanes:
        return f"{'auto ' if auto else ''}{rate}-{port.lanes}"
    return f"{'auto' if auto else 'forced'} {rate}full"


def _vlans(port: Interface, words: PortWords) -> None:
    if port.routed is not False or port.tagged_vlans is None:
        return
    if port.tagged is False and not port.tagged_vlans:
        words.access_vlan = value_to_state(port, "untagged_vlan")
        return
    words.mode = "trunk"
    native = value_to_state(port, "untagged_vlan")
    if port.untagged_vlan is None:
        words.native_vlan = "tag"
    elif native is not None:
        words.native_vlan = str(native)
    tagged = value_to_state(port, "tagged_vlans")
    if tagged is not None:
        words.allowed_vlans = tagged | {port.untagged_vlan} - {None}
