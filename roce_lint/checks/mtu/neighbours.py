"""Frames that a neighbour says are too large for it."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check

FRAME_OVERHEAD = 18
"""Bytes of an untagged Ethernet frame around its IP packet: header and check sequence."""


@fabric_check("mtu.advertised_too_small")
def neighbour_advertising_smaller_frames(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A host sends RoCE packets that its neighbour says are too large for it."""
    analysis = given.analysis
    for port in analysis.host_ports():
        need = analysis.sends.get(port.key)
        if port.peer is not None or need is None or need.assumed:
            continue
        for neighbor in port.interface.neighbors:
            frame = neighbor.max_frame
            if not frame or frame >= need.bytes + FRAME_OVERHEAD:
                continue
            yield Problem(
                f"{need.by}, {neighbor.device} at the other end of {port} takes frames of up to "
                f"{frame} bytes",
                f"RDMA packets larger than {frame - FRAME_OVERHEAD} bytes are dropped there",
                [neighbor.where("max_frame"), *need.where],
                port.device.hostname,
                (port.interface.name,),
                value=str(frame),
            )
            break
