"""Load, link, analyse, judge: paths and settings in, a Report out. Nothing else happens here."""

from __future__ import annotations

import fnmatch
import gc
import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint import checks
from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.result import Analysis, Mode
from roce_lint.analysis.uplinks import load_of
from roce_lint.engine import registry
from roce_lint.engine.finding import Diagnostic, Finding, Severity, UnknownGroup
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.reach import with_pairs
from roce_lint.engine.run import Rules, judge, see_that_parameters_fit
from roce_lint.errors import LinksError, SettingsError, UsageError
from roce_lint.load.intake import FileRule
from roce_lint.load.load import Loaded, load
from roce_lint.load.pool import CRASH
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan
from roce_lint.nos.registry import all_nos
from roce_lint.resources import resource_dir
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import LineState, Location
from roce_lint.topology.links import build_fabric
from roce_lint.topology.plan_file import PlannedLink, read_plan
from roce_lint.topology.roles import assign_roles

if TYPE_CHECKING:
    from roce_lint.settings import Settings

CABLE_PLANS = ("links.yaml", "links.yml", "links.csv")

DOUBLED = ("two-configs", "two-devices")
"""Diagnostics that say that one name has two whole configurations."""

SHOWN_STATES = (
    LineState.UNDERSTOOD,
    LineState.IGNORED,
    LineState.SHADOWED,
    LineState.UNRECOGNISED,
    LineState.UNCLAIMED,
)


@dataclass(slots=True, frozen=True)
class Request:
    """What one run is asked to do."""

    paths: tuple[str, ...] = (".",)
    links: str | None = None
    intent: str | None = None
    profile: str | None = None
    rules: tuple[str, ...] = ()  # folders of further rule pages
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    jobs: int = 0  # 0: as many as there are processors
    cache: bool = True
    stdin: str | None = None  # text of standard input, where "-" is among the paths


@dataclass(slots=True)
class DeviceSummary:
    """One device as the report lists it; `lines` counts lines (leaves of trees) by state."""

    name: str
    nos: str
    role: str | None
    files: tuple[str, ...]
    lines: dict[str, int]
    oversubscription: float | None = None
    """Gb/s that can come in from below for each of uplinks; None where that is not known."""


@dataclass(slots=True)
class ClassSummary:
    """A traffic class that was judged, who says so, and its design mode per network."""

    name: str
    flow: str
    dscps: tuple[int, ...]
    basis: str
    senders: int
    locations: tuple[Location, ...]
    modes: tuple[str, ...]


