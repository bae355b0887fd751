"""Ports that the cable plan names and that are not there, or shut down."""

from __future__ import annotations

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.checks.links.claims import linked_port_shut_or_missing
from roce_lint.engine.api import Fabric, Given, NoParams, Problem
from roce_lint.model.device import Device
from roce_lint.model.fabric import LinkSource, MissingPort
from roce_lint.model.plan import RocePlan
from tests.unit.fabric import fabric, host, lines_of, port, switch


def pair(enabled: bool | None = False, pauses: tuple[int, ...] = (3,)) -> tuple[Device, Device]:
    leaf, spine = switch("leaf1"), switch("spine1")
    port(leaf, "e1", pauses=pauses)
    shut = port(spine, "e1", enabled=enabled)
    shut.at["enabled"] = lines_of(spine).next()
    return leaf, spine


def joined(a: Device, b: Device, known_from: LinkSource = LinkSource.PLAN) -> Fabric:
    ends = [(device, next(iter(device.interfaces))) for device in (a, b)]
    made = fabric(a, b, links=[(ends[0], ends[1])], known_from=known_from)
    made.links[0].where = (a.where(),)
    return made


def problems_of(made: Fabric) -> list[Problem]:
    given = Given(NoParams(), made, analyse(made, RocePlan()), RocePlan())
    return [
        found for found in linked_port_shut_or_missing(made, given) if isinstance(found, Problem)
    ]


def test_a_port_that_is_not_there() -> None:
    leaf, _ = pair()
    made = fabric(leaf)
    made.missing.append(MissingPort("leaf1", "e9", leaf.where()))
    (found,) = problems_of(made)
    assert (found.device, found.subjects, found.value) == ("leaf1", ("e9",), "e9")
    assert found.at == [leaf.where()]


@pytest.mark.parametrize("known_from", [LinkSource.PLAN, LinkSource.NEIGHBOR_TABLE])
def test_a_stated_link_to_a_port_that_is_shut_down(known_from: LinkSource) -> None:
    leaf, spine = pair()
    (found,) = problems_of(joined(leaf, spine, known_from))
    assert (found.device, found.subjects) == ("spine1", ("e1",))
    assert found.at[0].position == spine.interfaces["e1"].at["enabled"]


def test_a_port_that_is_shut_down_and_was_heard_on() -> None:
    leaf, spine = pair()
    (found,) = problems_of(joined(leaf, spine, LinkSource.LLDP))
    assert (found.device, found.subjects) == ("spine1", ("e1",))
    assert found.consequence.startswith("the link was up")


@pytest.mark.parametrize("known_from", [LinkSource.ADDRESS, LinkSource.DESCRIPTION])
def test_other_sources_do_not_state_a_link(known_from: LinkSource) -> None:
    assert problems_of(joined(*pair(), known_from)) == []


def test_ports_that_are_up_unknown_or_not_for_roce_are_no_fault() -> None:
    assert problems_of(joined(*pair(enabled=True))) == []
    assert problems_of(joined(*pair(enabled=None))) == []
    assert problems_of(joined(*pair(pauses=()))) == []
    leaf, spine = pair()
    leaf.interfaces["e1"].enabled = False
    assert problems_of(joined(leaf, spine)) == []


def test_a_roce_nic_at_the_other_end_is_enough() -> None:
    _, spine = pair()
    assert [found.device for found in problems_of(joined(host("gpu1", "eth0"), spine))] == [
        "spine1"
    ]
