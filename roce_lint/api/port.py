"""One port, and what it does with each code point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roce_lint.analysis.treatment import Treatment, treatment
from roce_lint.errors import UsageError
from roce_lint.model.units import DSCPS
from roce_lint.pipeline.diagnosis import BrokenStage, Diagnoses
from roce_lint.report import port_table

if TYPE_CHECKING:
    from roce_lint.model.device import Device
    from roce_lint.model.interface import Interface
    from roce_lint.pipeline.report import Report


@dataclass(slots=True, frozen=True)
class Port:
    """A port of a device that was read; `interface` is what its files state of it."""

    device: Device
    interface: Interface
    report: Report

    @property
    def name(self) -> str:
        """Its name, as its device calls it."""
        return self.interface.name

    @property
    def peer(self) -> str | None:
        """Device and port at the other end of its cable; None where that is not known."""
        link = self.report.fabric.link_of(*self._key) if self.report.fabric is not None else None
        if link is None:
            return None
        far = next(end for end in link.ends if end.key != self._key)
        return str(far)

    @property
    def judged(self) -> bool:
        """Whether it carries RoCE, as far as is known."""
        analysis = self.report.analysis
        return analysis is not None and analysis.port(*self._key) is not None

    @property
    def why(self) -> str:
        """Why it is judged, or is not."""
        analysis = self.report.analysis
        if analysis is None:
            return ""
        judged = analysis.port(*self._key)
        return judged.why if judged is not None else analysis.not_judged.get(self._key, "")

    def treatment(self, dscp: int) -> Treatment:
        """What it does with packets of a code point (0 to 63) as they arrive and leave.

        In the answer None means that nothing tells; each value has the places that decide it.

        Raises:
            RoceLintError: `dscp` is no code point.
        """
        if dscp not in DSCPS:
            raise UsageError(f"{dscp!r} is no DSCP: 0 to 63")
        return treatment(self.device, self.interface, dscp)

    def table(self) -> list[dict[str, Any]]:
        """What it does with all code points, as `roce-lint show --port` has it."""
        if self.report.excerpts is None:
            return []
        rows = port_table.table(self.device, self.interface, self.report.excerpts)
        return port_table.as_data(rows)

    def broken(self) -> list[BrokenStage]:
        """The stages of the RoCE and CNP classes that are broken on it, and which rules tell."""
        analysis, excerpts = self.report.analysis, self.report.excerpts
        judged = analysis.port(*self._key) if analysis is not None else None
        if analysis is None or excerpts is None or judged is None:
            return []
        diagnosed = Diagnoses(self.report, analysis, excerpts)
        classes = (*analysis.data_classes, *analysis.cnp_classes)
        return [each for traffic in classes for each in diagnosed.of_port(traffic, judged)]

    @property
    def _key(self) -> tuple[str, str]:
        return (self.device.hostname, self.interface.name)

    def __str__(self) -> str:
        return f"{self.device.hostname} {self.interface.name}"

    def __repr__(self) -> str:
        return f"<port {self}: {'judged' if self.judged else 'not judged'}>"
