"""What a live pull asks of H3C and HPE Comware; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("display",),
    commands=(
        Command("display current-configuration", needed=True),
        Command("display lldp neighbor-information list"),
        Command("display version"),
        Command("display interface brief", Kind.STATE),
        Command("display priority-flow-control interface", Kind.COUNTERS),
        Command("display packet-drop interface", Kind.COUNTERS),
        Command("display qos queue-statistics interface outbound", Kind.COUNTERS),
    ),
    prepares=("screen-length disable",),
    unknown=r"(?:\s*\^|\s*% ?(?:Unrecognized|Incomplete|Ambiguous|Wrong))",
    called=("hp_comware", "h3c_comware", "h3c", "hpe-comware", "hp-comware"),
)
