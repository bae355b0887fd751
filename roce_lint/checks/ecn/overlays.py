"""Congestion marks that an overlay loses."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, device_check


@device_check("ecn.lost_in_overlay")
def ecn_lost_in_overlay(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A tunnel end does not carry congestion marks between inner and outer header."""
    if not any(given.analysis.mode(t, p).marking for t, p in _pairs(given.analysis, device)):
        return
    for port in device.interfaces.values():
        tunnel = port.tunnel
        if tunnel is not None and tunnel.ecn_copied is False and port.enabled is not False:
            yield Problem(
                f"{device.hostname} {port.name} does not carry ECN between the headers of its "
                "overlay",
                "marks that the fabric sets on the outer header are lost where the tunnel ends: "
                "no ECN signal reaches the senders inside it",
                [tunnel.where("ecn_copied")],
                device.hostname,
                (port.name,),
            )


def _pairs(analysis: Analysis, device: Device) -> Iterator[tuple[RoceClass, JudgedPort]]:
    for traffic in analysis.data_classes:
        for port in analysis.ports_of(device):
            yield traffic, port
