"""Identification of Cumulus files, as opposed to those of Linux hosts."""

from __future__ import annotations

import pytest

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.group import hostname_in
from roce_lint.loading.identify import identify
from roce_lint.nos.cumulus import NOS

HEADER = "# command: {}  host: leaf1  time: 2026-10-07T06:13:11Z\n"


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("nv config show -o commands", "nvue-commands"),
        ("sudo nv config show --applied -o commands", "nvue-commands"),
        ("nv config show", "nvue-yaml"),
        ("nv config show -o json", "nvue-yaml"),
        ("cat /etc/nvue.d/startup.yaml", "nvue-yaml"),
        ("cat /etc/cumulus/datapath/qos/qos_features.conf", "datapath"),
        ("sudo cat /etc/mlx/datapath/qos/qos_infra.conf", "datapath"),
        ("cat /etc/cumulus/datapath/traffic.conf", "datapath"),
        (
            "cat /usr/lib/python2.7/dist-packages/cumulus/__chip_config/mlx/datapath.conf",
            "datapath",
        ),
        ("cat /etc/cumulus/switchd.conf", "datapath"),
        ("net show configuration commands", "nclu-commands"),
        ("ifquery -a", "interfaces"),
    ],
)
def test_commands(command: str, source: str) -> None:
    found = identify("x.txt", HEADER.format(command) + "anything\n")
    assert (found.nos, found.source, found.host) == ("cumulus", source, "leaf1")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("nv set interface swp1 type swp\n", "nvue-commands"),
        ("cumulus@leaf1:mgmt:~$ nv set qos roce\n", "nvue-commands"),
        ("#!/bin/bash\nnv set qos roce mode lossless\n", "nvue-commands"),
        (
            "- header:\n    nvue-api-version: nvue_v1\n- set:\n    qos:\n      roce: {}\n",
            "nvue-yaml",
        ),
        ('[{"header": {\n "nvue-api-version": "nvue_v1"}}]\n', "nvue-yaml"),
        ('[{"header": {"nvue-api-version": "nvue_v1"}}, {"set": {}}]', "nvue-yaml"),
        ("set:\n  interface:\n    swp1:\n      type: swp\n", "nvue-yaml"),
        ("set:    \n  interface:\n    lo:\n      type: loopback\n", "nvue-yaml"),
        ("traffic.packet_priority_source_set = [dscp]\n", "datapath"),
        ("default_ecn_red_conf.ecn_enable = true\n", "datapath"),
        ("cos_egr_queue.cos_0.uc  = 0\ningress_service_pool.0.percent = 50.0\n", "datapath"),
        ("net add interface swp1 mtu 9216\n", "nclu-commands"),
        ("auto swp1\niface swp1\n    mtu 9216\n", "interfaces"),
    ],
)
def test_content(text: str, source: str) -> None:
    found = identify("x", text)
    assert (found.nos, found.source) == ("cumulus", source)


HOSTS = [
    # A server with ifupdown, one with ifupdown2 and a bridge (Proxmox), one with a bond.
    "auto ens1f0np0\niface ens1f0np0 inet static\n    address 10.0.0.2/31\n    mtu 9000\n",
    "auto vmbr0\niface vmbr0 inet static\n    bridge-ports eno1\n    bridge-vlan-aware yes\n",
    "auto bond0\niface bond0 inet manual\n    bond-slaves eno1 eno2\n    vlan-raw-device bond0\n",
    # A script that sets up RDMA, and mentions a switch port.
    "#!/bin/bash\n# port swp1 of leaf1\nmlnx_qos -i ens1f0np0 --trust dscp\n",
    # YAML with a `set` and a `type`.
    "set:\n  - name: a\n    value: 1\n",
    "network:\n  version: 2\n  ethernets:\n    ens1:\n      mtu: 9000\n",
]


@pytest.mark.parametrize("text", HOSTS)
def test_files_of_hosts(text: str) -> None:
    try:
        found = identify("interfaces", text).nos
    except (UnknownFormat, AmbiguousFormat):
        found = "none"
    assert found != "cumulus"


@pytest.mark.parametrize(
    ("source", "text", "name"),
    [
        ("nvue-commands", "nv set system hostname leaf1\n", "leaf1"),
        ("nvue-commands", "nv set system hostname 'leaf1'\n", "leaf1"),
        ("nvue-yaml", "- set:\n    system:\n      hostname: leaf1\n", "leaf1"),
        ("nvue-yaml", "set:\n  system:\n    hostname: leaf1\n", "leaf1"),
        (
            "nvue-yaml",
            "set:\n  service:\n    dhcp-server:\n      static:\n        gpu1:\n          hostname: g\n",
            None,
        ),
        ("nclu-commands", "net add hostname leaf1\n", "leaf1"),
        ("interfaces", "iface swp1\nhostname leaf1\n", "leaf1"),
    ],
)
def test_hostnames(source: str, text: str, name: str | None) -> None:
    assert hostname_in(NOS.by_source[source], text) == name
