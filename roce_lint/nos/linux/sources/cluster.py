"""The files that are for many hosts at once, and how each is recognised."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.linux.sources.files import HOST_TOOLS, RDMA_VARIABLE, TOOLS
from roce_lint.nos.linux.sources.output import PROOF
from roce_lint.text.shell_nesting import LAUNCHERS

# A template of Helm or Go holds {{ and is no YAML before it is rendered.
_OBJECT = r"\A(?![\s\S]*?\{\{)(?=[\s\S]*?^[ {]*\"?apiVersion\"?: )[\s\S]*?"
_NAMED = rf"(?:\b(?:name|option)[\"']?: *[\"']?{RDMA_VARIABLE}[\"']?\s*(?:$|[,}}]))"
_KEYED = rf"(?:(?:^[ ]+|[{{,] ?)[\"']?{RDMA_VARIABLE}[\"']?: *[^\s|>])"
_ASSIGNED = rf"(?:(?:^(?:ENV |[ ]*- [\"']?)?|-x ){RDMA_VARIABLE}=)"
_PASSED = rf"(?:(?:\b|-e){RDMA_VARIABLE}:?=|(?:setenv|-g?env) {RDMA_VARIABLE} )"
_LAUNCHERS = rf"(?:{'|'.join(LAUNCHERS)}|torchrun|deepspeed|accelerate|python3?)"

CLUSTER = (
    Source(
        "manifest",
        Form.YAML,
        Plane.CONFIG,
        environment=True,
        apart=True,
        signatures=(
            Signature(
                _OBJECT + r"^[ -]*kind: (?:SriovNetworkNodePolicy|NicConfigurationTemplate"
                r"|NicClusterPolicy|NetworkAttachmentDefinition|SriovNetwork|HostDeviceNetwork"
                r"|MacvlanNetwork)\s*$",
                PROOF,
                "policy for network adapters",
            ),
            Signature(
                _OBJECT + rf"(?:{_NAMED}|{_KEYED}|\b{RDMA_VARIABLE}=)",
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
        environment=True,
        apart=True,
        signatures=(
            Signature(
                r"\A(?=(?:\s|---[^\n]*\n|#[^\n]*\n)*+- )"
                r"(?=[\s\S]*?^[ ]+(?:- )?(?:ansible\.\w+\.)?"
                r"(?:shell|command|raw|copy|sysctl|lineinfile|blockinfile):)"
                rf"[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=|{_KEYED}|\bnet\.ipv4\.tcp_ecn\b)",
                # As much as the commands in it by themselves.
                PROOF + 8,
                "playbook with RDMA commands",
            ),
        ),
    ),
    Source(
        "job-values",
        Form.RAW,
        Plane.CONFIG,
        environment=True,
        apart=True,
        signatures=(
            Signature(
                rf"\A(?=[\s\S]*?\{{\{{)(?!#!)[\s\S]*?(?:{_NAMED}|{_KEYED}|{_ASSIGNED})",
                PROOF + 4,
                "RDMA setting in a template",
            ),
            Signature(
                rf"\A(?=[\s\S]*?{RDMA_VARIABLE})(?![\s\S]*?(?:\{{\{{|^[ {{]*\"?apiVersion\"?: ))"
                rf"(?!#!)[\s\S]*?(?:{_NAMED}|{_KEYED}|^(?:ENV |[ ]*- [\"']?"
                rf"|[ ]*environment: *\[[^\]]*?){RDMA_VARIABLE}=)",
                PROOF + 4,
                "RDMA setting of a job",
            ),
        ),
    ),
    Source(
        "cloud-init",
        Form.YAML,
        Plane.CONFIG,
        environment=True,
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
        environment=True,
        apart=True,
        signatures=(
            Signature(
                rf"\A\ufeff?#![^\n]*\n(?=[\s\S]*?{_PASSED})"
                rf"(?:(?=[\s\S]*?^#(?:SBATCH|PBS|BSUB) )|(?![\s\S]*?^[^#\n]*(?:{HOST_TOOLS})))",
                PROOF + 8,
                "job that sets RDMA variables",
            ),
            Signature(
                rf"^(?:export )?{RDMA_VARIABLE}=[\s\S]{{0,4000}}?^(?:\w+=\S+ )*"
                rf"(?:\S*/)?{_LAUNCHERS} ",
                PROOF + 1,
                "RDMA variables in front of a job",
            ),
            Signature(
                rf"^(?:sudo )?(?:\S*/)?{_LAUNCHERS} (?:[^\n]*\\\n){{0,12}}[^\n]*{_PASSED}",
                PROOF + 1,
                "RDMA variables of a job's launcher",
            ),
        ),
    ),
)
