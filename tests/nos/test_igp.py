"""Interior routing protocols on interfaces, as each system writes them."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import ISIS, OSPF, Interface
from roce_lint.nos.base import Nos
from roce_lint.nos.eos import NOS as EOS
from roce_lint.nos.junos import NOS as JUNOS
from roce_lint.nos.nxos import NOS as NXOS
from tests.nos.reader import line, read

Stated = tuple[tuple[str, ...], int, tuple[str, ...], int]


def stated_protocols(port: Interface) -> Stated:
    """Protocols and their first line, those that ignore the MTU and that line."""
    return port.igp, line(port, "igp"), port.igp_any_mtu, line(port, "igp_any_mtu")


NOTHING: Stated = ((), 0, (), 0)


@pytest.mark.parametrize(
    ("nos", "lines", "wanted"),
    [
        (EOS, ["mtu 9214"], NOTHING),
        (EOS, ["ip ospf area 0.0.0.0"], ((OSPF,), 4, (), 0)),
        (EOS, ["ip ospf area 0.0.0.0", "ip ospf mtu-ignore"], ((OSPF,), 4, (OSPF,), 5)),
        (EOS, ["isis enable UNDERLAY"], ((ISIS,), 4, (), 0)),
        (EOS, ["isis enable U", "no isis hello padding"], ((ISIS,), 4, (ISIS,), 5)),
        (EOS, ["isis enable U", "isis passive-interface"], NOTHING),
        (EOS, ["isis enable U", "isis passive"], NOTHING),
        (EOS, ["isis enable U", "ip ospf area 0"], ((OSPF, ISIS), 4, (), 0)),
        (NXOS, ["mtu 9216"], NOTHING),
        (NXOS, ["ip router ospf 1 area 0.0.0.0"], ((OSPF,), 4, (), 0)),
        (NXOS, ["ip router ospf 1 area 0", "ip ospf mtu-ignore"], ((OSPF,), 4, (OSPF,), 5)),
        (NXOS, ["ip router ospf 1 area 0", "ip ospf passive-interface"], NOTHING),
        (NXOS, ["no ip ospf passive-interface", "ip router ospf 1 area 0"], ((OSPF,), 5, (), 0)),
        (NXOS, ["ip router isis U", "isis network point-to-point"], ((ISIS,), 4, (), 0)),
        (NXOS, ["no isis hello-padding", "ip router isis U"], ((ISIS,), 5, (ISIS,), 4)),
        # The default: hellos are padded until the adjacency is up.
        (NXOS, ["ip router isis U", "no isis hello-padding always"], ((ISIS,), 4, (), 0)),
        (NXOS, ["ip router isis U", "isis passive-interface level-1-2"], NOTHING),
    ],
)
def test_lines_of_an_interface(nos: Nos, lines: list[str], wanted: Stated) -> None:
    text = "hostname leaf1\ninterface Ethernet1/1\n   no switchport\n" + "".join(
        f"   {each}\n" for each in lines
    )
    assert stated_protocols(read(nos, text).interfaces["Ethernet1/1"]) == wanted


@pytest.mark.parametrize("nos", [EOS, NXOS])
def test_members_run_what_their_channel_runs(nos: Nos) -> None:
    ospf = "ip ospf area 0" if nos is EOS else "ip router ospf 1 area 0"
    channel = "Port-Channel1" if nos is EOS else "port-channel1"
    device = read(
        nos,
        f"hostname leaf1\ninterface {channel}\n  no switchport\n  {ospf}\n"
        "interface Ethernet1/1\n  channel-group 1 mode active\n",
    )
    assert stated_protocols(device.interfaces["Ethernet1/1"]) == ((OSPF,), 4, (), 0)


def test_ports_that_say_the_same_have_lines_of_their_own() -> None:
    stanza = "interface Ethernet1/{}\n  no switchport\n  ip router ospf 1 area 0.0.0.0\n"
    device = read(NXOS, "hostname leaf1\n" + "".join(stanza.format(n) for n in (1, 2, 3)))
    lines = [line(port, "igp") for port in device.interfaces.values()]
    assert lines == [4, 7, 10]


JUNOS_HEAD = """\
set system host-name leaf1
set interfaces et-0/0/0 ether-options 802.3ad ae1
set interfaces ae1 unit 0 family inet address 10.0.0.0/31
set interfaces et-0/0/1 unit 0 family inet address 10.0.0.2/31
"""


@pytest.mark.parametrize(
    ("lines", "port", "wanted"),
    [
        (["ospf area 0 interface et-0/0/1.0"], "et-0/0/1", ((OSPF,), 5, (), 0)),
        (["ospf area 0 interface et-0/0/1.0 passive"], "et-0/0/1", NOTHING),
        (["isis interface et-0/0/1.0 disable"], "et-0/0/1", NOTHING),
        (["isis interface et-0/0/7.0"], "et-0/0/1", NOTHING),
        # Hellos are padded to 1492 bytes by default, whatever the MTU.
        (["isis interface ae1.0 point-to-point"], "et-0/0/0", ((ISIS,), 5, (ISIS,), 0)),
        (
            ["isis interface ae1.0 point-to-point", "isis interface ae1.0 hello-padding disable"],
            "ae1",
            ((ISIS,), 5, (ISIS,), 6),
        ),
        (["isis interface ae1.0 hello-padding loose"], "ae1", ((ISIS,), 5, (ISIS,), 0)),
    ],
)
def test_statements_of_junos(lines: list[str], port: str, wanted: Stated) -> None:
    text = JUNOS_HEAD + "".join(f"set protocols {each}\n" for each in lines)
    assert stated_protocols(read(JUNOS, text, "configuration").interfaces[port]) == wanted
