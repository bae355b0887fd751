"""One fault of a Junos leaf is one finding, on the line to fix: alone and in its fabric.

The leaf is that of the clean sample fabric, and a published one if the captures are present. Each
case lists all findings: severity, rule, the deciding lines, and the folded rules.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Finding
from tests.bench import Files, check, edit
from tests.conftest import ROOT
from tests.metamorphic.snapshot import sample

CLEAN = sample("clean-fabric")
LEAF = "switches/leaf5.conf"
LEAF_ALONE = {"leaf5.conf": CLEAN[LEAF]}
CORPUS = ROOT.parent / "shared" / "corpus" / "junos"
PUBLISHED = "aiml-mtb-leaf1-qfx5240.conf"

Summary = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Severity and rule, the deciding lines, the rules folded in."""

INPUT = ("code-point 011010 {", "code-point 011011 {")
CLASSIFIER = ("low code-points 011010;", "low code-points 011011;")
LOSSY = (" no-loss pfc-priority 3;", " pfc-priority 3;")
PLAIN = (" no-loss pfc-priority 3;", ";")
REFUSED = ("pfc-priority 3;", "pfc-priority 9;")
PRIORITY = ("pfc-priority 3;", "pfc-priority 5;")
NO_PRIORITY = (" no-loss pfc-priority 3;", " no-loss;")
OUTPUT = ("code-point 011 {", "code-point 010 {")
NO_QUEUE = ("                        flow-control-queue 4;\n", "")
BAD_QUEUE = ("flow-control-queue 4;", "flow-control-queue 40;")
MOVED = ("class NO-LOSS queue-num 4 ", "class NO-LOSS queue-num 5 ")
SHARED = ("class CNP queue-num 3;", "class CNP queue-num 4;")
NOT_PAUSED = ("                        pfc;\n", "")
UNWATCHED = ("            pfc-watchdog;\n", "")
NOT_MARKED = ("            explicit-congestion-notification;\n", "")
NO_CODES = ("                loss-priority low code-points 011010;\n", "")
MISNAMED = ("forwarding-class NO-LOSS {", "forwarding-class NO-LOS {")
UNDEFINED = ("        class NO-LOSS queue-num 4 no-loss pfc-priority 3;\n", "")
SMALL = ("        mtu 9216;\n", "        mtu 1514;\n")
DEFAULT_MTU = ("        mtu 9216;\n", "")
MRU = (
    "                        pfc;\n",
    "                        pfc;\n                        mru 1500;\n",
)

LINE_9 = "class NO-LOSS queue-num 4 no-loss pfc-priority 9;"

ALONE: dict[tuple[str, str], list[Summary]] = {
    INPUT: [("warning PFC009", ("code-point 011011 {",), ("SRC002",))],
    CLASSIFIER: [("warning PFC009", ("code-point 011010 {",), ("SRC002",))],
    LOSSY: [("warning PFC003", ("class NO-LOSS queue-num 4 pfc-priority 3;",), ("SRC002",))],
    PLAIN: [("warning PFC003", ("class NO-LOSS queue-num 4;",), ("SRC002",))],
    REFUSED: [("error SRC007", (LINE_9,), ("PFC003",))],
    PRIORITY: [("error PFC022", ("code-point 011 {",), ())],
    NO_PRIORITY: [("warning PFC022", ("code-point 011 {",), ())],
    OUTPUT: [("error PFC022", ("code-point 010 {",), ())],
    NO_QUEUE: [("error PFC022", ("pfc-watchdog;",), ())],
    MOVED: [
        (
            "error MAP006",
            ("flow-control-queue 4;", "class NO-LOSS queue-num 5 no-loss pfc-priority 3;"),
            (),
        )
    ],
    SHARED: [("warning SRC002", ("class CNP queue-num 4;",), ())],
    NOT_PAUSED: [("warning PFC003", ("input {",), ())],
    NO_CODES: [("warning PFC009", ("forwarding-class NO-LOSS {",), ("MAP008", "SRC002"))],
    MISNAMED: [("error MAP003", ("forwarding-class NO-LOS {",), ())],
    NOT_MARKED: [
        (
            "error ECN002",
            ("drop-profile-map loss-priority any protocol any drop-profile *;",),
            (),
        )
    ],
    MRU: [("warning MTU004", ("mru 1500;",), ())],
}
"""One leaf alone, with unknown peers."""

