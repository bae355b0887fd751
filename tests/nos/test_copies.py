"""Identical stanzas parsed once yield the same device as every stanza parsed separately."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.model.interface import Interface
from roce_lint.nos import copies, switch_ports
from roce_lint.nos.registry import all_nos
from tests.nos.reader import read
from tests.sampling import tries

HERE = Path(__file__).resolve().parent

PORTS = {
    "eos": ("Ethernet{}/1", "Vlan{}", "Ethernet{}/1-2"),
    "nxos": ("Ethernet9/{}", "Vlan{}", "Ethernet9/{0}, Ethernet8/{0}"),
    "os10": ("ethernet1/9/{}", "vlan{}", "range ethernet1/9/{0},1/8/{0}"),
    "esonic": ("Eth 1/{}", "Vlan {}", "range Eth 1/{0},1/{0}1"),
    "iosxr": ("FourHundredGigE0/9/0/{}", "BVI{}", "HundredGigE0/9/0/{}"),
    "aoscx": ("1/9/{}", "vlan {}", "1/9/{0},1/8/{0}"),
    "vrp": ("400GE9/0/{}", "Vlanif{}", "100GE9/0/{}"),
    "comware": ("FourHundredGigE9/0/{}", "Vlan-interface{}", "HundredGigE9/0/{}"),
}
"""Names of ports, of VLAN interfaces, and of several ports at once if possible."""

_INTERFACE = re.compile(r"^interface .*\n((?:[ \t]+.*\n)+)", re.MULTILINE)
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+(?=[ /])(?! +0)")
_NUMBER = re.compile(r"\d+")


@cache
def samples(nos: str) -> list[tuple[str, list[str]]]:
    """The configurations of the cases of a NOS, and the lines below their interfaces."""
    found = []
    for path in sorted((HERE / nos).glob("*/*.cfg")):
        text = path.read_text(encoding="utf-8").removesuffix("end\n")
        bodies = sorted(set(_INTERFACE.findall(text)))
        if bodies:
            found.append((text, bodies))
    return found


@st.composite
def switches(draw: st.DrawFn, nos: str) -> str:
    """A sample with more interfaces: repeated ones, some with a line less or another number."""
    text, bodies = draw(st.sampled_from(samples(nos)))
    chosen = draw(st.lists(st.sampled_from(bodies), min_size=1, max_size=3))
    comment = "#\n" if nos in ("vrp", "comware") else "!\n"
    parts = [text, comment]
    for number in range(draw(st.integers(2, 9))):
        name = draw(st.sampled_from((PORTS[nos][0], *PORTS[nos]))).format(number + 20)
        lines = draw(st.sampled_from(chosen)).splitlines(keepends=True)
        touched = draw(st.integers(-6 * len(lines), len(lines) - 1))
        if touched >= 0:
            other = draw(st.sampled_from(("", "9", "99999")))
            line = lines[touched]
            lines[touched] = _NUMBER.sub(other, line, count=1) if other else ""
        body = _ADDRESS.sub(f"10.9.{number}.1", "".join(lines))
        body = re.sub(r"(description )\S+", rf"\g<1>to-{number}", body)
        parts += [f"interface {name}\n", body, comment]
    return "".join(parts)


def snapshot(device: Device) -> Any:
    """Everything known of a device: values with positions, states of lines, notes."""
    places = [(note.kind, note.message, note.count, note.where().position) for note in device.notes]
    named = [(made.kind, made.name, made.references) for made in device.structures]
    states = [bytes(file.states) for file in device.src.files]
    return dump(device), places, named, states, list(device.qos.egress)


def by_itself(nos: str, text: str) -> Device:
    """The device, with every stanza parsed separately."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(switch_ports, "signature", lambda *_: object())
        return read(all_nos()[nos], text)


@pytest.mark.parametrize("nos", PORTS)
@settings(max_examples=tries(60), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_copies_say_what_the_stanzas_say(nos: str, data: st.DataObject) -> None:
    text = data.draw(switches(nos))
    assert snapshot(read(all_nos()[nos], text)) == snapshot(by_itself(nos, text))


@pytest.mark.parametrize("nos", PORTS)
def test_a_port_after_a_range_has_the_same_remarks(nos: str) -> None:
    """The second port of the range adds no remark to those of the first."""
    one, _, several = PORTS[nos]
    text = f"interface {several.format(2)}\n  mtu 9\ninterface {one.format(30)}\n  mtu 9\n"
    assert snapshot(read(all_nos()[nos], text)) == snapshot(by_itself(nos, text))


@pytest.mark.parametrize("nos", PORTS)
def test_identical_stanzas_are_read_once(nos: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above proves nothing."""
    made: list[str] = []
    interface = copies.Move.interface

    def spied(move: copies.Move, model: Interface) -> Interface:
        made.append(model.name)
        return interface(move, model)

    monkeypatch.setattr(copies.Move, "interface", spied)
    first, *_ = PORTS[nos]
    stanzas = [f"interface {first.format(n)}\n  description to-{n}\n  mtu 9000\n" for n in (1, 2)]
    device = read(all_nos()[nos], "".join(stanzas))
    assert len(made) == 1
    found = [port for port in device.interfaces.values() if port.description]
    assert [port.description for port in found] == ["to-1", "to-2"]
    assert [port.where("description").position for port in found] == [2, 5]
