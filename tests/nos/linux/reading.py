"""Read a host given as a few texts, for tests of single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.loading.identify import identify
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.sourced import Sourced
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.linux import NOS
from roce_lint.text.source import SourceFile


def read(*files: tuple[str, str], hostname: str = "gpu-001") -> Device:
    """The device of some files, each a command (or, where it has no blank, a file name) and a text.

    A command becomes the header, so that the first line of the text is line 2.
    """
    identified = []
    for number, (title, given) in enumerate(files):
        name, text = title, textwrap.dedent(given).lstrip("\n")
        if " " in title:
            name = f"{number}.txt"
            text = f"# command: {title}  host: {hostname}  time: 2026-10-07T06:13:11Z\n{text}"
        identity = identify(name, text, only="linux")
        source = NOS.by_source[identity.source]
        args = dict(identity.args)
        file = SourceFile.of(name, text)
        identified.append(IdentifiedFile(file, source, args, int(identity.header)))
    return read_device(NOS, hostname, identified)


def leaf(item: Sourced, name: object = "") -> str:
    """The path in a tree that states a field, with bars between its keys."""
    return "|".join(map(str, item.src.keys_of(item.where(name).position)[1]))


def notes(device: Device, kind: NoteKind) -> list[str]:
    """Messages of the notes of one kind."""
    return [note.message for note in device.notes if note.kind is kind]


MLNX_QOS = """
DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:00,
\tprio:3 dscp:26,
\tprio:6 dscp:48,
default priority:
Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,max_buffer_size=524032
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   
\tbuffer      0   0   0   1   0   0   0   0   
tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  5
tc: 3 ratelimit: 100.0 Gbps, tsa: ets, bw: 50%
\t priority:  3
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
tc: 7 ratelimit: unlimited, tsa: strict
\t priority:  7
"""
"""A port set up for DSCP 26 in priority 3; `DCBX mode` is line 2 below a header."""
