"""Damage that a fix may never do, read from models and reports before and after it.

None of it uses the safeguards of `fix`, so that a hole in them is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from roce_lint.fix.offers import Answer, Case, search
from roce_lint.fix.prove import Atom, Proof, State, atoms
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.schema import REFERENCES
from roce_lint.pipeline import Report, Request
from roce_lint.pipeline.evaluation import Terms
from roce_lint.remedy.wants import Golden, Wants, golden_of
from roce_lint.settings import Settings, load
from roce_lint.text.source import Origin

IDENTITY = ("kind", "enabled", "description", "addresses", "vrf", "untagged_vlan", "tagged_vlans",
            "speed_gbps", "lag", "members", "igp")  # fmt: skip
DERIVED = {"frame_mtu"}
"""Derived fields: bytes on the medium from those of a packet."""


def proof_of(folder: Path) -> tuple[Proof, Golden | None]:
    """Verification of a snapshot folder with its own settings, and the devices of its intent."""
    intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
    request = Request(
        (str(folder),), jobs=1, cache=False, intent=str(intent) if intent.exists() else None
    )
    terms = Terms.of(request, load(settings) if settings.exists() else Settings())
    return Proof(terms), golden_of(request.intent)


def wants_of(state: State, golden: Golden | None = None) -> Wants:
    """Wanted changes of the findings of a state."""
    analysis = state.report.analysis
    assert analysis is not None
    return Wants(analysis, state.report.rules.values(), golden).mark(state.report.findings)


def answer_of(folder: Path) -> Answer:
    """The fixes of a snapshot folder."""
    proof, golden = proof_of(folder)
    return search(proof, proof.as_it_is(), lambda state: wants_of(state, golden))


def harms(before: State, after: State, cases: Iterable[Case] = ()) -> set[str]:
    """Damage of a fix, one word each; `cases` are the findings it claims to fix."""
    cases = list(cases)
    required = [change for case in cases for change in case.occurrence.changes]
    found = {word for word, is_so in (
        ("links", _links(before.report) != _links(after.report)),
        ("pairs", _pairs(before.report) != _pairs(after.report)),
        ("judged", _free(after.report) < _free(before.report)),
        ("unknown", not _unknown(after.report) <= _unknown(before.report)),
        ("new finding", bool(_new(before, after, cases))),
        ("claim", any(_places(case.atoms) & _places(after.atoms) for case in cases)),
        ("device", before.devices.keys() != after.devices.keys()),
    ) if is_so}  # fmt: skip
    known = set(_values(before.devices.values()))
    known |= {(f"{code}_to_tc", value) for name, value in known if name == "tc"
              for code in ("dscp", "pcp")}  # fmt: skip
    known |= {(change.path.steps[-1].field, change.value) for change in required}
    unset = {change.path.steps[-1] for change in required if change.value is None}
    for name in before.devices.keys() & after.devices.keys():
        one, other = before.devices[name], after.devices[name]
        found |= _lost(one, other)
        for each in differences(one, other):
            if each.path.steps[-1] not in unset:
                found |= _of_value(each, known)
    return found


def _places(some: Iterable[Atom]) -> set[tuple[str, ...]]:
    """Subjects of findings, whatever their severity."""
    return {(rule, device, subject, traffic) for rule, _, device, subject, traffic in some}


def _new(before: State, after: State, cases: list[Case]) -> set[Atom]:
    """New findings after a fix. A known cause may newly appear on a port of the fix: it was masked
    before.
    """
    known = {finding.fingerprint for finding in before.report.findings}
    seen = atoms(f for f in after.report.findings if f.fingerprint in known)
    ports = {(case.occurrence.device, port) for case in cases for port in case.occurrence.subjects}
    return {
        each for each in after.atoms - before.atoms if each not in seen or each[2:4] not in ports
    }


def _lost(before: Device, after: Device) -> set[str]:
    """Attributes and bindings that ports of a device lost."""
    found = set() if before.pools.keys() <= after.pools.keys() else {"pool"}
    if before.stated("hostname") and not after.stated("hostname"):
        found.add("identity")
    for name, port in before.interfaces.items():
        now = after.interfaces.get(name)
        if now is None or any(getattr(port, f) != getattr(now, f) for f in IDENTITY):
            found.add("identity")
        if now is None or port.qos is None:
            continue
        bound = {f for f in REFERENCES if getattr(port.qos, f) is not None}
        if any(now.qos is None or getattr(now.qos, f) is None for f in bound):
            found.add("binding")
        forwarding = now.qos.forwarding if now.qos is not None else None
        if _queues(before, port.qos.forwarding) - _queues(after, forwarding):
            found.add("queue")
    return found


def _queues(device: Device, forwarding: str | None) -> set[int]:
    """Classes of each queue in a map."""
    known = device.qos.forwardings.get(forwarding or "")
    return set(known.tc_to_queue.entries) if known is not None else set()


def _of_value(each: Difference, known: set[tuple[str, Any]]) -> set[str]:
    """Whether a stated value is gone, or a new number is not stated anywhere for this field."""
    if each.a_where.origin is Origin.STATED and each.b_where.origin is not Origin.STATED:
        return {"statement"}
    field, value = each.path.steps[-1].field, each.b
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_other = is_number and field not in DERIVED and (field, value) not in known
    return {"value"} if is_other else set()


def _values(objects: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Numbers in models, by field; those of a map by the field of the map."""
    waiting = [("", each) for each in objects]
    while waiting:
        name, each = waiting.pop()
        if isinstance(each, int | float) and not isinstance(each, bool):
            yield name, each
        elif is_dataclass(each):
            for field in fields(each):
                if field.name not in ("src", "at", "structures", "notes", "limits", "asic"):
                    own = name if field.name == "entries" else field.name
                    waiting.append((own, getattr(each, field.name)))
        elif isinstance(each, dict):
            waiting += [(name, value) for value in each.values()]
        elif isinstance(each, list | tuple):
            waiting += [(name, value) for value in each]


def _links(report: Report) -> set[tuple[object, ...]]:
    links = report.fabric.links if report.fabric is not None else ()
    return {(*sorted((link.a.key, link.b.key)), link.known_from) for link in links}


def _pairs(report: Report) -> int:
    return report.verdict.pairs


def _free(report: Report) -> int:
    """Pairs of NICs with a fault-free path."""
    return report.verdict.judged - report.verdict.broken


def _unknown(report: Report) -> set[tuple[str, ...]]:
    unread = {("file", each.file, each.kind) for each in report.diagnostics if each.incomplete}
    lines = {(device.name, str(n)) for device in report.devices
             for n in range(device.lines.get("unrecognised", 0))}  # fmt: skip
    return (
        unread
        | lines
        | {
            (each.rule, each.missing, each.device, subject)
            for each in report.unknowns
            for subject in each.subjects or ("",)
        }
    )
