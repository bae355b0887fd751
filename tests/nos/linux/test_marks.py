"""Every variable that marks RDMA packets, in every kind of file that may set it."""

from __future__ import annotations

import pytest

from roce_lint.model.nic import Certainty
from tests.nos.linux.reading import leaf, read
from tests.nos.reader import line

VARIABLES = (
    "NCCL_IB_TC",
    "NCCL_IB_FIFO_TC",
    "UCX_IB_TRAFFIC_CLASS",
    "NVSHMEM_IB_TRAFFIC_CLASS",
    "MORI_RDMA_TC",
    "MORI_IO_TC",
    "MC_IB_TC",
)

RDMA = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
UNIT = "[Service]\nEnvironment=A=1 {v}=106\nExecStart=/opt/train\n"

LINES = {
    "environment file": (("job.env", "NCCL_IB_HCA=mlx5_0\n{v}=106\n"), 2),
    "nccl.conf": (("cat /etc/nccl.conf", "NCCL_IB_HCA=mlx5_0\n{v}=106\n"), 3),
    "rccl.conf": (("cat /etc/rccl.conf", "NCCL_IB_HCA=mlx5_0\n{v}=106\n"), 3),
    "running job": (("printenv | sort", "HOME=/root\n{v}=106\n"), 3),
    "shell script": (("run.sh", "#!/bin/sh\nexport NCCL_IB_SL=0\nexport {v}=106\n"), 3),
    "mpirun -x": (("run.sh", "#!/bin/sh\nexport UCX_TLS=rc\nmpirun -x {v}=106 ./a\n"), 3),
    "mpirun -genv": (("run.sh", "#!/bin/sh\nexport UCX_TLS=rc\nmpirun -genv {v} 106 ./a\n"), 3),
    "mpiexec -env": (("run.sh", "#!/bin/sh\nexport UCX_TLS=rc\nmpiexec -env {v}=106 ./a\n"), 3),
    "Slurm job": (("a.sbatch", "#!/bin/bash\n#SBATCH -N 2\nexport {v}=106\nsrun ./a\n"), 3),
    "srun --export": (
        ("a.sbatch", "#!/bin/bash\n#SBATCH -N 2\nexport UCX_TLS=rc\nsrun --export=ALL,{v}=106 ./a\n"),
        4,
    ),
    "PBS job": (("a.pbs", "#!/bin/bash\n#PBS -l select=2\nexport {v}=106\nmpirun ./a\n"), 3),
    "LSF job": (("a.lsf", "#!/bin/bash\n#BSUB -n 2\nexport {v}=106\nmpirun ./a\n"), 3),
    "systemd unit": (("cat /etc/systemd/system/train.service", UNIT), 3),
}  # fmt: skip
"""Name of a kind of file: the file, and the line that sets the variable."""

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: train}}
spec:
  containers:
  - name: worker
    env:
    - name: {v}
      value: "106"
"""
VALUES = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: rdma}}
data:
  NCCL_IB_HCA: mlx5_0
  {v}: "106"
"""
MANIFESTS = {"pod": (POD, "spec|containers|0|env|0|value"), "config map": (VALUES, "data|{v}")}


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("kind", LINES)
def test_a_variable_in_a_file(kind: str, variable: str) -> None:
    (name, text), number = LINES[kind]
    device = read(RDMA, (name, text.replace("{v}", variable)))
    emits = [e for e in device.emits if e.by.startswith(variable)]
    assert [(e.dscp, e.certainty, line(e, "dscp")) for e in emits] == [
        (26, Certainty.STATED, number)
    ]


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("kind", MANIFESTS)
def test_a_variable_in_a_manifest(kind: str, variable: str) -> None:
    text, path = MANIFESTS[kind]
    device = read((f"{kind.replace(' ', '-')}.yaml", text.format(v=variable)))
    emits = [e for e in device.emits if e.by.startswith(variable)]
    assert [(e.dscp, e.certainty, leaf(e, "dscp")) for e in emits] == [
        (26, Certainty.STATED, path.replace("{v}", variable))
    ]
