"""Golden hosts: what their network adapters mark, pause and answer."""

from __future__ import annotations

from collections.abc import Hashable

from roce_lint.design.classes import DesignClass
from roce_lint.design.layout import PlannedHost
from roce_lint.design.queues import GOLDEN, Wish, egress_of, maps_of, pfc_of
from roce_lint.design.switches import port_of
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import HeadroomModel, PortQos, QosObjects, ShareKind, SystemQos, Trust
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds

ECT = 0b10
"""ECN-capable transport: the low bits of a traffic class that may be marked (RFC 3168)."""

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
"""What the eight priorities of an adapter can be told (IEEE 802.1Q, data centre bridging)."""


def host_of(wish: Wish, planned: PlannedHost) -> Device:
    """The golden device of a host."""
    place = wish.at(*planned.keys)
    device = Device(
        hostname=planned.name,
        nos=planned.kind.system,
        role=Role.HOST,
        partial=True,
        qos=maps_of(wish, ADAPTER),
        system=SystemQos(headroom=HeadroomModel.PLATFORM, src=wish.src),
        src=wish.src,
        at={"": place, "hostname": place},
    )
    for port in planned.ports.values():
        made = port_of(wish, port, planned.name)
        made.qos = _qos(wish, made, device.qos)
        device.interfaces[port.name] = made
        name = planned.rdma[port.name]
        device.nics[name] = _nic(wish, planned, name, port.name)
    for each in wish.classes:
        if each.flow in (Flow.DATA, Flow.CNP) and each.keys:
            dscps = each.dscps if each.flow is Flow.DATA else each.dscps[:1]
            device.emits += [_emission(wish, each, dscp) for dscp in dscps]
    return device


def _qos(wish: Wish, port: Interface, objects: QosObjects) -> PortQos:
    """Maps, turns and pause of an adapter; marking is a matter of switches."""
    speed = port.speed_gbps or 0
    key = f"{speed:g}G"
    if key not in objects.egress:
        unmarked = [_unmarked_class(each) for each in wish.classes]
        adapter = Wish(wish.schema, tuple(unmarked), (), (), wish.src, wish.wanting)
        objects.egress[key] = egress_of(adapter, ADAPTER, "linux", speed)
    names = ("", "trust", "classifier", "forwarding", "egress", "pfc")
    return PortQos(
        trust=Trust.DSCP,
        classifier=GOLDEN,
        forwarding=GOLDEN,
        egress=key,
        pfc=pfc_of(wish),
        src=wish.src,
        at={name: wish.at("classes") for name in names},
    )


def _unmarked_class(each: DesignClass) -> DesignClass:
    return DesignClass(
        each.name, each.flow, each.number, each.dscps, each.pcp, each.lossless,
        marked=False, strict=each.strict, share_percent=each.share_percent,
        cap_percent=each.cap_percent, keys=each.keys,
    )  # fmt: skip


def _nic(wish: Wish, planned: PlannedHost, name: str, port: str) -> Nic:
    place = wish.at(*planned.keys)
    at: dict[Hashable, int] = {"": place, "port": wish.at(*planned.keys, "ports")}
    nic = Nic(
        name=name,
        port=port,
        family=planned.kind.family,
        ethernet=True,
        roce_version=2,
        src=wish.src,
        at=at,
    )
    if wish.schema.rdma_payload is not None:
        nic.rdma_mtu, at["rdma_mtu"] = wish.schema.rdma_payload, wish.at("rdma_payload")
    data = _of(wish, Flow.DATA)
    if len(data) == 1:  # of several, applications choose
        nic.traffic_class = data[0].dscps[0] << 2 | ECT
        nic.cma_tos = nic.traffic_class
        at["traffic_class"] = at["cma_tos"] = wish.at(*data[0].at("dscp"))
    marked = [each for each in data if each.marked]
    if marked:
        nic.np_priorities = nic.rp_priorities = frozenset(each.number for each in marked)
        at["np_priorities"] = at["rp_priorities"] = wish.at(*marked[0].at("marked"))
    for answer in _of(wish, Flow.CNP)[:1]:
        nic.cnp_dscp, nic.cnp_priority = answer.dscps[0], answer.number
        at["cnp_dscp"] = at["cnp_priority"] = wish.at(*answer.at("dscp"))
    return nic


def _of(wish: Wish, flow: Flow) -> list[DesignClass]:
    return [each for each in wish.classes if each.flow is flow and each.keys]


def see_that_marks_are_answered(wish: Wish) -> None:
    """Tell where hosts would answer marks by packets that no class is wanted for, or by several."""
    marked, answers = [each for each in _of(wish, Flow.DATA) if each.marked], _of(wish, Flow.CNP)
    if marked and not answers:
        message = "no class has flow: cnp, and hosts answer marks by such packets"
        wish.wanting.add(("classes",), message)
    for other in answers[1:]:
        wish.wanting.add(other.at("flow"), f"{answers[0].name} has flow cnp already")


def _emission(wish: Wish, each: DesignClass, dscp: int) -> Emission:
    place = wish.at(*each.at("dscp"))
    return Emission(
        dscp=dscp,
        flow=each.flow,
        certainty=Certainty.STATED,
        by="intent",
        ect=ECT if each.flow is Flow.DATA else None,
        src=wish.src,
        at={"": place, "dscp": place},
    )
