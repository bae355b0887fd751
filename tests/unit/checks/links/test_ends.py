"""Agreement between the ends of a cable, and between members of a channel."""

from __future__ import annotations

import pytest

from roce_lint.checks.links.ends import channel_members_differing, speed_or_fec_differing_on_link
from roce_lint.engine.api import Given, NoParams, Outcome, Problem
from roce_lint.model.device import Device
from roce_lint.model.fabric import LinkSource
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import QueueKind, Scheduler, SchedulerKind
from tests.unit.checks.judging import outcomes_of
from tests.unit.fabric import analysed, egress, host, lines_of, port, switch


def pair() -> tuple[Device, Device]:
    made = switch("leaf1"), switch("spine1")
    for device in made:
        port(device, "e1")
    return made


def set_fields(device: Device, name: str = "e1", **fields: object) -> Interface:
    """Set fields of a port, each with a new line."""
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
    return list(speed_or_fec_differing_on_link(link, given))


def test_stated_speeds_that_differ() -> None:
    leaf, spine = pair()
    mine, theirs = set_fields(leaf, speed_gbps=400.0), set_fields(spine, speed_gbps=100.0)
    (problem,) = found(leaf, spine)
    assert isinstance(problem, Problem)
    assert (problem.device, problem.value) == ("leaf1", "400 Gb/s/100 Gb/s")
    assert [w.position for w in problem.at] == [mine.at["speed_gbps"], theirs.at["speed_gbps"]]


def test_the_end_that_is_odd_on_its_own_device_is_to_blame() -> None:
    leaf, spine = pair()
    port(spine, "e2")
    set_fields(leaf, fec=Fec.RS)
    set_fields(spine, fec=Fec.NONE)
    set_fields(spine, "e2", fec=Fec.RS)
    (problem,) = found(leaf, spine)
    assert isinstance(problem, Problem)
    assert (problem.device, problem.subjects) == ("spine1", ("e1",))


@pytest.mark.parametrize("odd_host", [True, False])
def test_a_host_of_one_nic_is_compared_with_other_hosts(odd_host: bool) -> None:
    """And the leaf's port with its other ports to hosts: each has but one cable to the other."""
    leaf = switch("leaf1", marked=(3,))
    hosts = [host(f"gpu{n}", "ens1", sends=26) for n in range(3)]
    links = []
    for n, gpu in enumerate(hosts):
        port(leaf, f"e{n}")
        set_fields(leaf, f"e{n}", speed_gbps=100.0 if n == 1 and not odd_host else 400.0)
        set_fields(gpu, "ens1", speed_gbps=100.0 if n == 1 and odd_host else 400.0)
        links.append(((leaf, f"e{n}"), (gpu, "ens1")))
    analysis = analysed(leaf, *hosts, links=links)
    given = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    told = outcomes_of(speed_or_fec_differing_on_link, given)
    (problem,) = [each for each in told if isinstance(each, Problem)]
    assert (problem.device, problem.subjects) == (
        ("gpu1", ("ens1",)) if odd_host else ("leaf1", ("e1",))
    )


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
    set_fields(one, **leaf)
    set_fields(other, **spine)
    assert found(one, other) == []


def test_a_default_is_no_statement() -> None:
    leaf, spine = pair()
    set_fields(leaf, fec=Fec.RS)
    spine.interfaces["e1"].fec = Fec.NONE
    assert found(leaf, spine) == []


def test_a_speed_that_differs_explains_the_fec() -> None:
    leaf, spine = pair()
    set_fields(leaf, speed_gbps=400.0, fec=Fec.RS)
    set_fields(spine, speed_gbps=25.0, fec=Fec.FC)
    assert [p.value for p in found(leaf, spine) if isinstance(p, Problem)] == ["400 Gb/s/25 Gb/s"]


@pytest.mark.parametrize(
    ("source", "assumed"),
    [
        (LinkSource.ADDRESS, False),
        (LinkSource.REUSED_ADDRESS, True),
        (LinkSource.DESCRIPTION, True),
    ],
)
def test_a_link_by_description_or_reused_address_is_assumed(
    source: LinkSource, assumed: bool
) -> None:
    leaf, spine = pair()
    set_fields(leaf, speed_gbps=400.0)
    set_fields(spine, speed_gbps=100.0)
    (problem,) = found(leaf, spine, source)
    assert isinstance(problem, Problem)
    assert bool(problem.assumed) is assumed


def channel(*odd: int) -> Device:
    """A leaf with three members of one channel; those in `odd` have maps of their own."""
    made = switch("leaf1", dscps={26: 3}, marked=(3,))
    other = switch("other", dscps={26: 5}, marked=(3,))
    made.qos.classifiers["odd"] = other.qos.classifiers["map"]
    for number in range(3):
        port(made, f"e{number}", classifier="odd" if number in odd else "map").lag = "po1"
    return made


def differing(device: Device) -> list[Problem]:
    analysis = analysed(device)
    given = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    return [p for p in outcomes_of(channel_members_differing, given) if isinstance(p, Problem)]


def test_the_member_that_differs_from_most_is_told_once_at_the_first_step() -> None:
    device = channel(1)
    (found,) = differing(device)
    assert (found.subjects, found.traffic) == (("e1",), "RoCE DSCP 26")
    assert found.value == "puts it into class 5/puts it into class 3"
    classifiers = device.qos.classifiers
    assert [where.position for where in found.at] == [
        classifiers["odd"].dscp_to_tc.at[26],
        classifiers["map"].dscp_to_tc.at[26],
    ]


def test_members_that_agree_or_have_no_channel_are_no_fault() -> None:
    assert differing(channel()) == []
    device = channel(1)
    device.interfaces["e1"].lag = "po2"
    assert differing(device) == []


def test_what_is_not_known_is_not_compared() -> None:
    device = channel()
    device.interfaces["e1"].qos = None
    assert differing(device) == []


def test_members_that_are_served_differently() -> None:
    device = channel()
    lines = lines_of(device)
    device.qos.egress["own"] = egress(lines, marked=(3,))
    for name, share in (("out", 50.0), ("own", 14.0)):
        queue = device.qos.egress[name].queues[QueueKind.UNICAST, 3]
        queue.scheduler = Scheduler(
            kind=SchedulerKind.WEIGHTED, share=share, src=lines.src, at={"share": lines.next()}
        )
    device.interfaces["e2"].qos.egress = "own"
    (found,) = differing(device)
    assert (found.subjects, found.value) == (
        ("e2",),
        "serves it by share, 14/serves it by share, 50",
    )


@pytest.mark.parametrize(
    ("pauses", "values"),
    [
        ((3, 4), ["pauses it with priority 4/pauses it with priority 3"]),
        ((), []),  # a priority that is not paused is of no matter
    ],
)
def test_priorities_count_where_the_class_is_paused(
    pauses: tuple[int, ...], values: list[str]
) -> None:
    device = switch("leaf1", dscps={26: 3}, priorities={3: 3}, marked=(3,))
    other = switch("other", priorities={3: 4})
    device.qos.forwardings["own"] = other.qos.forwardings["maps"]
    for number in range(3):
        port(device, f"e{number}", pauses=pauses).lag = "po1"
    qos = device.interfaces["e1"].qos
    assert qos is not None
    qos.forwarding = "own"
    assert [found.value for found in differing(device)] == values
