"""Branches of the rules about design, control messages, rewrites and overlays that the examples of
their pages do not reach.
"""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind, Tunnel
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import PlannedClass, RocePlan
from tests.unit.checks.judging import judged, severities_and_values, values
from tests.unit.fabric import Ends, emission, host, lines_of, port, switch


def racks(*pauses: bool) -> tuple[list[Device], list[Ends]]:
    """A leaf with a host that sends DSCP 26 on each port; which ports pause it."""
    leaf = switch("leaf1")
    devices, links = [leaf], []
    for number, paused in enumerate(pauses, 1):
        gpu = host(f"gpu{number}", "ens1", sends=26)
        port(leaf, f"e{number}", pauses=(3,) if paused else ())
        devices.append(gpu)
        links.append(((leaf, f"e{number}"), (gpu, "ens1")))
    return devices, links


@pytest.mark.parametrize(
    ("pauses", "found"),
    [
        ((True, False), ["leaf1 e2 26 1 2"]),
        ((True, True, False), []),
        ((True, False, False), []),
        ((False, False), []),
    ],
)
def test_a_design_is_undecided_where_no_majority_is(
    pauses: tuple[bool, ...], found: list[str]
) -> None:
    devices, links = racks(*pauses)
    assert [
        message for _, message in severities_and_values("CLS020", *devices, links=links)
    ] == found


def test_a_plan_decides_the_design() -> None:
    devices, links = racks(True, False)
    wanted = PlannedClass(name="training", flow=Flow.DATA, dscps=(26,), lossless=True, marked=True)
    plan = RocePlan(classes=[wanted])
    assert severities_and_values("CLS020", *devices, links=links, plan=plan) == []


def test_control_messages_may_have_a_queue_of_their_own() -> None:
    leaf, gpu = switch("leaf1", dscps={26: 3, 48: 6}), host("gpu1", "ens1", sends=26)
    port(leaf, "e1")
    links = [((leaf, "e1"), (gpu, "ens1"))]
    for dscp, certainty, found in (
        (48, Certainty.STATED, 0),
        (26, Certainty.STATED, 0),
        (10, Certainty.DEFAULT, 0),
        (10, Certainty.STATED, 1),
    ):
        gpu.emits = [emission(gpu, 26), emission(gpu, dscp, Flow.CONTROL, certainty)]
        assert len(judged("CLS021", leaf, gpu, links=links).findings) == found


def test_hosts_out_of_step_are_named_and_not_the_switches() -> None:
    leaf = switch("leaf1", dscps={26: 3, 48: 6})
    hosts = [host(f"gpu{n}", "ens1", sends=26, cnp=0 if n == 1 else 48) for n in range(1, 4)]
    links = []
    for number, gpu in enumerate(hosts):
        port(leaf, f"e{number}")
        links.append(((leaf, f"e{number}"), (gpu, "ens1")))
    (found,) = judged("CLS004", leaf, *hosts, links=links).findings
    assert (found.device, len(found.occurrences)) == ("gpu1", 1)
    assert values(found.message).startswith("gpu1 0 2 48 leaf1 e0")


def overlay(copied: bool | None, *, marked: bool = True, up: bool = True) -> Device:
    leaf = switch("leaf1", marked=(3,) if marked else ())
    port(leaf, "e1")
    lines = lines_of(leaf)
    tunnel = Tunnel(ecn_copied=copied, src=lines.src, at={"": lines.next()})
    if copied is not None:
        tunnel.at["ecn_copied"] = lines.next()
    leaf.interfaces["v1"] = Interface(
        name="v1", kind=InterfaceKind.TUNNEL, enabled=up, tunnel=tunnel, src=lines.src
    )
    return leaf


def test_an_overlay_that_loses_marks_matters_where_the_design_marks() -> None:
    assert [level for level, _ in severities_and_values("ECN009", overlay(copied=False))] == [
        "warning"
    ]
    assert severities_and_values("ECN009", overlay(copied=True)) == []
    assert severities_and_values("ECN009", overlay(copied=None)) == []
    assert severities_and_values("ECN009", overlay(copied=False, marked=False)) == []
    assert severities_and_values("ECN009", overlay(copied=False, up=False)) == []
