"""Fields that fix a rule, on its page: they exist, and they are what its examples change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from roce_lint.engine.page import REASONS, SECTION, RulePage, parse_page
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Step, parse
from roce_lint.model.schema import require_field
from roce_lint.pipeline.examples import Example, examples_of
from tests import bench
from tests.house.test_pages import GOOD
from tests.rules.examples import pages

LEAST = 90
"""Rules with fields."""

NUMBERS = {
    "dscp_to_tc": "dscp",
    "tc_to_queue": "tc",
    "tc_to_pg": "tc",
    "tc_to_pfc_priority": "tc",
    "tc_to_dscp": "tc",
    "tc_mtu": "tc",
    "queues": "queue",
    "groups": "group",
    "pfc_priority_to_queue": "priority",
    "pfc_priority_to_pg": "priority",
    "environment": "variable",
}
"""Keys that mean numbers of the class of a finding, or its variable."""

LITERAL = re.compile(r"\d+|[A-Z][A-Z0-9_]+|net\.[a-z0-9_.]+")

SEEN = (
    ("interfaces", "neighbors"),
    ("interfaces", "live_gbps"),
    ("nics", "active"),
    ("nics", "firmware"),
    ("nics", "gids"),
    ("nics", "gids_none"),
    ("nics", "gpu_redirected"),
    ("nics", "pcie_gbps"),
    ("system", "has_qos"),
)
"""Fields that show a state or a record: no edit of the device sets them."""

RULE = "an access list has a rule for RoCE before the one that drops it; unbinding it is no fix"

OTHER_WAY = {
    "CLS008-bad-list": RULE,
    "CLS008-bad-six": RULE,
    "CLS008-bad-filter": RULE,
    "CLS008-bad-nvue": RULE,
    "CLS008-bad-vrp": RULE,
    "CLS008-bad-kernel": RULE,
    "NIC001-bad": "the only host is right: MAP001 has the fields of the switch",
    "PFC009-bad-junos": "the profile also marks ECN, which ECN002 reports",
    "TOP001-bad": "the AS numbers of a tier are a decision, and change on both ends",
}
"""Examples that are corrected by other fields than those of their page, with the reason."""

MARK = "the DSCP of the other traffic is free to choose"
SHUT = "a port may be shut on purpose, and the checked ports would not be the same"
SIDE = "either end may be the right one"
LINE = "a line without a value: its author knows the one that was meant"

NO_FIELD = {
    "CLS020": "the class may be lossless on all ports or on none",
    "CLS026": MARK,
    "CLS027": MARK,
    "LNK004": SHUT,
    "LNK005": SIDE,
    "LNK008": SHUT,
    "LNK013": "the port may be meant to be routed, or the address to be deleted",
    "LNK009": SIDE,
    "LNK011": "the output of a host shows the speed that cable and peer allow",
    "NIC003": LINE,
    "NIC018": "the policy or the hosts may be right",
    "NIC021": "an address of the port makes the entries",
    "NIC032": SIDE,
    "PFC011": "no fix switches PFC off",
    "SRC002": LINE,
    "SRC006": "only a person knows the reason of an exception",
    "SRC007": LINE,
    "SRC010": "the meaning of the line is unknown",
    "TOP002": "an uplink more is a cable more",
    "TOP004": "an optic or a cable decides speed and number of uplinks",
}
"""Rules with a reason although their examples change fields that can be set, and why."""


Names = tuple[Step, ...]


def fields(page: RulePage) -> list[Names]:
    """The paths of a page; none if it has a reason."""
    known = page.head.fixed_by
    return (
        []
        if isinstance(known, str) or known == (SECTION,)
        else [parse(f"x {each}").steps for each in known]
    )


def fault(page: RulePage) -> str:
    """Fault of what a page names; empty if there is none."""
    if not page.head.fixed_by:
        return "no fixed_by"
    for path in fields(page):
        text = ".".join(map(str, path))
        try:
            require_field(text)
        except UsageError as error:
            return error.message
        for step in path:
            known = step.key in (None, NUMBERS.get(step.field)) or LITERAL.fullmatch(str(step.key))
            if not known:
                return f"{text}: [{step.key}] has no meaning there"
    return ""


def corrections(page: RulePage) -> Iterator[tuple[Example, list[Difference]]]:
    """Bad examples with the fields that their corrected ones change."""
    known = {(each.word, each.case): each for each in examples_of(page)}
    for (word, case), bad in known.items():
        fixed = known.get(("fixed", case))
        if word == "bad" and fixed is not None:
            before, after = _devices(bad), _devices(fixed)
            yield (
                bad,
                [
                    each
                    for name in before.keys() & after.keys()
                    for each in differences(before[name], after[name], stated=True)
                    if each.a != each.b and not _begins(each.path.steps, SEEN)
                ],
            )


def _devices(example: Example) -> dict[str, Device]:
    texts = {name: block.text for name, block in example.files.items()}
    return {device.hostname: device for device in bench.load(texts).devices}


def covered(found: Difference, paths: Iterable[Names]) -> bool:
    """Whether one of the paths is at or above a difference, or below a replaced object."""
    mine = found.path.steps
    for path in paths:
        if all(_meets(one, other) for one, other in zip(path, mine, strict=False)) and (
            len(path) <= len(mine) or not found.inner
        ):
            return True
    return any(covered(each, paths) for each in found.inner)


def _meets(path: Step, mine: Step) -> bool:
    named = path.key in (None, NUMBERS.get(path.field), mine.key)
    return path.field == mine.field and named


def _begins(mine: Names, heads: Iterable[tuple[str, ...]]) -> bool:
    names = tuple(step.field for step in mine)
    return any(names[: len(head)] == head for head in heads)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.id)
def test_what_the_examples_change_is_on_the_page(page: RulePage) -> None:
    assert fault(page) == ""
    paths = fields(page)
    for example, found in corrections(page):
        if paths:
            missed = [str(each.path) for each in found if not covered(each, paths)]
            assert bool(missed) == (str(example) in OTHER_WAY), missed
    if not paths and page.head.fixed_by != (SECTION,):
        changed = any(found for _, found in corrections(page))
        assert (changed and page.head.fixed_by != "information") == (page.id in NO_FIELD)


def test_no_exception_is_left_over() -> None:
    assert set(OTHER_WAY) <= {str(each) for page in pages() for each in examples_of(page)}
    assert set(NO_FIELD) <= {page.id for page in pages()}


def test_most_rules_have_fields() -> None:
    assert sum(bool(fields(page)) for page in pages()) >= LEAST
    assert set(REASONS) == {p.head.fixed_by for p in pages() if isinstance(p.head.fixed_by, str)}


def test_information_informs() -> None:
    """A page that informs only has no finding that asks for a fix, except for a crash."""
    told = [page.id for page in pages() if page.head.fixed_by == "information"]
    grave = [page.id for page in pages() if page.id in told and page.head.severity != "info"]
    assert grave == ["SRC900", "SRC901"]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", "no fixed_by"),
        ("fixed_by: [interfaces.mtu]\n", "has no field 'mtu'"),
        ("fixed_by: [interfaces.ip_mtu.size]\n", "has fields named 'size'"),
        ('fixed_by: ["pools[group].size_bytes"]\n', "[group] has no meaning there"),
        ('fixed_by: ["interfaces.qos.egress.queues[queue].marking"]\n', ""),
        ("fixed_by: decision\n", ""),
    ],
)
def test_a_fault_is_noticed(head: str, words: str) -> None:
    text = GOOD.replace("stage: stable\n", f"stage: stable\n{head}")
    found = fault(parse_page(text, "page.md"))
    assert words in found
    assert bool(words) == bool(found)