TOGETHER: dict[tuple[str, str], list[Summary]] = {
    **ALONE,
    INPUT: [("error MAP001", ("code-point 011011 {",), ("SRC002",))],
    CLASSIFIER: [("error MAP001", ("loss-priority low code-points 011011;",), ("SRC002",))],
    LOSSY: [("error PFC003", ("class NO-LOSS queue-num 4 pfc-priority 3;",), ("SRC002",))],
    PLAIN: [("error PFC003", ("class NO-LOSS queue-num 4;",), ("SRC002",))],
    REFUSED: [("error SRC007", (LINE_9,), ("PFC003",))],
    # Also an error on assumed links: the leaf contradicts itself.
    PRIORITY: [
        ("error PFC002", ("class NO-LOSS queue-num 4 no-loss pfc-priority 5;",), ("PFC022",))
    ],
    NO_PRIORITY: [("warning PFC002", ("class NO-LOSS queue-num 4 no-loss;",), ("PFC022",))],
    OUTPUT: [("error PFC002", ("code-point 010 {",), ("PFC022",))],
    NO_QUEUE: [("error PFC002", ("code-point 011 {",), ("PFC022",))],
    BAD_QUEUE: [("error SRC007", ("flow-control-queue 40;",), ("PFC002", "PFC022"))],
    MOVED: [("error MAP006", ALONE[MOVED][0][1], ("PFC002",))],
    SHARED: [("warning CLS025", ("class CNP queue-num 4;",), ("SRC002",))],
    NOT_PAUSED: [("error PFC003", ("input {",), ())],
    NO_CODES: [("error MAP001", ("forwarding-class NO-LOSS {",), ("MAP008", "SRC002"))],
}

IN_SAMPLE = {
    **TOGETHER,
    SHARED: [("error CLS002", ("class CNP queue-num 4;",), ("SRC002",))],
}
"""Here hosts state that CNPs have DSCP 48."""


def summaries(findings: list[Finding], file: str, profile: str) -> list[Summary]:
    """Findings with the deciding lines of the leaf; a name is shown as `*`."""
    found = []
    for finding in findings:
        causes = [p for o in finding.occurrences for p in o.locations if p.role == "cause"]
        assert {place.file for place in causes} == {file}
        lines = tuple(
            place.text.strip().replace(f"profile {profile};", "profile *;") for place in causes
        )
        found.append((f"{finding.severity.label} {finding.rule}", lines, finding.also))
    return found


def agrees(found: list[Summary], expected: list[Summary]) -> bool:
    """Whether the findings are as expected, each with at least these rules folded in.

    The number of folded stages behind the broken one grows with the number of rules.
    """
    return len(found) == len(expected) and all(
        got[:2] == want[:2] and set(want[2]) <= set(got[2])
        for got, want in zip(found, expected, strict=True)
    )


def judged(fabric: Files, file: str, *edits: tuple[str, str]) -> list[Finding]:
    """The findings of a fabric whose leaf is edited."""
    return check(edit(fabric, file, *edits)).findings


@pytest.mark.parametrize("edit", ALONE, ids=str)
def test_a_leaf_alone(edit: tuple[str, str]) -> None:
    heard = summaries(judged(LEAF_ALONE, "leaf5.conf", edit), "leaf5.conf", "ROCE-ECN")
    assert agrees(heard, ALONE[edit]), heard


