"""Linux hosts with RDMA adapters: what NICs and applications are set to and what is live."""

from __future__ import annotations

from roce_lint.nos.base import Later, Nos
from roce_lint.nos.linux.defaults import DEFAULTS
from roce_lint.nos.linux.pull import PULLED
from roce_lint.nos.linux.sources.cluster import CLUSTER
from roce_lint.nos.linux.sources.files import FILES
from roce_lint.nos.linux.sources.live import OUTPUTS
from roce_lint.nos.linux.sources.network import NETWORK

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
    defaults=DEFAULTS,
    is_host=True,
    pulled=PULLED,
    render=Later("roce_lint.nos.linux.render", "render"),
)
