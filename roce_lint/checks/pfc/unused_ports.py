"""PFC on ports without a lossless class, from where it can stop other ports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign
from roce_lint.analysis.scope import OFF_PATH_ROLES, WIRES
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, at_port, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Flow
from roce_lint.model.qos import PfcConfig, PfcMode
from roce_lint.model.units import ranges


class OddParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `pfc.off_path`."""

    equals: int = Field(default=3, ge=2)
    """Fewest ports of the network without PFC."""
    share: float = Field(default=0.75, gt=0.5, le=1)
    """Smallest share of ports without PFC."""


@fabric_check("pfc.off_path", params=OddParams)
def pfc_on_port_without_roce(fabric: Fabric, given: Given[OddParams]) -> Iterator[Outcome]:
    """A port has PFC on, but no lossless class uses it."""
    analysis = given.analysis
    if any(planned.lossless and planned.flow is not Flow.DATA for planned in given.plan.classes):
        return  # another lossless class of the site may use any port
    networks: dict[int, list[JudgedPort]] = defaultdict(list)
    for port in analysis.switch_ports():
        networks[port.network].append(port)
    for ports in networks.values():
        yield from _nowhere(analysis, ports, given.params)
    for device in fabric.devices.values():
        if device.is_host or device.system.pfc_killed or not analysis.ports_of(device):
            continue
        for interface in device.interfaces.values():
            if (device.hostname, interface.name) in analysis.not_judged:
                yield from _outside_the_fabric(analysis, device, interface)


def _nowhere(analysis: Analysis, ports: list[JudgedPort], params: OddParams) -> Iterator[Problem]:
    """Few ports have PFC in a network whose known design is without PFC.

    Where many do, the design is not the known one.
    """
    classes = [traffic for traffic in analysis.data_classes if not traffic.assumed]
    modes = [analysis.mode(traffic, ports[0]) for traffic in classes]
    if not modes or any(mode.pfc is not PfcDesign.NOWHERE for mode in modes):
        return
    found = [
        (port, pfc)
        for port in ports
        if not port.device.system.pfc_killed
        and (pfc := _pauses(port.device, port.interface)) is not None
    ]
    others = len(ports) - len(found)
    if others < params.equals or others < params.share * len(ports):
        return
    for port, pfc in found:
        yield Problem(
            f"{port} has PFC on for {_label(pfc)}, but RoCE runs without PFC in this network",
            "probably a leftover: PFC sent or received here stops ports of a fabric designed "
            "for ECN without PFC",
            [_line(pfc)],
            *at_port(port),
            value=_spell(pfc),
        )


def _outside_the_fabric(
    analysis: Analysis, device: Device, interface: Interface
) -> Iterator[Problem]:
    """Whether the port certainly leads to devices without RoCE."""
    peer = analysis.fabric.peer(device.hostname, interface.name)
    pfc = _pauses(device, interface)
    if pfc is None or peer is None or interface.enabled is False or interface.peer_link:
        return
    if peer.device.is_host:
        host = peer.device
        if (
            not host.nics
            or host.nics_partial
            or any(nic.port == peer.interface.name for nic in host.nics.values())
        ):
            return  # it may be the port of an RDMA device that the captures do not show
        where = "not a port of an RDMA device"
    elif peer.device.role in OFF_PATH_ROLES and device.role not in OFF_PATH_ROLES:
        where = f"a {peer.device.role.value} switch"
    else:
        return
    yield Problem(
        f"{device.hostname} {interface.name} has PFC on for {_label(pfc)} towards {peer} ({where})",
        "no RoCE uses this port, but PFC received here stops queues of the switch and can spread "
        "through the fabric",
        [_line(pfc)],
        device.hostname,
        (interface.name,),
        value=_spell(pfc),
        severity=Severity.INFO,
    )


def _pauses(device: Device, interface: Interface) -> PfcConfig | None:
    """PFC of a port that lines enable for other priorities than the stock configuration."""
    qos = interface.qos
    pfc = qos.pfc if qos is not None and interface.kind in WIRES else None
    stock = device.limits.stock_pfc_priorities or frozenset()
    if pfc is None or not pfc.generate or pfc.mode is not PfcMode.ON or pfc.generate <= stock:
        return None
    return pfc if pfc.stated("generate") or pfc.stated("mode") else None


def _label(pfc: PfcConfig) -> str:
    return label_priorities(pfc.generate or frozenset())


def _spell(pfc: PfcConfig) -> str:
    return ranges(pfc.generate or frozenset())


def _line(pfc: PfcConfig) -> Where:
    """Line that makes a priority no-drop, else the line that enables PFC."""
    named = [n for n in sorted(pfc.generate or ()) if pfc.at.get(n, 0) > 0]
    if named:
        return pfc.where(named[0])
    return pfc.where("generate" if pfc.stated("generate") else "mode")
