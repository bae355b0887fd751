"""A fabric read once, and what can be asked of it; the reporters stand on the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roce_lint import settings as site
from roce_lint.analysis.tags import forget_tags
from roce_lint.api import tables
from roce_lint.api.port import Port
from roce_lint.errors import SettingsError, UsageError
from roce_lint.loading.load import load as load_files
from roce_lint.pipeline.acceptance import AcceptanceRun
from roce_lint.pipeline.garbage import pause_collection
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.judging import Terms
from roce_lint.pipeline.request import Request
from roce_lint.report.port_table import find
from roce_lint.report.trace.table import as_data
from roce_lint.report.trace.tracer import Tracer
from roce_lint.report.weakening import find_weakening
from roce_lint.text.files import is_below
from roce_lint.text.spelling import did_you_mean

if TYPE_CHECKING:
    from roce_lint.engine.finding import Diagnostic
    from roce_lint.loading.load import LoadResult
    from roce_lint.model.device import Device
    from roce_lint.model.fabric import Link
    from roce_lint.pipeline.report import ClassSummary, Report
    from roce_lint.report.trace.question import Question
    from roce_lint.settings import Settings

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
    today: date | None = None,
) -> LoadedFabric:
    """Read and judge configurations.

    Args:
        paths: files, folders, snapshots and archives; none: the working folder.
        settings: a roce-lint.toml, or settings that were read; without it the file that is found
            beside the paths is used, as on the command line, unless `isolated`.
        links: a cable plan (links.yaml or CSV).
        intent: what the site intends (YAML).
        profile: name of a published design to judge by.
        rules: folders of further rule pages.
        isolated: nothing of the tree but its configurations says anything.
        cache: whether what was read before is taken from the cache.
        jobs: processes that read files; 0: as many as there are processors.
        today: the day for waivers that expire.

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
        profile=profile or used.profile,
        rules=tuple(str(folder) for folder in rules),
        select=used.select,
        ignore=used.ignore,
        jobs=jobs,
        cache=cache,
        isolated=isolated,
    )
    with pause_collection():
        loaded = load_files(
            named,
            jobs=jobs,
            rules=file_rules(used),
            cache=cache,
            limits=used.limits.limits(),
        )
        said = _CallerWords(named, profile, request.intent)
        return LoadedFabric(request, used, loaded, today, said)


@dataclass(slots=True, frozen=True)
class _CallerWords:
    """What the caller said in place of the settings."""

    paths: tuple[str, ...]
    profile: str | None
    intent: str | None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def is_judged(self, file: str) -> bool:
        """Whether a file lies below one of the paths."""
        return is_below(file, self.paths)


def _settings(
    given: FilePath | Settings | None, paths: tuple[str, ...], *, isolated: bool
) -> Settings:
    if isinstance(given, site.Settings):
        return given
    if given is not None:
        if not Path(given).is_file():
            raise SettingsError("there is no such file", location=str(given))
        return site.load(Path(given))
    found = None if isolated else site.find(paths)
    return site.load(found, found=True) if found is not None else site.NONE


