"""Drift from golden: only what an intent states is compared, by what ports do, with both lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.intent.schema import IntentSchema
from roce_lint.pipeline import drift
from tests.conftest import Golden

INTENT = """\
fabric:
  devices:
    leaf1: {role: leaf, nos: eos, asn: 65001, fec: rs}
    spine1: {role: spine, nos: eos, asn: 65100}
    spine2: {role: spine, nos: eos, asn: 65100}
  links:
    - {a: leaf1:Ethernet31/1, b: spine1:Ethernet1/1, speed_gbps: 400}
    - {a: leaf1:Ethernet32/1, b: spine2:Ethernet1/1, speed_gbps: 400}
mtu: 9214
classes:
  roce:
    {dscp: [24, 25, 26, 27, 28, 29, 30, 31], pfc_priority: 3, lossless: true, marked: true, share_percent: 60}
  cnp: {flow: cnp, dscp: [48, 49, 50, 51, 52, 53, 54, 55], pfc_priority: 6, lossless: false, marked: false, strict: true}
marking:
  - {speed_gbps: 400, kmin_bytes: 2000000, kmax_bytes: 10000000, pmax_percent: 20}
overrides:
  leaf1:
    loopback: 10.255.1.1/32
    ports:
      Ethernet31/1: {address: 10.0.1.3/31}
      Ethernet32/1: {address: 10.0.2.3/31}
  spine1: {ports: {Ethernet1/1: {address: 10.0.1.2/31}}}
  spine2: {ports: {Ethernet1/1: {address: 10.0.2.2/31}}}
