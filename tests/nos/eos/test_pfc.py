"""Priority flow control and its watchdog; combinations of profile, port and channel."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, WatchdogAction
from roce_lint.model.sourced import Concern
from roce_lint.nos.eos import defaults
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from roce_lint.text.source import LineState
from tests.nos.eos.reading import pfc, qos, read, watchdog, whole
from tests.nos.reader import default_sentence, line, notes, states

PROFILE = """\
qos profile P
   priority-flow-control on
   priority-flow-control priority 3 no-drop
"""


def test_pfc_is_off_by_default() -> None:
    found = pfc(whole("interface Ethernet1\n"))
    assert (found.mode, found.generate, found.honour, found.named) == (
        PfcMode.OFF, frozenset(), frozenset(), frozenset(),
    )  # fmt: skip
    assert default_sentence(found, "generate") == defaults.PFC_OFF.says
    assert (found.dcbx, found.link_pause_rx, found.link_pause_tx) == ("off", False, False)
    assert line(found) == 2


def test_on_with_a_priority() -> None:
    device = whole(PROFILE + "interface Ethernet1\n   service-profile P\n")
    found = pfc(device)
    assert (found.mode, line(found, "mode"), line(found)) == (PfcMode.ON, 3, 2)
    assert (found.generate, found.honour) == (frozenset({3}), frozenset({3}))
    assert (line(found, "generate"), line(found, 3)) == (4, 4)


def test_ports_of_one_profile_share_the_object() -> None:
    device = whole(PROFILE + "interface Ethernet1-2\n   service-profile P\ninterface Ethernet3\n")
    assert pfc(device, "Ethernet1") is pfc(device, "Ethernet2")
    assert pfc(device, "Ethernet1") is not pfc(device, "Ethernet3")


def test_half_a_configuration_sends_no_pfc() -> None:
    on = pfc(whole("interface Ethernet1\n   priority-flow-control on\n"))
    named = pfc(whole("interface Ethernet1\n   priority-flow-control priority 3 no-drop\n"))
    assert (on.mode, on.generate, on.named) == (PfcMode.ON, frozenset(), frozenset())
    assert default_sentence(on, "generate") == defaults.NO_PRIORITY.says
    assert (named.mode, named.generate, named.named) == (PfcMode.OFF, frozenset(), frozenset({3}))
    assert line(named, 3) == 3


def test_off_is_shown_at_its_line() -> None:
    found = pfc(whole("interface Ethernet1\n   no priority-flow-control\n"))
    assert (found.mode, line(found, "mode"), line(found, "generate")) == (PfcMode.OFF, 3, 3)


def test_priorities_come_and_go_in_order() -> None:
    device = whole(
        """
        interface Ethernet1
           priority-flow-control on
           priority-flow-control priority 3 no-drop
           priority-flow-control priority 4,5 no-drop
           priority-flow-control priority 3 drop
           no priority-flow-control priority 4
           priority-flow-control priority 9 no-drop
        """
    )
    assert (pfc(device).generate, line(pfc(device), 5)) == (frozenset({5}), 5)
    assert states(device, LineState.SHADOWED) == [4]
    assert notes(device) == [(8, "priority '9', takes 0 to 7")]


def test_the_kill_switch() -> None:
    device = whole(PROFILE + "priority-flow-control all off\n")
    assert (device.system.pfc_killed, line(device.system, "pfc_killed")) == (True, 5)
    back = whole("priority-flow-control all off\nno priority-flow-control all off\n")
    assert (back.system.pfc_killed, line(back.system, "pfc_killed")) == (False, 3)
    assert default_sentence(whole("").system, "pfc_killed") is not None
    assert read("interface Ethernet1\n").system.pfc_killed is None


@pytest.mark.parametrize(
    ("lines", "dcbx"),
    [
        ("dcbx mode ieee", "ieee"),
        ("dcbx mode cee", "cee"),
        ("dcbx mode ieee\n   no dcbx mode", "off"),
        ("dcbx mode ieee\n   default dcbx mode", "off"),
        ("dcbx mode other", None),
    ],
)
def test_dcbx(lines: str, dcbx: str | None) -> None:
    assert pfc(whole(f"interface Ethernet1\n   {lines}\n")).dcbx == dcbx


def test_link_pause() -> None:
    found = pfc(
        whole("interface Ethernet1\n   flowcontrol send desired\n   flowcontrol receive on\n")
    )
    assert (found.link_pause_tx, found.link_pause_rx) == (None, True)
    assert line(found, "link_pause_rx") == 4


def test_port_and_profile_that_differ_are_unknown() -> None:
    device = whole(
        PROFILE + "interface Ethernet1\n   service-profile P\n   no priority-flow-control\n"
    )
    found = pfc(device)
    assert (found.mode, found.generate, found.honour) == (None, None, None)
    ((number, message),) = notes(device, NoteKind.CONFLICT)
    assert number == 7
    assert message == (
        "priority-flow-control: another line applies here too and says otherwise, "
        "and EOS does not document which of the two counts"
    )
    (note,) = (each for each in device.notes if each.kind is NoteKind.CONFLICT)
    assert line(note, Concern.BESIDE) == 3


def test_a_port_against_its_profile_is_reported_next_to_faults_of_the_profile() -> None:
    """The line of the profile is in force on other ports: it is evidence, not the place of the
    fault.
    """
    case = Path(__file__).with_name("channels") / "leaf2.cfg"
    report = run(Request(paths=(str(case),), jobs=1, cache=False), Settings())
    places = {
        finding.rule: [place.line for place in finding.occurrences[0].locations]
        for finding in report.findings
        if "priority-flow-control priority 3" in finding.message or finding.rule == "PFC009"
    }
    assert places["PFC009"][0] == 10
    assert places["SRC002"] == [61, 10]


def test_port_and_profile_that_agree_are_shown_at_the_port() -> None:
    device = whole(
        PROFILE + "interface Ethernet1\n   service-profile P\n   priority-flow-control on\n"
    )
    assert (pfc(device).generate, line(pfc(device), "mode")) == (frozenset({3}), 7)
    assert notes(device, NoteKind.CONFLICT) == []


def test_a_printed_default_has_no_weight() -> None:
    text = (
        "! Command: show running-config all\nhostname leaf1\n" + PROFILE
        + "interface Ethernet1\n   service-profile P\n   no priority-flow-control\n"
        "   no priority-flow-control priority 3\n   no priority-flow-control priority 4\n"
    )  # fmt: skip
    device = read(text)
    assert (pfc(device).generate, line(pfc(device), "mode")) == (frozenset({3}), 4)
    assert notes(device, NoteKind.CONFLICT) == []


def test_a_conflict_about_trust_leaves_the_class_unknown() -> None:
    device = whole(
        "qos profile P\n   qos trust dscp\ninterface Ethernet1\n   service-profile P\n   qos trust cos\n"
    )
    assert (qos(device).trust, qos(device).classifier) == (None, None)


def test_members_inherit_from_their_channel() -> None:
    device = whole(
        PROFILE + "interface Port-Channel1\n   service-profile P\n"
        "interface Ethernet1\n   channel-group 1 mode active\n"
        "interface Ethernet2\n   channel-group 1 mode active\n   priority-flow-control priority 3 drop\n"
    )
    assert pfc(device) is pfc(device, "Port-Channel1")
    assert line(qos(device), "egress") == 0
    assert (pfc(device, "Ethernet2").mode, pfc(device, "Ethernet2").generate) == (PfcMode.ON, None)
    assert [number for number, _ in notes(device, NoteKind.CONFLICT)] == [11]


GLOBAL = """\
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.5
priority-flow-control pause watchdog default polling-interval 0.10
"""


def test_the_watchdog_of_the_device() -> None:
    device = whole(
        GLOBAL + "priority-flow-control pause watchdog action drop\ninterface Ethernet1\n"
    )
    found, port = device.system.watchdog, watchdog(device)
    assert found is not None
    assert (found.detection_ms, found.restoration_ms, found.polling_ms) == (200.0, 500.0, 100.0)
    assert (found.action, line(found, "action"), line(found)) == (WatchdogAction.DROP, 5, 2)
    assert (port.enabled, line(port, "enabled"), port.detection_ms) == (True, 2, 200.0)
    assert (port.action, line(port, "action")) == (WatchdogAction.DROP, 5)


def test_the_default_action_disables_the_port() -> None:
    device = whole(GLOBAL + "interface Ethernet1-2\n")
    assert watchdog(device).action is WatchdogAction.ERRDISABLE
    assert default_sentence(watchdog(device), "action") == defaults.WATCHDOG_ACTION.says
    assert watchdog(device, "Ethernet1") is watchdog(device, "Ethernet2")


def test_without_a_timeout_nothing_is_watched() -> None:
    device = whole("interface Ethernet1\n   priority-flow-control pause watchdog\n")
    assert watchdog(device).enabled is False
    assert watchdog(device).where("enabled").confirmed is False
    assert device.system.watchdog is None


def test_a_port_has_its_own_watchdog() -> None:
    device = whole(
        GLOBAL
        + "interface Ethernet1\n   priority-flow-control pause watchdog port action notify-only\n"
        "   priority-flow-control pause watchdog port timer timeout 0.05 polling-interval auto "
        "recovery-time 1.11 forced\ninterface Ethernet2\n   no priority-flow-control pause watchdog\n"
    )
    own, off = watchdog(device), watchdog(device, "Ethernet2")
    # 0.05 s against the default of 0.20 s: a port's own timer does not contradict the default.
    assert (own.detection_ms, line(own, "detection_ms")) == (50.0, 7)
    assert (own.restoration_ms, own.polling_ms) == (1110.0, None)
    assert (own.action, line(own, "action")) == (WatchdogAction.ALERT, 6)
    assert (off.enabled, line(off, "enabled")) == (False, 9)
    assert notes(device, NoteKind.CONFLICT) == []


def test_the_override_comes_first() -> None:
    device = whole(
        GLOBAL + "priority-flow-control pause watchdog action notify-only\n"
        "priority-flow-control pause watchdog override action drop\n"
        "interface Ethernet1\n   priority-flow-control pause watchdog port action notify-only\n"
    )
    assert (watchdog(device).action, line(watchdog(device), "action")) == (WatchdogAction.DROP, 6)


@pytest.mark.parametrize(
    ("which", "text", "message"),
    [
        ("timeout", "200", "watchdog timeout '200', takes 0.01 to 60 seconds"),
        ("polling-interval", "0.001", "watchdog polling-interval '0.001', takes 0.005 to 30 seconds"),
        ("recovery-time", "soon", "recovery-time 'soon' is not a number of seconds"),
        ("timeout", "nan", "timeout 'nan' is not a number of seconds"),
    ],
)  # fmt: skip
def test_milliseconds_mistaken_for_seconds(which: str, text: str, message: str) -> None:
    device = whole(f"priority-flow-control pause watchdog default {which} {text}\n")
    assert notes(device) == [(2, message)]
    assert device.system.watchdog is None


@pytest.mark.parametrize("action", ["explode", "no-drop"])
def test_an_invalid_action_is_refused(action: str) -> None:
    device = whole(
        f"priority-flow-control pause watchdog action {action}\n"
        f"interface Ethernet1\n   priority-flow-control pause watchdog port action {action}\n"
    )
    takes = "takes drop, notify-only, errdisable"
    assert sorted(notes(device)) == [(n, f"watchdog action '{action}', {takes}") for n in (2, 4)]
