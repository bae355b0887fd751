"""What hosts make of the MTU that their paths have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.result import JudgedPort
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check

SMALL = 1500
"""The MTU that hosts have by default; RDMA has payloads of 1024 bytes then."""

ENOUGH = 4200
"""IP MTU from which on RDMA has payloads of 4096 bytes, with room for every header."""


@fabric_check("mtu.hosts_below_path")
def hosts_using_small_part_of_mtu(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Every RoCE NIC of a network is at 1500 bytes, and every switch port carries far more."""
    nics: dict[int, list[JudgedPort]] = defaultdict(list)
    switches: dict[int, list[JudgedPort]] = defaultdict(list)
    for port in given.analysis.ports:
        (nics if port.device.is_host else switches)[port.network].append(port)
    for network, ports in nics.items():
        sizes = [port.interface.ip_mtu for port in ports]
        carried = [port.interface.ip_mtu for port in switches[network]]
        if not carried or None in sizes or None in carried:
            continue
        least = min(size for size in carried if size is not None)
        if any(size is not None and size > SMALL for size in sizes) or least < ENOUGH:
            continue
        by_device: dict[str, list[JudgedPort]] = defaultdict(list)
        for port in ports:
            by_device[port.device.hostname].append(port)
        for device, own in by_device.items():
            yield Problem(
                f"{device}: its RoCE NICs have an MTU of {own[0].interface.ip_mtu}, and every port "
                f"of the path carries {least}",
                "RDMA sends payloads of 1024 bytes where 4096 fit: four times the packets and "
                "the headers",
                [port.interface.where("ip_mtu") for port in own],
                device,
                tuple(port.interface.name for port in own),
                value=str(own[0].interface.ip_mtu),
                several=True,
            )
