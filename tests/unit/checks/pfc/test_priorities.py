"""PFC that is too much, not needed, negotiated, mixed with link pause, or half there."""

from __future__ import annotations

from typing import Any

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.checks.pfc.completeness import incomplete_pfc_configuration
from roce_lint.checks.pfc.priorities import (
    ManyParams,
    link_pause_beside_pfc,
    pfc_mode_auto,
    too_many_lossless_priorities,
    unneeded_lossless_priority,
)
from roce_lint.engine.api import Given, NoParams, Outcome, Problem, Severity
from roce_lint.model.device import Device
from roce_lint.model.interface import Neighbor
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import PfcConfig, PfcMode, Trust
from tests.unit.checks.judging import outcomes_of, values
from tests.unit.fabric import CONFIRMED, Ends, analysed, code_map, host, lines_of, port, switch


def given(analysis: Analysis, params: Any = None) -> Given[Any]:
    return Given(params or NoParams(), analysis.fabric, analysis, RocePlan())


def judged(check: Any, *devices: Device, links: tuple[Ends, ...] = (), **params: Any) -> list[Any]:
    analysis = analysed(*devices, links=links)
    wanted = ManyParams(**params) if check is too_many_lossless_priorities else None
    found: list[Outcome] = list(outcomes_of(check, given(analysis, wanted)))
    assert all(isinstance(outcome, Problem) for outcome in found)
    return found


def pfc_of(device: Device, name: str = "e1") -> PfcConfig:
    qos = device.interfaces[name].qos
    assert qos is not None
    assert qos.pfc is not None
    return qos.pfc


def leaf(*pauses: int, dscps: dict[int, int] | None = None) -> Device:
    device = switch("leaf1", dscps=dscps or {26: 3})
    port(device, "e1", pauses=pauses)
    return device


def test_more_priorities_than_the_parameter_allows() -> None:
    device = leaf(3, 4, 5)
    (found,) = judged(too_many_lossless_priorities, device)
    assert (found.value, found.at[0].position) == ("3-5", pfc_of(device).at["generate"])
    assert judged(too_many_lossless_priorities, device, max=3) == []
    assert judged(too_many_lossless_priorities, leaf(3, 4)) == []


def test_the_line_of_the_priority_itself_decides_where_there_is_one() -> None:
    device = leaf(3, 4, 5)
    pfc_of(device).at[5] = lines_of(device).next()
    (found,) = judged(too_many_lossless_priorities, device)
    assert found.at[0].position == pfc_of(device).at[5]


def test_network_control_is_not_to_be_paused() -> None:
    device = leaf(3, 6, dscps={26: 3, 48: 6})
    gpu = host("gpu1", "ens1", sends=26, pauses=(3,))
    (found,) = judged(
        too_many_lossless_priorities, device, gpu, links=(((device, "e1"), (gpu, "ens1")),)
    )
    assert found.value == "6"
    assert "DSCP 48" in found.message


def test_cnp_on_the_code_point_of_network_control_is_another_rule() -> None:
    device = leaf(3, 6, dscps={26: 3, 48: 6})
    gpu = host("gpu1", "ens1", sends=26, cnp=48, pauses=(3,))
    links = (((device, "e1"), (gpu, "ens1")),)
    assert judged(too_many_lossless_priorities, device, gpu, links=links) == []


def unneeded(device: Device, sends: int | None = 26) -> list[Any]:
    gpu = host("gpu1", "ens1", sends=sends, pauses=(3,))
    return judged(unneeded_lossless_priority, device, gpu, links=(((device, "e1"), (gpu, "ens1")),))


def test_a_priority_that_no_stated_class_uses() -> None:
    (found,) = unneeded(leaf(3, 4))
    assert (found.subjects, found.value) == (("e1",), "4")


def test_nothing_is_unneeded_in_stock_or_where_nobody_states_what_he_sends() -> None:
    device = leaf(3, 4)
    assert unneeded(device, sends=None) == []
    device.limits.stock_pfc_priorities = frozenset({3, 4})
    assert unneeded(device) == []


def auto(*, dcbx: str | None = None, heard: frozenset[int] | None = None) -> list[Any]:
    device, spine = switch("leaf1", priorities={3: 3}), switch("spine1")
    made = port(device, "e1", pauses=None)
    if heard is not None:
        made.neighbors = (Neighbor(device="spine1", pfc_priorities=heard),)
    port(spine, "e1")
    pfc_of(spine).dcbx = dcbx
    pfc_of(spine).at["dcbx"] = spine.src.cite(CONFIRMED)
    return judged(pfc_mode_auto, device, spine, links=(((device, "e1"), (spine, "e1")),))


