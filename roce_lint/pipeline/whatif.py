"""Findings before and after a hypothetical change: files are read once, nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from roce_lint.analysis.analyse import forget_tags
from roce_lint.budget import pause_collection
from roce_lint.engine.waivers import waive
from roce_lint.errors import UsageError
from roce_lint.loading.load import LoadResult
from roce_lint.model.apply import WHAT_IF, Lines, Setting, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric, Link
from roce_lint.model.path import Path, PathError, short
from roce_lint.model.schema import LINKS
from roce_lint.pipeline.changes import (
    AppliedChange,
    RequestedChange,
    no_such_path,
    ports_of,
    settings_of,
)
from roce_lint.pipeline.evaluation import Terms
from roce_lint.pipeline.inputs import cables_of
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.runner import Run, load_files
from roce_lint.text.excerpts import Excerpts
from roce_lint.topology.links import build_fabric


def with_links(
    fabric: Fabric, settings: Iterable[Setting], cut: Iterable[tuple[str, str]], lines: Lines
) -> Fabric:
    """Return a fabric with link fields set, and without the links on the ports that are cut."""
    changed_links: dict[int, Link] = {}
    for setting in settings:
        port, field = setting.path.steps[0].key or "", setting.path.steps[1].field
        link = fabric.link_of(setting.path.device, port)
        if link is None:
            raise PathError(f"{setting.path}: this port has no known link")
        new = changed_links.get(id(link)) or replace(link)
        setattr(new, field, setting.value)
        new.where = (lines.where(setting.line), *link.where)
        changed_links[id(link)] = new
    gone = {id(link) for key in cut if (link := fabric.link_of(*key)) is not None}

    def now(link: Link) -> Link:
        return changed_links.get(id(link), link)

    return replace(
        fabric,
        links=[now(link) for link in fabric.links if id(link) not in gone],
        by_port={k: now(link) for k, link in fabric.by_port.items() if id(link) not in gone},
        inferred_tagging=[],
    )


def is_of_link(path: Path) -> bool:
    """Whether a path leads to a field of a link."""
    return bool(path.steps) and path.steps[0].field == LINKS


LINKED_BY = {"neighbors", "addresses", "description", "kind", "vrf"}
"""Fields of a port that define links: a change to one rebuilds all links."""


@dataclass(slots=True)
class WhatIf:
    """The reports before and after, and the changes."""

    before: Report
    after: Report
    made: list[AppliedChange]
    cut: list[tuple[str, str]]


def what_if(run: Run, requests: Sequence[RequestedChange], cuts: Sequence[Path]) -> WhatIf:
    """Read a fabric and check it before and after the changes; waived findings are marked.

    Raises:
        UsageError: a change matches nothing, or two contradict each other.
        SettingsError, LinksError, IntentError, RulePageError: another input is wrong.
    """
    request, settings = run.request, run.settings
    with pause_collection():
        loaded = load_files(request, settings)
        terms = Terms.of(request, settings)
        terms.keeps = True
        before = terms.report(loaded)
        if before.fabric is not None:
            forget_tags(before.fabric)
        found = _judge(terms, loaded, before, requests, cuts)
    today = date.today()  # noqa: DTZ011  (the user's day)
    for report in (found.before, found.after):
        report.findings = waive(report.findings, settings, today).findings
    found.after.diagnostics = [*run.weakening(found.after), *found.after.diagnostics]
    return found


def _judge(
    terms: Terms,
    loaded: LoadResult,
    before: Report,
    requests: Sequence[RequestedChange],
    cuts: Sequence[Path],
) -> WhatIf:
    fabric = before.fabric or Fabric()
    made = settings_of(requests, fabric)
    gone = _cut(cuts, fabric)
    lines = Lines([each.setting for each in made])
    now = _change(fabric, made, lines, terms, loaded)
    links = [each.setting for each in made if is_of_link(each.setting.path)]
    if links or gone:
        now = with_links(now, links, gone, lines)
    excerpts = (before.excerpts or Excerpts(loaded.memory)).extend({WHAT_IF: lines.file})
    shown = replace(terms, request=replace(terms.request, remedies=True))
    after = shown.answer(loaded, now, excerpts=excerpts, like=before.analysis)
    forget_tags(now)
    return WhatIf(before, after, made, gone)


def _cut(cuts: Sequence[Path], fabric: Fabric) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in cuts:
        named = ports_of(path, fabric)
        if not named:
            raise no_such_path(path, fabric, "--cut")
        ports = [key for key in named if fabric.link_of(*key) is not None]
        if not ports:
            named_so = short(path.device, path.port or "")
            raise UsageError(f"--cut {named_so}: no link is known there")
        found += ports
    return list(dict.fromkeys(found))


def _change(
    fabric: Fabric, made: Sequence[AppliedChange], lines: Lines, terms: Terms, loaded: LoadResult
) -> Fabric:
    by_device: dict[str, list[AppliedChange]] = {}
    for each in made:
        if not is_of_link(each.setting.path):
            by_device.setdefault(each.setting.path.device, []).append(each)
    devices: dict[str, Device] = {
        name: apply_settings(fabric.devices[name], [each.setting for each in own], lines)
        for name, own in by_device.items()
    }
    moved = any(
        len(each.setting.path.steps) > 1 and each.setting.path.steps[1].field in LINKED_BY
        for own in by_device.values()
        for each in own
    )
    if not moved:
        return fabric.with_devices(devices)
    every = [devices.get(name, device) for name, device in fabric.devices.items()]
    anew, _ = build_fabric(every, cables_of(terms.request, loaded))
    anew.plan = fabric.plan
    return anew
