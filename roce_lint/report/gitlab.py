"""GitLab Code Quality: a JSON list with an issue for every device of a finding."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from roce_lint.engine.finding import WEAKENED, Diagnostic, Finding, Occurrence
from roce_lint.pipeline import Report
from roce_lint.report.markdown import details
from roce_lint.report.places import Places, homes, known_places
from roce_lint.report.selection import Options
from roce_lint.report.wording import ALWAYS, clean, escape_json, spell_occurrence, subjects_of

_SEVERITIES = {"error": "critical", "warning": "minor", "info": "info"}


def render(report: Report, options: Options) -> str:
    """Findings that count; GitLab cannot show suppressed ones."""
    places = Places(report.base, options.cwd)
    files = homes(report)
    issues = [
        _issue(finding, occurrence, files, places)
        for finding in report.findings
        if finding.suppressed is None
        for occurrence in finding.occurrences
    ]
    issues += [_remark(item, places) for item in report.diagnostics if item.kind in ALWAYS]
    _make_unique(issues)
    return escape_json(json.dumps(issues, indent=2, ensure_ascii=False)) + "\n"


def _issue(
    finding: Finding, occurrence: Occurrence, files: dict[str, str], places: Places
) -> dict[str, Any]:
    place = next(iter(known_places(occurrence.locations)), None)
    # An issue must have a path: the device's own file, else the checked folder.
    file = place.file if place is not None else files.get(occurrence.device, ".")
    line = place.line if place is not None else 0
    return {
        "description": f"{finding.rule} {finding.name}: {spell_occurrence(finding, occurrence)} "
        f"[{subjects_of(occurrence)}]",
        "content": {"body": details(finding, occurrence, places)},
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint_of(occurrence),
        "severity": _SEVERITIES[finding.severity.label],
        "location": {"path": clean(places.name(file)), "lines": {"begin": max(line, 1)}},
    }


def _remark(item: Diagnostic, places: Places) -> dict[str, Any]:
    """Issue for a remark that is not a finding, such as a weakened check."""
    text = clean(item.message)
    return {
        "description": f"{item.kind}: {text}",
        "check_name": item.kind,
        "fingerprint": hashlib.sha256(f"{item.kind}\0{text}".encode()).hexdigest()[:32],
        "severity": "info" if item.kind == WEAKENED else "major",
        "location": {
            "path": clean(places.name(item.file)) or ".",
            "lines": {"begin": max(item.line or 1, 1)},
        },
    }


def _make_unique(issues: list[dict[str, Any]]) -> None:
    """Number equal fingerprints: GitLab drops the second of them."""
    seen: Counter[str] = Counter()
    for issue in issues:
        fingerprint = issue["fingerprint"]
        seen[fingerprint] += 1
        if seen[fingerprint] > 1:
            again = f"{fingerprint}#{seen[fingerprint]}"
            issue["fingerprint"] = hashlib.sha256(again.encode()).hexdigest()[:32]
