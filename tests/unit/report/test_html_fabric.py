"""The page's drawing of the fabric and its tables of pairs: what they show, and how large they get."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.model.device import Role
from roce_lint.pipeline import pair_matrix
from roce_lint.pipeline.placement import Placement
from roce_lint.report import render
from roce_lint.report.html import diagram
from roce_lint.report.html.pods import around_rails
from tests.conftest import Within
from tests.unit.analysis.clos import SHAPES
from tests.unit.fabric import analysed, port, switch
from tests.unit.report.clos import built
from tests.unit.report.sample import OPTIONS
from tests.unit.report.test_html import Page, page

ERROR, WARNING = Severity.ERROR, Severity.WARNING

# -------------------------------------------------------------------------------- the drawing


def test_links_and_devices_show_what_stands_on_them() -> None:
    faults = [("leaf0-0", "Up1", ERROR), ("leaf0-1", "Host0-1", WARNING)]
    found = page(built(faults=faults))
    nodes = {
        title.split(":")[0]: (named["class"] or "").split()[1]
        for (_, named), title in zip(
            [t for t in found.tags if t[0] == "g" and "node" in (t[1].get("class") or "").split()],
            [text for tag, text in found.texts if tag == "title"][-10:],
            strict=True,
        )
    }
    assert nodes["leaf0-0 rail 1"] == "broken"
    assert nodes["leaf0-1 rail 2"] == "warned"
    assert nodes["spine0-1"] == "holds"
    titles = [text for tag, text in found.texts if tag == "title"]
    said = "leaf0-0 Up1 - spine0-1 Down0: PFC002; affects at least 43 % of the NIC pairs"
    assert said in titles
    assert "host0-0 eth1 - leaf0-1 Host0-1: PFC002" in titles
    assert len(found.all("path", class_="broken")) == 1 + 3  # the legend shows three
    assert len(found.all("path", class_="warned")) == 1 + 1


def test_few_devices_are_drawn_one_by_one() -> None:
    found = page(built(spines=2, leaves=4, hosts=8))
    assert len(found.all("g", class_="node")) == 14
    assert len([p for p in found.all("path") if p.get("data-k")]) == 8 + 16


def test_many_devices_are_drawn_in_groups() -> None:
    faults = [("leaf0-2", "Up0", ERROR), ("leaf1-5", "Up3", WARNING)]
    found = page(built(spines=8, leaves=32, hosts=64, pods=2, faults=faults))
    labels = [text for tag, text in found.texts if tag == "text"]
    assert "same findings share a box (208 devices, 10 boxes)" in found.read()
    assert labels.count("8 spines") == 2
    assert labels.count("16 leaves") == 2  # rail 1 of each pod without leaf0-2, rail 2 without ...
    assert labels.count("15 leaves") == 2
    assert "leaf0-2" in labels
    assert "leaf1-5" in labels
    assert labels.count("64 hosts") == 2
    (broken,) = [p for p in found.all("path", class_="broken") if p.get("data-k")]
    assert broken["data-f"] == "0"


def frames(found: Page, kind: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of the frames of a drawing."""
    rects = [rect for rect in found.all("rect") if rect.get("class") == kind]
    sides = [[float(rect[key] or 0) for key in ("x", "y", "width", "height")] for rect in rects]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


def boxes(found: Page) -> list[tuple[float, float, float, float]]:
    """Rectangles of nodes: those with rounded corners of their size."""
    rects = [rect for rect in found.all("rect") if rect.get("rx") == "5"]
    sides = [[float(rect[key] or 0) for key in ("x", "y", "width", "height")] for rect in rects]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


