"""What a live pull asks of Nokia SR Linux; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("info from running", "info from state", "show"),
    commands=(
        Command("info from running | as json", needed=True),
        Command("info from state system lldp | as json"),
        Command("show version"),
        Command("info from state qos | as json", Kind.COUNTERS),
    ),
    prepares=("environment complete-on-space false", "environment cli-engine type basic"),
    around=r"--\{.*\}--\[.*\]--",
    unknown=r"(?:Error: |Parsing error)",
    called=("nokia_srl", "nokia-srlinux", "nokia.srlinux.srlinux", "nokia_srlinux", "srl"),
)
