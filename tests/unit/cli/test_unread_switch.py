"""A switch named by others, without a file: drawn, counted and named as such."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.cli.conftest import Run
from tests.unit.report.test_html import Page

CLEAN = ROOT / "sample_configs" / "clean-fabric"

PLAN = """\
- [leaf1:Ethernet31/1, spine1:Ethernet0]
- [leaf2:Ethernet1/31, spine1:Ethernet8]
- [leaf3:Ethernet240, spine1:Ethernet16]
- [leaf4:Ethernet1/31, spine1:Ethernet24]
- [leaf5:et-0/0/30, spine1:Ethernet32]
- [leaf6:swp31, spine1:Ethernet40]
"""

pytestmark = pytest.mark.usefixtures("cached")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The clean fabric without the file of spine1, which the cable plan names."""
    made = tmp_path / "fabric"
    shutil.copytree(CLEAN, made)
    (made / "switches" / "spine1.json").unlink()
    (made / "links.yaml").write_text(PLAN)
    return made


def page_of(run: Run, folder: Path) -> Page:
    done = run("check", str(folder), "--format", "html", "-q")
    assert done.exit_code in (0, 1), done.stderr
    return Page(done.stdout)


def nodes(page: Page) -> dict[str, str]:
    """Classes of the nodes of the drawing, by label."""
    titles = iter([text for tag, text in page.texts if tag == "title"])
    classes = [n["class"] or "" for t, n in page.tags if t in ("g", "path") and n.get("data-k")]
    return dict(zip(list(titles)[1:], classes, strict=True))


def names_at(page: Page) -> dict[str, str | None]:
    """Vertical position of every text of the drawing."""
    texts = [text for tag, text in page.texts if tag == "text"]
    named = [attributes for tag, attributes in page.tags if tag == "text"]
    return {text: each["y"] for text, each in zip(texts, named, strict=True)}


def test_it_is_drawn_as_what_nothing_was_read_of(run: Run, folder: Path) -> None:
    page = page_of(run, folder)
    drawn = nodes(page)
    (title,) = [text for text in drawn if text.startswith("spine1 ")]
    assert title == ("spine1 no configuration: not checked")
    assert drawn[title] == "node unknown unread"
    cables = {text: words for text, words in drawn.items() if " - spine1 " in text}
    assert set(cables.values()) == {"edge unknown"}
    assert sorted(cables) == [
        "leaf1 Ethernet31/1 - spine1 Ethernet0",
        "leaf2 Ethernet1/31 - spine1 Ethernet8",
        "leaf3 Ethernet240 - spine1 Ethernet16",
        "leaf4 Ethernet1/31 - spine1 Ethernet24",
        "leaf5 et-0/0/30 - spine1 Ethernet32",
        "leaf6 swp31 - spine1 Ethernet40",
    ]
    assert ("text", "no configuration") in page.texts
    said = page.read()
    assert "No configuration for spine1; paths through them are not checked." in said
    tiers = [text for tag, text in page.texts if tag == "text"][:3]
    assert tiers == ["spines", "leaves", "hosts"]  # beside spine2, and no tier of its own


def test_pairs_that_may_go_through_it_are_not_known(run: Run, folder: Path) -> None:
    page = page_of(run, folder)
    cells = {
        named["title"]: named["class"]
        for named in page.all("td")
        if named.get("title") and "mlx5_0 to" in (named["title"] or "")
    }
    pair = "gpu01 mlx5_0 to gpu05 mlx5_0: unknown: missing the configuration of spine1"
    assert cells[pair] == "unknown"
    assert cells["gpu01 mlx5_0 to gpu02 mlx5_0: holds"] == "holds"  # below one leaf
    # 22 NICs on six leaves of 4, 4, 4, 4, 3 and 3: all pairs but those below one leaf.
    below_one = 4 * (4 * 3) + 2 * (3 * 2)
    unknown = sum(1 for named in page.all("td", class_="unknown")) // 2  # data, and CNP
    assert unknown == 22 * 21 - below_one


