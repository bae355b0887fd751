"""Acme switches, for roce-lint."""

from __future__ import annotations

from pathlib import Path

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Ignored, Section, Signature, Source
from roce_lint.nos.reading import Reading


def normalize(reading: Reading) -> Device:
    """The device a configuration describes."""
    interfaces = {}
    for name, port in reading.merge("config", "port", "name"):
        port.take()
        interfaces[name] = port.build(
            Interface,
            name=name,
            ip_mtu=port.integer("mtu"),
            enabled=port.switch(on="up", off="down"),
        )
    names = [system.text("hostname") for system in reading.groups("config", "system")]
    return reading.build(
        Device,
        names[0].position if names else 1,
        hostname=reading.hostname,
        nos="acme",
        vendor="Acme",
        interfaces=interfaces,
    )


NOS = Nos(
    name="acme",
    title="Acme OS",
    sources=(
        Source(
            "config",
            Form.INDENTED,
            command=r"acmectl dump",
            signatures=(Signature(r"^acme-os \d+", 10, "first line of Acme OS"),),
            sections=(
                Section("port", header=r"port "),
                Section("system", header=r"system-name "),
            ),
            ignored=(Ignored(r"colour ", "for the eye only"),),
            comment=r"#",
            base=True,
            hostname=r"^system-name (?P<name>\S+)",
        ),
    ),
    normalize=normalize,
    templates=Path(__file__).parent / "templates",
)
