"""Who shares a buffer with a lossless class: at the egress of a switch, in a NIC's receive side."""

from __future__ import annotations

from roce_lint.engine.api import (
    Diagnosis,
    Fault,
    Stage,
    stage_check,
)


@stage_check("buffers.egress_drops_lossless", Stage.LIMIT)
def lossless_queue_with_lossy_limit(diagnosis: Diagnosis, broken: Fault) -> str:
    """The egress queue of a lossless class has no buffer limit, or that of unmarked traffic."""
    return (
        "packets of the lossless class may be dropped on their way out: no pause is sent "
        "for a queue that is full"
    )


@stage_check("buffers.receive_buffer_shared", Stage.SHARED)
def nic_receive_buffer_shared(diagnosis: Diagnosis, broken: Fault) -> str:
    """A priority that is not paused is kept in the receive buffer of a lossless class."""
    return (
        "traffic that nobody can pause fills the buffer: RoCE is paused for it, and "
        "dropped when it is full"
    )


@stage_check("buffers.lossless_queue_trims", Stage.TRIMMED)
def trimming_on_lossless_queue(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of a class that is paused cuts packets down instead of waiting."""
    return (
        "a trimmed packet has lost its payload: the class is lossless at the way in and "
        "lossy at the way out"
    )
