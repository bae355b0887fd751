"""What holds congestion notification packets up at one hop of a walk, judged for itself.

The rules judge ports, and what is a consequence of another fault there is told once, with that
fault. Who follows one packet wants to know it at the hop where it happens.
"""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import Treatment, treat_exit
from roce_lint.analysis.walk import Hop
from roce_lint.text.source import Where

UNMARKED = 0
"""The code point of everything that nobody marked."""


@dataclass(slots=True, frozen=True)
class CnpDelay:
    """Why the packets wait at a hop, and the lines that make it so."""

    message: str
    consequence: str
    grave: bool  # behind what they should end; else behind bulk traffic
    where: tuple[Where, ...]


def find_cnp_delay(analysis: Analysis, hop: Hop, name: str) -> CnpDelay | None:
    """What a switch does to the notifications of class `name`; None where nothing is amiss or
    known. They are paused, wait with lossless or marked data, or with unmarked traffic.
    """
    into, out = hop.treated.ingress, hop.treated.egress
    if hop.device.is_host or None in (hop.into, hop.out, into.tc):
        return None
    lines = tuple(w for w in (*into.tc_where, out.queue_where) if w is not None)
    where = hop.device.hostname
    if into.lossless:
        return CnpDelay(
            f"{where} puts {name} into class {into.tc_name}, which it pauses",
            "CNPs, which should end congestion, can be paused",
            True,
            lines,
        )
    if out.queue is None:
        return None
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps:
            data = _treat_other(analysis, hop, dscp)
            cared = data.ingress.lossless or data.egress.marks
            if cared and data.ingress.certain and data.egress.queue == out.queue:
                return CnpDelay(
                    f"{where} puts {name} into queue {out.queue}, that of {traffic.name}",
                    "CNPs queue behind the traffic they should slow down",
                    True,
                    lines,
                )
    bulk = _treat_other(analysis, hop, UNMARKED)
    if bulk.ingress.certain and bulk.egress.queue == out.queue:
        return CnpDelay(
            f"{where} puts {name} into queue {out.queue}, that of unmarked traffic",
            "CNPs wait behind any bulk transfer, and are dropped with it",
            False,
            lines,
        )
    return None


def _treat_other(analysis: Analysis, hop: Hop, dscp: int) -> Treatment:
    """How packets of another code point are treated on the same ports."""
    if hop.into is None or hop.out is None:
        raise ValueError("a hop without two ports")
    treated = analysis.treat(hop.into, dscp)
    return treat_exit(hop.device, hop.out.interface, treated.ingress)