def test_the_witness_says_which_file_would_settle_it(run: Run, folder: Path) -> None:
    leaf = folder / "switches" / "leaf3.json"
    data = json.loads(leaf.read_text())
    data["PORT_QOS_MAP"]["Ethernet240"]["pfc_enable"] = "4"
    leaf.write_text(json.dumps(data, indent=4))
    done = run("check", str(folder), "--format", "json", "-q")
    (finding,) = [
        f for f in json.loads(done.stdout)["findings"] if f["subjects"] == ["Ethernet240"]
    ]
    hops = {hop["device"]: hop for hop in finding["impact"]["path"]}
    assert hops["spine1"]["missing"] == "the configuration of spine1"
    place = hops["spine1"]["place"]
    assert (place["file"], place["line"]) == ("links.yaml", 1)
    assert {hop["missing"] for name, hop in hops.items() if name != "spine1"} == {""}
    text = run("check", str(folder), "-q").stdout
    assert re.search(r"> spine1 \(no configuration\) >", text)
    page = page_of(run, folder)
    assert "unknown; missing: the configuration of spine1" in page.read()


def test_a_leaf_that_only_hosts_hear_is_drawn_below_the_spines(run: Run, folder: Path) -> None:
    (folder / "switches" / "leaf6.yaml").unlink()
    page = page_of(run, folder)
    drawn = nodes(page)
    unread = sorted(text.split()[0] for text, words in drawn.items() if "unread" in words)
    assert unread == ["leaf6", "spine1"]
    assert "leaf6, spine1; paths through them" in page.read()
    heights = names_at(page)
    assert heights["leaf6"] == heights["leaf1"]


def test_a_leaf_that_spines_hear_stands_with_the_leaves(run: Run, folder: Path) -> None:
    """Its role is not stated: its name is like the others."""
    (folder / "switches" / "leaf2.cfg").unlink()
    shutil.rmtree(folder / "hosts")
    text = "- [leaf2:Ethernet1/32, spine2:Ethernet2/1]\n"
    (folder / "links.yaml").write_text(PLAN + text)
    page = page_of(run, folder)
    heights = names_at(page)
    assert heights["leaf2"] == heights["leaf1"] != heights["spine2"]


def test_a_nic_behind_it_is_told_what_is_missing(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "fabric"
    shutil.copytree(CLEAN, folder)
    (folder / "switches" / "leaf3.json").unlink()
    (folder / "links.yaml").write_text("- [gpu05:ens1f0np0, leaf3:Ethernet0]\n")
    trace = ("trace", str(folder), "--from", "gpu01")
    for nic in ("ens1f0np0", "mlx5_0"):
        done = run(*trace, "--to", f"gpu05:{nic}")
        assert (done.exit_code, done.stderr.strip()) == (
            2,
            f"roce-lint: the peer of gpu05:{nic} is unknown (missing: the configuration of leaf3)",
        )
    done = run(*trace, "--to", "gpu05:mlx5_9")
    assert done.stderr.strip() == ("roce-lint: gpu05 has no RoCE NIC mlx5_9 (known: mlx5_1)")
    shutil.rmtree(folder / "switches")
    done = run(*trace, "--to", "gpu05")
    assert done.stderr.strip().startswith("roce-lint: gpu01 has no RoCE NIC with a known link")
    done = run("trace", str(folder), "--from", "gpu05", "--to", "gpu01")
    assert done.stderr.strip() == (
        "roce-lint: gpu05 has no RoCE NIC with a known link "
        "(missing: the configuration of leaf3 and the configuration of leaf4)"
    )
    report = json.loads(run("check", str(folder), "--format", "json").stdout)
    missing = {
        each["missing"]
        for each in report["unknowns"]
        if each["device"] == "gpu05" and each["rule"] == "PFC002"
    }
    assert "the configuration of leaf3" in missing


def test_all_that_are_missing_are_one_input(run: Run, tmp_path: Path) -> None:
    """A line for each would be hundreds where only hosts are in the folder."""
    shutil.copytree(CLEAN / "hosts", tmp_path / "hosts")
    done = run("check", str(tmp_path), "-j", "1")
    said = [
        line.strip() for line in done.output.splitlines() if "the configuration of leaf1-6" in line
    ]
    rules = "LNK002, LNK005, LNK008, LNK011, LNK012, MTU002, MTU003, MTU009, PFC002"
    assert said == [f"22 ports: the configuration of leaf1-6: needed for {rules}"]


def test_addresses_stay_whole(run: Run, tmp_path: Path) -> None:
    for host, leaf in (("gpu01", "aaa"), ("gpu02", "10.0.0.1")):
        shutil.copytree(CLEAN / "hosts" / host, tmp_path / host)
        for path in (tmp_path / host).iterdir():
            path.write_text(re.sub(r"\bleaf[12]\b[.\w]*", leaf, path.read_text()))
    done = run("check", str(tmp_path), "-j", "1")
    (said,) = (line for line in done.output.splitlines() if "ports: the configuration of" in line)
    assert "4 ports: the configuration of 10.0.0.1, aaa: needed for " in said
