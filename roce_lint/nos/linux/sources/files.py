"""Sources of a host that are files, of one host or many; declaration of outputs."""

from __future__ import annotations

from functools import partial

from roce_lint.catalog.applications import names_pattern
from roce_lint.nos.base import Form, Ignored, Plane, Signature, Source
from roce_lint.text.shell_nesting import LAUNCHERS

# Helpers: command line, file name and signatures of an output.

PROOF = 10
GOOD = 6
"""Weights of a sign: sufficient alone, and sufficient without a rival."""

BEFORE = r"(?:sudo (?:-\S+ )*)?(?:\w+=\S+ )*(?:\S*/)?"
"""Text before a command's name in a header."""

JSON = r"(?=.* --?[a-zA-Z]*j)(?: -\S+)*"
TEXT = r"(?: -\S+)*"
"""Options of iproute2 tools: with and without -j."""

REFUSAL = r"\A(?:# command:[^\n]*(?:\n|\Z))?[^{}\[\]]*\Z"
"""Output instead of JSON: nothing, or words such as `Attribute read: Operation not supported`."""


def output(  # noqa: PLR0913  (the varying parts of a host's sources, by name)
    name: str,
    command: str,
    *signatures: tuple[str, int, str],
    form: Form = Form.RAW,
    run: str | None = None,
    file_name: str | None = None,
    ignored: tuple[Ignored, ...] = (),
    never_empty: bool = False,
    has_settings: bool = True,
    environment: bool = False,
) -> Source:
    """A live output: its command, and the signatures that identify it without one.

    `never_empty`: it has text whenever the port exists and the command works. `has_settings` is
    False for one without RoCE settings.
    """
    return Source(
        name,
        form,
        Plane.STATE,
        command=BEFORE + command,
        run=run,
        file_name=file_name,
        signatures=tuple(Signature(*each) for each in signatures),
        ignored=ignored,
        environment=environment,
        refusal=REFUSAL if form is Form.JSON else None,
        never_empty=never_empty,
        has_settings=has_settings,
    )


json_output = partial(output, form=Form.JSON)
"""A live output as JSON; the tool refuses in words."""


def config(
    name: str,
    form: Form,
    *signatures: Signature,
    command: str | None = None,
    file_name: str | None = None,
    hostname: str | None = None,
    environment: bool = False,
    apart: bool = False,
) -> Source:
    """A file; one for many hosts (`apart`) has variables of programs."""
    return Source(
        name,
        form,
        command=command,
        file_name=file_name,
        signatures=signatures,
        apart=apart,
        hostname=hostname,
        environment=environment or apart,
    )


def name_with_argument(name: str, group: str = "port", ending: str = "txt") -> str:
    """File name `mlnx_qos-ens1np0.txt`."""
    return rf"^{name}[-_](?P<{group}>[\w.@:-]+?)\.{ending}$"


RDMA_VARIABLE = names_pattern()
"""Names of RDMA variables of applications."""

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
"""Words of scripts that set up a host; no other file has them."""

TOOLS = rf"(?:{HOST_TOOLS}|\bexport {RDMA_VARIABLE}=|-x {RDMA_VARIABLE}=|\bNCCL_IB_TC=)"
"""Words of scripts that set up RDMA, on a host or for a job; no other file has them."""

FILES = (
    config(
        "environment-file",
        Form.ENV,
        Signature(rf"^(?:export )?{RDMA_VARIABLE}=", PROOF, "RDMA setting of an application"),
        environment=True,
        command=r"cat (?P<path>\S*\b(?:nccl|rccl|ucx|nvshmem)\S*|/etc/environment)",
        file_name=r"^(?:nccl|rccl)\.conf$",
    ),
    config(
        "ceph-conf",
        Form.RAW,
        Signature(r"^\s*ms[_ -]async[_ -]rdma[_ -]\w.*=", PROOF, "RDMA setting of Ceph"),
        command=r"cat \S*ceph\S*\.conf",
    ),
    config(
        "script",
        Form.SHELL,
        Signature(
            rf"\A\ufeff?#![^\n]*(?:sh|expect)\b[^\n]*\n[\s\S]*?{TOOLS}",
            PROOF + 2,
            "script for RDMA",
        ),
        Signature(
            r"^(?:sudo )?"
            r"(?:mlnx_qos -|cma_roce_\w+ -|dcb \w+ (?:set|add|replace) dev |lldptool -\w*T"
            r"|bnxt_setupcc\.sh -|nicctl update )",
            PROOF + 4,
            "command that sets up RDMA",
        ),
        environment=True,
        command=r"cat \S+\.(?:sh|bash)",
    ),
    config(
        "systemd-unit",
        Form.INI,
        Signature(
            rf"^Exec(?:Start|StartPre|StartPost|Reload)=.*{TOOLS}", PROOF + 4, "unit for RDMA"
        ),
        Signature(rf"^Environment=.*\"?{RDMA_VARIABLE}=", PROOF + 4, "unit with RDMA settings"),
        environment=True,
        command=r"cat \S+\.(?:service|conf\.d/\S+)|systemctl cat .*",
    ),
    config(
        "sysctl-conf",
        Form.RAW,
        Signature(
            r"^\s*net\.(?:ipv4\.conf|ipv4\.tcp_ecn|core)\S*\s*=\s*\S+", GOOD - 2, "kernel setting"
        ),
        command=r"cat /etc/sysctl\S*",
        file_name=r"sysctl.*\.conf$",
    ),
)


