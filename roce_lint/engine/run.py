"""Run the selected rules over a fabric; return findings and unknowns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from roce_lint.analysis.cache import cached
from roce_lint.analysis.classes import name_together, tagged_priorities
from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.missing_switches import Absent, find_absent, lack_of
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.unread import absent, lack_of_reading, line_beside, line_naming
from roce_lint.budget import GENEROUS, watch_budgets
from roce_lint.engine import registry
from roce_lint.engine.api import BoundObject, Given, Outcome, Problem, Unknown
from roce_lint.engine.baseline import UNUSED
from roce_lint.engine.border import CRASHED, Crash, border
from roce_lint.engine.finding import Certainty, Diagnostic, Finding, Severity, UnknownGroup
from roce_lint.engine.fold import Raw, cover, fold, group_problems
from roce_lint.engine.ignores import Ignores
from roce_lint.engine.merge import group_unknowns, merge_code_points, name_channels
from roce_lint.engine.page import RulePage
from roce_lint.engine.registry import Check, Scope
from roce_lint.engine.waivers import Accept, accept_problems
from roce_lint.errors import RulePageError, SettingsError
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.plan import RocePlan
from roce_lint.phases import advance, phase
from roce_lint.settings import reword_error
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile, SourceMap, Where

READER_CRASHED = "SRC901"
TWO_CONFIGS = "SRC004"
"""Rules of the engine itself: a crashed reader, two configurations of one device. A crashed check
is SRC900."""

NO_CLASS = "the DSCPs that carry RoCE (stated by a host, or lossless on switches)"
"""Missing input of rules about classes where no class is known."""


@dataclass(slots=True)
class Judgement:
    """Findings, unknowns and diagnostics of a run."""

    findings: list[Finding]
    unknowns: list[UnknownGroup]
    diagnostics: list[Diagnostic] = field(default_factory=list)


@dataclass(slots=True)
class Rules:
    """The selected rules with the site's parameters and severities."""

    pages: list[RulePage]
    params: dict[str, dict[str, Any]] = field(default_factory=dict)
    severities: dict[str, Severity] = field(default_factory=dict)
    known: frozenset[str] = frozenset()  # ids of all rules, selected or not
    places: dict[str, str | None] = field(default_factory=dict)  # location of the parameters
    left_out: int = 0  # rules that could be errors and are not selected
    seconds: float = GENEROUS.check_seconds  # of processor time for each; 0: no limit


def judge(
    fabric: Fabric,
    analysis: Analysis,
    plan: RocePlan,
    rules: Rules,
    excerpts: Excerpts,
    unread: Iterable[Diagnostic] = (),
    doubled: Iterable[Diagnostic] = (),
    accept: Accept | None = None,
) -> Judgement:
    """Check a fabric. `unread` are devices whose reader crashed, `doubled` devices with two
    configurations; both become findings. `accept` marks accepted findings.

    Raises:
        RulePageError: a page names a check that does not exist.
        SettingsError: parameters do not fit the check they are for.
    """
    raws = [
        *_own(rules, READER_CRASHED, map(_reader_crashed, unread)),
        *_own(rules, TWO_CONFIGS, (_two_configs(entry, fabric) for entry in doubled)),
    ]
    crashes: list[Crash] = []
    unknowns: list[tuple[RulePage, Unknown]] = []
    with watch_budgets():
        for number, page in enumerate(rules.pages):
            advance("judging", number, len(rules.pages))
            check = registry.get(page.head.check, page.path)
            given = Given(_params(page, check, rules), fabric, analysis, plan)
            one = border(crashes, f"rule {page.id}", page.id, rules.seconds)
            with phase("judging", page.id), one:
                _run_rule(page, rules, check, given, raws, unknowns)
    crashed = {crash.subject for crash in crashes}
    missing = "findings of this rule are missing"
    raws += _own(rules, CRASHED, (_crash_problem(crash, missing) for crash in crashes))
    paths = {page.id: page.path for page in rules.pages}
    diagnostics = [crash.diagnostic(paths[crash.subject]) for crash in crashes]
    lost: list[Crash] = []
    _ignore(raws, rules, fabric, excerpts, crashed, lost)
    platforms = {device.hostname: device.nos for device in fabric.devices.values()}
    guard = partial(border, lost)
    naming = partial(name_together, analysis.classes)
    if accept is not None:
        with border(lost, "to sort out what is accepted"):
            raws = accept_problems(
                group_problems(merge_code_points(raws, naming), platforms, excerpts, guard), accept
            )
    with border(lost, "to tell causes from consequences"):
        raws = name_channels(merge_code_points(cover(raws), naming), fabric)
    findings = fold(raws, platforms, excerpts, guard)
    missing = "findings may be missing or incomplete"
    own = _own(rules, CRASHED, (_crash_problem(crash, missing) for crash in lost))
    findings += fold(own, platforms, excerpts)
    diagnostics += [crash.diagnostic(paths.get(crash.subject, "")) for crash in lost]
    return Judgement(findings, group_unknowns(unknowns, excerpts), diagnostics)


