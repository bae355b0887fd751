"""Fixes as a diff, a plan for people, JSON, or commands with rollback; in rollout order."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.catalog.changes import KnownChange, known_change
from roce_lint.engine.finding import Finding, Occurrence, Severity, VerifiedFix
from roce_lint.engine.page import REASONS
from roce_lint.fix.offers import (
    CUT_FILE,
    LIVE,
    NO_VALUE,
    NO_WORDING,
    Answer,
    Case,
    Corrected,
    Offer,
    describe_change,
)
from roce_lint.fix.prove import Atom, atoms
from roce_lint.model.change import Change, Safety, rollout_rank
from roce_lint.nos.base import FileEdit
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.commands import commands, text_commands
from roce_lint.text.folders import NO_CONFIGURATION
from roce_lint.text.names import first_names
from roce_lint.text.redaction import MASK, redact, secret_lines
from roce_lint.text.splice import splice, unified_diff

# Rollout order, with the state of the fabric after each step.

MARKS = frozenset({"traffic_class", "cma_tos", "own_dscp", "cnp_dscp", "emits", "rewrite"})
"""Fields that give packets another DSCP: every map is changed before them."""


@dataclass(slots=True)
class Wave:
    """Devices changed together, and findings that are temporarily worse."""

    role: str
    devices: list[str]
    worse: list[Atom]
    """Atoms of new findings: a known one may appear on more ports for a while."""


def waves(answer: Answer, offers: Sequence[Offer]) -> list[Wave]:
    """Devices of some fixes, from the core to the hosts, and maps before marks: the path is ready
    before traffic uses it.

    The fabric is checked after each wave; the last state is the verified one.
    """
    steps: dict[tuple[int, bool], list[Change]] = {}
    for change in (change for offer in offers for change in offer.changes):
        device = answer.before.devices[change.path.device]
        marks = not MARKS.isdisjoint(step.field for step in change.path.steps)
        steps.setdefault((rollout_rank(device.role), marks), []).append(change)
    known = {finding.fingerprint for finding in answer.before.report.findings}
    found: list[Wave] = []
    done: list[Change] = []
    for number, step in enumerate(sorted(steps), 1):
        done += steps[step]
        names = sorted({change.path.device for change in steps[step]})
        role = answer.before.devices[names[0]].role
        state = answer.at(offers) if number == len(steps) else answer.with_changes(done)
        came = (
            each
            for each in state.report.findings
            if each.fingerprint not in known and each.rule != LIVE
        )
        worse = sorted(atoms(came) - answer.before.atoms)
        found.append(Wave(role.value if role is not None else "device", names, worse))
    return found


# Diff, plan and JSON.

SHOWN = 4
"""Changes of the model listed one by one."""


def choose_offers(answer: Answer, *, disruptive: bool) -> list[Offer]:
    """The fixes that may be written."""
    return [each for each in answer.offers if disruptive or each.safety is Safety.SAFE]


def texts_of(answer: Answer, offers: Iterable[Offer]) -> dict[str, str]:
    """Corrected texts of files, by the names that reports use."""
    return {
        name: splice(answer.files[name].text, splices)
        for device in answer.made(offers).values()
        for name, splices in sorted(device.splices.items())
        if splices
    }


def as_diff(answer: Answer, offers: list[Offer]) -> Iterator[str]:
    """For each device the fixed findings, and the unified diff of each file, or commands where it
    has no file; secrets are masked.
    """
    for name, made in answer.made(offers).items():
        for offer in offers:
            if name in offer.devices:
                yield from (f"# {line}\n" for line in _describe(offer))
        if not made.splices:
            yield from (f"# {name}: {line}\n" for line in _commands(answer, made).splitlines())
        for file, splices in sorted(made.splices.items()):
            before = answer.files[file].text
            yield from _mask(before, splice(before, splices), file)


def with_fixes(findings: Iterable[Finding], answer: Answer) -> list[Finding]:
    """Findings with the changes of their verified fixes, texts and edits; those without one have
    the reason as a note, and no commands.
    """
    known: dict[Hashable, tuple[tuple[Change, ...], VerifiedFix]] = {}
    for offer in answer.offers:
        made = answer.made([offer]).values()
        edits = [
            (file, edit) for each in made for file, own in each.splices.items() for edit in own
        ]
        if any(redact(line) != line for _, edit in edits for line in edit.lines):
            edits = []  # a text with a mask in it is not the fix
        fix = VerifiedFix("".join(as_diff(answer, [offer])), tuple(edits))
        for case in offer.cases:
            known[_key(case.finding, case.occurrence)] = offer.changes, fix
    failed = {_key(case.finding, case.occurrence): reason_of(case) for case in answer.manual}
    return [_with_fix(each, known, failed) for each in findings]


def _with_fix(
    finding: Finding,
    known: Mapping[Hashable, tuple[tuple[Change, ...], VerifiedFix]],
    failed: Mapping[Hashable, str],
) -> Finding:
    reasons = {failed.get(_key(finding, each), "") for each in finding.occurrences}
    if "" not in reasons:
        notes = (*finding.notes, *(f"no verified fix: {each}" for each in sorted(reasons)))
        return replace(finding, notes=notes, fix=None, remedy=None)
    occurrences = tuple(
        replace(each, wanted=known[key][0], verified=known[key][1])
        if (key := _key(finding, each)) in known and finding.suppressed is None
        else each
        for each in finding.occurrences
    )
    first = occurrences[0].wanted
    same = first == finding.occurrences[0].wanted
    return replace(
        finding,
        occurrences=occurrences,
        fix=next(iter(first), None),
        remedy=finding.remedy if same else None,
    )


def _key(finding: Finding, occurrence: Occurrence) -> Hashable:
    return finding.fingerprint, occurrence.device, occurrence.subjects


def _commands(answer: Answer, made: Corrected, *, back: bool = False) -> str:
    nos = all_nos()[answer.before.devices[made.device.hostname].nos]
    if nos.commands is not None and made.splices:  # rows as the file, and so the device, names them
        edits = [(answer.files[name].text, own) for name, own in sorted(made.splices.items())]
        texts = [(text, splice(text, own)) for text, own in edits]
        pairs = [FileEdit(new, old) if back else FileEdit(old, new) for old, new in texts]
        return "".join(text_commands(nos, pair) for pair in pairs)
    before, after = made.effect.printed_before, made.effect.printed_after
    return commands(nos, after, before) if back else commands(nos, before, after)


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
    where = first_names(occurrence.subjects, SHOWN)
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


_WAYS = {
    "cabling": "change the cable or the part, or correct the cable plan",
    "decision": "--intent FILE or three peers with one value would give it",
    "data": "collect what is missing: docs/collect.md",
}
"""Means that make a fix possible, by reason."""


def reason_of(case: Case) -> str:
    """The reason that a finding has no fix, and what would make one possible; in brackets, what a
    search failed at.
    """
    known = case.reason if case.reason != NO_VALUE else REASONS["decision"]
    for word, reason in REASONS.items():
        if reason == known:
            return f"{reason} ({_WAYS[word]})" if word in _WAYS else reason
    word = "data" if case.reason in (NO_WORDING, CUT_FILE) else "decision"
    return f"{REASONS[word]} ({case.reason})"


def _steps(steps: Sequence[Wave]) -> Iterator[str]:
    """Rollout order of the devices."""
    if steps:
        yield "\n# Rollout order\n\n"
    for number, wave in enumerate(steps, 1):
        yield f"{number}. {wave.role}: {', '.join(wave.devices)}\n"
        for rule, severity, device, subject, _ in wave.worse:
            fault = f"{Severity(severity).label} {rule} on {device} {subject}".rstrip()
            yield f"   - until the next step: {fault}\n"


_EFFECTS = {
    "live": "disturbs no traffic",
    "queue": "may drop what waits in a queue",
    "port": "stops a port for a moment or longer",
}


def _checks(answer: Answer, offers: Iterable[Offer]) -> Iterator[str]:
    """Commands that show the new state, with the expected answers, and effects on traffic."""
    last = ""
    for device, command, known in _verification(answer, offers):
        yield "" if last else "\n# Effect on traffic, and verification\n\n"
        yield "" if device == last else f"- {device}\n"
        last = device
        effect = _EFFECTS.get(known.effect or "", "effect on traffic unknown")
        answered = f": {known.expect}" if known.expect else ""
        yield f"  - `{command}`{answered} ({effect}; {known.source})\n"


def _verification(
    answer: Answer, offers: Iterable[Offer]
) -> Iterator[tuple[str, str, KnownChange]]:
    """Devices in the order of their names, with the commands for their changes."""
    found: dict[tuple[str, str, KnownChange], None] = {}
    for change in (change for offer in offers for change in offer.changes):
        device = answer.before.devices[change.path.device]
        known = known_change(device.nos, change.path)
        if known is not None:
            nics = [n for n in device.nics.values() if n.name == change.path.steps[0].key]
            nics += [n for n in device.nics.values() if n.port == change.path.port is not None]
            nic = next(iter(nics), None)
            port = change.path.port or (nic.port if nic is not None else None) or ""
            command = known.command(port, nic.name if nic is not None else "")
            found[device.hostname, command, known] = None
    yield from sorted(found, key=lambda each: each[0])


def _atom(atom: Atom) -> dict[str, str]:
    rule, severity, device, subject, _ = atom
    label = Severity(severity).label
    return {"rule": rule, "severity": label, "device": device, "subject": subject}


def as_plan(answer: Answer, offers: list[Offer], steps: Sequence[Wave]) -> Iterator[str]:
    """The plan as Markdown."""
    yield f"{verdict(answer, offers)}\n\n# Changes\n\n"
    for offer in offers:
        first, *more = _describe(offer)
        yield f"- {first}\n"
        yield from (f"  - {line.strip()}\n" for line in more)
    yield from _steps(steps)
    yield from _checks(answer, offers)
    if answer.manual:
        yield "\n# Manual work\n\n"
        yield from (f"- {_title(case)}: {reason_of(case)}\n" for case in answer.manual)
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
        "fixes": [_offer(answer, each, written=each in offers) for each in answer.offers],
        "verification": [
            {
                "device": device,
                "command": command,
                "expect": known.expect,
                "effect": known.effect,
                "source": known.source,
            }
            for device, command, known in _verification(answer, offers)
        ],
        "manual": [_case(case) | {"reason": reason_of(case)} for case in answer.manual],
    }
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _case(case: Case) -> dict[str, Any]:
    return {
        "rule": case.finding.rule,
        "fingerprint": case.finding.fingerprint,
        "device": case.occurrence.device,
        "subjects": list(case.occurrence.subjects),
    }


def _offer(answer: Answer, offer: Offer, *, written: bool) -> dict[str, Any]:
    made = answer.made([offer])
    return {
        "proved": True,
        "written": written,
        "safety": offer.safety.value,
        "why": offer.why,
        "findings": [_case(case) for case in offer.cases],
        "changes": [
            {
                "path": str(each.path),
                "device": each.path.device,
                "told": describe_change(each),
                "from": each.why,
            }
            for each in offer.changes
        ],
        "edits": [
            {
                "file": file,
                "line": each.first,
                "removed": each.count,
                "lines": [redact(line) for line in each.lines],
            }
            for device in made.values()
            for file, splices in sorted(device.splices.items())
            for each in splices
        ],
    }


def verdict(answer: Answer, offers: Sequence[Offer]) -> str:
    """Broken pairs before and after some of the fixes."""
    before, after = answer.before.report.verdict, answer.at(offers).report.verdict
    change = f"{before.answer.value} -> {after.answer.value}"
    return f"Pairs broken {before.broken} -> {after.broken} of {after.pairs}: {change}"


# Commands for running devices, with rollback.

COMMANDS, ROLLBACK = "commands", "rollback"


def commands_of(answer: Answer, offers: Iterable[Offer]) -> dict[str, str]:
    """Files of commands by path: to change each device, and to roll back. Systems without declared
    commands have none.
    """
    found: dict[str, str] = {}
    for name, made in answer.made(offers).items():
        for folder, back in ((COMMANDS, False), (ROLLBACK, True)):
            lines = _commands(answer, made, back=back)
            if lines:
                found[_path(folder, name)] = f"{NO_CONFIGURATION}\n{lines}"
    return found


def without_commands(answer: Answer, offers: Iterable[Offer], made: Mapping[str, str]) -> list[str]:
    """Devices with a corrected file but no commands: the file has to be loaded."""
    names = {name for name, each in answer.made(offers).items() if each.splices}
    return sorted(name for name in names if _path(COMMANDS, name) not in made)


def _path(folder: str, device: str) -> str:
    return f"{folder}/{device.replace('/', '_')}.txt"
