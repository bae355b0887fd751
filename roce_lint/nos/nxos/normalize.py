"""From the records of an NX-OS switch to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits
from roce_lint.model.qos import HeadroomModel, PfcWatchdog, SystemQos, WatchdogAction
from roce_lint.nos.nxos import defaults
from roce_lint.nos.nxos.binding import read_system
from roce_lint.nos.nxos.extent import extent_of
from roce_lint.nos.nxos.interfaces import Builder, Switching
from roce_lint.nos.nxos.overlay import add_tunnels
from roce_lint.nos.nxos.pause import Watchdog, read_watchdog
from roce_lint.nos.nxos.platform import platform_of
from roce_lint.nos.nxos.ports import read_ports
from roce_lint.nos.nxos.routing import read_bgp, read_hash
from roce_lint.nos.nxos.stanzas import CONFIG, configuration_records
from roce_lint.nos.policies import read_policies
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import value_in_force
from roce_lint.text.records import merge

LAST_DSCP = 63
"""The highest code point (RFC 2474): it has six bits."""

LONGEST_CABLE_M = 100.0
"""Metres of cable that need no stated pause buffer (docs/nos/nxos.md, pause and watchdog)."""

QOS_GROUPS = ("class_map", "qos_policy", "network_qos_policy", "queuing_policy", "system_qos")
"""Records that are the QoS part of a configuration."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    names = _all(reading, "hostname", "hostname")
    versions = _all(reading, "version", "version")
    platform = platform_of(
        reading,
        _all(reading, "boot", "boot"),
        versions[-1].map(lambda text: text.split()[0]) if versions else ABSENT,
    )
    _all(reading, "feature", "feature")  # of lines that need it; what is configured shows in those
    extent = extent_of(reading, named=bool(names or versions))
    watchdog = read_watchdog(reading)
    system = read_system(reading, platform, watchdog, extent)
    ports = read_ports(reading)
    builder = Builder(reading, ports, system, platform, _switching(reading), extent)
    interfaces = builder.build()
    add_tunnels(reading, interfaces)
    asn, peers = read_bgp(reading)
    policies = read_policies(reading, CONFIG)
    device = reading.build(
        Device,
        _begin(reading, names, versions),
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Cisco",
        model=platform.model,
        os_version=platform.os_version,
        asn=asn,
        routing=peers.routing(reading, asn.position, whole=extent.device, policies=policies)
        if peers
        else None,
        partial=not extent.device,
        balancing=read_hash(reading),
        interfaces=interfaces,
        qos=system.objects,
        system=_system_qos(reading, watchdog),
        limits=Limits(headroom_cable_m=LONGEST_CABLE_M),
    )
    if names:
        device.at["hostname"] = names[-1].position
    return device


def _all(reading: Reading, group: str, variable: str) -> list[Value[str]]:
    """Every capture of a one-line group."""
    return [
        value
        for record in configuration_records(reading, group)
        for value in Reader(record, reading).all(variable)
    ]


def _begin(reading: Reading, *candidates: list[Value[str]]) -> int:
    """Where the device begins: its name, its release, else the first line of the first file."""
    for values in candidates:
        if values:
            return values[0].position
    return reading.src.files[0].first + 1 if reading.src.files else 0


def _switching(reading: Reading) -> Switching:
    """Global lines about ports; the last of each kind holds."""

    def last(group: str, on: str, off: str) -> Value[bool]:
        records = configuration_records(reading, group)
        return Reader(merge(records), reading).switch(on=on, off=off) if records else ABSENT

    tag_native = _all(reading, "tag_native", "tag_native")
    return Switching(
        routed=last("default_switchport", "no_default_switchport", "default_switchport"),
        up=last("default_shutdown", "no_default_shutdown", "default_shutdown"),
        tag_native=tag_native[-1].map(lambda _: True) if tag_native else ABSENT,
    )


def _system_qos(reading: Reading, watchdog: Watchdog) -> SystemQos:
    if not reading[CONFIG]:
        return SystemQos(src=reading.src)  # neighbours alone
    has_qos = any(configuration_records(reading, group) for group in QOS_GROUPS)
    own_dscp = _own_dscp(reading)
    drops: Value[WatchdogAction] = reading.default(defaults.WATCHDOG_DROPS)
    return SystemQos(
        src=reading.src,
        headroom=HeadroomModel.PLATFORM,
        watchdog=reading.build(
            PfcWatchdog,
            max(watchdog.enabled.position, 0),
            enabled=watchdog.enabled,
            polling_ms=watchdog.interval,
            detection_ms=watchdog.times(watchdog.shutdown),
            restoration_ms=watchdog.times(watchdog.restore),
            action=drops,
        ),
        has_qos=has_qos,
        own_dscp=own_dscp.value,
        at={"own_dscp": own_dscp.position} if own_dscp.position else {},
    )


def _own_dscp(reading: Reading) -> Value[int]:
    """What the switch marks all packets with that it sends itself; the last line counts."""
    found: Value[int] = ABSENT
    for record in configuration_records(reading, "own_dscp"):
        reader = Reader(record, reading)
        given = value_in_force(reader, "own_dscp", "no_own_dscp")
        found = whole(reader, given, LAST_DSCP, "DSCP")
    return found