def test_a_silent_peer_makes_negotiation_an_error() -> None:
    (found,) = auto(dcbx="off")
    assert (found.severity, found.value) == (None, "auto, peer silent")
    (found,) = auto()
    assert (found.severity, found.value) == (Severity.WARNING, "auto")


def test_a_peer_that_was_heard_to_advertise_is_enough() -> None:
    assert auto(dcbx="off", heard=frozenset({3})) == []
    assert len(auto(heard=frozenset({4}))) == 1


def test_a_peer_that_forces_pfc_without_a_word_is_silent() -> None:
    device, spine = switch("leaf1", priorities={3: 3}), switch("spine1")
    port(device, "e1", pauses=None)
    port(spine, "e1")
    pfc_of(spine).advertises = False
    (found,) = judged(pfc_mode_auto, device, spine, links=(((device, "e1"), (spine, "e1")),))
    assert found.value == "auto, peer silent"


@pytest.mark.parametrize(
    ("receive", "send", "value"),
    [(True, True, "receive+send"), (True, False, "receive"), (False, True, "send")],
)
def test_link_pause_beside_pfc(receive: bool, send: bool, value: str) -> None:
    device = leaf(3)
    pfc_of(device).link_pause_rx, pfc_of(device).link_pause_tx = receive, send
    (found,) = judged(link_pause_beside_pfc, device)
    assert found.value == value


def test_link_pause_alone_or_not_known_is_nothing() -> None:
    assert judged(link_pause_beside_pfc, leaf(3)) == []
    device = leaf()
    pfc_of(device).link_pause_rx = True
    assert judged(link_pause_beside_pfc, device) == []


def named(*, stated: bool) -> tuple[Device, list[Any]]:
    """A port with a no-drop priority and PFC off, by a line or by default."""
    device, lines = leaf(), None
    lines, pfc = lines_of(device), pfc_of(device)
    pfc.named, pfc.at[3] = frozenset({3}), lines.next()
    pfc.at["mode"] = lines.next() if stated else device.src.cite(CONFIRMED)
    qos = device.interfaces["e1"].qos
    assert qos is not None
    qos.at["classifier"] = lines.next()  # makes the port an edge port
    return device, judged(incomplete_pfc_configuration, device)


def test_a_named_priority_without_pfc() -> None:
    device, (found,) = named(stated=False)
    assert (found.severity, found.value) == (None, "3")
    assert pfc_of(device).mode is PfcMode.OFF
    assert found.at[1].position == pfc_of(device).at[3]


def test_pfc_that_a_line_switches_off_warns() -> None:
    _, (found,) = named(stated=True)
    assert found.severity is Severity.WARNING


def test_pfc_for_a_priority_of_no_class() -> None:
    device = leaf(4)
    maps = device.qos.forwardings["maps"]
    maps.tc_to_pfc_priority = code_map(lines_of(device), {3: 3})
    maps.pfc_priority_to_pg = code_map(lines_of(device), {3: 3})
    (found,) = judged(incomplete_pfc_configuration, device)
    assert (found.value, found.at[0].position) == ("4", pfc_of(device).at["generate"])


def test_one_paused_class_is_enough() -> None:
    device = leaf(3, 4)
    maps = device.qos.forwardings["maps"]
    maps.tc_to_pfc_priority = code_map(lines_of(device), {3: 3})
    assert judged(incomplete_pfc_configuration, device) == []


def unreached(*, tagged: bool | None = False, by_tag: bool = False) -> tuple[Device, list[Any]]:
    """PFC on for priority 3, the class of which no code point and no untagged packet gets into."""
    device = switch("leaf1", dscps={26: 2})
    port(device, "e1", pauses=(3,), trust=Trust.PCP if by_tag else Trust.DSCP)
    qos = device.interfaces["e1"].qos
    assert qos is not None
    device.interfaces["e1"].tagged, qos.default_pcp = tagged, 0
    device.qos.classifiers["map"].pcp_to_tc = code_map(lines_of(device), {0: 1, 3: 3})
    return device, judged(incomplete_pfc_configuration, device)


def test_pfc_for_a_class_that_no_code_point_gets_into() -> None:
    device, (found,) = unreached()
    assert (found.subjects, found.severity) == (("e1",), Severity.WARNING)
    assert "3" in values(found.message)
    assert "tag" not in found.message
    assert found.at[0].position == pfc_of(device).at["generate"]
    device.partial = True
    assert judged(incomplete_pfc_configuration, device) == []


def test_pfc_for_a_class_that_packets_without_a_tag_do_not_get_into() -> None:
    _, (found,) = unreached(by_tag=True)
    assert "3" in values(found.message)
    assert "tag" in found.message
    for tagged in (True, None):  # tagged packets say their priority themselves
        assert unreached(by_tag=True, tagged=tagged)[1] == []
