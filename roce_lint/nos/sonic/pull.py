"""What a live pull asks of community SONiC; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show", "cat /etc/sonic/config_db.json"),
    commands=(
        Command("show runningconfiguration all", needed=True),
        Command("show lldp table"),
        Command("show version"),
        Command("show interfaces status", Kind.STATE),
        Command("show pfc priority", Kind.STATE),
        Command("show pfcwd config", Kind.STATE),
        Command("show ecn", Kind.STATE),
        Command("show buffer information", Kind.STATE),
        Command("show pfc counters", Kind.COUNTERS),
        Command("show queue counters", Kind.COUNTERS),
        Command("show queue wredcounters", Kind.COUNTERS),
        Command("show pfcwd stats", Kind.COUNTERS),
        Command("show priority-group drop counters", Kind.COUNTERS),
        Command("show priority-group watermark headroom", Kind.COUNTERS),
        Command("show interfaces counters", Kind.COUNTERS),
    ),
    unknown=r"(?:Usage: show |Error: No such (?:command|option)|.*command not found)",
    called=("sonic-vs", "community-sonic", "edgecore_sonic", "sonic-vm"),
)
