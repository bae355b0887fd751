"""Text without indentation is read by mode, as by the device: same model, same lines, no additional
finding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roce_lint.model.dump import dump
from roce_lint.model.qos import QueueKind
from roce_lint.nos import eos, nxos
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import LineState
from tests.bench import check
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import build, switches
from tests.nos import reader
from tests.nos.flat import SYSTEMS, WAYS, equal, flat
from tests.nos.test_blanks import values
from tests.nos.test_cases import cases, inputs, read_case
from tests.sampling import sampled
from tests.small_fabrics.rows import observed

CASES = [case for case in cases() if case.parent.name in SYSTEMS]
OTHERWISE = {
    "aoscx/overlay": "`routing` is a word of a port and of a VNI, and the template of a VNI lacks it",
    **dict.fromkeys(
        ("vrp/filters bare", "vrp/filters flat", "vrp/filters patchy"),
        "`traffic-filter` is a word of the outer mode too, and no template has the lines of a VLAN",
    ),
    **dict.fromkeys(
        ("aoscx/filters bare", "aoscx/filters flat"), "no template has the lines of a VLAN"
    ),
    "aoscx/leaf patchy": "`apply qos` is a word of a port and of the switch",
    "esonic/leaf patchy": "the indentation ends inside a port",
}
"""Cases that are read differently from flat text, with the reason."""


def called(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


def test_the_systems_that_are_read_so() -> None:
    assert {"eos", "nxos", "vrp", "comware", "iosxr", "os10"} <= set(SYSTEMS)


@pytest.mark.parametrize(
    "pair",
    sampled(
        [(case, way) for case in CASES for way in WAYS],
        6,
        lambda pair: pair[0].parent.name,
        lambda pair: pair[1],
        name=lambda pair: f"{called(pair[0])} {pair[1]}",
    ),
    ids=lambda pair: f"{called(pair[0])} {pair[1]}",
)
def test_one_model(pair: tuple[Path, str]) -> None:
    case, way = pair
    nos = all_nos()[case.parent.name]
    device, _ = read_case(nos, case, lambda raw: WAYS[way](raw.decode()).encode())
    plain, _ = read_case(nos, case)
    found, wanted = dump(device), dump(plain)
    if way == "bare":  # whose lines have other numbers
        found, wanted = values(found), values(wanted)
    if {called(case), f"{called(case)} {way}"} & OTHERWISE.keys():
        assert found != wanted
    else:
        assert found == wanted


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES, ids=called)
@pytest.mark.parametrize("way", [flat, equal])
def test_no_finding_more(case: Path, way: Callable[[str], str]) -> None:
    files = {path.relative_to(case).as_posix(): path.read_text() for path in inputs(case)}
    changed = {name: text if "lldp" in name else way(text) for name, text in files.items()}
    before, after = (
        {(f.rule, f.message) for f in check(each).findings} for each in (files, changed)
    )
    more = {rule for rule, _ in after - before}
    assert more <= ({"SRC001"} if any(key.startswith(called(case)) for key in OTHERWISE) else set())


@pytest.mark.parametrize(
    "system",
    sampled([nos for nos in SYSTEMS if nos in KINDS], 9, lambda nos: nos in ("eos", "vrp")),
)
@pytest.mark.parametrize("way", [flat, equal])
def test_a_flat_leaf_beside_indented_ones(system: str, way: Callable[[str], str]) -> None:
    files = build([system] * 4)
    name = switches(files)["leaf2"]
    before, after = check(files), check({**files, name: way(files[name])})
    assert observed(after) == observed(before)
    assert after.verdict == before.verdict


EQUAL_EOS = """\
hostname lf
interface Ethernet1/1
   priority-flow-control priority 5 no-drop
   uc-tx-queue 5
   random-detect ecn minimum-threshold 222 kbytes maximum-threshold 2000 kbytes
   uc-tx-queue 6
   priority strict
   mtu 9214
