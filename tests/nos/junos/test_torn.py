"""Truncated files and missing braces: the rest is read, missing parts are unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.text.source import LineState
from tests.nos.junos.fabric import LEAF, OTHERS, judged
from tests.nos.junos.reading import HOST, pfc, qos, read
from tests.nos.reader import line, notes, states

HERE = Path(__file__).resolve().parent
CAPTURE = (HERE / "leaf" / "leaf4.conf").read_text()


def test_what_a_cut_text_does_not_say_is_unknown() -> None:
    """The text ends before the bindings: the profiles of ports are unknown."""
    found = read(CAPTURE[: CAPTURE.index("    interfaces {\n        et-* {")])
    port = found.interfaces["et-0/0/0"]
    assert (found.partial, port.ip_mtu, port.idle) == (True, 9170, False)
    assert found.interfaces["et-0/0/4"].idle is True
    bound = qos(found, "et-0/0/0")
    assert (bound.pfc, bound.egress, bound.watchdog, bound.classifier) == (None, None, None, None)
    assert notes(found) == [(288, "the text ends inside 1 open braces: the rest is missing")]


@pytest.mark.parametrize(
    ("end", "lost"),
    [
        ("        et-* {\n            congestion-notification-profile ROCE;\n", "binding"),
        ("        NO-LOSS {\n            transmit-rate percent 60;\n", "scheduler"),
        ("            forwarding-class CNP scheduler CNP;\n", "map"),
        ("                loss-priority low code-points 110000;\n", "classifier"),
    ],
)
def test_the_object_that_a_text_ends_inside_is_not_known(end: str, lost: str) -> None:
    """Half a scheduler is not a scheduler without ECN."""
    cut = CAPTURE[: CAPTURE.index(end) + len(end)]
    found = read(cut)
    bound = qos(found, "et-0/0/0")
    if lost == "binding":
        assert (bound.pfc, bound.egress) == (None, None)
    elif lost == "scheduler":
        policy = found.qos.egress[bound.egress or ""]
        assert (policy.queues, policy.complete) == ({}, False)
    elif lost == "map":
        assert (bound.egress, pfc(found).generate) == (None, frozenset({3}))
    else:
        assert found.qos.classifiers == {}
    last = cut.count("\n")
    assert states(found, LineState.IGNORED)[-1] >= last - 1


def test_an_interface_that_a_text_ends_inside_is_left_out() -> None:
    cut = CAPTURE[: CAPTURE.index("        mtu 9216;\n")]
    found = read(cut)
    assert found.interfaces == {}
    assert notes(found) == [(30, "the text ends inside 2 open braces: the rest is missing")]


def test_a_missing_brace_costs_one_stanza() -> None:
    """Stanzas that follow at the top level are read normally."""
    torn = CAPTURE.replace("        }\n    }\n    et-0/0/5 {", "        }\n    et-0/0/5 {", 1)
    assert torn != CAPTURE
    found = read(torn)
    assert notes(found) == [
        (29, "1 open braces are not closed before 'forwarding-options'"),
    ]
    assert found.partial
    assert (qos(found, "et-0/0/0").classifier, pfc(found).generate) == ("ROCE", frozenset({3}))
    table = found.qos.classifiers["ROCE"].dscp_to_tc
    assert (table.entries, line(table, 26)) == ({26: 4, 48: 3}, 294)


def test_a_brace_too_many_is_reported() -> None:
    found = read(CAPTURE.replace("    et-0/0/5 {", "    }\n    et-0/0/5 {", 1))
    (first, *_) = notes(found)
    assert first[1] == "a closing brace without an opening one"
    assert found.partial
    assert pfc(found).generate == frozenset({3})


def test_a_cut_text_beside_another_file_of_the_device() -> None:
    """Their trees are merged, so lines of the other, longer file may state the lost part."""
    inside = "        NO-LOSS {\n            transmit-rate percent 60;\n"
    rows = ["set chassis x"] * 900
    rows += ["set class-of-service schedulers NO-LOSS buffer-size percent 20"]
    found = read(CAPTURE[: CAPTURE.index(inside) + len(inside)], "\n".join(rows))
    assert found.partial
    assert states(found, LineState.IGNORED, 1)[-1] == 901


def test_text_without_indents_is_not_torn() -> None:
    """A missing brace shows as a top-level stanza at the margin among indented lines."""
    flat = "\n".join(row.strip() for row in CAPTURE.split("\n"))
    assert (read(flat).partial, notes(read(flat))) == (False, [])


@pytest.mark.parametrize("place", range(60, len(CAPTURE), 331))
def test_no_error_comes_from_where_a_capture_ends(tmp_path: Path, place: int) -> None:
    """A leaf cut anywhere, next to whole devices with RoCE."""
    (tmp_path / "leaf4.conf").write_text(CAPTURE[:place])
    report, _ = judged(tmp_path)
    errors = [
        (f.rule, f.message)
        for f in report.findings
        if f.severity is Severity.ERROR and f.location and f.location.file == "leaf4.conf"
    ]
    assert errors == []
    assert OTHERS.keys() < {name for device in report.devices for name in device.files}


def test_a_line_that_switches_off_what_comes_later_or_never() -> None:
    ports = "set interfaces et-0/0/1 mtu 9216\nset interfaces et-0/0/1 unit 0 family inet\n"
    early = read(HOST + "deactivate interfaces et-0/0/1 mtu\n" + ports)
    assert early.interfaces["et-0/0/1"].frame_mtu is None
    assert states(early, LineState.UNRECOGNISED) == []
    never = read(HOST + ports + "deactivate interfaces et-0/0/9 mtu\n")
    assert states(never, LineState.UNRECOGNISED) == [4]


def test_a_list_of_set_lines_may_name_a_value_twice() -> None:
    """`[ 0 100 100 ]` in braces is three lines, and the file in braces gives the same."""
    levels = "".join(f"{D} fill-level {n}\n" for n in (30, 60, 90))
    chances = "".join(f"{D} drop-probability {n}\n" for n in (0, 100, 100))
    found = read(LEAF.replace(OWN, levels + chances))
    braces = read(LEAF.replace(OWN, f"{D} fill-level [ 30 60 90 ]\n{D} drop-probability [ 0 100 100 ]\n"))  # fmt: skip
    for each in (found, braces):
        queue = each.qos.egress["FABRIC"].queue(4)
        assert queue is not None
        assert queue.marking is not None
        values = (queue.marking.kmin, queue.marking.kmax, queue.marking.pmax_percent)
        assert [str(value) for value in values] == ["30 percent", "60 percent", "100.0"]
        assert notes(each) == []
        assert states(each, LineState.SHADOWED) == []


D = "set class-of-service drop-profiles MARK interpolate"
OWN = "".join(row + "\n" for row in LEAF.split("\n") if row.startswith(D))
