"""Read a configuration given as text, for tests of single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.eos import NOS
from roce_lint.text.source import SourceFile

HOST = "hostname leaf1\n"
"""Makes a text a whole configuration, in which absent lines mean defaults; it is line 1."""


def read(text: str, *, lldp: str | None = None, hostname: str = "leaf1") -> Device:
    """The device of a running configuration; the text may be indented as a whole."""
    files = []
    for name, content in (("running-config", text), ("lldp", lldp)):
        if content is not None:
            file = SourceFile.of(f"{name}.txt", textwrap.dedent(content))
            files.append(IdentifiedFile(file, NOS.by_source[name]))
    return read_device(NOS, hostname, files)


def whole(text: str) -> Device:
    """The device of a whole configuration; line 1 is its name, the text begins in line 2."""
    return read(HOST + textwrap.dedent(text).lstrip("\n"))


def qos(device: Device, port: str = "Ethernet1") -> PortQos:
    found = device.interfaces[port].qos
    assert found is not None
    return found


def pfc(device: Device, port: str = "Ethernet1") -> PfcConfig:
    found = qos(device, port).pfc
    assert found is not None
    return found


def watchdog(device: Device, port: str = "Ethernet1") -> PfcWatchdog:
    found = qos(device, port).watchdog
    assert found is not None
    return found
