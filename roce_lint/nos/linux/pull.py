"""What a live pull asks of Linux hosts; shapes and sources are in docs/live.md."""

from __future__ import annotations

from roce_lint.nos.pull import PullPlan

PULLED = PullPlan(
    words=(),
    commands=(),
    called=("host", "ubuntu", "debian", "rhel", "rocky", "sles", "linux-host"),
    script=True,
)
