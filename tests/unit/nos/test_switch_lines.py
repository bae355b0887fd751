"""Shared parts of command-line readers: lists of VLANs, ends of tunnels, PFC modes."""

from __future__ import annotations

import re

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode
from roce_lint.nos.declare import hostname_pattern, print_command_pattern
from roce_lint.nos.port_names import vlan_number
from roce_lint.nos.port_vlans import some, union_of, vlans_of_lines
from roce_lint.nos.quantities import paused_priorities, write_ranges
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.switch_ports import reads_as_routed
from roce_lint.text.match import Record
from roce_lint.text.source import SourceFile, SourceMap


def reader(**lines: list[tuple[str, int]]) -> Reader:
    """A reader over captures of a stanza of nine lines."""
    src = SourceMap()
    src.add(SourceFile.of("leaf1.cfg", "line\n" * 9), "running-config")
    return Reader(Record("interface", 1, lines), Reading("nos", "leaf1", src))


@pytest.mark.parametrize(
    ("lines", "vlans", "position"),
    [
        ([], None, 0),
        ([("10", 2)], {10}, 2),
        ([("10 20 to 22", 2), ("30", 4)], {10, 20, 21, 22, 30}, 2),
        ([("10", 2), ("all", 4)], None, 0),
        ([("10", 2), ("20 to 5000", 4)], None, 4),
    ],
)
def test_lines_of_a_trunk_add_up(
    lines: list[tuple[str, int]], vlans: set[int] | None, position: int
) -> None:
    found = vlans_of_lines(reader(allowed_vlans=lines) if lines else reader())
    assert found == (vlans, position)


def test_a_wrong_list_of_vlans_is_noted() -> None:
    lines = reader(allowed_vlans=[("20 to 5000", 4)])
    vlans_of_lines(lines)
    assert [(note.kind, note.message, note.at[""]) for note in lines.reading.notes] == [
        (NoteKind.BAD_VALUE, "'20 to 5000' is not a list of VLANs", 4)
    ]


def test_the_kind_of_line_that_is_named_first_tells_whether_a_port_routes() -> None:
    meaning = {"ip_address": True, "access_vlan": False}
    both = reader(access_vlan=[("10", 3)], ip_address=[("10.0.0.1/31", 5), ("10.0.0.3/31", 6)])
    assert reads_as_routed(both, meaning) == (True, 6)
    assert reads_as_routed(reader(access_vlan=[("10", 3)]), meaning) == (False, 3)
    assert reads_as_routed(reader(mtu=[("9000", 3)]), meaning) == ABSENT


def test_what_several_lines_state_stands_at_the_first_that_does() -> None:
    assert union_of([Value(None, 2), Value("RED", 4), Value("BLUE", 6)]) == ({"RED", "BLUE"}, 4)
    assert union_of([Value(None, 2)]) == ABSENT
    assert some({"leaf1"}, 3) == ({"leaf1"}, 3)
    assert some(set(), 3) == ABSENT


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Value(PfcMode.ON, 3), Value(frozenset({4}), 7)),
        (Value(PfcMode.OFF, 3), Value(frozenset(), 3)),
        (Value(PfcMode.AUTO, 3), ABSENT),
        (ABSENT, ABSENT),
    ],
)
def test_what_is_paused_hangs_on_the_mode(
    mode: Value[PfcMode], expected: Value[frozenset[int]]
) -> None:
    assert paused_priorities(mode, Value(frozenset({4}), 7)) == expected


@pytest.mark.parametrize(
    ("name", "vlan"), [("Vlan20", 20), ("vlan4094", 4094), ("vlan4095", None), ("irb", None)]
)
def test_the_vlan_in_a_name(name: str, vlan: int | None) -> None:
    assert vlan_number(name) == vlan


def test_ranges_in_words() -> None:
    assert write_ranges("10 20  to 30 40") == "10 20-30 40"


def test_a_command_and_what_may_stand_behind_it() -> None:
    command = re.compile(print_command_pattern("show running-config"))
    found = command.fullmatch("show running-config interface Eth1 | no-more")
    assert found is not None
    assert found["part"] == "interface Eth1"
    assert command.fullmatch("show running-config") is not None
    assert command.fullmatch("show running-configuration") is None


def test_a_sentence_names_no_device() -> None:
    line = re.compile(hostname_pattern("hostname"), re.MULTILINE)
    assert line.search("hostname of this box is secret\n") is None
    found = line.search("!\nhostname leaf1 \n")
    assert found is not None
    assert found["name"] == "leaf1"
