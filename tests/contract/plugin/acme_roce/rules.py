"""Acme's own rule: its check, and where its page is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, device_check

PAGES = Path(__file__).parent / "pages"


@device_check("acme:mtu_not_stated")
def mtu_not_stated(device: Device, _given: Given[NoParams]) -> Iterator[Outcome]:
    """A port that is up leaves its MTU to the release."""
    for port in device.interfaces.values():
        if device.nos == "acme" and port.enabled and port.ip_mtu is None:
            yield Problem(
                f"{device.hostname} {port.name} states no MTU",
                "the MTU changes with the release",
                [port.where("ip_mtu")],
                device.hostname,
                (port.name,),
            )
