"""`make fuzz`: checks mutated captures for some minutes, and prints the numbers that failed."""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.judge import Ended, case, read_rules_once

SLOW = 20.0
"""Seconds of processor time: the captures are small, and the slowest case seen takes 4."""

TOLD_EVERY = 500
"""Cases after which a long run reports its progress."""

COLLECTED_EVERY = 20
"""Cases after which their memory is given back."""


def main(arguments: list[str] | None = None) -> int:
    """Run cases; 1 where one went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="of time that passes")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cases", type=int, default=1 << 60, help="how many at most")
    parser.add_argument("--files", type=int, default=1 << 60, help="end after so many files")
    given = parser.parse_args(arguments)
    read_rules_once()
    until = time.monotonic() + 60 * given.minutes
    total = Total(given.first)
    for number in range(given.first, given.first + given.cases):
        if time.monotonic() > until or total.files >= given.files:
            break
        with tempfile.TemporaryDirectory() as folder:
            ended = case(number, Path(folder))
        if ended.seconds > SLOW:
            ended.faults.append(f"took {ended.seconds:.1f} s")
        total.add(ended)
        if number % COLLECTED_EVERY == 0:
            gc.collect()
        for fault in ended.faults:
            print(f"case {number}: {fault}", flush=True)
        if total.cases % TOLD_EVERY == 0:
            print(total, flush=True)
    print(total)
    return 1 if total.wrong else 0


class Total:
    """Totals of a run; the cases are not kept, as there may be very many."""

    def __init__(self, first: int):
        self.first, self.cases, self.files, self.wrong = first, 0, 0, 0
        self.devices, self.findings, self.seconds = 0, 0, 0.0
        self.rules: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.slowest = Ended(first)

    def add(self, ended: Ended) -> None:
        """Count one case."""
        self.cases += 1
        self.files += ended.files
        self.devices += ended.devices
        self.findings += ended.findings
        self.seconds += ended.seconds
        self.wrong += bool(ended.faults)
        self.rules |= ended.rules
        self.asked[ended.asked] += 1
        self.slowest = max(self.slowest, ended, key=lambda each: each.seconds)

    def __str__(self) -> str:
        asked = ", ".join(f"{name} {times}" for name, times in sorted(self.asked.items()) if name)
        return (
            f"cases {self.first} to {self.first + self.cases - 1}: {self.files} files, "
            f"{self.devices} devices, {self.findings} findings of {len(self.rules)} rules, "
            f"{asked}; {self.wrong} cases went wrong; {self.seconds:.0f} s, "
            f"the slowest case ({self.slowest.number}) {self.slowest.seconds:.1f} s"
        )


if __name__ == "__main__":
    sys.exit(main())