def _run_rule(
    page: RulePage,
    rules: Rules,
    check: Check,
    given: Given[Any],
    raws: list[Raw],
    unknowns: list[tuple[RulePage, Unknown]],
) -> None:
    """Add the outcomes of one rule."""
    fabric, analysis = given.fabric, given.analysis
    severity = rules.severities.get(page.id, page.severity)
    before = len(raws) + len(unknowns)
    analysis.missing_flows.clear()
    unread = {id(d.src): d for d in fabric.devices.values() if d.unread}
    for outcome in outcomes(check, fabric, given):
        if isinstance(outcome, Problem):
            if unread and (lack := _unread_beside(unread, outcome, check)) is not None:
                unknowns.append((page, lack))
                continue
            raws.append(_stamp(page, outcome, severity))
        else:
            unknowns.append((page, outcome))
    if fabric.devices and analysis.missing_flows and before == len(raws) + len(unknowns):
        # The rule needs RoCE classes, there are none, and it yielded nothing else.
        unknowns.append((page, Unknown(NO_CLASS, [])))


def _unread_beside(unread: Mapping[int, Device], problem: Problem, check: Check) -> Unknown | None:
    """Unknown in place of a problem that rests on an absence next to an unrecognised line. `unread`
    are the devices with such lines, by the ids of their sources.
    """
    family = check.name.partition(".")[0]
    if family == "sources":
        return None  # findings about the line itself
    places = problem.at if problem.several or problem.compares else problem.at[:1]
    names = [name for name in problem.lacks if isinstance(name, str)]
    lacks = [absent(place) for place in problem.lacks if isinstance(place, Where)]
    for place in (*places, *(problem.rests_on or ()), *lacks):
        device = unread.get(id(place.src))
        if device is None:
            continue
        line = line_beside(device, [place], family) or line_naming(device, names)
        if line is not None:
            missing = lack_of_reading(family)
            return Unknown(missing, [line.where()], problem.device, problem.subjects)
    return None


def _ignore(
    raws: list[Raw],
    rules: Rules,
    fabric: Fabric,
    excerpts: Excerpts,
    crashed: set[str],
    lost: list[Crash],
) -> None:
    """Suppress problems that an inline ignore matches, and add ignores without a match."""
    ignores = Ignores(excerpts)
    for raw in raws:
        with border(lost, f"to look for what ignores {raw.page.id}", raw.page.id):
            ignores.mark(raw)
    judged = {page.id for page in rules.pages} - crashed
    raws += _own(rules, UNUSED, ignores.find_unused(fabric, judged, rules.known))


def _own(rules: Rules, rule: str, problems: Iterable[Problem]) -> list[Raw]:
    """Findings of the engine itself, if their rule is selected.

    Whatever makes the answer incomplete is also a diagnostic.
    """
    page = next((page for page in rules.pages if page.id == rule), None)
    if page is None:
        return []
    severity = rules.severities.get(rule, page.severity)
    return [_stamp(page, problem, severity) for problem in problems]


