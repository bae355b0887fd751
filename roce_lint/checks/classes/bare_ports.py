"""Host ports without QoS beside equal ports with it."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.bare_ports import bare_ports
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check


@fabric_check("classes.bare_port")
def host_port_without_qos(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port that is used like its equals and carries none of their QoS, so nothing checks it."""
    for group in bare_ports(given.analysis):
        whole = len(group.bare) + len(group.equals)
        other, with_qos = group.equals[0]
        for device, port in group.bare:
            yield Problem(
                f"{device.hostname} {port.name} carries no QoS, as {len(group.bare)} of {whole} "
                f"ports like it, and {other.hostname} {with_qos.name} does",
                "RoCE behind it would be neither paused nor marked; its pairs are not checked",
                [port.where(), with_qos.where()],
                device.hostname,
                (port.name,),
                value=f"{len(group.bare)}/{whole}",
            )
