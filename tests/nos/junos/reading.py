"""Read a configuration given as text, for tests of single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device
from roce_lint.model.qos import PfcConfig, PortQos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.junos import NOS
from roce_lint.text.source import SourceFile

HOST = "set system host-name leaf1\n"
"""Makes a text a whole configuration, in which absent lines mean defaults; it is line 1."""

PORT = "set interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31\n"
"""A port that carries traffic; line 2 of what `whole` reads."""


def read(*texts: str, lldp: str | None = None) -> Device:
    """The device of one or several files; each text may be indented as a whole."""
    files = [
        IdentifiedFile(
            SourceFile.of(f"{number}.conf", textwrap.dedent(text).lstrip("\n")),
            NOS.by_source["configuration"],
        )
        for number, text in enumerate(texts)
    ]
    if lldp is not None:
        files.append(IdentifiedFile(SourceFile.of("lldp.txt", lldp), NOS.by_source["lldp"]))
    return read_device(NOS, "leaf1", files)


def whole(text: str) -> Device:
    """A whole configuration of `set` lines with one port; the text begins in line 3."""
    return read(HOST + PORT + textwrap.dedent(text).lstrip("\n"))


def cos(*statements: str) -> Device:
    """As `whole`, each line a statement below class-of-service."""
    return whole("".join(f"set class-of-service {line}\n" for line in statements))


def qos(device: Device, port: str = "et-0/0/0") -> PortQos:
    found = device.interfaces[port].qos
    assert found is not None
    return found


def pfc(device: Device, port: str = "et-0/0/0") -> PfcConfig:
    found = qos(device, port).pfc
    assert found is not None
    return found
