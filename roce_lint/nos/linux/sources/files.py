"""The configuration files of a host that are read: environments, scripts, units, sysctl files."""

from __future__ import annotations

from roce_lint.catalog.applications import names_pattern
from roce_lint.nos.base import Form, Plane, Signature, Source

RDMA_VARIABLE = names_pattern()
"""Names of variables by which applications are set up for RDMA."""

HOST_TOOLS = (
    r"\b(?:mlnx_qos|MLNX_QOS)\b|\bcma_roce_(?:tos|mode)\b|\bdcb \w+ (?:set|add|replace) dev\b"
    r"|\bbnxt_setupcc\.sh\b|\bnicctl update\b|/config/(?:bnxt_re|irdma)/|\birdma .*roce_ena="
    r"|\blldptool\b|\bml?xconfig\b|/traffic_class\b|/ecn/roce_|/qos/trust\b"
    r"|\bnvme connect\S* .*\brdma\b"
    r"|\bip6?tables .*--set-(?:dscp|tos)|\bnft .* dscp set |\btc .* munge ip6? (?:dsfield|tos)"
    r"|\b(?:ip6?tables|ebtables|nft|tc|ufw|firewall-cmd|ethtool -[NU]) .*\b4791\b"
    r"|\bip6?tables .*ports? (?:\d{1,3}|[1-3]\d{3}|4[0-7]\d\d)"
    r":(?:4[89]\d\d|479[1-9]|[5-9]\d{3}|\d{5}) .*-j (?:DROP|REJECT)"
    r"|\bethtool (?:-A|--pause) \S+ (?:autoneg \w+ )?[rt]x o|\bfw-lldp-agent o"
    r"|/config/rdma_cm/"
)
"""Words of scripts that set up a host, and of no other file."""

TOOLS = rf"(?:{HOST_TOOLS}|\bexport {RDMA_VARIABLE}=|-x {RDMA_VARIABLE}=|\bNCCL_IB_TC=)"
"""Words of scripts that set up RDMA, on a host or for a job, and of no other file."""

FILES = (
    Source(
        "environment-file",
        Form.ENV,
        Plane.CONFIG,
        environment=True,
        command=r"cat (?P<path>\S*\b(?:nccl|rccl|ucx|nvshmem)\S*|/etc/environment)",
        file_name=r"^(?:nccl|rccl)\.conf$",
        signatures=(
            Signature(rf"^(?:export )?{RDMA_VARIABLE}=", 10, "RDMA setting of an application"),
        ),
    ),
    Source(
        "ceph-conf",
        Form.RAW,
        Plane.CONFIG,
        command=r"cat \S*ceph\S*\.conf",
        signatures=(Signature(r"^\s*ms[_ -]async[_ -]rdma[_ -]\w.*=", 10, "RDMA setting of Ceph"),),
    ),
    Source(
        "script",
        Form.SHELL,
        Plane.CONFIG,
        environment=True,
        command=r"cat \S+\.(?:sh|bash)",
        signatures=(
            Signature(
                rf"\A\ufeff?#![^\n]*(?:sh|expect)\b[^\n]*\n[\s\S]*?{TOOLS}", 12, "script for RDMA"
            ),
            Signature(
                r"^(?:sudo )?"
                r"(?:mlnx_qos -|cma_roce_\w+ -|dcb \w+ (?:set|add|replace) dev |lldptool -\w*T"
                r"|bnxt_setupcc\.sh -|nicctl update )",
                14,
                "command that sets up RDMA",
            ),
        ),
    ),
    Source(
        "systemd-unit",
        Form.INI,
        Plane.CONFIG,
        environment=True,
        command=r"cat \S+\.(?:service|conf\.d/\S+)|systemctl cat .*",
        signatures=(
            Signature(rf"^Exec(?:Start|StartPre|StartPost|Reload)=.*{TOOLS}", 14, "unit for RDMA"),
            Signature(rf"^Environment=.*\"?{RDMA_VARIABLE}=", 14, "unit with RDMA settings"),
        ),
    ),
    Source(
        "sysctl-conf",
        Form.RAW,
        Plane.CONFIG,
        command=r"cat /etc/sysctl\S*",
        file_name=r"sysctl.*\.conf$",
        signatures=(
            Signature(
                r"^\s*net\.(?:ipv4\.conf|ipv4\.tcp_ecn|core)\S*\s*=\s*\S+", 4, "kernel setting"
            ),
        ),
    ),
)