# Files for many hosts at once. A template of Helm or Go contains {{ and is not YAML before it is
# rendered.
_OBJECT = r"\A(?![\s\S]*?\{\{)(?=[\s\S]*?^[ {]*\"?apiVersion\"?: )[\s\S]*?"
_NAMED = rf"(?:\b(?:name|option)[\"']?: *[\"']?{RDMA_VARIABLE}[\"']?\s*(?:$|[,}}]))"
_KEYED = rf"(?:(?:^[ ]+|[{{,] ?)[\"']?{RDMA_VARIABLE}[\"']?: *[^\s|>])"
_ASSIGNED = rf"(?:(?:^(?:ENV |[ ]*- [\"']?)?|-x ){RDMA_VARIABLE}=)"
_PASSED = rf"(?:(?:\b|-e){RDMA_VARIABLE}:?=|(?:setenv|-g?env) {RDMA_VARIABLE} )"
_LAUNCHERS = rf"(?:{'|'.join(LAUNCHERS)}|torchrun|deepspeed|accelerate|python3?)"

CLUSTER = (
    config(
        "manifest",
        Form.YAML,
        Signature(
            _OBJECT + r"^[ -]*kind: (?:SriovNetworkNodePolicy|NicConfigurationTemplate"
            r"|NicClusterPolicy|NetworkAttachmentDefinition|SriovNetwork|HostDeviceNetwork"
            r"|MacvlanNetwork)\s*$",
            PROOF,
            "policy for network adapters",
        ),
        Signature(
            _OBJECT + rf"(?:{_NAMED}|{_KEYED}|\b{RDMA_VARIABLE}=)",
            # As high as for a script, which a ConfigMap may contain.
            PROOF + 4,
            "RDMA setting in a manifest",
        ),
        apart=True,
    ),
    config(
        "playbook",
        Form.YAML,
        Signature(
            r"\A(?=(?:\s|---[^\n]*\n|#[^\n]*\n)*+- )"
            r"(?=[\s\S]*?^[ ]+(?:- )?(?:ansible\.\w+\.)?"
            r"(?:shell|command|raw|copy|sysctl|lineinfile|blockinfile):)"
            rf"[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=|{_KEYED}|\bnet\.ipv4\.tcp_ecn\b)",
            # As high as for the commands by themselves.
            PROOF + 8,
            "playbook with RDMA commands",
        ),
        apart=True,
    ),
    config(
        "job-values",
        Form.RAW,
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
        apart=True,
    ),
    config(
        "cloud-init",
        Form.YAML,
        Signature(
            rf"\A#cloud-config\b[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=)",
            PROOF + 8,
            "user data with RDMA commands",
        ),
        environment=True,
        command=r"cat \S*(?:user-data|cloud-config)\S*",
        hostname=r"^hostname: *(?P<name>[A-Za-z0-9][\w.-]*)[ \t\r]*$",
    ),
    config(
        "job-script",
        Form.SHELL,
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
        apart=True,
    ),
)


# Network configuration files.

NETWORK = (
    config(
        "netplan",
        Form.YAML,
        Signature(
            r"^network:[ \t]*\n(?:[ \t]+[^#\s].*\n|[ \t]*(?:#.*)?\n)*?"
            r"[ \t]+(?:ethernets|bonds|vlans):",
            PROOF,
            "netplan",
        ),
        command=r"cat (?P<path>(?:/\S*)?/netplan/\S+\.ya?ml)|netplan get(?: all)?",
    ),
    config(
        "networkd",
        Form.INI,
        Signature(r"^\[Match\]\s*$", GOOD, "section of networkd"),
        Signature(r"^\[NetDev\]\s*$", PROOF, "section of networkd"),
        Signature(r"^(?:MTUBytes|OriginalName|VLAN|Bond)=", GOOD, "setting of networkd"),
        command=r"cat (?P<path>\S+\.(?:network|netdev|link))",
        file_name=r"\.(?:network|netdev|link)$",
    ),
    config(
        "keyfile",
        Form.INI,
        Signature(r"^\[connection\]\s*\n(?:[^\[\n].*\n)*?(?:type|uuid)=", PROOF, "connection"),
        command=r"cat (?P<path>\S*/system-connections/\S+)",
        file_name=r"\.nmconnection$",
    ),
    config(
        "interfaces",
        Form.RAW,
        Signature(
            # Switches with this tool have ports called swp1. The command is no evidence: hosts
            # print the same file by it.
            r"\A(?![\s\S]*^\s*(?:auto|iface) swp)[\s\S]*?^iface \S+ inet6?(?: \w+)?\s*$",
            PROOF,
            "stanza of ifupdown",
        ),
    ),
    config(
        "ifcfg",
        Form.ENV,
        Signature(r"^(?:BOOTPROTO|ONBOOT|STARTMODE)=", GOOD, "setting of ifcfg"),
        Signature(r"^(?:DEVICE|HWADDR|IPADDR0?|MTU)=", GOOD, "setting of ifcfg"),
        command=r"cat (?P<path>\S*/ifcfg-\S+)",
        file_name=r"^ifcfg-",
    ),
)
