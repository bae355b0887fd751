"""What a live pull asks of Dell SmartFabric OS10; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-configuration", needed=True),
        Command("show lldp neighbors"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show queuing statistics interface", Kind.COUNTERS),
    ),
    prepares=("terminal length 0",),
    unknown=r"% ?Error",
    called=("dell_os10", "dell-os10", "dellemc.os10.os10"),
)
