"""Who shares a buffer with a lossless class: at the egress of a switch, in a NIC's receive side."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import (
    Diagnosis,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    RoceClass,
    Stage,
    class_port_check,
    told,
)


@class_port_check("buffers.egress_drops_lossless")
def lossless_queue_with_lossy_limit(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The egress queue of a lossless class has no buffer limit, or that of unmarked traffic."""
    return told(
        diagnosis,
        Stage.LIMIT,
        "packets of the lossless class may be dropped on their way out: no pause is sent "
        "for a queue that is full",
    )


@class_port_check("buffers.receive_buffer_shared")
def nic_receive_buffer_shared(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A priority that is not paused is kept in the receive buffer of a lossless class."""
    return told(
        diagnosis,
        Stage.SHARED,
        "traffic that nobody can pause fills the buffer: RoCE is paused for it, and "
        "dropped when it is full",
    )


@class_port_check("buffers.lossless_queue_trims")
def trimming_on_lossless_queue(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of a class that is paused cuts packets down instead of waiting."""
    return told(
        diagnosis,
        Stage.TRIMMED,
        "a trimmed packet has lost its payload: the class is lossless at the way in and "
        "lossy at the way out",
    )
