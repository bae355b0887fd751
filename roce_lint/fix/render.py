"""Fixes as a diff, a plan for people, JSON, or commands with rollback; in rollout order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.engine.finding import Severity
from roce_lint.fix.offers import Answer, Case, Offer, describe_change
from roce_lint.fix.peers import Deviation
from roce_lint.fix.prove import Atom, State, atoms
from roce_lint.model.change import Safety, rollout_rank
from roce_lint.nos.base import FileEdit
from roce_lint.nos.registry import all_nos
from roce_lint.text.folders import NO_CONFIGURATION
from roce_lint.text.redaction import MASK, redact, secret_lines
from roce_lint.text.splice import splice, unified_diff

# Rollout order, with the state of the fabric after each step.


@dataclass(slots=True)
class Wave:
    """Devices changed together, and findings that are temporarily worse."""

    role: str
    devices: list[str]
    worse: list[Atom]
    """Atoms of new findings: a known one may appear on more ports for a while."""


def waves(answer: Answer, offers: Sequence[Offer]) -> list[Wave]:
    """Devices of some fixes, from the core to the hosts: the path is ready before traffic uses it.

    The fabric is checked after each wave; the last state is the verified one.

    Raises:
        OSError: a copy of the tree could not be made.
    """
    steps: dict[int, list[Deviation]] = {}
    for each in (each for offer in offers for each in offer.way):
        device = answer.before.devices[each.device]
        steps.setdefault(rollout_rank(device.role), []).append(each)
    known = {finding.fingerprint for finding in answer.before.report.findings}
    found: list[Wave] = []
    done: list[Deviation] = []
    for number, step in enumerate(sorted(steps), 1):
        done += steps[step]
        names = sorted({each.device for each in steps[step]})
        role = answer.before.devices[names[0]].role
        state = answer.at(offers) if number == len(steps) else _between(answer, done)
        came = (each for each in state.report.findings if each.fingerprint not in known)
        worse = sorted(atoms(came) - answer.before.atoms)
        found.append(Wave(role.value if role is not None else "device", names, worse))
    return found


def _between(answer: Answer, done: Sequence[Deviation]) -> State:
    return answer.proof.with_changes(done, answer.files)


# Diff, plan and JSON.

SHOWN = 4
"""Changes of the model listed one by one."""


def choose_offers(answer: Answer, *, disruptive: bool) -> list[Offer]:
    """The fixes that may be written."""
    return [each for each in answer.offers if disruptive or each.safety is Safety.SAFE]


def texts_of(answer: Answer, offers: Iterable[Offer]) -> dict[str, str]:
    """Corrected texts of files, by the names that reports use."""
    splices: dict[str, list[Any]] = {}
    for offer in offers:
        for each in offer.way:
            splices.setdefault(each.file, []).append(each.splice)
    return {name: splice(answer.files[name].text, own) for name, own in sorted(splices.items())}


def as_diff(answer: Answer, offers: list[Offer]) -> Iterator[str]:
    """For each file the fixed findings, then the unified diff; secrets are masked."""
    for name, text in texts_of(answer, offers).items():
        for offer in offers:
            if any(each.file == name for each in offer.way):
                yield from (f"# {line}\n" for line in _describe(offer))
        yield from _mask(answer.files[name].text, text, name)


def _mask(before: str, after: str, name: str) -> Iterator[str]:
    """A diff with secrets masked, including lines that a line above marks as secret."""
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
    """README of a folder of corrected files; `without` are devices without commands."""
    left = f"\nLoad the corrected file of {', '.join(without)}: no commands are known.\n"
    return (
        f"# Fixes for {Path(path).resolve().name}\n\n"
        f"Made by roce-lint {__version__} fix.\n\n"
        "- `configs/`: the corrected files, each at its path in the checked folder\n"
        "- `commands/`, `rollback/`: the same as commands for a running device, and rollback\n"
        "- `plan.md`: changes, rollout order, and manual work\n"
        "- `plan.json`: the same for programs\n"
        "- `manifest.json`: the hashes of all files\n"
    ) + (left if without else "")


def _steps(steps: Sequence[Wave]) -> Iterator[str]:
    """Rollout order of the devices."""
    if steps:
        yield "\n# Rollout order\n\n"
    for number, wave in enumerate(steps, 1):
        yield f"{number}. {wave.role}: {', '.join(wave.devices)}\n"
        for rule, severity, device, subject, _ in wave.worse:
            fault = f"{Severity(severity).label} {rule} on {device} {subject}".rstrip()
            yield f"   - until the next step: {fault}\n"


def _atom(atom: Atom) -> dict[str, str]:
    rule, severity, device, subject, _ = atom
    label = Severity(severity).label
    return {"rule": rule, "severity": label, "device": device, "subject": subject}


def as_plan(answer: Answer, offers: list[Offer], steps: Sequence[Wave]) -> Iterator[str]:
    """The plan as Markdown."""
    yield "# Changes\n\n"
    for offer in offers:
        first, *more = _describe(offer)
        yield f"- {first}\n"
        yield from (f"  - {line.strip()}\n" for line in more)
    yield from _steps(steps)
    if answer.manual:
        yield "\n# Manual work\n\n"
        yield from (f"- {_title(case)}: {case.reason}\n" for case in answer.manual)
    held = [each for each in answer.offers if each not in offers]
    if held:
        yield "\n# Verified, not written: may disrupt traffic (--disruptive)\n\n"
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


# Commands for running devices, with rollback.

COMMANDS, ROLLBACK = "commands", "rollback"


def commands_of(answer: Answer, texts: Mapping[str, str]) -> dict[str, str]:
    """Files of commands by path: to change each device's files to these texts, and to roll back.

    Systems without declared commands have none.
    """
    known = all_nos()
    found: dict[str, str] = {}
    for name, text in texts.items():
        file = answer.files[name]
        made = known[file.device.nos].commands
        if made is None:
            continue
        there, back = FileEdit(file.text, text), FileEdit(text, file.text)
        for folder, edited in ((COMMANDS, there), (ROLLBACK, back)):
            lines = made(edited)
            if lines:
                path = _path(folder, file.device.hostname)
                found[path] = found.get(path, f"{NO_CONFIGURATION}\n") + lines
    return found


def without_commands(
    answer: Answer, texts: Mapping[str, str], made: Mapping[str, str]
) -> list[str]:
    """Devices with a corrected file but no commands: the file has to be loaded."""
    names = {answer.files[name].device.hostname for name in texts}
    return sorted(name for name in names if _path(COMMANDS, name) not in made)


def _path(folder: str, device: str) -> str:
    return f"{folder}/{device.replace('/', '_')}.txt"
