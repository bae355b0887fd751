"""A change creates another device and leaves the original unmodified."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from roce_lint.model.apply import WHAT_IF, Lines, Setting, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.model.path import PathError, parse
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
from roce_lint.model.schema import resolve, type_of
from roce_lint.model.units import Threshold
from roce_lint.model.values import read
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Citation, Origin
from tests.unit.fabric import host, port, switch


def leaf() -> Device:
    """Three ports with one policy."""
    device = switch("leaf1", marked=(3,))
    for name in ("e1", "e2", "e3"):
        port(device, name)
    return device


def setting(text: str) -> Setting:
    path, value = text.split("=")
    full = resolve(parse(path))
    return Setting(full, read(value, full.steps[-1].field, type_of(full)), f"what if: {text}")


def made(device: Device, *texts: str) -> Device:
    return apply_settings(device, [setting(text) for text in texts])


def bytes_of(device: Device) -> str:
    return json.dumps(dump(device), default=str)


def queue_of(device: Device, name: str) -> Queue:
    qos = device.interfaces[name].qos
    assert qos is not None
    queue = device.qos.egress[qos.egress or ""].queue(3)
    assert queue is not None
    return queue


def test_what_is_not_touched_is_shared() -> None:
    device = leaf()
    before = bytes_of(device)
    new = made(device, "leaf1:e1 ip_mtu=1500")
    assert new.interfaces["e1"].ip_mtu == 1500
    assert new.interfaces["e1"].qos is device.interfaces["e1"].qos
    assert new.interfaces["e2"] is device.interfaces["e2"]
    assert new.qos is device.qos
    assert bytes_of(device) == before


def test_through_a_port_an_object_is_copied_for_that_port() -> None:
    device = leaf()
    before = bytes_of(device)
    wanted = [setting(f"leaf1:{name} queues[3].kmin=10 kB") for name in ("e1", "e2")]
    new = apply_settings(device, [replace(each, line="leaf1:e[12] ...") for each in wanted])
    marked = [queue_of(new, name).marking for name in ("e1", "e2", "e3")]
    assert [m.kmin if m else None for m in marked[:2]] == [Threshold(10_000.0)] * 2
    assert queue_of(new, "e3") is queue_of(device, "e3")
    ports = [new.interfaces[name].qos for name in ("e1", "e2")]
    assert len({qos.egress for qos in ports if qos is not None}) == 1  # changed alike: one copy
    assert len(new.qos.egress) == len(device.qos.egress) + 1
    assert bytes_of(device) == before


def test_a_path_that_names_the_object_means_it_for_all() -> None:
    device = leaf()
    (name,) = device.qos.egress
    new = made(device, f'leaf1 qos.egress["{name}"].queues[3].kmin=10 kB')
    assert list(new.qos.egress) == [name]
    assert all(queue_of(new, p).marking is queue_of(new, "e1").marking for p in ("e2", "e3"))
    marking = queue_of(new, "e1").marking
    assert marking is not None
    assert marking.kmin == Threshold(10_000.0)


def test_a_changed_policy_repeats_no_other() -> None:
    device = leaf()
    (name,) = device.qos.egress
    device.qos.egress["twin"] = device.qos.egress[name]
    device.qos.repeated = {"twin": name}
    new = made(device, f'leaf1 qos.egress["{name}"].queues[3].kmin=10 kB')
    assert new.qos.repeated == {}
    assert device.qos.repeated == {"twin": name}


def test_a_changed_value_is_stated_by_the_change() -> None:
    device = leaf()
    wanted = [setting("leaf1:e1 ip_mtu=1500"), setting("leaf1:e2 pfc.generate=none")]
    lines = Lines(wanted)
    new = apply_settings(device, wanted, lines)
    where = new.interfaces["e1"].where("ip_mtu")
    place = Excerpts({WHAT_IF: lines.file}).locate(where)
    assert (where.origin, place.file, place.line) == (Origin.STATED, WHAT_IF, 1)
    assert place.text == "what if: leaf1:e1 ip_mtu=1500"
    qos = new.interfaces["e2"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert qos.pfc.generate == frozenset()
    assert Excerpts({WHAT_IF: lines.file}).locate(qos.pfc.where("generate")).line == 2


def test_values_that_no_line_states() -> None:
    device = leaf()
    path = resolve(parse("leaf1:e1 ip_mtu"))
    default = Citation("so it is", "a document")
    new = apply_settings(device, [Setting(path, 1500, "", default)])
    where = new.interfaces["e1"].where("ip_mtu")
    assert (where.origin, where.citation) == (Origin.DEFAULT, default)
    new = apply_settings(device, [Setting(path, None, "")])
    assert new.interfaces["e1"].where("ip_mtu").origin is Origin.ABSENT
    assert default not in device.src.citations


def test_what_is_not_there_is_made() -> None:
    device = leaf()
    device.interfaces["e1"].qos = None
    new = made(device, "leaf1:e1 pfc.generate=3")
    assert new.interfaces["e1"].qos == PortQos(pfc=PfcConfig(generate=frozenset({3})))
    new = made(device, "leaf1:e2 queues[9].marking.ecn=yes")
    qos = new.interfaces["e2"].qos
    assert qos is not None
    assert new.qos.egress[qos.egress or ""].queues[QueueKind.UNICAST, 9] == Queue(
        number=9, marking=Marking(ecn=True)
    )
    new = made(device, "leaf1 kernel[net.ipv4.tcp_ecn]=1")
    assert (new.kernel, device.kernel) == ({"net.ipv4.tcp_ecn": "1"}, {})
    bare = made(device, "leaf1:e3 rewrite.active=yes")
    rewrite = bare.interfaces["e3"].qos
    assert rewrite is not None
    assert bare.qos.rewrites[rewrite.rewrite or ""].active is True


def test_entries_of_maps() -> None:
    device = leaf()
    new = made(device, "leaf1:e1 dscp_to_tc[24-26,40]=5")
    qos = new.interfaces["e1"].qos
    assert qos is not None
    map_ = new.qos.classifiers[qos.classifier or ""].dscp_to_tc
    assert [map_.get(n) for n in (24, 25, 26, 40)] == [5, 5, 5, 5]
    assert map_.get(27) != 5


def test_entries_of_lists() -> None:
    device = host("gpu01", "e1", sends=26, cnp=48)
    assert len(device.emits) > 0
    path = parse("gpu01 emits[0]")
    new = apply_settings(device, [Setting(path, None, "")])
    assert new.emits == device.emits[1:]
    new = made(device, "gpu01 emits[0].dscp=cs6")
    assert (new.emits[0].dscp, new.emits[1:]) == (48, device.emits[1:])
    more = apply_settings(
        device, [Setting(parse(f"gpu01 emits[{len(device.emits)}]"), new.emits[0], "x")]
    )
    assert more.emits == [*device.emits, new.emits[0]]


@pytest.mark.parametrize(
    "text",
    ["leaf1:nothing ip_mtu=1500", "leaf1 nics[mlx5_0].gids[0].index=3", "leaf1 emits[9].dscp=3",
     "leaf1 interfaces[e1].neighbors[0].device=x"],
)  # fmt: skip
def test_what_cannot_be_made(text: str) -> None:
    path, _, value = text.partition("=")
    full = resolve(parse(path))
    with pytest.raises(PathError):
        apply_settings(leaf(), [Setting(full, value, "what if")])


def test_an_object_of_another_device_is_taken_over() -> None:
    device = leaf()
    policy = EgressPolicy(name="other")
    queue = Queue(number=3, at={"": 40})
    policy.queues[QueueKind.UNICAST, 3] = queue
    new = apply_settings(device, [Setting(resolve(parse("leaf1:e1 egress")), policy, "what if")])
    qos = new.interfaces["e1"].qos
    assert qos is not None
    taken = new.qos.egress[qos.egress or ""]
    assert taken == policy
    assert policy not in device.qos.egress.values()
    place = taken.queues[QueueKind.UNICAST, 3].where()  # stated by the change, not by a line of it
    assert place.src.files[place.src.file_of(place.position)].name == WHAT_IF
    assert queue.at == {"": 40}


def test_one_code_point_without_a_class_leaves_the_others_theirs() -> None:
    device = leaf()
    codes = CodeMap(entries={26: 3}, otherwise=0, at={26: 1, "otherwise": 2})
    device.qos.classifiers["c"] = Classifier(name="c", dscp_to_tc=codes)
    wanted = Setting(parse("leaf1 qos.classifiers[c].dscp_to_tc[26]"), None, "what if")
    made = apply_settings(device, [wanted]).qos.classifiers["c"].dscp_to_tc
    assert [made.get(n) for n in (0, 25, 26, 63)] == [0, 0, None, 0]
    assert made.where(25).position == 2
    assert codes.get(26) == 3
