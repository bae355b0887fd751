"""The two ends of a cable, and the members of one channel: what has to agree on them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Literal

from roce_lint.analysis.result import Analysis
from roce_lint.checks.mtu import link_note
from roce_lint.engine.api import (
    Endpoint,
    Given,
    Link,
    NoParams,
    Outcome,
    Problem,
    link_check,
)
from roce_lint.model.interface import Fec, Interface

_FEC_WORDS = {Fec.NONE: "no FEC", Fec.RS: "Reed-Solomon FEC", Fec.FC: "fire-code FEC"}

Field = Literal["speed_gbps", "fec"]


@link_check("links.ends_incompatible")
def ends_incompatible(link: Link, given: Given[NoParams]) -> Iterator[Outcome]:
    """Both ends of a link state a speed, or a FEC, and not the same one."""
    analysis = given.analysis
    if any(analysis.port(*end.key) is None for end in link.ends):
        return
    if any(end.interface.autoneg for end in link.ends):
        return  # what is negotiated is not what is written
    fields: tuple[Field, ...] = ("speed_gbps", "fec")
    for field in fields:
        mine, theirs = (_stated(end.interface, field) for end in link.ends)
        if mine is None or theirs is None or mine == theirs:
            continue
        odd = _rarer(analysis, link, field)
        other = link.other(odd)
        what = _spell(odd.interface, field)
        yield Problem(
            f"{odd} is set to {what}, {other} at the other end to {_spell(other.interface, field)}",
            "the link does not come up: its traffic takes the remaining paths, or none",
            [odd.interface.where(field), other.interface.where(field)],
            odd.device.hostname,
            (odd.interface.name,),
            value=f"{what}/{_spell(other.interface, field)}",
            assumed=link_note(assumed=link.assumed),
        )
        return  # of a port that runs at another speed the FEC follows


def _stated(port: Interface, field: Field) -> Hashable:
    """The value a line states; None where none does, or it leaves the choice to the link."""
    value = getattr(port, field)
    return value if port.stated(field) and value is not Fec.AUTO else None


def _spell(port: Interface, field: Field) -> str:
    if field == "fec":
        return _FEC_WORDS.get(port.fec or Fec.NONE, "")
    return f"{port.speed_gbps:g} Gb/s"


def _rarer(analysis: Analysis, link: Link, field: Field) -> Endpoint:
    """The end whose value is the rarer one among the judged ports of its own device."""

    def share(end: Endpoint) -> float:
        ports = [port.interface for port in analysis.ports_of(end.device)]
        same = [port for port in ports if _stated(port, field) == _stated(end.interface, field)]
        return len(same) / len(ports)

    return min(link.ends, key=share)
