"""The mutants of a clean fabric with the answers of `fix`, for tests that measure them.

A mutant has one right answer, the clean fabric. Whether its equals know the values is counted here
from the models alone: nothing of the search for values is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from roce_lint.fix.offers import Answer
from roce_lint.model.apply import value_at
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import PORTS, Step
from roce_lint.model.path import Path as ModelPath
from roce_lint.remedy.values import content
from roce_lint.text.splice import splice
from tests.bench import Files, check, load, write_files
from tests.fix.harm import answer_of
from tests.mutation.answers import CLEAN, everything
from tests.mutation.mutants import Mutant, found, mutants
from tests.small_fabrics.made import made

SAMPLE = "sample"
SYSTEMS = ("eos", "nxos", "sonic", "junos", "os10", "esonic", "iosxr", "aoscx", "vrp", "comware")
"""Systems of which the mutation knows the form of the small fabric."""

ENOUGH = 3
"""Equals with the clean value."""

BUFFERS = frozenset({"buffer", "ingress_buffer", "pools"})
"""Fields whose values depend on the hardware."""


@cache
def fabric(name: str) -> Files:
    """The clean sample, or the small fabric of a system."""
    return CLEAN if name == SAMPLE else made(name).texts


@cache
def clean(name: str) -> dict[str, Device]:
    """The devices of a clean fabric."""
    return {device.hostname: device for device in load(fabric(name)).devices}


@cache
def usual(name: str) -> frozenset[str]:
    """Fingerprints of the findings on a clean fabric."""
    return frozenset(finding.fingerprint for finding in check(fabric(name)).findings)


@cache
def planted(name: str) -> tuple[Mutant, ...]:
    """All mutants of a clean fabric."""
    return everything() if name == SAMPLE else tuple(mutants(fabric(name)))


@dataclass(frozen=True)
class Outcome:
    """Result of `fix` for a mutant: `known` where equals have the values, `left` where the corrected
    files do not restore the model, `new` findings in them, `others` the lines that the fixes change
    and the mutant did not.
    """

    mutant: Mutant
    known: bool
    answer: Answer = field(repr=False)
    left: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def is_offered(self) -> bool:
        return bool(self.answer.offers)


def outcome(name: str, mutant: Mutant) -> Outcome | None:
    """The outcome; None where no finding points at the mutant."""
    files, right = mutant.planted(fabric(name)), clean(name)
    with TemporaryDirectory(prefix="roce-lint-") as folder:
        answer = answer_of(write_files(files, Path(folder, "x")))
        before = answer.before
        known = {finding.fingerprint for finding in before.report.findings}
        if not found(
            mutant, [f for f in before.report.findings if f.fingerprint not in usual(name)]
        ):
            return None
        wrong = differences(before.devices[mutant.device], right[mutant.device])
        known_values = is_known(right, wrong) and not is_cut(before.devices[mutant.device])
        if not answer.offers:
            return Outcome(mutant, known_values, answer)
        made = answer.made(answer.offers)
        texts = {
            file: splice(files[file], own)
            for each in made.values()
            for file, own in each.splices.items()
        }
        now = {device.hostname: device for device in load(files | texts).devices}
        now |= {host: each.device for host, each in made.items() if not each.splices}
        left = [
            f"{each.path}: {each.a!s:.50} for {each.b!s:.50}"
            for host, device in now.items()
            for each in differences(device, right[host])
        ]
        report = check(files | texts)
        new = [f"{f.rule} {f.message}" for f in report.findings if f.fingerprint not in known]
        others = _others(fabric(name), files, texts)
        return Outcome(mutant, known_values, answer, tuple(left), tuple(new), tuple(others))


def _others(right: Files, wrong: Files, texts: Files) -> Iterator[str]:
    """Lines that the corrected files have more or less often than the clean and the wrong ones."""
    for name, text in texts.items():
        clean, before, after = (_lines(each) for each in (right[name], wrong[name], text))
        for line in before | after:
            least, most = sorted((clean[line], before[line]))
            if not least <= after[line] <= most:
                yield f"{name}: {line}"


def _lines(text: str) -> Counter[str]:
    """Lines with a word, without indentation and the comma between statements."""
    lines = (line.strip().rstrip(",") for line in text.splitlines())
    return Counter(line for line in lines if any(map(str.isalnum, line)))


# Values that equals have.


def is_known(devices: Mapping[str, Device], wrong: list[Difference]) -> bool:
    """Whether enough ports or devices of the system have the clean value at every path."""
    own = {(each.path.device, each.path.port or "") for each in wrong}
    return bool(wrong) and all(
        sum(content(value) == content(each.b) for value in _at_equals(devices, each, own)) >= ENOUGH
        for each in wrong
    )


def is_cut(device: Device) -> bool:
    """Whether a file of a device ends inside a block: a device refuses it whole, and a person has to
    find out where the block ends, as no value of equals does.
    """
    return any(note.kind is NoteKind.CUT for note in device.notes)


def _at_equals(
    devices: Mapping[str, Device], wrong: Difference, changed: set[tuple[str, str]]
) -> Iterator[Hashable]:
    """The values of the others at the path of a difference; of buffers, those of equal hardware."""
    first, *below = wrong.path.steps
    own, of_buffers = devices[wrong.path.device], BUFFERS & {s.field for s in wrong.path.steps}
    for device in devices.values():
        if device.nos != own.nos or (of_buffers and device.model != own.model):
            continue
        if first.field in (PORTS, "nics"):
            entries = [
                (name, (Step(first.field, name), *below)) for name in getattr(device, first.field)
            ]
        else:
            entries = [("", wrong.path.steps)]
        for entry, steps in entries:
            if (device.hostname, entry) not in changed:
                yield value_at(device, ModelPath(device.hostname, steps))
