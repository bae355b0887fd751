"""Real configurations: identified as EOS only, with no unread line except those listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.eos import RUNNING_CONFIG
from roce_lint.nos.nxos import RUNNING_CONFIG as NXOS_CONFIG
from roce_lint.text.numbers import without_numbers
from tests.corpus.listed import is_listed
from tests.nos.eos.reading import pfc, qos, read
from tests.nos.reader import line, notes

MARGIN = 3
RELATIVES = ("nxos", "os10", "iosxr", "junos", "sonic", "sonic-ent", "cumulus")


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def points(text: str, source: object = RUNNING_CONFIG) -> int:
    return sum(s.weight for s in source.signatures if s.regex.search(text))


def test_every_capture_is_recognised(corpus: Path) -> None:
    found = {path.name: identify(path.name, text_of(path)) for path in (corpus / "eos").iterdir()}
    assert {(i.nos, i.source) for i in found.values()} == {("eos", "running-config")}


def test_every_capture_is_distinct_from_nxos(corpus: Path) -> None:
    for path in sorted((corpus / "eos").iterdir()):
        text = text_of(path)
        assert (path.name, points(text) - points(text, NXOS_CONFIG) >= MARGIN) == (path.name, True)
    for path in sorted((corpus / "nxos").iterdir()):
        text = text_of(path)
        assert (path.name, points(text, NXOS_CONFIG) - points(text) >= MARGIN) == (path.name, True)


@pytest.mark.parametrize("relative", RELATIVES)
def test_relatives_score_next_to_nothing(corpus: Path, relative: str) -> None:
    files = [path for path in (corpus / relative).rglob("*") if path.is_file()]
    assert files != []
    assert {p.name: n for p in files if (n := points(text_of(p))) >= MARGIN} == {}


@pytest.mark.parametrize(
    "text",
    [
        "interface Ethernet3/1/1\n   mtu 9214\n   no switchport\n   service-profile ROCE\n",
        "interface Ethernet1\n   mtu 9214\n   no switchport\n",
        "qos profile ROCE\n   qos trust dscp\n   priority-flow-control on\n",
        "qos map dscp 26 to traffic-class 3\n",
        "   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n",
    ],
)
def test_fragments_are_recognised(text: str) -> None:
    assert identify("some.txt", text).nos == "eos"


def test_live_output_is_recognised() -> None:
    text = "Interface Ethernet1 detected 1 LLDP neighbors:\n\n  Neighbor 2cc2.6081.eaf9/Et1, age 1 seconds\n"
    assert identify("x.txt", text).source == "lldp"
    assert (
        identify("x.txt", "# command: show lldp neighbors detail  host: leaf1\n" + text).host
        == "leaf1"
    )


def test_no_line_of_a_claimed_stanza_is_left(corpus: Path) -> None:
    for path in sorted((corpus / "eos").iterdir()):
        device = read(text_of(path), hostname=path.stem)
        left = [note.message for note in device.notes if note.kind is NoteKind.UNRECOGNISED]
        name = f"eos/{path.name}"
        assert [text for text in left if not is_listed(name, without_numbers(text))] == [], name
        refused = notes(device)
        if path.name == "avd-qos.cfg":  # an older schema of AVD had an action that EOS has not
            assert [text.split(", ")[0] for _, text in refused] == ["watchdog action 'no-drop'"]
        else:
            assert (path.name, refused) == (path.name, [])


def test_a_published_roce_profile(corpus: Path) -> None:
    device = read(text_of(corpus / "eos" / "rocm-doc-7388-dcqcn.cfg"))
    port = device.interfaces["Ethernet2/5/1"]
    assert (port.ip_mtu, line(port, "ip_mtu"), port.speed_gbps, port.lanes) == (9214, 19, 200.0, 4)
    bound = qos(device, "Ethernet2/5/1")
    assert (bound.trust, line(bound, "trust"), line(bound, "egress")) == (Trust.DSCP, 7, 24)
    assert (pfc(device, "Ethernet2/5/1").generate, line(pfc(device, "Ethernet2/5/1"), 3)) == (
        frozenset({3}), 9,
    )  # fmt: skip
    marking = device.qos.egress[bound.egress or ""].queue(3).marking
    assert (marking.kmin, marking.kmax, marking.pmax_percent, line(marking, "kmin")) == (
        Threshold(2000, ThresholdUnit.CELLS), Threshold(10000, ThresholdUnit.CELLS), 20.0, 12,
    )  # fmt: skip
    # The authors meant it as classification, but it is a rewrite that is off: DSCP 48 is in class
    # 6.
    assert device.qos.classifiers[bound.classifier or ""].dscp_to_tc.get(48) == 6
    assert device.qos.rewrites[bound.rewrite or ""].active is False


def test_a_capture_with_all_defaults(corpus: Path) -> None:
    device = read(text_of(corpus / "eos" / "bf-show-run-all-2.cfg"))
    assert (device.model, device.os_version) == ("DCS-7260CX3-64", "4.21.7M")
    routed, switched = (device.interfaces[f"Ethernet1/{n}"] for n in (1, 3))
    assert (routed.routed, routed.ip_mtu, switched.routed, switched.ip_mtu) == (
        True,
        9212,
        False,
        9214,
    )
    assert (qos(device, "Ethernet1/1").trust, qos(device, "Ethernet1/3").trust) == (
        Trust.DSCP,
        Trust.PCP,
    )
    found = pfc(device, "Ethernet1/1")
    assert (found.mode, found.generate, line(found, "mode")) == (PfcMode.OFF, frozenset(), 131)
    policy = device.qos.egress[qos(device, "Ethernet1/1").egress or ""]
    shares = [policy.queue(n).scheduler.share for n in range(8)]
    assert shares == [69.0, 1.0, 20.0, None, 10.0, None, None, None]
