"""One host while it is read: what its files state so far, and which port an output speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind, ParseNote, UnreadLine
from roce_lint.model.interface import Neighbor
from roce_lint.model.nic import AdapterPolicy, AddressPool
from roce_lint.nos.base import Plane
from roce_lint.nos.heard import Heard
from roce_lint.nos.linux.claims import Claims, Witness
from roce_lint.nos.linux.tables import Table
from roce_lint.nos.places import Places
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_literal
from roce_lint.text.source import LineState

PORT = "port"
NIC = "nic"
GID = "gid"
PCI = "pci"
ENVIRONMENT = "environment"
KERNEL = "kernel"
MODULE = "module"
STORAGE = "storage"
AGENT = "LLDP agent"
"""Kinds of things that outputs speak of."""

UNASKED = -1
"""The ToS of a connection of storage that asks for none, or for what is not known."""


@dataclass(slots=True)
class Host(Places):
    """What the readers of single outputs fill."""

    claims: Claims
    neighbors: dict[str, list[Neighbor]] = field(default_factory=dict)
    os_version: Value[str] | None = None
    wrong_forms: set[tuple[int, str]] = field(default_factory=set)  # noted, by position
    unplaced: list[tuple[int, str, str, str]] = field(default_factory=list)
    """What scripts set of things whose names only they know: position, tool, kind and field."""
    refused: list[tuple[ParseNote, str, tuple[str, ...]]] = field(default_factory=list)
    policies: list[AdapterPolicy] = field(default_factory=list)
    pools: list[AddressPool] = field(default_factory=list)

    def settle_refusals(self) -> None:
        """Name in a remark the port or RDMA device that a refused line leaves without its setting:
        no other line and no output has one.
        """
        for note, name, fields in self.refused:
            if not any(self.claims.knows(kind, name, *fields) for kind in (PORT, NIC)):
                note.port = name

    def rdma_ports(self) -> list[str]:
        """Network interfaces that an RDMA device is known to use."""
        said = [self.claims.values(NIC, nic, "port") for nic in self.claims.names(NIC)]
        return list(dict.fromkeys(str(value.value) for each in said for _, value in each))

    def port_of(self, entry: Input) -> str | None:
        """The network interface an output speaks of; noted where it cannot be told.

        The command line or the file name says it. Without either it can only be the host's one
        RDMA port.
        """
        port = entry.args.get("port")
        if port:
            return port
        ports = self.rdma_ports()
        if len(ports) == 1:
            return ports[0]
        self.note_unplaced(entry, "network interface")
        return None

    def nic_of(self, entry: Input) -> str | None:
        """The RDMA device an output speaks of; noted where it cannot be told."""
        nic = entry.args.get("nic")
        if nic:
            return nic_name(nic, entry.args.get("number", "1"))
        nics = self.claims.names(NIC)
        if len(nics) == 1:
            return nics[0]
        self.note_unplaced(entry, "RDMA device")
        return None

    def note_unplaced(self, entry: Input, what: str) -> None:
        """Note that an output does not say whose it is, and nothing about its single lines: what
        they say is understood, only not of whom.
        """
        ref = self.reading.src.files[entry.file]
        for state in (LineState.CAPTURED, LineState.UNRECOGNISED):
            ref.states = ref.states.replace(bytes([state]), bytes([LineState.UNCLAIMED]))
        self.reading.note(
            NoteKind.UNRECOGNISED,
            f"it does not say which {what} it is about: keep the `# command:` line, or use a file"
            " name that tells it (docs/nos/linux.md#forms-of-the-config)",
            ref.first + 1,
        )

    def note_open_settings(self) -> list[UnreadLine]:
        """Note, once a file, what scripts set of devices without a known name, unless the same is
        known of every RDMA port or device of the host; with the lines that leave it open.
        """
        lines = []
        found: dict[int, tuple[int, str, dict[str, None]]] = {}
        for position, tool, kind, what in self.unplaced:
            names = self.rdma_ports() if kind == PORT else self.claims.names(NIC)
            if names and all(self.claims.knows(kind, name, what) for name in names):
                continue
            file = self.reading.src.file_of(position)
            found.setdefault(file, (position, tool, {}))[2][what] = None
        for position, tool, fields in found.values():
            message = (
                f"{tool} sets {', '.join(fields)} of devices that only the running script knows"
            )
            self.reading.note(NoteKind.UNRECOGNISED, message, position)
            lines.append(UnreadLine(src=self.reading.src, at={"": position}, text=message))
        return lines

    def note_unread(self, entry: Input) -> None:
        """Note that nothing of an output was understood, such as the words of a refusal."""
        ref = self.reading.src.files[entry.file]
        lines = lines_of(entry)
        told = range(ref.first, ref.first + len(ref.states) + 1)
        if not lines or bytes([LineState.UNDERSTOOD]) in ref.states:
            return
        if not any(note.at.get("", 0) in told for note in self.reading.notes):
            number, line = lines[0]
            message = f"nothing of this output is understood: {line[:60]}"
            self.reading.note(NoteKind.UNRECOGNISED, message, ref.first + number)

    def is_mlx5(self, port: str) -> bool:
        """Whether an NVIDIA NIC is behind a port: its driver says so, else mlnx_qos works on it."""
        driver = self.claims.values(PORT, port, "driver")
        if driver:
            return driver[0][1].value == "mlx5_core"
        return self.claims.knows(PORT, port, "mlnx_qos works")

    def port(self, name: str, what: str, value: Value[Any], who: Witness) -> None:
        """`who` states a field of a network interface."""
        self.claims.say(PORT, name, what, value, who)

    def port_table(self, name: str, what: str, table: Table, who: Witness) -> None:
        """`who` states a map of a network interface."""
        self.claims.say_table(PORT, name, what, table, who)

    def nic(self, name: str, what: str, value: Value[Any], who: Witness) -> None:
        """`who` states a field of an RDMA device; one that names its port tells of that too."""
        self.claims.say(NIC, name, what, value, who)
        if what == "port" and value.value:
            self.claims.say(PORT, str(value.value), "heard", Value(True, value.position), who)

    def hear(self, port: str, heard: Heard) -> Neighbor | None:
        """Attach what was heard to a port, once."""
        if not heard.device:
            return None
        neighbor = heard.build(self.reading)
        known = self.neighbors.setdefault(port, [])
        if neighbor not in known:
            known.append(neighbor)
        return neighbor


def witness(entry: Input) -> Witness:
    """The witness that an input is: a live output by its command, a file by its own name."""
    live = entry.source.plane is Plane.STATE
    name = entry.source.name if live else entry.text.name.rsplit("/", 1)[-1]
    return Witness(name, live, entry.file)


def nic_name(device: str, number: str | int = "1") -> str:
    """Name of an RDMA port: the device, with the port number where it is not the first."""
    return device if str(number) == "1" else f"{device}:{number}"


lines_of = Places.lines


def whole(text: str, low: int = 0, high: int = 1 << 31) -> int | None:
    """A whole number within bounds, decimal or 0x hexadecimal; None for anything else."""
    number = whole_literal(text)
    return number if number is not None and low <= number <= high else None
