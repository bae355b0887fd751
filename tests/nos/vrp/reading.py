"""Read a CloudEngine configuration given as text, for tests of values and lines."""

from __future__ import annotations

from pathlib import Path

from roce_lint.nos.vrp import NOS
from tests.nos import reader

LEAF = (Path(__file__).parent / "pair.cfg").read_text()

NAMED = "sysname leaf1\n"


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str, name: str = "100GE1/0/1"):
    device = read(text)
    return device, device.interfaces[name].qos
