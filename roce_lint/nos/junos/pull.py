"""What a live pull asks of Junos and Junos Evolved; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show configuration | display inheritance no-comments | no-more", needed=True),
        Command("show lldp neighbors | no-more"),
        Command("show version | no-more"),
        Command("show dcbx neighbors terse | no-more", Kind.STATE),
        Command("show class-of-service interface | no-more", Kind.STATE),
        Command("show interfaces diagnostics optics | no-more", Kind.STATE),
        Command("show interfaces extensive | no-more", Kind.COUNTERS),
        Command("show interfaces queue | no-more", Kind.COUNTERS),
    ),
    prepares=(
        "set cli screen-width 511",
        "set cli complete-on-space off",
        "set cli screen-length 0",
        "cli",
    ),
    around=r"\{[\w: -]+\}(?:\[edit\])?",
    unknown=r"(?:syntax error|unknown command|\s*\^)",
    called=(
        "juniper",
        "juniper_junos",
        "juniper-junos",
        "junipernetworks.junos.junos",
        "juniper_vqfx",
        "juniper_vjunosswitch",
        "juniper_crpd",
    ),
)
