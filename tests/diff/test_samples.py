"""The clean and the broken sample differ in what was planted, and in nothing else."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.model.device import Device
from roce_lint.model.object_diff import Difference
from tests.conftest import ROOT, Golden
from tests.diff.compared import change_lines, compared, devices
from tests.metamorphic.snapshot import Files, backwards, each, indented, renamed, sample, with_crlf
from tests.metamorphic.test_samples import FORMS, own_names

FABRICS = ("clean-fabric", "broken-fabric")


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["diff", *words])


def test_the_planted_differences_are_listed(golden: Golden, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    found = run("sample_configs/clean-fabric", "sample_configs/broken-fabric")
    assert (found.exit_code, found.stderr) == (1, "")
    golden.check(Path(__file__).with_name("sample.txt"), found.stdout)


@pytest.mark.deep
def test_every_entry_names_a_line_that_was_planted_on_either_side():
    """And every file in which something was planted has an entry."""
    found = run(*(str(ROOT / "sample_configs" / name) for name in FABRICS), "--format", "json")
    entries = json.loads(found.stdout)["entries"]
    planted = {(n, line) for n, name in enumerate(FABRICS) for line in _planted(n, name)}
    named = [
        {(n, (line["file"], line["line"])) for n, side in enumerate("ab") for line in entry[side]}
        for entry in entries
    ]
    assert [entry["paths"] for entry, lines in zip(entries, named, strict=True)
            if not lines & planted] == []  # fmt: skip
    seen = {place[0].split("-fabric/")[1] for lines in named for _, place in lines & planted}
    files = {place[0].split("-fabric/")[1] for _, place in planted}
    assert files - seen == {"hosts/gpu06/ip-addr.json"}  # says the MTU again


def _planted(side: int, name: str) -> set[tuple[str, int]]:
    found = set()
    for file, text in sample(name).items():
        texts = [sample(fabric)[file].split("\n") for fabric in FABRICS]
        if texts[0] == texts[1]:
            continue
        for kind, *ends in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
            if kind != "equal":
                first, last = ends[2 * side : 2 * side + 2]
                path = str(ROOT / "sample_configs" / name / file)
                found |= {(path, line) for line in range(first + 1, last + 1)}
        assert text
    return found


@cache
def base(fabric: str) -> dict[str, Device]:
    with TemporaryDirectory() as folder:
        return devices(sample(fabric), Path(folder))


def differing(fabric: str, files: Files, folder: Path) -> list[str]:
    assert files != sample(fabric)
    other = devices(files, folder)
    assert other.keys() == base(fabric).keys()
    return [
        f"{name} {text}"
        for name, device in base(fabric).items()
        for text in change_lines(compared(device, other[name]))
    ]


@pytest.mark.parametrize("fabric", FABRICS)
@pytest.mark.parametrize("way", ["crlf", "blanks", "tab", "backwards", *FORMS])
def test_what_is_written_otherwise_is_no_difference(fabric: str, way: str, tmp_path: Path):
    files = sample(fabric)
    if way in FORMS:
        ending, change = FORMS[way]
        files = each(files, ending, change)
    else:
        files = {
            "crlf": with_crlf,
            "blanks": lambda f: indented(f, "    "),
            "tab": lambda f: indented(f, "\t"),
            "backwards": backwards,
        }[way](files)
    assert differing(fabric, files, tmp_path) == []


@pytest.mark.parametrize("fabric", FABRICS)
def test_other_names_of_maps_and_policies_are_no_difference(fabric: str, tmp_path: Path):
    names = sorted(own_names(sample(fabric)))
    other = [(name, f"x{number}-{name[::-1]}") for number, name in enumerate(names)]
    switches = {n: text for n, text in sample(fabric).items() if n.startswith("switches/")}
    assert differing(fabric, sample(fabric) | renamed(switches, other), tmp_path) == []


def test_a_device_has_no_difference_from_itself():
    for fabric in FABRICS:
        for device in base(fabric).values():
            assert compared(device, device, stated=True) == []


def test_seen_from_the_other_side_it_is_the_same():
    """Sides change places: the same paths, with the values of either side."""
    for name, device in base(FABRICS[0]).items():
        other = base(FABRICS[1])[name]
        there = {(_way(d), repr(d.a), repr(d.b)) for d in compared(device, other)}
        back = {(_way(d), repr(d.b), repr(d.a)) for d in compared(other, device)}
        assert there == back, name


def _way(each: Difference) -> str:
    """The path; what has no name is numbered by the side from which one looks."""
    return re.sub(r"emits\[\d+\]", "emits", str(each.path))
