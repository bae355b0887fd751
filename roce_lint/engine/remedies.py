"""Vendor commands that fix findings, with placeholders filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.catalog.remedies import Action, Entry, systems
from roce_lint.engine.finding import Finding, Remedy
from roce_lint.engine.page import RulePage
from roce_lint.model.device import Device

MARK, MAP = "mark", "map"
OF_QUEUES = ("marking", "share", "strict")
"""Actions on the queue of a class."""

ECT = 2
"""Bits of the traffic class byte that mark a packet as ECN capable: ECT(0) of RFC 3168."""

_WORD = re.compile(r"(?!^[A-Z_]+\|)(?<![A-Z_-])[A-Z]+(?:-[A-Z]+)*(?![A-Za-z_-])")
"""An upper-case placeholder; not the name of a table before its keys."""


def with_remedies(
    findings: Iterable[Finding], pages: Iterable[RulePage], analysis: Analysis
) -> list[Finding]:
    """Add vendor commands to findings whose rule and system have some."""
    actions = {page.id: page.head.remedies for page in pages}
    return [
        replace(finding, remedy=remedy_of(finding, actions.get(finding.rule, ()), analysis))
        for finding in findings
    ]


def remedy_of(finding: Finding, actions: Iterable[Action], analysis: Analysis) -> Remedy | None:
    """Vendor commands that fix a finding on its first device; None if none is confirmed."""
    device = analysis.fabric.devices.get(finding.device)
    if device is None:
        return None
    port = next((name for name in finding.subjects if name in device.interfaces), "")
    system = next((each for each in systems() if each.fits(device, port)), None)
    known = system.entries if system is not None else {}
    action = next((each for each in actions if each in known and known[each].lines), None)
    if system is None or action is None:
        return None
    entry = known[action]
    values = _values(finding, device, port, action, entry, analysis)
    if values is None:
        return None
    lines = (_WORD.sub(lambda word: values.get(word[0], word[0]), line) for line in entry.lines)
    return Remedy(system.name, tuple(lines))


def _values(
    finding: Finding, device: Device, port: str, action: Action, entry: Entry, analysis: Analysis
) -> dict[str, str] | None:
    """Values of the placeholders known from the finding; None if the lines are already
    configured.
    """
    found = {"PORT": port}
    found["DEVICE"] = next(
        (nic.name for nic in device.nics.values() if port and nic.port == port), ""
    )
    if action == MARK:
        found |= _code_point(_protected_classes(analysis))
    else:
        traffic = next((each for each in analysis.classes if each.name == finding.traffic), None)
        found |= _code_point([traffic] if traffic is not None else [])
        judged = analysis.port(device.hostname, port)
        if traffic is not None and judged is not None:
            treated = _treatment_words(traffic, judged, action, analysis)
            if treated is None:
                return None
            found |= treated
    if finding.fix is not None:
        found |= _change_words(finding.fix.path.field, finding.fix.value, finding.fix.old, entry)
    return {word: value for word, value in found.items() if value}


def _protected_classes(analysis: Analysis) -> list[RoceClass]:
    """Data classes with PFC or ECN in the fabric: candidates for the traffic of a sender."""
    by_name = {each.name: each for each in analysis.data_classes}
    names = {
        name
        for (name, _), mode in analysis.modes.items()
        if mode.marking or mode.pfc in (PfcDesign.EVERYWHERE, PfcDesign.HOST_EDGE)
    }
    return [by_name[name] for name in sorted(names) if name in by_name]


def _code_point(classes: list[RoceClass]) -> dict[str, str]:
    """The DSCP, if it is unique: a remedy with a wrong DSCP does harm."""
    dscps = {dscp for each in classes for dscp in each.dscps}
    if len(dscps) != 1:
        return {}
    (dscp,) = dscps
    return {"DSCP": f"{dscp}", "DSCP-BITS": f"{dscp:06b}", "BYTE": f"{dscp << 2 | ECT}"}


def _treatment_words(
    traffic: RoceClass, port: JudgedPort, action: Action, analysis: Analysis
) -> dict[str, str] | None:
    """Priority and class of the traffic class in the design, and its queue on this port; None if
    the action would change nothing.
    """
    treated = analysis.treat(port, traffic.dscps[0])
    is_data = traffic in analysis.data_classes
    priority = analysis.mode(traffic, port).priority if is_data else None
    found = {} if priority is None else {"PRIORITY": f"{priority}"}
    queue = treated.egress.queue
    if action in OF_QUEUES and queue:  # queue 0 is the default queue, with separate names
        found["QUEUE"] = f"{queue}"
    maps = forwarding_of(port.device, port.interface.qos) if port.interface.qos else None
    if action == MAP and priority is not None and maps is not None:
        numbers = maps.tc_to_pfc_priority.entries.items()
        classes = [tc for tc, paused_as in numbers if paused_as == priority]
        if len(classes) == 1:
            found["CLASS"] = port.device.qos.class_name(classes[0])
            if found["CLASS"] == treated.ingress.tc_name:
                return None  # the map is already correct
    return found


def _change_words(field: str, value: object, old: object, entry: Entry) -> dict[str, str]:
    if field.endswith("ip_mtu") and isinstance(value, int):
        return {"MTU": f"{value + entry.adds}"}
    if field.endswith("pfc.generate") and isinstance(value, frozenset):
        new = value - (old if isinstance(old, frozenset) else frozenset())
        if len(new) == 1:
            priority = next(iter(new))
            bits = ",".join("1" if each in value else "0" for each in range(8))
            return {"PRIORITY": f"{priority}", "BITMAP": bits}
    return {}


def remedy_items(page: RulePage, nos: str = "") -> list[str]:
    """Remedies of a rule as Markdown items, one per system, or those of the system `nos`."""
    lines = []
    for system in sorted(systems(), key=lambda system: system.name.casefold()):
        if nos and nos.casefold() not in (system.nos, system.name.casefold()):
            continue
        for action in page.head.remedies:
            entry = system.entries.get(action)
            if entry is None:
                continue
            text = "; ".join(f"`{line}`" for line in entry.lines)
            lines.append(f"- {system.name}: {f'{text} ({entry.source})' if text else entry.open}")
    return list(dict.fromkeys(lines))


def is_of(line: str, nos: str = "") -> bool:
    """True if a line of a page is an item about a system (default: any): `- NX-OS, queues: ...`."""
    if not line.startswith("- "):
        return False
    label = line[2:].split(":", maxsplit=1)[0].split(",", maxsplit=1)[0].strip("* ").casefold()
    return any(
        label in (system.name.split(",")[0].casefold(), system.nos)
        for system in systems()
        if nos.casefold() in ("", system.nos)
    )
