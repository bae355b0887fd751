"""lldpad: advertised elements, settings, and elements received from the neighbour."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, Trust
from tests.nos.linux.reading import MLNX_QOS, notes, read
from tests.nos.reader import line

LOCAL = """
Chassis ID TLV
\tMAC: f6:54:8b:47:d6:a6
Port ID TLV
\tMAC: f6:54:8b:47:d6:a6
Time to Live TLV
\t120
Maximum Frame Size TLV
\t9018
IEEE 8021QAZ ETS Configuration TLV
\t Willing: no
\t CBS: not supported
\t MAX_TCS: 8
\t PRIO_MAP: 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:7 
\t TC Bandwidth: 50% 0% 0% 50% 0% 0% 0% 0% 
\t TSA_MAP: 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict 
IEEE 8021QAZ PFC TLV
\t Willing: yes
\t MACsec Bypass Capable: no
\t PFC capable traffic classes: 8
\t PFC enabled: 3 4 
IEEE 8021QAZ APP TLV
\tApp#   1 \t Prio 3 \t Sel 3 \t P-ID\t UDP or DCCP Port: 4791
\tProt:3 \t dscp:  26, 
\tPrio:3 \t dscp:  26, 24, 
\tPrio:6 \t dscp:  48, 
End of LLDPDU TLV
"""
SHOW = "lldptool -t -i ens1"


def test_what_lldpad_advertises_is_its_setting() -> None:
    device = read((SHOW, LOCAL))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    pfc = qos.pfc
    assert (pfc.mode, pfc.generate, line(pfc, "generate")) == (
        PfcMode.ON,
        frozenset({3, 4}),
        21,
    )
    assert (pfc.willing, line(pfc, "willing"), pfc.agents) == (True, 18, frozenset({"lldpad"}))
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert [(d, codes.get(d), line(codes, d)) for d in (24, 26, 48)] == [
        (24, 3, 25),
        (26, 3, 25),
        (48, 6, 26),
    ]
    assert qos.trust is Trust.DSCP
    queues = device.qos.forwardings["ens1"].tc_to_queue
    assert (queues.entries, line(queues, 3)) == (
        {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 7},
        14,
    )
    assert device.notes == []


def test_the_driver_goes_before_lldpad() -> None:
    device = read(("mlnx_qos -i ens1", MLNX_QOS), (SHOW, LOCAL))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert qos.pfc.generate == frozenset({3})
    reason = "lost at reboot or never applied"
    drift = [(n.message, line(n)) for n in device.notes if n.kind is NoteKind.DRIFT]
    pfc = f"ens1 PFC is not what lldpad sets (priority 4 = off and on; first what is now), {reason}"
    dscp = (
        "ens1 DSCP to priority is not what lldpad sets (DSCP 24 = none and 3; first what is now), "
        + reason
    )
    assert drift == [(dscp, 25), (pfc, 21)]
    assert notes(device, NoteKind.CONFLICT) == []


def test_one_element_in_the_short_form() -> None:
    device = read(
        (f"{SHOW} -V PFC -c", "enableTx=yes\nwilling=no\nenabled=3\n"),
        (f"{SHOW} -V ETS-CFG -c", "willing=no\nup2tc=0:0,1:0,2:0,3:3,4:0,5:0,6:6,7:7\n"),
        (
            f"{SHOW} -V APP -c",
            "APP=(prio,sel,proto)\n0:(3,5,26) local hw (set)\n1:(3,3,4791) local\n",
        ),
    )
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, qos.pfc.willing) == (frozenset({3}), False)
    assert device.qos.classifiers["ens1"].dscp_to_tc.entries[26] == 3
    assert device.qos.forwardings["ens1"].tc_to_queue.entries[6] == 6


def test_an_answer_that_names_no_port_is_left_aside() -> None:
    device = read(("lldptool.txt", LOCAL))
    assert device.interfaces == {}
    assert [line(note) for note in device.notes] == [1]


NEIGHBOR = """
Chassis ID TLV
\tMAC: 28:99:3a:00:00:01
Port ID TLV
\tIfname: Ethernet1/1
System Name TLV
\tleaf1
Port Description TLV
\tto gpu1
Maximum Frame Size TLV
\t9236
IEEE 8021QAZ PFC TLV
\t Willing: no
\t PFC enabled: none
IEEE 8021QAZ APP TLV
\tPrio:4 \t dscp:  26, 
End of LLDPDU TLV
"""


def test_what_the_neighbour_advertises() -> None:
    device = read(("lldptool -t -n -i ens1", NEIGHBOR))
    (heard,) = device.interfaces["ens1"].neighbors
    assert (heard.device, heard.names) == ("leaf1", ("Ethernet1/1", "to gpu1"))
    assert (heard.max_frame, line(heard, "max_frame")) == (9236, 11)
    assert (heard.pfc_priorities, line(heard, "pfc_priorities")) == (frozenset(), 14)
    assert (heard.pfc_willing, heard.priority_to_tc) == (False, None)
    assert heard.dscp_to_priority is not None
    assert (heard.dscp_to_priority.entries, line(heard.dscp_to_priority, 26)) == ({26: 4}, 16)
    assert device.interfaces["ens1"].qos is None


LLDPAD = """
dcbx : 
{
  version = "1.0";
  ens1 : 
  {
    pfc_enable = 1;
    enabled = 255;
  };
};
lldp : 
{
  ens1 : 
  {
    adminStatus = 3;
    tlvid0080c20b : 
    {
      enableTx = true;
      willing = 0;
      enabled = 8;
      delay = 0;
    };
    tlvid0080c209 : 
    {
      tsa = "0:ets,1:strict,2:strict,3:ets,4:strict,5:strict,6:strict,7:strict";
      up2tc = "0:0,1:0,2:0,3:3,4:0,5:0,6:6,7:7";
      tcbw = "50,0,0,50,0,0,0,0";
    };
    tlvid0080c20c : 
    {
      APP0 = "3,5,   26";
      APP1 = "3,3, 4791";
      APP2 = "6,5,   48";
    };
  };
};
"""


def test_the_file_of_lldpad() -> None:
    device = read(("cat /var/lib/lldpad/lldpad.conf", LLDPAD))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, line(qos.pfc, "generate")) == (frozenset({3}), 20)
    assert (qos.pfc.willing, line(qos.pfc, "willing")) == (False, 19)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert [(d, codes.get(d), line(codes, d)) for d in (26, 48)] == [(26, 3, 31), (48, 6, 33)]
    share = device.qos.egress["ens1"].queues
    assert sorted((key[1], q.scheduler.share) for key, q in share.items() if q.scheduler) == [
        (0, 50),
        (1, None),
        (2, None),
        (3, 50),
        (4, None),
        (5, None),
        (6, None),
        (7, None),
    ]
    assert device.notes == []


def test_a_file_of_lldpad_that_breaks_off() -> None:
    device = read(("lldpad.conf", LLDPAD[: LLDPAD.index("enabled = 8")] + "}}}}\n} } {\n{ = ;\n"))
    assert device.interfaces["ens1"].qos is not None
    assert device.interfaces["ens1"].qos.pfc is not None
    assert device.interfaces["ens1"].qos.pfc.willing is False


def test_an_invalid_bit_map_of_lldpad() -> None:
    device = read(("lldpad.conf", LLDPAD.replace("enabled = 8", "enabled = 99999")))
    assert notes(device, NoteKind.BAD_VALUE) == ["enabled = 99999 is no bit map of 8 priorities"]


XML = """<?xml version="1.0" encoding="UTF-8"?>
<lldp label="LLDP neighbors">
 <interface label="Interface" name="ens1" via="LLDP"/>
</lldp>
"""


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("lldpcli -f xml show neighbors details", XML),
        ("neighbors.xml", XML),
    ],
    ids=["xml", "xml-file"],
)
def test_other_forms_of_lldpcli_are_reported(command: str, text: str) -> None:
    device = read(("mlnx_qos -i ens1", MLNX_QOS), (command, text))
    assert notes(device, NoteKind.UNRECOGNISED) == [
        "this form of lldpcli is not read; save `lldpcli -f json0 show neighbors details`"
    ]
