"""Real configurations: identified as Junos only, and read without an unread line."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.junos import CONFIGURATION, LLDP
from roce_lint.text.source import LineState
from tests.nos.junos.reading import pfc, qos, read
from tests.nos.reader import line, notes

RELATIVES = ("eos", "nxos", "sonic", "sonic-ent", "cumulus", "iosxr", "os10", "srlinux", "host")


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def points(text: str, source: object = CONFIGURATION) -> int:
    return sum(s.weight for s in source.signatures if s.regex.search(text))  # type: ignore[attr-defined]


def capture(corpus: Path, name: str) -> Device:
    return read(text_of(corpus / "junos" / name))


def test_every_capture_is_recognised(corpus: Path) -> None:
    found = {path.name: identify(path.name, text_of(path)) for path in (corpus / "junos").iterdir()}
    assert {(i.nos, i.source) for i in found.values()} == {("junos", "configuration")}


@pytest.mark.parametrize("relative", RELATIVES)
def test_relatives_score_next_to_nothing(corpus: Path, relative: str) -> None:
    files = [path for path in (corpus / relative).rglob("*") if path.is_file()]
    assert files != []
    for source in (CONFIGURATION, *LLDP):
        assert {p.name: n for p in files if (n := points(text_of(p), source)) >= 3} == {}


@pytest.mark.parametrize(
    "text",
    [
        "interfaces {\n    et-0/0/0 {\n        mtu 9216;\n    }\n}\n",
        "class-of-service {\n    forwarding-classes {\n        class X queue-num 4;\n    }\n}\n",
        "set interfaces et-0/0/0:1 mtu 9216\n",
        "set class-of-service schedulers s1 transmit-rate percent 5\n",
        "set groups G class-of-service interfaces et-* scheduler-map m\n",
    ],
)
def test_fragments_are_recognised(text: str) -> None:
    assert identify("some.txt", text).source == "configuration"


def test_live_output_is_recognised() -> None:
    text = "Local Interface    Parent Interface    Chassis Id          Port info          System Name\n"
    assert identify("x.txt", text).source == "lldp"
    headed = f"# command: show lldp neighbors | no-more  host: leaf1\n{text}"
    assert (identify("x.txt", headed).source, identify("x.txt", headed).host) == ("lldp", "leaf1")
    whole = "# command: show configuration | display set | no-more  host: leaf1\nset system\n"
    assert identify("x.txt", whole).source == "configuration"


def test_no_line_of_a_claimed_stanza_is_left(corpus: Path) -> None:
    for path in sorted((corpus / "junos").iterdir()):
        device = read(text_of(path))
        left = [note.message for note in device.notes if note.kind is NoteKind.UNRECOGNISED]
        assert (path.name, left) == (path.name, [])
        assert LineState.UNRECOGNISED not in device.src.files[0].states
        assert LineState.SHADOWED not in device.src.files[0].states


def test_notes_about_the_captures(corpus: Path) -> None:
    reported = {path.name: notes(read(text_of(path))) for path in (corpus / "junos").iterdir()}
    assert {name: found for name, found in reported.items() if found} == {
        "bf-apply-groups.conf": [
            (9, "apply-groups RO: no such group is in the configuration"),
            (10, "apply-groups ROS: no such group is in the configuration"),
        ],
        "bf-juniper-class-of-service.conf": [
            (13, "apply-groups FOOBAR: no such group is in the configuration")
        ],
        "mebs-cr1-ptx10001.conf": [
            (30, "the device ignores `accept-data` (it says so in a comment)")
        ],
    }


def test_a_published_lossless_leaf(corpus: Path) -> None:
    device = capture(corpus, "aiml-mtb-leaf1-qfx5240.conf")
    port = device.interfaces["et-0/0/12:0"]
    assert (port.ip_mtu, port.frame_mtu, port.speed_gbps, port.vrf) == (
        9170,
        9216,
        400.0,
        "tenant-1",
    )
    assert [line(port, f) for f in ("ip_mtu", "frame_mtu", "addresses")] == [157, 154, 158]
    assert device.interfaces["et-0/0/12"].kind is InterfaceKind.BREAKOUT_PARENT
    assert [n for n, p in device.interfaces.items() if p.idle is False][:3] == [
        "et-0/0/0:0", "et-0/0/0:1", "et-0/0/1:0",
    ]  # fmt: skip
    bound, pauses = qos(device, "et-0/0/12:0"), pfc(device, "et-0/0/12:0")
    assert (pauses.generate, line(pauses, "generate"), pauses.honour) == (
        frozenset({3}),
        1183,
        frozenset({3}),
    )
    assert line(pauses, "mode") == 1199
    maps = device.qos.forwardings[bound.forwarding or ""]
    assert (
        maps.tc_to_queue.get(4),
        maps.tc_to_pfc_priority.get(4),
        maps.pfc_priority_to_queue.get(3),
    ) == (4, 3, 4)
    marking = device.qos.egress[bound.egress or ""].queue(4)
    assert marking is not None
    assert marking.marking is not None
    percent = ThresholdUnit.PERCENT
    assert (marking.marking.kmin, marking.marking.kmax) == (
        Threshold(55, percent),
        Threshold(90, percent),
    )
    table = device.qos.classifiers[bound.classifier or ""].dscp_to_tc
    assert (table.entries, line(table, 26)) == ({26: 4, 48: 3}, 1132)


def test_a_published_leaf_that_only_marks(corpus: Path) -> None:
    device = capture(corpus, "5stage-compute-leaf1-qfx5120.conf")
    plain, unit = qos(device, "et-0/0/48"), qos(device, "et-0/0/50")
    assert (plain.classifier, unit.classifier) == ("dscp-classifier", "dscp-classifier")
    assert pfc(device, "et-0/0/48").generate == frozenset()
    rewrite = device.qos.rewrites[plain.rewrite or ""]
    table = device.qos.classifiers["dscp-classifier"].dscp_to_tc
    assert [table.get(code) for code in (8, 26, 10, 48, 46)] == [5, 5, 0, 7, 6]
    assert rewrite.tc_to_dscp.get(5) == 8  # DSCP 26 leaves as 8
    assert {name: pool.share_percent for name, pool in device.pools.items()} == {
        "ingress lossless": 0.0,
        "ingress lossless-headroom": 0.0,
        "ingress lossy": 100.0,
        "egress lossless": 0.0,
        "egress lossy": 90.0,
        "egress multicast": 10.0,
    }


def test_groups_of_a_published_router(corpus: Path) -> None:
    device = capture(corpus, "mebs-cr1-ptx10001.conf")
    ports = {n: (p.frame_mtu, line(p, "frame_mtu")) for n, p in device.interfaces.items()}
    assert ports["ae11"] == (9192, 230)  # written; the group says the same
    port = device.interfaces["ae11"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (9106, 96)  # by the group's `unit <*>`
    assert (device.interfaces["et-0/0/1"].lag, device.interfaces["et-0/0/1"].ip_mtu) == (
        "ae11",
        9106,
    )
    mtu = capture(corpus, "bf-interfaceMtu.conf").interfaces["xe-0/0/0:0"]
    assert (mtu.frame_mtu, mtu.ip_mtu, line(mtu, "ip_mtu")) == (9300, 9000, 5)


def test_a_range_as_a_capture_has_it(corpus: Path) -> None:
    ports = capture(corpus, "bf-interface-range.conf").interfaces
    assert {n: p.frame_mtu for n, p in ports.items()} == {
        "xe-0/0/0": 9000, "xe-0/0/1": 8000, "xe-8/1/2": None, "reth0": 1500,
    }  # fmt: skip
    assert ports["xe-8/1/2"].lag == "ae1"
