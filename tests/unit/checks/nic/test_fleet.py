"""Jobs and policies against the fabric: when the rules about them are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.bench import check
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


POLICY = """apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata:
  name: {name}
spec:
  nodeSelector: {{{labels}}}
  nicSelector:
    pfNames: [{ports}]
  isRdma: {rdma}
---
"""


def policy(ports: str, *, rdma: str = "true", labels: str = "", name: str = "rail") -> str:
    return POLICY.format(name=name, labels=labels, ports=ports, rdma=rdma)


def network(name: str, addresses: str, made_on: str = '"type": "sriov"') -> str:
    config = f'{{{made_on}, "ipam": {{"type": "host-local", {addresses}}}}}'
    head = "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\n"
    return f"{head}metadata:\n  name: {name}\nspec:\n  config: '{config}'\n---\n"


SUBNET = '"subnet": "10.8.0.0/24"'
NAMES = "2: e1: <UP> mtu 9000 state UP\n    altname enp7\n3: e2: <UP> mtu 9000 state UP\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (policy("e7"), ["NIC018"]),
        (policy("e7, e1"), []),  # for two kinds of servers
        (policy("e7", labels="kubernetes.io/os: linux"), ["NIC018"]),
        (policy("e7", labels="rack: r12"), []),
        (policy("e7", labels="kubernetes.io/hostname: GPU1.example.net"), ["NIC018"]),
        (policy("e7", labels="kubernetes.io/hostname: gpu9"), []),
        (policy("e1", rdma="false"), []),  # none has it
        (policy("e1") + policy("e2", rdma="false", name="b"), ["NIC030"]),
        (policy("e1") + policy("e2", rdma="false", name="b", labels="rack: r12"), []),
        (policy("e1") + policy("e1", rdma="false", name="b"), []),  # the port serves both
        (policy("e1") + policy("e3", rdma="false", name="b"), []),  # it carries no RoCE
        (network("a", SUBNET), ["NIC031"]),
        (network("a", SUBNET, '"type": "macvlan", "master": "e1"'), ["NIC031"]),
        (network("a", SUBNET, '"type": "macvlan", "master": "e3"'), []),
        (network("a", SUBNET) + network("b", f'{SUBNET}, "rangeStart": "10.8.0.9"'), []),
        (network("a", SUBNET) + network("b", '"subnet": "10.9.0.0/24"'), ["NIC031", "NIC031"]),
    ],
)
def test_objects_of_a_cluster(text: str, rules: list[str]) -> None:
    files = {"k8s/objects.yaml": text, "leaf1.cfg": LEAF}
    for host in ("gpu1", "gpu2"):
        head = f"# command: {{}}  host: {host}\n"
        cards = "".join(f"link mlx5_{n}/1 state ACTIVE netdev e{n + 1}\n" for n in (0, 1))
        files[f"{host}/link.txt"] = head.format("rdma link") + cards
        files[f"{host}/ip.txt"] = (
            head.format("ip link show") + NAMES + "4: e3: <UP> mtu 1500 state UP\n"
        )
    found = [f for f in check(files).findings if f.rule in ("NIC018", "NIC030", "NIC031")]
    assert [f.rule for f in found] == rules
    assert {f.severity.label for f in found} <= {"info"}


def test_addresses_of_one_host_are_nobody_elses() -> None:
    link = LINK.format(nic="mlx5_0")
    files = {"k8s/net.yaml": network("a", SUBNET), "gpu1/link.txt": link, "leaf1.cfg": LEAF}
    assert [f.rule for f in check(files).findings if f.rule == "NIC031"] == []
