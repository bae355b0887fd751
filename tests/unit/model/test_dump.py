"""A device as JSON data: every value with its place."""

from __future__ import annotations

import json

from roce_lint.model.device import Device, NoteKind, ParseNote, Structure
from roce_lint.model.dump import dump, place
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Marking,
    PfcConfig,
    PortQos,
    Queue,
    QueueKind,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.text.source import Citation, Confidence, SourceFile, SourceMap

SAYS = Citation("it is 1500", "docs/nos/acme.md#mtu")
MAYBE = Citation("it may be 9214", "docs/nos/acme.md#mtu", Confidence.UNCONFIRMED)


def source() -> SourceMap:
    found = SourceMap()
    found.add(SourceFile.of("leaf1.cfg", "a\nb\nc\n"), "running-config")
    found.add(SourceFile.of("db.json", "{}"), "config_db", lines=2)
    return found


def test_places() -> None:
    src = source()
    assert place(src, 3) == "@leaf1.cfg:3"
    assert place(src, src.path(1, ("PORT", "Ethernet0", "mtu"))) == "@db.json#PORT|Ethernet0|mtu"
    assert place(src, src.cite(SAYS)) == "@default: it is 1500"
    assert place(src, src.cite(MAYBE)) == "@default, unconfirmed: it may be 9214"
    assert place(src, 0) == ""


def test_values_have_their_places_and_what_is_not_known_is_left_out() -> None:
    src = source()
    port = Interface(
        name="Ethernet1",
        ip_mtu=1500,
        enabled=False,
        tagged_vlans=frozenset({3, 10, 11, 12}),
        src=src,
        at={"": 1, "ip_mtu": src.cite(SAYS), "enabled": 2},
    )
    device = Device(
        hostname="leaf1", nos="acme", interfaces={"Ethernet1": port}, src=src, at={"": 1}
    )
    assert dump(device)["interfaces"] == {
        "Ethernet1": {
            "@": "@leaf1.cfg:1",
            "name": "Ethernet1",
            "kind": "physical",
            "enabled": [False, "@leaf1.cfg:2"],
            "tagged_vlans": "3,10-12",
            "ip_mtu": [1500, "@default: it is 1500"],
        }
    }


def test_an_empty_set_of_priorities_is_a_statement() -> None:
    src = source()
    pfc = PfcConfig(generate=frozenset(), named=frozenset({3}), src=src, at={"generate": 2, 3: 1})
    port = Interface(name="p", qos=PortQos(pfc=pfc, src=src), src=src)
    device = Device(hostname="h", nos="acme", interfaces={"p": port}, src=src)
    assert dump(device)["interfaces"]["p"]["qos"] == {
        "pfc": {"generate": ["", "@leaf1.cfg:2"], "named": "3", "lines": {"3": "@leaf1.cfg:1"}}
    }


def test_entries_of_one_value_and_one_place_are_one_entry() -> None:
    src = source()
    default = src.cite(SAYS)
    codes = CodeMap(
        entries={0: 1, 1: 1, 2: 1, 3: 1, 9: 5},
        otherwise=0,
        src=src,
        at={0: default, 1: default, 2: 2, 3: default, 9: 3, "otherwise": default},
    )
    device = Device(hostname="h", nos="acme", src=src)
    device.qos.classifiers["map"] = Classifier(name="map", dscp_to_tc=codes, src=src)
    found = dump(device)["qos"]["classifiers"]["map"]
    assert found["dscp_to_tc"] == {
        "0-1,3": [1, "@default: it is 1500"],
        "2": [1, "@leaf1.cfg:2"],
        "9": [5, "@leaf1.cfg:3"],
        "otherwise": [0, "@default: it is 1500"],
    }
    assert "pcp_to_tc" not in found


def test_queues_thresholds_names_and_notes() -> None:
    src = source()
    marking = Marking(ecn=True, kmin=Threshold(2000, ThresholdUnit.CELLS), src=src, at={"kmin": 2})
    queue = Queue(number=3, marking=marking, src=src)
    device = Device(hostname="h", nos="acme", src=src)
    device.qos.egress["P"] = EgressPolicy(name="P", queues={(QueueKind.UNICAST, 3): queue}, src=src)
    device.structures = [
        Structure(kind="qos profile", name="P", references=(2, 3), src=src, at={"": 1})
    ]
    device.notes = [ParseNote(kind=NoteKind.CONFLICT, message="no", src=src, at={"": 3})]
    found = dump(device)
    queues = found["qos"]["egress"]["P"]["queues"]
    assert queues["unicast 3"]["marking"]["kmin"] == ["2000 cells", "@leaf1.cfg:2"]
    assert found["structures"][0]["references"] == ["@leaf1.cfg:2", "@leaf1.cfg:3"]
    assert found["notes"][0]["@"] == "@leaf1.cfg:3"
    assert found["notes"][0]["kind"] == "conflict"
    assert json.loads(json.dumps(found)) == found


def test_a_device_that_no_file_describes() -> None:
    assert dump(Device(hostname="h", nos="acme"))["hostname"] == "h"


def test_variables_of_the_environment_keep_their_lines() -> None:
    src = source()
    device = Device(
        hostname="h", nos="acme", environment={"NCCL_IB_TC": "106"}, src=src, at={"NCCL_IB_TC": 3}
    )
    assert dump(device)["environment"] == {"NCCL_IB_TC": ["106", "@leaf1.cfg:3"]}
