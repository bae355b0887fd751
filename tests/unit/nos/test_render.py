"""A device is printed by its system's function, by its words, or reported as unsupported."""

from __future__ import annotations

import pytest

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PortQos
from roce_lint.nos.base import ROCE, RenderRequest
from roce_lint.nos.registry import all_nos
from roce_lint.nos.render import json_text, render


def made(nos: str) -> Device:
    qos = PortQos(pfc=PfcConfig(cable_m=40.0))
    port = Interface(name="Ethernet1/1", enabled=True, qos=qos, at={"enabled": 1})
    return Device(hostname="leaf1", nos=nos, interfaces={"Ethernet1/1": port}, at={"hostname": 1})


def test_a_system_of_stanzas_is_printed_from_its_words_and_says_what_it_leaves_out() -> None:
    rendered = render(all_nos()["eos"], RenderRequest(made("eos")))
    assert "hostname leaf1\n" in rendered.files["leaf1.cfg"]
    assert any("cable_m" in left for left in rendered.left)


@pytest.mark.parametrize(("nos", "part"), [("aoscx", ROCE), ("srlinux", "all")])
def test_what_is_not_printed_is_refused(nos: str, part: str) -> None:
    with pytest.raises(RenderError, match="not printed"):
        render(all_nos()[nos], RenderRequest(made(nos), part))


@pytest.mark.parametrize("value", ["up\nno shutdown", "a\x1b[31m", "x" * 2000])
def test_a_value_of_more_than_one_line_is_refused(value: str) -> None:
    for tree in ({"PORT": {"Ethernet0": {"description": value}}}, {value: ["up"]}, [value]):
        with pytest.raises(RenderError, match="one line of printable text"):
            json_text(tree)
