"""Where findings stand: ports, links and devices with the gravest thing that is said of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from roce_lint.analysis.scope import wires
from roce_lint.engine.finding import Finding, Severity

if TYPE_CHECKING:
    from roce_lint.model.device import Device
    from roce_lint.pipeline import Report

State = Literal["broken", "warned", "unknown", "holds"]
"""What is said of a link, a device or a pair of NICs."""

Port = tuple[str, str]

_STATES: dict[Severity, State] = {
    Severity.ERROR: "broken",
    Severity.WARNING: "warned",
    Severity.INFO: "holds",
}


class PageFindings:
    """The findings of a page, numbered as they are listed, by port and by device."""

    def __init__(self, report: Report, findings: list[Finding]) -> None:
        self.findings = findings
        self.on_port: dict[Port, list[int]] = defaultdict(list)
        self.on_device: dict[str, list[int]] = defaultdict(list)
        fabric = report.fabric
        known = {} if fabric is None else fabric.devices
        for number, finding in enumerate(findings):
            for occurrence in finding.occurrences:
                self.on_device[occurrence.device].append(number)
                device = known.get(occurrence.device)
                if device is None:
                    continue
                for port in dict.fromkeys(_cables(device, occurrence.subjects)):
                    self.on_port[occurrence.device, port].append(number)

    def state(self, numbers: Iterable[int]) -> State:
        """The gravest of some findings; infos say nothing against a path."""
        worst = max((self.findings[n].severity for n in numbers), default=Severity.INFO)
        return _STATES[worst]

    def of_device(self, name: str) -> State:
        """What is said of a device."""
        return self.state(self.on_device.get(name, ()))

    def of_link(self, *ports: Port) -> list[int]:
        """Findings on either end of a link, in the order they are listed."""
        return sorted({n for port in ports for n in self.on_port.get(port, ())})

    def count(self, numbers: Iterable[int]) -> dict[str, int]:
        """Errors, warnings and infos among some findings."""
        counts = dict.fromkeys(("error", "warning", "info"), 0)
        for number in set(numbers):
            counts[self.findings[number].severity.label] += 1
        return counts


def _cables(device: Device, subjects: Iterable[str]) -> Iterator[str]:
    """The ports that subjects stand for: an RDMA device and a channel for those of their cables."""
    for subject in subjects:
        nic = device.nics.get(subject)
        names = wires(device, nic) if nic is not None else (subject,)
        for name in names:
            yield name
            port = device.interfaces.get(name)
            if port is not None:
                yield from port.members
