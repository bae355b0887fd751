from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.identify import HEAD, _score, identify
from roce_lint.loading.signature_search import Literals, heads_of, literals_of, searcher
from roce_lint.nos.declare import Signature
from roce_lint.nos.registry import all_nos
from tests.sampling import sample, tries

DECLARED = sorted(
    {s.pattern for nos in all_nos().values() for src in nos.sources for s in src.signatures}
    | {src.hostname for nos in all_nos().values() for src in nos.sources if src.hostname}
)


@pytest.mark.parametrize(
    ("pattern", "prefix", "needed"),
    [
        (r"^hostname (?P<name>\S+)", "hostname ", "hostname "),
        (r"^! device: \S+ \([^)\n]*EOS-", "! device: ", "! device: "),
        (r"^(?:no )?aaa root\b", "", "aaa root"),
        (r"^!{1,2} ?heading", "!", "heading"),
        (r"^ab*c", "a", "a"),
        (r"^ab+c", "ab", "ab"),
        (r"^ab+?cde", "ab", "cde"),
        (r"^ab{0,2}cd", "a", "cd"),
        (r"^ab{1,}cd", "ab", "ab"),
        (r"^ab??cd", "a", "cd"),
        (r"^a|bcd", "", "a bcd"),
        (r"^a|\d", "", ""),
        (r"(?i)abc", "", ""),
        (r"(?:ab|c)de", "", "de"),
        (r"(?:abc|def)g", "", "abc def"),
        (r"^(?:abc|de)f", "", "abc de"),
        (r"(?:abc|def)?g", "", "g"),
        (r"(?:abc|def)+g", "", "abc def"),
        (r"(?:abc|\w)g", "", "g"),
        (r"(abc|def)g", "", "abc def"),
        (r"(?P<x>abc)g", "", "abc"),
        (r"x(?:abc|def|ghi|jkl|mno)", "", "x"),
        (r"(?=abc)de", "", "de"),
        (r"(?!abc)d(?<=e)(?<!fgh)", "", "d"),
        (r"(?:a(?:bcd|efg)|hij)k", "", "bcd efg hij"),
        (r"\bword\d", "", "word"),
        (r"\A\ufeff?#!x", "", "#!x"),
        (r"\x41bc", "", "bc"),
        (r"[a\]b]cd[^]e]f", "", "cd"),
        (r"a(b\)c[)]d)ef", "", "b)c"),
        (r"a.b", "", "a"),
        (r"^", "", ""),
        (r"", "", ""),
        (r"^\s*tc: \d ratelimit: ", "", " ratelimit: "),
    ],
)
def test_what_a_pattern_cannot_match_without(pattern: str, prefix: str, needed: str) -> None:
    words = (needed,) if needed.startswith(" ") or needed.endswith(" ") else tuple(needed.split())
    words = (needed,) if needed == "aaa root" else words
    assert literals_of(pattern) == Literals(prefix, words)


BY_CONSTRUCTION = [each for each in DECLARED if "(?=" not in each]
"""Patterns that random text can match: those without a look-ahead over the whole text."""


@pytest.mark.parametrize("examples", [1, pytest.param(20, marks=pytest.mark.deep)])
def test_declared_signatures_match_as_a_plain_search_does(examples: int) -> None:
    """Each has the same match, and some line of the text begins with one of its heads."""

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(pattern: str, data: st.DataObject) -> None:
        lines = st.text(st.sampled_from('ab0 \n\t!:"{'), max_size=20)
        match = data.draw(st.from_regex(re.compile(pattern, re.MULTILINE)))
        before = data.draw(lines)
        text = before + data.draw(st.sampled_from(["", "\n", " "])) + match
        for each in (text, text.replace("\n", ""), f"{before}\n{match}"):
            assert same(pattern, each)
            if re.search(pattern, each, re.MULTILINE):
                assert begun(pattern, each, 4)

    for pattern in BY_CONSTRUCTION if examples > 1 else sample(BY_CONSTRUCTION, 6):
        check(pattern=pattern)


@pytest.mark.parametrize(
    ("pattern", "heads", "stripped"),
    [
        (r"^hostname (?P<name>\S+)", "host", False),
        (r"^(?:no )?aaa root\b", "no a|aaa ", False),
        (r"^(?:DEVICE|HWADDR|MTU)=", "DEVI|HWAD|MTU=", False),
        (r"^(?:a|b)c(?:de|fg)", "acde|acfg|bcde|bcfg", False),
        (r"^#? ?word", "# wo|#wor| wor|word", False),
        (r"^[ \t]+port (?:a|b)", "port", True),
        (r"^\s*(?:no )?mtu", "", False),  # `mtu` may be all there is
        (r"^\s*(?:no )?mtu \d", "no m|mtu ", True),
        (r"^ {2,}type: ", "type", True),
        (r"^\.\$\^a", ".$^a", False),
        (r"^vsx$", "", False),
        (r"^ab+cd", "", False),
        (r"^(?:ab+c)?defg", "", False),
        (r"^(?:ab)*defg", "", False),
        (r"^(?:\S+ )?defg", "", False),
        (r"^(?!no )abcd", "", False),
        (r"^a.cd", "", False),
        (r"^abcd|efgh", "", False),
        (r"abcd", "", False),
        (r"\Aabcd", "", False),
        (r"(?i)^abcd", "", False),
        (r"^", "", False),
    ],
)
def test_what_a_line_must_begin_with(pattern: str, heads: str, stripped: bool) -> None:
    found = heads_of(pattern, 4)
    assert "|".join(sorted(found.texts)) == "|".join(sorted(heads.split("|")))
    assert found.stripped is stripped


