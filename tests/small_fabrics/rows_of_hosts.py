"""Hosts and jobs, and folders with both: rows J6, J8, J9, J12, J15, J21 to J23."""

from __future__ import annotations

from tests.small_fabrics.rows import Row
from tests.small_fabrics.rows_of_classes import NO_PAUSE_EOS

CLASS = "hosts/*/traffic_class-mlx5_0.txt"
NCCL = "hosts/{}/nccl.conf"
COMMAND = "# command: cat /etc/nccl.conf  host: {}\n"


def job(text: str, *hosts: str) -> tuple[tuple[str, str], ...]:
    """A job file on each of the hosts."""
    return tuple((NCCL.format(h), COMMAND.format(h) + text) for h in hosts)


ROOT = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc"


def broadcom(name: str, dscp: str) -> tuple[tuple[str, str], ...]:
    """A host with one Broadcom NIC and its captured congestion control."""
    head = f"# command: {{}}  host: {name}\n"
    values = {"ecn_enable": "0x1", "cc_mode": "0x1", "roce_dscp": dscp, "roce_prio": "0x3",
              "cnp_dscp": "0x30", "cnp_prio": "0x6"}  # fmt: skip
    links = "link bnxt_re0/1 state ACTIVE physical_state LINK_UP netdev ens1np0\n"
    rows = "".join(f"{ROOT}/{key}:{value}\n" for key, value in values.items())
    asked = "NCCL_IB_HCA=bnxt_re0\nNCCL_IB_TC=104\n"
    return (
        (f"hosts/{name}/rdma-link.txt", head.format("rdma link show") + links),
        (f"hosts/{name}/cc.txt", head.format(f"grep -r . {ROOT}/") + rows),
        (f"hosts/{name}/nccl.conf", head.format("cat /etc/nccl.conf") + asked),
    )


SELECTED = "NCCL_IB_HCA=mlx5_0\nNCCL_SOCKET_IFNAME=ens1np0\n"

ROWS = (
    Row("J6-cnp-in-the-queue-of-most", "sonic nxos", (("warning CLS004", '"48": "1",'),), alike=(), odd=(('"48": "6"', '"48": "1"'), *((f'\n   "{n}": "0"', f'\n   "{n}": "1"') for n in range(8, 63) if n not in (26, 48))), hosts={}),
    Row("J8-tagged-or-not-from-the-other-end", "eos nxos", (("error MAP002", "Priority trust state: pcp"),), hosts={"hosts/gpu-eos/mlnx_qos-ens1np0.txt": (("trust state: dscp", "trust state: pcp"),)}),
    Row("J9-the-one-file-that-matters", "eos nxos", (("warning NIC007", "/sys/class/net/ens1np0/ecn/roce_np/enable/3:0"),), hosts={"hosts/gpu-eos/ecn-ens1np0.txt": (*((f"/sys/class/net/ens1np0/ecn/roce_np/enable/{n}:0\n", "") for n in (0, 1, 2, 4, 5, 6, 7)), ("roce_np/enable/3:1", "roce_np/enable/3:0"))}),
    Row("J12-all-hosts-wrong", "eos", (("error NIC001", "Global tclass=2"),), hosts={CLASS: (("tclass=106", "tclass=2"),)}),
    Row("J15-guessed-link", "eos", (("warning CLS020", "interface Ethernet1/1"), ("warning PFC002", "interface Ethernet1/1")), hosts={}, without=("links.yaml", "switches/spine*"), odd=(*NO_PAUSE_EOS, ("interface Ethernet1/1\n", "interface Ethernet1/1\n   description gpu-eos ens1np0\n"))),
    Row("J21-nobody-marks", "nxos cumulus", (("warning NIC001", "NCCL_IB_HCA=mlx5_0"),), hosts={}, without=(CLASS,), more=job(SELECTED, "gpu-nxos", "gpu-cumulus")),
    Row("J21-one-of-two-marks", "nxos cumulus", (("warning NIC001", "NCCL_IB_HCA=mlx5_0"),), hosts={}, without=("hosts/gpu-nxos/traffic_class-mlx5_0.txt",), more=job(SELECTED, "gpu-nxos")),
    Row("J21-nothing-of-the-job-was-captured", "nxos cumulus", hosts={}, without=(CLASS,)),
    Row("listed-and-no-roce-device", "eos", (("error NIC006", "NCCL_IB_HCA=mlx5_0"),), hosts={"hosts/gpu-eos/ibv_devinfo.txt": (("link_layer:\t\tEthernet", "link_layer:\t\tInfiniBand"),)}, more=job(SELECTED, "gpu-eos")),
    Row("job-with-control-and-an-unconfirmed-variable", "nxos cumulus", (("warning NIC017", "export ROCSHMEM_GDA_TRAFFIC_CLASS=160"), ("warning CLS021", "export NCCL_IB_FIFO_TC=24")), hosts={}, without=(CLASS,), more=(*job("NCCL_IB_HCA=mlx5_0\nNCCL_IB_TC=106\n", "gpu-nxos", "gpu-cumulus"), ("jobs/run.sbatch", "#!/bin/bash\n#SBATCH -N 2\nexport ROCSHMEM_GDA_TRAFFIC_CLASS=160\nexport NCCL_IB_FIFO_TC=24\nsrun ./x\n"))),
    Row("J23-two-hosts-and-no-majority", "nxos cumulus", (("info NIC019", "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/roce_dscp:0xc"),), hosts={}, without=("hosts/*/*",), more=(*broadcom("gpu-nxos", "0x1a"), *broadcom("gpu-cumulus", "0xc"))),
    Row("J22-made-on-the-gpu", "nxos cumulus", (("warning NIC001", "NCCL_GIN_TYPE=3"),), hosts={}, more=job(SELECTED + "NCCL_GIN_ENABLE=1\nNCCL_GIN_TYPE=3\n", "gpu-nxos", "gpu-cumulus")),
)  # fmt: skip