@pytest.mark.parametrize("leaves", [2, 4, 8])
def test_every_pod_has_a_frame(leaves: int) -> None:
    found = page(built(spines=2, leaves=leaves, rails=leaves, hosts=8, pods=3))
    framed = frames(found, "pod")
    labels = [text for tag, text in found.texts if tag == "text"]
    assert [label for label in labels if label.startswith("pod ")] == ["pod 1", "pod 2", "pod 3"]
    assert all(before[2] < after[0] for before, after in pairwise(framed))  # side by side
    for box in boxes(found):
        around = [f for f in framed if f[0] <= box[0] and box[2] <= f[2] and f[1] <= box[1] <= f[3]]
        assert len(around) <= 1
    assert (
        sum(
            any(f[0] <= b[0] <= f[2] and f[1] <= b[1] <= f[3] for f in framed) for b in boxes(found)
        )
        >= 6
    )


def test_one_pod_has_no_frame_and_leaves_with_their_hosts_are_no_pods() -> None:
    assert frames(page(built(leaves=4, rails=4)), "pod") == []
    assert frames(page(built(leaves=4, rails=1)), "pod") == []


def test_units_below_the_same_spines_are_no_pods() -> None:
    found = page(built(leaves=4, rails=2))
    labels = [text for tag, text in found.texts if tag == "text"]
    assert {"unit 1", "unit 2"} <= set(labels)
    (first, second) = frames(found, "pod")
    spines = [box for box in boxes(found) if box[1] < first[1]]
    assert len(spines) == 2
    assert first[2] < second[0]


def test_boxes_of_one_rail_have_a_frame() -> None:
    plan = Placement(built(leaves=4, rails=2), None)
    plan.unit = {}
    plan.rail = {"leaf0-0": 1, "leaf0-1": 1, "leaf0-2": 2, "leaf0-3": 1}
    row = [
        diagram.Node([name], 1, "holds", [], x=100.0 * n, width=80)
        for n, name in enumerate(plan.rail)
    ]
    (frame,) = around_rails(row, plan)
    assert (frame.label, frame.x, frame.width) == ("rail 1", -4, 188)
    plan.unit = {"leaf0-1": 2}
    assert around_rails(row, plan) == []


def test_what_breaks_more_pairs_is_drawn_darker() -> None:
    found = page(built(leaves=8, hosts=16, faults=[("leaf0-0", "Up1", ERROR)]))
    (node,) = [g for g in found.all("g", class_="broken") if "node" in (g["class"] or "").split()]
    assert "s2" in (node["class"] or "").split()
    assert "for half or more" in found.read()


def test_a_drawing_is_never_a_hairball(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagram, "LINES", 10)
    found = page(built(hosts=8, faults=[("leaf0-3", "Up0", ERROR)]))
    kept = [p for p in found.all("path") if p.get("data-k")]
    assert len(kept) == 10
    assert [p["data-f"] for p in kept if "broken" in (p["class"] or "").split()] == ["0"]
    assert "14 lines without fault not drawn." in found.read()


# ---------------------------------------------------------------------------------- the pairs


def cells(found: Page) -> list[str]:
    """States of all cells of all tables of pairs."""
    known = {"broken", "warned", "unknown", "holds", "none"}
    return [
        c for named in found.all("td") for c in (named.get("class") or "").split() if c in known
    ]


def test_a_table_has_the_pairs_that_the_finding_counts() -> None:
    made = built(faults=[("leaf0-0", "Host0-0", ERROR)])
    (finding,) = made.findings
    found = page(made)
    states = cells(found)
    assert finding.pairs is not None
    assert states.count("broken") == finding.pairs.hit
    assert len(states) - states.count("none") == finding.pairs.all == 56
    assert [c["data-f"] for c in found.all("td", class_="broken")] == ["0"] * finding.pairs.hit
    assert f"{finding.pairs.hit} broken" in found.read()


def test_a_finding_of_two_classes_is_in_the_table_of_one_of_them() -> None:
    made = built(faults=[("leaf0-0", "Host0-0", ERROR)])
    (own,) = made.analysis.data_classes
    other = replace(own, name="RoCE DSCP 34", dscps=(34,))
    made.analysis.classes = [*made.analysis.classes, other]
    both = f"RoCE DSCP {own.dscps[0]},34"
    made.findings = [replace(finding, traffic=both) for finding in made.findings]
    found = page(made)
    pairs = made.findings[0].pairs
    assert pairs is not None
    assert cells(found).count("broken") == pairs.hit


