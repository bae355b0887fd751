"""DSCPs that carry RoCE, and their evidence."""

from __future__ import annotations

import pytest

from roce_lint.analysis.classes import class_name, classes_by_name, name_together
from roce_lint.analysis.result import Analysis, Basis, RoceClass
from roce_lint.model.device import Device
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import PlannedClass, RocePlan
from tests.unit.fabric import (
    CONFIRMED,
    analysed,
    default_map,
    emission,
    host,
    lines_of,
    port,
    switch,
)


def found(analysis: Analysis) -> list[tuple[str, Basis, int]]:
    return [(c.name, c.basis, c.senders) for c in analysis.classes]


def leaf_of(*hosts: Device, **how: object) -> tuple[Device, list]:
    """A leaf with one port for each NIC of the hosts, and the links."""
    leaf = switch("leaf1", **how)
    links = []
    for device in hosts:
        for interface in list(device.interfaces):
            name = f"{device.hostname}-{interface}"
            port(leaf, name)
            links.append(((leaf, name), (device, interface)))
    return leaf, links


@pytest.mark.parametrize(
    ("flow", "dscps", "name"),
    [
        (Flow.DATA, (26,), "RoCE DSCP 26"),
        (Flow.DATA, (24, 25, 26, 30), "RoCE DSCP 24-26,30"),
        (Flow.CNP, (48,), "CNP DSCP 48"),
    ],
)
def test_a_class_is_named_by_its_code_points(flow: Flow, dscps: tuple[int, ...], name: str) -> None:
    assert class_name(flow, dscps) == name


def test_hosts_that_state_what_they_send_make_the_classes() -> None:
    hosts = [
        host("gpu1", "ens1", sends=26, cnp=48),
        host("gpu2", "ens1", sends=26, cnp=48),
        host("gpu3", "ens1", sends=24),
    ]
    leaf, links = leaf_of(*hosts)
    analysis = analysed(leaf, *hosts, links=links)
    assert found(analysis) == [
        ("RoCE DSCP 24", Basis.STATED, 1),
        ("RoCE DSCP 26", Basis.STATED, 2),
        ("CNP DSCP 48", Basis.STATED, 2),
    ]
    evidence = analysis.data_classes[1].where
    assert [where.position for where in evidence] == [h.emits[0].at["dscp"] for h in hosts[:2]]
    assert {where.src for where in evidence} == {h.src for h in hosts[:2]}


def test_a_host_that_states_twice_counts_once() -> None:
    gpu = host("gpu1", "ens1", sends=26)
    gpu.emits.append(emission(gpu, 26))
    leaf, links = leaf_of(gpu)
    assert found(analysed(leaf, gpu, links=links)) == [("RoCE DSCP 26", Basis.STATED, 1)]


def test_three_lines_are_shown_however_many_agree() -> None:
    hosts = [host(f"gpu{n}", "ens1", sends=26) for n in range(5)]
    leaf, links = leaf_of(*hosts)
    traffic = analysed(leaf, *hosts, links=links).data_classes[0]
    assert (traffic.senders, len(traffic.where)) == (5, 3)


@pytest.mark.parametrize("certainty", [Certainty.DEFAULT, Certainty.POSSIBLE])
def test_what_a_host_may_send_makes_no_class(certainty: Certainty) -> None:
    gpu = host("gpu1", "ens1")
    gpu.emits.append(emission(gpu, 10, certainty=certainty))
    leaf, links = leaf_of(gpu)
    assert found(analysed(leaf, gpu, links=links)) == [("RoCE DSCP 26", Basis.INFERRED, 0)]


def test_a_host_without_roce_nics_states_nothing() -> None:
    storage = host("nas1", sends=40)
    gpu = host("gpu1", "ens1")
    leaf, links = leaf_of(gpu)
    assert found(analysed(leaf, gpu, storage, links=links)) == [("RoCE DSCP 26", Basis.INFERRED, 0)]


def test_the_plan_comes_before_what_hosts_state() -> None:
    gpu = host("gpu1", "ens1", sends=24, cnp=48)
    leaf, links = leaf_of(gpu)
    plan = RocePlan(classes=(PlannedClass(name="roce", flow=Flow.DATA, dscps=(26, 30)),))
    assert found(analysed(leaf, gpu, links=links, plan=plan)) == [
        ("RoCE DSCP 26,30", Basis.PLAN, 0),
        ("CNP DSCP 48", Basis.STATED, 1),
    ]


def test_a_planned_storage_class_is_no_class_of_roce() -> None:
    plan = RocePlan(classes=(PlannedClass(name="nvme", flow=Flow.STORAGE, dscps=(28,)),))
    leaf = switch("leaf1")
    port(leaf, "e1")
    assert found(analysed(leaf, plan=plan)) == [("RoCE DSCP 26", Basis.INFERRED, 0)]


