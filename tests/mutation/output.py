"""Changes of a host's command outputs and environment files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.mutation.change import NUMBER, WORDS, Change, digit, shape

Made = tuple[Change, str]

OUTPUTS = {
    "mlnx_qos": r"\t+prio:|Receive|Cable|\tenabled|\tbuffer|tc: |\t priority:|Priority trust|DCBX",
    "ecn-": r"\S*/(?:enable|cnp_dscp|cnp_802p_prio)",
    "traffic_class": r"Global",
    "nccl.conf": r"NCCL_IB_(?:TC|GID_INDEX|HCA)",
    "ibv_devinfo": r"\s*(?:active_mtu|fw_ver)",
    "show_gids": r"mlx5_\d",
    "ethtool-a-": r"[RT]X:",
    "ethtool-ens": r"\tSpeed|\tAdvertised FEC",
    "niccli-list": r"    Device Interface",
    "niccli-qos": r" +(?:PRIO_MAP|TC Bandwidth|TSA_MAP|PFC enabled|Priority|DSCP)",
    "cc-": r"\S*/(?:ecn_enable|roce_dscp|roce_prio|cnp_dscp|cnp_prio):",
    "roce-setup": r"ExecStart",
    "flags-": r"fw-lldp-agent",
    "irdma": r"\S*/roce_dcqcn_enable|\S*/roce_ena|options",
    "lldptool": r"\t \w.*(?:Willing|PRIO_MAP|TC Bandwidth|TSA_MAP|PFC enabled)|\tPrio:",
    "nicctl-qos": r" +(?:Classification|DSCP|PFC priority|PFC no-drop|\d)",
    "nicctl-dcqcn": r" +(?:Status|DSCP value)",
    "nicctl-port": r" +(?:Pause type|[RT]X pause|speed|FEC type|Admin)",
    "qos.sh": r"(?:data|cnp)_dscp=| *nicctl update",
}
"""Outputs by the prefix of their files, and their lines about the treatment of RoCE."""

FLAGS = re.compile(r"\tenabled|\S*/enable/|\S*_enable:|\S*/roce_ena|options irdma")
"""Lines with flags: 0 or 1."""

_HEX = re.compile(r"0x([0-9a-f]+)\b")

_GID = re.compile(r"mlx5_\d\t\d\t(\d+)\t")
"""A row of the GID table: only its index is a number that settings refer to."""

FILES = ("nccl.conf", "irdma.conf", "roce-setup.service", "qos.sh")
"""Hand-written files: a line of them can be missing or duplicated."""


def changes(place: str, lines: list[str]) -> Iterator[Made]:
    """All changes of the relevant lines."""
    leaf = place.rsplit("/", 1)[-1]
    wanted = next((lines for name, lines in OUTPUTS.items() if leaf.startswith(name)), None)
    for number, line in enumerate(lines, 1):
        if wanted is None or not re.match(wanted, line):
            continue
        base = Change("", shape(leaf, line))
        before, after = lines[: number - 1], lines[number:]
        for more, kind, other in _others(line):
            yield base.of(kind, number, more=more), "\n".join([*before, other, *after])
            if leaf in FILES:
                twice = base.of("double", number, number + 1, more=more)
                yield twice, "\n".join([*before, line, other, *after])
        if leaf in FILES:
            yield base.of("delete"), "\n".join([*before, *after])


def _others(line: str) -> Iterator[tuple[str, str, str]]:
    flag = FLAGS.match(line) is not None
    gid = _GID.match(line)
    begin = max(line.rfind(mark) for mark in "=:") + 1 if re.search("[=:]", line) else 0
    start, end = gid.span(1) if gid else (begin, len(line))
    for count, value in enumerate(_HEX.finditer(line, start, end), 1):
        # Of a mask the lowest bit is set or cleared, of a number the last digit is another.
        other = f"{int(value[1], 16) ^ 1:0{len(value[1])}x}"
        yield f" 0x{count}", "digit", f"{line[: value.start(1)]}{other}{line[value.end() :]}"
    for count, value in enumerate(NUMBER.finditer(line, start, end), 1):
        if any(h.start() <= value.start() < h.end() for h in _HEX.finditer(line)):
            continue
        if not line[value.start() - 1 : value.start()].isalpha():
            yield f" #{count}", "digit", digit(line, value, flag=flag)
    sign = re.search("[=:]", line)  # before it stands a name
    for word in re.finditer(r"(?<![\w-])\w+(?![\w-]|\s*:)", line):
        if word[0] in WORDS and word.start() > (sign.start() if sign else 0):
            other = f"{line[: word.start()]}{_word(line, word[0])}{line[word.end() :]}"
            yield f" ~{word[0]}", "word", other


def _word(line: str, word: str) -> str:
    trusts = line.startswith(("Priority trust", "nicctl"))
    return "pcp" if word == "dscp" and trusts else WORDS[word]
