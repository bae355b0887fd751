"""What a live pull asks of Cisco NX-OS; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show interface fec", Kind.STATE),
        Command("show interface priority-flow-control", Kind.STATE),
        Command("show queuing summary", Kind.STATE),
        Command("show queuing interface | json", Kind.COUNTERS),
        Command("show queuing pfc-queue detail | json", Kind.COUNTERS),
        Command("show interface counters errors", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    unknown=r"% (?:Invalid|Incomplete|Ambiguous) |Syntax error while parsing",
    called=(
        "cisco_nxos",
        "cisco-nx-os",
        "cisco-nxos",
        "nx-os",
        "cisco.nxos.nxos",
        "cisco_n9kv",
        "n9kv",
        "nxos_ssh",
    ),
)
