"""Damage that a fix may never do, read from models and reports before and after it.

None of it uses the safeguards of `fix`, so that a hole in them is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from roce_lint.fix.offers import Answer, Case, Offer, search
from roce_lint.fix.prove import Atom, Proof, State, atoms
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Path as ModelPath
from roce_lint.model.path import Step
from roce_lint.model.schema import REFERENCES
from roce_lint.pipeline import Report, Request
from roce_lint.pipeline.evaluation import Terms
from roce_lint.remedy.wants import Golden, Wants, golden_of
from roce_lint.settings import Settings, load
from roce_lint.text.source import Origin

IDENTITY = ("kind", "enabled", "description", "addresses", "vrf", "untagged_vlan", "tagged_vlans",
            "speed_gbps", "lag", "members", "igp")  # fmt: skip
DERIVED = {"frame_mtu", "strict_level"}
"""Derived fields: bytes on the medium from those of a packet, and the level in a strict priority."""


def proof_of(folder: Path, *, remedies: bool = False) -> tuple[Proof, Golden | None]:
    """Verification of a snapshot folder with its own settings, and the devices of its intent."""
    intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
    request = Request(
        (str(folder),),
        jobs=1,
        cache=False,
        intent=str(intent) if intent.exists() else None,
        remedies=remedies,
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


def harms(before: State, after: State, offer: Offer | None = None) -> set[str]:
    """Damage of a fix, one word each; the offer claims to fix its findings."""
    cases = offer.cases if offer is not None else []
    required = [change for case in cases for change in case.occurrence.changes]
    if offer is not None:  # most equals may have nothing
        required += [each for each in offer.changes if each.value is None]
    left = {finding.fingerprint for finding in after.report.findings}
    found = {word for word, is_so in (
        ("links", _links(before.report) != _links(after.report)),
        ("pairs", _pairs(before.report) != _pairs(after.report)),
        ("judged", _free(after.report) < _free(before.report)),
        ("unread", not _unread(after.report) <= _unread(before.report)),
        ("unknown", bool(_unknown(before, after))),
        ("new finding", bool(_new(before, after, cases))),
        ("claim", any(case.finding.fingerprint in left and _places(case.atoms) & _places(after.atoms)
                      for case in cases)),
        ("device", before.devices.keys() != after.devices.keys()),
    ) if is_so}  # fmt: skip
    known = set(_values(before.devices.values()))
    known |= {(f"{code}_to_tc", value) for name, value in known if name == "tc"
              for code in ("dscp", "pcp")}  # fmt: skip
    known |= {(change.path.steps[-1].field, change.value) for change in required}
    unset = {step for change in required if change.value is None for step in _last(change.path)}
    for name in before.devices.keys() & after.devices.keys():
        one, other = before.devices[name], after.devices[name]
        found |= _lost(one, other)
        for each in differences(one, other):
            if each.path.steps[-1] not in unset:
                found |= _of_value(each, known)
    return found


def _last(path: ModelPath) -> tuple[Step, Step]:
    """The field of a path, and the list that an entry with it is in."""
    *_, above, last = (Step(""), *path.steps)
    return Step(above.field), last


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
    """Whether a stated value is gone, or a new number is not stated anywhere for this field. The
    default of the platform may be the value that others have.
    """
    field, value, origin = each.path.steps[-1].field, each.b, each.b_where.origin
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_known = is_number and (field, value) in known
    if each.a_where.origin is Origin.STATED and origin is not Origin.STATED:
        return set() if is_known and origin is Origin.DEFAULT else {"statement"}
    is_other = is_number and field not in DERIVED and not is_known
    return {"value"} if is_other and origin is not Origin.DEFAULT else set()


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


def _unread(report: Report) -> set[tuple[str, ...]]:
    """Parts of files and lines that are not understood."""
    unread = {(each.file, each.kind) for each in report.diagnostics if each.incomplete}
    return unread | {(device.name, str(n)) for device in report.devices
                     for n in range(device.lines.get("unrecognised", 0))}  # fmt: skip


def _unknown(before: State, after: State) -> set[tuple[str, str]]:
    """Inputs missing after a fix on a device that it changes; any that was missing elsewhere before
    may have been masked there.
    """
    known = {(each.rule if each.device else "", each.missing) for each in before.report.unknowns}
    return {
        (each.rule if each.device else "", each.missing)
        for each in after.report.unknowns
        if each.device not in after.devices
        or differences(before.devices[each.device], after.devices[each.device])
    } - known