def _crash_problem(crash: Crash, consequence: str) -> Problem:
    subjects = (crash.subject,) if crash.subject else ()
    return Problem(crash.text, consequence, [], subjects=subjects, value=crash.text)


def _reader_crashed(crash: Diagnostic) -> Problem:
    """Problem at the first line of the file: the failing line is unknown."""
    text = crash.message.removeprefix(f"{READER_CRASHED} ")
    return Problem(
        text,
        "the device is not checked, and neither is anything that depends on it",
        [_top(crash)],
        device=crash.device,
        value=text.replace(crash.device, "", 1) if crash.device else text,
    )


def _two_configs(entry: Diagnostic, fabric: Fabric) -> Problem:
    owners = (
        device.hostname
        for device in fabric.devices.values()
        if any(ref.name == entry.file for ref in device.src.files)
    )
    device = entry.device or next(owners, "")
    return Problem(
        entry.message,
        "the device runs at most one of them: remove the other from the folder",
        [_top(entry)],
        device=device,
        value=entry.message,
    )


def _top(entry: Diagnostic) -> Where:
    src = SourceMap()
    path, sha = entry.source or (None, "")
    src.add(SourceFile(entry.file, "", sha, path), "", lines=1)
    return Where(src, 1)


def validate_parameters(rules: Rules) -> None:
    """Validate the parameters of all rules before the run.

    Raises:
        RulePageError: a page names a check that does not exist, or parameters it does not take.
        SettingsError: those of a site do not fit.
    """
    for page in rules.pages:
        _params(page, registry.get(page.head.check, page.path), rules)


