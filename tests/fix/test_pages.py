"""The bad examples of the rule pages: an offer makes the wanted change and nothing else, and it is the
correction of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from roce_lint.engine.page import REASONS
from roce_lint.fix.offers import Answer
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.remedy.values import content
from roce_lint.text.splice import splice
from tests.bench import files_below, load
from tests.fix.harm import answer_of
from tests.rules.examples import Example, examples, pages
from tests.sampling import sampled

BAD = examples("bad")
FIXED = {(each.rule, each.case): each for each in examples("fixed")}
FAMILIES = sampled(BAD, 9, lambda example: example.rule[:3])

OTHER = {
    "CLS022-bad-eos": "writes DSCP 0 where the page has no marking at all",
    "MAP001-bad": "moves the DSCP of RoCE; the page moves its neighbours in the statement too",
    "MAP001-bad-sonic": "moves the DSCP in the map of the port; the page binds the other map",
    "MAP001-bad-marking": "adds the DSCP of RoCE; the page puts it in the place of the other",
    "MAP001-bad-junos": "moves the DSCP in the classifier of the port; the page binds the other one",
    "MAP002-bad-cumulus": "trusts the DSCP alone; the page trusts both fields",
    "MAP007-bad": "copies the policy for the port concerned; the page changes it for both",
    "MTU001-bad-vlan": "the MTU of the other ports; the page has a larger one",
    "MTU001-bad-overlay": "the port of this finding; the page raises its neighbour too",
    "MTU004-bad-junos": "the IP MTU of the port; the page has that of the medium",
    "MTU009-bad": "raises the lower port; the page lowers the higher one",
    "MTU009-bad-isis": "raises the lower port; the page lowers the higher one",
    "NIC007-bad": "keeps the priority that is on; the page has that of the class alone",
    "PFC007-bad-silent": "still advertises; the page does not",
    "PFC008-bad-junos": "states the default; the page deletes the statement",
    "PFC020-bad-sonic": "the row of the port alone; the page has the times of the device too",
    "TOP005-bad-switch": "what most ports have; the page has the other value on all",
}
"""Examples whose offer is another correction than that of the page, with the reason."""

MOST_OTHER = 27
"""Percent of the offers that may be another correction. It may only shrink: 10 are the aim."""

WITH_OFFER = 33
"""Rules with an offer on an example of their page."""

WITH_REASON = 79
"""Rules with an offer, or with one of the four reasons that there is none."""


@dataclass(frozen=True)
class Outcome:
    """The offers for the rule of an example: their number, what they change beside the wanted values,
    and how the corrected fabric differs from that of the page.
    """

    offers: int
    beside: tuple[str, ...]
    unlike: tuple[str, ...]


@cache
def outcome(example: Example) -> Outcome:
    with TemporaryDirectory(prefix="roce-lint-") as folder:
        top = Path(folder, "x")
        top.mkdir()
        example.write(top)
        answer = answer_of(top)
        own = [o for o in answer.offers if example.rule in {c.finding.rule for c in o.cases}]
        corrected = {name: each.device for name, each in answer.made(own).items()}
        devices = answer.before.devices | corrected
        fixed = FIXED.get((example.rule, example.case))
        right = _read({name: b.text for name, b in fixed.files.items()}) if fixed else devices
        unlike = [
            f"{each.path}: {each.a!s:.60} for {each.b!s:.60}"
            for name, device in devices.items()
            for each in differences(device, right[name])
        ]
        return Outcome(len(own), tuple(_beside(top, answer)), tuple(unlike))


def _beside(top: Path, answer: Answer) -> Iterator[str]:
    """Values of corrected devices, read anew, that are neither wanted nor follow in the print."""
    for offer in answer.offers:
        for name, made in answer.made([offer]).items():
            texts = {
                file: splice(answer.files[file].text, own) for file, own in made.splices.items()
            }
            read = _read(files_below(top) | texts)[name] if texts else made.device
            found = differences(made.effect.after, read)
            one, other = (
                _read(printed.files).get(name)
                for printed in (made.effect.printed_before, made.effect.printed_after)
            )
            printed = differences(one, other) if found and one and other else []
            if {(e.path, content(e.b)) for e in printed} != {
                (e.path, content(e.b)) for e in differences(answer.before.devices[name], read)
            }:
                yield from (f"{e.path}: {e.b!s:.60} for {e.a!s:.60}" for e in found)


def _read(files: dict[str, str]) -> dict[str, Device]:
    return {device.hostname: device for device in load(files).devices}


@pytest.mark.parametrize("example", FAMILIES, ids=str)
def test_an_offer_changes_nothing_beside(example: Example) -> None:
    assert outcome(example).beside == ()


@pytest.mark.parametrize("example", FAMILIES, ids=str)
def test_an_offer_is_the_correction_of_the_page(example: Example) -> None:
    found = outcome(example)
    if found.offers and str(example) not in OTHER:
        assert found.unlike == ()


@pytest.mark.deep
def test_most_offers_are_the_correction_of_the_page() -> None:
    offered = [e for e in BAD if (e.rule, e.case) in FIXED and outcome(e).offers]
    assert {str(e) for e in offered if outcome(e).unlike} == OTHER.keys()
    assert len(OTHER) <= len(offered) * MOST_OTHER / 100


@pytest.mark.deep
def test_rules_with_an_offer_or_a_reason() -> None:
    offered = {example.rule for example in BAD if outcome(example).offers}
    reasons = {page.id for page in pages() if page.head.fixed_by in REASONS}
    assert len(offered) >= WITH_OFFER
    assert len(offered | reasons) >= WITH_REASON
