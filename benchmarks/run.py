"""Measures roce-lint on generated fabrics, and in the same run what it is compared with.

    python benchmarks/run.py            # the budget: 256 switches of 64 ports, 1,024 hosts
    python benchmarks/run.py --small    # a sixteenth of it, in seconds

Absolute figures depend on the machine and on what else it does; trust the ratios, which come
from one run. A command is measured as a whole process: start, run, end.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from fabric import PORTS, Shape, nxos, write
from fabric import Port as SwitchPort

MB = 1e6
BUDGET_SECONDS = 20.0
BUDGET_BYTES = 1 << 30
BUDGET_RATIO = 3.0
BUDGET_START = 2.5


def main() -> int:
    """Run everything; the exit status says whether the budgets were met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a sixteenth of the fabric")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the median counts")
    options = parser.parse_args()
    shape = Shape(pods=1, leaves=12, spines=4, hosts=64) if options.small else Shape()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        keep_bytecode(root / "bytecode")
        met = _start(options.rounds)
        met &= _whole(root / "fabric", shape, options.rounds)
        met &= _parsers(root / "nxos", 16 if options.small else 256, options.rounds)
    print("budgets met" if met else "a budget was missed")
    return 0 if met else 1


def keep_bytecode(folder: Path) -> None:
    """Let the processes that are measured start from bytecode, as from an installed package.

    Where the environment forbids Python to keep it, every start would compile everything again.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    sample = Path(__file__).parents[1] / "sample_configs" / "clean-fabric"
    for command in (BARE, roce_lint("--help"), roce_lint("check", str(sample), "--no-cache")):
        _process(command)


BARE = [sys.executable, "-c", "import click\n@click.command()\ndef f(): pass\nf(['--help'])"]


def _start(rounds: int) -> bool:
    """Start-up against a program that only imports click."""
    base = _median(lambda: _process(BARE), rounds * 3)
    met = True
    for flag in ("--version", "--help"):
        mine = _median(lambda flag=flag: _process(roce_lint(flag)), rounds * 3)
        ratio = mine / base
        met &= ratio <= BUDGET_START
        name = f"roce-lint {flag}"
        print(f"{name:<34}{mine * 1000:8.0f} ms   {ratio:5.2f} x bare click {base * 1000:.0f} ms")
    return met


def _whole(root: Path, shape: Shape, rounds: int) -> bool:
    """The whole check of a mixed fabric, its files dropped from the page cache where possible."""
    size = write(root, shape)
    hosts = shape.pods * shape.hosts
    print(f"fabric: {shape.switches} switches of {PORTS} ports, {hosts} hosts, {size / MB:.1f} MB")
    read = _median(lambda: _read(root), rounds)
    print(f"{'read and split':<34}{read:8.2f} s   {size / MB / read:8.1f} MB/s")
    times, peak = [], 0
    for _ in range(rounds):
        cold = _drop(root)
        seconds, memory = measured(
            roce_lint("check", str(root), "--format", "concise", "--no-cache")
        )
        times.append(seconds)
        peak = max(peak, memory)
    seconds = statistics.median(times)
    devices = shape.switches + hosts
    print(
        f"{'check, cold' if cold else 'check, warm':<34}{seconds:8.2f} s"
        f"   {size / MB / seconds:8.1f} MB/s"
        f"   {devices / seconds:7.0f} devices/s   {peak / MB:6.0f} MB peak, all processes"
        f"   {seconds / read:.1f} x reading"
    )
    full = shape.switches >= 256
    return not full or (seconds < BUDGET_SECONDS and peak < BUDGET_BYTES)


def _parsers(root: Path, count: int, rounds: int) -> bool:
    """The whole check against the bare parse of other tools, on the same NX-OS files."""
    ports = [
        SwitchPort(n, "spine", f"10.0.0.{2 * n}", faces_host=n > 16) for n in range(1, PORTS + 1)
    ]
    root.mkdir(parents=True)
    for number in range(count):
        (root / f"leaf{number}.cfg").write_text(nxos(f"leaf{number}", ports), encoding="utf-8")
    size = sum(path.stat().st_size for path in root.iterdir())
    few = max(count // 16, 1)  # they are slow; the rate is what counts
    small = size * few / count
    mine = _median(
        lambda: _process(
            roce_lint("check", str(root), "--format", "concise", "--no-cache"), ok=(0, 1)
        ),
        rounds,
    )
    one = _median(
        lambda: _process(
            roce_lint("check", str(root), "--format", "concise", "--no-cache", "-j", "1"),
            ok=(0, 1),
        ),
        rounds,
    )
    _hier_config(root, 1)  # its import is not what is measured
    hier = _median(lambda: _hier_config(root, few), rounds)
    fsm = _median(lambda: _textfsm(root, few), rounds)
    rates = {
        "check, all processors": size / mine,
        "check, one process": size / one,
        "hier_config, bare parse": small / hier,
        "textfsm, bare parse, 9 rules": small / fsm,
        "TTP, bare parse, 7 lines": small / _median(lambda: _ttp(root, few), rounds),
    }
    if find_spec("netutils") is not None:
        rates["netutils, bare parse"] = small / _median(lambda: _netutils(root, few), rounds)
    print(f"NX-OS: {count} files, {size / MB:.1f} MB; ratios to hier_config")
    base = rates["hier_config, bare parse"]
    for name, rate in rates.items():
        print(f"{name:<34}{rate / MB:8.1f} MB/s   {rate / base:5.2f} x")
    return rates["check, all processors"] >= BUDGET_RATIO * base


def _hier_config(root: Path, count: int) -> None:
    from hier_config import Platform, get_hconfig

    for number in range(count):
        get_hconfig(Platform.CISCO_NXOS, (root / f"leaf{number}.cfg").read_text(encoding="utf-8"))


TEXTFSM = r"""Value Required NAME (\S+)
Value DESCRIPTION (.*)
Value MTU (\d+)
Value ADDRESS (\S+)
Value PFC (\S+)
Value POLICY (\S+)
Value WATCHDOG (\S+)