def begun(pattern: str, text: str, length: int) -> bool:
    """True if a line of the text begins with a pattern."""
    heads = heads_of(pattern, length)
    lines = [line.lstrip() if heads.stripped else line for line in [*text.split("\n"), ""]]
    return any(line.startswith(tuple(heads.texts)) for line in lines)


PIECES = st.sampled_from(
    [
        "^",
        "a",
        "b",
        "ab",
        r"\d",
        "[ab]",
        "(?:a|b)",
        "(?:ab)?",
        "a*",
        "b+",
        ".",
        "$",
        r"\n",
        "|",
        " ",
    ]
)


@example("^ | ", "1 ")
@given(st.lists(PIECES, max_size=6).map("".join), st.text(st.sampled_from("ab1 \n"), max_size=30))
def test_any_pattern_is_found_as_a_plain_search_does(pattern: str, text: str) -> None:
    assert same(pattern, text)


@given(
    st.lists(PIECES, max_size=6).map(lambda pieces: "^" + "".join(pieces)),
    st.text(st.sampled_from("ab1 \n"), max_size=30),
)
def test_where_any_pattern_matches_a_line_begins_so(pattern: str, text: str) -> None:
    with suppress(re.error):
        if re.search(pattern, text, re.MULTILINE):
            assert begun(pattern, text, 2)


LOOKING_AHEAD = r"\A(?![\s\S]*?\{\{)(?=[\s\S]*?^apiVersion: )[\s\S]*?^kind: b$"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kind: b\napiVersion: 1\n", True),
        ("apiVersion: 1\nkind: b", True),
        ("kind: b\n# apiVersion: 1\n", False),
        ("kind: b\n", False),
        ("kind: b\napiVersion: {{ version }}\n", False),
    ],
)
def test_what_a_pattern_looks_ahead_for_is_looked_for_first(text: str, found: bool) -> None:
    assert same(LOOKING_AHEAD, text)
    assert bool(searcher(Signature(LOOKING_AHEAD, 1, ""))(text)) is found


@given(st.lists(st.sampled_from(DECLARED), min_size=1, max_size=3), st.data())
@settings(max_examples=tries(60), suppress_health_check=list(HealthCheck))
def test_a_source_scores_by_what_a_plain_search_finds(
    patterns: list[str], data: st.DataObject
) -> None:
    lines = [data.draw(st.from_regex(re.compile(each, re.MULTILINE))) for each in patterns]
    text = "\n".join(lines)
    wanted = {
        (nos.name, source.name): points
        for nos in all_nos().values()
        for source in nos.sources
        if (points := sum(s.weight for s in source.signatures if s.regex.search(text))) > 0
    }
    scored = _score("x", text, None)
    assert {(score.nos, score.source): score.points for score in scored} == wanted


def same(pattern: str, text: str) -> bool:
    plain = re.search(pattern, text, re.MULTILINE)
    found = searcher(Signature(pattern, 1, ""))(text)
    return (plain and plain.span()) == (found and found.span())


HOSTILE = {
    "blanks": " " * HEAD,
    "tabs": "\t" * HEAD,
    "blank lines": "\n" * HEAD,
    "lines of blanks": " \n" * (HEAD // 2),
    "quotes": '"' * HEAD,
    "braces": '{"' * (HEAD // 2),
    "bars": '"|' * (HEAD // 2),
    "digits": "1" * HEAD,
    "numbers": "1: " * (HEAD // 3),
    "letters": "a" * HEAD,
    "words": "a " * (HEAD // 2),
    "commands": "interface " * (HEAD // 10),
    "slashes": "/sys/class/net/" * (HEAD // 15),
    "shebang": "#!/bin/sh\n" + "dcb dcb " * (HEAD // 8),
    "services": "ExecStart=" * (HEAD // 10),
    "settings": "NCCL_IB_" * (HEAD // 8),
    "capitals": "ROCE_CC_PRIO_MASK" * (HEAD // 17),
    "bits": "\\A*+(" * (HEAD // 5),
}


@pytest.mark.deep
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long_to_identify(text: str) -> None:
    begin = time.process_time()
    for nos in (None, *all_nos()):
        with suppress(UnknownFormat, AmbiguousFormat):
            identify("x", text, nos)
    assert time.process_time() - begin < 1.0


@pytest.mark.deep
def test_no_signature_is_slow_on_its_repeated_beginning() -> None:
    """A text of full length that repeats the required words of a pattern takes no seconds."""
    assert [pattern for pattern in DECLARED if seconds_on_repeated_words(pattern) >= 1.0] == []


def seconds_on_repeated_words(pattern: str) -> float:
    literals = literals_of(pattern)
    begin = time.process_time()
    for seed in {*literals.needed, literals.prefix or "x"}:
        for between in ("", " ", "\n", "\t", "a", "1", ":", '"', "{ ", "= "):
            piece = seed + between
            searcher(Signature(pattern, 1, ""))((piece * (HEAD // len(piece) + 1))[:HEAD])
    return time.process_time() - begin
