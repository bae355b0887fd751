"""Neighbours whose own configuration is not in the folder, and what they advertise."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.interface import Neighbor


def advertising_neighbours(analysis: Analysis) -> Iterator[tuple[JudgedPort, Neighbor]]:
    """What was heard on ports whose neighbour is not in the folder, where neither end is willing
    to take over what the other says.
    """
    for port in analysis.ports:
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if port.peer is None and not (pfc is not None and pfc.willing):
            for neighbor in port.interface.neighbors:
                if not neighbor.pfc_willing:
                    yield port, neighbor
