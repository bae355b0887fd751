"""Common damage to files of each format: a message with file and line, and the rest is checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.nos.reader import shorten

GOOD = """\
set system host-name good
set interfaces et-0/0/0 mtu 9216
set interfaces et-0/0/0 unit 0 family inet address 192.0.2.0/31
"""
"""Another device in the folder, which must always be read."""

JUNOS = """\
system {
    host-name bad;
}
interfaces {
    et-0/0/1 {
        mtu 9216;
        unit 0 {
            family inet {
                address 10.0.0.2/31;
            }
        }
    }
    et-0/0/2 {
        mtu 9000;
        unit 0 {
            family inet6;
        }
    }
}
"""
JUNOS_SETS = """\
set system host-name bad
set interfaces et-0/0/1 mtu 9216
set interfaces et-0/0/1 unit 0 family inet address 10.0.0.2/31
"""
NVUE = """\
nv set system hostname bad
nv set interface swp1 link mtu 9000
nv set interface swp1 ip address 10.0.0.1/31
nv set qos roce mode lossless
"""
STARTUP = """\
- header:
    model: MSN4700
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.13.0
- set:
    system:
      hostname: bad
    interface:
      swp1:
        link:
          mtu: 9000
        type: swp
    qos:
      roce:
        enable: on
        mode: lossless
"""
FEATURES = """\
# command: cat /etc/cumulus/datapath/qos/qos_features.conf  host: bad
traffic.packet_priority_source_set = [dscp]
traffic.cos_3.priority_source.dscp = [26]
pfc.port_group_list = [A]
pfc.A.cos_list = [3]
pfc.A.port_set = swp1
"""
IFUPDOWN = """\
# command: cat /etc/network/interfaces  host: bad
auto swp1
iface swp1
    mtu 9000
auto swp2
iface swp2
    address 10.0.0.1/31
"""
NCLU = """\
net add hostname bad
net add interface swp1 mtu 9000
net add interface swp1 ip address 10.0.0.1/31
"""
OS10 = """\
! Version 10.5.4.1
hostname bad
class-map type network-qos RDMA
 match qos-group 3
policy-map type network-qos PFC
 class RDMA
  pause
  pfc-cos 3
interface ethernet1/1/1
 mtu 9216
 no switchport
 ip address 10.0.0.1/31
 service-policy input type network-qos PFC
 priority-flow-control mode on
"""
ENTERPRISE = """\
!
hostname bad
!
qos map dscp-tc M
 dscp 26 traffic-class 3
!
interface Ethernet0
 mtu 9100
 no shutdown
 qos-map dscp-tc M
!
"""
IOSXR = """\
!! IOS XR Configuration 7.10.1
hostname bad
class-map match-any ROCE
 match dscp 26
 end-class-map
!
policy-map IN
 class ROCE
  set traffic-class 3
 !
interface FourHundredGigE0/0/0/0
 mtu 9216
 ipv4 address 10.0.0.1 255.255.255.254
 service-policy input IN
!
"""
SRL = """\
set / system name host-name bad
set / interface ethernet-1/1 admin-state enable
set / interface ethernet-1/1 mtu 9232
set / interface ethernet-1/1 subinterface 0 ip-mtu 9000
"""
SRL_BRACES = """\
    system {
        name {
            host-name bad
        }
    }
    interface ethernet-1/1 {
        admin-state enable
        mtu 9232
    }
"""
SRL_JSON = """\
{
  "srl_nokia-interfaces:interface": [
    {"name": "ethernet-1/1", "admin-state": "enable", "mtu": 9232}
  ],
  "srl_nokia-system:system": {"srl_nokia-system-name:name": {"host-name": "bad"}}
}
"""
AOSCX = """\
!Version ArubaOS-CX GL.10.13.1000
hostname bad
qos trust dscp
qos dscp-map 26 local-priority 3
interface 1/1/1
    no shutdown
    mtu 9198
    ip address 10.0.0.1/31
"""
NETPLAN = """\
# command: cat /etc/netplan/01.yaml  host: bad
network:
  version: 2
  ethernets:
    eth0:
      mtu: 9000
"""
LINK = """\
# command: cat /etc/systemd/network/10-eth0.link  host: bad
[Match]
OriginalName=eth0
[Link]
MTUBytes=9000
"""
KEYFILE = """\
# command: cat /etc/NetworkManager/system-connections/eth0.nmconnection  host: bad
[connection]
id=eth0
interface-name=eth0
[ethernet]
mtu=9000
"""
SCRIPT = """\
# command: cat /usr/local/bin/roce.sh  host: bad
#!/bin/bash
mlnx_qos -i eth0 --trust dscp
mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0
"""
NCCL = """\
# command: cat /etc/nccl.conf  host: bad
NCCL_IB_TC=106
NCCL_IB_GID_INDEX=3
"""
POLICY = """\
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata:
  name: a
spec:
  mtu: 9000
  nicSelector: {pfNames: [eth0]}
