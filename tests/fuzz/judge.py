"""One case of the fuzzer: a folder of mutated captures, and everything that is asked of it.

A case is its number: the same number makes the same folder and the same questions on every machine.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

from click.testing import CliRunner

import roce_lint
from roce_lint.cli.main import cli
from roce_lint.errors import RoceLintError
from roce_lint.report import FORMATS
from tests.fuzz.bases import Base, forms
from tests.fuzz.mutate import mutate

SLOW = 20.0
"""Seconds of processor time: the captures are small, and the slowest case seen takes 2."""

STATUSES = (0, 1, 2, 3)
OURS = "this is a fault of roce-lint itself"
COMMANDS = (
    ("show",), ("show", "-v", "--lines"), ("show", "--format", "json", "-v"),
    ("trace", "--from", "gpu1", "--to", "gpu2"), ("check", "--format", "json", "--isolated"),
    ("check", "-v", "--show-unknown", "--strict", "--group-by", "device"),
)  # fmt: skip
BUDGET = "took more than"


@dataclass
class Ended:
    """What one case gave: what is wrong with it, if anything is."""

    number: int
    files: int = 0
    devices: int = 0
    findings: int = 0
    seconds: float = 0.0
    rules: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def make(number: int, folder: Path) -> int:
    """Write the files of a case; how many there are."""
    random = Random(number)
    for count in range(random.choice((1, 4, 8, 16, 24))):
        form = random.choice(sorted(forms(), key=lambda form: form.value))
        base = random.choice(forms()[form])
        place = folder / f"d{random.randrange(6)}"
        place.mkdir(exist_ok=True)
        (place / _name(base, count, random)).write_bytes(mutate(random, base.text, form))
    return sum(1 for path in folder.rglob("*") if path.is_file())


def _name(base: Base, count: int, random: Random) -> str:
    """Its own name, by which it may be known, or one that says nothing."""
    return base.name if random.random() < 0.6 else f"x{count}.txt"


def case(number: int, folder: Path) -> Ended:
    """Make a case and judge it."""
    ended = Ended(number, make(number, folder))
    begin = time.process_time()
    try:
        _ask(ended, folder)
    except Exception as error:  # whatever it is: that is what is looked for
        ended.faults.append(f"{type(error).__name__}: {error}"[:300])
    ended.seconds = time.process_time() - begin
    if ended.seconds > SLOW:
        ended.faults.append(f"took {ended.seconds:.1f} s")
    return ended


def _ask(ended: Ended, folder: Path) -> None:
    request = roce_lint.Request(paths=(str(folder),), jobs=1, cache=False)
    try:
        report = roce_lint.run(request, roce_lint.Settings())
    except RoceLintError as error:
        ended.faults.append(f"refused: {error}")
        return
    ended.devices, ended.findings = len(report.devices), len(report.findings)
    ended.rules = {finding.rule for finding in report.findings}
    for finding in report.findings:
        if finding.rule in ("SRC900", "SRC901") and BUDGET not in finding.message:
            ended.faults.append(finding.message[:300])
    before = len(report.diagnostics)
    options = roce_lint.Options(cwd=str(folder), verbose=True, show_unknown=True)

    def again(name: str) -> str:
        return roce_lint.render(name, replace(report), options)

    for name in FORMATS:
        _see(ended, name, roce_lint.render(name, report, options))
        if ended.number % 10 == 0 and again(name) != again(name):
            ended.faults.append(f"{name} is not the same twice")
    if len(report.diagnostics) != before:
        ended.faults.append(f"could not be shown: {report.diagnostics[-1].message}"[:300])
    _command(ended, folder)


def _see(ended: Ended, name: str, text: str) -> None:
    """Whether an output is what its format says."""
    text.encode("utf-8")
    if name in ("json", "sarif", "gitlab"):
        json.loads(text)
    elif name == "jsonl":
        for line in text.splitlines():
            json.loads(line)
    elif name == "junit":
        ET.fromstring(text)  # noqa: S314  (our own)
    elif name == "html" and text.count("<script") != 1:
        ended.faults.append("html holds a script of its own")
    if any(ord(letter) < 32 and letter not in "\n\t" for letter in text):
        ended.faults.append(f"{name} holds a control character")
    if name != "github" and any(line.startswith("::") for line in text.split("\n")):
        ended.faults.append(f"{name} holds a command of a pipeline")
    if "##vso[" in text:
        ended.faults.append(f"{name} holds a command of a pipeline")


def _command(ended: Ended, folder: Path) -> None:
    """One of the other commands, which one by the number."""
    words = (*COMMANDS, ("diff", str(folder / "d0")))[ended.number % (len(COMMANDS) + 1)]
    paths = [str(folder)]
    done = CliRunner().invoke(cli, [*words, *paths, "--no-cache"], prog_name="roce-lint")
    known = done.exception is None or isinstance(done.exception, SystemExit)
    if not known or OURS in done.output or "Traceback" in done.output:
        ended.faults.append(f"{words[0]}: {type(done.exception).__name__}: {done.exception}"[:300])
    if known and done.exit_code not in STATUSES:
        ended.faults.append(f"{words[0]}: exit status {done.exit_code}")
    if "json" in words and done.exit_code != 2:
        json.loads(done.stdout)
