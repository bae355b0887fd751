"""Linux hosts with RDMA adapters: what NICs and applications are set to and what is live."""

from __future__ import annotations

from roce_lint.nos.base import Nos
from roce_lint.nos.linux.defaults import DEFAULTS
from roce_lint.nos.linux.files import FILES
from roce_lint.nos.linux.normalize import normalize
from roce_lint.nos.linux.outputs import OUTPUTS

NOS = Nos(
    name="linux",
    title="Linux hosts with RDMA adapters",
    sources=(*OUTPUTS, *FILES),
    normalize=normalize,
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
)
