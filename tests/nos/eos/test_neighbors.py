"""`show lldp neighbors detail`, in the layouts of older and newer releases."""

from __future__ import annotations

from roce_lint.model.interface import InterfaceKind
from roce_lint.text.source import LineState
from tests.nos.eos.reading import read

OLDER = """\
Interface Ethernet1 detected 1 LLDP neighbors:

  Neighbor 2cc2.6081.eaf9/"Ethernet9", age 12 seconds
  Discovered 0:01:11 ago; Last changed 0:01:11 ago
  - Chassis ID type: MAC address (4)
    Chassis ID     : 2cc2.6081.eaf9
  - Port ID type: Interface name (5)
    Port ID     : "Ethernet9"
  - System Name: "spine2.company.com"
  - IEEE802.1/IEEE802.3 Link Aggregation
    Port ID                : 0
  - IEEE802.3 Maximum Frame Size: 9236 bytes

Interface Ethernet2 detected 0 LLDP neighbors:
"""

NEWER = """\
Interface Ethernet8/1 detected 2 LLDP neighbors:

  Neighbor 0c42.a1b2.c3d4/0c42.a1b2.c3d4, age 4 seconds
    - Port ID type: MAC address (3)
      Port ID     : 0c42.a1b2.c3d4
    - Port Description: "enp65s0np0"

  Neighbor 7c0e.cecb.659b/Eth1/23, age 29 seconds
    - Port ID type: Locally assigned (7)
      Port ID     : "Eth1/23"
    - System Name: "leaf1"
    - Unknown organizationally-defined TLV (OUI 00-01-42, subtype 201):
          01
"""


def test_the_older_layout() -> None:
    device = read("hostname leaf1\ninterface Ethernet1\n", lldp=OLDER)
    port = device.interfaces["Ethernet1"]
    (neighbor,) = port.neighbors
    assert (neighbor.device, neighbor.names, neighbor.max_frame) == (
        "spine2.company.com", ("Ethernet9",), 9236,
    )  # fmt: skip
    assert (neighbor.by, neighbor.planned) == ("LLDP", False)
    lines = {name: device.src.line_of(at) for name, at in neighbor.at.items()}
    assert lines == {"": 3, "device": 9, "names": 8, "max_frame": 12}
    assert "Ethernet2" not in device.interfaces


def test_the_newer_layout_and_two_neighbours_on_one_port() -> None:
    device = read("hostname leaf1\n", lldp=NEWER)
    port = device.interfaces["Ethernet8/1"]
    assert (port.kind, port.aliases) == (InterfaceKind.PHYSICAL, ("Et8/1", "Eth8/1"))
    nic, switch = port.neighbors
    assert (nic.device, nic.names) == ("0c:42:a1:b2:c3:d4", ("0c:42:a1:b2:c3:d4", "enp65s0np0"))
    assert (switch.device, switch.names) == ("leaf1", ("Eth1/23",))


def test_no_line_is_left() -> None:
    for text in (OLDER, NEWER):
        found = read("hostname leaf1\n", lldp=text).src.files[1].states
        assert LineState.UNRECOGNISED not in found
