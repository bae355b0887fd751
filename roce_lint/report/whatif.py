"""What a change that is in no file would bring: for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from roce_lint.model.path import short
from roce_lint.model.values import spell_value
from roce_lint.report.blocks import Blocks
from roce_lint.report.layout import EMPTY, Line, line
from roce_lint.report.names import compress
from roce_lint.report.options import Options
from roce_lint.report.places import Places
from roce_lint.report.wording import escape_json, one_line
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.engine.finding import Finding
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.changes import AppliedChange
    from roce_lint.pipeline.states import StateDifference
    from roce_lint.pipeline.whatif import WhatIf

SCHEMA = "roce-lint/whatif/1"


def as_lines(found: WhatIf, turned: StateDifference, options: Options) -> Iterator[Line]:
    """The changes, and then what would be gone, what would come, and what stays."""
    yield line(("what if", "strong"))
    for text, where, before in _by_wish(found.made):
        yield line(f"{one_line(text)}  ", (f"({where}; before: {before})", "dim"), indent=4)
    for device, port in found.cut:
        yield line(f"cut {one_line(short(device, port))}", indent=4)
    for title, findings, report in (
        ("would be gone", turned.gone, found.before),
        ("would come", turned.new, found.after),
        ("would stay", turned.stays, found.after),
    ):
        yield EMPTY
        yield line((f"{title}: {count(len(findings), 'finding')}", "strong"))
        for finding in findings:
            yield EMPTY
            yield from _block(finding, report, options)


def _block(finding: Finding, report: Report, options: Options) -> Iterator[Line]:
    roles = {device.name: device.role for device in report.devices}
    blocks = Blocks(Places(report.base, options.cwd), roles, verbose=options.verbose)
    yield from blocks.whole(finding)


def _by_wish(made: list[AppliedChange]) -> Iterator[tuple[str, str, str]]:
    """Each change with what it is about and the values that were there."""
    groups: dict[str, list[AppliedChange]] = {}
    for each in made:
        groups.setdefault(each.wish.text, []).append(each)
    for text, group in groups.items():
        devices = dict.fromkeys(each.setting.path.device for each in group)
        before = dict.fromkeys(
            spell_value(each.before, each.setting.path.steps[-1].field) for each in group
        )
        where = compress(map(one_line, devices))
        ports = len({(e.setting.path.device, str(e.setting.path.steps[0])) for e in group})
        if ports > len(devices):
            where += f", {count(ports, 'place')}"
        yield text, where, ", ".join(map(one_line, before))


def as_data(found: WhatIf, turned: StateDifference) -> dict[str, Any]:
    """The same as JSON data."""
    from roce_lint.report import weakening  # noqa: PLC0415
    from roce_lint.report.json import finding_data  # noqa: PLC0415  (pydantic)

    return {
        "schema": SCHEMA,
        "changes": [
            {
                "path": str(each.setting.path),
                "old": _text(each.before, each),
                "new": _text(each.setting.value, each),
                "from": each.wish.origin,
                "text": each.wish.text,
            }
            for each in found.made
        ],
        "cut": [short(device, port) for device, port in found.cut],
        "gone": [finding_data(finding) for finding in turned.gone],
        "new": [finding_data(finding) for finding in turned.new],
        "stays": [finding_data(finding) for finding in turned.stays],
        "weakened_by": weakening.as_data(found.after.diagnostics),
    }


def _text(value: Any, each: AppliedChange) -> str | None:
    return None if value is None else spell_value(value, each.setting.path.steps[-1].field)


def render(found: WhatIf, turned: StateDifference) -> str:
    """JSON text."""
    return escape_json(json.dumps(as_data(found, turned), indent=2, ensure_ascii=False)) + "\n"
