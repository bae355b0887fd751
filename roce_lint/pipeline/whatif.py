"""A fabric judged as it is and as it would be: read once, and nothing written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roce_lint.analysis.tags import forget_tags
from roce_lint.errors import UsageError
from roce_lint.loading.load import LoadResult, load
from roce_lint.model.apply import WHAT_IF, Lines, apply_settings
from roce_lint.model.apply_fabric import is_of_link, with_devices, with_links
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.path import Path, short
from roce_lint.pipeline.changes import AppliedChange, Wish, no_such_path, ports_of, settings_of
from roce_lint.pipeline.garbage import pause_collection
from roce_lint.pipeline.inputs import cables_of, file_rules
from roce_lint.pipeline.judging import Terms
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Progress, Request
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.topology.links import build_fabric

LINKED_BY = {"neighbors", "addresses", "description", "kind", "vrf"}
"""Fields of a port from which links are known: where one changes, all are worked out anew."""


@dataclass(slots=True)
class WhatIf:
    """The answers before and after, and what was changed."""

    before: Report
    after: Report
    made: list[AppliedChange]
    cut: list[tuple[str, str]]


def what_if(
    request: Request,
    settings: Settings,
    wishes: Sequence[Wish],
    cuts: Sequence[Path],
    progress: Progress | None = None,
) -> WhatIf:
    """Read a fabric and judge it before and after the changes.

    Raises:
        UsageError: a change is about nothing, or two contradict each other.
        SettingsError, LinksError, IntentError, RulePageError: something else is to be mended.
    """
    with pause_collection():
        loaded = load(
            request.paths,
            stdin=request.stdin,
            jobs=request.jobs,
            rules=file_rules(settings),
            cache=request.cache,
            progress=progress,
        )
        terms = Terms.of(request, settings)
        terms.keeps = True
        before = terms.report(loaded, progress)
        if before.fabric is not None:
            forget_tags(before.fabric)
        return _judge(terms, loaded, before, wishes, cuts)


def _judge(
    terms: Terms, loaded: LoadResult, before: Report, wishes: Sequence[Wish], cuts: Sequence[Path]
) -> WhatIf:
    fabric = before.fabric or Fabric()
    made = settings_of(wishes, fabric)
    gone = _cut(cuts, fabric)
    lines = Lines([each.setting for each in made])
    now = _change(fabric, made, lines, terms, loaded)
    links = [each.setting for each in made if is_of_link(each.setting.path)]
    if links or gone:
        now = with_links(now, links, gone, lines)
    excerpts = (before.excerpts or Excerpts(loaded.memory)).extend({WHAT_IF: lines.file})
    after = terms.answer(loaded, now, excerpts=excerpts, like=before.analysis)
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
        return with_devices(fabric, devices)
    every = [devices.get(name, device) for name, device in fabric.devices.items()]
    anew, _ = build_fabric(every, cables_of(terms.request, loaded))
    anew.plan = fabric.plan
    return anew
