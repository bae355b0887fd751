"""Measures what it costs clean files that captures are read as well.

    python benchmarks/captures.py            # every format
    python benchmarks/captures.py eos linux  # some

A file as a device printed it needs no cleaning, but that must be found out. The devices of a
format are read with and without that look, in turns in one process, so that nothing but the look
differs: whether a file is a capture, a form that another program wrote, a report, or a template
that was never filled in.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from fabric import WRITERS, Shape, write

from roce_lint.loading.load import load

BUDGET = 1.05
"""Processor time of reading, compared with reading that looks for no capture."""

HOSTS = "linux"

LOOKS = (
    "roce_lint.loading.intake.read_capture",
    "roce_lint.loading.intake.form_of_text",
    "roce_lint.loading.intake.is_report",
    "roce_lint.loading.intake.is_program",
    "roce_lint.loading.pool.find_template",
)


def main() -> int:
    """Measure the formats asked for; the exit status says whether each is within the budget."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    names = (*WRITERS, HOSTS)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="of " + ", ".join(names))
    parser.add_argument("--rounds", type=int, default=7, help="rounds; the quickest counts")
    options = parser.parse_args()
    unknown = sorted(set(options.formats) - set(names))
    if unknown:
        parser.error(f"no format is called {unknown[0]}")
    gc.disable()  # as a run does
    print("format           with look   without   ratio")
    slow = [name for name in options.formats or names if not measure(name, options.rounds)]
    if slow:
        print(f"above the budget of {BUDGET}: {', '.join(slow)}")
    return 1 if slow else 0


def measure(name: str, rounds: int) -> bool:
    """Print the figures of one format; whether the look is cheap enough."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), _shape(name))
        seen, bare = [], []
        for _ in range(rounds):
            seen.append(_seconds(folder))
            with ExitStack() as stack:
                for look in LOOKS:
                    stack.enter_context(patch(look, _nothing))
                bare.append(_seconds(folder))
    ratio = min(seen) / min(bare)
    print(f"{name:<15}{min(seen):9.3f} s{min(bare):9.3f} s{ratio:8.3f}", flush=True)
    return ratio <= BUDGET


def _shape(name: str) -> Shape:
    if name == HOSTS:
        return Shape(pods=1, leaves=0, spines=0, hosts=128)
    return Shape(pods=1, hosts=0, formats=(name,))


def _nothing(*_: object, **__: object) -> None:
    """The answer of a look that finds nothing."""


def _seconds(folder: str) -> float:
    gc.collect()
    begin = time.process_time()
    load((folder,), jobs=1, cache=False)
    return time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
