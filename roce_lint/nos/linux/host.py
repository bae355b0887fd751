"""State of one host while it is read: statements of its files, and the port of an output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind, ParseNote, UnreadLine
from roce_lint.model.interface import Neighbor
from roce_lint.model.nic import AdapterPolicy, AddressPool
from roce_lint.nos.declare import Plane
from roce_lint.nos.heard import Heard, Places
from roce_lint.nos.linux.claims import Claims, Table, Witness
from roce_lint.nos.reading import ABSENT, Input, Value
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
"""Kinds of objects in outputs."""

NO_TOS = -1
"""ToS of a storage connection without a ToS, or with an unknown one."""


@dataclass(slots=True)
class Host(Places):
    """Target of the readers of single outputs."""

    claims: Claims
    neighbors: dict[str, list[Neighbor]] = field(default_factory=dict)
    os_version: Value[str] = ABSENT
    wrong_forms: set[tuple[int, str]] = field(default_factory=set)  # noted, by position
    unplaced: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Script settings of objects that only the script knows: position, tool, kind and field."""
    refused: list[tuple[ParseNote, str, tuple[str, ...]]] = field(default_factory=list)
    policies: list[AdapterPolicy] = field(default_factory=list)
    pools: list[AddressPool] = field(default_factory=list)

    def settle_refusals(self) -> None:
        """Note the port or RDMA device that lacks a setting because a line was refused, unless
        another line or output sets it.
        """
        for note, name, fields in self.refused:
            if not any(self.claims.has(kind, name, *fields) for kind in (PORT, NIC)):
                note.port = name

    def rdma_ports(self) -> list[str]:
        """Network interfaces of RDMA devices."""
        statements = [self.claims.values(NIC, nic, "port") for nic in self.claims.names(NIC)]
        return list(dict.fromkeys(str(value.value) for each in statements for _, value in each))

    def port_of(self, entry: Input) -> str | None:
        """Network interface of an output; noted if unknown.

        It is in the command line or the file name, else it is the host's only RDMA port.
        """
        return entry.args.get("port") or self._only(entry, self.rdma_ports(), "network interface")

    def nic_of(self, entry: Input) -> str | None:
        """RDMA device of an output; noted if unknown."""
        if nic := entry.args.get("nic"):
            return nic_name(nic, entry.args.get("number", "1"))
        return self._only(entry, self.claims.names(NIC), "RDMA device")

    def _only(self, entry: Input, names: list[str], what: str) -> str | None:
        if len(names) == 1:
            return names[0]
        self.note_unplaced(entry, what)
        return None

    def note_unplaced(self, entry: Input, what: str) -> None:
        """Note an output of an unknown device; its lines are understood but not assignable."""
        ref = self.reading.src.files[entry.file]
        for state in (LineState.CAPTURED, LineState.UNRECOGNISED):
            ref.states = ref.states.replace(bytes([state]), bytes([LineState.UNCLAIMED]))
        message = f"it does not say which {what} it is about: keep the `# command:` line, or use a"
        message += " file name that tells it (docs/nos/linux.md#forms-of-the-config)"
        self.reading.note(NoteKind.UNRECOGNISED, message, ref.first + 1)

    def note_open_settings(self) -> list[UnreadLine]:
        """Note once per file the script settings of unnamed devices, unless the same fields are
        known of every RDMA port or device of the host; returns their lines.
        """
        lines = []
        found: dict[int, tuple[int, str, dict[str, None]]] = {}
        for position, tool, kind, what in self.unplaced:
            names = self.rdma_ports() if kind == PORT else self.claims.names(NIC)
            if names and all(self.claims.has(kind, name, what) for name in names):
                continue
            file = self.reading.src.file_of(position)
            found.setdefault(file, (position, tool, {}))[2][what] = None
        for position, tool, fields in found.values():
            what = ", ".join(fields)
            message = f"{tool} sets {what} of devices that only the running script knows"
            self.reading.note(NoteKind.UNRECOGNISED, message, position)
            lines.append(UnreadLine(src=self.reading.src, at={"": position}, text=message))
        return lines

    def note_unread(self, entry: Input) -> None:
        """Note an output without any understood line, such as an error message."""
        ref, lines = self.reading.src.files[entry.file], lines_of(entry)
        positions = range(ref.first, ref.first + len(ref.states) + 1)
        noted = any(note.at.get("", 0) in positions for note in self.reading.notes)
        if lines and bytes([LineState.UNDERSTOOD]) not in ref.states and not noted:
            number, line = lines[0]
            message = f"nothing of this output is understood: {line[:60]}"
            self.reading.note(NoteKind.UNRECOGNISED, message, ref.first + number)

    def note_two_priorities(self, port: str, dscp: int, one: int, other: int, *at: int) -> None:
        """Note a DSCP that one output maps to two priorities."""
        self.note_two(port, f"DSCP {dscp} is mapped to priority {one} and {other}", *at)

    def note_two(self, port: str, message: str, *at: int) -> None:
        """Note two values in one output where there should be one."""
        self.claims.note(
            NoteKind.AMBIGUOUS, f"{port}: {message}; which one the NIC uses is not known", *at
        )

    def is_mlx5(self, port: str) -> bool:
        """Whether a port has an NVIDIA NIC: by its driver, else because mlnx_qos works on it."""
        for _, driver in self.claims.values(PORT, port, "driver"):
            return driver.value == "mlx5_core"
        return self.claims.has(PORT, port, "mlnx_qos works")

    def bad(self, message: str, position: int) -> None:
        """Note a line without a usable value."""
        self.reading.note(NoteKind.BAD_VALUE, message, position)

    def port(self, name: str, what: str, value: Value[Any], who: Witness) -> None:
        """Record a field of a network interface."""
        self.claims.state(PORT, name, what, value, who)

    def port_line(self, entry: Input, number: int, name: str, what: str, value: Any) -> None:
        """Record a field of a network interface stated on a line, which counts as read."""
        self.port(name, what, Value(value, self.line(entry, number)), witness(entry))

    def port_table(self, name: str, what: str, table: Table, who: Witness) -> None:
        """Record a map of a network interface."""
        self.claims.state_table(PORT, name, what, table, who)

    def nic(self, name: str, what: str, value: Value[Any], who: Witness) -> None:
        """Record a field of an RDMA device; if it names the port, also that of the port."""
        self.claims.state(NIC, name, what, value, who)
        if what == "port" and value.value:
            self.claims.state(PORT, str(value.value), "heard", Value(True, value.position), who)

    def hear(self, port: str, heard: Heard) -> Neighbor | None:
        """Attach a received neighbour to a port, once."""
        if not heard.device:
            return None
        neighbor = heard.build(self.reading)
        known = self.neighbors.setdefault(port, [])
        if neighbor not in known:
            known.append(neighbor)
        return neighbor


def witness(entry: Input) -> Witness:
    """Witness of an input: a live output by its command, a file by its name."""
    live = entry.source.plane is Plane.STATE
    name = entry.source.name if live else entry.text.name.rsplit("/", 1)[-1]
    return Witness(name, live, entry.file)


def nic_name(device: str, number: str | int = "1") -> str:
    """Name of an RDMA port: the device, with the port number unless it is the first."""
    return device if str(number) == "1" else f"{device}:{number}"


lines_of = Places.lines


def whole(text: str, low: int = 0, high: int = 1 << 31) -> int | None:
    """A whole number within bounds, decimal or 0x hexadecimal; None for anything else."""
    number = whole_literal(text)
    return number if number is not None and low <= number <= high else None