Start
  ^interface -> Continue.Record
  ^interface ${NAME}
  ^  description ${DESCRIPTION}
  ^  mtu ${MTU}
  ^  ip address ${ADDRESS}
  ^  priority-flow-control mode ${PFC}
  ^  priority-flow-control watch-dog-interval ${WATCHDOG}
  ^  service-policy type qos input ${POLICY}
"""


def _textfsm(root: Path, count: int) -> None:
    import io

    import textfsm

    for number in range(count):
        machine = textfsm.TextFSM(io.StringIO(TEXTFSM))
        machine.ParseText((root / f"leaf{number}.cfg").read_text(encoding="utf-8"))


TTP = """
interface {{ name }}
  description {{ description | re(".*") }}
  mtu {{ mtu }}
  ip address {{ address }}
  priority-flow-control mode {{ pfc }}
  priority-flow-control watch-dog-interval {{ watchdog }}
  service-policy type qos input {{ policy }}
"""


def _ttp(root: Path, count: int) -> None:
    from ttp import ttp

    for number in range(count):
        parser = ttp((root / f"leaf{number}.cfg").read_text(encoding="utf-8"), TTP)
        parser.parse(one=True)


def _netutils(root: Path, count: int) -> None:
    from netutils.config.parser import NXOSConfigParser

    for number in range(count):
        text = (root / f"leaf{number}.cfg").read_text(encoding="utf-8")
        NXOSConfigParser(text).build_config_relationship()


def _read(root: Path) -> None:
    for folder, _, files in os.walk(root):
        for name in files:
            Path(folder, name).read_text(encoding="utf-8").split("\n")


def _drop(root: Path) -> bool:
    """Ask the kernel to drop the files from its cache; False where it cannot be asked."""
    if not hasattr(os, "posix_fadvise"):
        return False
    os.sync()
    for folder, _, files in os.walk(root):
        for name in files:
            handle = os.open(Path(folder, name), os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)
    return True


def roce_lint(*words: str) -> list[str]:
    """The command line of roce-lint, started like any program."""
    return [sys.executable, "-m", "roce_lint", *words]


def _process(command: list[str], ok: tuple[int, ...] = (0,)) -> None:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in ok:
        raise SystemExit(
            f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-500:]}"
        )


def measured(command: list[str]) -> tuple[float, int]:
    """Seconds, and the peak of the summed memory (PSS) of the process and its children in bytes."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        peak = 0
        while child.poll() is None:
            asked = time.perf_counter()
            peak = max(peak, _memory(child.pid))
            # asking walks all pages of the process: what is asked about shall not wait for it
            time.sleep(max(0.05, 10 * (time.perf_counter() - asked)))
    seconds = time.perf_counter() - begin
    if child.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return seconds, peak or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _memory(pid: int) -> int:
    """PSS of a process and all below it, where /proc tells; else 0."""
    total = 0
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
            waiting += [
                int(p)
                for p in Path(f"/proc/{one}/task/{one}/children")
                .read_text(encoding="ascii")
                .split()
            ]
        except OSError:
            continue
        total += sum(
            int(line.split()[1]) * 1024 for line in rollup.split("\n") if line.startswith("Pss:")
        )
    return total


def _median(run: Callable[[], None], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


if __name__ == "__main__":
    raise SystemExit(main())
