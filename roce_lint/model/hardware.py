"""What a switch is built of, as far as thresholds and buffers are bounded by it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Asic:
    """The chip that forwards packets.

    `buffer_bytes` is the largest reading of what is published about its packet buffer (1 MB as
    1,048,576 bytes): no pool and no queue is larger. None where it is not known, and on chips with
    memory outside, which hold far more. `shipped` are the headrooms that the maker of the model
    delivers it with: (Gb/s, metres of cable, bytes).
    """

    name: str
    source: str
    confirmed: bool = True
    buffer_bytes: int | None = None
    cell_bytes: int | None = None
    shipped: frozenset[tuple[float, float, int]] = frozenset()
