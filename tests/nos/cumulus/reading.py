"""Reads configurations given as text, for tests that look at single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos, Queue
from roce_lint.nos.cumulus import NOS
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.text.source import SourceFile

COMMANDS = "nvue-commands"
DOCUMENT = "nvue-yaml"
FLAT = "datapath"
INTERFACES = "interfaces"
NCLU = "nclu-commands"

PORT = "nv set interface swp1 ip address 10.0.0.0/31\n"
"""A routed port, in line 1."""


def read(*files: tuple[str, str]) -> Device:
    """The device of some files, each a source and its text, which may be indented as a whole."""
    found = []
    for number, (source, text) in enumerate(files):
        content = textwrap.dedent(text).lstrip("\n")
        file = SourceFile.of(f"{number}-{source}.txt", content)
        found.append(IdentifiedFile(file, NOS.by_source[source]))
    return read_device(NOS, "leaf1", found)


def commands(text: str) -> Device:
    """The device of `nv set` commands; line 1 is the routed port swp1, the text begins in line 2."""
    return read((COMMANDS, PORT + textwrap.dedent(text).lstrip("\n")))


def port(device: Device, name: str = "swp1") -> Interface:
    return device.interfaces[name]


def qos(device: Device, name: str = "swp1") -> PortQos:
    found = device.interfaces[name].qos
    assert found is not None
    return found


def pfc(device: Device, name: str = "swp1") -> PfcConfig:
    found = qos(device, name).pfc
    assert found is not None
    return found


def watchdog(device: Device, name: str = "swp1") -> PfcWatchdog:
    found = qos(device, name).watchdog
    assert found is not None
    return found


def queue(device: Device, number: int, name: str = "swp1") -> Queue:
    found = device.qos.egress[qos(device, name).egress or ""].queue(number)
    assert found is not None
    return found


def tc(device: Device, dscp: int, name: str = "swp1") -> int | None:
    """Switch priority of a trusted DSCP on a port."""
    return device.qos.classifiers[qos(device, name).classifier or ""].dscp_to_tc.get(dscp)


def flat(text: str) -> tuple[str, str]:
    """A flat QoS file, for `read`."""
    return FLAT, text
