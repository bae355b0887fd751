"""Measures every configuration format by itself, on one processor.

    python benchmarks/formats.py                 # every format
    python benchmarks/formats.py eos junos-set   # some
    python benchmarks/formats.py --small         # a quarter of the devices

Pods of leaves and spines of one format, their links in place, are checked whole by one process,
and read by another that stops at the model. Each first checks one small device, so that the start
of the program is not measured here (`run.py` does). Processor time counts, not the clock; but a
busy machine slows a process down too, by half and more. So each process also times a loop that
never changes, right before and after: compare figures only where that took the same.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fabric import PORTS, RAILS, WRITERS, Shape, write

MB = 1e6
BUDGET_RATE = 5.0
"""MB/s of a whole check of any format on one processor."""

HOSTS = "linux"

WORK = """
import gc, sys, time
from roce_lint.cli.main import cli
from roce_lint.loading.load import load

def check(folder):
    try:
        cli(["check", folder, "--format", "concise", "--no-cache", "-j", "1"])
    except SystemExit as done:
        if done.code not in (0, 1):
            raise

def loop():
    begin = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number
    return time.process_time() - begin

gc.disable()  # as a run does
work = check if sys.argv[1] == "check" else lambda folder: load((folder,), jobs=1, cache=False)
work(sys.argv[2])
before = loop()
begin = time.process_time()
work(sys.argv[3])
end = time.process_time()
print(end - begin, max(before, loop()), file=sys.stderr)
"""
"""What a process does: a small folder first, then the one that is measured."""


@dataclass(frozen=True, order=True)
class Cost:
    """Processor seconds of a work, those of the loop beside it, and bytes of memory at the peak."""

    seconds: float
    loop: float
    peak: int


def main() -> int:
    """Measure the formats asked for; the exit status says whether each is fast enough."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="of " + ", ".join(_all()))
    parser.add_argument("--small", action="store_true", help="a quarter of the devices")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the quickest counts")
    options = parser.parse_args()
    unknown = sorted(set(options.formats) - set(_all()))
    if unknown:
        parser.error(f"no format is called {unknown[0]}")
    print(
        "format         devices     MB   whole check    per port     bytes    model only"
        "  peak memory   loop"
    )
    names = options.formats or _all()
    slow = [name for name in names if not measure(name, options)]
    if slow:
        print(f"below the budget of {BUDGET_RATE:.0f} MB/s: {', '.join(slow)}")
    return 1 if slow else 0


def _all() -> tuple[str, ...]:
    return (*WRITERS, HOSTS)


def measure(name: str, options: argparse.Namespace) -> bool:
    """Print the figures of one format; whether it is quick enough."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shape = _shape(name, 1 if options.small else 4)
        size = write(root / "fabric", shape) / MB
        (root / "small").mkdir()
        small = "hostname leaf1\ninterface Ethernet1\n   mtu 9214\n"
        (root / "small" / "leaf1.cfg").write_text(small, encoding="utf-8")
        whole = min(_cost("check", root) for _ in range(options.rounds))
        model = min(_cost("read", root) for _ in range(options.rounds))
    devices = shape.switches + shape.pods * shape.hosts
    ports = shape.switches * PORTS + shape.pods * shape.hosts * RAILS
    rate = size / whole.seconds
    print(
        f"{name:<15}{devices:7}{size:7.1f}{rate:9.1f} MB/s{whole.seconds / ports * 1e6:9.0f} us"
        f"{size / ports * MB:10.0f}"
        f"{size / model.seconds:9.1f} MB/s{whole.peak / MB:10.0f} MB{whole.loop * 1000:5.0f},"
        f"{model.loop * 1000:3.0f} ms",
        flush=True,
    )
    return rate >= BUDGET_RATE


def _shape(name: str, pods: int) -> Shape:
    if name == HOSTS:
        return Shape(pods=pods, leaves=0, spines=0, hosts=256)
    return Shape(pods=pods, hosts=0, formats=(name,))


def _cost(work: str, root: Path) -> Cost:
    """What one process took; the least of some was disturbed least."""
    command = [sys.executable, "-c", WORK, work, str(root / "small"), str(root / "fabric")]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as child:
        said = child.stderr.read() if child.stderr else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{work} ended with {child.returncode}: {said[-500:]}")
    seconds, loop = map(float, said.split()[-2:])
    return Cost(seconds, loop, usage.ru_maxrss * 1024)


if __name__ == "__main__":
    raise SystemExit(main())
