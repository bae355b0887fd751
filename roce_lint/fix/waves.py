"""In which order devices are changed, and what stands in the fabric after each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roce_lint.fix.equals import Deviation
from roce_lint.fix.offers import Answer, Offer
from roce_lint.fix.prove import Atom, State, atoms
from roce_lint.model.turn import turn


@dataclass(slots=True)
class Wave:
    """Devices that are changed together, and what is worse then than before all of it."""

    role: str
    devices: list[str]
    worse: list[Atom]
    """What new findings say: one that stood already may be seen on more ports for a while."""


def waves(answer: Answer, offers: Sequence[Offer]) -> list[Wave]:
    """The devices of some offers from the core to the hosts: what is sent finds its way prepared.

    After each wave but the last the fabric is judged as it is then; the last is what was proved.

    Raises:
        OSError: a copy of the tree could not be made.
    """
    steps: dict[int, list[Deviation]] = {}
    for each in (each for offer in offers for each in offer.way):
        device = answer.before.devices[each.device]
        steps.setdefault(turn(device.role), []).append(each)
    known = {finding.fingerprint for finding in answer.before.report.findings}
    found: list[Wave] = []
    done: list[Deviation] = []
    for number, step in enumerate(sorted(steps), 1):
        done += steps[step]
        names = sorted({each.device for each in steps[step]})
        role = answer.before.devices[names[0]].role
        state = answer.at(offers) if number == len(steps) else _between(answer, done)
        came = (each for each in state.report.findings if each.fingerprint not in known)
        worse = sorted(atoms(came) - answer.before.atoms)
        found.append(Wave(role.value if role is not None else "device", names, worse))
    return found


def _between(answer: Answer, done: Sequence[Deviation]) -> State:
    return answer.proof.with_changes(done, answer.files)
