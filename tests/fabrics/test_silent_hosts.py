"""Hosts that do not state their markings, on switches of several vendors, and the findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Report, Request, run
from roce_lint.pipeline.trace.question import doubt_of
from roce_lint.settings import Settings

EOS = """\
! device: {name} (DCS-7060X6-64PE, EOS-4.33.1F)
hostname {name}
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 5 no-drop
   !
   uc-tx-queue 5
      random-detect ecn minimum-threshold 500 kbytes maximum-threshold 1500 kbytes max-mark-probability 20
!
interface Ethernet1/1
   mtu 9214
   no switchport
   service-profile ROCE
!
interface Ethernet2/1
   mtu 9214
   no switchport
   service-profile ROCE
!
qos map dscp 20 to traffic-class 5
"""
NXOS = """\
!Command: show running-config
version 10.4(3) Bios:version 05.50
hostname {name}
class-map type qos match-any RDMA
  match dscp 20
policy-map type qos IN
  class RDMA
    set qos-group 3
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
system qos
  service-policy type network-qos NQ
  service-policy type queuing output OUT
interface Ethernet1/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  service-policy type qos input IN
  no shutdown
interface Ethernet2/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  service-policy type qos input IN
  no shutdown
"""
SWITCHES = {"eos": EOS, "nxos": NXOS}

SILENT = "the DSCP of RDMA data"
FORCED = "# command: cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class  host: {name}\n{text}\n"


def write(folder: Path, system: str, **more: str) -> None:
    """One leaf with two hosts; `more` are further files of the first host."""
    files = {"leaf1.cfg": SWITCHES[system].format(name="leaf1")}
    for name in ("gpu1", "gpu2"):
        files[f"{name}/rdma.txt"] = (
            f"# command: rdma link show  host: {name}\n"
            "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"
        )
    files["links.yaml"] = "- [leaf1:Ethernet1/1, gpu1:ens1]\n- [leaf1:Ethernet2/1, gpu2:ens1]\n"
    files |= {name.replace("__", "/").replace("_txt", ".txt"): text for name, text in more.items()}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def judged(folder: Path) -> Report:
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def stated(report: Report) -> tuple[list[tuple[str, str]], list[str]]:
    """Severity and device of every NIC001, and the devices where it is unknown."""
    found = [
        (f.severity.label, o.device)
        for f in report.findings
        for o in f.occurrences
        if f.rule == "NIC001"
    ]
    return found, [u.device for u in report.unknowns if u.rule == "NIC001" and SILENT in u.missing]


@pytest.mark.parametrize("system", SWITCHES)
def test_a_host_without_markings_is_unknown(system: str, tmp_path: Path) -> None:
    write(tmp_path, system)
    assert stated(judged(tmp_path)) == ([], ["gpu1", "gpu2"])


@pytest.mark.parametrize("system", SWITCHES)
def test_a_library_without_its_variable_is_warned_of(system: str, tmp_path: Path) -> None:
    write(tmp_path, system, gpu1__nccl_conf="")
    (tmp_path / "gpu1" / "nccl.conf").write_text("NCCL_IB_HCA=mlx5_0\n", encoding="utf-8")
    assert stated(judged(tmp_path)) == ([("warning", "gpu1")], ["gpu2"])


@pytest.mark.parametrize("system", SWITCHES)
def test_the_file_of_a_job_that_marks_takes_the_warning_away(system: str, tmp_path: Path) -> None:
    write(tmp_path, system)
    (tmp_path / "gpu1" / "nccl.conf").write_text("NCCL_IB_HCA=mlx5_0\n", encoding="utf-8")
    job = "#!/bin/bash\n#SBATCH -N 2\nexport NCCL_IB_TC=82\nsrun train\n"
    (tmp_path / "job.sbatch").write_text(job, encoding="utf-8")
    assert stated(judged(tmp_path)) == ([], ["gpu1", "gpu2"])


@pytest.mark.parametrize("system", SWITCHES)
def test_a_forced_class_covers_all_but_what_is_made_on_the_gpu(system: str, tmp_path: Path) -> None:
    tc = FORCED.format(name="gpu1", text="Global tclass=82")
    write(tmp_path, system, gpu1__tc_txt=tc)
    conf = tmp_path / "gpu1" / "nccl.conf"
    conf.write_text("NCCL_IB_HCA=mlx5_0\n", encoding="utf-8")
    assert stated(judged(tmp_path)) == ([], ["gpu2"])
    conf.write_text("NCCL_IB_HCA=mlx5_0\nNCCL_GIN_TYPE=3\n", encoding="utf-8")
    report = judged(tmp_path)
    assert stated(report) == ([("warning", "gpu1")], ["gpu2"])
    (finding,) = (f for f in report.findings if f.rule == "NIC001")
    assert finding.location is not None
    assert finding.location.line == 2


def test_a_trace_names_its_evidence(tmp_path: Path) -> None:
    tc = FORCED.format(name="gpu1", text="Global tclass=82")
    write(tmp_path, "eos", gpu1__tc_txt=tc)
    (tmp_path / "gpu2" / "nccl.conf").write_text("NCCL_IB_HCA=mlx5_0\n", encoding="utf-8")
    report = judged(tmp_path)
    assert report.analysis is not None
    devices = report.analysis.fabric.devices
    (data,) = report.analysis.data_classes
    assert doubt_of(devices["gpu1"], data, 20) == ""
    assert doubt_of(devices["gpu1"], data, 26) == "gpu1 sends DSCP 26 (configured: DSCP 20)"
    default = "gpu2 sends DSCP 20 (unknown: NCCL_IB_TC is not set)"
    assert doubt_of(devices["gpu2"], data, 20) == default
    assert doubt_of(devices["leaf1"], data, 20) == doubt_of(devices["gpu2"], None, 20) == ""
