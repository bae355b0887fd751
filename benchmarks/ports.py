"""The ports of the switches that benchmarks write."""

from __future__ import annotations

from dataclasses import dataclass

PORTS = 64
"""Ports of every switch."""


@dataclass(frozen=True)
class Port:
    """One configured port of a switch."""

    index: int  # front panel number, from 1
    peer: str
    address: str
    faces_host: bool
