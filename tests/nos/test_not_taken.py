"""Untaken lines about PFC, ECN marking or RoCE are noted on every system of lines."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.nos import eos, junos, nxos, os10
from roce_lint.nos.base import Nos
from tests.nos import reader
from tests.nos.reader import line

SYSTEMS = {
    "eos": (eos.NOS, "running-config"),
    "nxos": (nxos.NOS, "running-config"),
    "os10": (os10.NOS, "running-config"),
    "junos": (junos.NOS, "configuration"),
}


def noted(nos: Nos, source: str, text: str) -> list[tuple[int, str, int]]:
    device = reader.read(nos, text, source)
    found = [note for note in device.notes if note.kind is NoteKind.NOT_TAKEN]
    return [(line(note), note.message, note.count) for note in found]


@pytest.mark.parametrize("system", ["eos", "nxos", "os10"])
def test_invented_lines_are_noted_together(system: str) -> None:
    nos, source = SYSTEMS[system]
    text = "hostname a\n!\nroce enable\nlossless queue x\n   PFC cos 5 enable\n"
    assert noted(nos, source, text) == [(3, "roce enable", 3)]


@pytest.mark.parametrize("system", ["eos", "nxos", "os10"])
@pytest.mark.parametrize(
    "text",
    [
        "! roce is off\n",
        "alias p show pfc\n",
        "username roce-admin secret x\n",
        "snmp-server location decnet\n",
        "banner motd x roce x\n",
    ],
)
def test_names_and_texts_are_not(system: str, text: str) -> None:
    nos, source = SYSTEMS[system]
    assert noted(nos, source, "hostname a\n" + text) == []


def test_statements_are_looked_at_too() -> None:
    text = "set system host-name a\nset class-of-service roce lossless enable\n"
    assert noted(*SYSTEMS["junos"], text) == [(2, "set class-of-service roce lossless enable", 1)]


def test_what_is_taken_is_not() -> None:
    text = "hostname a\ninterface Ethernet1\n   priority-flow-control on\n"
    assert noted(*SYSTEMS["eos"], text) == []