"""

LOST = "a quoted text or list begins here and never ends"


@dataclass(frozen=True)
class Bad:
    """A file with one change: its name, the line of the message, and words of it.

    `mtu` are ports of it that must still be read; None if nothing of the file must be.
    """

    name: str
    text: str
    old: str
    new: str
    line: int
    says: str
    mtu: dict[str, int | None] | None = None


BAD = {
    "junos: ends inside braces": Bad("bad.conf", JUNOS, "            family inet6;\n        }\n    }\n}\n", "",
        15, "the text ends inside 3 open braces", {"et-0/0/1": 9202}),
    "junos: a brace is missing": Bad("bad.conf", JUNOS + "vlans {\n    v {\n        vlan-id 5;\n    }\n}\n",
        "    }\n    et-0/0/2", "    et-0/0/2", 4, "1 open braces are not closed before 'vlans'", {"et-0/0/1": 9202}),
    "junos: a brace too many": Bad("bad.conf", JUNOS, "    et-0/0/2 {", "    }\n    et-0/0/2 {",
        20, "a closing brace without an opening one", {"et-0/0/1": 9202}),
    "junos: an open quote": Bad("bad.conf", JUNOS, "        mtu 9216;", '        description "x;\n        mtu 9216;',
        6, "a quoted text, comment or list begins here and never ends", {"et-0/0/1": 9202, "et-0/0/2": 8986}),
    "junos: no semicolon": Bad("bad.conf", JUNOS, "mtu 9216;", "mtu 9216",
        6, "no semicolon after 'mtu 9216'", {"et-0/0/1": 9202}),
    "junos: a value twice": Bad("bad.conf", JUNOS, "mtu 9000;", "mtu 9100;\n        mtu 9000;",
        14, "overridden lines", {"et-0/0/2": 8986}),
    "junos sets: an open quote": Bad("bad.conf", JUNOS_SETS, "mtu 9216", 'description "x\nset interfaces et-0/0/1 mtu 9216',
        2, LOST, {"et-0/0/1": 9202}),
    "junos sets: an open list": Bad("bad.conf", JUNOS_SETS + "set vlans v vlan-id 5\n", "family inet address 10.0.0.2/31",
        "family ethernet-switching vlan members [ v", 3, LOST, {"et-0/0/1": 9202}),
    "nvue: an open quote": Bad("bad.txt", NVUE, "nv set qos", "nv set system message pre-login 'x\nnv set qos",
        4, "a quote begins here that never ends", {"swp1": 9000}),
    "nvue: a value twice": Bad("bad.txt", NVUE, "nv set qos", "nv set interface swp1 link mtu 1500\nnv set qos",
        2, "overridden lines", {"swp1": 1500}),
    "nvue: cut": Bad("bad.txt", NVUE, " lossless\n", "", 4, "unrecognised line", {"swp1": 9000}),
    "nvue: an unknown mode": Bad("bad.txt", NVUE, "mode lossless", "mode lossles",
        4, "roce mode 'lossles', takes", {"swp1": 9000}),
    "startup.yaml: an open list": Bad("bad.yaml", STARTUP, "mtu: 9000", "mtu: [9000", 13, "not valid YAML"),
    "startup.yaml: a tab": Bad("bad.yaml", STARTUP, "          mtu", "\tmtu", 12, "not valid YAML"),
    "startup.yaml: an open quote": Bad("bad.yaml", STARTUP, "hostname: bad", "hostname: 'bad", 18, "not valid YAML"),
    "startup.yaml: a key twice": Bad("bad.yaml", STARTUP, "          mtu: 9000\n", "          mtu: 9000\n          mtu: 1500\n",
        13, '"mtu" comes again; the last one counts', {"swp1": 1500}),
    "startup.yaml: another interface": Bad("bad.yaml", STARTUP, "nvue_v1", "nvue_v2",
        3, "nvue-api-version 'nvue_v2' is not nvue_v1", {"swp1": 9000}),
    "startup.yaml: no release": Bad("bad.yaml", STARTUP, "Cumulus Linux 5.13.0", "latest",
        5, "the version of the release is not understood", {"swp1": 9000}),
    "startup.yaml: words of a later release": Bad("bad.yaml", STARTUP, "enable: on", "state: enabled",
        16, "roce state came with release 5.15", {"swp1": 9000}),
    "startup.yaml: words of an earlier release": Bad("bad.yaml", STARTUP, "5.13.0", "5.16.1",
        16, "roce enable became roce state in release 5.15", {"swp1": 9000}),
    "startup.yaml: a mode of a later release": Bad("bad.yaml", STARTUP, "mode: lossless", "mode: lossy-multi-tc",
        17, "roce mode lossy-multi-tc came with release 5.14; the file is of 5.13.0", {"swp1": 9000}),
    "qos_features.conf: an open list": Bad("bad/qos_features.conf", FEATURES, "[dscp]", "[dscp",
        2, "'[dscp': a bracket without the other", {"swp1": 9216}),
    "interfaces: no address": Bad("bad/interfaces", IFUPDOWN, "10.0.0.1/31", "10.0.0.300/31",
        7, "'10.0.0.300/31' is not an address", {"swp1": 9000}),
    "interfaces: a stanza without a name": Bad("bad/interfaces", IFUPDOWN, "iface swp2\n", "iface\n",
        6, "iface without a name", {"swp1": 9000}),
    "nclu: no number": Bad("bad.txt", NCLU, "mtu 9000", "mtu many",
        2, "mtu 'many', takes 552 to 9216 bytes", {"swp1": 9216}),
    "os10: out of range": Bad("bad.cfg", OS10, "pfc-cos 3", "pfc-cos 33",
        8, "pfc-cos '33', takes 0 to 7", {"ethernet1/1/1": 9216}),
    "os10: a value twice": Bad("bad.cfg", OS10, " mtu 9216\n", "\tmtu 9216\n mtu 1500\n",
        10, "overridden lines", {"ethernet1/1/1": 1500}),
    "enterprise sonic: out of range": Bad("bad.cfg", ENTERPRISE, "traffic-class 3", "traffic-class 33",
        5, "traffic-class '33', not", {"Ethernet0": 9100}),
    "ios-xr: out of range": Bad("bad.cfg", IOSXR, "match dscp 26", "match dscp 99",
        4, "DSCP '99', takes 0 to 63", {"FourHundredGigE0/0/0/0": 9202}),
    "sr linux: no number": Bad("bad.cfg", SRL, "mtu 9232", "mtu many", 3, "'many'", {"ethernet-1/1": None}),
    "sr linux: ends inside braces": Bad("bad.cfg", SRL_BRACES, "        mtu 9232\n    }\n", "        mtu 9232\n",
        6, "the text ends inside 1 open braces", {"ethernet-1/1": 9218}),
    "sr linux json: a comment": Bad("bad.json", SRL_JSON, '{\n  "srl', '{\n  // by hand\n  "srl',
        2, "a comment, which JSON does not have"),
    "sr linux json: a comment behind": Bad("bad.json", SRL_JSON, "  ],\n", "  ], // ports\n",
        4, "a comment, which JSON does not have"),
    "sr linux json: a key twice": Bad("bad.json", SRL_JSON, '"mtu": 9232', '"mtu": 9232, "mtu": 1500',
        3, '"mtu" comes again; the last one counts', {"ethernet-1/1": 1486}),
    "sr linux json: cut": Bad("bad/config.json", SRL_JSON, '{"host-name": "bad"}}\n}\n', '{"host-name": ',
        5, "the file ends inside"),
    "aos-cx: out of range": Bad("bad.cfg", AOSCX, "local-priority 3", "local-priority 33",
        4, "local-priority '33', takes 0 to 7", {"1/1/1": 1500}),
    "netplan: a tab": Bad("bad/netplan.yaml", NETPLAN, "  ethernets", "\tethernets", 4, "not valid YAML"),
    "netplan: a key twice": Bad("bad/netplan.yaml", NETPLAN, "      mtu: 9000\n", "      mtu: 9000\n      mtu: 1500\n",
        2, ':7: "mtu" comes again; the last one counts', {"eth0": 1500}),
    "networkd: an open section": Bad("bad/10-eth0.link", LINK, "[Link]", "[Link",
        4, "'[Link' is a section that is not closed"),
    "keyfile: an open section": Bad("bad/eth0.nmconnection", KEYFILE, "[ethernet]", "[ethernet",
        5, "'[ethernet' is a section that is not closed", {"eth0": None}),
    "script: an open quote": Bad("bad/roce.sh", SCRIPT, "--trust dscp", '--trust "dscp',
        3, "a quote or bracket is not closed", {"eth0": None}),
    "nccl.conf: a letter for a digit": Bad("bad/nccl.conf", NCCL, "106", "1O6", 2, "NCCL_IB_TC=1O6, not "),
    "policy: an open list": Bad("cluster/policy.yaml", POLICY, "[eth0]}", "[eth0", 8, "not valid YAML"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_message_with_its_place_and_the_rest_is_checked(tmp_path: Path, name: str) -> None:
    bad = BAD[name]
    assert bad.text.count(bad.old) >= 1
    path = tmp_path / bad.name
    path.parent.mkdir(exist_ok=True)
    path.write_text(bad.text.replace(bad.old, bad.new, 1), encoding="utf-8")
    (tmp_path / "good.conf").write_text(GOOD, encoding="utf-8")
    report = run(Request((str(tmp_path),), jobs=1, cache=False), Settings())
    reported = [(d.file, d.line, d.message) for d in report.diagnostics]
    reported += [
        (p.file, p.line, f.message)
        for f in report.findings
        for o in f.occurrences
        for p in o.locations
        if p.role == "cause"
    ]
    assert [
        text
        for file, line, text in reported
        if (file, line) == (bad.name, bad.line) and bad.says in shorten(text)
    ], reported
    assert report.fabric is not None
    devices = report.fabric.devices
    assert devices["good"].interfaces["et-0/0/0"].ip_mtu == 9202
    if bad.mtu is not None:
        assert {port: devices["bad"].interfaces[port].ip_mtu for port in bad.mtu} == bad.mtu
    assert not [f for f in report.findings if f.rule in ("SRC900", "SRC901")]
