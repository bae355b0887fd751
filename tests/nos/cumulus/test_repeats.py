"""Identical ports parsed once yield the same switch as every port parsed separately."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.nos.cumulus import ports
from roce_lint.nos.cumulus.repeats import Repeats, StatementLayout
from tests.nos.cumulus.reading import COMMANDS, DOCUMENT, read
from tests.sampling import tries

PORT = (
    "description to-{0}",
    "ip address 10.0.{0}.1/31",
    "link fec rs",
    "link mtu 9216",
    "link speed 400G",
    "link state up",
    "qos pfc-watchdog state enable",
    "type swp",
)

MORE = (
    "ip address 10.0.{0}.9/31",
    "ip address dhcp",
    "ip address 10.0.0.999/31",
    "ip vrf BLUE",
    "ipv4 address 10.0.{0}.1/31",
    "ipv6 address 2001:db8::{0}/64",
    "link mtu 9000",
    "link mtu lots",
    "link breakout 4x",
    "link state down",
    "bridge domain br_default access 10",
    "bond member swp60",
    "lldp dcbx-pfc-tlv enable",
    "qos congestion-control profile ours",
    "qos pfc profile ours",
    "qos nothing known",
    "description other",
    "storage-optimized pfc",
    "type peerlink",
    "router adaptive-routing enable on",
    "",
)

COMMON = (
    "qos roce",
    "qos roce mode lossless",
    "qos pfc ours switch-priority 3",
    "qos pfc-watchdog polling-interval 200",
    "interface allports qos pfc profile ours",
    "interface swp1-4 qos pfc-watchdog state enable",
    "interface bond1 bond member swp2",
    "system hostname leaf1",
)


@st.composite
def statements(draw: st.DrawFn) -> list[str]:
    """Ports with the same statements, some with a word more or less, or with another value."""
    kept = draw(st.lists(st.sampled_from(PORT), min_size=1, unique=True))
    found = draw(st.lists(st.sampled_from(COMMON), unique=True))
    for number in range(1, draw(st.integers(2, 9))):
        own = list(kept)
        touched = draw(st.integers(-4 * len(own), len(own) - 1))
        if touched >= 0:
            own[touched] = draw(st.sampled_from(MORE))
        if not draw(st.integers(0, 4)):
            own.insert(draw(st.integers(0, len(own))), draw(st.sampled_from((*MORE, *PORT))))
        found += [f"interface swp{number} {rest.format(number)}".strip() for rest in own]
    found += draw(st.lists(st.sampled_from(COMMON), unique=True))
    return found


def document(lines: list[str]) -> str:
    """The statements as a YAML tree."""
    tree: dict[str, Any] = {}
    for line in lines:
        node = tree
        for word in line.split():
            node = node.setdefault(word, {})

    def rows(node: dict[str, Any], indent: str) -> list[str]:
        found = []
        for word, below in node.items():
            found += [f"{indent}{word}:" if below else f"{indent}{word}: {{}}"]
            found += rows(below, indent + "  ")
        return found

    head = ["- header:", "    version: Cumulus Linux 5.13.0", "- set:"]
    return "\n".join([*head, *rows(tree, "    "), ""])


def snapshot(device: Device) -> Any:
    """Everything known of a device: values with positions, states of lines, notes."""
    places = [(note.kind, note.message, note.count, note.where().position) for note in device.notes]
    named = [(made.kind, made.name, made.references) for made in device.structures]
    states = [bytes(file.states) for file in device.src.files]
    return dump(device), places, named, states


def by_itself(*files: tuple[str, str]) -> Device:
    """The device, with every port parsed separately."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ports, "layout_of", lambda *_: None)
        return read(*files)


@settings(max_examples=tries(150), suppress_health_check=[HealthCheck.too_slow])
@given(lines=statements(), verbs=st.lists(st.sampled_from(["set"] * 9 + ["unset"])))
def test_ports_taken_over_say_what_their_lines_say(lines: list[str], verbs: list[str]) -> None:
    prefixed = zip([*verbs, *["set"] * len(lines)], lines, strict=False)
    commands = "\n".join(f"nv {verb} {line}" for verb, line in prefixed)
    for file in ((COMMANDS, commands), (DOCUMENT, document(lines))):
        assert snapshot(read(file)) == snapshot(by_itself(file))


@pytest.mark.parametrize("form", [COMMANDS, DOCUMENT])
def test_identical_ports_are_read_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above proves nothing."""
    taken: list[bool] = []
    plain = Repeats.read

    def spied(repeats: Repeats[Any], own: StatementLayout | None, make: Any) -> Any:
        made: list[bool] = []
        found = plain(repeats, own, lambda: (made.append(True), make())[1])
        taken.append(not made)
        return found

    monkeypatch.setattr(Repeats, "read", spied)
    lines = [f"interface swp{n} {rest.format(n)}" for n in (1, 2, 3) for rest in PORT]
    lines.append("qos roce")
    text = document(lines) if form == DOCUMENT else "\n".join(f"nv set {line}" for line in lines)
    device = read((form, text))
    assert taken == [False, True, True] * 2  # what a port is, and then its QoS
    found = [device.interfaces[f"swp{n}"] for n in (1, 2, 3)]
    assert [port.description for port in found] == ["to-1", "to-2", "to-3"]
    assert [port.addresses for port in found] == [(f"10.0.{n}.1/31",) for n in (1, 2, 3)]
    first, second, third = (port.where("speed_gbps").position for port in found)
    assert third - second == second - first > 0
