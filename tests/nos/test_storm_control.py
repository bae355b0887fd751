"""Storm control: what RoCE may meet of it is left unread on every system, the rest is ignored."""

from __future__ import annotations

import pytest

from roce_lint.nos import comware, eos, esonic, nxos, os10, vrp
from roce_lint.nos.base import Nos
from roce_lint.text.source import LineState
from tests.nos import reader
from tests.nos.reader import states

PORTS: dict[str, tuple[Nos, str]] = {
    "eos": (eos.NOS, "interface Ethernet1\n   {}\n"),
    "nxos": (nxos.NOS, "interface Ethernet1/1\n  {}\n"),
    "os10": (os10.NOS, "interface ethernet1/1/1\n {}\n"),
    "esonic": (esonic.NOS, "interface Ethernet0\n {}\n"),
    "vrp": (vrp.NOS, "interface 100GE1/0/1\n {}\n"),
    "comware": (comware.NOS, "interface HundredGigE1/0/1\n {}\n"),
}


@pytest.mark.parametrize(
    ("system", "line", "state"),
    [
        ("eos", "storm-control all level 3", LineState.UNRECOGNISED),
        ("eos", "storm-control all level pps 500", LineState.UNRECOGNISED),
        ("eos", "storm-control all level 100", LineState.IGNORED),  # all of the port's speed
        ("eos", "storm-control broadcast level 3", LineState.IGNORED),
        ("eos", "storm-control unknown-unicast level 1", LineState.IGNORED),
        ("eos", "no storm-control all", LineState.IGNORED),
        ("nxos", "storm-control unicast level 10.00", LineState.UNRECOGNISED),
        ("nxos", "storm-control unicast level 100.00", LineState.IGNORED),
        ("nxos", "storm-control action shutdown", LineState.UNRECOGNISED),
        ("nxos", "storm-control multicast level 10.00", LineState.IGNORED),
        ("os10", "storm-control broadcast 1000", LineState.IGNORED),
        ("esonic", "storm-control unknown-unicast 1000", LineState.IGNORED),
        ("vrp", "storm control unicast min-rate 1000 max-rate 2000", LineState.UNRECOGNISED),
        ("vrp", "storm suppression broadcast 80", LineState.IGNORED),
        ("comware", "storm-constrain unicast pps 2000 1000", LineState.UNRECOGNISED),
        ("comware", "storm-constrain broadcast pps 2000 1000", LineState.IGNORED),
    ],
)
def test_storm_control(system: str, line: str, state: LineState) -> None:
    nos, text = PORTS[system]
    device = reader.read(nos, text.format(line))
    assert 2 in states(device, state)
