"""What an audit adds to the report of a snapshot: devices that did not answer, and drift."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roce_lint.cli.run_options import RunOptions
from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import UsageError
from roce_lint.report.names import compress
from roce_lint.report.wording import DRIFT, NOT_PULLED, excerpt, one_line

if TYPE_CHECKING:
    from roce_lint.engine.accept import Accept
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.causes import Entry, Stand
    from roce_lint.pipeline.comparison import Comparison
    from roce_lint.settings import Settings


@dataclass(frozen=True)
class Against:
    """A state to compare with, and the option that named it."""

    word: str
    path: str


@dataclass(slots=True, frozen=True, kw_only=True)
class AuditRun(RunOptions):
    """A run over a snapshot; `names` are the devices that should be in it, None: nobody says."""

    names: frozenset[str] | None
    against: tuple[Against, ...]

    def run(self, settings: Settings, *, progress: bool, accept: Accept | None = None) -> Report:
        """Judge; then say who did not answer and what drifted."""
        report = RunOptions.run(self, settings, progress=progress, accept=accept)
        from roce_lint.pipeline.conclusion import conclude_report  # noqa: PLC0415

        failed = dict(find_silent_devices(Path(self.paths[0]), self.names))
        report.diagnostics += [
            Diagnostic(
                "" if name else "manifest.json",
                NOT_PULLED,
                one_line(f"{name}: {why}" if name else why),
                device=name,
            )
            for name, why in sorted(failed.items())
        ]
        conclude_report(report)  # no fabric is proved of which a device is missing
        for each in self.against:
            report.diagnostics += tell_drift(each, self, settings, report.base, failed)
        return report


def names_to_audit(inventory: str, pulling: Any) -> frozenset[str]:
    """The names of the devices that an audit is about."""
    from roce_lint.cli.pull import plan_jobs  # noqa: PLC0415

    return frozenset(job.entry.name for job in plan_jobs(inventory, pulling))


def find_silent_devices(folder: Path, names: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    """The devices that did not answer whole, each with the cause; "" stands for all of them."""
    try:
        told = json.loads((folder / "manifest.json").read_bytes())["devices"]
        known = {str(name): dict(said) for name, said in told.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield "", f"{folder} has no manifest of a pull: who did not answer is not known"
        return
    for name, said in known.items():
        if said.get("failure") and (names is None or name in names):
            yield name, str(said["failure"])
    for name in (names or frozenset()) - known.keys():
        yield name, "is not in the snapshot"


def tell_drift(
    against: Against, asked: AuditRun, settings: Settings, base: str, failed: dict[str, str]
) -> list[Diagnostic]:
    """In what the snapshot differs from another state, an entry a cause and device.

    A device that did not answer is told as that, and is not gone.
    """
    from roce_lint.pipeline.comparison import ComparisonOptions, compare  # noqa: PLC0415
    from roce_lint.pipeline.drift import find_drift, is_intent  # noqa: PLC0415

    other = RunOptions(
        paths=(against.path,), intent=None, links=asked.links, profile=None, rules=asked.rules,
        config=asked.config, device=(), role=(), jobs=None, no_cache=asked.no_cache, isolated=True,
    )  # fmt: skip
    mine = replace(other, paths=asked.paths)
    work = find_drift if is_intent(against.path) else compare
    requests = other.request(settings), mine.request(settings)
    try:
        found = work(requests, (settings, settings), ComparisonOptions())
    except UsageError as error:
        message = f"not compared with --{against.word} {against.path}: {error}"
        return [Diagnostic(os.path.relpath(against.path, base), DRIFT, message)]
    unread = [
        replace(item, file=os.path.relpath(found.a.name(item.file), base) if item.file else "")
        for item in found.a.diagnostics
        if item.incomplete
    ]
    told = [
        _entry(entry, stand, found, against)
        for entry in found.entries
        for stand in entry.stands
        if stand.b or not _is_failed(stand, failed, asked.names)
    ]
    return [*unread, *told]


def _is_failed(stand: Stand, failed: dict[str, str], names: frozenset[str] | None) -> bool:
    """Whether a device that only the other state has was not asked for, or did not answer."""
    whole = not any(stand.subjects)
    return whole and (stand.device in failed or (names is not None and stand.device not in names))


def _entry(entry: Entry, stand: Stand, found: Comparison, against: Against) -> Diagnostic:
    """One cause on one device, with the lines of both states."""
    said = ", ".join(
        f"{value.field}: {value.a} -> {value.b}" if value.field else f"{value.a} -> {value.b}"
        for value in entry.values
    )
    lines = [
        f"{word} {side.name(place.file)}:{place.line} {excerpt(place)!r}"
        for word, side, places in (
            (against.word, found.a, stand.a),
            ("now", found.b, stand.b),
        )
        for place in places[:1]
        if place.file
    ]
    ports = compress(name for name in stand.subjects if name)
    about = f"{stand.device} {ports}".strip()
    here = next((place for place in stand.b if place.file), None)
    return Diagnostic(
        here.file if here is not None else "",
        DRIFT,
        f"{about}: {said}" + (f" ({', '.join(lines)})" if lines else ""),
        here.line if here is not None else None,
        incomplete=False,
        device=stand.device,
    )
