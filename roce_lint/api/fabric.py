"""A fabric that was read and checked: findings, ports, traces and tables of one run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

from roce_lint import settings as site
from roce_lint.analysis.treatment import Treatment, treatment
from roce_lint.api import tables
from roce_lint.budget import pause_collection
from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import SettingsError, UsageError
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Link
from roce_lint.model.units import DSCPS
from roce_lint.pipeline.diagnosis import BrokenStage, Diagnoses
from roce_lint.pipeline.inputs import found_settings
from roce_lint.pipeline.report import ClassSummary, Report
from roce_lint.pipeline.request import Request
from roce_lint.pipeline.runner import Run, load_files
from roce_lint.pipeline.trace.question import Question
from roce_lint.pipeline.trace.tracer import Tracer
from roce_lint.pipeline.treatment import find_port, port_rows
from roce_lint.pipeline.weakening import find_weakening
from roce_lint.report import port_table
from roce_lint.report.trace import as_data
from roce_lint.settings import Settings
from roce_lint.text.names import did_you_mean


@dataclass(slots=True, frozen=True)
class Port(Endpoint):
    """A port of a device; `interface` is its configuration."""

    report: Report

    @property
    def name(self) -> str:
        """Name of the port on its device."""
        return self.interface.name

    @property
    def peer(self) -> str | None:
        """Device and port at the other end of the cable; None if unknown."""
        link = self.report.fabric.link_of(*self.key) if self.report.fabric is not None else None
        if link is None:
            return None
        return str(next(end for end in link.ends if end.key != self.key))

    @property
    def judged(self) -> bool:
        """Whether the port is known to carry RoCE."""
        analysis = self.report.analysis
        return analysis is not None and analysis.port(*self.key) is not None

    @property
    def why(self) -> str:
        """Reason for which the port is checked or not."""
        analysis = self.report.analysis
        if analysis is None:
            return ""
        judged = analysis.port(*self.key)
        return judged.why if judged is not None else analysis.not_judged.get(self.key, "")

    def treatment(self, dscp: int) -> Treatment:
        """Treatment of packets of a DSCP (0 to 63) on arrival and departure.

        None in the result: unknown; each value has the places that decide it.

        Raises:
            RoceLintError: `dscp` is not a DSCP.
        """
        if dscp not in DSCPS:
            raise UsageError(f"{dscp!r} is no DSCP: 0 to 63")
        return treatment(self.device, self.interface, dscp)

    def table(self) -> list[dict[str, Any]]:
        """Treatment of all DSCPs, as in `roce-lint show --port`."""
        if self.report.excerpts is None:
            return []
        return port_table.as_data(port_rows(self.device, self.interface, self.report.excerpts))

    def broken(self) -> list[BrokenStage]:
        """Broken stages of the RoCE and CNP classes, with the rules that report them."""
        analysis, excerpts = self.report.analysis, self.report.excerpts
        judged = analysis.port(*self.key) if analysis is not None else None
        if analysis is None or excerpts is None or judged is None:
            return []
        diagnosed = Diagnoses(self.report, analysis, excerpts)
        classes = (*analysis.data_classes, *analysis.cnp_classes)
        return [each for traffic in classes for each in diagnosed.of_port(traffic, judged)]

    def __repr__(self) -> str:
        return f"<port {self}: {'judged' if self.judged else 'not judged'}>"


FilePath = str | PathLike[str]


def load(  # noqa: PLR0913  (each is an option of the command line)
    *paths: FilePath,
    settings: FilePath | Settings | None = None,
    links: FilePath | None = None,
    intent: FilePath | None = None,
    profile: str | None = None,
    rules: Sequence[FilePath] = (),
    isolated: bool = False,
    cache: bool = True,
    jobs: int = 0,
    executor: str | None = None,
    today: date | None = None,
) -> LoadedFabric:
    """Read and check configurations.

    Args:
        paths: files, folders, snapshots and archives; none: the working folder.
        settings: a roce-lint.toml, or loaded settings; default: the file found beside the paths,
            as on the command line, unless `isolated`.
        links: a cable plan (links.yaml or CSV).
        intent: the site standard (YAML).
        profile: name of a vendor reference design.
        rules: folders of further rule pages.
        isolated: ignore settings, cable plan and comments of the tree.
        cache: use the cache of files read before.
        jobs: processes that read files; 0: one for each processor.
        executor: a Dask cluster that reads devices, as dask://HOST:PORT.
        today: the day on which waivers are evaluated.

    Raises:
        RoceLintError: a path, a setting, the intent, the cable plan or a rule page is wrong.
            Files that cannot be read do not raise: they are in `report.diagnostics`.
    """
    named = tuple(str(path) for path in paths) or (".",)
    for path in named:
        if not Path(path).exists():
            raise UsageError(f"no such file or folder: {path}")
    used = _settings(settings, named, isolated=isolated)
    request = Request(
        paths=named,
        links=str(links) if links is not None else None,
        intent=str(intent) if intent is not None else None,
        profile=profile,
        rules=tuple(str(folder) for folder in rules),
        jobs=jobs,
        executor=executor,
        cache=cache,
        isolated=isolated,
        remedies=True,
    )
    with pause_collection():
        return LoadedFabric(Run(request, used, today=today))


def _settings(
    given: FilePath | Settings | None, paths: tuple[str, ...], *, isolated: bool
) -> Settings:
    if isinstance(given, site.Settings):
        return given
    if given is not None:
        if not Path(given).is_file():
            raise SettingsError("there is no such file", location=str(given))
        return site.load(Path(given))
    return site.NONE if isolated else found_settings(paths)


@dataclass(slots=True, frozen=True)
class Trace:
    """A class followed from one NIC to another: `broken`, the `ways`, and plain data."""

    answer: Question

    @property
    def broken(self) -> bool:
        """Whether an error is on one of the equal-cost paths."""
        return self.answer.broken

    @property
    def paths(self) -> int:
        """Number of equal-cost paths followed."""
        return sum(way.paths for way in self.answer.ways)

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules of the errors, in the order of the hops."""
        named = (n for way in self.answer.ways for stage in way.stages for n in stage.faults)
        return tuple(dict.fromkeys(named))

    def as_dict(self) -> dict[str, Any]:
        """The data of `roce-lint trace --format json`."""
        return as_data(self.answer)

    def __str__(self) -> str:
        one = self.answer
        traffic = one.traffic.name if one.traffic is not None else f"DSCP {one.dscp}"
        result = f"broken ({', '.join(self.rules)})" if self.broken else "no error"
        return f"{one.source} to {one.target}, {traffic}: {result}"