def _params(page: RulePage, check: Check, rules: Rules) -> Any:
    given = {**page.head.params, **rules.params.get(page.id, {})}
    if check.params is None:
        if given:
            message = f"{page.id} takes no parameters, got {', '.join(sorted(given))}"
            raise SettingsError(message, location=rules.places.get(page.id) or page.path)
        return None
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        return check.params(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = (
            f"parameters of {page.id}: {f'{where}: ' if where else ''}{reword_error(first['msg'])}"
        )
        hint = None
        if first["type"] == "extra_forbidden":
            message = f"{page.id} has no parameter {where!r}"
            hint = f"known: {', '.join(sorted(check.params.model_fields))}"
        if page.id in rules.params:
            raise SettingsError(message, location=rules.places.get(page.id), hint=hint) from error
        raise RulePageError(message, location=page.path) from error


def outcomes(check: Check, fabric: Fabric, given: Given[Any]) -> Iterator[Outcome]:
    """Outcomes of a check on a fabric."""
    analysis = given.analysis
    if check.scope is Scope.FABRIC:
        yield from check.function(fabric, given)
    elif check.scope is Scope.PORT:
        yield from _of_ports(analysis, lambda port: check.function(port, given), check.name)
    elif check.scope is Scope.CLASS_PORT:
        for traffic in analysis.data_classes:
            run = partial(_of_class, check, given, traffic)
            yield from _of_ports(analysis, run, (check.name, traffic.name))
        yield from _by_tag(analysis, hosts=check.stage is not None and check.stage.of_host)
    elif check.scope is Scope.LINK:
        for link in fabric.links:
            yield from _about(check.function(link, given), link.a.device.hostname, ())
        yield from _ports_without_link(given)
    elif check.scope is Scope.DEVICE:
        for device in fabric.devices.values():
            yield from _about(check.function(device, given), device.hostname, ())
    else:
        for device in fabric.devices.values():
            for bound in _bound_objects(device, check.over):
                yield from _about(check.function(bound, given), device.hostname, bound.ports)


def _of_class(
    check: Check, given: Given[Any], traffic: RoceClass, port: JudgedPort
) -> Iterable[Outcome]:
    return check.function(traffic, port, diagnose(given.analysis, traffic, port), given)


def _of_ports(
    analysis: Analysis, run: Callable[[JudgedPort], Iterable[Outcome]], key: Hashable
) -> Iterator[Outcome]:
    for port, outcome in over_kinds(analysis, run, key):
        yield from _about([outcome], port.device.hostname, (port.interface.name,))


BY_TAG = "the treatment of RoCE identified by 802.1p priority only (classes are identified by DSCP)"


def _by_tag(analysis: Analysis, *, hosts: bool) -> Iterator[Unknown]:
    """Ports that identify no-drop traffic by 802.1p tag: no DSCP can be followed through them. With
    `hosts`, only those of hosts.
    """
    for port in analysis.ports if analysis.tagged else ():
        qos = port.interface.qos
        if qos is not None and tagged_priorities(port) and (port.device.is_host or not hosts):
            name = port.interface.name
            yield Unknown(BY_TAG, [qos.where("classifier")], port.device.hostname, (name,))


def _about(
    outcomes: Iterable[Outcome], device: str, subjects: tuple[str, ...]
) -> Iterator[Outcome]:
    for outcome in outcomes:
        if not outcome.device:
            outcome.device = device
            outcome.subjects = outcome.subjects or subjects
        yield outcome


def _ports_without_link(given: Given[Any]) -> Iterator[Unknown]:
    """Unknowns of link rules for ports in scope without a known peer, if there is RoCE to check."""
    if not given.analysis.data_classes:
        return
    for missing, where, device, names in _loose(given.analysis):
        yield Unknown(missing, [where], device, names, "link" if missing == NO_PEER else "")


@cached
def _loose(analysis: Analysis) -> list[tuple[str, Where, str, tuple[str, ...]]]:
    """Missing inputs for ports without a known peer, by device, with these ports."""
    found = []
    unread = find_absent(analysis.fabric, hosts=True) | analysis.absent
    peerless: dict[int, list[Interface]] = {}
    for owner, port_alone in analysis.loose:
        peerless.setdefault(id(owner), []).append(port_alone)
    for device in analysis.fabric.devices.values():
        alone: dict[str, list[Interface]] = {}
        for port in analysis.ports_of(device):
            if port.peer is None:
                alone.setdefault(_missing(unread, port), []).append(port.interface)
        if id(device) in peerless:
            alone.setdefault(NO_PEER, []).extend(peerless[id(device)])
        for missing, ports in alone.items():
            names = tuple(port.name for port in ports)
            found.append((missing, ports[0].where(), device.hostname, names))
    return found


NO_PEER = "the peer port (provide LLDP output or links.yaml)"


def _missing(unread: Absent, port: JudgedPort) -> str:
    neighbor = unread.get(port.key)
    return NO_PEER if neighbor is None else lack_of(neighbor.device)


_BINDING = {
    "classifiers": "classifier",
    "forwardings": "forwarding",
    "egress": "egress",
    "rewrites": "rewrite",
    "ingress_buffers": "ingress_buffer",
}


def _bound_objects(device: Device, over: str) -> Iterator[BoundObject[Any]]:
    objects = getattr(device.qos, over)
    users: dict[str, list[str]] = {}
    for port in device.interfaces.values():
        name = getattr(port.qos, _BINDING[over]) if port.qos is not None else None
        if name is not None:
            users.setdefault(name, []).append(port.name)
    for name, item in objects.items():
        yield BoundObject(device, name, item, tuple(users.get(name, ())))


def _stamp(page: RulePage, problem: Problem, severity: Severity) -> Raw:
    """The problem with its severity: at most a warning if it rests on an unconfirmed default or an
    assumed link.
    """
    if problem.severity is not None:
        severity = min(severity, problem.severity)
    notes = []
    doubts = problem.doubts
    if doubts:
        notes.append(f"assumes an unconfirmed default ({_citation(doubts[0])})")
    else:
        shown = [place for place in problem.at if not place.confirmed]
        notes += [
            f"holds for any value of an unconfirmed default ({_citation(w)})" for w in shown[:1]
        ]
    if problem.assumed:
        notes.append(problem.assumed)
    if not doubts and not problem.assumed:
        return Raw(page, problem, severity, Certainty.HIGH, tuple(notes))
    lowered = min(severity, Severity.WARNING)
    return Raw(page, problem, lowered, Certainty.LOW, tuple(notes), undoubted=severity)


def _citation(place: Where) -> str:
    return place.citation.says if place.citation is not None else ""
