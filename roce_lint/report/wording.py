"""Texts shared by formats: counts, messages, fixes, addresses of rule pages, sanitised text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from roce_lint.engine.finding import (
    DRIFT,
    NOT_PULLED,
    WEAKENED,
    Answer,
    Diagnostic,
    Finding,
    Occurrence,
    Pairs,
    Repair,
    Severity,
    Verdict,
)
from roce_lint.model.change import Safety
from roce_lint.nos.registry import all_nos
from roce_lint.text.names import compress
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage
    from roce_lint.pipeline import Report

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control terminals, or are not allowed in XML
    "\u2028\u2029\u202a-\u202e\u2066-\u2069"  # break lines, or change the writing direction
    "\ud800-\udfff\ufffe\uffff]"  # are not characters
)

_COMMAND = re.compile(
    r"##(?=\[|vso\[)"
    r"|::(?=(?:error|warning|notice|debug|(?:end)?group|add-mask|add-path|set-output|set-env"
    r"|save-state|stop-commands|echo|(?:add|remove)-matcher)(?: [^\n]*)?::)"
)
"""Text that a pipeline takes for a command in its log: GitHub's runner looks for `##[` anywhere in
a line and for `::name::` at its beginning, Azure's agent for `##vso[` and `##[` anywhere
(actions/runner ActionCommand.cs, microsoft/azure-pipelines-agent Command.cs).
"""

_ROLES = {
    "leaf": ("leaf", "leaves"),
    "spine": ("spine", "spines"),
    "superspine": ("superspine", "superspines"),
    "border": ("border switch", "border switches"),
    "host": ("host", "hosts"),
}


OUTSIDE = "code scanning and merge requests ignore them; run roce-lint in the repository root"
"""Warning about findings in files outside the working directory."""


AUDITED = frozenset({DRIFT, NOT_PULLED})
"""Kinds of audit results, listed with the findings."""

ALWAYS = AUDITED | {WEAKENED}
"""Kinds that every format shows and none folds."""


def clean(text: str) -> str:
    """Remove characters that control a terminal, break XML or change the writing direction.

    Names and lines come from files that anybody may have written. Commands to a pipeline are broken
    up by a blank.
    """
    if "::" in text or "##" in text:
        text = _COMMAND.sub(lambda found: f"{found[0][0]} {found[0][1]}", text)
    return _CONTROL.sub("\ufffd", text)


def escape_json(text: str) -> str:
    """JSON text with the characters that `clean` removes as escapes, so that it controls neither
    the terminal or editor nor the pipeline that shows it.
    """
    if "##" in text:
        text = _COMMAND.sub(lambda found: found[0].replace("##", r"#\u0023"), text)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """Clean text on one line."""
    return clean(" ".join(text.split()))


def excerpt(place: Location) -> str:
    """The text of a place, clean and on one line; inner blanks are kept."""
    return clean(place.text).replace("\n", " ").strip()


def spell_finding(finding: Finding) -> str:
    """Message and consequence, a sentence each."""
    return _sentences(one_line(finding.message).rstrip("."), finding)


def spell_occurrence(finding: Finding, occurrence: Occurrence) -> str:
    """Message and consequence for the device of one occurrence."""
    return _sentences(message_of(finding, occurrence), finding)


_WORD = re.compile(r"[a-z][a-z'-]*(?=[ ,])(?! \S*\d)")
"""A word at the beginning of a text that is not the name of a device before its port."""


def _sentences(message: str, finding: Finding) -> str:
    """Capitalise the consequence, unless it begins with a name."""
    consequence = one_line(finding.consequence)
    if not consequence:
        return message
    word = _WORD.match(consequence)
    if word is not None and word[0] not in (finding.device, *finding.subjects):
        consequence = consequence[0].upper() + consequence[1:]
    return f"{message}. {consequence}"


def message_of(finding: Finding, occurrence: Occurrence) -> str:
    """The message for the device of an occurrence."""
    if occurrence.device == finding.device:
        return one_line(finding.message).rstrip(".")
    if occurrence.message:
        return one_line(occurrence.message).rstrip(".")
    like = f"{one_line(occurrence.device)}, like {one_line(finding.device)}"
    return f"{like}: {one_line(finding.message).rstrip('.')}"


def subjects_of(occurrence: Occurrence) -> str:
    """Device and subjects of an occurrence, shortened: `leaf1 Ethernet1/1-32`."""
    return one_line(f"{occurrence.device} {compress(occurrence.subjects)}") or "the fabric"


FEW = 5
"""Commands shown on one line."""

MANY = 40
"""Commands shown below each other in a message."""


def fix_text(finding: Finding, device: str = "") -> str:
    """Fix of a finding on one line: its first commands if known, else the change of the model;
    empty if unknown. It applies to the first device, which is named if that differs from `device`.
    """
    about, lines = fix_lines(finding, device, FEW)
    return f"{about}: {'; '.join(lines)}" if lines else about


def fix_block(finding: Finding, device: str = "") -> str:
    """The same with the commands below each other."""
    about, lines = fix_lines(finding, device)
    return "\n  ".join([f"{about}:", *lines]) if lines else about


def fix_lines(finding: Finding, device: str = "", limit: int = MANY) -> tuple[str, list[str]]:
    """The system of a fix with its commands, or the change of the model without any."""
    fix, remedy = finding.fix, finding.remedy
    stops = fix is not None and fix.safety is Safety.DISRUPTIVE and fix.path.field == "ip_mtu"
    warned = " (stops traffic for a moment)" if stops else ""
    if remedy is not None:
        there = f" on {finding.device}" if device not in ("", finding.device) else ""
        lines = [*map(one_line, remedy.lines)]
        if left := len(lines[limit:]):
            lines[limit:] = [f"and {count(left, 'more line')}: roce-lint fix"]
        return one_line(f"{remedy.system}{there}") + warned, lines
    return one_line(str(fix)) + warned if fix is not None else "", []


def verified_fixes(finding: Finding, device: str = "") -> list[str]:
    """Verified fixes of a finding, on one device if given: what they change, and the diffs."""
    found = (
        clean(each.verified.text)
        for each in finding.occurrences
        if each.verified is not None and device in ("", each.device)
    )
    return list(dict.fromkeys(found))


def system_of(item: str) -> str:
    """Name of the system of an item on a rule page (`- NX-OS, queues: ...`); empty for others."""
    found = re.match(r"- \**([^:,*]+)", item)
    label = f" {found[1].strip()} " if found is not None else ""
    systems = (nos for nos in all_nos().values() if label and label in f" {nos.title} ")
    nos = max(systems, key=lambda nos: nos.title.startswith(label.strip()), default=None)
    return nos.name if nos is not None else ""


def severities(report: Report) -> str:
    """`2 errors, 1 warning, 0 info`, with the suppressed ones where there are any."""
    words = [
        count(report.count(Severity.ERROR), "error"),
        count(report.count(Severity.WARNING), "warning"),
        count(report.count(Severity.INFO), "info", "info"),
    ]
    if report.suppressions:
        words.append(f"{report.suppressions} suppressed")
    return ", ".join(words)


def extent(report: Report) -> str:
    """Extent of a run: `6 devices, 8 links, 112 ports checked, 38 rules`."""
    return ", ".join(
        [
            count(len(report.devices), "device"),
            count(report.links, "link"),
            count(report.judged_ports, "port checked", "ports checked"),
            count(len(report.rules), "rule"),
        ]
    )


def crowd(devices: Iterable[str], roles: dict[str, str | None]) -> str:
    """`512 leaves`, `2 hosts`, or `3 devices` if roles differ or are unknown."""
    names = list(devices)
    found = {roles.get(device) for device in names}
    role = next(iter(found)) if len(found) == 1 else None
    return count(len(names), *_ROLES.get(role or "", ("device", "devices")))


def reach_of(pairs: Pairs) -> str:
    """Number of affected pairs, and of those where it is the first fault."""
    text = f"affects {pairs.hit:,} of {pairs.all:,} {pairs.ends} pairs"
    if pairs.first is not None and pairs.first != pairs.hit:
        first = f"first fault on the path of {pairs.first:,}"
        text += f"; {first if pairs.first else 'never the first fault on a path'}"
    if pairs.repaired and pairs.repaired != pairs.hit:
        text += f"; fixing only this repairs {pairs.repaired:,}"
    return text


LACKS = 3
"""Missing inputs named in the verdict."""

NEARLY_ALL = 0.9
"""Share of the broken pairs at which a set of causes is recommended."""


def verdict(found: Verdict) -> str:
    """The verdict in one line, the answer first: `READY: all 56 pairs ...`."""
    left = found.pairs - found.judged
    if found.answer is Answer.READY:
        assumed = "; host DSCP assumed" if found.assumed else ""
        return f"READY: all {_pairs(found)} judged, none broken{assumed}{_bare(found)}"
    if found.answer is Answer.NOT_READY:
        known = f", {found.known} of them known" if found.known else ""
        if not found.broken:
            errors = count(found.others, "error")
            return f"NOT READY: {errors}{known} (impact unknown: no path crosses these ports)"
        others = f" and {count(found.others, 'error')} on no known path" if found.others else ""
        words = f"NOT READY: {found.broken:,} of {_pairs(found)} broken"
        open_pairs = f"; {left:,} not judged" if left else ""
        return f"{words}, {count(found.causes, 'cause')}{others}{known}{open_pairs}"
    judged = f"{found.judged:,} of {_pairs(found)} judged, none broken"
    lacks = [
        f"{one_line(words)} ({count(pairs, 'pair')})" if pairs else one_line(words)
        for words, pairs in found.missing
    ]
    more = f"; and {len(lacks) - LACKS} more" if len(lacks) > LACKS else ""
    head = judged if found.pairs else "no pair was judged"
    return f"NOT PROVED: {head}{_bare(found)}; missing: {'; '.join(lacks[:LACKS])}{more}"


def _bare(found: Verdict) -> str:
    ports = count(found.bare, "host port")
    return f"; {ports} without QoS not included" if found.bare else ""


def _pairs(found: Verdict) -> str:
    ends = "edge port" if found.assumed else "NIC"
    return f"{found.pairs:,} {ends} {'pair' if found.pairs == 1 else 'pairs'}"


def best_repair(found: Verdict) -> Repair | None:
    """The fewest causes that repair nearly all broken pairs, else the largest set compared. None if
    there is no choice: one cause, or none.

    """
    if found.causes < 2 or not found.repairs:
        return None
    enough = (each for each in found.repairs if each.pairs >= NEARLY_ALL * found.broken)
    best = next(enough, found.repairs[-1])
    return best if best.pairs else None


def repair_text(repair: Repair, found: Verdict) -> str:
    """`Fixing 2 of 6 causes repairs 380 of 402 broken pairs`."""
    causes = f"{len(repair.findings)} of {count(found.causes, 'cause')}"
    least = "" if repair.exact else "at least "
    return f"Fixing {causes} repairs {least}{repair.pairs:,} of {found.broken:,} broken pairs"


def weakening_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The remarks on settings and comments of the checked tree as plain data."""
    return [
        {"file": item.file, "line": item.line, "message": item.message}
        for item in diagnostics
        if item.kind == WEAKENED
    ]


def address(pattern: str, page: RulePage) -> str:
    """Address of a page; replaces {id}, {name}, {path} (mtu/MTU001-name) and {page} (with .md).

    Empty if there is no pattern, or none that a browser opens as a web page.
    """
    if not pattern.startswith(("https://", "http://")):
        return ""
    file = "/".join(page.path.replace("\\", "/").split("/")[-2:])
    filled = pattern.replace("{id}", page.id).replace("{name}", page.head.name)
    return filled.replace("{page}", file).replace("{path}", file.removesuffix(".md"))
