"""`make near`: the static checks and the tests nearest to a change, as far as the time goes.

    python -m tests.near [BASE] [SECONDS]

A change is what differs from the merge base with BASE (main): commits, index, working tree and
new files. On BASE itself it is what its upstream lacks. Tests are chosen by rank:

0. a changed test file
1. tests that hold words of a message, or a name, which the package no longer has
2. tests that name a golden file or import a helper that holds such words; for a reader or its
   template, tests/nos/<system> and its cases; for a check or its page, the examples of its rules
   and the unit tests of its family; the unit test of the same path
3. tests that import a changed module, or name a changed file
4. house tests that read the folder of a change; other tests of a reader, narrowed to its system
5. tests that import a changed module at second hand (then more distant ones) or name a rule;
   words that are found in many places

Two commands run at a time, near ones first. Tests that take long come last whatever their rank.
When the time is up, nothing starts, what runs is interrupted, and what was left out is printed.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.near.choice import Change, Choice

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PYTEST = "-p no:cacheprovider --tb=short --maxfail=10"

# Seconds that a test file takes about, by starts of paths: the longest start counts.
COSTS = {
    0.3: "tests/",
    0.6: "tests/nos/ tests/house/",
    1: "tests/captures/ tests/corpus/ tests/docs/",
    2: "tests/diff/ tests/rules/test_messages tests/unit/cli/ tests/unit/loading/",
    3: "tests/api/ tests/docs/test_first_hour tests/fabrics/ tests/house/test_patterns tests/live/ "
    "tests/rules/ tests/small_fabrics/ tests/unit/generate/",
    6: "tests/captures/test_matrix tests/contract/ tests/fabrics/test_one_ tests/fabrics/test_shaped "
    "tests/fabrics/test_stable tests/fix/ tests/fuzz/ tests/metamorphic/",
    10: "tests/diff/test_mutants tests/hostile/ tests/mutation/",
}
NARROWED = 0.1  # the part of a file that -k leaves, about
DEAR = 6.0
START = 1.5  # pytest itself
AT_ONCE = 9.0  # files of so many seconds are one run of pytest

GRACE = 4  # seconds to print failures after an interrupt
NO_TESTS = 5  # pytest: every case is deep, or -k leaves none
FAILURES = re.compile(r"^[.sxX]*[FE][.sxXFE]*(?: +\[|$)|^\d+ failed|\d+ errors?\b", re.MULTILINE)


@dataclass
class Job:
    """A command, the files that it is about, and the seconds that it takes about."""

    command: list[str]
    files: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        more = f" and {len(self.files) - 4} more" if len(self.files) > 4 else ""
        return f"{' '.join([*self.command, *self.files[:4]])}{more}"


def changes(root: Path, base: str) -> list[Change]:
    """Changes since the merge base with `base`, or with its upstream where that is HEAD."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace")

    head = git("rev-parse", "HEAD").strip()
    forks = [git("merge-base", "HEAD", each).strip() for each in (base, f"origin/{base}")]
    fork = next((each for each in forks if each not in ("", head)), head)
    listed = git("diff", "--name-only", "--no-renames", "-z", fork)
    listed += git("ls-files", "--others", "--exclude-standard", "-z")
    names = sorted(set(listed.split("\0")) - {""})
    return [Change(name, git("show", f"{fork}:{name}"), _text(root / name)) for name in names]


def texts(root: Path) -> dict[str, str]:
    """Modules of the package, all files under tests/, and the pages of the rules."""
    paths = [*root.glob("roce_lint/**/*.py"), *root.glob("tests/**/*"), *root.glob("rules/*/*.md")]
    files = (path for path in paths if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(root).as_posix(): _text(path) for path in files}


def static_checks(changed: list[Change]) -> list[Job]:
    """The static checks of `make test`, limited to changed files where possible."""
    names = [change.name for change in changed if change.new]
    code = [name for name in names if name.endswith(".py")]
    words = [name for name in names if re.match(r"(docs/|rules/|[^/]+\.md$)", name)]
    files = ["."] if "pyproject.toml" in names else code
    package = any(change.name.startswith("roce_lint/") for change in changed)
    jobs = [Job(["ruff", "check"], files), Job(["ruff", "format", "--check"], files)]
    jobs = [*(jobs if files else []), *([Job(["codespell"], words)] if words else [])]
    if package or files == ["."]:
        jobs += [Job(["lint-imports", "--no-logo"]), Job(["mypy"], seconds=5)]
    return jobs


