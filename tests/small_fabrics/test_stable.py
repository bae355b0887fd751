"""Ambiguous designs: breaking one device of four never changes the inferred RoCE classes."""

from __future__ import annotations

import re

import pytest

from tests.fabrics.stable import believed, unstable
from tests.fabrics.test_stable import FEW
from tests.small_fabrics.made import Made, made
from tests.small_fabrics.test_class_of_roce import NO_PAUSE_EOS, NO_PAUSE_NXOS, NXOS_SECOND

DEFAULT_BESIDE = (
    ("dscp 26 to traffic-class 3", "dscp 44 to traffic-class 5"),
    (
        "   priority-flow-control priority 3",
        "   priority-flow-control priority 5 no-drop\n   priority-flow-control priority 3",
    ),
)


def design(name: str) -> Made:
    """A fabric of three leaves and a spine with a design."""
    if name == "two lossless classes":
        return made("nxos").everywhere(*NXOS_SECOND)
    if name == "a class of the default map beside a named one":
        return made("eos").everywhere(*DEFAULT_BESIDE)
    if name == "ECN alone, NX-OS":
        return made("nxos").everywhere(*NO_PAUSE_NXOS, every=True)
    if name == "ECN alone, EOS":
        return made("eos").everywhere(*NO_PAUSE_EOS, every=True)
    own = made("nxos")  # two pods that nothing joins, each with a code point of its own
    other = made("nxos").everywhere(("dscp 26", "dscp 30"))
    for device, file in other.files.items():
        text = other.texts[file].replace(f"hostname {device}", f"hostname {device}b")
        own.files[f"{device}b"] = file.replace(device, f"{device}b")
        own.texts[own.files[f"{device}b"]] = text.replace("ip address 10.", "ip address 11.")
    own.texts["links.yaml"] += re.sub(r"(leaf\d|spine\d):", r"\1b:", other.texts["links.yaml"])
    return own


DESIGNS = {
    "two lossless classes": ("RoCE DSCP 26", "RoCE DSCP 36"),
    "a class of the default map beside a named one": ("RoCE DSCP 24-31", "RoCE DSCP 44"),
    "ECN alone, NX-OS": ("RoCE DSCP 26",),
    "ECN alone, EOS": ("RoCE DSCP 26",),
    "pods with code points of their own": ("RoCE DSCP 26", "RoCE DSCP 30"),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design(name: str) -> None:
    own = design(name)
    assert believed(own.texts) == DESIGNS[name]
    for number, box in enumerate(("leaf1", "spine1")):
        assert unstable(own.texts, own.files[box], number, FEW) == []


@pytest.mark.deep
@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_at_length(name: str) -> None:
    own = design(name)
    for number, box in enumerate(own.files):
        assert unstable(own.texts, own.files[box], number, 100) == []
