"""Plain findings: one colon a sentence, sizes and speeds with readable units."""

from __future__ import annotations

import re

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.report.wording import spell_finding
from tests.rules.examples import Example, cases, examples, report_of

QUOTING = {"SRC001", "SRC003", "SRC010"}
"""Rules whose message ends in lines of a configuration, which may contain colons."""

_PLACE = re.compile(r"\S:\d+: ")
_CODE = re.compile(r"`[^`]*`")
_SENTENCE = re.compile(r"\. ")
_RAW = re.compile(r"\b\d{5,} bytes\b|\b\d+ Gb/s at|\b(?:runs|is set) (?:at|to) \d+ Gb/s")


def sentences(text: str) -> list[str]:
    """Sentences of a text, without quoted code and line numbers."""
    return _SENTENCE.split(_CODE.sub("", _PLACE.sub("", text)))


def crowded(finding: Finding) -> list[str]:
    """Sentences of a finding with more than one colon."""
    texts = [spell_finding(finding), *finding.notes]
    if finding.rule in QUOTING:
        texts = [re.sub(r": .*", ":", finding.message), finding.consequence]
    return [each for text in texts for each in sentences(text) if each.count(": ") > 1]


@pytest.mark.parametrize("example", cases(examples("bad")))
def test_a_sentence_has_one_colon(example: Example) -> None:
    found = [f for f in report_of(example).findings if f.rule == example.rule]
    assert [text for finding in found for text in crowded(finding)] == []
    assert [f.message for f in found if _RAW.search(f.message)] == []


def test_quoted_code_and_line_numbers_do_not_count() -> None:
    assert sentences("a: b: c. A: b `x: y` f.cfg:3: z") == ["a: b: c", "A: b  f.cfz"]
