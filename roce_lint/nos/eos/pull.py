"""What a live pull asks of Arista EOS; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import Command, Kind, PullPlan

PULLED = PullPlan(
    words=("show",),
    commands=(
        Command("show running-config", needed=True),
        Command("show lldp neighbors detail"),
        Command("show version"),
        Command("show interfaces status | json", Kind.STATE),
        Command("show interfaces | json", Kind.STATE),
        Command("show priority-flow-control", Kind.STATE),
        Command("show qos maps", Kind.STATE),
        Command("show dcbx", Kind.STATE),
        Command("show interfaces phy detail | json", Kind.STATE),
        Command("show priority-flow-control counters | json", Kind.COUNTERS),
        Command("show priority-flow-control counters watchdog | json", Kind.COUNTERS),
        Command("show interfaces counters queue detail", Kind.COUNTERS),
        Command("show qos interfaces ecn counters queue | json", Kind.COUNTERS),
        Command("show interfaces counters discards | json", Kind.COUNTERS),
        Command("show interfaces counters errors | json", Kind.COUNTERS),
    ),
    prepares=("terminal width 511", "terminal length 0"),
    enable="enable",
    unknown=r"% (?:Invalid|Incomplete|Ambiguous|Unavailable) ",
    called=("arista", "arista_eos", "arista-eos", "arista.eos.eos", "ceos", "arista_ceos", "veos"),
)