def test_broken_counts_before_not_known_and_that_before_warned() -> None:
    faults = [("leaf0-0", "Host0-0", ERROR), ("leaf0-1", "Up0", WARNING)]
    found = page(built(faults=faults, unread=("leaf0-1", "Host0-1")))
    assert set(cells(found)) == {"broken", "warned", "unknown", "holds", "none"}
    state = {
        (named["title"] or "").split(":")[0]: named["class"]
        for named in found.all("td")
        if named.get("title")
    }
    assert state["host0-0 mlx5_1 to host0-0 mlx5_0"] == "broken"  # and not known
    assert state["host0-0 mlx5_1 to host0-1 mlx5_0"] == "unknown"  # and warned of
    assert state["host0-2 mlx5_1 to host0-1 mlx5_0"] == "warned"
    assert state["host0-1 mlx5_1 to host0-3 mlx5_0"] == "holds"


def test_many_nics_are_told_by_leaf_and_then_by_rail() -> None:
    by_leaf = page(built(hosts=40, leaves=8, faults=[("leaf0-0", "Up0", ERROR)]))
    assert "Pairs by leaf" in by_leaf.read()
    assert cells(by_leaf).count("broken") == 7 + 7
    by_rail = page(built(hosts=100, leaves=50, faults=[("leaf0-0", "Host0-0", ERROR)]))
    assert "Pairs by rail" in by_rail.read()
    assert cells(by_rail) == ["broken", "broken", "broken", "holds"]
    assert [t for tag, t in by_rail.texts if tag == "th" and "rail" in t] == ["rail 1", "rail 2"]


def test_without_rails_many_leaves_are_told_by_unit_and_then_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analysis = SHAPES["3-tier"]().analysed()
    made = replace(built(), fabric=analysis.fabric, analysis=analysis, findings=[])
    monkeypatch.setattr(pair_matrix, "NICS", 2)
    monkeypatch.setattr(pair_matrix, "ROWS", 3)
    by_unit = page(made)
    assert "Pairs by unit" in by_unit.read()
    rows = [text for tag, text in by_unit.texts if tag == "th"][:2]
    assert rows == ["l00, l01", "l10, l11"]
    assert cells(by_unit) == ["holds"] * 4
    monkeypatch.setattr(pair_matrix, "ROWS", 1)
    together = page(made)
    assert "Pairs by network" in together.read()
    assert [text for tag, text in together.texts if tag == "th"][:1] == ["all"]
    assert cells(together) == ["holds"]


def test_pairs_of_switches_without_links_are_told_to_be_that() -> None:
    leaves = [switch(f"leaf{n}", role=Role.LEAF) for n in range(2)]
    for leaf in leaves:
        port(leaf, "e1")
        port(leaf, "e2")
    analysis = analysed(*leaves)
    found = page(replace(built(), fabric=analysis.fabric, analysis=analysis, findings=[]))
    assert (
        "No host with a link is known: a NIC is assumed behind every edge port. "
        "No link between switches is known: pairs are those of one switch each."
    ) in found.read()


def test_more_leaves_than_can_be_counted_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_matrix, "HOMES", 3)
    found = page(built())
    assert "More than 3 leaves: no table is drawn." in found.read()
    assert found.all("table", class_="matrix") == []


# ---------------------------------------------------------------------------- speed and size


@pytest.mark.deep
def test_a_large_fabric_with_a_thousand_findings_is_quick_and_small(within: Within) -> None:
    """256 switches, 1,024 hosts: under 3 s and 5 MB."""
    places = [
        (f"leaf{pod}-{leaf}", f"Up{up}", ERROR if up % 2 else WARNING)
        for pod in range(4)
        for leaf in range(48)
        for up in range(6)
    ]
    made = built(spines=16, leaves=48, hosts=256, pods=4, faults=places[:1000])
    assert len(made.findings) == 1000
    with within(3):
        text = render("html", made, OPTIONS)
    assert len(text.encode()) < 5_000_000
    assert text.count('<details class="finding ') == 1000
