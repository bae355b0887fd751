"""Golden devices of an intent, or refusals of requirements that cannot be met."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from roce_lint.catalog.profiles import files, profile
from roce_lint.design import device_list, numbers, tiers
from roce_lint.design.classes import DesignClass, classes_of
from roce_lint.design.layout import Layout, Loc, PlannedHost, Refusals
from roce_lint.design.queues import GOLDEN, DesignSpec, egress_of, maps_of, pfc_of
from roce_lint.design.switches import port_of, switch_of
from roce_lint.intent.read import Intent
from roce_lint.intent.schema import IntentMarking, IntentSchema
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import HeadroomModel, PortQos, QosObjects, ShareKind, SystemQos, Trust
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds
from roce_lint.text.source import Where

# Hosts: marking, PFC and CNPs of their network adapters.

ECT = 0b10
"""ECN-capable transport: ECN bits of packets that may be marked (RFC 3168)."""

_PAGE = "docs/nos/linux.md"

ADAPTER = Offer(
    port="",
    split="",
    loopback="lo",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.REMAINING,  # IEEE 802.1Qaz: shares of what strict classes leave
    unit=ThresholdUnit.BYTES,
    pmax_percent=Bounds("probability", 0, 100, _PAGE),
    ip_mtu=Bounds("mtu", 68, 65535, _PAGE, "bytes"),
    watchdog=WatchdogOffer(actions=frozenset(), source=_PAGE),
    headroom=HeadroomModel.PLATFORM,
    caps=True,
    source=_PAGE,
)
"""Settings of the eight priorities of an adapter (IEEE 802.1Q, data centre bridging)."""


def host_of(spec: DesignSpec, planned: PlannedHost) -> Device:
    """The golden device of a host."""
    place = spec.at(*planned.keys)
    device = Device(
        hostname=planned.name,
        nos=planned.kind.system,
        role=Role.HOST,
        partial=True,
        qos=maps_of(spec, ADAPTER),
        system=SystemQos(headroom=HeadroomModel.PLATFORM, src=spec.src),
        src=spec.src,
        at={"": place, "hostname": place},
    )
    for port in planned.ports.values():
        made = port_of(spec, port, planned.name)
        made.qos = _qos(spec, made, device.qos)
        device.interfaces[port.name] = made
        name = planned.rdma[port.name]
        device.nics[name] = _nic(spec, planned, name, port.name)
    for each in spec.classes:
        if each.flow in (Flow.DATA, Flow.CNP) and each.keys:
            dscps = each.dscps if each.flow is Flow.DATA else each.dscps[:1]
            device.emits += [_emission(spec, each, dscp) for dscp in dscps]
    return device


def _qos(spec: DesignSpec, port: Interface, objects: QosObjects) -> PortQos:
    """Maps, scheduling and PFC of an adapter; ECN marking is done by switches."""
    speed = port.speed_gbps or 0
    key = f"{speed:g}G"
    if key not in objects.egress:
        unmarked = [_unmarked_class(each) for each in spec.classes]
        adapter = DesignSpec(spec.schema, tuple(unmarked), (), (), spec.src, spec.refusals)
        objects.egress[key] = egress_of(adapter, ADAPTER, "linux", speed)
    names = ("", "trust", "classifier", "forwarding", "egress", "pfc")
    return PortQos(
        trust=Trust.DSCP,
        classifier=GOLDEN,
        forwarding=GOLDEN,
        egress=key,
        pfc=pfc_of(spec),
        src=spec.src,
        at={name: spec.at("classes") for name in names},
    )


def _unmarked_class(each: DesignClass) -> DesignClass:
    return DesignClass(
        each.name, each.flow, each.number, each.dscps, each.pcp, each.lossless,
        marked=False, strict=each.strict, share_percent=each.share_percent,
        cap_percent=each.cap_percent, keys=each.keys,
    )  # fmt: skip


def _nic(spec: DesignSpec, planned: PlannedHost, name: str, port: str) -> Nic:
    place = spec.at(*planned.keys)
    at: dict[Hashable, int] = {"": place, "port": spec.at(*planned.keys, "ports")}
    nic = Nic(
        name=name,
        port=port,
        family=planned.kind.family,
        ethernet=True,
        roce_version=2,
        src=spec.src,
        at=at,
    )
    if spec.schema.rdma_payload is not None:
        nic.rdma_mtu, at["rdma_mtu"] = spec.schema.rdma_payload, spec.at("rdma_payload")
    data = _of(spec, Flow.DATA)
    if len(data) == 1:  # of several, applications choose
        nic.traffic_class = data[0].dscps[0] << 2 | ECT
        nic.cma_tos = nic.traffic_class
        at["traffic_class"] = at["cma_tos"] = spec.at(*data[0].at("dscp"))
    marked = [each for each in data if each.marked]
    if marked:
        nic.np_priorities = nic.rp_priorities = frozenset(each.number for each in marked)
        at["np_priorities"] = at["rp_priorities"] = spec.at(*marked[0].at("marked"))
    for answer in _of(spec, Flow.CNP)[:1]:
        nic.cnp_dscp, nic.cnp_priority = answer.dscps[0], answer.number
        at["cnp_dscp"] = at["cnp_priority"] = spec.at(*answer.at("dscp"))
    return nic


def _of(spec: DesignSpec, flow: Flow) -> list[DesignClass]:
    return [each for each in spec.classes if each.flow is flow and each.keys]


def require_cnp_class(spec: DesignSpec) -> None:
    """Require one CNP class where a class uses ECN."""
    marked, answers = [each for each in _of(spec, Flow.DATA) if each.marked], _of(spec, Flow.CNP)
    if marked and not answers:
        message = "no class has flow: cnp, which ECN marking requires"
        spec.refusals.add(("classes",), message)
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


@dataclass(slots=True)
class Design:
    """A required fabric: golden devices, their links, and the layout."""

    intent: Intent
    layout: Layout
    fabric: Fabric
    classes: tuple[DesignClass, ...]


def design(intent: Intent) -> Design:
    """Make the golden devices of an intent.

    Raises:
        IntentError: requirements cannot be met; each has its line, the device or system, and the
            limit.
        LinksError: the cable plan that the intent names is wrong.
    """
    refusals = Refusals()
    made = try_design(intent, refusals)
    if made is None:
        raise intent.refusal(list(refusals.found))
    return made


def try_design(intent: Intent, refusals: Refusals) -> Design | None:
    """Golden devices of an intent; None, with refusals, where a requirement cannot be met.

    Raises:
        LinksError: the cable plan that the intent names is wrong.
    """
    schema = intent.schema
    layout = _lay_out(intent, refusals)
    if not refusals:
        fabric = schema.fabric
        if fabric is not None:
            numbers.number(layout, fabric, schema.addressing, refusals)
        numbers.override(layout, schema.overrides, refusals)
        numbers.require_unique_numbers(layout, refusals)
        _require_used_settings(schema, layout, refusals)
    classes = classes_of(schema, refusals)
    marking, keys = _marking(schema, refusals)
    if refusals:
        return None
    spec = DesignSpec(schema, classes, marking, keys, intent.src, refusals)
    made = _fabric(spec, layout)
    if refusals:
        return None
    return Design(intent, layout, made, classes)


def _lay_out(intent: Intent, refusals: Refusals) -> Layout:
    schema = intent.schema
    if schema.fabric is None:
        refusals.add((), "fabric is missing: its devices are undefined")
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
    made = (
        IntentMarking(
            speed_gbps=entry.speed_gbps,
            kmin_bytes=entry.kmin_bytes,
            kmax_bytes=entry.kmax_bytes,
            pmax_percent=entry.pmax_percent,
        )
        for entry in entries
    )
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
    for name in schema.watchdog.systems if schema.watchdog is not None else ():
        if name not in there:
            keys: Loc = ("watchdog", "systems", name)
            refusals.unknown(keys, "no switch of the design has the system", name, there)


def _fabric(spec: DesignSpec, layout: Layout) -> Fabric:
    """All golden devices and links; empty, with refusals, where a requirement cannot be met.

    One switch of each system and role is tried first: a refusal does not need the whole fabric.
    """
    made = Fabric()
    for switch in {(each.nos, each.role): each for each in layout.switches.values()}.values():
        switch_of(spec, layout, switch)
    if spec.refusals:
        return made
    for switch in layout.switches.values():
        made.devices[switch.name] = switch_of(spec, layout, switch)
    if layout.hosts:
        require_cnp_class(spec)
    for host in layout.hosts.values():
        made.devices[host.name] = host_of(spec, host)
    for cable in layout.cables:
        a, b = (
            Endpoint(made.devices[device], made.devices[device].interfaces[port])
            for device, port in (cable.a, cable.b)
        )
        place = Where(spec.src, spec.at(*cable.keys))
        link = Link(a, b, LinkSource.PLAN, (place,), cable.cable_m, cable.speed_gbps, cable.rail)
        made.links.append(link)
        made.by_port[cable.a] = made.by_port[cable.b] = link
    return made
