from __future__ import annotations

from roce_lint.model.device import NoteKind
from tests.nos.sonic.making import device_of, place, remarks

TABLE = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice       RemotePortID         Capability    RemotePortDescr
-----------  -----------------  -------------------  ------------  --------------------
Ethernet112  T1-1               hundredGigE1/2       BR            Ethernet4
Ethernet116  T1-2               hundredGigE1/2       BR            uplink number 30
Ethernet120  gpu-017            02:aa:00:00:00:01
eth0         oob-1              GigabitEthernet 0/2  OBR
Ethernet124                     02:aa:00:00:00:02    O
--------------------------------------------------
Total entries displayed:  5
"""

NEIGHBORS = """\
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    Ethernet116, via: LLDP, RID: 3, Time: 20 days, 12:20:52
  Chassis:
    ChassisID:    mac 02:e0:ec:3b:bb:84
    SysName:      T1-2
    SysDescr:     SONiC Software Version: SONiC.20260510
    Capability:   Router, on
  Port:
    PortID:       local hundredGigE1/2
    PortDescr:    Ethernet4
    TTL:          120
Interface:    Ethernet120, via: LLDP, RID: 4, Time: 20 days, 12:20:52
  Chassis:
    ChassisID:    mac 02:aa:00:00:00:01
  Port:
    PortID:       mac 02:aa:00:00:00:01
    TTL:          120
-------------------------------------------------------------------------------
"""


def test_the_table() -> None:
    device = device_of(TABLE, source="lldp-table")
    heard = {
        name: [(n.device, n.names, place(n, "device")) for n in port.neighbors]
        for name, port in device.interfaces.items()
    }
    assert heard == {
        "Ethernet112": [("T1-1", ("hundredGigE1/2", "Ethernet4"), "line 4")],
        "Ethernet116": [("T1-2", ("hundredGigE1/2",), "line 5")],
        "Ethernet120": [("gpu-017", ("02:aa:00:00:00:01",), "line 6")],
        "Ethernet124": [("02:aa:00:00:00:02", ("02:aa:00:00:00:02",), "line 8")],
        "eth0": [("oob-1", ("GigabitEthernet 0/2",), "line 7")],
    }
    first = device.interfaces["Ethernet112"].neighbors[0]
    assert (first.planned, first.by) == (False, "LLDP")
    assert remarks(device, NoteKind.UNRECOGNISED) == []


def test_the_detailed_output() -> None:
    device = device_of(NEIGHBORS, source="lldp-neighbors")
    switch = device.interfaces["Ethernet116"].neighbors[0]
    adapter = device.interfaces["Ethernet120"].neighbors[0]
    assert (switch.device, switch.names) == ("T1-2", ("hundredGigE1/2", "Ethernet4"))
    assert (place(switch), place(switch, "device"), place(switch, "names")) == (
        "line 7",
        "line 7",
        "line 11",
    )
    assert (adapter.device, adapter.names) == ("02:aa:00:00:00:01", ("02:aa:00:00:00:01",))
    assert remarks(device, NoteKind.UNRECOGNISED) == []
