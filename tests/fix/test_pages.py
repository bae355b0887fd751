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

WITH_OFFER = 43
"""Rules with an offer on an example of their page."""

WITH_REASON = 94
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
    assert not found.offers or found.unlike == ()


@pytest.mark.deep
def test_rules_with_an_offer_or_a_reason() -> None:
    offered = {example.rule for example in BAD if outcome(example).offers}
    reasons = {page.id for page in pages() if page.head.fixed_by in REASONS}
    assert len(offered) >= WITH_OFFER
    assert len(offered | reasons) >= WITH_REASON
