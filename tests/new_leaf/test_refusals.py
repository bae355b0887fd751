"""Refusals of `new-leaf`: exit status 2, file and line where known, nothing written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench import Files, edit, files_below, write_files
from tests.command import ended
from tests.new_leaf.fabrics import KINDS, fabric, file_of
from tests.new_leaf.runs import refused, written
from tests.sampling import sampled

LEAF8, SPINE1 = file_of("leaf8", "eos"), file_of("spine1", "eos")
GIVEN = "Ethernet1/1=10.2.77.0,Ethernet2/1=10.2.77.2,Ethernet3/1=10.1.1.155,Ethernet4/1=10.1.2.155"
NUMBERS: list[str | int] = ["--asn", 65077, "--loopback", "10.255.1.77", "--addresses", f"{GIVEN},Management1=192.0.2.77"]  # fmt: skip
"""All that a pattern would give, for a name that is in no series."""


def line_of(files: Files, name: str, text: str) -> str:
    """File and line of the first line that begins with a text."""
    lines = files[name].splitlines()
    return f"{name}:{next(n for n, line in enumerate(lines, 1) if line.strip().startswith(text))}"


OPTIONS: dict[str, tuple[list[str | int], str, tuple[str, str] | None]] = {
    "as-in-use": (["--asn", 65003], "leaf3", (file_of("leaf3", "eos"), "router bgp")),
    "as-of-spine": (["--asn", 65500], "spine1", (SPINE1, "router bgp")),
    "as-zero": (["--asn", 0], "--asn 0", None),
    "as-large": (["--asn", 4_294_967_296], "--asn", None),
    "as-no-number": (["--asn", "x"], "--asn x", None),
    "loopback-in-use": (["--loopback", "10.255.1.3"], "leaf3 Loopback0",
                        (file_of("leaf3", "eos"), "ip address 10.255.1.3/32")),
    "loopback-none": (["--loopback", "10.255.1"], "10.255.1", None),
    "address-in-use": (["--addresses", "Ethernet3/1=10.1.1.5"], "leaf2 Ethernet3/1",
                       (file_of("leaf2", "eos"), "ip address 10.1.1.5/31")),
    "address-none": (["--addresses", "Ethernet3/1=there"], "there", None),
    "address-no-port": (["--addresses", "Ethernet3/1"], "PORT=ADDRESS", None),
    "address-unknown-port": (["--addresses", "Ethernet9/1=10.9.9.9"], "Ethernet9/1", None),
    "address-twice": (["--addresses", "Ethernet3/1=10.7.7.1,Ethernet4/1=10.7.7.1"], "10.7.7.1", None),
    "address-of-link": (["--addresses", "Ethernet1/1=10.1.1.18"], "10.1.1.18", None),
    "port-of-no-spine": (["--ports", "spine9:Ethernet9/1"], "spine9", None),
    "port-of-leaf": (["--ports", "leaf3:Ethernet9/1"], "leaf3", None),
    "port-in-use": (["--ports", "spine1:Ethernet3/1"], "spine1 Ethernet3/1 is in use",
                    (SPINE1, "interface Ethernet3/1")),
    "port-loopback": (["--ports", "spine1:Loopback0"], "spine1 Loopback0",
                      (SPINE1, "interface Loopback0")),
    "port-no-port": (["--ports", "spine1"], "SPINE:PORT", None),
    "port-hostile": (["--ports", "spine1:Ethernet9/1\n   shutdown"], "", None),
    "ports-too-many": (["--ports", "spine1:Ethernet9/1,spine1:Ethernet10/1"], "--ports", None),
    "as-of-sister": (["--asn", 65008], "leaf8", (LEAF8, "router bgp")),
    "loopback-of-sister": (["--loopback", "10.255.1.8"], "leaf8", (LEAF8, "ip address 10.255.1.8/32")),
    "loopback-family": (["--loopback", "2001:db8::1"], "2001:db8::1", None),
    "address-family": (["--addresses", "Ethernet3/1=2001:db8::1"], "Ethernet3/1", None),
    "address-length": (["--addresses", "Ethernet3/1=10.1.1.99/24"], "10.1.1.99/24", None),
    "address-multicast": (["--addresses", "Ethernet3/1=224.0.0.1"], "224.0.0.1", None),
    "hosts-too-many": (["--hosts", 3], "--hosts 3", None),
    "hosts-negative": (["--hosts", -1], "--hosts", None),
    "role": (["--role", "leaf"], "--role", None),
}  # fmt: skip


@pytest.mark.parametrize("case", sampled(OPTIONS, 12))
def test_options(tmp_path: Path, case: str) -> None:
    options, message, place = OPTIONS[case]
    files = fabric("eos", hosts=2)
    reason = refused(tmp_path, files, "leaf9", "leaf8", *options)
    assert message in reason
    if place is not None:
        assert line_of(files, *place) in reason


HOSTILE = ["x" * 300, "\xe9", "77", "../x", "a b", "a\nb", "", "-x", ".", "..", "a/b", "a\\b", "leaf9\x1b[31m", '"x"', "a;b", "$(x)"]  # fmt: skip


@pytest.mark.parametrize("name", sampled(HOSTILE, 7, name=ascii))
def test_hostile_names(tmp_path: Path, name: str) -> None:
    reason = refused(tmp_path, fabric("eos", 3), name, "leaf3", *NUMBERS)
    assert "--name" in reason
    assert "\x1b" not in reason


@pytest.mark.parametrize(
    "name", sampled(["leaf3", "LEAF3", "spine1", "gpu1", "leaf8"], 40, lambda _: 0)
)
def test_name_in_use(tmp_path: Path, name: str) -> None:
    assert f"--name {name}" in refused(tmp_path, fabric("eos", hosts=2), name, "leaf8")


@pytest.mark.parametrize("like", sampled(["leaf88", "gpu1", ""], 9))
def test_no_sister(tmp_path: Path, like: str) -> None:
    assert "--like" in refused(tmp_path, fabric("eos", 3, hosts=2), "leaf9", like)


def test_file_in_the_way(tmp_path: Path) -> None:
    files = {**fabric("eos", 3), file_of("leaf4", "eos"): "a note\n"}
    assert file_of("leaf4", "eos") in refused(tmp_path, files, "leaf4", "leaf3")


def test_uneven_pairs(tmp_path: Path) -> None:
    assert "--name and --like" in refused(tmp_path, fabric("eos", 3), "leaf4,leaf5", "leaf3")
    reason = refused(tmp_path, fabric("eos", 3), "leaf4,leaf5", "leaf2,leaf3", "--asn", 65077)
    assert "--asn" in reason


def faulty() -> Files:
    return edit(fabric("eos", hosts=2), LEAF8, ("   mtu 9214", "   mtu 1500"))


def test_sister_with_findings(tmp_path: Path) -> None:
    reason = refused(tmp_path, faulty(), "leaf9", "leaf8")
    assert "MTU001" in reason
    assert "--accept-findings" in reason


def test_accepted_findings(tmp_path: Path) -> None:
    run = written(tmp_path, faulty(), "leaf9", "leaf8", "--accept-findings")
    text = run.configs[file_of("leaf9", "eos")]
    assert text.count("mtu 1500") == 1


@pytest.mark.deep
def test_findings_of_others_are_theirs(tmp_path: Path) -> None:
    files = edit(fabric("eos", hosts=2), file_of("leaf2", "eos"), ("   mtu 9214", "   mtu 1500"))
    written(tmp_path, files, "leaf9", "leaf8")


@pytest.mark.parametrize("device", sampled(["leaf8", "leaf3", "spine1"], 40, lambda _: 0))
def test_two_configurations(tmp_path: Path, device: str) -> None:
    """Of the sister, of one that shows a pattern, of one that is to be changed."""
    files, name = fabric("eos"), file_of(device, "eos")
    files["other/one.cfg"] = files[name].replace("mtu 9214", "mtu 9000")
    reason = refused(tmp_path, files, "leaf9", "leaf8")
    assert "other/one.cfg" in reason
    assert name in reason


@pytest.mark.parametrize("system", sampled(KINDS, 40, lambda _: 0))
def test_no_pattern(tmp_path: Path, system: str) -> None:
    """A name in no series, and a leaf without sisters: the numbers have to be given."""
    reason = refused(tmp_path / "name", fabric(system, 3), "rack7", "leaf3")
    assert re.search("--asn|--addresses", reason)
    reason = refused(tmp_path / "lone", fabric(system, 1), "leaf2", "leaf1")
    assert re.search("--asn|--addresses", reason)


def test_no_free_port(tmp_path: Path) -> None:
    files = fabric("eos")
    for port in ("Ethernet9/1", "Ethernet10/1"):
        used = f"interface {port}\n   no switchport\n   ip address 10.9.{port[8:-2]}.0/31"
        files = edit(files, SPINE1, (f"interface {port}\n   shutdown", used))
    reason = refused(tmp_path, files, "leaf9", "leaf8")
    assert "--ports spine1:" in reason


def test_unknown_links(tmp_path: Path) -> None:
    """Neither addresses nor descriptions, LLDP or a plan show where the sister's ports lead."""
    shown = re.compile(r"   (ip address 10\.1|description (spine|leaf)).*\n")
    files = {name: shown.sub("", text) for name, text in fabric("eos").items()}
    reason = refused(tmp_path, files, "leaf9", "leaf8")
    assert "links" in reason


