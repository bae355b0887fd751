"""How NICs sit in their hosts: the PCI bridges above them, the order of writes, their firmware."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    device_check,
)
from roce_lint.model.nic import Nic
from roce_lint.model.sourced import Concern

ORDERING = "NCCL_IB_PCI_RELAXED_ORDERING"
"""Whether NCCL asks for writes that may overtake each other: 0 no, 1 yes, 2 where possible."""


@device_check("nic.gpu_traffic_redirected")
def gpu_traffic_redirected(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Access control sends what a NIC and a GPU write to each other up to the root of PCI."""
    for nic in given.analysis.nics_of(device):
        names = (nic.port or nic.name,)
        if nic.gpu_by_switch and nic.gpu_redirected is None:
            missing = "the access control of PCI bridges (lspci -vvv as root)"
            yield Unknown(missing, [nic.where("gpu_by_switch")], device.hostname, names)
        if not nic.gpu_redirected:
            continue
        shared = bool(nic.gpu_by_switch)
        between = "a GPU behind the same PCI switch" if shared else "the GPUs"
        yield Problem(
            f"{device.hostname} {nic.name}: a bridge between it and {between} redirects requests "
            "to the root (ACS)",
            "what a NIC reads from and writes to a GPU makes the detour over the root of the "
            "processor: half of the speed is usual, and the NIC pauses the switch"
            if shared
            else "what a NIC reads from and writes to a GPU is checked at the root first",
            [nic.where("gpu_redirected"), nic.where("gpu_by_switch")],
            device.hostname,
            names,
            value="behind a switch" if shared else "at the root",
            severity=None if shared else Severity.INFO,
        )


@device_check("nic.relaxed_ordering_off")
def relaxed_ordering_off(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A NIC beside GPUs may not send writes that overtake each other."""
    asked = device.environment.get(ORDERING, "").strip()
    for nic in given.analysis.nics_of(device):
        names = (nic.port or nic.name,)
        if nic.relaxed_ordering is False and (_is_wanted(nic) or asked == "1"):
            wish = nic.where("all_writes_relaxed") if _is_wanted(nic) else device.where(ORDERING)
            message = f"{device.hostname} {nic.name} is told to relax the order of its PCI writes, "
            harm = "each write waits for the one before it: the NIC does not reach the speed of "
            at = [nic.where("relaxed_ordering"), wish]
            message += "and the function is forbidden to"
            harm += "its port, and pauses the switch"
            yield Problem(message, harm, at, device.hostname, names, "forbidden")
        elif nic.relaxed_ordering is False and nic.gpu_by_switch is not None:
            yield _strict(device, nic, "its PCI function has relaxed ordering off")
        elif asked == "0" and nic.all_writes_relaxed is False:
            yield _strict(device, nic, f"{ORDERING}=0, and its firmware relaxes what asks for it")


def _is_wanted(nic: Nic) -> bool:
    return bool(nic.all_writes_relaxed) and nic.stated("all_writes_relaxed")


def _strict(device: Device, nic: Nic, why: str) -> Problem:
    own = nic.relaxed_ordering is False
    return Problem(
        f"{device.hostname} {nic.name} sends its PCI writes in strict order: {why}",
        "on processors that handle relaxed writes in parallel the NIC is slower than its port",
        [nic.where("relaxed_ordering")]
        if own
        else [device.where(ORDERING), nic.where("all_writes_relaxed")],
        device.hostname,
        (nic.port or nic.name,),
        value="function" if own else ORDERING,
        severity=Severity.INFO,
    )


@device_check("nic.two_lldp_agents")
def firmware_lldp_beside_agent(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The firmware of a NIC and the host itself tell the neighbour of one port."""
    for nic in given.analysis.nics_of(device):
        agents = nic.announced_by or frozenset()
        if "firmware" not in agents or len(agents) < 2:
            continue
        others = " and ".join(sorted(agents - {"firmware"}))
        heard = [nic.where(Concern.OTHER_AGENT)] if nic.stated(Concern.OTHER_AGENT) else []
        message = f"{device.hostname} {nic.name}: the firmware sends LLDP, and so does {others}"
        harm = "the switch sees two neighbours on one port: DCBX stops at more than one peer, and "
        harm += "what is cabled where cannot be told"
        at, names = [nic.where("announced_by"), *heard], (nic.port or nic.name,)
        yield Problem(message, harm, at, device.hostname, names, others)
