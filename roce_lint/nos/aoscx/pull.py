"""What a live pull asks of Aruba AOS-CX; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbor-info detail"),
        Command("show version"),
        Command("show interface", Kind.STATE),
        Command("show interface dom detail", Kind.STATE),
        Command("show interface queues", Kind.COUNTERS),
    ),
    prepares=("no page",),
    unknown=r"(?:Invalid input|% (?:Unknown|Command incomplete))",
    called=(
        "aruba_aoscx",
        "aruba-aos-cx",
        "aos-cx",
        "arubanetworks.aoscx.aoscx",
        "aruba_aos-cx",
        "aruba_osswitch_cx",
    ),
)
