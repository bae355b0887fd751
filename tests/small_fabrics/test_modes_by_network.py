"""If two networks of one folder have different designs, each is named with its own."""

from __future__ import annotations

from tests.bench import Files, check

PAUSED = "   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n"
MARKED = (
    "   tx-queue 3\n      random-detect ecn minimum-threshold 500 kbytes "
    "maximum-threshold 1500 kbytes max-mark-probability 20 weight 0\n"
)


def switch(name: str, peers: list[str], pause: str) -> str:
    ports = "".join(
        f"interface Ethernet{number}\n   description {peer}\n   no switchport\n   mtu 9214\n"
        f"   qos trust dscp\n{pause}{MARKED}!\n"
        for number, peer in enumerate(peers, 1)
    )
    return f"! device: {name} (DCS-7060X6-64PE, EOS-4.32.1F)\nhostname {name}\n!\n{ports}end\n"


def pod(name: str, pause: str) -> Files:
    files = {}
    for number in (1, 2):
        peers = [f"{name}gpu{number} eth0", f"{name}spine1 Ethernet{number}"]
        text = switch(f"{name}leaf{number}", peers, pause)
        files[f"{name}leaf{number}.cfg"] = text
    peers = [f"{name}leaf{number} Ethernet2" for number in (1, 2)]
    return {**files, f"{name}spine1.cfg": switch(f"{name}spine1", peers, pause)}


def modes(files: Files) -> list[tuple[str, ...]]:
    return [traffic.modes for traffic in check(files).classes if traffic.flow == "data"]


def test_each_network_is_named_with_its_design() -> None:
    assert modes(pod("a", PAUSED) | pod("b", "")) == [
        (
            "network of aleaf1 and 2 more: PFC on every hop, ECN marking (PFC is on at 6 of 6 ports)",
            "network of bleaf1 and 2 more: no PFC, ECN marking (PFC is on at 0 of 6 ports, off at 6)",
        )
    ]  # fmt: skip


def test_networks_of_one_design_are_reported_once() -> None:
    assert modes(pod("a", PAUSED) | pod("b", PAUSED)) == [
        ("PFC on every hop, ECN marking (PFC is on at 6 of 6 ports)",)
    ]
