"""`make fuzz`: judges mutated captures for some minutes, and tells the numbers that went wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.judge import Ended, case


def main(arguments: list[str] | None = None) -> int:
    """Run cases; 1 where one went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="of time that passes")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cases", type=int, default=1 << 60, help="how many at most")
    given = parser.parse_args(arguments)
    until = time.monotonic() + 60 * given.minutes
    done: list[Ended] = []
    for number in range(given.first, given.first + given.cases):
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory() as folder:
            ended = case(number, Path(folder))
        done.append(ended)
        for fault in ended.faults:
            print(f"case {number}: {fault}", flush=True)
    print(summary(done, given.first))
    return 1 if any(ended.faults for ended in done) else 0


def summary(done: list[Ended], first: int) -> str:
    """What was run, in a line."""
    files, seconds = sum(e.files for e in done), sum(e.seconds for e in done)
    rules = set[str]().union(*(e.rules for e in done))
    slowest = max(done, key=lambda ended: ended.seconds, default=Ended(first))
    return (
        f"cases {first} to {first + len(done) - 1}: {files} files, "
        f"{sum(e.devices for e in done)} devices, {sum(e.findings for e in done)} findings of "
        f"{len(rules)} rules, {sum(bool(e.faults) for e in done)} cases went wrong; "
        f"{seconds:.0f} s, the slowest case ({slowest.number}) {slowest.seconds:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
