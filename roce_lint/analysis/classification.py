"""Traffic class of an arriving packet, and the doubts that could change it.

A policy is its ordered matches. A doubt belongs to a DSCP and a port: an access list leaves only
those DSCPs uncertain that no earlier match takes for certain, and a match on the 802.1p priority
takes nothing on a port without tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.provenance import Fact, unconfirmed_places
from roce_lint.analysis.unread import CLASS, absent, lack_of_reading, line_beside
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import Classifier, Match, MatchKind, PortQos, Trust
from roce_lint.text.source import Origin, Where

UNCLASSIFIED = "the classifier of the port (its QoS configuration)"
NOT_DEFINED = "the undefined policy that the port refers to"
TAGGED = "the 802.1p priority of tagged packets"
NOT_NAMED = "the class of a DSCP that the map of the port does not list"
SOMETHING = "the result of an access list or VLAN match"

_TERMS = {
    MatchKind.ACL: "the access list",
    MatchKind.VLAN: "the VLAN match",
    MatchKind.PROTOCOL: "the protocol match",
    MatchKind.PCP: "the 802.1p priority",
    MatchKind.NOTHING: "the empty match",
    MatchKind.DSCP: "the match",
}


@dataclass(slots=True, frozen=True)
class Classification:
    """Traffic class of a DSCP; `unless` is the term that may override it."""

    traffic_class: Fact[int]
    unless: str = ""


def classify(device: Device, port: Interface, qos: PortQos, dscp: int) -> Classification:
    """Traffic class of a packet with a DSCP that arrives at a port."""
    classifier = device.qos.classifiers.get(qos.classifier or "")
    if qos.trust is Trust.NONE:
        return Classification(Fact(qos.default_tc, (qos.where("trust"),)))
    if qos.trust is Trust.PCP:
        return _by_priority(device, port, qos, classifier)
    if classifier is None:
        lack = NOT_DEFINED if qos.stated("classifier") else UNCLASSIFIED
        return Classification(Fact(None, (qos.where("classifier"),), lack))
    taken = _by_tag(classifier, port, qos, dscp)
    entry = classifier.dscp_to_tc
    tc, place = entry.get(dscp), entry.where(entry.key(dscp))
    if taken is not None:  # an untagged packet has the default priority of the port
        tc, place = taken.tc, taken.where("tc")
    places = (place, *_match_line(classifier, dscp, place), qos.where("classifier"))
    if tc is None:
        return Classification(Fact(None, places, NOT_NAMED))
    inside = () if dscp in entry.entries else (absent(classifier.where()),)
    if line_beside(device, inside, CLASS) is not None:
        return Classification(Fact(None, places, lack_of_reading(CLASS)))
    doubts = unconfirmed_places(places)
    readings = _readings(device, qos, classifier, tc, place) if doubts else None
    known = Fact(tc, places, "", doubts, readings)
    return Classification(known, _undecided_term(classifier, port, qos, dscp))


def _by_priority(
    device: Device, port: Interface, qos: PortQos, classifier: Classifier | None
) -> Classification:
    """Classification on a port that trusts the 802.1p priority."""
    trusted = qos.where("trust")
    if port.tagged is not False or qos.default_pcp is None or classifier is None:
        return Classification(Fact(None, (trusted,), TAGGED))
    entry, priority = classifier.pcp_to_tc, qos.default_pcp
    tc, places = entry.get(priority), (trusted, entry.where(entry.key(priority)))
    unless = _undecided_term(classifier, port, qos, None)
    doubts = unconfirmed_places(places)
    readings = None
    if doubts and tc is not None and trusted.confirmed:
        readings = _readings(device, qos, classifier, tc, places[1])
    return Classification(Fact(tc, places, "", doubts, readings), unless)


def _by_tag(classifier: Classifier, port: Interface, qos: PortQos, dscp: int) -> Match | None:
    """The match on a priority that takes untagged packets before any match on the DSCP."""
    if port.tagged is not False or qos.default_pcp is None:
        return None
    for match in classifier.matches:
        if match.kind is MatchKind.PCP and qos.default_pcp in match.values:
            return match if match.tc is not None else None
        if match.kind is MatchKind.ANY or (match.kind is MatchKind.DSCP and dscp in match.values):
            return None
    return None


def _undecided_term(classifier: Classifier, port: Interface, qos: PortQos, dscp: int | None) -> str:
    """The term of a classifier that may override the class of a DSCP; empty if none may."""
    if classifier.exact:
        return ""
    if not classifier.matches:
        return SOMETHING
    unsure: list[Match] = []
    for match in classifier.matches:
        takes = _takes(match, port, qos, dscp)
        if takes:
            return _which(unsure, match.tc)
        if takes is None:
            unsure.append(match)
    table = classifier.dscp_to_tc
    return _which(unsure, None if dscp is None else table.get(dscp))


def _takes(match: Match, port: Interface, qos: PortQos, dscp: int | None) -> bool | None:
    """Whether a match takes the packets of a DSCP; None where it may take some."""
    if match.kind is MatchKind.ANY:
        return True
    if match.kind is MatchKind.DSCP:
        return (None if match.partly else True) if dscp in match.values else False
    if match.kind is MatchKind.PCP and port.tagged is False:
        return qos.default_pcp in match.values
    return None


def _which(unsure: list[Match], tc: int | None) -> str:
    """The first uncertain term that gives another class than the remaining rules."""
    for match in unsure:
        if match.tc is None or match.tc != tc:
            return _term_of(match)
    return ""


def _term_of(match: Match) -> str:
    """A term of a policy as a missing input: the packets that it takes."""
    if match.kind is MatchKind.OTHER:
        return f"the packets that match {match.text}"
    text = match.text or match.class_name or ""
    name = f"{_TERMS[match.kind]} {text}".strip()
    of = f" of class {match.class_name}" if match.class_name and match.class_name != text else ""
    return f"the packets that match {name}{of}" + (f" ({match.partly})" if match.partly else "")


def _match_line(classifier: Classifier, dscp: int, place: Where) -> tuple[Where, ...]:
    """The line that names the DSCP, where another line gives its class."""
    for match in classifier.matches:
        if match.kind is MatchKind.DSCP and dscp in match.values:
            named = match.where("values")
            return (named,) if place.origin is Origin.STATED and named != place else ()
    return ()


def _readings(
    device: Device, qos: PortQos, classifier: Classifier, tc: int, place: Where
) -> frozenset[int] | None:
    """All classes a DSCP can be in, where class `tc` rests on an unconfirmed default."""
    citations = [doubt.citation for doubt in unconfirmed_places((place, qos.where("classifier")))]
    possible = {tc}
    for citation in citations:
        if citation is None or not (citation.among or citation.unfilled):
            return None
        possible |= citation.among or frozenset()
    if any(citation is not None and citation.unfilled for citation in citations):
        maps = device.qos.forwardings.get(qos.forwarding or "")
        if maps is None:
            return None
        tables = (maps.tc_to_queue, maps.tc_to_pg, maps.tc_to_pfc_priority)
        every = {tc for table in tables for tc in table.entries} | device.qos.tc_names.keys()
        possible |= every.difference(_filled_classes(device, classifier))
    return frozenset(possible)


def _filled_classes(device: Device, classifier: Classifier) -> Iterator[int]:
    """Classes configured by lines: of this classifier, or of any if the platform provides it."""
    of = device.qos.classifiers.values() if classifier.builtin else (classifier,)
    for each in of:
        for table in (each.dscp_to_tc, each.pcp_to_tc):
            yield from (tc for code, tc in table.entries.items() if table.stated(code))
        for match in each.matches:
            if match.tc is not None and match.kind is not MatchKind.ANY:
                yield match.tc
