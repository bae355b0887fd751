"""Measures checks of growing fabrics: cold, again, one file changed, from bundles, and over Dask.

    python benchmarks/scale.py                      # 256 switches with 1,024 hosts
    python benchmarks/scale.py --pods 16 32 64      # 1,024, 2,048 and 4,096 switches
    python benchmarks/scale.py --before ../old      # the cold check by another checkout, too

A pod has 64 switches of 64 ports and 256 hosts. Trust the ratios: all come from one run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from fabric import Shape, write
from run import MB, _drop, _median, _process, _read, keep_bytecode, measured, roce_lint

CODES = (0, 1)


def main() -> int:
    """Measure each size; the exit status is 0, as no budget is absolute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, nargs="+", default=[4])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=Path, help="another checkout of roce-lint")
    parser.add_argument("--short", action="store_true", help="without -j 1, bundles and Dask")
    options = parser.parse_args()
    before = options.before.resolve() if options.before is not None else None
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        keep_bytecode(root / "bytecode")
        os.chdir(root)  # Python looks for modules here first
        for pods in options.pods:
            os.environ["XDG_CACHE_HOME"] = str(root / f"cache-{pods}")
            fabric, shape = root / f"fabric-{pods}", Shape(pods=pods)
            _measure(fabric, shape, options.rounds, before)
            if not options.short:
                _elsewhere(fabric, shape, options.rounds)
            shutil.rmtree(fabric)
    return 0


def _measure(root: Path, shape: Shape, rounds: int, before: Path | None) -> None:
    size = write(root, shape)
    hosts = shape.pods * shape.hosts
    print(f"\n{shape.switches} switches, {hosts} hosts, {size / MB:.0f} MB", flush=True)
    _show("read and split", _median(lambda: _read(root), rounds))
    check = [*roce_lint("check", str(root)), "--format", "concise"]
    uncached = [*check, "--no-cache"]
    if before is not None:
        _show("cold, before", *_checked(uncached, rounds, lambda: _drop(root), before))
    _show("cold", *_checked(uncached, rounds, lambda: _drop(root)))
    _process(check, CODES)
    _show("nothing changed", *_checked(check, rounds))
    _show("one file changed", *_checked(check, rounds, lambda: _change(root)))


def _elsewhere(root: Path, shape: Shape, rounds: int) -> None:
    """The same by one process, from bundles, and over Dask."""
    uncached = [*roce_lint("check", str(root)), "--format", "concise", "--no-cache"]
    _show("cold, -j 1", *_checked([*uncached, "-j", "1"], 1, lambda: _drop(root)))
    _bundles(root, shape, rounds)
    if find_spec("distributed") is not None:
        with _cluster(root.parent) as executor:
            _show("Dask, two workers", *_checked([*uncached, "--executor", executor], rounds))


def _show(what: str, seconds: float, memory: int = 0) -> None:
    used = f"   {memory / MB:6.0f} MB peak, all processes" if memory else ""
    print(f"{what:<24}{seconds:8.2f} s{used}", flush=True)


def _checked(
    command: list[str],
    rounds: int,
    prepare: Callable[[], object] = lambda: None,
    before: Path | None = None,
) -> tuple[float, int]:
    """Median of the seconds, and the peak memory, by this code or that of another checkout."""
    times, peak = [], 0
    kept = os.environ.get("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = str(before)
    try:
        for _ in range(rounds):
            prepare()
            seconds, memory = measured(command)
            times.append(seconds)
            peak = max(peak, memory)
    finally:
        if before is not None:
            os.environ.pop("PYTHONPATH")
            if kept is not None:
                os.environ["PYTHONPATH"] = kept
    return statistics.median(times), peak


def _change(root: Path) -> None:
    """Add a comment to the first switch: another text in each round."""
    file = min((root / "switches").iterdir())
    file.write_text(f"{file.read_text()}! {time.time()}\n", encoding="utf-8")


def _bundles(root: Path, shape: Shape, rounds: int) -> None:
    """One bundle of the devices of each pod, read one after the other."""
    begin = time.perf_counter()
    for pod in range(shape.pods):
        entries = map(str, root.glob(f"*/p{pod}[a-z]*"))
        part = str(root.parent / f"part-{pod}.roce")
        _process(roce_lint("read", *entries, "--no-cache", "-o", part))
    _show("bundles written", time.perf_counter() - begin)
    parts = sorted(map(str, root.parent.glob("part-*.roce")))
    _show("check of bundles", *_checked(
        [*roce_lint("check", *parts), "--format", "concise", "--no-cache"], rounds))  # fmt: skip


@contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """A scheduler with two workers on this machine; its address as of `--executor`."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    run = [sys.executable, "-m", "dask"]
    where = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
    commands = [[*run, "scheduler", "--port", "0", *where]]
    commands += [[*run, "worker", "--nthreads", "1", *where]] * 2
    started = [subprocess.Popen(each, stderr=subprocess.DEVNULL) for each in commands]
    try:
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"].replace("tcp", "dask")
    finally:
        for each in reversed(started):
            each.terminate()
            each.wait()


if __name__ == "__main__":
    raise SystemExit(main())