class LoadedFabric:
    """A fabric that was read and checked; made by `roce_lint.load`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._loaded = load_files(run.request, run.settings)
        self._report = run.terms().report(self._loaded)
        run.add_remarks(self._report)
        self._tracer: Tracer | None = None

    @property
    def report(self) -> Report:
        """The report, for `roce_lint.render`."""
        return self._report

    def weakened_by(self, *, fail_on: str | None = "error") -> list[Diagnostic]:
        """Settings, waivers and comments of the checked tree that soften the result. Empty where
        it was loaded `isolated`.

        `fail_on` is the level at which the caller fails; None: the level of the settings.
        """
        return find_weakening(self._run.request, self._run.settings, self._report, fail_on, None)

    def check(self, *, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Report:
        """Findings, unknowns, diagnostics and the verdict: of all rules that the settings select,
        or of those that begin with one of `select`, without those of `ignore`.

        Raises:
            RoceLintError: an entry is not a rule or prefix.
        """
        if isinstance(select, str) or isinstance(ignore, str):
            raise UsageError("select and ignore are lists of rules or prefixes")
        if self._report.fabric is None or (not select and not ignore):
            return self._report
        run = self._run.with_rules(_prefixes(select), _prefixes(ignore))
        return run.recheck(self._loaded, self._report.fabric)

    @property
    def devices(self) -> dict[str, Device]:
        """The devices by name, with everything configured on them (`roce_lint.model.device`)."""
        return dict(self._report.fabric.devices) if self._report.fabric is not None else {}

    @property
    def links(self) -> list[Link]:
        """The known cables."""
        return list(self._report.fabric.links) if self._report.fabric is not None else []

    @property
    def classes(self) -> list[ClassSummary]:
        """The checked traffic classes, each with its basis."""
        return list(self._report.classes)

    def port(self, device: str, name: str) -> Port:
        """A port by any spelling of its name, or a host's port by its RDMA device.

        Raises:
            RoceLintError: no such device or port.
        """
        devices = self.devices
        if device not in devices:
            raise UsageError(f"no device {device}", hint=did_you_mean(device, list(devices)))
        owner, interface = find_port([devices[device]], name)
        return Port(owner, interface, self._report)

    def trace(
        self,
        source: str,
        target: str,
        *,
        name: str | None = None,
        dscp: int | None = None,
        reverse: bool = False,
    ) -> list[Trace]:
        """Follow a class from `HOST` or `HOST:PORT` to another, hop by hop: one trace for each
        pair of NICs and class, as in `roce-lint trace`.

        Raises:
            RoceLintError: no NIC, class or path matches.
        """
        if name is not None and dscp is not None:
            raise UsageError("name and dscp exclude each other")
        self._tracer = self._tracer or Tracer(self._report)
        found = self._tracer.trace(source, target, name=name, dscp=dscp, reverse=reverse)
        return [Trace(answer) for answer in found]

    def table(self, name: str) -> list[dict[str, Any]]:
        """Rows of plain values, for notebooks and data frames: one of `roce_lint.TABLES`.

        Raises:
            RoceLintError: no such table.
        """
        if name not in tables.TABLES:
            known = ", ".join(tables.TABLES)
            raise UsageError(f"there is no table {name!r}", hint=f"there are {known}")
        return tables.TABLES[name](self._report)

    def __repr__(self) -> str:
        count = len(self.devices)
        answer = self._report.verdict.answer.value
        return f"<fabric of {count} devices, {len(self.links)} links: {answer}>"


def _prefixes(given: Iterable[str]) -> tuple[str, ...]:
    try:
        return tuple(site.rule_prefix(text) for text in given)
    except ValueError as error:
        raise UsageError(str(error)) from None