@pytest.mark.parametrize("edit", IN_SAMPLE, ids=str)
def test_a_leaf_in_its_fabric(edit: tuple[str, str]) -> None:
    heard = summaries(judged(CLEAN, LEAF, edit), LEAF, "ROCE-ECN")
    assert agrees(heard, IN_SAMPLE[edit]), heard


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the published configurations are not here")
@pytest.mark.parametrize("edit", TOGETHER, ids=str)
@pytest.mark.parametrize("files", [PUBLISHED, "aiml-mtb-*.conf"])
def test_a_published_leaf(edit: tuple[str, str], files: str) -> None:
    fabric = {path.name: path.read_text(encoding="utf-8") for path in CORPUS.glob(files)}
    expected = (ALONE if files == PUBLISHED else TOGETHER).get(edit)
    if expected is not None:
        heard = summaries(judged(fabric, PUBLISHED, edit), PUBLISHED, "dp1")
        assert agrees(heard, expected), heard


@pytest.mark.parametrize(
    ("edit", "cause"), [(SMALL, "mtu 1514;"), (DEFAULT_MTU, "et-0/0/0 {")], ids=["small", "default"]
)
def test_a_media_mtu_into_which_that_of_the_family_does_not_fit(
    edit: tuple[str, str], cause: str
) -> None:
    alone = summaries(judged(LEAF_ALONE, "leaf5.conf", edit), "leaf5.conf", "ROCE-ECN")
    refused = ("error SRC007", ("mtu 9170;",), ())
    assert sorted(alone) == [refused, ("warning MTU001", (cause,), ("MTU006",))]
    found = summaries(judged(CLEAN, LEAF, edit), LEAF, "ROCE-ECN")
    assert found == [("error MTU001", (cause,), ("MTU003", "SRC007"))]


def test_a_missing_watchdog_is_one_finding_for_all_ports() -> None:
    """It is more severe at hosts; that finding absorbs the one for links to spines."""
    (found,) = judged(CLEAN, LEAF, UNWATCHED)
    assert (found.rule, found.severity.label) == ("PFC020", "warning")
    assert (found.device, found.subjects[0]) == ("leaf5", "et-0/0/0")
    assert set(found.subjects) >= {"et-0/0/0", "et-0/0/1", "et-0/0/2"}


SECOND: dict[str, tuple[tuple[str, str], Summary]] = {
    "no marking": (NOT_MARKED, ALONE[NOT_MARKED][0]),
    "headroom": (MRU, ALONE[MRU][0]),
    "a refused threshold": (
        ("fill-level [ 55 90 ]", "fill-level [ 55 900 ]"),
        ("error SRC007", ("fill-level [ 55 900 ];",), ()),
    ),
}


@pytest.mark.parametrize("name", SECOND)
def test_a_second_fault_is_a_second_finding(name: str) -> None:
    """Folded findings of one fault hide no other fault."""
    edit, expected = SECOND[name]
    found = summaries(judged(CLEAN, LEAF, PRIORITY, edit), LEAF, "ROCE-ECN")
    assert agrees(sorted(found), sorted([IN_SAMPLE[PRIORITY][0], expected])), found


def test_a_class_without_loss_and_a_wrong_classifier_are_two_findings() -> None:
    other = ("low code-points 110000;", "low code-points 110001;")
    found = summaries(judged(CLEAN, LEAF, LOSSY, other), LEAF, "ROCE-ECN")
    expected: list[Summary] = [
        ("warning CLS004", ("loss-priority low code-points 110001;",), ()),
        ("error PFC003", ("class NO-LOSS queue-num 4 pfc-priority 3;",), ("SRC002",)),
    ]
    assert agrees(found, expected), found


def test_two_refused_values_are_two_findings() -> None:
    other = ("class CNP queue-num 3;", "class CNP queue-num 30;")
    found = summaries(judged(CLEAN, LEAF, REFUSED, other), LEAF, "ROCE-ECN")
    assert any(agrees([each], IN_SAMPLE[REFUSED][:1]) for each in found), found
    assert ("error SRC007", ("class CNP queue-num 30;",), ()) in found
