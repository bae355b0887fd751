"""Code points that a switch changes: which, by what line, and on which ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.impact import Acts
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.device import Device
from roce_lint.model.qos import Match, MatchKind
from roce_lint.text.source import Where


@dataclass(slots=True)
class Rewriting:
    """A code point that leaves a box as another: the line, the ports, and the next hops."""

    port: JudgedPort  # where the change is configured
    old: int
    new: int
    where: Where
    leaving: list[JudgedPort]
    unsure: str = ""  # why it may not act
    acts: Acts = "leaving"  # which packets of the port


UNSURE = "it is not documented whether the rewrite acts on packets of a port that trusts DSCP"


def rewrites(device: Device) -> bool:
    """Whether anything on a device changes code points."""
    return bool(device.qos.rewrites) or any(
        match.set_dscp is not None
        for classifier in device.qos.classifiers.values()
        for match in classifier.matches
    )


def changes(analysis: Analysis, port: JudgedPort, dscp: int) -> Iterator[Rewriting]:
    """The rewrites that a port's configuration has for packets of a code point."""
    treated = analysis.treat(port, dscp)
    if treated.rewrite is not None and treated.rewrite != dscp and treated.rewrite_where:
        unsure = "" if _acts(port) else UNSURE
        yield Rewriting(port, dscp, treated.rewrite, treated.rewrite_where, [port], unsure)
    match = _takes(port, dscp)
    if match is not None and match.set_dscp is not None and match.set_dscp != dscp:
        others = [p for p in analysis.ports_of(port.device) if p is not port]
        where = match.where("set_dscp")
        yield Rewriting(port, dscp, match.set_dscp, where, others, acts="arriving")


def _acts(port: JudgedPort) -> bool:
    """True where a port's rewrite acts for certain, however the packets were classified."""
    qos = port.interface.qos
    rewrite = port.device.qos.rewrites.get(qos.rewrite or "") if qos is not None else None
    return rewrite is not None and rewrite.on_trusted is True


def _takes(port: JudgedPort, dscp: int) -> Match | None:
    """The entry of the port's ordered classifier that takes a code point for certain."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get(qos.classifier or "") if qos else None
    for match in classifier.matches if classifier is not None else ():
        if match.kind is MatchKind.ANY:
            return match
        if match.kind is MatchKind.DSCP and dscp in match.values:
            return match
        if match.kind not in (MatchKind.DSCP, MatchKind.PCP, MatchKind.NOTHING):
            return None  # an access list may take the packet first
    return None
