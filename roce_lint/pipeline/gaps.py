"""Missing inputs of a report: by unknown, and the reason for a missing RoCE class."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.analysis.missing_switches import lack_of, missing_device
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.units import ranges
from roce_lint.pipeline.report import Report
from roce_lint.text.names import compress
from roce_lint.text.numbers import count


@dataclass(slots=True)
class Gap:
    """A missing input, and everything that it would decide."""

    words: str
    lacked: set[str] = field(default_factory=set)  # devices that are not in the folder
    ports: set[tuple[str, str]] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    of_hosts: bool = True  # only a host, or the peer of a port, decides it

    @property
    def name(self) -> str:
        """Text of the input."""
        return lack_of("") + compress(self.lacked) if self.lacked else self.words

    @property
    def breadth(self) -> str:
        """Extent of the gap."""
        if self.ports:
            return count(len(self.ports), "port")
        return count(len(self.devices), "device") if self.devices else "the fabric"


def collect_gaps(report: Report) -> list[Gap]:
    """Unknowns by missing input, widest first.

    The configurations of devices that are not in the folder are one input: they may be hundreds.
    """
    by_input: dict[str, Gap] = {}
    for unknown in report.unknowns:
        words = " ".join(unknown.missing.split())
        device = missing_device(words)
        found = by_input.setdefault("" if device else words, Gap(words))
        if device:
            found.lacked.add(device)
        found.ports.update((unknown.device, subject) for subject in unknown.subjects)
        found.rules.add(unknown.rule)
        found.of_hosts = found.of_hosts and unknown.tells != ""
        if unknown.device:
            found.devices.add(unknown.device)
    return sorted(by_input.values(), key=lambda g: (-len(g.ports), -len(g.devices), g.name))


def no_class_reason(analysis: Analysis | None) -> str:
    """Reason that no RoCE class was found."""
    why = "no port in scope has a lossless class"
    if analysis is not None and analysis.tagged:
        tags = ranges(list(analysis.tagged))
        why = f"lossless traffic is identified by 802.1p priority ({tags}), not by DSCP"
    elif analysis is not None and any(_pauses(port) for port in analysis.ports):
        why = "no DSCP maps to a class with PFC"
    unplaced = [] if analysis is None else _marks_without_place(analysis)
    stated = "no host states one"
    if unplaced:
        stated = f"the RDMA devices of hosts with DSCP {ranges(unplaced)} are unknown (rdma link)"
    return f"No RoCE class was found: {stated}, and {why}."


def _marks_without_place(analysis: Analysis) -> list[int]:
    """DSCPs of RDMA data configured on hosts without a known RoCE NIC."""
    placed = {device.hostname for device, _ in analysis.roce_nics}
    found = {
        emission.dscp
        for device in analysis.fabric.devices.values()
        if device.hostname not in placed
        for emission in device.emits
        if emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
    }
    return sorted(found)


def _pauses(port: JudgedPort) -> bool:
    qos = port.interface.qos
    return qos is not None and qos.pfc is not None and bool(qos.pfc.generate)
