"""Which statements of NX-OS say what a port is, and what it attaches."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Fec, Interface
from roce_lint.model.qos import PfcMode, PortQos, WatchdogAction
from roce_lint.nos.nxos import defaults, naming
from roce_lint.nos.nxos.ports import PFC_MODES
from roce_lint.nos.nxos.queuing import SYSTEM_POLICIES
from roce_lint.nos.nxos.words import Breakout, PortWords
from roce_lint.nos.omissions import Omission
from roce_lint.nos.selection import value_to_state, whole
from roce_lint.text.numbers import whole_of

MEGABITS = 1000
"""Megabits in a gigabit."""

SPLIT_GBPS, SPLIT_PARTS = 400.0, 2
"""Speed and number of the parts of the one map whose wording is confirmed: `400g-2x`."""

RS_GBPS = 100
"""Speed up to which `rs-fec` is the word for Reed-Solomon."""

INHERITED = (
    "routed", "mtu", "speed", "negotiates", "fixed", "fec", "vrf", "pfc_mode", "watchdog",
    "pause_rx", "pause_tx", "qos_input", "queuing_output",
)  # fmt: skip
"""What a member of a channel has from it, where its own lines say nothing."""

MODES = {mode: word for word, mode in PFC_MODES.items()}


def all_ports(device: Device) -> Iterator[PortWords]:
    """The stanzas of all interfaces; a member of a channel says what the channel does not."""
    words = {name: port_words(device, port) for name, port in device.interfaces.items()}
    for name, own in words.items():
        channel = words.get(device.interfaces[name].lag or "")
        yield own if channel is None else own.without(channel, *INHERITED)


def port_words(device: Device, port: Interface) -> PortWords:
    """What a port says of itself, and of QoS."""
    v4 = tuple(each for each in port.addresses if ":" not in each)
    v6 = tuple(each for each in port.addresses if ":" in each)
    words = PortWords(
        name=port.name,
        description=value_to_state(port, "description"),
        up=value_to_state(port, "enabled"),
        mtu=value_to_state(port, "ip_mtu"),
        negotiates=value_to_state(port, "autoneg") or None,
        fixed="no negotiate auto" if value_to_state(port, "autoneg") is False else None,
        vrf=value_to_state(port, "vrf"),
        channel=f"{port.lag.removeprefix('port-channel')} mode active" if port.lag else None,
        addresses=v4 or None,
        six=v6 or None,
    )
    if port.kind in WIRED:
        words.routed = value_to_state(port, "routed")
    if not _is_lane(port):
        gbps = value_to_state(port, "speed_gbps")
        words.speed = whole(gbps * MEGABITS) if gbps is not None else None
    fec = value_to_state(port, "fec")
    if fec is not None and not _unsaid_fec(port):
        words.fec = fec
    if port.qos is not None:
        _qos(device, port.qos, words)
    return words


def _qos(device: Device, qos: PortQos, words: PortWords) -> None:
    classifier = device.qos.classifiers.get(qos.classifier or "")
    if classifier is not None and not classifier.builtin:
        words.qos_input = value_to_state(qos, "classifier")
    egress = value_to_state(qos, "egress")
    words.queuing_output = egress if egress not in SYSTEM_POLICIES else None
    pfc, watchdog = qos.pfc, qos.watchdog
    if pfc is not None:
        mode = value_to_state(pfc, "mode")
        if mode is not None:
            tlv = " send-tlv" if mode is PfcMode.ON and pfc.advertises else ""
            words.pfc_mode = MODES[mode] + tlv
        words.pause_rx = value_to_state(pfc, "link_pause_rx")
        words.pause_tx = value_to_state(pfc, "link_pause_tx")
    if watchdog is not None and value_to_state(watchdog, "enabled") is not None:
        logs = (
            " disable-action" if value_to_state(watchdog, "action") is WatchdogAction.ALERT else ""
        )
        words.watchdog = ("on" if watchdog.enabled else "off") + logs


def _is_lane(port: Interface) -> bool:
    return naming.breakout_parent(port.name) is not None


def breakouts(device: Device) -> Iterator[Breakout]:
    """The ports that are split, by the module they are on."""
    modules: dict[str, set[int]] = {}
    for parent, lanes in _split(device).items():
        if _is_confirmed(lanes):
            module, _, number = parent.removeprefix("Ethernet").partition("/")
            modules.setdefault(module, set()).add(whole_of(number))
    for module, numbers in modules.items():
        yield Breakout(
            module=whole_of(module),
            ports=frozenset(numbers),
            map=f"{SPLIT_GBPS:g}g-{SPLIT_PARTS}x",
        )


def _split(device: Device) -> dict[str, list[Interface]]:
    found: dict[str, list[Interface]] = {}
    for port in device.interfaces.values():
        parent = naming.breakout_parent(port.name)
        if parent is not None:
            found.setdefault(parent, []).append(port)
    return found


def _is_confirmed(lanes: list[Interface]) -> bool:
    parts = max(whole_of(port.name.rpartition("/")[2]) for port in lanes)
    return parts <= SPLIT_PARTS and all(port.speed_gbps == SPLIT_GBPS for port in lanes)


def _unsaid_fec(port: Interface) -> bool:
    return value_to_state(port, "fec") is Fec.RS and (port.speed_gbps or 0) > RS_GBPS


def unsaid(device: Device) -> Iterator[Omission]:
    """What of ports has no confirmed wording."""
    for parent, lanes in _split(device).items():
        if not _is_confirmed(lanes):
            yield Omission("breakout", parent)
    for port in device.interfaces.values():
        if _unsaid_fec(port):
            yield Omission("fec", port.name)
        if port.routed is not True or port.kind not in WIRED:
            known = (name for name in ("untagged_vlan", "tagged") if getattr(port, name))
            yield from (Omission(name, port.name) for name in known)
        watchdog = port.qos.watchdog if port.qos is not None else None
        polling = value_to_state(watchdog, "polling_ms") if watchdog is not None else None
        if polling not in (None, defaults.WATCHDOG_INTERVAL.value):
            yield Omission("qos.watchdog.polling_ms", port.name)