def test_unknown_spines(tmp_path: Path) -> None:
    files = {name: text for name, text in fabric("eos", plan=True).items() if "spine" not in name}
    assert "links" in refused(tmp_path, files, "leaf9", "leaf8")


def test_shared_hosts(tmp_path: Path) -> None:
    files = fabric("eos", hosts=2, plan=True)
    for name in [name for name in files if name.startswith("hosts/gpu15/") and "ens1" in name]:
        files[name.replace("ens1", "ens2")] = files[name].replace("ens1", "ens2")
    files["links.yaml"] += "- [leaf7:Ethernet5/1, gpu15:ens2np0]\n"
    reason = refused(tmp_path, files, "leaf9", "leaf8", "--hosts", 1)
    assert "gpu15" in reason
    assert "leaf7" in reason


@pytest.mark.parametrize("place", ["no", "file", "empty"])
def test_paths(tmp_path: Path, place: str) -> None:
    write_files({"file": "", "empty/notes.md": "# nothing\n"}, tmp_path)
    words: list[str | Path] = ["new-leaf", tmp_path / place, "--name", "leaf9", "--like", "leaf8"]
    end = ended(*words, "-o", tmp_path / "out")
    assert end.returncode == 2
    assert str(tmp_path / place) in end.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("place", ["in", "in/out", "in/switches", "full", "full/file"])
def test_targets(tmp_path: Path, place: str) -> None:
    """The folder that is read, one below it, one with files, a file: all stay as they are."""
    root = write_files(fabric("eos", 3), tmp_path / "in")
    write_files({"file": "mine\n"}, tmp_path / "full")
    before = files_below(tmp_path)
    end = ended("new-leaf", root, "--name", "leaf4", "--like", "leaf3", "-o", tmp_path / place)
    assert end.returncode == 2, end.output
    assert files_below(tmp_path) == before
