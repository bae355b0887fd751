"""Cable plans in the formats of other tools equal links.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import LinksError
from roce_lint.topology.plan_file import PlannedLink, read_plan


def read(tmp_path: Path, name: str, text: str) -> list[PlannedLink]:
    path = tmp_path / name
    path.write_text(text)
    return read_plan(path, name)


NETBOX = """\
side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit
leaf1,dcim.interface,Ethernet1/1,spine1,dcim.interface,Ethernet3/1,smf,connected,98.5,ft
leaf1,dcim.powerport,PSU1,pdu1,dcim.poweroutlet,1,power,connected,,
leaf2,dcim.interface,Ethernet1/1,spine1,dcim.interface,Ethernet4/1,smf,connected,,
"""

CONTAINERLAB = """\
name: pod1
topology:
  nodes:
    leaf1: {kind: arista_ceos}
  links:
    - endpoints: ["leaf1:eth1", "spine1:eth3"]
    - type: veth
      endpoints:
        - {node: leaf2, interface: eth1}
        - {node: spine1, interface: eth4}
    - type: mgmt-net
      endpoint: {node: leaf1, interface: eth9}
      host-interface: x
"""


def test_netbox(tmp_path: Path) -> None:
    first, second = read(tmp_path, "cables.csv", NETBOX)
    assert (first.a, first.b) == (("leaf1", "Ethernet1/1"), ("spine1", "Ethernet3/1"))
    assert first.cable_m == pytest.approx(30.02, abs=0.01)
    assert first.where.position == 2 + first.where.src.files[0].first
    assert (second.a, second.cable_m) == (("leaf2", "Ethernet1/1"), None)


def test_containerlab(tmp_path: Path) -> None:
    links = read(tmp_path, "pod1.clab.yml", CONTAINERLAB)
    assert [(link.a, link.b) for link in links] == [
        (("leaf1", "eth1"), ("spine1", "eth3")),
        (("leaf2", "eth1"), ("spine1", "eth4")),
    ]


@pytest.mark.parametrize(
    "head",
    [
        "a_device,a_port,b_device,b_port,cable_m",
        "A Device,A Port,B Device,B Port,Cable m",
        "local_device,local_interface,remote_device,remote_interface,length_m",
        "source_device,source_port,destination_device,destination_port,length",
        "Side A Device,Side A Name,Side B Device,Side B Name,Length",
    ],
)
def test_other_words_for_the_columns(tmp_path: Path, head: str) -> None:
    (link,) = read(tmp_path, "l.csv", f"{head}\nleaf1,e1,spine1,e2,30\n")
    assert (link.a, link.b, link.cable_m) == (("leaf1", "e1"), ("spine1", "e2"), 30)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "l.csv",
            "a_device,a_port,b_device,b_port,length,length_unit\na,1,b,1,3,furlong\n",
            "l.csv:2: length_unit: 'furlong' is not one of km, m, cm, mi, ft, in",
        ),
        (
            "l.csv",
            "a_device,a_port,b_device,b_port,length\na,1,b,1,far\n",
            "l.csv:2: length: 'far' is not a number",
        ),
        (
            "l.yaml",
            "topology:\n  links:\n    - endpoints: [leaf1, 'b:1']\n",
            "l.yaml:3: 'leaf1' is not device:port",
        ),
        ("l.yaml", "topology: {links: none}\n", "l.yaml: must be a list of links"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(LinksError) as raised:
        read(tmp_path, name, text)
    assert str(raised.value) == said
