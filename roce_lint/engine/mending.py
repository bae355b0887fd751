"""Findings with the lines that put them right on the system they stand on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.analysis.result import Analysis
from roce_lint.catalog.remedies import Action, Entry, systems
from roce_lint.engine.finding import Finding, Remedy
from roce_lint.engine.page import RulePage
from roce_lint.model.device import Device

_WORD = re.compile(r"(?<![A-Za-z_-])[A-Z]+(?:-[A-Z]+)*(?![A-Za-z_-])")


def with_remedies(
    findings: Iterable[Finding], pages: Iterable[RulePage], analysis: Analysis
) -> list[Finding]:
    """The findings, each with the lines that put it right where its rule and system have some."""
    actions = {page.id: page.head.remedies for page in pages}
    return [
        replace(finding, remedy=remedy_of(finding, actions.get(finding.rule, ()), analysis))
        for finding in findings
    ]


def remedy_of(finding: Finding, actions: Iterable[Action], analysis: Analysis) -> Remedy | None:
    """What puts a finding right on its first device; None where no confirmed line is known."""
    device = analysis.fabric.devices.get(finding.device)
    if device is None:
        return None
    port = next((name for name in finding.subjects if name in device.interfaces), "")
    system = next((each for each in systems() if each.fits(device, port)), None)
    known = system.entries if system is not None else {}
    entry = next((known[each] for each in actions if each in known and known[each].lines), None)
    if system is None or entry is None:
        return None
    values = _values(finding, device, port, entry, analysis)
    lines = (_WORD.sub(lambda word: values.get(word[0], word[0]), line) for line in entry.lines)
    return Remedy(system.name, tuple(lines))


def _values(
    finding: Finding, device: Device, port: str, entry: Entry, analysis: Analysis
) -> dict[str, str]:
    """What the words in capitals stand for, as far as the finding tells."""
    found = {"PORT": port}
    found["DEVICE"] = next(
        (nic.name for nic in device.nics.values() if port and nic.port == port), ""
    )
    dscps = next((each.dscps for each in analysis.classes if each.name == finding.traffic), ())
    if len(dscps) == 1:
        found |= {"DSCP": f"{dscps[0]}", "DSCP-BITS": f"{dscps[0]:06b}"}
    if finding.fix is not None:
        found |= _changed(finding.fix.path.field, finding.fix.value, finding.fix.old, entry)
    return {word: value for word, value in found.items() if value}


def _changed(field: str, value: object, old: object, entry: Entry) -> dict[str, str]:
    if field.endswith("ip_mtu") and isinstance(value, int):
        return {"MTU": f"{value + entry.adds}"}
    if field.endswith("pfc.generate") and isinstance(value, frozenset):
        new = value - (old if isinstance(old, frozenset) else frozenset())
        if len(new) == 1:
            priority = next(iter(new))
            bits = ",".join("1" if each in value else "0" for each in range(8))
            return {"PRIORITY": f"{priority}", "BITMAP": bits}
    return {}


def told(page: RulePage, nos: str = "") -> list[str]:
    """The remedies of a rule as items of Markdown, one a system; of one system with its name."""
    lines = []
    for system in sorted(systems(), key=lambda system: system.name.casefold()):
        if nos and nos.casefold() not in (system.nos, system.name.casefold()):
            continue
        for action in page.head.remedies:
            entry = system.entries.get(action)
            if entry is None:
                continue
            said = "; ".join(f"`{line}`" for line in entry.lines)
            lines.append(f"- {system.name}: {f'{said} ({entry.source})' if said else entry.open}")
    return list(dict.fromkeys(lines))


def is_of(line: str, nos: str) -> bool:
    """Whether a line of a page is an item about a system: `- EOS: ...`, `- NX-OS, queues: ...`."""
    if not line.startswith("- "):
        return False
    label = line[2:].split(":", maxsplit=1)[0].split(",", maxsplit=1)[0].strip("* ").casefold()
    return any(
        label in (system.name.split(",")[0].casefold(), system.nos)
        for system in systems()
        if system.nos == nos.casefold()
    )
