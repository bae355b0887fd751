"""Interface stanzas: stated settings, PFC lines, and values independent of QoS."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from roce_lint.model.interface import Fec
from roce_lint.model.qos import PfcMode
from roce_lint.nos.bgp import protocols
from roce_lint.nos.copies import Copy, Stanza, settle
from roce_lint.nos.nxos import classify, lossless, naming, queuing
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.quantities import MODES, gbps_of, numbers, options, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, first, value_in_force
from roce_lint.nos.switch_ports import addresses, by_name, likeness
from roce_lint.text.match import Record

# `priority-flow-control` lines: mode of a port, and its watchdog.

PFC = {**dict.fromkeys(MODES, 0), "send-tlv": 0}
"""Keywords of `priority-flow-control mode`, none with arguments."""

WATCHDOG = {"on": 0, "off": 0, "disable-action": 0, "interface-multiplier": 1}
"""Keywords of `priority-flow-control watch-dog-interval` and the number of their arguments."""

HIGHEST_MULTIPLIER = 100
"""Highest multiplier of the watchdog."""


@dataclass(slots=True, frozen=True)
class WatchdogLine:
    """Settings of a `watch-dog-interval` line."""

    enabled: bool | None
    disable_action: bool = False  # only log
    multiplier: int | None = None  # of the interval, on this port; None: the global one


def pfc_line(reader: Reader, line: Value[str]) -> tuple[Value[PfcMode], Value[bool]]:
    """Mode of `priority-flow-control mode`, and whether the port always advertises it."""
    if not line:
        return ABSENT, ABSENT
    words = options(reader.reading, line, PFC)
    mode = next((MODES[word] for word in words if word in MODES), None)
    return Value(mode, line.position), Value("send-tlv" in words, line.position)


def watchdog_line(reader: Reader, line: Value[str]) -> Value[WatchdogLine]:
    """Parse a `watch-dog-interval` line."""
    if not line:
        return ABSENT
    if line.value and line.value.split()[0] not in WATCHDOG:
        reader.reading.refuse(
            reader.reading.limits["watch-dog-interval"], line.value or "", line.position
        )
        return Value(WatchdogLine(None), line.position)
    words = options(reader.reading, line, WATCHDOG)
    enabled = True if "on" in words else False if "off" in words else None
    given = words.get("interface-multiplier", ("0",))[0]
    multiplier = whole(
        reader, Value(given, line.position), HIGHEST_MULTIPLIER, "interface-multiplier"
    )
    return Value(
        WatchdogLine(enabled, "disable-action" in words, multiplier.value or None), line.position
    )


# Interface stanzas.

VLANS = frozenset(range(1, LAST_VLAN + 1))

FEC = {"auto": Fec.AUTO, "off": Fec.NONE, "fc-fec": Fec.FC, "kp-fec": Fec.RS}
"""Modes by name; all that begin with `rs-` are Reed-Solomon."""

LOWEST_MTU, HIGHEST_MTU = 64, 65535
"""Bounds of a plausible MTU; the limits of a series inside them differ."""


@dataclass(slots=True)
class Lines:
    """Settings in the stanzas of one interface; a position without a value is a bad line."""

    begin: int = 0
    description: Value[str] = ABSENT
    up: Value[bool] = ABSENT
    mtu: Value[int] = ABSENT
    speed: Value[float] = ABSENT
    autoneg: Value[bool] = ABSENT
    fec: Value[Fec] = ABSENT
    channel: Value[str] = ABSENT
    peer_link: Value[bool] = ABSENT
    vrf: Value[str] = ABSENT
    addresses: Value[tuple[str, ...]] = ABSENT
    igp: Value[tuple[str, ...]] = ABSENT
    igp_any_mtu: Value[tuple[str, ...]] = ABSENT
    routed: Value[bool] = ABSENT
    mode: Value[str] = ABSENT
    access_vlan: Value[int] = ABSENT
    native_vlan: Value[int] = ABSENT
    allowed: Value[frozenset[int]] = ABSENT
    encapsulation: Value[int] = ABSENT
    pfc_mode: Value[PfcMode] = ABSENT
    send_tlv: Value[bool] = ABSENT
    watchdog: Value[WatchdogLine] = ABSENT
    pause_rx: Value[bool] = ABSENT
    pause_tx: Value[bool] = ABSENT
    lldp_tx: Value[bool] = ABSENT
    lldp_rx: Value[bool] = ABSENT
    dcbx: Value[str] = ABSENT
    qos_input: Value[str] = ABSENT
    filters: Value[tuple[Value[str], ...]] = ABSENT  # lines that bind access lists
    qos_output: Value[str] = ABSENT  # acts after the class is decided
    queuing_output: Value[str] = ABSENT
    queuing_input: Value[str] = ABSENT

    def behind(self, other: Lines) -> Lines:
        """These lines, with gaps filled from the other (the channel, its members), but for OWN."""
        values: dict[str, Any] = {
            name: getattr(self, name)
            if name in OWN
            else first(getattr(self, name), getattr(other, name))
            for name in NAMES
        }
        return Lines(**values)


NAMES = tuple(entry.name for entry in fields(Lines))

OWN = frozenset({"begin", "description", "up", "channel", "addresses"})
"""Settings that a channel and its members do not share."""


@dataclass(slots=True)
class Ports:
    """All interfaces by full name, and the settings of breakout lines."""

    lines: dict[str, Lines] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    breakouts: dict[str, Value[str]] = field(default_factory=dict)  # port: map, `400g-2x`
    copies: dict[str, Copy] = field(default_factory=dict)  # ports that repeat another


def read_ports(reading: Reading) -> Ports:
    """All interfaces in any stanza, with stanzas and ranges added up."""
    grouped = by_name(reading, naming.expand)
    ports = Ports(breakouts=dict(_breakouts(reading)))
    # Ports of one range share their records, so each set of records is read once.
    known: dict[tuple[int, ...], Lines] = {}
    models: dict[Hashable, tuple[str, Stanza] | None] = {}  # None: noted, so never copied
    lanes = bool(ports.breakouts) or any(map(naming.breakout_parent, grouped))
    for name, found in grouped.items():
        split = lanes or found[0].children or "channel_group" in found[0].values
        key = None if split else likeness(naming.kind_of(name), found)
        model = models.get(key)
        if model is not None:
            _copy(reading, ports, name, found[0], model)
            continue
        noted = len(reading.notes)
        same = tuple(map(id, found))
        if same not in known:
            known[same] = _read(Reader.over(found, reading))
        ports.lines[name] = known[same]
        if key is not None:
            clean = len(reading.notes) == noted
            models.setdefault(key, (name, Stanza.of(found[0])) if clean else None)
    for name in list(ports.lines):
        channel = ports.lines[name].channel
        if channel.value is not None:
            ports.members.setdefault(channel.value, []).append(name)
            if channel.value not in ports.lines:
                ports.lines[channel.value] = Lines(begin=channel.position)
    return ports


def _copy(
    reading: Reading, ports: Ports, name: str, record: Record, model: tuple[str, Stanza]
) -> None:
    copy = ports.copies[name] = Copy(model[0], record, model[1])
    lines = ports.lines[name] = ports.lines[copy.of]
    settle(reading, copy)
    for name_of_line, kind in ATTACHED.items():
        policy: Value[str] = getattr(lines, name_of_line)
        reading.refer(kind, Value(policy.value, policy.position + copy.by))


def _read(reader: Reader) -> Lines:
    reader.take()
    reader.text("name")
    filters = tuple(reader.all("filter"))
    pfc_mode, send_tlv = pfc_line(reader, value_in_force(reader, "pfc_mode", "no_pfc_mode"))
    return Lines(
        begin=reader.begin,
        description=reader.text("description"),
        up=reader.switch(on="no_shutdown", off="shutdown"),
        mtu=whole(reader, value_in_force(reader, "mtu", "no_mtu"), HIGHEST_MTU, "MTU", LOWEST_MTU),
        speed=gbps_of(reader, value_in_force(reader, "speed", "no_speed")),
        autoneg=reader.switch(on="negotiate_auto", off="no_negotiate_auto"),
        fec=reader.convert(
            value_in_force(reader, "fec", "no_fec"),
            lambda text: Fec.RS if text.startswith("rs-") else FEC[text],
            "a FEC mode",
        ),
        channel=_channel(reader),
        peer_link=reader.switch(on="peer_link", off="no_peer_link"),
        vrf=reader.text("vrf"),
        addresses=addresses(reader),
        igp=_igp(reader),
        igp_any_mtu=protocols(ospf=reader.text("ospf_any_mtu"), isis=reader.text("isis_any_mtu")),
        routed=reader.switch(on="no_switchport", off="switchport"),
        mode=value_in_force(reader, "switchport_mode", "no_switchport_mode"),
        access_vlan=_vlan(reader, "access_vlan"),
        native_vlan=_vlan(reader, "native_vlan"),
        allowed=_allowed_vlans(reader),
        encapsulation=whole(
            reader,
            reader.text("encapsulation").map(lambda text: text.split()[-1]),
            LAST_VLAN,
            "VLAN",
            1,
        ),
        pfc_mode=pfc_mode,
        send_tlv=send_tlv,
        watchdog=watchdog_line(reader, value_in_force(reader, "watchdog", "no_watchdog")),
        pause_rx=_on_off(reader, "flowcontrol_receive"),
        pause_tx=_on_off(reader, "flowcontrol_send"),
        lldp_tx=reader.switch(on="lldp_transmit", off="no_lldp_transmit"),
        lldp_rx=reader.switch(on="lldp_receive", off="no_lldp_receive"),
        dcbx=reader.text("dcbx_version"),
        filters=Value(filters, filters[0].position) if filters else ABSENT,
        **attachments(reader),
    )


ATTACHED = {
    "qos_input": classify.POLICY,
    "qos_output": classify.POLICY,
    "queuing_output": queuing.POLICY,
    "queuing_input": queuing.POLICY,
}
"""Lines that attach a policy to a port or to all ports, and the kinds of policies."""


SYSTEM_POLICIES = {
    queuing.POLICY: queuing.SYSTEM_POLICIES,
    lossless.POLICY: lossless.SYSTEM_POLICIES,
}
"""Policies built into the switch, by the kind of structure of their type."""


def attachment(reader: Reader, variable: str, kind: str) -> Value[str]:
    """The policy that a `service-policy` line attaches, without options (`no-stats`)."""
    value = value_in_force(reader, variable, f"no_{variable}").map(lambda text: text.split()[0])
    if value.value in SYSTEM_POLICIES.get(kind, ()):
        reader.reading.names.builtin(kind, str(value.value))
    return reader.reading.refer(kind, value)


def attachments(reader: Reader) -> dict[str, Value[str]]:
    """Policies that lines attach, by the names of the lines."""
    return {line: attachment(reader, line, kind) for line, kind in ATTACHED.items()}


def _on_off(reader: Reader, name: str) -> Value[bool]:
    words = {"on": True, "off": False}
    given = value_in_force(reader, name, f"no_{name}")
    return reader.convert(given, words.__getitem__, "on or off")


def _vlan(reader: Reader, name: str) -> Value[int]:
    return whole(reader, value_in_force(reader, name, f"no_{name}"), LAST_VLAN, "VLAN", 1)


def _channel(reader: Reader) -> Value[str]:
    """`port-channel50` from `channel-group 50 [force] [mode active]`."""
    given = value_in_force(reader, "channel_group", "no_channel_group")
    number = whole(reader, given.map(lambda text: text.split()[0]), 4096, "channel-group", 1)
    return number.map(lambda found: f"port-channel{found}")


def _igp(reader: Reader) -> Value[tuple[str, ...]]:
    """Protocols that look for neighbours here; a process may still make all its ports passive."""
    passive = reader.switch(on="ospf_passive", off="ospf_active")
    ospf, isis = reader.text("ospf"), reader.text("isis")
    return protocols(
        ospf=ABSENT if passive.value else ospf, isis=ABSENT if reader.text("isis_passive") else isis
    )


def _allowed_vlans(reader: Reader) -> Value[frozenset[int]]:
    """VLANs of a trunk after all its lines (set, `add`, `remove`, `except`); no value: all."""
    lines = reader.all("allowed_vlans")
    resets = {value.position: value for value in reader.all("no_allowed_vlans")}
    allowed: frozenset[int] | None = None
    position = 0
    for value in sorted([*lines, *resets.values()], key=lambda value: value.position):
        position = value.position
        word, _, rest = (value.value or "").partition(" ")
        if position in resets or word == "all":
            allowed = None
        elif word == "none":
            allowed = frozenset()
        else:
            given = rest if word.isalpha() else value.value or ""
            listed = numbers(given, upto(LAST_VLAN))
            if listed is None:
                message = f"{value.value!r} is not a list of VLANs"
                reader.bad(message[:120], position)
                continue
            now = VLANS if allowed is None else allowed
            changed = {"add": now | listed, "remove": now - listed, "except": VLANS - listed}
            allowed = changed.get(word, listed)
    return Value(allowed, position) if allowed is not None else ABSENT


def _breakouts(reading: Reading) -> Iterator[tuple[str, Value[str]]]:
    """Ports that `interface breakout module M port P map X` splits, and their map."""
    for reader in reading.groups(CONFIG, "breakout"):
        module, ports, split = (reader.text(name) for name in ("module", "ports", "map"))
        for part in (ports.value or "").split(","):
            named = naming.expand(f"Ethernet{module.value}/{part.strip()}")
            if named.problem:
                reading.bad(named.problem, ports.position)
            for name in named.names:
                yield name, split
