"""Read a Comware configuration given as text, for tests of values and lines."""

from __future__ import annotations

from pathlib import Path

from roce_lint.nos.comware import NOS
from tests.nos import reader

LEAF = (Path(__file__).parent / "pair.cfg").read_text()
NAMED = " sysname leaf1\n#\n"
PORT = "interface HundredGigE1/0/1\n"
ON = " priority-flow-control enable\n"
LOSSLESS = " priority-flow-control no-drop dot1p {}\n"


def read(text: str):
    return reader.read(NOS, f"#\n{text}")


def qos_of(text: str, name: str = "HundredGigE1/0/1"):
    device = read(text)
    return device, device.interfaces[name].qos
