"""Reads configurations given as text, for tests that look at single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos, Queue
from roce_lint.model.sourced import Sourced
from roce_lint.nos.cumulus import NOS
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.text.source import LineState, Origin, SourceFile

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
        found.append(Identified(file, NOS.by_source[source]))
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
    """The switch priority that a port gives a DSCP it trusts."""
    return device.qos.classifiers[qos(device, name).classifier or ""].dscp_to_tc.get(dscp)


def line(item: Sourced, name: object = "") -> int:
    """Number of the line that states a field; 0 for a default or for nothing."""
    where = item.where(name)
    return item.src.line_of(where.position) if where.origin is Origin.STATED else 0


def says(item: Sourced, name: object) -> str | None:
    """The words of the default that stands for a field."""
    citation = item.where(name).citation
    return citation.says if citation else None


def notes(device: Device, kind: NoteKind = NoteKind.BAD_VALUE) -> list[tuple[int, str]]:
    """Lines and messages of the notes of one kind."""
    return [(line(note), note.message) for note in device.notes if note.kind is kind]


def states(device: Device, state: LineState, file: int = 0) -> list[int]:
    """Numbers of the lines of a file in a state."""
    return [n for n, found in enumerate(device.src.files[file].states, 1) if found == state]
