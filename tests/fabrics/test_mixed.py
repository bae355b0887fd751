"""Single faults on a fabric of every operating system: hop and line are named, and the broken pairs
of hosts are counted.

Twelve hosts on twelve leaves under two spines make 132 pairs; 22 begin or end at any one leaf.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report
from tests.bench import check, edit, write_files
from tests.fabrics.mixed import KINDS, build, host_of, leaf_of
from tests.fabrics.mixed_faults import FAULTS
from tests.fabrics.mixed_plant import ALL, BOTH, OUT, Fault
from tests.sampling import sampled

HOST = "hosts/gpu-os10/{}"
AT_HOSTS = [
    # what the host sends; what it pauses and obeys; what it reads
    ("traffic_class-mlx5_0.txt", "tclass=106", "tclass=26", "NIC001", 2, OUT),
    ("mlnx_qos-ens1np0.txt", "1   0   0   0   0   \n\tbuffer", "0   1   0   0   0   \n\tbuffer",
     "PFC001", 18, BOTH),
    ("ecn-ens1np0.txt", "roce_np/enable/3:1", "roce_np/enable/3:0", "NIC007", 5, OUT),
    ("ecn-ens1np0.txt", "roce_rp/enable/3:1", "roce_rp/enable/3:0", "NIC007", 15, OUT),
    ("ecn-ens1np0.txt", "cnp_dscp:48", "cnp_dscp:0", "CLS004", 10, OUT),
    ("ecn-ens1np0.txt", "cnp_dscp:48", "cnp_dscp:26", "CLS002", 10, OUT),
]  # fmt: skip


FABRIC = build()


def grave(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity >= Severity.WARNING]


def test_every_operating_system_is_read_and_sound() -> None:
    report = check(FABRIC)
    assert report.fabric is not None
    assert {d.nos for d in report.fabric.devices.values()} == {*KINDS, "linux"}
    assert [(f.rule, f.message) for f in grave(report)] == []
    assert (report.links, report.judged_ports) == (36, 72)


def test_the_reported_pairs_are_those_of_the_fabric() -> None:
    """The paths between two leaves are equally long over either spine: one uplink carries all pairs
    of its leaf.
    """
    pairs = list(permutations(KINDS, 2))
    assert len(pairs) == ALL
    for nos in KINDS:
        assert sum(source == nos for source, _ in pairs) == OUT
        assert sum(target == nos for _, target in pairs) == OUT
        assert sum(nos in pair for pair in pairs) == BOTH


@pytest.mark.parametrize(
    "fault", sampled(FAULTS, 4, lambda fault: fault.device, lambda fault: fault.stage), ids=str
)
def test_a_fault_at_a_hop_is_named_with_its_pairs(fault: Fault) -> None:
    files, line = fault.planted(FABRIC)
    (finding,) = grave(check(files))
    place = finding.location
    assert place is not None
    assert (finding.rule, place.file, place.line) == (fault.rule, fault.file, line)
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (fault.pairs, ALL)
    on_the_way(finding, fault.device)


def on_the_way(finding: Finding, device: str) -> None:
    """The witness leads from host to host over two leaves and a spine, and passes the device."""
    ends = finding.path[0], finding.path[-1]
    assert all(hop.device.startswith("gpu-") for hop in ends)
    assert (ends[0].into, ends[1].out) == (None, None)
    assert [hop.device[:5] for hop in finding.path[1:-1]] == ["leaf-", "spine", "leaf-"]
    assert [hop.device for hop in finding.path if hop.here] == [device]
    assert all(hop.place is not None for hop in finding.path if finding.traffic)


@pytest.mark.parametrize(("name", "old", "new", "rule", "line", "pairs"), AT_HOSTS)
def test_a_fault_at_a_nic_is_named_with_its_pairs(
    name: str, old: str, new: str, rule: str, line: int, pairs: int
) -> None:
    (finding,) = grave(check(edit(FABRIC, HOST.format(name), (old, new))))
    place = finding.location
    assert place is not None
    assert (finding.rule, place.file, place.line) == (rule, HOST.format(name), line)
    assert (finding.pairs.hit if finding.pairs else None) == pairs


def test_two_faults_on_one_path_are_both_found() -> None:
    """The walk does not end at the first: 22 pairs of one leaf, 22 of the other, 2 of both. In
    these two pairs each fault is the first in one direction.
    """
    files = FABRIC
    for fault in FAULTS:
        if str(fault) in ("leaf-eos-PFC001-pause", "leaf-os10-MAP001-class"):
            files, _ = fault.planted(files)
    findings = grave(check(files))
    found = [(f.rule, f.device, f.pairs.hit if f.pairs else 0) for f in findings]
    assert found == [("PFC001", leaf_of("eos"), BOTH), ("MAP001", leaf_of("os10"), BOTH)]
    assert [f.pairs.first if f.pairs else None for f in findings] == [BOTH - 1, BOTH - 1]


TCLASS = f"hosts/{host_of('nxos')}/traffic_class-mlx5_0.txt"


def test_hosts_that_send_another_class_are_not_among_the_pairs() -> None:
    """A class of one host only breaks for the pairs that begin at it."""
    report = check(edit(FABRIC, TCLASS, ("106", "138")))  # DSCP 34
    (finding,) = [f for f in grave(report) if f.rule == "NIC001"]
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.path[0].device) == (OUT, "gpu-nxos")


def test_hosts_that_contradict_each_other_are_shown_with_their_numbers(tmp_path: Path) -> None:
    files = edit(FABRIC, TCLASS, ("106", "98"))  # DSCP 24
    found = [(c.name, c.senders, c.locations[0].file) for c in check(files).classes]
    folder = write_files(files, tmp_path)
    shown = CliRunner().invoke(cli, ["show", str(folder), "--no-cache"]).stdout.splitlines()
    assert found[0] == ("RoCE DSCP 24", 1, TCLASS)
    assert [(name, count) for name, count, _ in found[1:]] == [
        ("RoCE DSCP 26", len(KINDS) - 1),
        ("CNP DSCP 48", len(KINDS)),
    ]
    assert "RoCE DSCP 24: set on 1 host" in shown
    assert f"RoCE DSCP 26: set on {len(KINDS) - 1} hosts" in shown
