"""RoCE in VXLAN between two leaves: the walk follows the outer header, or names the missing input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.nos.pair import HOSTS

PORTS = ("Ethernet1/1", "Ethernet49/1", "Ethernet50/1")
COPY = "vxlan qos dscp propagation encapsulation"
OUTER = "vxlan qos map dscp to traffic-class decapsulation"


def eos(name: str, *overlay: str) -> str:
    lines = [
        f"! device: {name} (DCS-7060X6-64PE, EOS-4.33.1F)", f"hostname {name}",
        "qos profile ROCE", "   qos trust dscp", "   priority-flow-control on",
        "   priority-flow-control priority 3 no-drop",
    ]  # fmt: skip
    if overlay:
        lines += ["interface Vxlan1", "   vxlan vlan 10 vni 10010", *(f"   {t}" for t in overlay)]
    for n, port in enumerate(PORTS):
        bridged = overlay and n == 0
        mode = "switchport access vlan 10" if bridged else "no switchport"
        lines += [f"interface {port}", "   mtu 9214", f"   {mode}", "   service-profile ROCE"]
    return "\n".join([*lines, "end"]) + "\n"


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    for host in ("gpu1", "gpu2"):
        shutil.copytree(HOSTS / host, tmp_path / "hosts" / host)
    (tmp_path / "spine1.cfg").write_text(eos("spine1"))
    (tmp_path / "links.yaml").write_text(
        "- [leaf1:Ethernet1/1, gpu1:ens1np0]\n"
        "- [leaf2:Ethernet1/1, gpu2:ens1np0]\n"
        "- [leaf1:Ethernet49/1, spine1:Ethernet49/1]\n"
        "- [leaf2:Ethernet49/1, spine1:Ethernet50/1]\n"
    )
    return tmp_path


def hops(fabric: Path, *overlay: str) -> list[dict[str, Any]]:
    for leaf in ("leaf1", "leaf2"):
        (fabric / f"{leaf}.cfg").write_text(eos(leaf, *overlay))
    return traced(fabric)


def traced(fabric: Path) -> list[dict[str, Any]]:
    words = ["trace", str(fabric), "--from", "gpu1", "--to", "gpu2", "--format", "json"]
    done = CliRunner().invoke(cli, [*words, "--no-cache"])
    assert done.exit_code in (0, 1), done.output
    (trace,) = json.loads(done.stdout)["traces"]
    (way,) = trace["ways"]
    return list(way["hops"])


def seen(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(hop["dscp"]["value"], hop["tc"]["value"], hop["dscp_out"]["value"]) for hop in found]


def test_a_copied_code_point_is_in_its_class_on_every_hop(fabric: Path) -> None:
    assert seen(hops(fabric, COPY, OUTER))[1:] == [
        ("26", "3", "26 over 26"), ("26 over 26", "3", "26 over 26"), ("26 over 26", "3", "26"),
        ("26", "3", "-"),
    ]  # fmt: skip


def test_without_a_line_the_hops_behind_are_not_known_and_say_so(fabric: Path) -> None:
    found = hops(fabric, f"no {OUTER}")
    assert seen(found)[1:4] == [
        ("26", "3", "? over 26"), ("? over 26", "?", "? over 26"), ("? over 26", "3", "?"),
    ]  # fmt: skip
    lacking = [["leaf1 Vxlan1" in lack for lack in hop["missing"]] for hop in found]
    assert lacking == [[], [], [True], [], [True]]


def test_routed_hosts_are_not_in_the_overlay(fabric: Path) -> None:
    assert seen(hops(fabric))[1:] == [("26", "3", "26")] * 3 + [("26", "3", "-")]


JUNOS = """\
set system host-name {name}
set switch-options vtep-source-interface lo0.0
set vlans v10 vlan-id 10
set vlans v10 vxlan vni 10010
set interfaces et-0/0/1 mtu 9216
set interfaces et-0/0/1 unit 0 family ethernet-switching vlan members v10
set interfaces et-0/0/49 mtu 9216
set interfaces et-0/0/49 unit 0 family inet address 10.0.0.1/31
"""

NXOS = """\
!Command: show running-config
version 10.4(3) Bios:version 05.50
hostname {name}
vlan 10
  vn-segment 10010
interface Ethernet1/1
  switchport access vlan 10
  mtu 9216
  no shutdown
interface Ethernet1/49
  no switchport
  mtu 9216
  ip address 10.0.0.1/31
  no shutdown
interface nve1
  no shutdown
  member vni 10010
