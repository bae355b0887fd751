"""`class-of-service interfaces`: names, patterns, units, channels."""

from __future__ import annotations

from roce_lint.model.device import Device, NoteKind
from tests.nos.junos.reading import HOST, pfc, qos, read
from tests.nos.reader import line, notes

OBJECTS = """
set class-of-service scheduler-maps A forwarding-class best-effort scheduler S
set class-of-service scheduler-maps B forwarding-class best-effort scheduler S
set class-of-service scheduler-maps C forwarding-class best-effort scheduler S
set class-of-service schedulers S priority low
set class-of-service classifiers dscp A forwarding-class best-effort loss-priority low code-points ef
set class-of-service classifiers dscp B forwarding-class best-effort loss-priority low code-points ef
set class-of-service congestion-notification-profile A output ieee-802.1 code-point 011 flow-control-queue 3
set class-of-service congestion-notification-profile B output ieee-802.1 code-point 011 flow-control-queue 3
""".lstrip()
PORTS = """
set interfaces et-0/0/0 unit 0 family inet
set interfaces et-0/0/1 unit 0 family inet
set interfaces xe-0/0/2 unit 0 family inet
""".lstrip()


def bound(*lines: str, ports: str = PORTS) -> Device:
    """Bindings; the first of them is line 13."""
    text = "".join(f"set class-of-service interfaces {each}\n" for each in lines)
    return read(HOST + OBJECTS + ports + text)


def maps(device: Device) -> dict[str, str | None]:
    return {name: qos(device, name).egress for name in device.interfaces}


def test_the_own_name_comes_before_patterns() -> None:
    found = bound("all scheduler-map C", "et-* scheduler-map B", "et-0/0/0 scheduler-map A")
    assert maps(found) == {"et-0/0/0": "A", "et-0/0/1": "B", "xe-0/0/2": "C"}
    assert [line(qos(found, name), "egress") for name in maps(found)] == [15, 14, 13]


def test_the_longer_pattern_comes_first() -> None:
    found = bound("et-* scheduler-map A", "et-0/0/* scheduler-map B", "* scheduler-map C")
    assert maps(found) == {"et-0/0/0": "B", "et-0/0/1": "B", "xe-0/0/2": "C"}


def test_what_the_own_entry_does_not_state_comes_from_the_pattern() -> None:
    found = bound("et-* scheduler-map A", "et-0/0/0 unit 0 classifiers dscp B")
    assert (qos(found).egress, qos(found).classifier) == ("A", "B")
    message = (
        "interfaces et-0/0/0 inherits missing settings from et-*; "
        "it is undocumented whether its own entry hides the pattern"
    )
    assert notes(found, NoteKind.REMARK) == [(14, message)]
    assert qos(found, "et-0/0/1").classifier == "default"


def test_ports_that_a_pattern_binds_share_what_it_makes() -> None:
    found = bound("et-* scheduler-map A", "et-* congestion-notification-profile A")
    assert qos(found, "et-0/0/0") is qos(found, "et-0/0/1")
    assert pfc(found, "et-0/0/0") is not pfc(found, "xe-0/0/2")


def test_units_come_before_their_interface() -> None:
    found = bound(
        "et-* unit * classifiers dscp A", "et-* classifiers dscp B", "xe-* classifiers dscp B"
    )
    assert [qos(found, n).classifier for n in ("et-0/0/0", "xe-0/0/2")] == ["A", "B"]
    exact = bound("et-* unit * classifiers dscp A", "et-* unit 0 classifiers dscp B")
    assert qos(exact).classifier == "B"


def test_a_classifier_on_another_unit_does_not_count() -> None:
    found = bound("et-0/0/0 unit 5 classifiers dscp A")
    assert qos(found).classifier == "default"


def test_units_that_differ_leave_what_they_share() -> None:
    ports = "set interfaces et-0/0/0 unit 1 vlan-id 1\nset interfaces et-0/0/0 unit 2 vlan-id 2\n"
    lines = (
        "et-0/0/0 unit 1 classifiers dscp A",
        "et-0/0/0 unit 2 classifiers dscp {}",
        "et-0/0/0 scheduler-map C",
    )
    same = bound(*(each.format("A") for each in lines), ports=ports)
    assert (qos(same).classifier, qos(same).egress) == ("A", "C")


def test_members_have_what_their_channel_has() -> None:
    ports = (
        "set interfaces et-0/0/0 ether-options 802.3ad ae1\n"
        "set interfaces ae1 unit 0 family inet\n"
        "set interfaces xe-0/0/2 ether-options 802.3ad ae9\n"
    )
    found = bound(
        "ae1 scheduler-map A",
        "ae1 unit 0 classifiers dscp A",
        "et-0/0/0 congestion-notification-profile B",
        "et-* unit * classifiers dscp B",
        ports=ports,
    )
    port = qos(found)
    assert (port.egress, port.classifier, line(port, "classifier")) == ("A", "A", 14)
    assert line(pfc(found), "mode") == 15
    lost = qos(found, "xe-0/0/2")
    assert (lost.egress, lost.classifier, lost.pfc) == (None, None, None)


def test_whether_a_unit_of_a_pattern_holds_for_members_is_not_known() -> None:
    ports = (
        "set interfaces et-0/0/0 ether-options 802.3ad ae1\nset interfaces ae1 unit 0 family inet\n"
    )
    found = bound("et-* unit * classifiers dscp A", ports=ports)
    assert (qos(found).classifier, qos(found, "ae1").classifier) == (None, "default")


def test_names_that_are_bound_are_referred_to() -> None:
    found = bound(
        "et-* scheduler-map GONE",
        "et-* congestion-notification-profile NONE",
        "et-* unit * rewrite-rules dscp LOST",
    )
    undefined = [(s.kind, s.name, list(s.references)) for s in found.structures if not s.defined]
    assert undefined == [
        ("dscp rewrite map", "LOST", [15]),
        ("no-drop policy", "NONE", [14]),
        ("queuing policy", "GONE", [13]),
    ]


def test_ports_of_a_part_that_only_binds() -> None:
    found = read(
        "set class-of-service interfaces et-0/0/5 unit 0 classifiers dscp default\nset class-of-service interfaces et-* scheduler-map M\n"
    )
    assert sorted(found.interfaces) == ["et-0/0/5"]
    assert (found.partial, qos(found, "et-0/0/5").classifier) == (True, "default")
