"""Round trips of systems that print their devices: text to Device to text to Device."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roce_lint.errors import RenderError
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.base import Nos
from roce_lint.nos.eos import NOS as EOS
from roce_lint.nos.eos import words
from roce_lint.nos.registry import all_nos
from roce_lint.nos.writing import lines_of, write
from tests.nos.reader import REFUSED, read

PRINTED = {name: nos for name, nos in all_nos().items() if nos.choose is not None}

READ = {name: nos for name, nos in PRINTED.items() if name != "nxos"}
"""Systems that print everything they read; NX-OS prints designs (tests/nos/nxos/test_words.py)."""

POLICIES = "class maps and policy maps have no words, and are told as matches"
LISTS = "access lists have no words"
LOST = {
    "eos": {
        r".* \.qos\.classifiers\[": POLICIES,
        r".* \.interfaces\[\S+\]\.qos\.(classifier|default_tc)": POLICIES,
        r".* \.qos\.policing\[": LISTS,
        r".* \.interfaces\[\S+\]\.qos\.policing(_out)?": LISTS,
        r".* \.routing\.policies\[": "policies of routes have no words",
        r".* \.routing\.(announced|complete|redistributes)": "networks that BGP announces have no words",
        r"every-line \.qos\.egress.*\.(marking\.\w+|buffer)": "buffers have no words",
        r"every-line (\.interfaces\[Ethernet1\])?\.qos\.egress(\[\w+\])?$": "delays have no words",
        r"every-line \.interfaces\[Ethernet1\]\.qos\.pfc\.link_pause_tx": "what `desired` gets",
    },
}
"""Differences of a device printed and read again, by its case, with the reason."""

BESIDE = {"src", "at", "notes", "structures", "unread"}
"""Fields about the reading itself; structures that no port applies are in no model."""


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    if one == other:
        return
    if type(one) is type(other) and dataclasses.is_dataclass(one):
        for name in {field.name for field in dataclasses.fields(one)} - BESIDE:
            yield from differences(getattr(one, name), getattr(other, name), f"{path}.{name}")
    elif isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{path}[{key}]")
    else:
        yield path


def _path(place: str, what: str) -> str:
    """Path at which a device differs because of a reported omission."""
    kind, _, key = place.partition(" ")
    if kind == "sessions":
        return f".routing.sessions[{key}]" + ("" if what == "session" else f".{what}")
    return f".interfaces[{place}]" + ("" if what == "tunnel" else f".{what}")


def circle(nos: Nos, text: str) -> list[str]:
    """Unreported differences between the device in the text and its printed and re-read form."""
    device = read(nos, text)
    made, left = write(nos, device)
    reported = tuple(_path(each.place, each.what) for each in left)
    again = read(nos, made)
    again.model, again.os_version = device.model, device.os_version  # stand in comments alone
    assert not again.notes, made
    assert write(nos, again).text == made
    return [path for path in differences(device, again) if not path.startswith(reported)]


def unexplained(nos: Nos, text: str, case: str) -> list[str]:
    known = LOST.get(nos.name, {})
    found = [f"{case} {path}" for path in circle(nos, text)]
    return [path for path in found if not any(re.match(pattern, path) for pattern in known)]


@pytest.mark.parametrize("name", READ)
def test_fixtures(name: str, root: Path) -> None:
    folder = root / "tests" / "nos" / name
    texts = [*sorted(folder.rglob("*.cfg")), folder / "typical.txt"]
    assert len(texts) > 1
    for path in texts:
        for text in path.read_text(encoding="utf-8").split("----\n"):
            assert unexplained(PRINTED[name], text, path.parent.name) == []


@pytest.mark.parametrize("name", READ)
def test_examples_of_the_rules(name: str, root: Path) -> None:
    """Also those of other systems: parts that are read by chance must be printed, too."""
    for page in sorted((root / "rules").glob("*/*.md")):
        for example in re.findall(r"```\w*\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if "hostname" in example:
                assert unexplained(PRINTED[name], example, page.stem) == []


@pytest.mark.parametrize("name", READ)
def test_public_files(name: str, corpus: Path) -> None:
    folder = corpus / name
    if not folder.is_dir():
        pytest.skip(f"there are no public files of {name}")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            assert unexplained(PRINTED[name], text, path.stem) == []


def made_by_hand() -> Device:
    """A device without a text: as from a design, without positions."""
    device = read(
        EOS,
        "hostname leaf1\nqos profile Q\n   uc-tx-queue 3\n"
        "      random-detect ecn minimum-threshold 400 kbytes maximum-threshold 800 kbytes"
        " max-mark-probability 100\n"
        "interface Ethernet1/1\n   no switchport\n   mtu 9198\n   service-profile Q\n"
        "   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n",
    )
    port = device.interfaces["Ethernet1/1"]
    for item in (port, port.qos, port.qos.pfc):
        item.at.clear()
    return device


def test_values_that_no_line_states_are_printed() -> None:
    text = write(EOS, made_by_hand()).text
    assert "   priority-flow-control priority 3 no-drop\n" in text


@pytest.mark.parametrize("name", PRINTED)
def test_a_design_is_printed_whole(name: str) -> None:
    """A leaf from a design: without positions, with its own names and both thresholds."""
    nos = PRINTED[name]
    port = "Ethernet1/1"
    marking = Marking(ecn=True, kmin=Threshold(500_000), kmax=Threshold(1_500_000), pmax_percent=10)
    weighted = {"kind": SchedulerKind.WEIGHTED, "share": 50, "share_of": ShareKind.WEIGHT}
    queues = [
        Queue(number=0, scheduler=Scheduler(**weighted)),
        Queue(number=3, scheduler=Scheduler(**weighted), marking=marking),
        Queue(number=6, scheduler=Scheduler(kind=SchedulerKind.STRICT)),
    ]
    same = CodeMap(entries={0: 0, 3: 3, 6: 6})
    objects = QosObjects(
        classifiers={"roce": Classifier(name="roce", dscp_to_tc=CodeMap(entries={26: 3, 48: 6}))},
        forwardings={"roce": Forwarding(name="roce", tc_to_queue=same, tc_to_pg=same,
                                        tc_to_pfc_priority=same, pfc_priority_to_queue=same)},
        egress={"roce": EgressPolicy(
            name="roce", queues={(QueueKind.UNICAST, q.number): q for q in queues})},
    )  # fmt: skip
    pfc = PfcConfig(mode=PfcMode.ON, generate=frozenset({3}), honour=frozenset({3}))
    qos = PortQos(trust=Trust.DSCP, classifier="roce", forwarding="roce", egress="roce", pfc=pfc)
    made = Interface(name=port, enabled=True, routed=True, addresses=("10.0.0.0/31",), ip_mtu=9100)
    made.qos = qos
    device = Device(hostname="leaf1", nos=name, asn=65001, interfaces={port: made}, qos=objects)
    again = read(nos, write(nos, device).text)
    found = again.interfaces[port]
    assert (found.enabled, found.addresses, found.ip_mtu) == (True, made.addresses, 9100)
    assert (found.qos.trust, found.qos.pfc.generate) == (Trust.DSCP, frozenset({3}))
    table = again.qos.classifiers[found.qos.classifier].dscp_to_tc
    inside = again.qos.forwardings[found.qos.forwarding]
    assert (table.get(26), table.get(48), inside.tc_to_queue.get(3)) == (3, 6, 3)
    queue = again.qos.egress[found.qos.egress].queue(3)
    assert (queue.scheduler.share, queue.marking.ecn) == (50, True)
    depths = (queue.marking.kmin.value, queue.marking.kmax.value)
    assert depths in ((500_000, 1_500_000), (500, 1500))
    assert again.qos.egress[found.qos.egress].queue(6).scheduler.kind is SchedulerKind.STRICT
    assert again.asn == 65001
    assert not again.notes


def test_a_setting_without_words_is_reported() -> None:
    device = made_by_hand()
    port = device.interfaces["Ethernet1/1"]
    port.qos.pfc.cable_m = 40.0
    port.qos.default_tc, port.qos.at["default_tc"] = 0, -1  # a default is not what is wished
    device.qos.egress[port.qos.egress].queue(3).buffer = BufferProfile(name="Q", alpha=8.0)
    made = write(EOS, device)
    place = f"egress {port.qos.egress} queues 3"
    assert {str(left) for left in made.left} == {"Ethernet1/1: cable_m", f"{place}: buffer"}


def _jumbo(device: Device) -> None:
    device.interfaces["Ethernet1/1"].ip_mtu = 70_000


def _priority(device: Device) -> None:
    pfc = device.interfaces["Ethernet1/1"].qos.pfc
    pfc.generate = pfc.honour = pfc.named = frozenset({8})


def _injected(device: Device) -> None:
    device.hostname = "leaf1\ninterface Ethernet1/9"


def _two_words(device: Device) -> None:
    device.hostname = "leaf 1"


def _packets(device: Device) -> None:
    queue = device.qos.egress[device.interfaces["Ethernet1/1"].qos.egress].queue(3)
    queue.marking.kmin = Threshold(1, ThresholdUnit.PACKETS)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_jumbo, "mtu 70000 is "),
        (_priority, f"priority 8{REFUSED}0 to 7"),
        (_injected, "is no text of one line"),
        (_two_words, "no line of the template can express hostname"),
        (_packets, "is no threshold that EOS states"),
    ],
)
def test_what_cannot_be_printed_is_refused(change: Any, why: str) -> None:
    device = made_by_hand()
    change(device)
    with pytest.raises(RenderError, match=why):
        write(EOS, device)


def test_a_system_that_is_only_read() -> None:
    nos = all_nos()["os10"]
    with pytest.raises(RenderError, match="Dell SmartFabric OS10 is read, and not printed yet"):
        write(nos, read(nos, "hostname leaf1\n"))


def test_words_that_no_template_line_states() -> None:
    source = EOS.by_source["running-config"]
    with pytest.raises(RenderError, match="hostname: what its first line states is missing"):
        lines_of(EOS, source, [words.Hostname()])
    with pytest.raises(
        RenderError, match="interface: no line of the template can express vrf 'a b'"
    ):
        lines_of(EOS, source, [words.PortWords(name="Ethernet1/1", vrf="a b")])
    with pytest.raises(TypeError, match="PortWords has no pcf"):
        words.PortWords(name="Ethernet1/1", pcf=3)