"""


def test_the_lines_of_a_queue_are_its_own_though_level_with_it() -> None:
    device = reader.read(eos.NOS, EQUAL_EOS)
    port = device.interfaces["Ethernet1/1"]
    assert port.qos is not None
    queues = device.qos.egress[port.qos.egress or ""].queues
    marking = queues[QueueKind.UNICAST, 5].marking
    assert marking is not None
    assert (marking.ecn, reader.line(marking, "kmin")) == (True, 5)
    assert queues[QueueKind.UNICAST, 6].scheduler is not None
    assert port.ip_mtu == 9214
    assert device.notes == []


GLOBAL_BETWEEN = {
    "eos": (
        "interface Ethernet1\nmtu 9214\n{}interface Ethernet2\nmtu 9214\n",
        ("router ospf 1\nshutdown\n", "vrf instance X\nmtu 1500\n", "!\nnobody knows\nshutdown\n"),
    ),
    "nxos": (
        "interface Ethernet1/1\nmtu 9216\n{}interface Ethernet1/2\nmtu 9216\n",
        ("vlan 10\nshutdown\n", "router ospf 1\nshutdown\n", "\nnobody knows\nshutdown\n"),
    ),
    "iosxr": (
        "interface HundredGigE0/0/0/1\nmtu 9216\n{}interface HundredGigE0/0/0/2\nmtu 9216\n",
        ("router static\nshutdown\n", "l2vpn\nmtu 1500\n", "!\nvrf RED\nmtu 1500\n"),
    ),
    "os10": (
        "interface ethernet1/1/1\nmtu 9216\n{}interface ethernet1/1/2\nmtu 9216\n",
        ("wred W\nshutdown\n", "line vty\nshutdown\n", "!\nnobody knows\nshutdown\n"),
    ),
    "vrp": (
        "interface 100GE1/0/1\nmtu 9000\n{}interface 100GE1/0/2\nmtu 9000\n",
        ("ospf 1\nshutdown\n", "drop-profile D\nshutdown\n", "#\nnobody knows\nshutdown\n"),
    ),
    "comware": (
        "interface Ten-GigabitEthernet1/0/1\nmtu 9000\n{}interface Ten-GigabitEthernet1/0/2\nmtu 9000\n",
        ("isis 1\nshutdown\n", "vsi A\nshutdown\n", "#\nnobody knows\nshutdown\n"),
    ),
}
"""Two flat ports of a system, and lines between them that belong to no port."""


@pytest.mark.parametrize("system", GLOBAL_BETWEEN)
def test_a_line_of_the_outer_mode_ends_the_port(system: str) -> None:
    text, between = GLOBAL_BETWEEN[system]

    def ports(lines: str) -> list[tuple[str, bool | None, int | None]]:
        found = reader.read(all_nos()[system], text.format(lines)).interfaces.values()
        return [(port.name, port.enabled, port.ip_mtu) for port in found]

    plain = ports("")
    assert len(plain) == 2
    assert ports("shutdown\n") != plain
    for lines in between:
        assert ports(lines) == plain, lines


def test_a_line_of_both_modes_belongs_to_the_open_one_unless_a_line_precedes_it() -> None:
    text = "interface Ethernet1/1\nmtu 9216\n{}priority-flow-control watch-dog-interval on\n"
    ports = [
        reader.read(nxos.NOS, text.format(between)).interfaces["Ethernet1/1"]
        for between in ("", "\n", "!\n")
    ]
    watchdogs = [port.qos.watchdog for port in ports if port.qos is not None]
    assert [dog is not None and dog.enabled for dog in watchdogs] == [True, False, False]


def test_words_that_leave_a_mode() -> None:
    text = (
        "interface Ethernet1\nuc-tx-queue 3\npriority strict\nexit\nmtu 9214\nexit\n"
        "interface Ethernet2\nshutdown\nend\nshutdown\n"
    )
    device = reader.read(eos.NOS, text)
    assert device.interfaces["Ethernet1"].ip_mtu == 9214
    assert device.interfaces["Ethernet1"].enabled is not False
    assert device.interfaces["Ethernet2"].enabled is False
    assert device.notes == []


@pytest.mark.parametrize(
    "text",
    [
        "interface Ethernet1/1\n  mtu 9216\npriority-flow-control mode on\n  no switchport\n",
        " interface Ethernet1/1\n mtu 9216\n priority-flow-control mode on\n no switchport\n",
        "hostname leaf1\n interface Ethernet1/1\n mtu 9216\n priority-flow-control mode on\n no switchport\n",
    ],
    ids=["one line", "all by one", "all but the first"],
)
def test_a_part_of_the_text_has_lost_its_indentation(text: str) -> None:
    device = reader.read(nxos.NOS, text)
    port = device.interfaces["Ethernet1/1"]
    assert (port.ip_mtu, port.routed) == (9216, True)
    assert port.qos is not None
    assert port.qos.pfc is not None
    assert port.qos.pfc.stated("mode")
    assert LineState.UNRECOGNISED not in device.src.files[0].states


def test_a_line_about_roce_is_not_lost_below_lines_that_do_not_matter() -> None:
    text = "interface vlan6\nmtu 9216\nhsrp 6\npriority 150\npfc something new\nip 10.2.1.1\n"
    device = reader.read(nxos.NOS, text)
    assert reader.states(device, LineState.UNRECOGNISED) == [5]
    assert reader.states(device, LineState.IGNORED) == [3, 4, 6, 7]


def test_an_indented_text_is_left_as_it_is() -> None:
    text = "interface Ethernet1\n   tx-queue 3\n      mtu 9214\n   foo\n      shutdown\n"
    device = reader.read(eos.NOS, text)
    assert device.interfaces["Ethernet1"].enabled is not False
