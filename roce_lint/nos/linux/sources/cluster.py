"""The files that are for many hosts at once, and how each is recognised."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.linux.sources.files import HOST_TOOLS, RDMA_VARIABLE, TOOLS
from roce_lint.nos.linux.sources.output import PROOF

# A template of Helm or Go holds {{ and is no YAML before it is rendered.
_OBJECT = r"\A(?![\s\S]*?\{\{)(?=[\s\S]*?^apiVersion: )[\s\S]*?"

CLUSTER = (
    Source(
        "manifest",
        Form.YAML,
        Plane.CONFIG,
        apart=True,
        signatures=(
            Signature(
                _OBJECT + r"^[ -]*kind: (?:SriovNetworkNodePolicy|NicConfigurationTemplate"
                r"|NicClusterPolicy)\s*$",
                PROOF,
                "policy for network adapters",
            ),
            Signature(
                _OBJECT
                + rf"(?:\bname[\"']?: [\"']?{RDMA_VARIABLE}[\"']?\s*(?:$|[,}}])|\b{RDMA_VARIABLE}="
                rf"|^[ ]+{RDMA_VARIABLE}: \S)",
                # As much as a script, which may stand in a ConfigMap.
                PROOF + 4,
                "RDMA setting in a manifest",
            ),
        ),
    ),
    Source(
        "playbook",
        Form.YAML,
        Plane.CONFIG,
        apart=True,
        signatures=(
            Signature(
                r"\A(?=(?:\s|---[^\n]*\n|#[^\n]*\n)*+- )"
                r"(?=[\s\S]*?^[ ]+(?:- )?(?:ansible\.\w+\.)?(?:shell|command|raw|copy|sysctl):)"
                rf"[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=|\bnet\.ipv4\.tcp_ecn\b)",
                # As much as the commands in it by themselves.
                PROOF + 8,
                "playbook with RDMA commands",
            ),
        ),
    ),
    Source(
        "cloud-init",
        Form.YAML,
        Plane.CONFIG,
        command=r"cat \S*(?:user-data|cloud-config)\S*",
        hostname=r"^hostname: *(?P<name>[A-Za-z0-9][\w.-]*)[ \t\r]*$",
        signatures=(
            Signature(
                rf"\A#cloud-config\b[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=)",
                PROOF + 8,
                "user data with RDMA commands",
            ),
        ),
    ),
    Source(
        "job-script",
        Form.SHELL,
        Plane.CONFIG,
        apart=True,
        signatures=(
            Signature(
                rf"\A\ufeff?#![^\n]*\n(?=[\s\S]*?\b{RDMA_VARIABLE}=)"
                rf"(?:(?=[\s\S]*?^#(?:SBATCH|PBS|BSUB) )|(?![\s\S]*?^[^#\n]*(?:{HOST_TOOLS})))",
                PROOF + 8,
                "job that sets RDMA variables",
            ),
        ),
    ),
)
