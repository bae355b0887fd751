"""What a live pull asks of Huawei CloudEngine; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("display",),
    commands=(
        Command("display current-configuration", needed=True),
        Command("display lldp neighbor"),
        Command("display version"),
        Command("display interface brief", Kind.STATE),
        Command("display dcb pfc", Kind.COUNTERS),
        Command("display qos queue statistics", Kind.COUNTERS),
    ),
    prepares=("screen-length 0 temporary",),
    asks=r"(?i:change now|please choose|security\s+risks|\[y/n\])",
    unknown=r"(?:\s*\^|Error: ?(?:Unrecognized|Incomplete|Ambiguous|Wrong|Too many))",
    called=(
        "huawei",
        "huawei_vrp",
        "huawei_vrpv8",
        "huawei-vrp",
        "huawei-ce",
        "cloudengine",
        "community.network.ce",
        "ce",
    ),
)
