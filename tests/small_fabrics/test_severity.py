"""A planted fault that is an error by its meaning is an error on every system, with hosts in the
folder or without; and if every device has it, the run does not end green.

The exceptions name the unconfirmed fact or the missing input. They may only become fewer: one that
is an error now has to leave the list.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Severity
from tests.fabrics.mixed_faults import FAULTS
from tests.fabrics.mixed_plant import Fault
from tests.sampling import sampled
from tests.small_fabrics.made import Made, made

ON_LEAVES = [fault for fault in FAULTS if fault.device.startswith("leaf-")]

BETWEEN_EQUALS = "no host says that DSCP 48 is that of CNPs: a difference between equals warns"
NO_PEER = "nothing tells what is at the other end of the port, so that RoCE uses it"
AOSCX_NUMBER = "AOS-CX: a local priority is paused by the priority of its number"
AOSCX_MARKING = "AOS-CX: a queue that no threshold profile names does not mark"
WITHOUT_HOSTS = {
    "leaf-eos-CLS002-cnp": ("warning", BETWEEN_EQUALS),
    "leaf-nxos-CLS002-cnp": ("warning", BETWEEN_EQUALS),
    "leaf-cumulus-CLS002-cnp": ("warning", BETWEEN_EQUALS),
    "leaf-vrp-CLS002-cnp": ("warning", BETWEEN_EQUALS),
    "leaf-comware-CLS002-cnp": ("warning", BETWEEN_EQUALS),
    "leaf-eos-PFC001-host port unbound": ("nothing", NO_PEER),
    "leaf-nxos-PFC001-pause at host": ("warning", NO_PEER),
    "leaf-esonic-PFC001-pause": ("warning", NO_PEER),
    "leaf-iosxr-PFC001-pause": ("warning", NO_PEER),
    "leaf-srlinux-PFC001-pause": ("warning", NO_PEER),
    "leaf-vrp-PFC001-pause at host": ("warning", NO_PEER),
    "leaf-aoscx-PFC001-pause": ("warning", NO_PEER),
    "leaf-aoscx-MAP001-class": ("warning", AOSCX_NUMBER),
    "leaf-aoscx-ECN001-marking": ("warning", AOSCX_MARKING),
}
WITH_HOSTS = {"leaf-aoscx-ECN001-marking": ("warning", AOSCX_MARKING)}

LEGAL = {
    "leaf-cumulus-PFC001-pause": "no switch pauses: a fabric that marks and pauses nothing",
    "leaf-cumulus-ECN001-marking": "no switch marks: a fabric that pauses and marks nothing",
}
"""Faults that form a legal design if every device has them."""


def gravest(own: Made) -> str:
    found = [finding.severity for finding in own.report().findings]
    worst = max(found, default=Severity.INFO)
    return worst.label if worst > Severity.INFO else "nothing"


some = pytest.mark.parametrize(
    "fault", sampled(ON_LEAVES, 3, lambda fault: fault.device, lambda fault: fault.stage), ids=str
)


@pytest.mark.parametrize("hosts", [True, False], ids=["hosts", "switches"])
@some
def test_a_fault_of_one_leaf_is_an_error(fault: Fault, hosts: bool) -> None:
    own = made(fault.device[5:], hosts=hosts)
    own.remake("leaf2", lambda text: fault.apply(text)[0])
    expected, _ = (WITH_HOSTS if hosts else WITHOUT_HOSTS).get(str(fault), ("error", ""))
    assert gravest(own) == expected


@some
def test_a_fault_of_every_device_is_not_green(fault: Fault) -> None:
    """Markings and PFC of hosts contradict all switches."""
    own = made(fault.device[5:], hosts=True)
    for name in own.files:
        own.remake(name, lambda text: fault.apply(text)[0])
    assert (gravest(own) == "nothing") is (str(fault) in LEGAL)


def test_the_exceptions_are_of_faults_that_there_are() -> None:
    names = {str(fault) for fault in ON_LEAVES}
    assert {*WITHOUT_HOSTS, *WITH_HOSTS, *LEGAL} <= names


def test_an_exception_rests_on_the_notes_of_the_finding() -> None:
    """The unconfirmed fact is in the notes of the finding."""
    for fault in ON_LEAVES:
        outcomes = WITHOUT_HOSTS.get(str(fault), ("", ""))[1]
        if outcomes not in (AOSCX_NUMBER, AOSCX_MARKING):
            continue
        own = made(fault.device[5:])
        own.remake("leaf2", lambda text, fault=fault: fault.apply(text)[0])  # type: ignore[misc]
        notes = [note for finding in own.report().findings for note in finding.notes]
        assert any(outcomes in note for note in notes), (fault, notes)
