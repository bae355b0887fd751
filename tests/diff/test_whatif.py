"""`roce-lint whatif`: resolved, new and remaining findings of a change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.conftest import ROOT
from tests.metamorphic.snapshot import sample

CLEAN = str(ROOT / "sample_configs" / "clean-fabric")
BROKEN = str(ROOT / "sample_configs" / "broken-fabric")


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["whatif", *map(str, words)])


def answer(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--format", "json").stdout)
    return found


def stands(findings: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {
        (finding["rule"], occurrence["device"], subject)
        for finding in findings
        for occurrence in finding["occurrences"]
        for subject in occurrence["subjects"]
    }


def test_a_value_on_one_port() -> None:
    done = run(CLEAN, "--set", "leaf2:Ethernet1/31 ip_mtu=1500")
    assert done.exit_code == 1
    assert "would be resolved: 0 findings\n" in done.stdout
    assert "would be new: 1 finding\n" in done.stdout
    assert "would remain: 0 findings\n" in done.stdout
    assert "<what if>:1: error MTU001" in done.stdout
    assert "<what if>:1    what if: leaf2:Ethernet1/31 ip_mtu=1500" in done.stdout
    found = answer(CLEAN, "--set", "leaf2:Ethernet1/31 ip_mtu=1500")
    assert found["changes"] == [
        {"path": "leaf2 interfaces[Ethernet1/31].ip_mtu", "old": "9216", "new": "1500",
         "from": "--set", "text": "leaf2:Ethernet1/31 ip_mtu=1500"}
    ]  # fmt: skip
    (finding,) = found["new"]
    assert (finding["rule"], finding["impact"]["pairs_broken"] > 0) == ("MTU001", True)
    assert finding["locations"][0]["file"] == "<what if>"


def test_what_is_gone_and_what_stays() -> None:
    found = answer(BROKEN, "--set", "leaf2:Ethernet1/31 ip_mtu=9216")
    assert ("MTU001", "leaf2", "Ethernet1/31") in stands(found["gone"])
    assert ("MTU001", "leaf2", "Ethernet1/31") not in stands(found["stays"])
    assert stands(found["new"]) == set()
    before = {f["fingerprint"] for f in _checked(BROKEN)}
    kept = {f["fingerprint"] for f in found["stays"]} | {f["fingerprint"] for f in found["gone"]}
    assert before == kept


def _checked(path: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli, ["check", path, "--format", "json"])
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


def test_a_change_that_changes_nothing() -> None:
    done = run(CLEAN, "--set", "leaf2:Ethernet1/31 ip_mtu=9216")
    assert done.exit_code == 0
    assert "would be new: 0 findings" in done.stdout


def test_many_ports_at_once() -> None:
    found = answer(CLEAN, "--set", "leaf*:Ethernet*/1 speed=800G")
    paths = {change["path"] for change in found["changes"]}
    assert "leaf1 interfaces[Ethernet31/1].speed_gbps" in paths
    assert not any(path.startswith("spine") for path in paths)
    assert len(paths) > 30


def test_objects_by_name() -> None:
    path = "leaf3 interfaces[Ethernet240].qos.ingress_buffer.groups[3]"
    name = "pg_lossless_400000_5m_profile"
    found = answer(CLEAN, "--set", f"leaf3:Ethernet240 groups[3]={name}")
    ((change,), (new,)) = found["changes"], found["new"]
    assert (change["path"], change["new"]) == (path, name)
    assert change["old"] == "pg_lossless_400000_40m_profile"
    assert (new["rule"], new["locations"][0]["file"]) == ("BUF006", "<what if>")
    found = answer(CLEAN, "--set", "leaf3:Ethernet24* queues[3].scheduler=scheduler.2")
    (finding,) = (f for f in found["new"] if f["rule"] == "CLS005")
    assert finding["locations"][0]["path"] == "SCHEDULER|scheduler.2|type"  # of the object itself
    marking = "leaf3:Ethernet240 qos.egress.queues[{}].marking={}"
    found = answer(CLEAN, "--set", marking.format(3, "AZURE_LOSSLESS"))
    assert (found["new"], found["gone"]) == ([], [])
    found = answer(CLEAN, "--set", marking.format(3, "unset"))
    assert found["new"] != []


def test_the_length_of_a_cable_is_told_to_both_ends() -> None:
    found = answer(CLEAN, "--set", "leaf3:Ethernet240 cable=300m")
    assert {change["path"] for change in found["changes"]} == {
        "leaf3 interfaces[Ethernet240].cable_m",
        "spine1 interfaces[Ethernet16].cable_m",
        "leaf3 links[Ethernet240].cable_m",
    }
    assert {rule for rule, *_ in stands(found["new"])} == {"BUF011"}


def test_a_link_that_is_cut() -> None:
    done = run(CLEAN, "--cut", "leaf1:Ethernet31/1", "--cut", "leaf1:Ethernet32/1")
    assert "cut leaf1:Ethernet31/1" in done.stdout
    found = answer(CLEAN, "--cut", "leaf1:Ethernet31/1")
    assert found["cut"] == ["leaf1:Ethernet31/1"]


def test_a_file_of_changes(tmp_path: Path) -> None:
    file = tmp_path / "changes.yaml"
    file.write_text("leaf2:Ethernet1/31 ip_mtu: 1500\nleaf1:Ethernet1/1 pfc.generate: [3, 4]\n")
    found = answer(CLEAN, "--file", file)
    assert [(c["new"], c["from"]) for c in found["changes"]] == [
        ("1500", f"{file}:1"), ("3-4", f"{file}:2"),
    ]  # fmt: skip
    file.write_text("- leaf2:Ethernet1/31 ip_mtu=1500\n- leaf2:Ethernet1/31 ip_mtu=many\n")
    done = run(CLEAN, "--file", file)
    assert done.exit_code == 2
    assert f"{file}:2: ip_mtu takes a size in bytes" in done.stderr
    file.write_text("leaf1:Ethernet1/1 mtu: 1\nleaf1:Ethernet1/1 mtu: 2\n")
    done = run(CLEAN, "--file", file)
    assert (done.exit_code, "the last one counts" in done.stderr) == (2, False)
    assert f'{file}:2: "leaf1:Ethernet1/1 mtu" comes again' in done.stderr
    file.write_text('- leaf1:Ethernet1/1 mtu=1\n\n- "leaf*:Ethernet1/1 mtu=2"\n')
    done = run(CLEAN, "--file", file)
    assert done.exit_code == 2
    assert f"{file}:1: leaf1:Ethernet1/1 mtu=1" in done.stderr
    assert f"{file}:3: leaf*:Ethernet1/1 mtu=2" in done.stderr
    for text in ("- [1, 2]\n", "7\n", "a: [\n", "- 3\n"):
        file.write_text(text)
        done = run(CLEAN, "--file", file)
        assert (done.exit_code, str(file) in done.stderr) == (2, True), text
    assert run(CLEAN, "--file", tmp_path / "none.yaml").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no change is given"),
        (["--set", "leaf1:Ethernet1/1"], "is not PATH=VALUE"),
        (["--set", "leaf1:Ethernet1/1=3"], "names no field"),
        (["--set", "leaf1:Ethernet1/1 ip_mut=3"], "ip_mtu"),
        (["--set", "leaf1:Ethernet1/1 ip_mtu=big"], "ip_mtu takes a size in bytes"),
        (["--set", "leaf9:Ethernet1/1 ip_mtu=1500"], "no device leaf9"),
        (["--set", "leaf1:Ethernet99/1 ip_mtu=1500"], "no port Ethernet99/1"),
        (["--set", "leaf1 links[Ethernet9/1].cable=3m"], "no link is known"),
        (["--cut", "leaf1:Ethernet9/1"], "no link is known"),
        (["--cut", "leaf9:Ethernet9/1"], "no device leaf9"),
        (["--cut", "leaf1:Ethernet99/1"], "no port Ethernet99/1"),
        (["--cut", "leaf1"], "DEVICE:PORT"),
        (["--set", "leaf1 qos.egress[ROCE-FABRICS].queues[3].marking.kmin=1MB"],
         "has no egress[ROCE-FABRICS] (there are ROCE-FABRIC"),
        (["--set", "leaf1 qos.egress[NO*].queues[3].marking.kmin=1MB"],
         "egress[NO*].queues[3].marking.kmin: unknown name"),
        (["--set", "leaf1:Ethernet1/1 qos.egress.queues[99].marking.kmin=1MB"],
         "leaf1 has no queues[99] (there are "),
        (["--set", "leaf3:Ethernet240 groups[3]=pg_lossless"],
         "has no BufferProfile 'pg_lossless' (the nearest are pg_lossless_400000_5m_profile, "),
        (["--set", "leaf3:Ethernet240 queues[3].scheduler=AZURE_LOSSLESS"],
         "has no Scheduler 'AZURE_LOSSLESS' (the nearest are scheduler."),
        (["--set", "leaf3:Ethernet240 groups=pg_lossless_400000_5m_profile"],
         "groups takes no value"),
        (["--set", "leaf1:Ethernet1/1 ip_mtu=1500", "--set", "leaf*:Ethernet*/1 ip_mtu=9000"],
         "leaf*:Ethernet*/1 ip_mtu=9000"),
    ],
)  # fmt: skip
def test_wrong_use_is_said(words: list[str], said: str) -> None:
    done = run(CLEAN, *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_contradictions_name_both() -> None:
    words = ("--set", "leaf1:Ethernet1/1 mtu=1500", "--set", "leaf*:Ethernet1/1 ip_mtu=9000")
    error = run(CLEAN, *words).stderr
    assert "leaf1:Ethernet1/1 mtu=1500" in error
    assert "leaf*:Ethernet1/1 ip_mtu=9000" in error
    assert run(CLEAN, words[0], words[1], words[0], words[1]).exit_code == 1  # twice the same


def test_fail_on() -> None:
    words = (CLEAN, "--set", "leaf2:Ethernet1/31 ip_mtu=1500", "--fail-on")
    assert run(*words, "never").exit_code == 0
    assert run(*words, "info").exit_code == 1


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for name in ("leaf1.cfg", "leaf3.json"):
        text = sample("clean-fabric")[f"switches/{name}"]
        (tmp_path / name).write_text(text[: len(text) // 2] if name == "leaf3.json" else text)
    assert run(tmp_path, "--set", "leaf1:Ethernet31/1 ip_mtu=9100").exit_code == 3


def test_a_neighbour_that_is_renamed_moves_its_link() -> None:
    found = answer(CLEAN, "--set", "leaf3:Ethernet248 neighbors[0].names=Ethernet4/1")
    assert {f["rule"] for f in found["new"]} >= {
        f["rule"] for f in _checked(BROKEN)
        if f["device"] == "leaf3" and "Ethernet248" in f["subjects"]
    }  # fmt: skip


def test_changes_without_an_end_are_refused() -> None:
    words = [
        "whatif",
        "--file",
        "/dev/zero",
        str(ROOT / "sample_configs/clean-fabric"),
        "--no-cache",
    ]
    done = CliRunner().invoke(cli, words, prog_name="roce-lint")
    assert (done.exit_code, done.stderr) == (2, "roce-lint: /dev/zero: larger than 4 MiB\n")
