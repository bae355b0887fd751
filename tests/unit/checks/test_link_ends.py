"""What the two ends of a cable, and the members of one channel, have to agree on."""

from __future__ import annotations

import pytest

from roce_lint.checks.link_ends import ends_incompatible
from roce_lint.engine.api import Given, NoParams, Outcome, Problem
from roce_lint.model.device import Device
from roce_lint.model.fabric import LinkSource
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.plan import RocePlan
from tests.unit.fabric import analysed, lines_of, port, switch


def pair() -> tuple[Device, Device]:
    made = switch("leaf1"), switch("spine1")
    for device in made:
        port(device, "e1")
    return made


def say(device: Device, name: str = "e1", **fields: object) -> Interface:
    """State fields of a port, each on a line of its own."""
    made = device.interfaces[name]
    for field, value in fields.items():
        setattr(made, field, value)
        made.at[field] = lines_of(device).next()
    return made


def found(leaf: Device, spine: Device, known_from: LinkSource = LinkSource.PLAN) -> list[Outcome]:
    analysis = analysed(leaf, spine, links=[((leaf, "e1"), (spine, "e1"))])
    (link,) = analysis.fabric.links
    link.known_from = known_from
    given = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    return list(ends_incompatible(link, given))


def test_stated_speeds_that_differ() -> None:
    leaf, spine = pair()
    mine, theirs = say(leaf, speed_gbps=400.0), say(spine, speed_gbps=100.0)
    (problem,) = found(leaf, spine)
    assert isinstance(problem, Problem)
    assert (problem.device, problem.value) == ("leaf1", "400 Gb/s/100 Gb/s")
    assert [w.position for w in problem.at] == [mine.at["speed_gbps"], theirs.at["speed_gbps"]]


def test_the_end_that_is_odd_on_its_own_device_is_to_blame() -> None:
    leaf, spine = pair()
    port(spine, "e2")
    say(leaf, fec=Fec.RS)
    say(spine, fec=Fec.NONE)
    say(spine, "e2", fec=Fec.RS)
    (problem,) = found(leaf, spine)
    assert isinstance(problem, Problem)
    assert (problem.device, problem.subjects) == ("spine1", ("e1",))


@pytest.mark.parametrize(
    ("leaf", "spine"),
    [
        ({"fec": Fec.RS}, {"fec": Fec.AUTO}),
        ({"fec": Fec.RS}, {}),
        ({"fec": Fec.RS}, {"fec": Fec.RS}),
        ({"speed_gbps": 400.0}, {"speed_gbps": 100.0, "autoneg": True}),
        ({"speed_gbps": 400.0, "fec": Fec.NONE}, {"speed_gbps": 400.0}),
    ],
)
def test_nothing_is_said_where_the_ends_may_fit(
    leaf: dict[str, object], spine: dict[str, object]
) -> None:
    one, other = pair()
    say(one, **leaf)
    say(other, **spine)
    assert found(one, other) == []


def test_a_default_is_no_statement() -> None:
    leaf, spine = pair()
    say(leaf, fec=Fec.RS)
    spine.interfaces["e1"].fec = Fec.NONE
    assert found(leaf, spine) == []


def test_a_speed_that_differs_explains_the_fec() -> None:
    leaf, spine = pair()
    say(leaf, speed_gbps=400.0, fec=Fec.RS)
    say(spine, speed_gbps=25.0, fec=Fec.FC)
    assert [p.value for p in found(leaf, spine) if isinstance(p, Problem)] == ["400 Gb/s/25 Gb/s"]


def test_an_inferred_link_is_said_to_be_assumed() -> None:
    leaf, spine = pair()
    say(leaf, speed_gbps=400.0)
    say(spine, speed_gbps=100.0)
    (problem,) = found(leaf, spine, LinkSource.ADDRESS)
    assert isinstance(problem, Problem)
    assert problem.assumed == "the link is assumed from addresses or descriptions"
