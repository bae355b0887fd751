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
}
"""Outputs by how their files begin, and which of their lines say how RoCE is treated."""

FLAGS = re.compile(r"\tenabled|\S*/enable/")
"""Lines whose numbers are switches: 0 or 1."""

_GID = re.compile(r"mlx5_\d\t\d\t(\d+)\t")
"""A row of the GID table: only its index is a number that settings refer to."""

FILES = ("nccl.conf",)
"""Files that people write: a line of them can be missing, or stand there twice."""


def changes(place: str, lines: list[str]) -> Iterator[Made]:
    """All changes of the lines that matter."""
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
    for count, value in enumerate(NUMBER.finditer(line, start, end), 1):
        if not line[value.start() - 1 : value.start()].isalpha():
            yield f" #{count}", "digit", digit(line, value, flag=flag)
    for word in re.finditer(r"\w+", line):
        if word[0] in WORDS and word.start():
            other = f"{line[: word.start()]}{_word(line, word[0])}{line[word.end() :]}"
            yield f" ~{word[0]}", "word", other


def _word(line: str, word: str) -> str:
    return "pcp" if word == "dscp" and line.startswith("Priority trust") else WORDS[word]
