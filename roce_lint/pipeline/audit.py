"""A run over a snapshot: adds devices that did not answer, and drift."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roce_lint.engine.finding import DRIFT, FINDINGS, NOT_PULLED, Diagnostic
from roce_lint.errors import UsageError
from roce_lint.pipeline.comparison import ComparisonOptions, compare
from roce_lint.pipeline.conclusion import conclude_report
from roce_lint.pipeline.drift import find_drift, is_intent
from roce_lint.pipeline.runner import Run
from roce_lint.text.names import compress

if TYPE_CHECKING:
    from roce_lint.pipeline.comparison import Comparison
    from roce_lint.pipeline.diff_causes import Entry, Stand
    from roce_lint.pipeline.report import Report


@dataclass(frozen=True)
class Reference:
    """A state to compare with, and the option that named it."""

    option: str
    path: str


class AuditRun(Run):
    """A run over a snapshot. `names` are the expected devices; None: unknown."""

    def __init__(
        self,
        *args: Any,
        names: frozenset[str] | None,
        references: tuple[Reference, ...],
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._names = names
        self._references = references

    def read(self) -> Report:
        """Load and check; then add silent devices and drift."""
        report = super().read()
        failed = dict(find_silent_devices(Path(self.request.paths[0]), self._names))
        report.diagnostics += [
            Diagnostic(
                "" if name else "manifest.json",
                NOT_PULLED,
                " ".join((f"{name}: {why}" if name else why).split()),
                device=name,
            )
            for name, why in sorted(failed.items())
        ]
        conclude_report(report)  # a fabric with a missing device is not proved
        for each in self._references:
            report.diagnostics += self._drift(each, report.base, failed)
        return report

    def status(self, report: Report) -> int:
        """The exit status: drift fails, too."""
        if self.criteria.fail_on != "never" and any(
            item.kind == DRIFT and not item.incomplete for item in report.diagnostics
        ):
            return FINDINGS
        return super().status(report)

    def _drift(self, other: Reference, base: str, failed: dict[str, str]) -> list[Diagnostic]:
        """Differences from another state, one for each cause and device.

        A device that did not answer is reported as such, not as removed.
        """
        mine = replace(self.request, intent=None, profile=None, select=(), ignore=())
        requests = replace(mine, paths=(other.path,)), mine
        work = find_drift if is_intent(other.path) else compare
        try:
            found = work(requests, (self.settings, self.settings), ComparisonOptions())
        except UsageError as error:
            message = f"not compared with --{other.option} {other.path}: {error}"
            return [Diagnostic(os.path.relpath(other.path, base), DRIFT, message)]
        unread = [
            replace(item, file=os.path.relpath(found.a.name(item.file), base) if item.file else "")
            for item in found.a.diagnostics
            if item.incomplete
        ]
        return unread + [
            _entry(entry, stand, found, other)
            for entry in found.entries
            for stand in entry.stands
            if stand.b or not _is_failed(stand, failed, self._names)
        ]


def find_silent_devices(folder: Path, names: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    """Devices that did not answer completely, each with the cause; "" for all of them."""
    try:
        listed = json.loads((folder / "manifest.json").read_bytes())["devices"]
        known = {str(name): dict(entry) for name, entry in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield "", f"{folder} has no manifest of a pull: which devices did not answer is unknown"
        return
    for name, entry in known.items():
        if entry.get("failure") and (names is None or name in names):
            yield name, str(entry["failure"])
    for name in (names or frozenset()) - known.keys():
        yield name, "is not in the snapshot"


def _is_failed(stand: Stand, failed: dict[str, str], names: frozenset[str] | None) -> bool:
    """Whether a device that only the other state has was not selected, or did not answer."""
    whole = not any(stand.subjects)
    return whole and (stand.device in failed or (names is not None and stand.device not in names))


def _entry(entry: Entry, stand: Stand, found: Comparison, other: Reference) -> Diagnostic:
    """One cause on one device, with the lines of both states."""
    values = ", ".join(
        f"{value.field}: {value.a} -> {value.b}" if value.field else f"{value.a} -> {value.b}"
        for value in entry.values
    )
    lines = [
        f"{state} {side.name(place.file)}:{place.line} {' '.join(place.text.split())!r}"
        for state, side, places in ((other.option, found.a, stand.a), ("now", found.b, stand.b))
        for place in places[:1]
        if place.file
    ]
    ports = compress(name for name in stand.subjects if name)
    about = f"{stand.device} {ports}".strip()
    here = next((place for place in stand.b if place.file), None)
    return Diagnostic(
        here.file if here is not None else "",
        DRIFT,
        f"{about}: {values}" + (f" ({', '.join(lines)})" if lines else ""),
        here.line if here is not None else None,
        incomplete=False,
        device=stand.device,
    )
