"""Declaration of Linux hosts with RDMA adapters."""

from __future__ import annotations

from roce_lint.nos.base import Later, Nos, Printing
from roce_lint.nos.linux.sources import CLUSTER, FILES, NETWORK, OUTPUTS
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import PullPlan

defaults = defaults_of("linux")

_CALLED = ("host", "ubuntu", "debian", "rhel", "rocky", "sles", "linux-host")

NOS = Nos(
    name="linux",
    title="Linux hosts with RDMA adapters",
    sources=(*OUTPUTS, *NETWORK, *FILES, *CLUSTER),
    normalize=Later("roce_lint.nos.linux.normalize"),
    patterns={
        "BLANKS": r"[ \t]*",
        "LIST": r"[0-9,]+",
        "RATE": r"[^,]+",
        "TOTAL": r"[a-z_]+=[0-9]+",
        "TRUST": r"dscp|pcp",
    },
    netmiko_type="linux",
    defaults=defaults,
    is_host=True,
    printing=Printing(
        files={
            "roce-setup.sh.j2": "{name}/roce-setup.sh",
            "roce-setup.service.j2": "{name}/roce-setup.service",
            "nccl.conf.j2": "{name}/nccl.conf",
            "netplan.yaml.j2": "{name}/60-roce.yaml",
            "irdma.conf.j2": "{name}/irdma.conf",
        },
        comment="#",
    ),
    pulled=PullPlan(words=(), commands=(), called=_CALLED, script=True),  # docs/live.md
)
