"""What differs between two runs, in short: findings that are gone, those that came, the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roce_lint.report.blocks import Blocks, style_of
from roce_lint.report.layout import EMPTY, Line, line
from roce_lint.report.options import Options
from roce_lint.report.places import Places
from roce_lint.report.wording import one_line, spell_finding, verdict
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.states import StateDifference


def as_lines(
    differing: StateDifference, before: Report, after: Report, options: Options
) -> Iterator[Line]:
    """Gone in a line each, new ones whole, then how many stay and the verdict."""
    for finding in differing.gone:
        text = f" {finding.rule} {one_line(finding.device)}: {spell_finding(finding)}"
        yield line(("gone", "good"), text, hang=4)
    roles = {device.name: device.role for device in after.devices}
    blocks = Blocks(Places(after.base, options.cwd), roles)
    for finding in differing.new:
        yield EMPTY
        yield line(("new", style_of(finding)))
        yield from blocks.whole(finding)
    if differing.gone or differing.new:
        yield EMPTY
    yield line(
        f"{count(len(differing.new), 'new finding')}, {len(differing.gone)} gone, "
        f"{len(differing.stays)} as before"
    )
    now = verdict(after.verdict)
    same = " (as before)" if now == verdict(before.verdict) else ""
    yield line((now, "strong"), same)
