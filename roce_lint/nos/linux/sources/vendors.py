"""The outputs and files of one NIC vendor's tools: Broadcom, Intel, AMD."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.linux.sources.output import GOOD, JSON, PROOF, TEXT, name_with_argument, output

BROADCOM = (
    output(
        "niccli-devices",
        r"niccli (?:.* )?--?list(?:_?dev(?:ices)?)?",
        (r"^\d+\) Broadcom .*\n\s+Device Interface", PROOF, "list of niccli"),
    ),
    output(
        "niccli-qos",
        r"(?:niccli|bnxtqos)\b(?=.*(?:get_?qos|qos .*--?show))"
        r"(?:.* -{1,2}(?:dev|i|pci)[ =](?P<device>[\w.:@-]+))?.*",
        (r"^\s*IEEE 8021QAZ (?:ETS Configuration|PFC|APP) TLV:\s*$", PROOF, "element of niccli"),
        file_name=name_with_argument("(?:niccli|bnxtqos)(?:[-_]qos)?"),
    ),
)

INTEL = (
    output(
        "devlink-json",
        rf"devlink{JSON} dev param show(?: .*)?",
        (r'\A\s*\{\s*"param":\s*\{', PROOF, "parameters of devlink"),
        form=Form.JSON,
        run="devlink -j dev param show",
    ),
    output(
        "devlink",
        rf"devlink{TEXT} dev param show(?: .*)?",
        (r"^pci/\S+:\n\s+name \w+ type ", PROOF, "parameters of devlink"),
    ),
    Source(
        "modprobe",
        Form.RAW,
        Plane.CONFIG,
        command=r"cat /etc/modprobe\.d/\S+",
        signatures=(
            Signature(r"^options\s+irdma\s.*\broce_ena=", PROOF, "option of irdma"),
            Signature(r"^options\s+ko2iblnd\s(?:.*\s)?tos=", PROOF, "traffic class of Lustre"),
        ),
    ),
)

NICCTL = r'\A\s*\{\s*"nic":\s*\[\s*\{\s*"id":'
"""How every answer of nicctl as JSON begins: with its adapters, by their ids."""

AMD = (
    output(
        "nicctl-lif",
        r"nicctl show lif(?=.* (?:-j|--json)).*",
        (r'"rdma_mtu":\s*"', PROOF, "logical interface of nicctl"),
        form=Form.JSON,
        run="nicctl show lif -j",
    ),
    output(
        "nicctl-port-json",
        r"nicctl show port(?=.* (?:-j|--json)).*",
        (r'"pause_type":\s*"', PROOF, "port of nicctl"),
        form=Form.JSON,
        run="nicctl show port -j",
    ),
    output(
        "nicctl-port",
        r"nicctl show port(?!.* (?:-j|--json)).*",
        (r"^\s*Pause type\s+: (?:PFC|LINK|NONE)", PROOF, "port of nicctl"),
    ),
    output(
        "nicctl-qos",
        r"nicctl show qos(?! headroom)(?!.* (?:-j|--json)).*",
        (r"^\s*PFC no-drop priorities\s*:", PROOF, "PFC of nicctl"),
        (r"^\s*Classification type\s*: (?:DSCP|PCP)", PROOF, "classification of nicctl"),
        run="nicctl show qos",
        file_name=name_with_argument("nicctl[-_]qos"),
    ),
    output(
        "nicctl-dcqcn",
        r"nicctl show dcqcn(?!.* (?:-j|--json)).*",
        (r"^\s*DCQCN profile id\s*:", PROOF, "DCQCN of nicctl"),
        (r"^\s*ROCE device\s*:", GOOD, "RDMA device of nicctl"),
        run="nicctl show dcqcn",
    ),
    output(
        "nicctl-json",
        r"nicctl show (?P<subject>qos|dcqcn)(?! headroom)(?=.* (?:-j|--json)).*",
        (NICCTL + r'\s*"', GOOD, "adapters of nicctl as JSON"),
        file_name=r"^nicctl[-_](?:show[-_])?(?P<subject>qos|dcqcn)(?:[-_].*)?\.json$",
    ),
)

VENDORS = (*BROADCOM, *INTEL, *AMD)
