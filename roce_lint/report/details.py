"""What a short description of a finding leaves out, as Markdown: for tickets and merge requests."""

from __future__ import annotations

from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.report.blocks import SHOWN, list_places
from roce_lint.report.layout import plain
from roce_lint.report.markdown import cell, code, fence
from roce_lint.report.places import Places, known_places
from roce_lint.report.wording import put_right, reach_of


def details(finding: Finding, occurrence: Occurrence, places: Places) -> str:
    """The lines of a finding on one device, how far it reaches, what would put it right."""
    found = known_places(occurrence.locations)
    shown = [place for place in found if place.role == "cause"][:SHOWN]
    shown += [place for place in found if place.role != "cause"][:SHOWN]
    parts = [fence(plain(list_places(shown, places, indent=0)))] if shown else []
    if finding.pairs is not None:
        parts.append(cell(reach_of(finding.pairs)))
    parts += [f"Note: {cell(note)}" for note in finding.notes]
    if remedy := put_right(finding, occurrence.device):
        parts.append(f"Fix: {cell(remedy)}")
    parts.append(f"Details and fix: {code(finding.help)}")
    return "\n\n".join(parts)
