"""RDMA devices of hosts and the ports in scope that they are cabled to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.cache import cached
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.model.device import Device
from roce_lint.model.nic import Emission, Nic


def nics_with_ports(
    analysis: Analysis, device: Device, names: tuple[str, ...] = ()
) -> Iterator[tuple[Nic, JudgedPort]]:
    """RDMA devices of a host with each of their ports in scope: all of them, or the named ones."""
    for nic in analysis.nics_of(device):
        for wire in wires(device, nic) if not names or nic.name in names else ():
            port = analysis.port(device.hostname, wire)
            if port is not None:
                yield nic, port


def ports_behind(
    analysis: Analysis, device: Device, names: tuple[str, ...] = ()
) -> list[JudgedPort]:
    """Ports in scope of a host's RDMA devices: of all of them, or of the named ones."""
    return [port for _, port in nics_with_ports(analysis, device, names)]


@cached
def _by_port(analysis: Analysis) -> dict[tuple[str, str], list[Nic]]:
    found: dict[tuple[str, str], list[Nic]] = defaultdict(list)
    for device, nic in analysis.roce_nics:
        for wire in wires(device, nic):
            found[device.hostname, wire].append(nic)
    return dict(found)


def nics_at(analysis: Analysis, port: JudgedPort) -> list[Nic]:
    """RDMA devices behind a host port; none at a switch."""
    return _by_port(analysis).get(port.key, []) if port.device.is_host else []


def emissions_by_port(analysis: Analysis, port: JudgedPort) -> list[Emission]:
    """Markings that a host sends through one of its ports."""
    names = {nic.name for nic in nics_at(analysis, port)}
    return [
        emission
        for emission in (port.device.emits if names else ())
        if not emission.nics or names.intersection(emission.nics)
    ]
