"""What a live pull asks of Enterprise SONiC; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-configuration", needed=True),
        Command("show lldp table"),
        Command("show version"),
        Command("show interface status", Kind.STATE),
        Command("show interface fec status", Kind.STATE),
        Command("show buffer pool", Kind.STATE),
        Command("show buffer profile", Kind.STATE),
        Command("show queue counters", Kind.COUNTERS),
        Command("show interface counters", Kind.COUNTERS),
    ),
    prepares=("sonic-cli", "terminal length 0"),
    unknown=r"(?:% ?Error|Syntax error|%Error|.*Invalid input)",
    called=(
        "dell_sonic",
        "dell_sonic_ssh",
        "dellemc.enterprise_sonic.sonic",
        "enterprise-sonic",
        "dell_sonic-vm",
    ),
)