@dataclass(slots=True, frozen=True)
class Trace:
    """A class followed from one NIC to another: `broken`, the `ways`, and plain data."""

    answer: Question

    @property
    def broken(self) -> bool:
        """True where an error stands on one of the equal-cost paths."""
        return self.answer.broken

    @property
    def paths(self) -> int:
        """Equal-cost paths that were followed."""
        return sum(way.paths for way in self.answer.ways)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the errors on the way, in the order in which packets meet them."""
        named = (n for way in self.answer.ways for stage in way.stages for n in stage.faults)
        return tuple(dict.fromkeys(named))

    def as_dict(self) -> dict[str, Any]:
        """The answer as `roce-lint trace --format json` has it."""
        return as_data(self.answer)

    def __str__(self) -> str:
        one = self.answer
        what = one.traffic.name if one.traffic is not None else f"DSCP {one.dscp}"
        how = f"broken ({', '.join(self.rules)})" if self.broken else "no error"
        return f"{one.source} to {one.target}, {what}: {how}"


class LoadedFabric:
    """A fabric that was read and judged; made by `roce_lint.load`."""

    def __init__(
        self,
        request: Request,
        settings: Settings,
        loaded: LoadResult,
        today: date | None = None,
        said: _CallerWords | None = None,
    ) -> None:
        self._request = request
        self._settings = settings
        self._loaded = loaded
        self._today = today
        self._said = said or _CallerWords(request.paths, request.profile, request.intent)
        self._tracer: Tracer | None = None
        accept = AcceptanceRun(settings, None, today)
        self._report = Terms.of(request, settings, accept).report(loaded, None)
        whole = not (request.select or request.ignore)
        accept.tell(self._report, None, whole=whole)

    @property
    def report(self) -> Report:
        """The whole answer, as the reporters take it (`roce_lint.render`)."""
        return self._report

    def weakened_by(self, *, fail_on: str | None = "error") -> list[Diagnostic]:
        """What the judged tree itself says to be judged more mildly: its settings, waivers and
        comments. Empty where it was loaded `isolated`.

        `fail_on` is what the caller fails by; None: what the settings say.
        """
        return find_weakening(self._said, self._settings, self._report, fail_on, None)

    def check(self, *, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Report:
        """Findings, unknowns, diagnostics and the verdict: of all rules that the settings select,
        or of those that begin with one of `select`, without those of `ignore`.

        Raises:
            RoceLintError: one of them is no rule or prefix.
        """
        if isinstance(select, str) or isinstance(ignore, str):
            raise UsageError("select and ignore are lists of rules or prefixes")
        if not select and not ignore:
            return self._report
        request = replace(
            self._request,
            select=_prefixes(select) or self._request.select,
            ignore=_prefixes(ignore) or self._request.ignore,
        )
        if self._report.fabric is None:
            return self._report
        accept = AcceptanceRun(self._settings, None, self._today)
        terms = Terms.of(request, self._settings, accept)
        forget_tags(self._report.fabric)
        with pause_collection():
            report = terms.answer(self._loaded, self._report.fabric)
        accept.tell(report, None, whole=False)
        return report

    @property
    def devices(self) -> dict[str, Device]:
        """The devices by name, each with everything its files state (`roce_lint.model.device`)."""
        return dict(self._report.fabric.devices) if self._report.fabric is not None else {}

    @property
    def links(self) -> list[Link]:
        """The cables that are known."""
        return list(self._report.fabric.links) if self._report.fabric is not None else []

    @property
    def classes(self) -> list[ClassSummary]:
        """The traffic classes that are judged, and who says that they exist."""
        return list(self._report.classes)

    def port(self, device: str, name: str) -> Port:
        """A port by any spelling of its name, or a host's port by its RDMA device.

        Raises:
            RoceLintError: there is no such device or port.
        """
        devices = self.devices
        if device not in devices:
            raise UsageError(
                f"no device is called {device}", hint=did_you_mean(device, list(devices))
            )
        owner, interface = find([devices[device]], name)
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
        """A class followed from `HOST` or `HOST:PORT` to another, hop by hop: one trace for each
        pair of NICs and class, as `roce-lint trace` has them.

        Raises:
            RoceLintError: no NIC, class or path is as was asked.
        """
        if name is not None and dscp is not None:
            raise UsageError("name and dscp exclude each other")
        self._tracer = self._tracer or Tracer(self._report)
        found = self._tracer.trace(source, target, name=name, dscp=dscp, reverse=reverse)
        return [Trace(answer) for answer in found]

    def table(self, name: str) -> list[dict[str, Any]]:
        """Rows of plain values, for notebooks and data frames: one of `roce_lint.TABLES`.

        Raises:
            RoceLintError: there is no such table.
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
