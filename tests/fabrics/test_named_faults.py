"""Faults that the guides of EOS and NX-OS warn of, each on an otherwise correct switch.

One switch, no host and no link: the findings rest on its configuration alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.bench import check

EOS = """\
! Command: show running-config
! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)
hostname leaf1
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 0.2 polling-interval 0.1 recovery-time 0.2
   !
   uc-tx-queue 1
      no priority
      bandwidth percent 5
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0
!
interface Ethernet1/1
   mtu 9214
   no switchport
   ip address 10.0.0.1/31
   service-profile ROCE
!
interface Ethernet2/1
   mtu 9214
   no switchport
   ip address 10.0.0.3/31
   service-profile ROCE
!
interface Ethernet3/1
   mtu 9214
   no switchport
   ip address 10.0.0.5/31
   service-profile ROCE
!
qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 3
"""

NXOS = """\
!Command: show running-config
version 10.4(3) Bios:version 05.50
hostname leaf1
priority-flow-control watch-dog-interval on
class-map type qos match-any ROCE
  match dscp 26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos CLASSIFY
  class ROCE
    set qos-group 3
  class CNP
    set qos-group 7
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing OUT
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
system qos
  service-policy type network-qos NQ
  service-policy type queuing output OUT
interface Ethernet1/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input CLASSIFY
  ip address 10.0.0.1/31
  no shutdown
interface Ethernet1/2
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input CLASSIFY
  ip address 10.0.0.3/31
  no shutdown
interface Ethernet1/3
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input CLASSIFY
  ip address 10.0.0.5/31
  no shutdown
