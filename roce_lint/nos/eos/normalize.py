"""Builds the Device of an EOS switch from its lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from roce_lint.model.device import Device, Limits, ParseNote
from roce_lint.model.interface import WIRED, Interface
from roce_lint.model.qos import PortQos, QosObjects, SystemQos, Trust
from roce_lint.model.sourced import Concern
from roce_lint.nos.access_lists import CISCO, AccessLists
from roce_lint.nos.copies import Copy, settle
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import SOURCE, Context
from roce_lint.nos.eos.lines import QosLines, read_lines
from roce_lint.nos.eos.maps import NAME, Maps, read_maps
from roce_lint.nos.eos.pfc import Pfc, Watchdog
from roce_lint.nos.eos.policies import Policies
from roce_lint.nos.eos.ports import (
    Port,
    PortDefaults,
    build_interface,
    mark_peer_links,
    read_port,
    read_port_defaults,
    read_ports,
    repeat,
)
from roce_lint.nos.eos.queues import Egress, read_buffers, read_pools
from roce_lint.nos.eos.routing import read_bgp
from roce_lint.nos.policies import read_policies
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.switch_ports import link_members

HEAD = 16 << 10
"""Characters at the start of a file that may name model and release."""

_DEVICE = re.compile(
    r"^! device: (?P<name>\S+) \((?P<model>[^,()\n]+), EOS-(?P<version>[^,()\s]++)[^\n]*\)",
    re.MULTILINE,
)
_HEADING = re.compile(r"show run(?:ning-config)?(?P<all> all)?\b")

VIRTUAL = re.compile(r"cEOS|vEOS", re.IGNORECASE)
"""Lab images, which refuse PFC, ECN and other lines that require hardware."""

PROFILE = "qos profile"
POLICY = "qos policy"

LIMITS = Limits(watchdog_polls=2, watchdog_adjusts=True)
"""EOS requires a polling interval of at most half the other watchdog times, and else computes one.
Times out of range are refused while they are read."""


def normalize(reading: Reading) -> Device:
    """Read one EOS switch."""
    context = _context(reading)
    device = _device(context)
    _routing(context, device)
    egress_buffers = read_buffers(context)
    device.pools = read_pools(context)
    non_ect = context.switch(on="allow_non_ect", off="no_allow_non_ect")
    by_fill = context.last("global_ecn")  # ECN marking by total buffer fill
    global_ecn = by_fill.text("thresholds").position if by_fill else 0
    maps = read_maps(context)
    profiles = _profiles(context)
    common = read_port_defaults(context)
    ports = read_ports(context)
    watchdog = Watchdog(context)
    lists = CISCO.read(reading, SOURCE)
    policies, egress = Policies(context, maps, lists), Egress(context, egress_buffers, global_ecn)
    pfc = Pfc(context)
    binder = _Binder(context, ports, profiles, maps, policies, egress, pfc, watchdog, lists)
    _interfaces(device, binder, common)
    has_qos = bool(profiles) or maps.known or any(not p.lines.is_empty for p in ports.values())
    device.qos = binder.objects()
    device.system = _system(context, watchdog, non_ect)
    device.system.has_qos = has_qos
    # A range of ports reads its lines once for each port.
    kept: dict[tuple[object, ...], ParseNote] = {}
    for note in reading.notes:
        kept.setdefault((note.kind, note.message, note.at.get("", 0)), note)
    reading.notes[:] = kept.values()
    return device


def _context(reading: Reading) -> Context:
    """First line and extent of the configuration, and its header comments."""
    named = next(reading.groups(SOURCE, "hostname"), None)
    context = Context(reading, begin=named.begin if named else 0)
    for entry in reading[SOURCE]:
        first = reading.src.files[entry.file].first
        head = entry.text.text[:HEAD]
        context.begin = context.begin or first + 1
        heading = _HEADING.search(head)
        context.spelled |= bool(heading and heading["all"])
        found = _DEVICE.search(head)
        if found is None:
            continue
        position = first + 1 + head.count("\n", 0, found.start())
        reading.take(position)
        context.whole = True
        context.model = Value(found["model"].strip(), position)
        context.version = Value(found["version"], position)
    context.whole |= named is not None
    context.begin = context.begin or 1
    return context


def _device(context: Context) -> Device:
    for reader in context.reading.groups(SOURCE, "hostname"):
        reader.text("hostname")
    families = {
        family: reader.text("on").position
        for group, family in (("ip_routing", "ipv4"), ("six_routing", "ipv6"))
        for reader in context.reading.groups(SOURCE, group)
    }
    line = context.last("lldp")
    lldp = context.default(defaults.LLDP_ON) if context.whole and line is None else ABSENT
    if line is not None:
        lldp = line.text("run").map(lambda text: not text.startswith("no"))
    forwards = context.default(defaults.NO_FORWARDING)
    if families:
        forwards = Value(frozenset(families), next(iter(families.values())))
    return context.reading.build(
        Device,
        context.begin,
        hostname=context.reading.hostname,
        nos=context.reading.nos,
        vendor="Arista",
        model=context.model,
        os_version=context.version,
        partial=not context.whole,
        forwards=forwards if context.whole else ABSENT,
        lldp=lldp,
        limits=LIMITS,
    )


def _routing(context: Context, device: Device) -> None:
    asn, peers = read_bgp(context)
    policies = read_policies(context.reading, SOURCE)
    if peers is not None:
        device.routing = peers.routing(
            context.reading, asn.position, whole=context.whole, policies=policies
        )
    put(device, asn=asn)


def _profiles(context: Context) -> dict[str, QosLines]:
    found = {}
    for name, reader in context.reading.define(SOURCE, "qos_profile", PROFILE):
        found[name] = read_lines(context, reader, profile=True)
        context.reading.refer(POLICY, found[name].policy)
    return found


def _interfaces(device: Device, binder: _Binder, common: PortDefaults) -> None:
    context = binder.context
    clean: set[str] = set()  # ports without notes: others may repeat them
    for name, port in list(binder.ports.items()):
        if port.copy is not None:
            if port.copy.of in clean:
                device.interfaces[name] = binder.repeat(port, port.copy, device.interfaces)
                continue
            port = binder.ports[name] = read_port(context, name, port.reader)  # noqa: PLW2901
        noted = len(context.reading.notes)
        port.reader.take()
        interface = build_interface(context, port, binder.ports, common)
        if port.kind in WIRED:
            interface.qos = binder.bind(port, interface)
        else:
            binder.pfc.of_port(port.reader, ())  # for example `no dcbx mode` on a management port
        both = (binder.ports.get(port.lag.value or ""), port)
        filters = [each.reader.all("filter") for each in both if each is not None]
        binder.lists.bind_lines(interface, chain.from_iterable(filters))
        device.interfaces[name] = interface
        if len(context.reading.notes) == noted:
            clean.add(name)
    binder.lists.spread(device.interfaces)
    link_members(device.interfaces)
    mark_peer_links(context, device.interfaces)


@dataclass(slots=True)
class _Binder:
    """Binds QoS to ports: the lines that apply, and the objects they make."""

    context: Context
    ports: dict[str, Port]
    profiles: dict[str, QosLines]
    maps: Maps
    policies: Policies
    egress: Egress
    pfc: Pfc
    watchdog: Watchdog
    lists: AccessLists

    def bind(self, port: Port, interface: Interface) -> PortQos:
        """QoS of a port: its lines, its profile's, its channel's, the channel's profile's."""
        begin = port.reader.begin
        profile, layers, complete = self._layers(port)
        for lines in layers:
            if lines.policy and not lines.profile and lines.begin == interface.at[""]:
                self.context.reading.refer(POLICY, lines.policy)
        if not complete:  # the profile or channel is in a file that is not here
            unknown = self.context.reading.build(PortQos, begin)
            if port.profile:
                unknown.at[Concern.PROFILE] = port.profile.position  # all that is known of it
            return unknown
        settle, default = self.context.settle, self.context.default
        usual = default(defaults.TRUST_ROUTED if interface.routed else defaults.TRUST_SWITCHED)
        usual = ABSENT if interface.routed is None else usual
        trust = settle("qos trust", [lines.trust for lines in layers], usual)
        cos = settle("qos cos", [lines.cos for lines in layers], default(defaults.PORT_COS))
        classifier, trust = self._classifier(layers, trust, cos, interface)
        default_tc = ABSENT
        if trust.value is Trust.NONE and classifier and cos.value is not None:
            made = self.policies.classifiers.get(classifier.value or "", self.maps.classifier)
            default_tc = Value(made.pcp_to_tc.get(cos.value), cos.position)
        one = default(defaults.ONE_MAP)
        return self.context.reading.build(
            PortQos,
            begin,
            trust=trust,
            classifier=classifier,
            forwarding=one if self.maps.known else ABSENT,
            pfc=self.pfc.of_port(port.reader, layers),
            egress=self.egress.bind(port.name, layers, profile),
            rewrite=one if self.maps.rewrite else ABSENT,
            watchdog=self.watchdog.of_port(begin, layers),
            default_pcp=cos,
            default_tc=default_tc,
        )

    def repeat(self, port: Port, copy: Copy, known: dict[str, Interface]) -> Interface:
        """Interface of a port that repeats the lines of a known one."""
        model = known[copy.of]
        if model.qos is not None:
            for kind, name in ((PROFILE, port.profile), (POLICY, port.lines.policy)):
                self.context.reading.refer(kind, Value(name.value, name.position + copy.by))
        settle(self.context.reading, copy)
        own = self.egress if port.lines.has_queues else None
        return repeat(port.name, copy, model, own)

    def objects(self) -> QosObjects:
        """The named objects that ports refer to."""
        found = QosObjects(
            policing=self.lists.found,
            classifiers=dict(self.policies.classifiers),
            egress=self.egress.policies,
            repeated=self.egress.repeated,
        )
        if self.maps.known:
            found.classifiers[NAME] = self.maps.classifier
            found.forwardings = {NAME: self.maps.forwarding}
        if self.maps.rewrite:
            found.rewrites = {NAME: self.maps.rewrite}
        return found

    def _layers(self, port: Port) -> tuple[Value[str], list[QosLines], bool]:
        """Profile in force, the sets of lines about a port, and whether all are present."""
        found: list[QosLines] = []
        profile = ABSENT
        complete = True
        channel = self.ports.get(port.lag.value or "")
        if port.lag and channel is None:
            complete = self.context.whole
        for each in (port, channel):
            if each is None:
                continue
            if not each.lines.is_empty:
                found.append(each.lines)
            name = each.profile
            if name.value is None:
                continue
            if each is port:
                self.context.reading.refer(PROFILE, name)
                if port.lag and complete:  # only that of its channel is in force
                    self.context.settle_lines([name.position], ())
                    continue
            if name.value in self.profiles:
                lines = self.profiles[name.value]
                if all(lines is not one for one in found):
                    found.append(lines)
                profile = profile or name
            else:  # elsewhere, or undefined (reported): its effect is unknown
                complete = False
        return profile, found, complete

    def _classifier(
        self, layers: list[QosLines], trust: Value[Trust], cos: Value[int], interface: Interface
    ) -> tuple[Value[str], Value[Trust]]:
        """Key of the classifier; a policy on the port wins over one in its profile."""
        policy = next((lines.policy for lines in layers if lines.policy), ABSENT)
        one = self.context.default(defaults.ONE_MAP) if self.maps.known else ABSENT
        if trust.value is None and not self.policies.decides(policy.value or ""):
            return ABSENT, trust  # which code point is looked at is not known
        if not policy:
            return one, trust
        name = policy.value or ""
        if name not in self.policies:
            return one if self.context.whole else ABSENT, trust
        key, looks_at = self.policies.classifier(name, trust.value, cos, tagged=interface.tagged)
        changed = trust if looks_at is trust.value else Value(looks_at, policy.position)
        return Value(key, policy.position), changed


def _system(context: Context, watchdog: Watchdog, non_ect: Value[bool]) -> SystemQos:
    killed = context.switch(on="pfc_killed", off="pfc_not_killed")
    if not killed and context.whole:
        killed = context.default(defaults.PFC_NOT_KILLED)
    return context.reading.build(
        SystemQos,
        context.begin,
        pfc_killed=killed,
        headroom=context.default(defaults.HEADROOM),
        watchdog=watchdog.of_device(),
        allow_non_ect=non_ect,
        qos_supported=context.model.map(lambda model: not VIRTUAL.search(model)) or Value(True),
    )
