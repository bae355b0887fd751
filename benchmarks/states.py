"""Measures `diff` against reading both folders, and `whatif` against `check` of one.

    python benchmarks/states.py                 # 4,096 switches of 64 ports, 100 of them different
    python benchmarks/states.py --small         # a sixty-fourth of it

Only ratios of one run count: the machine may do other things.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import run
from fabric import PORTS, Shape, write

SWITCHES, DIFFERENT = 4096, 100
BUDGETS = {"diff": 1.15, "whatif": 1.25, "memory": 1.6}

READ = """
import gc, sys
gc.disable()
from roce_lint.loading.load import load
kept = [load((path,)) for path in sys.argv[1:]]
"""

CHANGES = ("p0l1:* ip_mtu=1500", "p0l3:* speed=800G")


def main() -> int:
    """Run everything; the exit status says whether the budgets were met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="64 switches")
    parser.add_argument("--pods", type=int, default=64, help="pods of 64 switches")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the median counts")
    options = parser.parse_args()
    pods = 1 if options.small else options.pods
    shape = Shape(pods=pods, leaves=48, spines=16, hosts=4 if options.small else 2)
    with tempfile.TemporaryDirectory() as folder:
        run.keep_bytecode(Path(folder) / "bytecode")
        a, b = Path(folder) / "a", Path(folder) / "b"
        size = write(a, shape) + write(b, shape)
        changed = _change(b, max(shape.switches * DIFFERENT // SWITCHES, 1))
        print(f"two folders of {shape.switches} switches of {PORTS} ports, {size / run.MB:.1f} MB, "
              f"{changed} different")  # fmt: skip
        met = _ratios(a, b, options.rounds)
    print("budgets met" if met else "a budget was missed")
    return 0 if met else 1


def _change(root: Path, count: int) -> int:
    """Write another value into some of the switches: the length of a line stays."""
    done = 0
    for path in sorted((root / "switches").iterdir()):
        text = path.read_text(encoding="utf-8")
        for old, new in (("mtu 9214", "mtu 9000"), ("mtu 9216", "mtu 9000"), ('"9100"', '"9000"')):
            if done < count and old in text:
                path.write_text(text.replace(old, new, 1), encoding="utf-8")
                done += 1
                break
    return done


def _ratios(a: Path, b: Path, rounds: int) -> bool:
    both, _ = _measure([sys.executable, "-c", READ, str(a), str(b)], rounds)
    diff, diff_memory = _measure(_command("diff", a, b), rounds)
    check, check_memory = _measure(_command("check", a, "--format", "concise"), rounds)
    wanted = [word for change in CHANGES for word in ("--set", change)]
    whatif, whatif_memory = _measure(_command("whatif", a, *wanted, "--format", "json"), rounds)
    peaks = [f"{memory / run.MB:.0f} MB" for memory in (diff_memory, whatif_memory, check_memory)]
    figures = {
        "diff": (diff / both, f"{diff:.1f} s against {both:.1f} s to read both"),
        "whatif": (whatif / check, f"{whatif:.1f} s against {check:.1f} s of check"),
        "memory": (
            max(diff_memory, whatif_memory) / check_memory,
            "{} of diff, {} of whatif against {} of check".format(*peaks),
        ),
    }
    for name, (ratio, words) in figures.items():
        print(f"{name:<10}{ratio:6.2f} x   (budget {BUDGETS[name]})   {words}")
    return all(ratio <= BUDGETS[name] for name, (ratio, _) in figures.items())


def _command(name: str, *words: object) -> list[str]:
    return run.roce_lint(name, *map(str, words), "--no-cache")


def _measure(command: list[str], rounds: int) -> tuple[float, float]:
    """The median of the seconds of processor time, and the peak of the memory.

    Others who use the machine lengthen the time by the clock many times, this one by a fifth.
    """
    rounded = [_once(command) for _ in range(rounds)]
    return statistics.median(s for s, _ in rounded), max(memory for _, memory in rounded)


def _once(command: list[str]) -> tuple[float, int]:
    before = os.times()
    seconds, memory = run.measured(command)
    after = os.times()
    used = sum(after[2:4]) - sum(before[2:4])
    print(f"  {' '.join(command[2:4])[:40]!r}: {used:.1f} s of processor, {seconds:.1f} s by the "
          f"clock, {memory / run.MB:.0f} MB", flush=True)  # fmt: skip
    return used, memory


if __name__ == "__main__":
    raise SystemExit(main())