"""


@dataclass(frozen=True)
class Fault:
    """Replaced text, and the findings: rule, severity, line."""

    says: str
    config: str
    old: str
    new: str
    found: tuple[tuple[str, str, int], ...]


FAULTS = [
    Fault(
        "PFC on without a no-drop priority",
        EOS,
        "   priority-flow-control priority 3 no-drop\n",
        "",
        (("PFC003", "error", 7),),
    ),
    Fault(
        "a no-drop priority without PFC",
        EOS,
        "   priority-flow-control on\n",
        "",
        (("PFC009", "error", 5),),
    ),
    Fault(
        "the emergency switch",
        EOS,
        "qos map dscp",
        "priority-flow-control all off\nqos map dscp",
        (("PFC004", "error", 40),),
    ),
    Fault(
        "a no-drop priority of another class",
        EOS,
        "priority 3 no-drop",
        "priority 4 no-drop",
        (("ECN001", "warning", 5),),
    ),
    Fault(
        "WRED that drops",
        EOS,
        " ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100",
        " drop minimum-threshold 256 kbytes maximum-threshold 512 kbytes drop-probability 100",
        (("ECN002", "error", 20),),
    ),
    Fault(
        "ECN on another queue",
        EOS,
        "uc-tx-queue 3",
        "uc-tx-queue 4",
        (("ECN001", "warning", 17),),
    ),
    Fault(
        "a rewrite map to classify",
        EOS,
        "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 3",
        "qos map traffic-class 3 to dscp 26",
        (("MAP009", "info", 40),),
    ),
    Fault(
        "an undefined profile",
        EOS,
        "   ip address 10.0.0.5/31\n   service-profile ROCE\n",
        "   ip address 10.0.0.5/31\n   service-profile ROCEE\n",
        (("MAP003", "error", 38),),
    ),
    Fault(
        "trust in a tag that no packet has",
        EOS,
        "   qos trust dscp\n",
        "   qos trust cos\n",
        (("PFC009", "warning", 7),),
    ),
    Fault(
        "all queues strict",
        EOS,
        "   uc-tx-queue 3\n      no priority\n",
        "   uc-tx-queue 3\n",
        (("CLS005", "warning", 17),),
    ),
    Fault(
        "milliseconds for seconds",
        EOS,
        "timeout 0.2 polling",
        "timeout 200 polling",
        (("SRC007", "error", 11),),
    ),
    Fault(
        "a watchdog that polls too slowly",
        EOS,
        "polling-interval 0.1",
        "polling-interval 1",
        (("PFC022", "warning", 11),),
    ),
    Fault(
        "a watchdog that disables the port",
        EOS,
        "   priority-flow-control pause watchdog port action drop\n",
        "",
        (("PFC021", "warning", 10),),
    ),
    Fault(
        "802.3x pause beside PFC (EOS)",
        EOS,
        "   ip address 10.0.0.5/31\n",
        "   ip address 10.0.0.5/31\n   flowcontrol receive on\n",
        (("PFC008", "warning", 38),),
    ),
    Fault(
        "lines that are no EOS syntax",
        EOS,
        "qos map dscp",
        "priority-flow-control watchdog action errdisable\nqos map dscp",
        (("SRC001", "info", 40),),
    ),
    Fault(
        "PFC left to DCBX",
        NXOS,
        "  priority-flow-control mode on\n",
        "",
        (("PFC007", "warning", 31),),
    ),
    Fault(
        "a group without no-drop class",
        NXOS,
        "set qos-group 3",
        "set qos-group 4",
        (("PFC009", "warning", 17),),
    ),
    Fault(
        "network-qos not attached",
        NXOS,
        "  service-policy type network-qos NQ\n",
        "",
        (("MAP004", "error", 14),),
    ),
    Fault(
        "queuing not attached",
        NXOS,
        "  service-policy type queuing output OUT\n",
        "",
        (("MAP004", "warning", 20),),
    ),
    Fault(
        "a queuing class in network-qos",
        NXOS,
        "class type network-qos c-8q-nq3",
        "class type network-qos c-out-8q-q3",
        (("MAP003", "error", 15),),
    ),
    Fault(
        "an undefined class",
        NXOS,
        "class type network-qos c-8q-nq3",
        "class type network-qos RDMA",
        (("MAP003", "error", 15),),
    ),
    Fault(
        "no share for the queue",
        NXOS,
        "c-out-8q-q3\n    bandwidth remaining percent 50",
        "c-out-8q-q3\n    bandwidth remaining percent 0",
        (("CLS006", "error", 24),),
    ),
    Fault(
        "WRED without ecn",
        NXOS,
        " weight 0 ecn\n",
        " weight 0\n",
        (("ECN002", "error", 25),),
    ),
    Fault(
        "ECN on a queue that RoCE does not use",
        NXOS,
        "c-out-8q-q3",
        "c-out-8q-q4",
        (("ECN001", "warning", 23),),
    ),
    Fault(
        "minimum above maximum",
        NXOS,
        "minimum-threshold 950 kbytes maximum-threshold 3000",
        "minimum-threshold 3000 kbytes maximum-threshold 950",
        (("ECN003", "error", 25),),
    ),
    Fault(
        "probability 0",
        NXOS,
        "drop-probability 7",
        "drop-probability 0",
        (("ECN003", "warning", 25),),
    ),
    Fault(
        "watchdog off for the switch",
        NXOS,
        "hostname leaf1\npriority-flow-control watch-dog-interval on\n",
        "hostname leaf1\n",
        (("PFC022", "warning", 34),),
    ),
    Fault(
        "watchdog missing on ports",
        NXOS,
        "  priority-flow-control watch-dog-interval on\n",
        "",
        (("PFC020", "warning", 31),),
    ),
    Fault(
        "a number where on or off is wanted",
        NXOS,
        "  priority-flow-control watch-dog-interval on\n",
        "  priority-flow-control watch-dog-interval 200\n",
        (("SRC007", "error", 35),),
    ),
    Fault(
        "802.3x pause beside PFC (NX-OS)",
        NXOS,
        "  ip address 10.0.0.5/31\n",
        "  ip address 10.0.0.5/31\n  flowcontrol receive on\n",
        (("PFC008", "warning", 54),),
    ),
    Fault(
        "match cos on routed ports",
        NXOS,
        "match dscp 26",
        "match cos 3",
        (("PFC009", "warning", 17),),
    ),
    Fault(
        "a class-map without a match line",
        NXOS,
        "  match dscp 26\n",
        "",
        (("PFC009", "warning", 5),),
    ),
    Fault(
        "three lossless priorities",
        NXOS,
        "  class type network-qos c-8q-nq-default",
        "  class type network-qos c-8q-nq4\n    pause pfc-cos 4\n  class type network-qos c-8q-nq5\n    pause pfc-cos 5\n  class type network-qos c-8q-nq-default",
        (("PFC005", "warning", 20),),
    ),
    Fault(
        "PFC on and no input policy",
        NXOS,
        "  service-policy type qos input CLASSIFY\n  ip address 10.0.0.5",
        "  ip address 10.0.0.5",
        (("MAP004", "error", 47),),
    ),
    Fault(
        "a pause threshold above the buffer",
        NXOS,
        "pause pfc-cos 3",
        "pause buffer-size 20000 pause-threshold 30000 resume-threshold 10000 pfc-cos 3",
        (("SRC002", "warning", 17),),
    ),
]


def judge(text: str) -> list[tuple[str, str, int]]:
    findings = check({"leaf1.cfg": text}).findings
    return [(f.rule, f.severity.label, f.location.line if f.location else 0) for f in findings]


@pytest.mark.parametrize("config", [EOS, NXOS], ids=["eos", "nxos"])
def test_the_switch_is_right(config: str) -> None:
    assert judge(config) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.says)
def test_a_fault_is_found_on_its_line(fault: Fault) -> None:
    text, times = re.subn(re.escape(fault.old), lambda _: fault.new, fault.config)
    assert times > 0
    assert judge(text) == list(fault.found)