def test_without_hosts_the_lossless_code_points_are_taken() -> None:
    leaf = switch("leaf1", dscps={26: 3, 34: 4, 48: 6})
    port(leaf, "e1", pauses=(3, 4))
    analysis = analysed(leaf)
    assert found(analysis) == [
        ("RoCE DSCP 26", Basis.INFERRED, 0),
        ("RoCE DSCP 34", Basis.INFERRED, 0),
    ]
    classifier = leaf.qos.classifiers["map"]
    assert [w.position for w in analysis.classes[1].where] == [classifier.dscp_to_tc.at[34]]
    assert all(traffic.assumed for traffic in analysis.classes)


def test_code_points_of_one_priority_are_one_class() -> None:
    leaf = switch("leaf1", dscps={24: 3, 26: 3, 34: 4})
    port(leaf, "e1", pauses=(3, 4))
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 24,26", "RoCE DSCP 34"]


def test_a_default_map_gives_all_its_code_points() -> None:
    """As on EOS: nobody wrote a map, and the platform has 24 to 31 in class 3."""
    leaf = switch("leaf1")
    by_default = {dscp: (1, 0, 2, 3, 4, 5, 6, 7)[dscp >> 3] for dscp in range(64)}
    leaf.qos.classifiers["map"].dscp_to_tc = default_map(lines_of(leaf), by_default, CONFIRMED)
    port(leaf, "e1")
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 24-31"]


def test_stated_entries_are_preferred_to_defaults() -> None:
    leaf = switch("leaf1")
    made = default_map(lines_of(leaf), {dscp: dscp >> 3 for dscp in range(64)}, CONFIRMED)
    made.at[26] = lines_of(leaf).next()
    leaf.qos.classifiers["map"].dscp_to_tc = made
    port(leaf, "e1")
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 26"]


def test_a_named_code_point_is_preferred_to_all_the_rest() -> None:
    """As on NX-OS: `class-default` sets the lossless group too."""
    leaf = switch("leaf1", dscps={26: 3}, otherwise=3)
    port(leaf, "e1")
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 26"]


def test_dscp_0_tells_nothing_where_others_are_left() -> None:
    leaf = switch("leaf1", dscps={0: 3, 26: 3})
    port(leaf, "e1")
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 26"]


def test_dscp_0_alone_is_taken() -> None:
    leaf = switch("leaf1", dscps={0: 3})
    port(leaf, "e1")
    assert [c.name for c in analysed(leaf).classes] == ["RoCE DSCP 0"]


def test_most_devices_decide() -> None:
    leaves = [switch("leaf1"), switch("leaf2"), switch("leaf3", dscps={24: 3})]
    for leaf in leaves:
        port(leaf, "e1")
    assert [c.name for c in analysed(*leaves).classes] == ["RoCE DSCP 26"]


def test_devices_that_disagree_evenly_give_both() -> None:
    leaves = [switch("leaf1"), switch("leaf2", dscps={24: 3})]
    for leaf in leaves:
        port(leaf, "e1")
    assert [c.name for c in analysed(*leaves).classes] == ["RoCE DSCP 24,26"]


def test_nics_alone_tell_by_what_they_pause() -> None:
    gpu = host("gpu1", "ens1", pauses=(3,))
    assert found(analysed(gpu)) == [("RoCE DSCP 24-31", Basis.INFERRED, 0)]


def test_switches_narrow_down_what_nics_pause() -> None:
    hosts = [host(f"gpu{n}", "ens1", pauses=(3,)) for n in (1, 2)]
    leaf, links = leaf_of(*hosts)
    assert found(analysed(leaf, *hosts, links=links)) == [("RoCE DSCP 26", Basis.INFERRED, 0)]


def test_the_code_point_of_cnps_is_no_data_class() -> None:
    gpu = host("gpu1", "ens1", cnp=48)
    leaf, links = leaf_of(gpu, dscps={26: 3, 48: 3})
    analysis = analysed(leaf, gpu, links=links)
    assert [c.name for c in analysis.classes] == ["CNP DSCP 48", "RoCE DSCP 26"]


def test_ports_that_pause_nothing_give_no_class() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", pauses=())
    assert analysed(leaf).classes == []


def test_several_classes_called_together_are_found_by_that_name() -> None:
    flows = ((Flow.DATA, 24), (Flow.DATA, 26), (Flow.DATA, 30), (Flow.CNP, 48))
    classes = [RoceClass(class_name(f, (d,)), f, (d,), Basis.STATED, ()) for f, d in flows]
    for chosen in (classes[:1], classes[:2], classes[1:3], [classes[0], classes[3]]):
        name = name_together(classes, [traffic.name for traffic in chosen])
        assert classes_by_name(name, classes) == chosen
    assert classes_by_name("RoCE DSCP 25", classes) == []
