"""The design mode: that of the majority, unless one is required."""

from __future__ import annotations

from roce_lint.analysis.result import Analysis, Mode, PfcDesign
from roce_lint.model.device import Device
from roce_lint.model.nic import Flow
from roce_lint.model.plan import PlannedClass, RocePlan
from tests.unit.fabric import analysed, host, port, switch


def mode(analysis: Analysis) -> Mode:
    traffic = analysis.data_classes[0]
    return analysis.mode(traffic, analysis.ports[0])


def edges(*pauses: bool, marked: tuple[int, ...] = (), sends: int = 26) -> Analysis:
    """A leaf whose ports pause the class or not; a host states what it sends."""
    leaf = switch("leaf1", marked=marked)
    gpu = host("gpu1", "ens1", sends=sends)
    for number, on in enumerate(pauses):
        port(leaf, f"e{number}", pauses=(3,) if on else ())
    return analysed(leaf, gpu)


def test_the_majority_pauses() -> None:
    found = mode(edges(True, True, False))
    assert (found.pfc, found.priority, found.stated) == (PfcDesign.EVERYWHERE, 3, False)
    # The host's NIC says nothing about PFC.
    assert found.pfc_votes == (2, 1, 1)


def test_the_majority_does_not_pause() -> None:
    assert mode(edges(True, False, False)).pfc is PfcDesign.NOWHERE


def test_a_tie_is_not_known() -> None:
    analysis = edges(True, False)
    found = mode(analysis)
    assert found.pfc is PfcDesign.UNKNOWN
    assert analysis.needs_pause(analysis.data_classes[0], analysis.ports[0]) is None


def test_marking_is_the_majority_of_switch_ports() -> None:
    assert mode(edges(True, marked=(3,))).marking is True
    assert mode(edges(True, marked=(4,))).marking is False


def two_tiers(*, edge: bool, core: bool, odd_core: bool | None = None) -> Analysis:
    leaf, spine = switch("leaf1"), switch("spine1")
    gpu = host("gpu1", "ens1", "ens2", sends=26)
    links = []
    for number, interface in enumerate(gpu.interfaces):
        port(leaf, f"e{number}", pauses=(3,) if edge else ())
        links.append(((leaf, f"e{number}"), (gpu, interface)))
    for number in (49, 50):
        port(leaf, f"e{number}", pauses=(3,) if core else ())
        on = core if odd_core is None or number == 50 else odd_core
        port(spine, f"e{number}", pauses=(3,) if on else ())
        links.append(((leaf, f"e{number}"), (spine, f"e{number}")))
    return analysed(leaf, spine, gpu, links=links)


def test_pause_at_the_host_edge_only_is_a_design() -> None:
    analysis = two_tiers(edge=True, core=False)
    assert mode(analysis).pfc is PfcDesign.HOST_EDGE
    traffic = analysis.data_classes[0]
    assert {p.key: analysis.needs_pause(traffic, p) for p in analysis.ports} == {
        ("gpu1", "ens1"): True,
        ("gpu1", "ens2"): True,
        ("leaf1", "e0"): True,
        ("leaf1", "e1"): True,
        ("leaf1", "e49"): False,
        ("leaf1", "e50"): False,
        ("spine1", "e49"): False,
        ("spine1", "e50"): False,
    }


def test_one_pausing_uplink_is_no_host_edge_design() -> None:
    analysis = two_tiers(edge=True, core=False, odd_core=True)
    assert mode(analysis).pfc is PfcDesign.UNKNOWN


def test_pause_on_uplinks_alone_is_no_host_edge_design() -> None:
    assert mode(two_tiers(edge=False, core=True)).pfc is PfcDesign.EVERYWHERE


def test_the_plan_overrides_the_majority() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", pauses=())
    planned = PlannedClass(
        name="roce", flow=Flow.DATA, dscps=(26,), lossless=True, marked=True, pfc_priority=5
    )
    found = mode(analysed(leaf, plan=RocePlan(classes=(planned,))))
    assert (found.pfc, found.marking, found.priority, found.stated) == (
        PfcDesign.EVERYWHERE,
        True,
        5,
        True,
    )


def test_the_plan_may_want_no_pause() -> None:
    leaf = switch("leaf1", marked=(3,))
    port(leaf, "e1")
    planned = PlannedClass(name="roce", flow=Flow.DATA, dscps=(26,), lossless=False)
    found = mode(analysed(leaf, plan=RocePlan(classes=(planned,))))
    assert (found.pfc, found.marking, found.priority) == (PfcDesign.NOWHERE, True, 3)


def test_networks_have_a_mode_each() -> None:
    rails: list[Device] = []
    gpu = host("gpu1", "ens1", "ens2", sends=26)
    links = []
    for number, pauses in ((1, (3,)), (2, ())):
        rail = switch(f"rail{number}")
        port(rail, "e1", pauses=pauses)
        rails.append(rail)
        links.append(((rail, "e1"), (gpu, f"ens{number}")))
    analysis = analysed(*rails, gpu, links=links)
    assert {key: found.pfc for key, found in analysis.modes.items()} == {
        ("RoCE DSCP 26", 0): PfcDesign.EVERYWHERE,
        ("RoCE DSCP 26", 1): PfcDesign.NOWHERE,
    }


def test_a_port_with_the_class_in_another_place_is_misplaced() -> None:
    leaves = [*(switch(f"leaf{n}") for n in range(3)), switch("leaf3", dscps={24: 3})]
    for leaf in leaves:
        port(leaf, "e1")
    off = switch("leaf4", dscps={24: 3})
    port(off, "e1", pauses=())
    analysis = analysed(*leaves, off)
    traffic = analysis.data_classes[0]
    assert [p.device.hostname for p in analysis.ports if analysis.misplaced(traffic, p)] == [
        "leaf3"
    ]


def test_a_network_protects_what_most_of_its_ports_pause_or_mark() -> None:
    leaf = switch("leaf1", dscps={26: 3, 10: 2, 48: 6}, marked=(2,))
    for name in ("e1", "e2"):
        port(leaf, name)
    port(leaf, "e3", pauses=())
    analysis = analysed(leaf)
    assert [analysis.protected(0, dscp) for dscp in (26, 10, 48)] == [True, True, False]


def test_half_of_the_ports_protect_nothing_for_certain() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    port(leaf, "e2", pauses=())
    assert analysed(leaf).protected(0, 26) is None


def test_what_ports_negotiate_is_not_known() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1", pauses=None)
    analysis = analysed(leaf)
    assert analysis.protected(0, 26) is None
    assert analysis.protected(7, 26) is None  # no such network


def test_a_class_in_the_wrong_place_says_nothing_about_marking() -> None:
    leaf = switch("leaf1", dscps={26: 2}, marked=(3,))
    gpu = host("gpu1", "ens1", sends=26)
    for name in ("e1", "e2"):
        port(leaf, name)
    assert mode(analysed(leaf, gpu)).marking_votes == (0, 0, 2)


def test_what_marks_cnps_is_known_beside_a_class_that_is_paused() -> None:
    leaf = switch("leaf1", marked=(3,))
    gpu = host("gpu1", "ens1", sends=26, cnp=48, pauses=(3,))
    for name in ("e1", "e2", "e3"):
        port(leaf, name)
    analysis = analysed(leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))])
    (traffic,) = analysis.cnp_classes
    found = analysis.mode(traffic, analysis.ports[0])
    assert (found.pfc, found.marking) == (PfcDesign.NOWHERE, False)