def test_runs(picks: dict[tuple[str, str], int]) -> list[Job]:
    """The chosen tests, nearest first and dear ones last, several files to a run of pytest."""
    order = []
    for (name, keyword), rank in picks.items():
        seconds = cost(name) * (NARROWED if keyword else 1)
        order.append((seconds > DEAR, rank, keyword, seconds, name))
    jobs: list[Job] = []
    for _, _, keyword, seconds, name in sorted(order):
        command = ["pytest", *(["-k", keyword] if keyword else [])]
        limit = AT_ONCE if len(jobs) > 1 else AT_ONCE / 2  # the nearest are answered soonest
        if not jobs or jobs[-1].command != command or jobs[-1].seconds + seconds > limit:
            jobs.append(Job(command, [], START))
        jobs[-1].files.append(name)
        jobs[-1].seconds += seconds
    return jobs


def cost(name: str) -> float:
    """Seconds that a test file takes about."""
    starts = [(start, each) for each, listed in COSTS.items() for start in listed.split()]
    return max((len(start), each) for start, each in starts if name.startswith(start))[1]


def run(jobs: list[Job], seconds: float) -> tuple[int, list[Job]]:
    """Run two jobs at a time; the number of those that failed, and those that were left out."""
    waiting, end = iter(jobs), time.monotonic() + seconds
    failed: list[Job] = []
    left: list[Job] = []

    def work() -> None:
        for job in waiting:
            start = time.monotonic()
            if start + job.seconds > end:
                left.append(job)
                continue
            ended, output = _output(job, end)
            word = "ok" if ended else "interrupted"
            left.extend([job] * (ended is False))
            if ended is None or (not ended and FAILURES.search(output)):
                failed.append(job)
                word = "FAILED"
            print(f"{word:11} {time.monotonic() - start:5.1f} s  {job}", flush=True)
            if word == "FAILED":
                print(output, flush=True)

    with ThreadPoolExecutor(2) as pool:
        for worker in [pool.submit(work), pool.submit(work)]:
            worker.result()
    return len(failed), [job for job in jobs if job in left]


def _output(job: Job, end: float) -> tuple[bool | None, str]:
    """Output of a job; True if it succeeded, False if it was interrupted."""
    process = subprocess.Popen(
        [BIN / job.command[0], *job.command[1:], *job.files],
        cwd=ROOT,
        env=os.environ | {"PYTEST_ADDOPTS": PYTEST},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        output, _ = process.communicate(timeout=end - time.monotonic())
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            return False, process.communicate(timeout=GRACE)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return False, process.communicate()[0]
    return True if process.returncode in (0, NO_TESTS) else None, output


def commands(left: list[Job]) -> list[str]:
    """Commands for what was left out, one for each folder."""
    folders: dict[tuple[str, ...], list[str]] = {}
    for job in left:
        for name in job.files or [""]:
            folders.setdefault((name.rpartition("/")[0], *job.command), []).append(name)
    lines = []
    for (folder, tool, *words), names in folders.items():
        whole = folder and len(names) == len([*(ROOT / folder).glob("test_*.py")])
        files = [folder] if whole else filter(None, names)
        lines.append(shlex.join([f".venv/bin/{tool}", *words, *files]))
    return lines


def main(base: str = "main", seconds: str = "30") -> int:
    """Look at what changed since `base`, for about so many seconds."""
    start = time.monotonic()
    changed = changes(ROOT, base)
    checks, tests = static_checks(changed), test_runs(Choice(texts(ROOT)).near(changed))
    print(
        f"{len(changed)} changed files, {sum(len(job.files) for job in tests)} test files near them"
    )
    jobs = [*tests[:1], *checks, *tests[1:]]
    failed, left = run(jobs, float(seconds) - (time.monotonic() - start))
    for line in commands(left):
        print(f"left out             {line}")
    print(f"{failed} of {len(jobs)} commands failed; {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
