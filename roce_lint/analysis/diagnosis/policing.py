"""Policers that drop packets of a class on ingress or egress."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.port_parts import classifier_at, needs
from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.stages import Stage
from roce_lint.model.change import Change
from roce_lint.model.qos import Match, MatchKind
from roce_lint.model.units import spell_rate
from roce_lint.text.source import Where

UNSURE = "the packets that a filter polices or drops (it matches on more than the DSCP)"

NOTHING = "nothing"
"""Kind of a policer that drops every packet."""


@dataclass(slots=True, frozen=True)
class _Met:
    """A policer that drops packets of a DSCP; not `sure` if it may not see them."""

    match: Match
    dscp: int
    what: str
    bound: tuple[Where, ...]
    sure: bool = True
    leaving: bool = False


def policer(d: Diagnosis) -> Iterator[Fault | Lack]:
    """A policer drops packets of a protected class."""
    if not d.protected:
        return  # a class without PFC and ECN in the design may be dropped
    for find in (_policing, partial(_filter_policer, field="policing_out")):
        met = (find(d.port, dscp) for dscp in d.traffic.dscps)
        found = [each for each in met if each is not None]
        surely = [each for each in found if each.sure]
        if surely:
            yield _fault(d, surely)
        elif found:
            places = (found[0].match.where("police_bps"), *found[0].bound)
            yield Lack(Stage.POLICED, UNSURE, places)


def _fault(d: Diagnosis, met: list[_Met]) -> Fault:
    found, rate = met[0], met[0].match.police_bps
    every = all(each.match is found.match for each in met) and len(met) == len(d.traffic.dscps)
    does = "drops packets that match" if rate == 0 else "polices"
    to = f" to {spell_rate(rate)}" if rate else ""
    way = " on egress" if found.leaving else ""
    return Fault(
        Stage.POLICED,
        (found.match.where("police_bps"), *found.bound),
        f"{does} {found.what}{way}{to}, including "
        + (d.traffic.name if every else d.traffic.spell(found.dscp)),
        spell_rate(rate),
        compares=True,
        acts="leaving" if found.leaving else None,
        kind=NOTHING if rate == 0 else "",
        changes=() if rate == 0 else _unpoliced(d, found.match),
    )


def _unpoliced(d: Diagnosis, match: Match) -> tuple[Change, ...]:
    """The policer of an entry of the classifier unset; a filter has more purposes than this one."""
    classifier = classifier_at(d.port)
    place = [n for n, each in enumerate(classifier.matches if classifier else ()) if each is match]
    fields = (f"{n}].{field}" for n in place for field in ("police_bps", "police_drops"))
    return needs(d.port, {f"qos.classifier.matches[{field}": None for field in fields})


def _drops(match: Match) -> bool:
    """Whether an entry has a policer that drops packets above its rate."""
    return match.stated("police_bps") and match.police_drops is not False


def _policing(port: JudgedPort, dscp: int) -> _Met | None:
    """The policer that a DSCP meets at a port: of its classifier, or of a filter."""
    match, qos = matching_entry(port, dscp), port.interface.qos
    if match is not None and _drops(match):
        bound = (qos.where("classifier"),) if qos and qos.stated("classifier") else ()
        return _Met(match, dscp, f"class {match.class_name}", bound)
    return _filter_policer(port, dscp, "policing")


def _filter_policer(port: JudgedPort, dscp: int, field: str) -> _Met | None:
    """The first policer of the port's filters that surely drops a DSCP; else one that may."""
    qos = port.interface.qos
    perhaps: _Met | None = None
    left = True  # no earlier entry may have accepted the packet
    bound = port.device.qos.policing.get(getattr(qos, field) or "") if qos is not None else None
    if qos is None or bound is None:
        return None
    for match in bound.matches:
        if (match.kind is MatchKind.DSCP or match.values) and dscp not in match.values:
            continue
        certain = match.kind is not MatchKind.ACL
        if _drops(match):
            places, leaving = (qos.where(field),), field == "policing_out"
            found = _Met(match, dscp, match.text, places, sure=certain and left, leaving=leaving)
            if found.sure:
                return found
            perhaps = perhaps or found
        if not certain and match.police_bps != 0:
            left = False  # it may have accepted the packet
        if certain:
            break
    return perhaps


def matching_entry(port: JudgedPort, dscp: int) -> Match | None:
    """The entry of the port's ordered classifier that certainly takes a DSCP."""
    classifier = classifier_at(port)
    for match in classifier.matches if classifier is not None else ():
        if match.kind is MatchKind.ANY or (match.kind is MatchKind.DSCP and dscp in match.values):
            return match
        if match.kind not in (MatchKind.DSCP, MatchKind.PCP, MatchKind.NOTHING):
            return None  # an access list or a VLAN may take the packet first
    return None
