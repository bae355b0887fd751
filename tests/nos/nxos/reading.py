"""Read a configuration given as text, for tests of single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PortQos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.nxos import NOS
from roce_lint.text.source import SourceFile

N9K = "! Model: N9K-C9364D-GX2A\nhostname leaf1\n"
"""Makes a text a whole configuration of a Nexus 9000; two lines."""


def read(text: str, *, lldp: str | None = None, hostname: str = "leaf1") -> Device:
    """The device of a running configuration; the text may be indented as a whole."""
    files = []
    for name, content in (("running-config", text), ("lldp", lldp)):
        if content is not None:
            file = SourceFile.of(f"{name}.txt", textwrap.dedent(content).lstrip("\n"))
            files.append(IdentifiedFile(file, NOS.by_source[name]))
    return read_device(NOS, hostname, files)


def one(*lines: str, head: str = N9K) -> Interface:
    """Ethernet1/1 with these lines; with the usual head they begin at line 4."""
    device = read(head + "interface Ethernet1/1\n" + "".join(f"  {text}\n" for text in lines))
    return device.interfaces["Ethernet1/1"]


def qos(interface: Interface) -> PortQos:
    assert interface.qos is not None
    return interface.qos


def pfc(interface: Interface) -> PfcConfig:
    found = qos(interface).pfc
    assert found is not None
    return found
