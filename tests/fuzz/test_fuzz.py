"""A short run of the fuzzer, and texts that Hypothesis puts together of the lines of captures.

`make fuzz` runs longer; docs/reliability.md says how much was run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import roce_lint
from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos
from tests.fuzz.__main__ import main
from tests.fuzz.bases import bases, forms
from tests.fuzz.judge import case, make
from tests.fuzz.mutate import NUMBERS, WORDS, mutate

CASES = 10
LINES = sorted({line for base in bases() for line in base.text.split("\n") if line.strip()})[
    :20_000
]


@pytest.mark.parametrize("number", range(CASES))
def test_nothing_ends_a_run_or_spoils_an_output(number: int, tmp_path: Path) -> None:
    assert case(number, tmp_path).faults == []


def test_every_form_is_mutated() -> None:
    assert set(forms()) == set(Form)
    assert {base.nos for base in bases()} == set(all_nos())


def test_a_case_is_its_number(tmp_path: Path) -> None:
    made = []
    for name in "ab":
        (tmp_path / name).mkdir()
        make(7, tmp_path / name)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        made.append([path.read_bytes() for path in files])
    assert made[0] == made[1]
    assert made[0]


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.value)
def test_mutants_differ_from_what_they_come_of(form: Form) -> None:
    text = forms()[form][0].text
    mutants = {mutate(Random(number), text, form) for number in range(40)}
    assert len(mutants - {text.encode()}) > 20


def test_the_fuzzer_tells_what_went_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_args: object) -> str:
        raise LookupError("no such thing")

    monkeypatch.setattr(roce_lint, "run", fails)
    assert main(["--cases", "1", "--minutes", "1"]) == 1
    told = capsys.readouterr().out
    assert "case 0: LookupError: no such thing" in told
    assert "1 cases went wrong" in told


WORD = st.sampled_from([*WORDS, *NUMBERS]) | st.text(max_size=8)
LINE = st.sampled_from(LINES) | st.tuples(st.sampled_from(LINES), WORD).map(" ".join)


@settings(
    max_examples=10, derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(
    lines=st.lists(LINE, min_size=1, max_size=30),
    base=st.sampled_from([base for base in bases() if len(base.text) < 4000]),
    at=st.integers(0, 1 << 16),
)
def test_lines_of_all_systems_in_one_file(lines: list[str], base: object, at: int) -> None:
    text = base.text.split("\n")
    place = at % (len(text) + 1)
    spoilt = "\n".join([*text[:place], *lines, *text[place:]])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, base.name).write_bytes(spoilt.encode("utf-8", "surrogatepass"))
        request = roce_lint.Request(paths=(folder,), jobs=1, cache=False)
        report = roce_lint.run(request, roce_lint.Settings())
        assert [f.message for f in report.findings if f.rule in ("SRC900", "SRC901")] == []
        roce_lint.render("json", report, roce_lint.Options(cwd=folder)).encode()
