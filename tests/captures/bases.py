"""Whole files of every system and form, as their device prints them, and how it prompts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

NOS = ROOT / "tests" / "nos"


@dataclass(frozen=True)
class Base:
    """A file, the command that prints it, and the prompts of its system.

    `tree` marks JSON and YAML, in which a line cannot be broken or commented at will.
    """

    name: str
    path: Path
    command: str
    prompt: str
    comment: str = "!"
    tree: bool = False
    host: str = "leaf1"
    typed: str = ""  # instead of a file: what was typed and printed

    @property
    def text(self) -> str:
        """Contents of the file."""
        return self.typed or self.path.read_bytes().decode()


def _host_session() -> str:
    """Outputs of a host's commands, each after its prompt."""
    folder = NOS / "linux" / "healthy"
    pieces = []
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        if text.startswith("# command: ") and "LLDP" not in text:
            head, _, output = text.partition("\n")
            command = head.removeprefix("# command: ").split("  ", 1)[0]
            pieces.append((command, output))
    return "\0".join(f"{command}\n{output}" for command, output in pieces)


@cache
def host_outputs() -> tuple[tuple[str, str], ...]:
    """Commands of a healthy host and what they printed."""
    pairs = []
    for piece in _host_session().split("\0"):
        command, _, output = piece.partition("\n")
        pairs.append((command, output if output.endswith("\n") else f"{output}\n"))
    return tuple(pairs)


def flat(path: Path) -> str:
    """Tables of a database with the names of their rows in one."""
    tables = json.loads(path.read_text(encoding="utf-8"))
    rows = {f"{table}|{key}": row for table, keys in tables.items() for key, row in keys.items()}
    return f"{json.dumps(rows, indent=4)}\n"


def session(prompt: str) -> str:
    """The host's commands, typed at a prompt."""
    return "".join(f"{prompt}{command}\n{output}" for command, output in host_outputs())


HOST = "root@gpu-017:~# "
"""The prompt of the host whose commands are one of the bases."""

BASES = {
    base.name: base
    for base in (
        Base("eos", NOS / "eos/leaf/leaf1.cfg", "show running-config", "leaf1#"),
        Base("nxos", NOS / "nxos/leaf/leaf1.cfg", "show running-config", "leaf1# "),
        Base(
            "junos braces", NOS / "junos/leaf/leaf4.conf", "show configuration | no-more",
            "netops@leaf4> ", "#", host="leaf4",
        ),
        Base(
            "junos set", NOS / "junos/set-form/leaf5.set",
            "show configuration | display set | no-more", "root@leaf5> ", "#", host="leaf5",
        ),
        Base(
            "sonic", NOS / "sonic/leaf/config_db.json", "show runningconfiguration all",
            "admin@leaf1:~$ ", "", tree=True,
        ),
        Base(
            "cumulus yaml", NOS / "cumulus/leaf/startup.yaml", "nv config show",
            "cumulus@leaf1:mgmt:~$ ", "#", tree=True,
        ),
        Base(
            "cumulus commands", NOS / "cumulus/overrides/leaf1.txt", "nv config show -o commands",
            "cumulus@leaf1:mgmt:~$ ", "#",
        ),
        Base("os10", NOS / "os10/leaf/running-config.cfg", "show running-configuration", "leaf1# "),
        Base("vrp", NOS / "vrp/leaf/running-config.cfg", "display current-configuration", "<leaf1>"),
        Base(
            "comware", NOS / "comware/leaf/running-config.cfg", "display current-configuration",
            "<leaf1>", "#",
        ),
        Base(
            "iosxr", NOS / "iosxr/leaf/running-config.cfg", "show running-config",
            "RP/0/RP0/CPU0:leaf1#",
        ),
        Base("aoscx", NOS / "aoscx/leaf/running-config.cfg", "show running-config", "leaf1# "),
        Base("esonic", NOS / "esonic/leaf/running-config.cfg", "show running-configuration", "leaf1# "),
        Base("srlinux flat", NOS / "srlinux/leaf/config.cfg", "info flat", "A:leaf1# ", "#"),
        Base("srlinux braces", NOS / "srlinux/leaf-braces/config.cfg", "info", "A:leaf1# ", "#"),
        Base(
            "host commands", NOS / "linux" / "healthy", "cat roce.log", HOST, "", host="gpu-017",
            typed=f"{session(HOST)}{HOST}\n",
        ),
        Base(
            "sonic flat", NOS / "sonic/leaf/config_db.json", "sonic-cfggen -d --print-data",
            "admin@leaf1:~$ ", "", tree=True,
            typed=flat(NOS / "sonic/leaf/config_db.json"),
        ),
        Base(
            "srlinux json", NOS / "srlinux/leaf-json/config.json", "info from running | as json",
            "A:leaf1# ", "", tree=True,
        ),
    )
}  # fmt: skip
