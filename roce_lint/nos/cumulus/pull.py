"""What a live pull asks of Cumulus Linux; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("nv show", "nv config show", "lldpcli -f json show neighbors"),
    commands=(
        Command("nv config show -o commands", needed=True),
        Command("lldpcli -f json show neighbors"),
        Command("nv show interface"),
        Command("nv show qos roce", Kind.STATE),
        Command("nv show system", Kind.STATE),
        Command("nv show interface qos-roce-counters", Kind.COUNTERS),
    ),
    unknown=r"(?:Error: |usage: nv|.*command not found|Invalid )",
    called=("cumulus_linux", "cumulus-linux", "cumuluslinux", "nvidia.nvue", "cumulus_cvx", "cvx"),
)
