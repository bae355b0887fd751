"""What a live pull asks of Cisco IOS-XR; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interfaces brief", Kind.STATE),
        Command("show interfaces", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    unknown=r"% (?:Invalid|Incomplete|Ambiguous) ",
    called=(
        "cisco_xr",
        "cisco_iosxr",
        "cisco-ios-xr",
        "ios-xr",
        "cisco.iosxr.iosxr",
        "cisco_xrd",
        "xrd",
    ),
)
