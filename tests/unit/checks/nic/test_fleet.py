"""Jobs and policies against the fabric: when the rules about them are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.unit.checks.judging import values

LEAF = """\
! Command: show running-config
! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)
hostname leaf1
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
interface Ethernet1/1
   mtu 9214
   no switchport
   service-profile ROCE
end
"""
JOB = "#!/bin/bash\n#SBATCH --nodes=2\nexport NCCL_IB_TC={tc}\n"
LINK = (
    "# command: rdma link  host: gpu1\nlink {nic}/1 state ACTIVE physical_state LINK_UP netdev e1\n"
)
FORCED = "# command: cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class  host: gpu1\nGlobal tclass=106\n"
OWN = "# command: grep -r . /sys/kernel  host: gpu1\n/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/roce_dscp:26\n"
CABLES = "- [leaf1:Ethernet1/1, gpu1:e1]\n"


def found(folder: Path, **files: str) -> list[tuple[str, str]]:
    (folder / "gpu1").mkdir()
    (folder / "leaf1.cfg").write_text(LEAF)
    for name, text in files.items():
        place = "links.yaml" if name == "links" else f"gpu1/{name}.txt"
        (folder / place).write_text(text)
    report = run(Request(paths=(str(folder),), cache=False), Settings())
    assert [entry.message for entry in report.diagnostics] == []
    return [(f.rule, f.message) for f in report.findings if f.rule == "NIC017"]


@pytest.mark.parametrize("tc", ["0", "160"])
def test_a_job_outside_the_protected_class(tmp_path: Path, tc: str) -> None:
    ((_, message),) = found(tmp_path, job=JOB.format(tc=tc))
    assert values(message) == f"gpu1/job.txt {int(tc) >> 2} 24-31"


@pytest.mark.parametrize(
    "job",
    [
        "#!/bin/bash\nexport NCCL_IB_TC=160\nmpirun ./a.out\n",
        "#!/bin/bash\nmpirun -x UCX_IB_TRAFFIC_CLASS=160 -x UCX_TLS=rc ./a.out\n",
    ],
)
def test_a_plain_script_is_a_job(tmp_path: Path, job: str) -> None:
    ((rule, message),) = found(tmp_path, job=job)
    assert (rule, message.split()[0]) == ("NIC017", "gpu1/job.txt")


@pytest.mark.parametrize("tc", ["106", "96"])
def test_a_job_inside_the_protected_class(tmp_path: Path, tc: str) -> None:
    assert found(tmp_path, job=JOB.format(tc=tc)) == []


def test_adapters_that_force_their_mark(tmp_path: Path) -> None:
    link = LINK.format(nic="mlx5_0")
    job = JOB.format(tc="160")
    assert found(tmp_path, link=link, forced=FORCED, links=CABLES, job=job) == []


@pytest.mark.parametrize(("tc", "count"), [("0", 0), ("160", 1)])
def test_adapters_that_mark_by_themselves(tmp_path: Path, tc: str, count: int) -> None:
    link = LINK.format(nic="bnxt_re0")
    assert len(found(tmp_path, link=link, own=OWN, links=CABLES, job=JOB.format(tc=tc))) == count
