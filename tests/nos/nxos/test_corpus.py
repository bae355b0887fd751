"""Real configurations: identified as NX-OS only, and read without an unread line."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, Trust
from roce_lint.text.source import LineState
from tests.nos.nxos.reading import read
from tests.nos.reader import line, notes

MARGIN = 3
RELATIVES = ("eos", "os10", "iosxr", "junos", "sonic")


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def points(text: str) -> int:
    from roce_lint.nos.nxos import RUNNING_CONFIG  # noqa: PLC0415

    return sum(s.weight for s in RUNNING_CONFIG.signatures if s.regex.search(text))


def test_every_capture_is_recognised(corpus: Path) -> None:
    found = {path.name: identify(path.name, text_of(path)) for path in (corpus / "nxos").iterdir()}
    assert {(i.nos, i.source) for i in found.values()} == {("nxos", "running-config")}


def test_every_capture_is_identified(corpus: Path) -> None:
    weak = [p.name for p in (corpus / "nxos").iterdir() if points(text_of(p)) < 2 * MARGIN]
    assert weak == []


@pytest.mark.parametrize("relative", RELATIVES)
def test_relatives_score_next_to_nothing(corpus: Path, relative: str) -> None:
    files = [path for path in (corpus / relative).rglob("*") if path.is_file()]
    assert files != []
    assert {p.name: n for p in files if (n := points(text_of(p))) >= MARGIN} == {}


def test_no_line_of_a_claimed_stanza_is_left(corpus: Path) -> None:
    for path in sorted((corpus / "nxos").iterdir()):
        device = read(text_of(path), hostname=path.stem)
        left = [note.message for note in device.notes if note.kind is NoteKind.UNRECOGNISED]
        # Storm control that shuts the port, which no system ignores.
        assert {*left} <= {"storm-control action shutdown"}, path.name
        assert (path.name, notes(device)) == (path.name, [])


def test_a_whole_switch(corpus: Path) -> None:
    text = text_of(corpus / "nxos" / "azlocal-fc-tor1a.config")
    # `read` drops leading line breaks, which would shift every line.
    device = read("!" + text)
    assert (device.model, line(device, "model")) == ("93180YC-FX3", 5)
    port = device.interfaces["Ethernet1/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (9216, 506)
    assert port.qos is not None
    assert (port.qos.trust, line(port.qos, "classifier")) == (Trust.PCP, 505)
    assert port.qos.pfc is not None
    assert (port.qos.pfc.mode, line(port.qos.pfc, "mode")) == (PfcMode.ON, 502)
    assert (port.qos.pfc.generate, line(port.qos.pfc, "generate")) == (frozenset({3}), 67)
    member = device.interfaces["Ethernet1/41"]
    assert (member.lag, member.routed, line(member, "routed")) == ("port-channel50", True, 473)
    assert {s.name for s in device.structures if not s.defined} == set()
    assert LineState.SHADOWED not in device.src.files[0].states


def test_undefined_names_are_seen(corpus: Path) -> None:
    device = read(text_of(corpus / "nxos" / "azlocal-fc-qos.cfg"))
    assert [(s.kind, s.name) for s in device.structures if not s.defined] == [
        ("no-drop class map", "AZLOCAL-NWQOS-CLUSTER"),
        ("no-drop class map", "AZLOCAL-NWQOS-DEFAULT"),
        ("no-drop class map", "AZLOCAL-NWQOS-RDMA"),
    ]