"""


def compared(*args: str) -> Result:
    return CliRunner().invoke(cli, ["diff", "--no-cache", *args])


@pytest.fixture
def leaf(root: Path, tmp_path: Path) -> Path:
    """leaf1 of the clean sample without its ports to hosts, beside an intent that it meets."""
    text = (root / "sample_configs/clean-fabric/switches/leaf1.cfg").read_text()
    begin, end = text.index("interface Ethernet1/1\n"), text.index("interface Ethernet31/1\n")
    (tmp_path / "intent.yaml").write_text(INTENT)
    path = tmp_path / "leaf1.cfg"
    path.write_text(text[:begin] + text[end:])
    return path


def entries(leaf: Path) -> list[dict[str, Any]]:
    path = str(leaf.parent / "intent.yaml")
    done = compared(path, str(leaf), "--device", "leaf1", "--format", "json")
    return json.loads(done.stdout)["entries"]  # type: ignore[no-any-return]


def test_what_is_as_wished_is_no_drift(leaf: Path) -> None:
    assert entries(leaf) == []
    done = compared(str(leaf.parent / "intent.yaml"), str(leaf), "--device", "leaf1")
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "field", "values", "key"),
    [
        ("mtu 9214", "mtu 9000", "ip_mtu", ("9214", "9000"), "mtu:"),
        ("priority 3 no-drop", "priority 4 no-drop", "treatment[24-31].lossless", ("yes", "no"),
         "lossless"),
        ("bandwidth percent 60", "bandwidth percent 30", "treatment[24-31].share_percent",
         ("60 %", "42.857 %"), "share_percent"),
        ("minimum-threshold 2000 ", "minimum-threshold 200 ", "treatment[24-31].kmin",
         ("2000000 bytes", "200000 bytes"), "kmin_bytes"),
        ("ip address 10.0.1.3/31", "ip address 10.0.1.5/31", "addresses",
         ("10.0.1.3/31", "10.0.1.5/31"), "10.0.1.3/31"),
        ("ip address 10.255.1.1/32", "ip address 10.255.1.9/32", "addresses",
         ("10.255.1.1/32", "10.255.1.9/32"), "10.255.1.1/32"),
        ("router bgp 65001", "router bgp 65009", "asn", ("65001", "65009"), "65001"),
        ("neighbor 10.0.1.2 ", "neighbor 10.0.1.8 ",
         "routing.sessions[10.0.1.2]", ("there", "not there"), "65100"),
        ("error-correction encoding reed-solomon", "error-correction encoding fire-code", "fec",
         ("RS", "FC"), "fec: rs"),
    ],
)  # fmt: skip
def test_what_is_otherwise_is_told_with_both_lines(
    old: str, new: str, field: str, values: tuple[str, str], key: str, leaf: Path
) -> None:
    text = leaf.read_text()
    assert old in text
    leaf.write_text(text.replace(old, new))
    found = {v["field"]: (v["a"], v["b"], each) for each in entries(leaf) for v in each["values"]}
    assert field in found, found
    a, b, entry = found[field]
    assert (a.lower(), b.lower()) == tuple(value.lower() for value in values)
    assert any(key in place["text"] for place in entry["a"]), entry["a"]
    assert all(place["file"].endswith("leaf1.cfg") for place in entry["b"])


def test_a_port_that_is_shut_or_gone(leaf: Path) -> None:
    text = leaf.read_text()
    leaf.write_text(
        text.replace("interface Ethernet31/1\n", "interface Ethernet31/1\n   shutdown\n")
    )
    shut = [v for each in entries(leaf) for v in each["values"]]
    assert {"field": "enabled", "a": "yes", "b": "no"} in shut
    begin, end = text.index("interface Ethernet31/1\n"), text.index("interface Ethernet32/1\n")
    leaf.write_text(text[:begin] + text[end:])
    gone = [v for each in entries(leaf) for v in each["values"]]
    assert {"field": "port", "a": "there", "b": "not there"} in gone


def test_sides_may_be_turned(leaf: Path) -> None:
    leaf.write_text(leaf.read_text().replace("mtu 9214", "mtu 9000"))
    done = compared(str(leaf), str(leaf.parent / "intent.yaml"), "--device", "leaf1")
    assert done.exit_code == 1
    assert "ip_mtu: 9000 -> 9214" in done.stdout


def test_two_intents(leaf: Path) -> None:
    path = leaf.parent / "intent.yaml"
    other = leaf.parent / "other.yaml"
    other.write_text(INTENT.replace("kmin_bytes: 2000000", "kmin_bytes: 1000000"))
    done = compared(str(path), str(other))
    assert done.stdout.count("treatment[24-31].kmin: 2000000 bytes -> 1000000 bytes") == 1
    assert compared(str(path), str(path)).exit_code == 0


def test_other_numbers_of_queues_are_no_drift(root: Path) -> None:
    """NX-OS has RoCE in group 5 in the sample, the design in group 3: ports do the same."""
    path = str(root / "tests/diff/intent.yaml")
    done = compared(path, str(root / "sample_configs/clean-fabric/switches/leaf2.cfg"))
    assert "lossless" not in done.stdout
    assert "marked" not in done.stdout


def test_the_drift_of_the_clean_sample(root: Path, golden: Golden, monkeypatch: Any) -> None:
    monkeypatch.chdir(root)
    done = compared("tests/diff/intent.yaml", "sample_configs/clean-fabric/switches")
    assert done.exit_code == 1
    golden.check(root / "tests/diff/drift.txt", done.stdout)


@pytest.mark.parametrize("option", ["--stated", "--findings"])
def test_options_that_say_nothing_of_an_intent(option: str, leaf: Path) -> None:
    done = compared(str(leaf.parent / "intent.yaml"), str(leaf), option)
    assert (done.exit_code, "one side is an intent" in done.stderr) == (2, True)


def test_a_wrong_intent_is_told_and_nothing_compared(leaf: Path) -> None:
    path = leaf.parent / "intent.yaml"
    path.write_text(INTENT.replace("mtu: 9214", "mtu: 99999"))
    done = compared(str(path), str(leaf))
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{path}:9: mtu must be at most 65535" in done.stderr


def test_what_is_an_intent(root: Path, tmp_path: Path) -> None:
    assert set(IntentSchema.model_fields) == drift._KEYS
    for path in (root / "sample_configs/intents").iterdir():
        assert drift.is_intent(str(path))
    assert not drift.is_intent(str(root / "sample_configs/clean-fabric/switches/leaf6.yaml"))
    netplan = tmp_path / "netplan.yaml"
    netplan.write_text("network:\n  version: 2\n")
    assert not drift.is_intent(str(netplan))
