"""`roce-lint show`: what was understood, line by line, and what a port makes of a code point."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Diagnostic
from roce_lint.model.device import Device, NoteKind, ParseNote, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    MarkingMode,
    PfcConfig,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
)
from roce_lint.model.units import Threshold
from roce_lint.pipeline import ClassSummary, DeviceSummary, Report
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Citation, Confidence, LineState, SourceFile, SourceMap
from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

TEXT = """\
hostname leaf1
qos map dscp 26 to traffic-class 3
interface Ethernet1
   mtu 9000
   mtu 9214
   priority-flow-control priority 3 no-drop
   foo bar 1
   foo bar 2
interface Ethernet2
   shutdown
tx-queue 3
   bandwidth percent 40
   random-detect ecn minimum 100 maximum 200
"""

U, S, N, C, G = (
    LineState.UNDERSTOOD,
    LineState.SHADOWED,
    LineState.UNRECOGNISED,
    LineState.UNCLAIMED,
    LineState.IGNORED,
)
STATES = [U, U, U, S, U, U, N, N, U, U, C, C, C, G]


@pytest.fixture
def device(site: Path) -> Device:
    """A switch with one port that pauses DSCP 26 and one that is shut."""
    path = site / "configs" / "leaf1.cfg"
    path.write_text(TEXT)
    src = SourceMap()
    src.add(SourceFile.of("leaf1.cfg", TEXT, str(path)), "running-config")
    src.files[0].states[:] = bytes(STATES)
    default = src.cite(Citation("default map", "docs#map", Confidence.UNCONFIRMED))
    marking = Marking(
        ecn=True,
        kmin=Threshold(100_000),
        kmax=Threshold(200_000),
        pmax_percent=5,
        src=src,
        at={"": 13, "ecn": 13},
    )
    share = Scheduler(
        kind=SchedulerKind.WEIGHTED,
        share=40.0,
        share_of=ShareKind.LINK,
        src=src,
        at={"": 12, "share": 12},
    )
    queues = {
        (QueueKind.UNICAST, 3): Queue(
            number=3, scheduler=share, marking=marking, src=src, at={"": 11}
        ),
        (QueueKind.UNICAST, 1): Queue(
            number=1, scheduler=Scheduler(kind=SchedulerKind.STRICT), src=src, at={"": 11}
        ),
    }
    identity = {n: n for n in range(8)}
    qos = QosObjects(
        classifiers={
            "map": Classifier(
                dscp_to_tc=CodeMap(
                    entries={26: 3}, otherwise=1, src=src, at={"": 2, 26: 2, "otherwise": default}
                )
            )
        },
        forwardings={
            "maps": Forwarding(
                tc_to_queue=CodeMap(entries=identity, src=src, at={"": 1}),
                tc_to_pg=CodeMap(entries=identity, src=src, at={"": 1}),
                tc_to_pfc_priority=CodeMap(entries=identity, src=src, at={"": 1}),
                pfc_priority_to_queue=CodeMap(entries=identity, src=src, at={"": 1}),
            )
        },
        egress={"out": EgressPolicy(queues=queues, src=src, at={"": 11})},
    )
    three = frozenset({3})
    pfc = PfcConfig(generate=three, honour=three, src=src, at={"": 3, "generate": 6, "honour": 6})
    port = PortQos(
        trust=Trust.DSCP,
        classifier="map",
        forwarding="maps",
        pfc=pfc,
        egress="out",
        src=src,
        at={"": 3, "classifier": 2},
    )
    return Device(
        hostname="leaf1",
        nos="eos",
        role=Role.LEAF,
        os_version="4.30",
        interfaces={
            "Ethernet1": Interface(
                name="Ethernet1", aliases=("Et1",), enabled=True, ip_mtu=9214, qos=port,
                src=src, at={"": 3, "ip_mtu": 5},
            ),
            "Ethernet2": Interface(name="Ethernet2", enabled=False, src=src, at={"": 9}),
        },
        qos=qos,
        notes=[
            ParseNote(kind=NoteKind.UNRECOGNISED, message="foo bar N", count=2, src=src, at={"": 7}),
            ParseNote(kind=NoteKind.BAD_VALUE, message="'9000' is odd", src=src, at={"": 4}),
        ],
        src=src,
        at={"": 1},
    )  # fmt: skip


def shown(asked: dict[str, Any], *devices: Device, **changes: Any) -> Analysis:
    """Make the pipeline give a report of these devices."""
    fabric = Fabric(devices={device.hostname: device for device in devices})
    analysis = analyse(fabric, RocePlan())
    asked["report"] = Report(
        findings=[],
        unknowns=[],
        diagnostics=changes.get("diagnostics", []),
        devices=[DeviceSummary(d.hostname, d.nos, None, (), {}) for d in devices],
        classes=[ClassSummary("RoCE DSCP 26", "data", (26,), "plan", 0, (), ("PFC on every hop",))],
        links=0,
        judged_ports=1,
        rules={},
        base="configs",
        fabric=fabric,
        analysis=analysis,
        excerpts=Excerpts(),
    )
    return analysis


def test_a_device_with_its_scope_and_its_odd_lines(
    run: Run, asked: dict[str, Any], device: Device
) -> None:
    shown(asked, device)
    result = run("show", "configs")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "RoCE DSCP 26: required by the plan\n"
        "    PFC on every hop\n"
        "\n"
        "leaf1: eos, leaf, 4.30\n"
        "    configs/leaf1.cfg (running-config): 7 understood, 1 ignored, 1 shadowed, "
        "2 not recognised, 3 not read\n"
        "    1 port checked, towards hosts: Ethernet1\n"
        "    1 port not checked, shut down: Ethernet2\n"
        "    not recognised\n"
        "        configs/leaf1.cfg:7    foo bar 1  (and 1 similar)\n"
        "    overridden by a later line\n"
        "        configs/leaf1.cfg:4    mtu 9000\n"
        "    notes\n"
        "        configs/leaf1.cfg:4    mtu 9000  ('9000' is odd)\n"
    )


def test_every_line_with_its_state(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    lines = run("show", "configs", "--lines").stdout.splitlines()
    at = lines.index("configs/leaf1.cfg:1   understood      hostname leaf1")
    assert lines[at + 3 : at + 8] == [
        "configs/leaf1.cfg:4   shadowed        mtu 9000",
        "configs/leaf1.cfg:5   understood      mtu 9214",
        "configs/leaf1.cfg:6   understood      priority-flow-control priority 3 no-drop",
        "configs/leaf1.cfg:7   not recognised  foo bar 1",
        "configs/leaf1.cfg:8   not recognised  foo bar 2",
    ]
    assert lines[at + 10] == "configs/leaf1.cfg:11  not read        tx-queue 3"
    assert len(lines) - at == len(STATES)


def test_the_model_on_demand(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    text = run("show", "configs", "-v").stdout
    assert "            ip_mtu: 9214  @leaf1.cfg:5\n" in text
    assert "    checked Ethernet1: edge port: enabled, no switch as peer, " in text


def test_json(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    data = json.loads(run("show", "configs", "--format", "json", "--lines").stdout)
    assert data["schema"] == "roce-lint/show/1"
    assert data["classes"] == [
        {"name": "RoCE DSCP 26", "basis": "plan", "modes": ["PFC on every hop"]}
    ]
    (one,) = data["devices"]
    assert (one["name"], one["nos"], one["role"]) == ("leaf1", "eos", "leaf")
    (file,) = one["files"]
    assert (file["file"], file["source"]) == ("leaf1.cfg", "running-config")
    assert file["states"]["unrecognised"] == 2
    assert [line["state"] for line in file["lines"]] == [state.name.lower() for state in STATES]
    assert file["lines"][3]["text"] == "mtu 9000"
    assert [(item["line"], item["count"]) for item in one["unrecognised"]] == [(7, 2)]
    assert [item["line"] for item in one["shadowed"]] == [4]
    assert [(item["line"], item["message"]) for item in one["notes"]] == [(4, "'9000' is odd")]
    assert [(port["name"], port["judged"]) for port in one["ports"]] == [
        ("Ethernet1", True),
        ("Ethernet2", False),
    ]
    assert one["model"]["interfaces"]["Ethernet1"]["ip_mtu"] == [9214, "@leaf1.cfg:5"]
    short = json.loads(run("show", "configs", "--format", "json").stdout)
    assert "lines" not in short["devices"][0]["files"][0]


@pytest.mark.parametrize("name", ["Ethernet1", "ethernet1", "et1"])
def test_the_table_of_a_port(run: Run, asked: dict[str, Any], device: Device, name: str) -> None:
    shown(asked, device)
    result = run("show", "configs", "--port", name)
    assert result.exit_code == 0
    assert result.stdout == (
        "leaf1 Ethernet1 (eos): judged, edge port: enabled, no switch as peer, "
        "with trust or lossless configuration\n"
        "\n"
        "dscp   tc       pg     lossless  PFC sent  PFC honoured  queue  share    ECN marking"
        "                  rewrite\n"
        "0-25   1 [1-2]  1 [3]  no [4]    -         -             1 [3]  strict   no [5]"
        "                       -\n"
        "26     3 [2]    3 [3]  yes [4]   3 [4]     3 [4]         3 [3]  40% [6]"
        "  100000-200000 bytes, 5% [7]  -\n"
        "27-63  1 [1-2]  1 [3]  no [4]    -         -             1 [3]  strict   no [5]"
        "                       -\n"
        "\n"
        "  [1] configs/leaf1.cfg:2     qos map dscp 26 to traffic-class 3"
        "  (default map, unconfirmed)\n"
        "  [2] configs/leaf1.cfg:2     qos map dscp 26 to traffic-class 3\n"
        "  [3] configs/leaf1.cfg:1     hostname leaf1  (not stated)\n"
        "  [4] configs/leaf1.cfg:6     priority-flow-control priority 3 no-drop\n"
        "  [5] configs/leaf1.cfg:11    tx-queue 3  (not stated)\n"
        "  [6] configs/leaf1.cfg:12    bandwidth percent 40\n"
        "  [7] configs/leaf1.cfg:13    random-detect ecn minimum 100 maximum 200\n"
    )


def test_the_table_as_json(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    data = json.loads(run("show", "configs", "--port", "Et1", "--format", "json").stdout)
    assert (data["device"], data["port"], data["judged"]) == ("leaf1", "Ethernet1", True)
    assert [row["dscp"] for row in data["rows"]] == ["0-25", "26", "27-63"]
    row = data["rows"][1]
    assert row["sent"]["value"] == "3"
    assert row["ecn"] == {
        "value": "100000-200000 bytes, 5%",
        "places": [
            {
                "file": "leaf1.cfg",
                "line": 13,
                "column": None,
                "text": "random-detect ecn minimum 100 maximum 200",
                "origin": "stated",
                "note": "",
                "path": "",
            }
        ],
    }


def test_what_is_not_known_is_said(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    lines = run("show", "configs", "--port", "Ethernet2").stdout.splitlines()
    assert lines[0] == "leaf1 Ethernet2 (eos): not judged"
    assert lines[3].split() == ["0-63", "?", "[1]", "?", "?", "?", "?", "?", "?", "?", "-"]
    assert lines[-1] == "? for DSCP 0-63: missing: the QoS configuration of the port"


def test_marking_in_all_its_forms(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device)
    qos = device.qos
    queue = qos.egress["out"].queues[(QueueKind.UNICAST, 3)]
    assert queue.marking is not None
    assert queue.scheduler is not None
    qos.classifiers["map"].exact = False

    def row() -> str:
        return run("show", "configs", "--port", "Et1").stdout

    queue.marking.kmax = None
    queue.marking.pmax_percent = None
    queue.scheduler.share_of = ShareKind.WEIGHT
    text = row()
    assert "weight 40 [6]  100000 bytes to ? [7]" in text
    assert "3* [2]" in text
    assert "* an access list, VLAN or protocol match may override this\n" in text
    queue.marking.mode = MarkingMode.PLATFORM
    queue.scheduler.share_of = ShareKind.REMAINING
    assert "40% of rest [6]  by the platform [7]" in row()
    queue.scheduler.share = None
    assert "weighted" in row()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--port", "Ethernet9"],
            "no port Ethernet9 (did you mean Ethernet2, Ethernet1?)",
        ),
        (["--port", "xyz"], "no port xyz (there are Ethernet1, Ethernet2)"),
        (
            ["--device", "spine*"],
            "--device spine*: no device matches (there are leaf1, leaf2)",
        ),
        (
            ["--port", "Ethernet1"],
            "several devices have a port Ethernet1: leaf1, leaf2 (use --device)",
        ),
    ],
)
def test_what_cannot_be_shown(
    run: Run, asked: dict[str, Any], device: Device, args: list[str], message: str
) -> None:
    twin = Device(hostname="leaf2", nos="eos", interfaces=dict(device.interfaces), src=device.src)
    shown(asked, device, twin)
    result = run("show", "configs", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"roce-lint: {message}\n"


def test_a_device_is_chosen(run: Run, asked: dict[str, Any], device: Device) -> None:
    twin = Device(hostname="leaf2", nos="eos", interfaces=dict(device.interfaces), src=device.src)
    shown(asked, device, twin)
    assert run("show", "configs", "--port", "Et1", "--device", "leaf2").stdout.startswith(
        "leaf2 Ethernet1 (eos): judged"
    )
    one = run("show", "configs", "--role", "leaf", "--format", "json").stdout
    assert [item["name"] for item in json.loads(one)["devices"]] == ["leaf1"]


def test_an_incomplete_answer(run: Run, asked: dict[str, Any], device: Device) -> None:
    shown(asked, device, diagnostics=[Diagnostic("x.bin", "unknown-format", "no idea")])
    result = run("show", "configs")
    assert result.exit_code == 3
    assert result.stderr == (
        "The answer is incomplete:\n    configs/x.bin: unknown-format: no idea\n"
    )


TREE = '{"PORT": {"Ethernet0": {"mtu": "9100", "odd": "1"}},\n "OTHER": {"x": "y"}}\n'


def test_leaves_of_a_tree_are_shown_by_path(run: Run, asked: dict[str, Any], site: Path) -> None:
    path = site / "configs" / "db.json"
    path.write_text(TREE)
    src = SourceMap()
    src.add(SourceFile.of("db.json", TREE, str(path)), "config-db", lines=3)
    src.files[0].states[:] = bytes([U, N, C])
    shown(asked, Device(hostname="tor1", nos="sonic", src=src))
    lines = run("show", "configs", "--lines").stdout.splitlines()
    text = '{"PORT": {"Ethernet0": {"mtu": "9100", "odd": "1"}},'
    assert lines[-3:] == [
        f"configs/db.json:1  understood      {text}  (PORT|Ethernet0|mtu)",
        f"configs/db.json:1  not recognised  {text}  (PORT|Ethernet0|odd)",
        'configs/db.json:2  not read        "OTHER": {"x": "y"}}  (OTHER|x)',
    ]


def test_leaves_inside_an_archive_are_not_shown(run: Run, asked: dict[str, Any]) -> None:
    src = SourceMap()
    src.add(SourceFile.of("a.zip!db.json", TREE), "config-db", lines=3)
    shown(asked, Device(hostname="tor1", nos="sonic", src=src))
    assert run("show", ".", "--lines").stdout.splitlines()[-1] == (
        "a.zip!db.json: its single values cannot be shown; unpack it into a folder"
    )


def test_a_port_may_be_named_as_an_rdma_device(
    run: Run, asked: dict[str, Any], device: Device
) -> None:
    device.nics["mlx5_0"] = Nic(name="mlx5_0", port="Ethernet1")
    shown(asked, device)
    result = run("show", "configs", "--port", "MLX5_0")
    assert result.exit_code == 0
    assert result.stdout.startswith("leaf1 Ethernet1 (eos)")


def test_what_keeps_routes_from_coming_down_and_going_up_is_shown(run: Run) -> None:
    folder = ROOT / "sample_configs" / "clean-fabric"
    text = run("show", str(folder), "--no-cache").stdout.splitlines()
    place = text.index("Valley-free routes between spine1, spine2:")
    assert re.search(r'switches/spine1\.json:\d+ +"bgp_asn": "65100"', text[place + 1])
    data = json.loads(run("show", str(folder), "--no-cache", "--format", "json").stdout)
    (tier,) = data["routes_kept_apart"]
    assert tier["switches"] == ["spine1", "spine2"]
    assert tier["places"][0]["path"] == "DEVICE_METADATA|localhost|bgp_asn"