@dataclass(slots=True)
class Report:
    """The answer of one run: the only thing reporters read."""

    findings: list[Finding]
    unknowns: list[UnknownGroup]
    diagnostics: list[Diagnostic]
    devices: list[DeviceSummary]
    classes: list[ClassSummary]
    links: int
    judged_ports: int
    rules: dict[str, RulePage]
    skipped: int = 0  # documents beside the configurations that were passed over
    base: str = "."  # the folder file names in the report are relative to
    fabric: Fabric | None = field(default=None, repr=False)
    analysis: Analysis | None = field(default=None, repr=False)
    excerpts: Excerpts | None = field(default=None, repr=False)

    def count(self, severity: Severity) -> int:
        """Findings of a severity that are not suppressed."""
        return sum(1 for f in self.findings if f.severity is severity and f.suppressed is None)

    @property
    def suppressed(self) -> int:
        """Findings that do not count."""
        return sum(1 for f in self.findings if f.suppressed is not None)

    @property
    def incomplete(self) -> bool:
        """True when something could not be read or judged: exit status 3."""
        return any(d.incomplete for d in self.diagnostics)

    @property
    def unrecognised(self) -> int:
        """Unrecognised lines over all devices."""
        return sum(d.lines.get(LineState.UNRECOGNISED.name.lower(), 0) for d in self.devices)


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done, and of how many."""


def run(request: Request, settings: Settings, progress: Progress | None = None) -> Report:
    """Do one whole run.

    Raises:
        UsageError, SettingsError, IntentError, LinksError, RulePageError: the caller must mend
            something first; nothing was judged.
    """
    collecting = gc.isenabled()
    gc.disable()  # nothing of a run forms cycles worth collecting; this is a fifth of the judging
    try:
        return _run(request, settings, progress)
    finally:
        if collecting:
            gc.enable()


def _run(request: Request, settings: Settings, progress: Progress | None) -> Report:
    rules = load_rules(request, settings)
    plan = _plan(request, settings)
    loaded = load(
        request.paths,
        stdin=request.stdin,
        jobs=request.jobs,
        rules=_file_rules(settings),
        cache=request.cache,
        progress=progress,
    )
    fabric, unresolved = build_fabric(loaded.devices, _cables(request, loaded))
    assign_roles(fabric, {pattern: Role(role) for pattern, role in settings.roles.items()})
    fabric.plan = plan
    for ref in plan.src.files if request.intent else ():
        ref.name = os.path.relpath(ref.name, loaded.base)  # like all other files of the report
    analysis = analyse(fabric, plan)
    excerpts = Excerpts(loaded.memory)
    if progress is not None:
        progress("judging", 0, len(rules.pages))
    crashes = [entry for entry in loaded.diagnostics if entry.kind == CRASH]
    doubled = [
        entry
        for entry in loaded.diagnostics
        if entry.kind == DOUBLED[0] or (entry.kind in DOUBLED and entry.incomplete)
    ]
    judged = judge(fabric, analysis, plan, rules, excerpts, crashes, doubled)
    for item in (item for item in unresolved if not item.judged):
        place = excerpts.locate(item.where, "cause")
        loaded.diagnostics.append(
            Diagnostic(place.file, "links", item.text, place.line, incomplete=False)
        )
    wanted = _wanted(request, fabric, loaded.diagnostics)
    findings = with_pairs(judged.findings, analysis, rules.pages, excerpts)
    return Report(
        findings=[kept for finding in findings if (kept := _on(wanted, finding))],
        unknowns=[unknown for unknown in judged.unknowns if unknown.device in wanted],
        diagnostics=loaded.diagnostics + judged.diagnostics,
        devices=[
            _summary(device, analysis)
            for device in fabric.devices.values()
            if device.hostname in wanted
        ],
        classes=_classes(analysis, excerpts),
        links=sum(
            1
            for link in fabric.links
            if link.a.device.hostname in wanted or link.b.device.hostname in wanted
        ),
        judged_ports=sum(1 for port in analysis.ports if port.device.hostname in wanted),
        rules={page.id: page for page in rules.pages},
        skipped=loaded.skipped,
        base=loaded.base,
        fabric=fabric,
        analysis=analysis,
        excerpts=excerpts,
    )


def load_rules(request: Request, settings: Settings) -> Rules:
    """The pages that are selected, with what the settings say of them.

    Raises:
        RulePageError: a page is wrong.
        SettingsError: the settings speak of a rule that does not exist.
    """
    registry.import_checks(checks)
    own = resource_dir("rules")
    pages = load_pages([own, *registry.plugin_pages(), *(Path(folder) for folder in request.rules)])
    known = {page.id for page in pages}
    unknown = sorted(set(settings.rules) - known)
    if unknown:
        place = settings.place("rules", unknown[0])
        hint = None if request.rules else "--rules DIR adds the pages of your own"
        raise SettingsError(f"no rule is called {unknown[0]}", location=place, hint=hint)
    select = request.select or tuple(settings.select)
    ignore = request.ignore or tuple(settings.ignore)
    for key, prefixes in (("select", select), ("ignore", ignore)):
        for prefix in prefixes:
            if not any(page.id.startswith(prefix) for page in pages):
                stated = prefix in getattr(settings, key)
                error = SettingsError if stated else UsageError
                place = settings.place(key) if stated else f"--{key}"
                raise error(f"no rule starts with {prefix!r}", location=place)
    chosen = [
        page
        for page in pages
        if (not select or page.id.startswith(select))
        and not (ignore and page.id.startswith(ignore))
    ]
    if not chosen:
        raise UsageError("what is selected and ignored leaves no rule to judge by")
    rules = Rules(
        chosen,
        {rule: dict(item.params) for rule, item in settings.rules.items() if item.params},
        {
            rule: Severity[item.severity.upper()]
            for rule, item in settings.rules.items()
            if item.severity
        },
        frozenset(known),
        {rule: settings.place("rules", rule, "params") for rule in settings.rules},
    )
    see_that_parameters_fit(rules)
    return rules


def _plan(request: Request, settings: Settings) -> RocePlan:
    base = settings.path.parent if settings.path is not None else Path()
    folders = [base / folder for folder in settings.catalog.profiles]
    missing = next((folder for folder in folders if not folder.is_dir()), None)
    if missing is not None:
        place = settings.place("catalog", "profiles")
        raise SettingsError(f"there is no folder {missing}", location=place)
    if request.intent:
        from roce_lint.intent.schema import read_intent  # noqa: PLC0415  (pydantic only if asked)

        return read_intent(Path(request.intent))
    name = request.profile or settings.profile
    if name:
        from roce_lint.catalog.profiles import profile  # noqa: PLC0415

        try:
            return profile(name, folders)
        except UsageError as error:
            if error.location or name != settings.profile:
                raise
            raise SettingsError(error.message, location=settings.place("profile")) from None
    return RocePlan()


def _cables(request: Request, loaded: Loaded) -> list[PlannedLink]:
    path = Path(request.links) if request.links else None
    if path is None:
        path = next((loaded.control[n] for n in CABLE_PLANS if n in loaded.control), None)
    if path is None:
        return []
    name = os.path.relpath(path, loaded.base)
    try:
        return read_plan(path, name)
    except LinksError as error:  # who must mend it stands in the working folder, not in PATH
        place = (error.location or name).replace(name, str(path), 1)
        raise LinksError(error.message, location=place, hint=error.hint) from None


def _file_rules(settings: Settings) -> tuple[FileRule, ...]:
    for glob, item in settings.files.items():
        if item.nos is not None and item.nos not in all_nos():
            place = settings.place("files", glob, "nos")
            hint = f"known are {', '.join(sorted(all_nos()))}"
            raise SettingsError(f"no reader is called {item.nos!r}", location=place, hint=hint)
    return tuple(
        FileRule(glob, item.nos, item.device, item.ignore, item.role)
        for glob, item in settings.files.items()
    )


def _wanted(request: Request, fabric: Fabric, diagnostics: Sequence[Diagnostic]) -> Container[str]:
    """The names of the devices that the answer is about; "" stands for the fabric as a whole."""
    if not request.device and not request.role:
        return _Everything()
    unread = {entry.device for entry in diagnostics if entry.device}
    return {name for name in unread if _matches(name, request.device) and not request.role} | {
        device.hostname
        for device in fabric.devices.values()
        if is_asked_for(device, request.device, request.role)
    }


def is_asked_for(device: Device, names: Sequence[str], roles: Sequence[str]) -> bool:
    """Whether a device has one of the names (globs) and roles; none given means any."""
    role = device.role.value if device.role is not None else ""
    return _matches(device.hostname, names) and (not roles or role in roles)


def _matches(name: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatch.fnmatchcase(name, glob) for glob in globs)


class _Everything:
    """Contains whatever it is asked for."""

    def __contains__(self, name: object) -> bool:
        return True


def _on(devices: Container[str], finding: Finding) -> Finding | None:
    """The finding on these devices; None where it stands on none of them."""
    kept = [o for o in finding.occurrences if o.device in devices]
    return finding.only(kept) if kept else None


def _summary(device: Device, analysis: Analysis) -> DeviceSummary:
    lines = dict.fromkeys((state.name.lower() for state in SHOWN_STATES), 0)
    for ref in device.src.files:
        for state in SHOWN_STATES:
            lines[state.name.lower()] += ref.states.count(state)
    load = load_of(analysis, device)
    return DeviceSummary(
        device.hostname,
        device.nos,
        device.role.value if device.role is not None else None,
        tuple(ref.name for ref in device.src.files),
        lines,
        load.ratio if load is not None else None,
    )


def _classes(analysis: Analysis, excerpts: Excerpts) -> list[ClassSummary]:
    return [
        ClassSummary(
            traffic.name,
            traffic.flow.value,
            traffic.dscps,
            traffic.basis.value,
            traffic.senders,
            tuple(excerpts.locate(where, "evidence") for where in traffic.where if where.position),
            tuple(
                dict.fromkeys(
                    _mode(analysis.modes[key])
                    for key in sorted(analysis.modes)
                    if key[0] == traffic.name
                )
            ),
        )
        for traffic in analysis.classes
    ]


def _mode(mode: Mode) -> str:
    marking = {True: "ECN marking", False: "no ECN marking", None: "ECN marking not known"}[
        mode.marking
    ]
    yes, no, unknown = mode.pfc_votes
    votes = f"pause on {yes} ports, none on {no}" + (f", not known on {unknown}" if unknown else "")
    return f"{mode.pfc.value}, {marking} ({votes})"
