"""Designs that are hard to tell: breaking one box of four never changes what is taken for RoCE."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.stable import believed
from tests.fabrics.test_stable import FEW, unstable
from tests.small.made import Made, made
from tests.small.test_class_of_roce import NO_PAUSE_EOS, NO_PAUSE_NXOS, NXOS_SECOND

DEFAULT_BESIDE = (
    ("dscp 26 to traffic-class 3", "dscp 44 to traffic-class 5"),
    (
        "   priority-flow-control priority 3",
        "   priority-flow-control priority 5 no-drop\n   priority-flow-control priority 3",
    ),
)


def design(folder: Path, name: str) -> Made:
    """A fabric of three leaves and a spine, made after a design."""
    if name == "two lossless classes":
        return made(folder, "nxos").everywhere(*NXOS_SECOND)
    if name == "a class of the default map beside a named one":
        return made(folder, "eos").everywhere(*DEFAULT_BESIDE)
    if name == "ECN alone, NX-OS":
        return made(folder, "nxos").everywhere(*NO_PAUSE_NXOS, every=True)
    if name == "ECN alone, EOS":
        return made(folder, "eos").everywhere(*NO_PAUSE_EOS, every=True)
    own = made(folder, "nxos")  # two pods that nothing joins, each with a code point of its own
    other = made(folder / "other", "nxos").everywhere(("dscp 26", "dscp 30"))
    links = (own.folder / "links.yaml").read_text()
    for device, path in other.files.items():
        text = path.read_text().replace(f"hostname {device}", f"hostname {device}b")
        own.files[f"{device}b"] = own.folder / "switches" / f"{device}b.cfg"
        own.files[f"{device}b"].write_text(text.replace("ip address 10.", "ip address 11."))
    more = links.replace("leaf1:", "leaf1b:").replace("leaf2:", "leaf2b:")
    more = more.replace("leaf3:", "leaf3b:").replace("spine1:", "spine1b:")
    (own.folder / "links.yaml").write_text(links + more)
    return own


DESIGNS = {
    "two lossless classes": ("RoCE DSCP 26", "RoCE DSCP 36"),
    "a class of the default map beside a named one": ("RoCE DSCP 24-31", "RoCE DSCP 44"),
    "ECN alone, NX-OS": ("RoCE DSCP 26",),
    "ECN alone, EOS": ("RoCE DSCP 26",),
    "pods with code points of their own": ("RoCE DSCP 26", "RoCE DSCP 30"),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design(tmp_path: Path, name: str) -> None:
    own = design(tmp_path, name)
    assert believed(own.folder) == DESIGNS[name]
    for number, box in enumerate(("leaf1", "spine1")):
        assert unstable(own.folder, own.files[box], number, FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_at_length(tmp_path: Path, name: str) -> None:
    own = design(tmp_path, name)
    for number, box in enumerate(own.files):
        assert unstable(own.folder, own.files[box], number, 100) == []
