"""TOP001 with route policies, in the syntax of every system that has them."""

from __future__ import annotations

import importlib
import re

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.valleys import loop_free_tiers
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from roce_lint.nos.base import Nos
from tests.fabrics.route_designs import DESIGNS, RENDER
from tests.nos.reader import read
from tests.unit.checks.clos import Clos, clos
from tests.unit.checks.judging import judged, values
from tests.unit.fabric import fabric as linked

PREVENTED = {
    "own routes only",
    "tagged, refused going up",
    "spines tag, leaves refuse",
    "own prefixes only",
    "refused by the number of the other spine",
}
NOT_KNOWN = {
    "a condition that is not followed": r"route-map UP (?:rule 10 |deny)|UP term 1",
    "not defined": r"route-map UP\b|export UP",
}
"""Designs with an unknown result, and the line that is shown."""


def of_system(nos: str) -> Nos:
    found: Nos = importlib.import_module(f"roce_lint.nos.{nos}").NOS
    return found


def graft(device: Device, text: str, nos: str) -> None:
    """Give a synthetic switch the BGP of a configuration."""
    stated = read(of_system(nos), text, RENDER[nos][1])
    assert [note.message for note in stated.notes] == []
    assert stated.routing is not None
    device.routing, device.asn, device.src = stated.routing, stated.asn, stated.src
    device.at = {**device.at, "asn": stated.at["asn"]}


def fabric(nos: str, design: str, *, but_for: int = 0) -> Clos:
    """Four leaves of AS 1 to 4 below two spines of AS 101 and 102; the last `but_for` leaves have
    no policies.
    """
    made = clos()
    render = RENDER[nos][0]
    for n, leaf in enumerate(made.leaves, 1):
        leaf.interfaces["host"].addresses = (f"10.200.{n}.1/24",)
        peers = {f"10.{m}.0.{2 * n}": 100 + m for m in (1, 2)}
        own = design if n <= len(made.leaves) - but_for else "none"
        graft(leaf, render(n, peers, own, leaf=True), nos)
    for m, spine in enumerate(made.spines, 1):
        peers = {f"10.{m}.0.{2 * n + 1}": n for n in range(1, 5)}
        graft(spine, render(100 + m, peers, design, leaf=False), nos)
    return made


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("nos", RENDER)
def test_what_policies_do_decides(nos: str, design: str) -> None:
    made = fabric(nos, design)
    found = judged("TOP001", *made.devices, links=made.links)
    messages = [finding.message for finding in found.findings]
    if design in PREVENTED or design in NOT_KNOWN:
        assert messages == []
    else:
        assert len(messages) == 1
        assert values(messages[0]).startswith("spine1 leaf1 spine2")
    lines = [place.line for unknown in found.unknowns for place in unknown.locations]
    if design not in NOT_KNOWN:
        assert lines == []
        return
    (line,) = lines
    text = RENDER[nos][0](1, {"10.1.0.2": 101, "10.2.0.2": 102}, design, leaf=True)
    assert re.search(NOT_KNOWN[design], text.splitlines()[line - 1])


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("nos", RENDER)
def test_the_reason_for_separate_routes_is_reported(nos: str, design: str) -> None:
    made = fabric(nos, design)
    joined = linked(*made.devices, links=made.links)
    found = loop_free_tiers(joined, analyse(joined, RocePlan()))
    if design not in PREVENTED:
        assert found == []
        return
    (kept,) = found
    assert kept.switches == ["spine1", "spine2"]
    devices = {device.src: device.hostname for device in made.devices}
    owners = {devices[where.src] for where in kept.where}
    wanted = made.spines if design.startswith("refused by") else made.leaves
    assert owners == {device.hostname for device in wanted}


@pytest.mark.parametrize("nos", RENDER)
def test_leaves_that_were_forgotten_are_found(nos: str) -> None:
    """Two leaves without the policy are enough for a cycle; one is not."""
    one, two = (
        judged("TOP001", *made.devices, links=made.links).findings
        for made in (fabric(nos, "own routes only", but_for=n) for n in (1, 2))
    )
    assert list(one) == []
    (finding,) = two
    assert values(finding.message).startswith("spine1 leaf3 spine2")


@pytest.mark.parametrize("nos", ["eos", "nxos"])
def test_a_community_that_is_not_sent_settles_nothing(nos: str) -> None:
    design = "spines tag, leaves refuse"
    made = fabric(nos, design)
    for spine in made.spines:
        for session in spine.routing.sessions.values() if spine.routing else ():
            session.sends_communities = None
    found = judged("TOP001", *made.devices, links=made.links)
    assert list(found.findings) == []
    (unknown,) = found.unknowns
    text = RENDER[nos][0](1, {"10.1.0.2": 101, "10.2.0.2": 102}, design, leaf=True)
    line = unknown.locations[0].line
    assert text.splitlines()[line - 1] == "route-map UP deny 10"


def test_sonic_leaves_its_policies_to_other_files() -> None:
    """Its table has the sessions; its route maps are in the files of the daemon."""
    made = clos()
    for number, device in enumerate([*made.leaves, *made.spines], 1):
        leaf = device in made.leaves
        n = number if leaf else number - 4
        peers = (
            {f"10.{m}.0.{2 * n}": 100 + m for m in (1, 2)}
            if leaf
            else {f"10.{n}.0.{2 * k + 1}": k for k in range(1, 5)}
        )
        rows = ",\n".join(f'    "{peer}": {{"asn": "{asn}"}}' for peer, asn in peers.items())
        text = (
            '{"DEVICE_METADATA": {"localhost": {"hostname": "x", "type": "ToRRouter",\n'
            f'   "bgp_asn": "{n if leaf else 100 + n}"}}}},\n'
            f'  "BGP_NEIGHBOR": {{\n{rows}\n}}}}\n'
        )
        stated = read(of_system("sonic"), text, "config-db")
        device.routing, device.asn, device.src = stated.routing, stated.asn, stated.src
        device.at = {**device.at, "asn": stated.at["asn"]}
    found = judged("TOP001", *made.devices, links=made.links)
    assert list(found.findings) == []
    (unknown,) = found.unknowns
    assert unknown.locations[0].path.startswith("BGP_NEIGHBOR|")
