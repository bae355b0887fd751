"""Golden devices of an intent, or refusals of requirements that cannot be met."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import ip_interface

from roce_lint.catalog.profiles import files, profile
from roce_lint.design import device_list, numbers, tiers
from roce_lint.design.classes import DesignClass, classes_of
from roce_lint.design.layout import Layout, Loc, PlannedHost, PlannedPort, Refusals
from roce_lint.design.queues import DesignSpec, maps_of, port_qos
from roce_lint.design.switches import port_of, switch_of
from roce_lint.intent.read import Intent
from roce_lint.intent.schema import IntentMarking, IntentSchema
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import HeadroomModel, SystemQos
from roce_lint.text.source import Where

# Hosts: marking, PFC and CNPs of their network adapters.

ECT = 0b10
"""ECN-capable transport: ECN bits of packets that may be marked (RFC 3168)."""


def host_of(spec: DesignSpec, layout: Layout, planned: PlannedHost) -> Device:
    """The golden device of a host."""
    place = spec.at(*planned.keys)
    device = Device(
        hostname=planned.name,
        nos=planned.nos,
        role=Role.HOST,
        partial=True,
        qos=maps_of(spec, planned.offer),
        system=SystemQos(headroom=HeadroomModel.PLATFORM, src=spec.src),
        src=spec.src,
        at={"": place, "hostname": place},
    )
    # ECN marking is done by switches.
    adapter = replace(spec, classes=tuple(replace(each, marked=False) for each in spec.classes))
    for port in planned.ports.values():
        made = port_of(spec, port, planned.name)
        made.qos = port_qos(adapter, planned, port, device.qos)
        _add_gateway(spec, layout, port, made)
        device.interfaces[port.name] = made
        name = planned.rdma[port.name]
        device.nics[name] = _nic(spec, planned, name, port.name)
    for nic in device.nics.values():
        if nic.cma_tos is not None:
            device.environment["NCCL_IB_TC"] = str(nic.cma_tos)
            device.at["NCCL_IB_TC"] = nic.at["cma_tos"]
    for each in spec.classes:
        if each.flow in (Flow.DATA, Flow.CNP) and each.keys:
            dscps = each.dscps if each.flow is Flow.DATA else each.dscps[:1]
            device.emits += [_emission(spec, each, dscp) for dscp in dscps]
    return device


def _add_gateway(spec: DesignSpec, layout: Layout, port: PlannedPort, made: Interface) -> None:
    """The leaf at the other end, by its address in the network of the port."""
    if port.peer is None:
        return
    far = layout.port(port.peer)
    for address in far.addresses:
        gateway = ip_interface(address).ip
        if any(gateway in ip_interface(own).network for own in port.addresses):
            spec.put(made, *far.address_keys, gateway=str(gateway))


FORCED = ("nvidia",)
"""Families whose driver can force a traffic class onto all queue pairs."""

OWN_CNP_PRIORITY = ("nvidia", "broadcom")
"""Families with a priority of CNPs that is apart from the map of their DSCP."""


def _nic(spec: DesignSpec, planned: PlannedHost, name: str, port: str) -> Nic:
    place = spec.at(*planned.keys)
    nic = Nic(
        name=name,
        port=port,
        family=planned.kind.family,
        ethernet=True,
        roce_version=2,
        src=spec.src,
        at={"": place, "port": spec.at(*planned.keys, "ports")},
    )
    spec.put(nic, "rdma_payload", rdma_mtu=spec.schema.rdma_payload)
    data = _of(spec, Flow.DATA)
    if len(data) == 1:  # of several, applications choose
        tos = data[0].dscps[0] << 2 | ECT
        forced = tos if nic.family in FORCED else None
        spec.put(nic, *data[0].at("dscp"), cma_tos=tos, traffic_class=forced)
    marked = [each for each in data if each.marked]
    if marked:
        both = frozenset(each.number for each in marked)
        spec.put(nic, *marked[0].at("marked"), np_priorities=both, rp_priorities=both)
    for answer in _of(spec, Flow.CNP)[:1]:
        number = answer.number if nic.family in OWN_CNP_PRIORITY else None
        spec.put(nic, *answer.at("dscp"), cnp_dscp=answer.dscps[0], cnp_priority=number)
    return nic


def _of(spec: DesignSpec, flow: Flow) -> list[DesignClass]:
    return [each for each in spec.classes if each.flow is flow and each.keys]


def require_cnp_class(spec: DesignSpec) -> None:
    """Require one CNP class where a class uses ECN."""
    marked, answers = [each for each in _of(spec, Flow.DATA) if each.marked], _of(spec, Flow.CNP)
    if marked and not answers:
        spec.refusals.add(("classes",), "no class has flow: cnp, which ECN marking requires")
    for other in answers[1:]:
        spec.refusals.add(other.at("flow"), f"{answers[0].name} has flow cnp already")


def _emission(spec: DesignSpec, each: DesignClass, dscp: int) -> Emission:
    place = spec.at(*each.at("dscp"))
    return Emission(
        dscp=dscp,
        flow=each.flow,
        certainty=Certainty.STATED,
        by="intent",
        ect=ECT if each.flow is Flow.DATA else None,
        src=spec.src,
        at={"": place, "dscp": place},
    )


# The design.


@dataclass
class Design:
    """A required fabric: its layout, and golden devices, each made when it is needed."""

    intent: Intent
    layout: Layout
    classes: tuple[DesignClass, ...]
    spec: DesignSpec = field(repr=False)
    made: dict[str, Device] = field(default_factory=dict, repr=False)

    def device(self, name: str) -> Device:
        """The golden device of a name.

        Raises:
            KeyError: the layout has no such device.
        """
        if name not in self.made:
            self.made[name] = _device(self.spec, self.layout, name)
        return self.made[name]

    @cached_property
    def fabric(self) -> Fabric:
        """All golden devices and their links."""
        made, spec = Fabric(), self.spec
        for name in self.layout.names:
            made.devices[name] = self.device(name)
        for cable in self.layout.cables:
            a, b = (
                Endpoint(made.devices[device], made.devices[device].interfaces[port])
                for device, port in (cable.a, cable.b)
            )
            place = Where(spec.src, spec.at(*cable.keys))
            link = Link(
                a, b, LinkSource.PLAN, (place,), cable.cable_m, cable.speed_gbps, cable.rail
            )
            made.links.append(link)
            made.by_port[cable.a] = made.by_port[cable.b] = link
        return made


def design(intent: Intent) -> Design:
    """Make the golden devices of an intent.

    Raises:
        IntentError: requirements cannot be met; each has its line, the device or system, and the
            limit.
        LinksError: the cable plan that the intent names is wrong.
    """
    refusals = Refusals(dict.fromkeys(intent.faults))
    made = try_design(intent, refusals)
    if made is None:
        wrong = {str(key) for each in intent.faults for key in each.keys[:1]}
        found = [
            each
            for each in refusals.found
            if wrong.isdisjoint([str(each.keys[0]), *INPUTS.get(str(each.keys[0]), ())])
        ]
        raise intent.refusal([*intent.faults, *found])
    return made


INPUTS = {
    "fabric": ("hosts", "buffers"),
    "hosts": ("fabric",),
    "addressing": ("fabric", "hosts"),
    "classes": ("mode", "marking", "thresholds"),
    "max_lossless": ("classes",),
    "thresholds": ("marking",),
    "buffers": ("fabric", "hosts", "classes"),
    "watchdog": ("classes",),
    "balancing": ("fabric", "overrides"),
    "overrides": ("fabric", "hosts", "classes", "marking"),
}
"""Further keys of an intent that refusals of a key depend on."""


def try_design(intent: Intent, refusals: Refusals) -> Design | None:
    """Golden devices of an intent; None, with refusals, where a requirement cannot be met.

    Raises:
        LinksError: the cable plan that the intent names is wrong.
    """
    schema = intent.schema
    layout = _lay_out(intent, refusals)
    complete = not refusals.concern("fabric", "hosts")
    if complete and schema.fabric is not None:
        numbers.number(layout, schema.fabric, schema.addressing, refusals)
    numbers.override(layout, schema.overrides, refusals, complete=complete)
    if complete:
        numbers.require_unique_numbers(layout, refusals)
        _require_used_settings(schema, layout, refusals)
    classes = classes_of(schema, refusals)
    marking, keys = _marking(schema, refusals)
    spec = DesignSpec(schema, classes, marking, keys, intent.src, refusals)
    made = _first_devices(spec, layout)
    return None if refusals else Design(intent, layout, classes, spec, made)


def nics_of(intent: Intent) -> dict[str, dict[str, str]]:
    """RDMA devices that an intent names, by host and port; empty where its fabric is refused.

    Raises:
        LinksError: the cable plan that the intent names is wrong.
    """
    refusals = Refusals()
    layout = _lay_out(intent, refusals) if intent.schema.fabric is not None else Layout()
    return {} if refusals else {host.name: host.rdma for host in layout.hosts.values()}


def _lay_out(intent: Intent, refusals: Refusals) -> Layout:
    schema = intent.schema
    if schema.fabric is None:
        refusals.add(("fabric",), "fabric is missing: its devices are undefined")
        return Layout()
    if schema.fabric.devices:
        return device_list.lay_out(schema.fabric, schema.hosts, intent.path.parent, refusals)
    if schema.fabric.links:
        message = "fabric.links are for listed devices: fabric.devices is missing"
        refusals.add(("fabric", "links"), message)
    return tiers.lay_out(schema.fabric, schema.hosts, refusals)


def _marking(schema: IntentSchema, refusals: Refusals) -> tuple[tuple[IntentMarking, ...], Loc]:
    """ECN thresholds, and their path in the intent."""
    if schema.thresholds is None:
        return schema.marking, ("marking",)
    keys: Loc = ("thresholds", "profile")
    name = schema.thresholds.profile
    if schema.marking:
        refusals.add(keys, "thresholds.profile and marking exclude each other")
    known = sorted(files())
    if name not in known:
        refusals.unknown(keys, "unknown profile", name, known)
        return (), keys
    entries = profile(name).marking
    if not entries:
        refusals.add(keys, f"profile {name} states no thresholds")
    per_speed = [entry.speed_gbps for entry in entries]
    if len(set(per_speed)) != len(per_speed):
        refusals.add(keys, f"profile {name} has several thresholds for one speed: give marking")
    made = (IntentMarking.model_validate(entry, from_attributes=True) for entry in entries)
    return tuple(made), keys


def _require_used_settings(schema: IntentSchema, layout: Layout, refusals: Refusals) -> None:
    there = sorted({switch.nos for switch in layout.switches.values()})
    sized = [s for s in layout.switches.values() if s.offer.headroom is HeadroomModel.STATIC]
    if schema.buffers and not sized:
        refusals.add(
            ("buffers",), f"none of {', '.join(there)} has configurable buffers: leave them out"
        )
    numbered = any(switch.asn is not None for switch in layout.switches.values())
    if schema.balancing is not None and schema.balancing.max_paths is not None and not numbered:
        refusals.add(("balancing", "max_paths"), "max_paths requires BGP, and no switch has an asn")
    systems: list[tuple[Loc, str]] = [
        (("marking", number, "system"), each.system)
        for number, each in enumerate(schema.marking)
        if each.system is not None
    ]
    if schema.watchdog is not None:
        systems += [(("watchdog", "systems", name), name) for name in schema.watchdog.systems]
    for keys, name in systems:
        if name not in there:
            refusals.unknown(keys, "no switch of the design has the system", name, there)
    everywhere = sorted({*there, *(host.kind.system for host in layout.hosts.values())})
    for key, item in schema.classes.items():
        for name in item.systems.keys() - set(everywhere):
            at: Loc = ("classes", key, "systems", name)
            refusals.unknown(at, "no device of the design has the system", name, everywhere)


def _first_devices(spec: DesignSpec, layout: Layout) -> dict[str, Device]:
    """Devices with overrides and one of each kind: a refusal does not need the whole fabric, nor a
    complete one.
    """
    if layout.hosts:
        require_cnp_class(spec)
    kinds = {(each.nos, each.role): each.name for each in layout.switches.values()}
    types = {each.keys: each.name for each in layout.hosts.values()}
    names = {*kinds.values(), *types.values(), *spec.schema.overrides}
    return {each: _device(spec, layout, each) for each in names if layout.device(each)}


def _device(spec: DesignSpec, layout: Layout, name: str) -> Device:
    switch = layout.switches.get(name)
    return switch_of(spec, layout, switch) if switch else host_of(spec, layout, layout.hosts[name])
