"""Offers in words: as a diff, as a plan for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.engine.finding import Severity
from roce_lint.fix.offers import Answer, Case, Offer, describe_change
from roce_lint.fix.prove import Atom
from roce_lint.fix.waves import Wave
from roce_lint.model.change import Safety
from roce_lint.text.redaction import MASK, redact
from roce_lint.text.secret_labels import secret_lines
from roce_lint.text.splice import splice, unified_diff

SHOWN = 4
"""Changes of the model that are named one by one."""


def choose_offers(answer: Answer, *, disruptive: bool) -> list[Offer]:
    """The offers that may be written."""
    return [each for each in answer.offers if disruptive or each.safety is Safety.SAFE]


def texts_of(answer: Answer, offers: Iterable[Offer]) -> dict[str, str]:
    """The corrected texts of files, by the names that reports use."""
    splices: dict[str, list[Any]] = {}
    for offer in offers:
        for each in offer.way:
            splices.setdefault(each.file, []).append(each.splice)
    return {name: splice(answer.files[name].text, own) for name, own in sorted(splices.items())}


def as_diff(answer: Answer, offers: list[Offer]) -> Iterator[str]:
    """Per file what is mended, then the unified diff; secrets are masked."""
    for name, text in texts_of(answer, offers).items():
        for offer in offers:
            if any(each.file == name for each in offer.way):
                yield from (f"# {line}\n" for line in _describe(offer))
        yield from _mask(answer.files[name].text, text, name)


def _mask(before: str, after: str, name: str) -> Iterator[str]:
    """A diff in which no line shows a secret, also one that a line above tells to be one."""
    sides = {" ": after.split("\n"), "+": after.split("\n"), "-": before.split("\n")}
    secret = {sign: {lines[n - 1] for n in secret_lines(lines)} for sign, lines in sides.items()}
    for line in unified_diff(before, after, name):
        sign, body = line[:1], line[1:].rstrip("\n")
        if sign in secret and not line.startswith(("+++ ", "--- ")):
            shown = MASK if body in secret[sign] else redact(body)
            yield f"{sign}{shown}\n"
        else:
            yield line


def _describe(offer: Offer) -> Iterator[str]:
    for case in offer.cases:
        yield f"{_title(case)} [{offer.safety.value}; {offer.why}]"
    changes = [describe_change(each) for each in offer.changes]
    yield from (f"  {change}" for change in changes[:SHOWN])
    if len(changes) > SHOWN:
        yield f"  and {len(changes) - SHOWN} more values"


def _title(case: Case) -> str:
    finding, occurrence = case.finding, case.occurrence
    where = ", ".join(occurrence.subjects[:SHOWN])
    if len(occurrence.subjects) > SHOWN:
        where += f" and {len(occurrence.subjects) - SHOWN} more"
    return f"{finding.rule} {finding.name} on {occurrence.device} {where}".rstrip()


def as_readme(path: str, without: Sequence[str]) -> str:
    """What a folder of corrected files holds; `without` are devices that have no commands in it."""
    left = f"\nLoad the corrected file of {', '.join(without)}: no commands are known.\n"
    return (
        f"# Corrections of {Path(path).resolve().name}\n\n"
        f"Made by roce-lint {__version__} fix.\n\n"
        "- `configs/`: the corrected files, each at its path below what was judged\n"
        "- `commands/`, `rollback/`: the same as commands for a running device, and the way back\n"
        "- `plan.md`: what is changed, in which order, and what is left to a person\n"
        "- `plan.json`: the same for programs\n"
        "- `manifest.json`: the hashes of all files\n"
    ) + (left if without else "")


def _steps(steps: Sequence[Wave]) -> Iterator[str]:
    """The order in which devices are changed."""
    if steps:
        yield "\n# In this order\n\n"
    for number, wave in enumerate(steps, 1):
        yield f"{number}. {wave.role}: {', '.join(wave.devices)}\n"
        for rule, severity, device, subject, _ in wave.worse:
            said = f"{Severity(severity).label} {rule} stands on {device} {subject}".rstrip()
            yield f"   - until the next step is done, {said}\n"


def _atom(atom: Atom) -> dict[str, str]:
    rule, severity, device, subject, _ = atom
    label = Severity(severity).label
    return {"rule": rule, "severity": label, "device": device, "subject": subject}


def as_plan(answer: Answer, offers: list[Offer], steps: Sequence[Wave]) -> Iterator[str]:
    """The plan as Markdown."""
    yield "# What is changed\n\n"
    for offer in offers:
        first, *more = _describe(offer)
        yield f"- {first}\n"
        yield from (f"  - {line.strip()}\n" for line in more)
    yield from _steps(steps)
    for title, cases in (("Left to a person", answer.manual),):
        if cases:
            yield f"\n# {title}\n\n"
            yield from (f"- {_title(case)}: {case.reason}\n" for case in cases)
    held = [each for each in answer.offers if each not in offers]
    if held:
        yield "\n# Proved, and not written: may disturb traffic (--disruptive)\n\n"
        yield from (f"- {next(_describe(offer))}\n" for offer in held)


def as_data(answer: Answer, offers: list[Offer], steps: Sequence[Wave]) -> str:
    """The plan as JSON."""
    data = {
        "waves": [
            {
                "role": wave.role,
                "devices": wave.devices,
                "worse": [_atom(each) for each in wave.worse],
            }
            for wave in steps
        ],
        "fixes": [_offer(each, written=each in offers) for each in answer.offers],
        "manual": [
            {
                "rule": case.finding.rule,
                "fingerprint": case.finding.fingerprint,
                "device": case.occurrence.device,
                "subjects": list(case.occurrence.subjects),
                "reason": case.reason,
            }
            for case in answer.manual
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _offer(offer: Offer, *, written: bool) -> dict[str, Any]:
    return {
        "proved": True,
        "written": written,
        "safety": offer.safety.value,
        "why": offer.why,
        "findings": [
            {
                "rule": case.finding.rule,
                "fingerprint": case.finding.fingerprint,
                "device": case.occurrence.device,
                "subjects": list(case.occurrence.subjects),
            }
            for case in offer.cases
        ],
        "changes": [
            {
                "path": str(each.path),
                "device": each.path.device,
                "told": describe_change(each),
            }
            for each in offer.changes
        ],
        "edits": [
            {
                "file": each.file,
                "line": each.splice.first,
                "removed": each.splice.count,
                "lines": [redact(line) for line in each.splice.lines],
            }
            for each in offer.way
        ],
    }