"""

ESONIC = """\
interface-naming standard
hostname {name}
interface vxlan vtep1
 source-ip 10.255.0.1
 map vni 10010 vlan 10
interface Eth 1/1
 no shutdown
 switchport access Vlan 10
interface Eth 1/49
 no shutdown
 ip address 10.0.0.1/31
"""

SRLINUX = """\
set / system name host-name {name}
set / interface ethernet-1/1 admin-state enable
set / interface ethernet-1/1 subinterface 10 type bridged
set / interface ethernet-1/49 admin-state enable
set / interface ethernet-1/49 subinterface 0 ipv4 address 10.0.0.1/31
set / tunnel-interface vxlan0 vxlan-interface 10 type bridged
set / tunnel-interface vxlan0 vxlan-interface 10 ingress vni 10
set / network-instance mac-1 type mac-vrf
set / network-instance mac-1 interface ethernet-1/1.10
set / network-instance mac-1 vxlan-interface vxlan0.10
"""

OS10 = """\
! Version 10.5.6.0
hostname {name}
virtual-network 10
 vxlan-vni 10010
!
interface vlan10
 virtual-network 10
!
interface ethernet1/1/1
 no shutdown
 switchport access vlan 10
!
interface ethernet1/1/49
 no shutdown
 no switchport
 ip address 10.0.0.1/31
!
nve
 source-interface loopback0
"""

AOSCX = """\
!Version ArubaOS-CX FL.10.13.1000
hostname {name}
interface 1/1/1
    no shutdown
    no routing
    vlan access 10
interface 1/1/49
    no shutdown
    ip address 10.0.0.1/31
interface vxlan 1
    source ip 10.255.0.1
    no shutdown
    vni 10010
        vlan 10
"""

VRP = """\
!Software Version V200R022C00SPC500
sysname {name}
#
bridge-domain 10
 l2 binding vlan 10
 vxlan vni 5010
#
interface 100GE1/0/1
 port link-type access
 port default vlan 10
#
interface 100GE1/0/49
 undo portswitch
 ip address 10.0.0.1 255.255.255.254
#
interface Nve1
 source 10.255.0.1
 vni 5010 head-end peer-list protocol bgp
#
"""

COMWARE = """\
#
 version 7.1.070, Release 6710P03
#
 sysname {name}
#
vsi vpna
 vxlan 10
#
interface HundredGigE1/0/1
 port link-mode bridge
 service-instance 1000
  encapsulation untagged
  xconnect vsi vpna
#
interface HundredGigE1/0/49
 port link-mode route
 ip address 10.0.0.1 255.255.255.254
#
"""


@pytest.mark.parametrize(
    ("text", "down", "up", "outer"),
    [
        pytest.param(JUNOS, "et-0/0/1", "et-0/0/49", "26", id="junos"),
        pytest.param(ESONIC, "Eth1/1", "Eth1/49", "0", id="esonic"),
        pytest.param(NXOS, "Ethernet1/1", "Ethernet1/49", "?", id="nxos"),
        pytest.param(SRLINUX, "ethernet-1/1", "ethernet-1/49", "?", id="srlinux"),
        pytest.param(OS10, "ethernet1/1/1", "ethernet1/1/49", "?", id="os10"),
        pytest.param(AOSCX, "1/1/1", "1/1/49", "?", id="aoscx"),
        pytest.param(VRP, "100GE1/0/1", "100GE1/0/49", "?", id="vrp"),
        pytest.param(COMWARE, "HundredGigE1/0/1", "HundredGigE1/0/49", "?", id="comware"),
    ],
)
def test_every_system_puts_its_segments_into_the_tunnel(
    fabric: Path, text: str, down: str, up: str, outer: str
) -> None:
    for leaf in ("leaf1", "leaf2"):
        (fabric / f"{leaf}.cfg").write_text(text.format(name=leaf))
    (fabric / "links.yaml").write_text(
        f'- ["leaf1:{down}", "gpu1:ens1np0"]\n'
        f'- ["leaf2:{down}", "gpu2:ens1np0"]\n'
        f'- ["leaf1:{up}", "spine1:Ethernet49/1"]\n'
        f'- ["leaf2:{up}", "spine1:Ethernet50/1"]\n'
    )
    found = traced(fabric)
    assert found[2]["dscp"]["value"] == f"{outer} over 26"
    classes = {"26": "3", "0": "1", "?": "?"}  # of the spine, by its default map
    assert found[2]["tc"]["value"] == classes[outer]
    assert any("the outer DSCP that" in lack for lack in found[2]["missing"]) is (outer == "?")
