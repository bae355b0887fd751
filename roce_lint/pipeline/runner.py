"""One run: load, check, apply waivers and baseline, add remarks, decide the exit status."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.analysis.analyse import forget_tags
from roce_lint.budget import pause_collection
from roce_lint.engine.baseline import CRASHES, UNUSED, Baseline, baseline_text, read_baseline
from roce_lint.engine.finding import (
    CLEAN,
    FINDINGS,
    INCOMPLETE,
    Answer,
    Diagnostic,
    Finding,
    Severity,
)
from roce_lint.engine.ignores import finding_of_unused
from roce_lint.engine.waivers import HIDING, Waivers
from roce_lint.errors import UsageError
from roce_lint.loading.discover import CONTROL
from roce_lint.loading.load import LoadResult, load
from roce_lint.phases import phase
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.pipeline.weakening import find_weakening
from roce_lint.text.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from roce_lint.engine.waivers import Accept
    from roce_lint.loading.pool import Spread
    from roce_lint.model.fabric import Fabric
    from roce_lint.pipeline.evaluation import Terms
    from roce_lint.settings import Settings


@dataclass(slots=True, frozen=True, kw_only=True)
class Criteria:
    """Failure criteria. `fail_on`: None leaves it to the settings.

    `require` is "ready" (all pairs judged, none broken) or "proved" (all pairs judged), `coverage`
    the percentage of the pairs that must have been judged.
    """

    fail_on: str | None = None
    strict: bool = False
    require: str | None = None
    coverage: float | None = None


STRICTEST = Criteria(fail_on="info", strict=True, require="ready")
"""Criteria of a design: no finding, and nothing unknown."""


def exit_status(report: Report, criteria: Criteria, fail_on: str | None = None) -> int:
    """The exit status: findings before incompleteness. `fail_on` overrides that of the criteria."""
    fail_on = fail_on or criteria.fail_on or "error"
    counting = [finding for finding in report.findings if finding.suppressed is None]
    verdict = report.verdict
    if fail_on != "never":
        level = Severity[fail_on.upper()]
        if any(f.severity >= level and f.rule not in CRASHES for f in counting):
            return FINDINGS
    if criteria.require == "ready" and verdict.answer is Answer.NOT_READY:
        return FINDINGS
    if criteria.require is not None and not verdict.complete:
        return INCOMPLETE
    if criteria.coverage is not None and verdict.coverage < criteria.coverage:
        return INCOMPLETE
    if report.incomplete or any(finding.rule in CRASHES for finding in report.findings):
        return INCOMPLETE
    if criteria.strict and (report.unknowns or report.unrecognised_lines or report.unjudged):
        return INCOMPLETE
    return CLEAN


class Acceptance:
    """Marks waived and known findings; keeps all findings for a new baseline and for remarks."""

    def __init__(self, settings: Settings, baseline: Baseline | None, today: date | None) -> None:
        self._settings = settings
        self._baseline = baseline
        self._waivers = Waivers(settings.waivers, today or date.today())  # noqa: DTZ011  (the user's)
        self._findings: list[Finding] = []

    def __call__(self, findings: list[Finding]) -> list[Finding]:
        """The findings, accepted ones marked."""
        self._findings = [part for each in findings for part in self._waivers.mark(each)]
        if self._baseline is not None:
            self._findings = self._baseline.apply(self._findings)
        return self._findings

    def baseline(self, report: Report) -> str:
        """The text of a baseline of all findings on the devices of a report."""
        names = {"", *(device.name for device in report.devices)}
        parts = (
            (f, [o for o in f.occurrences if not report.part or o.device in names])
            for f in self._findings
        )
        return baseline_text(finding.restrict(found) for finding, found in parts if found)

    def add_remarks(self, report: Report, file: Path | None, *, whole: bool) -> None:
        """Add remarks on waivers, and on the baseline in a file, to a report: findings of their
        rule, or diagnostics where it is deselected. `whole`: all rules ran on all devices.
        """
        named = os.path.relpath(self._settings.path, report.base) if self._settings.path else ""
        judged = set(report.rules) if whole else None
        devices = {device.name for device in report.devices}
        remarks = self._waivers.remarks(self._settings, judged, named, devices)
        known = self._baseline if whole else None
        if known and (gone := known.count_gone(self._findings, report.rules)):
            what = "1 entry matches" if gone == 1 else f"{gone} entries match"
            message = f"{what} no finding any more: refresh the baseline with --write-baseline"
            name = os.path.relpath(file or "", report.base)
            remarks.append(
                Diagnostic(name, "baseline", message, incomplete=False, consequence=HIDING)
            )
        _add(report, self._settings, remarks)


def _add(report: Report, settings: Settings, remarks: list[Diagnostic]) -> None:
    page = report.rules.get(UNUSED)
    if page is None:
        report.diagnostics = [*report.diagnostics, *remarks]
        return
    own = settings.rules.get(UNUSED)
    severity = Severity[own.severity.upper()] if own and own.severity else page.severity
    found = {finding.fingerprint: finding for finding in report.findings}
    for remark in remarks:
        finding = finding_of_unused(remark, page, severity)
        if finding.fingerprint not in found:  # identical waivers give one
            found[finding.fingerprint] = finding
            report.findings = [*report.findings, finding]


INSIDE = "!"
"""Separator of an archive and a file in it."""


class Run:
    """A request with its settings, accepted findings and failure criteria.

    `baseline` and `write_baseline` are files; `accepts` is false where waivers do not apply.

    Raises:
        UsageError: the baseline cannot be read.
    """

    def __init__(
        self,
        request: Request,
        settings: Settings,
        criteria: Criteria | None = None,
        *,
        baseline: str | None = None,
        write_baseline: str | None = None,
        today: date | None = None,
        accepts: bool = True,
    ) -> None:
        self.request = request
        self.settings = settings
        self.criteria = criteria or Criteria()
        self.baseline_file = baseline
        self.baseline = read_baseline(Path(baseline)) if baseline is not None else None
        self._new_baseline = write_baseline
        self._accepts = accepts
        self._today = today
        self._acceptance = Acceptance(settings, self.baseline, today)

    @property
    def fail_on(self) -> str:
        """The lowest severity that fails."""
        return self.criteria.fail_on or self.settings.fail_on or "error"

    @property
    def accept(self) -> Accept | None:
        """Marks waived and known findings; None where there can be none."""
        needed = self.settings.waivers or self.baseline_file or self._new_baseline
        return self._acceptance if needed and self._accepts else None

    def terms(self) -> Terms:
        """The rules, the plan and the hardware of the run.

        Raises:
            UsageError, SettingsError, IntentError, RulePageError: an input is wrong.
        """
        from roce_lint.pipeline.evaluation import Terms  # noqa: PLC0415  (while workers read)

        return Terms.of(self.request, self.settings, self.accept)

    def with_rules(self, select: tuple[str, ...], ignore: tuple[str, ...]) -> Run:
        """The same run with other rules, where any are given."""
        own = self.request
        request = replace(own, select=select or own.select, ignore=ignore or own.ignore)
        return Run(request, self.settings, self.criteria, today=self._today)

    def recheck(self, loaded: LoadResult, fabric: Fabric) -> Report:
        """Check a fabric again that was joined from loaded files."""
        forget_tags(fabric)
        with pause_collection():
            report = self.terms().answer(loaded, fabric)
        self.add_remarks(report)
        return report

    def read(self) -> Report:
        """Load and check, without remarks.

        Raises:
            UsageError: no device matches the names and roles of the request.
        """
        report = run(self.request, self.settings, self.accept)
        require_selected_devices(self.request, report)
        return report

    def check(self) -> Report:
        """Load and check, with remarks on waivers, the baseline and weakening."""
        report = self.read()
        self.add_remarks(report)
        report.diagnostics = [*self.weakening(report), *report.diagnostics]
        return report

    def add_remarks(self, report: Report) -> None:
        """Add remarks on unused waivers and baseline entries."""
        request = self.request
        if self._accepts:
            whole = not (request.device or request.role or request.select or request.ignore)
            file = Path(self.baseline_file) if self.baseline_file else None
            self._acceptance.add_remarks(report, file, whole=whole)

    def weakening(self, report: Report) -> list[Diagnostic]:
        """Remarks on settings, baseline and comments of the checked tree that soften the result."""
        given = self.criteria.fail_on
        return find_weakening(self.request, self.settings, report, given, self.baseline_file)

    def status(self, report: Report) -> int:
        """The exit status."""
        return exit_status(report, self.criteria, self.fail_on)

    def baseline_text(self, report: Report) -> str:
        """A baseline of all findings on the devices of a report."""
        return self._acceptance.baseline(report)

    def refuse_to_overwrite_inputs(self, report: Report, paths: Iterable[Path]) -> None:
        """Refuse outputs that would replace an input of this run.

        Raises:
            UsageError: one of the files was read in this run, or controls a run.
        """
        written = {os.path.realpath(path): path for path in paths}
        if not written:
            return
        steering = [self.request.intent, self.request.links, self.settings.path]
        if self.baseline_file != self._new_baseline:  # a baseline may be renewed
            steering.append(self.baseline_file)
        steered = [(Path(name), "steers this run") for name in steering if name]
        steered += [(Path(name), "is read by this run") for name in self.request.paths]
        for name, what in (*_inputs(report), *steered):
            path = written.get(os.path.realpath(name))
            if path is not None:
                raise UsageError(what, location=str(path))
        for real, path in written.items():
            if os.path.basename(real) in CONTROL and path.exists():  # noqa: PTH119
                raise UsageError("steers the runs over its folder", location=str(path))


def run(request: Request, settings: Settings, accept: Accept | None = None) -> Report:
    """Load and check. `accept` marks accepted findings before one is folded into another.

    Raises:
        UsageError, SettingsError, IntentError, LinksError, RulePageError: an input is wrong;
            nothing was checked.
    """

    @cache
    @phase("loading rules")
    def terms() -> Terms:
        """Imported and loaded while workers read."""
        from roce_lint.pipeline.evaluation import Terms  # noqa: PLC0415

        return Terms.of(request, settings, accept)

    with pause_collection():
        loaded = load_files(request, settings, terms)
        loaded.forget_files()
        return terms().report(loaded)


def load_files(
    request: Request,
    settings: Settings,
    meanwhile: Callable[[], object] | None = None,
    beside: LoadResult | None = None,
) -> LoadResult:
    """Read the files of a request. `meanwhile` and `beside` as in `load`."""
    with _cluster(request.executor) as cluster:
        return load(
            request.paths,
            stdin=request.stdin,
            jobs=request.jobs,
            rules=file_rules(settings),
            cache=request.cache,
            meanwhile=meanwhile,
            limits=settings.limits.limits(),
            beside=beside,
            cluster=cluster,
            found=request.found,
        )


def _cluster(executor: str | None) -> AbstractContextManager[Spread | None]:
    if executor is None:
        return nullcontext()
    from roce_lint.loading.dask import connect  # noqa: PLC0415  (only if asked)

    return connect(executor)


def require_selected_devices(request: Request, report: Report) -> None:
    """Refuse device names and roles that match nothing: a misspelt name must not look healthy.

    Raises:
        UsageError: no device has one of the names, one of the roles, or a name and a role.
    """
    devices = list(report.fabric.devices.values()) if report.fabric is not None else []
    if not devices or not (request.device or request.role):
        return  # the reason is reported elsewhere
    names = [device.hostname for device in devices]
    unread = [entry.device for entry in report.diagnostics if entry.device]
    for glob in request.device:
        if not any(fnmatchcase(name, glob) for name in (*names, *unread)):
            hint = did_you_mean(glob, names)
            raise UsageError(f"--device {glob}: no device matches", hint=hint)
    if not any(is_asked_for(device, (), request.role) for device in devices):
        roles = sorted({device.role.value for device in devices if device.role is not None})
        hint = f"there are {', '.join(roles)}" if roles else "[roles] in the settings assigns roles"
        raise UsageError(f"--role {', '.join(request.role)}: no device has this role", hint=hint)
    if request.role and not any(is_asked_for(d, request.device, request.role) for d in devices):
        raise UsageError("no device has both a --device name and a --role that were given")


def _inputs(report: Report) -> Iterator[tuple[Path, str]]:
    """The files of a run with their use; for a file in an archive the archive too."""
    read = [(name, f"is a configuration of {device.name}")
            for device in report.devices for name in device.files]  # fmt: skip
    read += [(entry.file, "could not be read completely by this run")
             for entry in report.diagnostics if entry.incomplete]  # fmt: skip
    for name, what in read:
        yield Path(report.base, name), what
        if INSIDE in name:
            yield Path(report.base, name.partition(INSIDE)[0]), what
