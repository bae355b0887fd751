"""One case of the fuzzer: a folder of mutated captures, and all checks on it.

A case is its number: the same number makes the same folder and checks on every machine.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from click.testing import CliRunner

import roce_lint
from roce_lint.cli.main import cli
from roce_lint.engine.page import load_pages
from roce_lint.errors import RoceLintError
from roce_lint.nos.declare import Form
from roce_lint.pipeline import inputs
from roce_lint.report import FORMATS
from tests.fuzz.bases import Base, base_at, fabrics, forms
from tests.fuzz.mutate import mutate
from tests.fuzz.questions import Made, question

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage
    from roce_lint.pipeline import Report

STATUSES = (0, 1, 2, 3)
OURS = "internal error of roce-lint"
BUDGET = "took more than"
SIZES = (1, 8, 32, 48, 64)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")


@dataclass
class Ended:
    """Result of one case: its faults, if any."""

    number: int
    files: int = 0
    devices: int = 0
    findings: int = 0
    seconds: float = 0.0
    rules: set[str] = field(default_factory=set)
    asked: str = ""
    faults: list[str] = field(default_factory=list)


def make(number: int, folder: Path) -> Made:
    """Write the files of a case: captures of all systems mixed, or a fabric whose devices know
    each other, beside which it stands as it was.
    """
    random = Random(number)
    here = folder / "b"
    here.mkdir()
    if random.random() < 0.3:
        return _fabric(random, here, folder / "a")
    count = random.choice(SIZES)
    differ = 0
    for each in range(count):
        form = random.choice(sorted(forms(), key=lambda form: form.value))
        base = random.choice(forms()[form])
        place = here / f"d{random.randrange(1 + count // 3)}"
        place.mkdir(exist_ok=True)
        data = mutate(random, base.text, form)
        differ += data != base.text.encode("utf-8", "surrogatepass")
        (place / _name(base, each, random)).write_bytes(data)
    return Made(here, random.choice(sorted(here.iterdir())), differ)


def _name(base: Base, count: int, random: Random) -> str:
    """Its own name, by which it may be known, or one that says nothing."""
    return base.name if random.random() < 0.6 else f"x{count}.txt"


def _fabric(random: Random, here: Path, other: Path) -> Made:
    files = random.choice(fabrics())
    top = next(path.parent for path in files if path.name == "links.yaml")
    often, differ, refusable = random.choice((0.3, 1.0)), 0, False
    for path in files:
        data = whole = path.read_bytes()
        base = base_at(path)
        if base is not None and random.random() < often:
            data = mutate(random, base.text, base.form)
            differ += data != whole
        elif base is None and random.random() < 0.05:
            data, refusable = mutate(random, whole.decode(), Form.YAML), True
            differ += data != whole
        for root, content in ((here, data), (other, whole)):
            place = root / path.relative_to(top)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    return Made(here, other, differ, refusable=refusable)


def case(number: int, folder: Path) -> Ended:
    """Make a case and check it."""
    made = make(number, folder)
    ended = Ended(number, made.files)
    begin = time.process_time()
    try:
        _ask(ended, made)
    except Exception as error:  # whatever it is: that is what is looked for
        ended.faults.append(f"{type(error).__name__}: {error}"[:300])
    ended.seconds = time.process_time() - begin
    return ended


def read_rules_once() -> None:
    """Every case uses the same pages: a long run reads them once."""
    inputs.load_pages = lambda folders: list(_pages(tuple(folders)))


@cache
def _pages(folders: tuple[Path, ...]) -> list[RulePage]:
    return load_pages(folders)


def _ask(ended: Ended, made: Made) -> None:
    request = roce_lint.Request(paths=(str(made.folder),), jobs=1, cache=False)
    try:
        report = roce_lint.run(request, roce_lint.Settings())
    except RoceLintError as error:
        if not made.refusable:
            ended.faults.append(f"refused: {error}")
        return
    ended.devices, ended.findings = len(report.devices), len(report.findings)
    ended.rules = {finding.rule for finding in report.findings}
    for finding in report.findings:
        if finding.rule in ("SRC900", "SRC901") and BUDGET not in finding.message:
            ended.faults.append(finding.message[:300])
    _render(ended, report, made.folder)
    _command(ended, question(ended.number, made, report))


def _render(ended: Ended, report: Report, folder: Path) -> None:
    """All formats, and occasionally a comparison of two runs."""
    before = len(report.diagnostics)
    options = roce_lint.Options(cwd=str(folder), verbose=True, show_unknown=True)

    def again(name: str) -> str:
        return roce_lint.render(name, replace(report), options)

    for name in FORMATS:
        _see(ended, name, roce_lint.render(name, report, options))
        if ended.number % 20 == 0 and again(name) != again(name):
            ended.faults.append(f"{name} is not the same twice")
    if len(report.diagnostics) != before:
        ended.faults.append(f"could not be shown: {report.diagnostics[-1].message}"[:300])


def _see(ended: Ended, name: str, text: str) -> None:
    """Check an output against its format."""
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
    if _CONTROL.search(text):
        ended.faults.append(f"{name} holds a control character")
    if name != "github" and (text.startswith("::") or "\n::" in text):
        ended.faults.append(f"{name} holds a command of a pipeline")
    if "##vso[" in text:
        ended.faults.append(f"{name} holds a command of a pipeline")


def _command(ended: Ended, words: list[str]) -> None:
    """Run one of the other commands."""
    ended.asked = words[0]
    cached = words[0] not in ("intent", "generate")
    done = CliRunner().invoke(
        cli, [*words, *(["--no-cache"] if cached else [])], prog_name="roce-lint"
    )
    known = done.exception is None or isinstance(done.exception, SystemExit)
    if not known or OURS in done.output or "Traceback" in done.output:
        ended.faults.append(f"{words[0]}: {type(done.exception).__name__}: {done.exception}"[:300])
    if known and done.exit_code not in STATUSES:
        ended.faults.append(f"{words[0]}: exit status {done.exit_code}")
    if known and done.stdout and "json" in words:
        json.loads(done.stdout)
    _see(ended, words[0], done.stdout)
