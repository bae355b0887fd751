"""RoCE DSCPs, compared devices, known facts, severity: rows J1 to J20."""

from __future__ import annotations

from tests.small_fabrics.rows import NO_PAUSE_SONIC, NO_WATCHDOG, Row

BY_20 = ("dscp 26 to traffic-class 3", "dscp 20 to traffic-class 3")
PAUSED = "   priority-flow-control priority 3 no-drop\n"
NO_PAUSE_EOS = (
    ("   priority-flow-control on\n" + PAUSED, ""),
    ("   priority-flow-control pause watchdog port action drop\n", ""),
)
NO_PAUSE_NXOS = (
    ("    pause pfc-cos 3\n", ""),
    ("  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on\n", ""),
    ("priority-flow-control watch-dog-interval on\n", ""),
)
SECOND = (
    ("  match dscp 26\n", "  match dscp 26\nclass-map type qos match-any STO\n  match dscp 36\n"),
    ("    set qos-group 3\n", "    set qos-group 3\n  class STO\n    set qos-group 4\n"),
    ("    pause pfc-cos 3\n", "    pause pfc-cos 3\n  class type network-qos c-8q-nq4\n    mtu 9216\n    pause pfc-cos 4\n"),
    ("q4\n    bandwidth remaining percent 0\n", "q4\n    bandwidth remaining percent 20\n    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n"),
    ("remaining percent 60", "remaining percent 40"),
)  # fmt: skip
BESIDE_DEFAULT = (
    (PAUSED, PAUSED + "   priority-flow-control priority 5 no-drop\n"),
    ("qos map dscp 26 to traffic-class 3\n", "qos map dscp 44 to traffic-class 5\n"),
    ("   uc-tx-queue 6\n", "   uc-tx-queue 5\n      no priority\n      bandwidth percent 10\n   !\n   uc-tx-queue 6\n"),
    ("bandwidth percent 40", "bandwidth percent 30"),
)  # fmt: skip
NO_PAUSE_SRLINUX = tuple(
    (f"set / qos interfaces interface ethernet-1/{port} {words}\n", "")
    for port in (1, 2)
    for words in ("pfc pfc-mapping-profile gpu", "pfc pfc-enable true", "input pfc-buffer-allocation-profile gpu")
)  # fmt: skip
NO_DEADLOCK = tuple(
    (f"set / qos pfc-mapping-profile gpu received-pfc-pause-frames deadlock {words}\n", "")
    for words in ("enable true", "detection-timer 500")
)
ALL_OF_3 = "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 1\n"

UNSTOPPED = (*NO_PAUSE_SONIC, *NO_WATCHDOG)
EVERY_QUEUE = (
    ('"scheduler": "scheduler.0"', '"scheduler": "scheduler.0",\n   "wred_profile": "LOSSLESS"'),
    (
        '"scheduler": "scheduler.cnp"',
        '"scheduler": "scheduler.cnp",\n   "wred_profile": "LOSSLESS"',
    ),
)
IN_VAIN = ('scheduler.1",\n   "wred_profile": "LOSSLESS"', 'scheduler.1"')

ROWS = (
    Row("marking-switched-off", "sonic", alike=(*UNSTOPPED, ('"wred_green_enable": "true"', '"wred_green_enable": "false"')), classes=()),
    Row("no-chance-on-one", "sonic", (("warning ECN003", '"green_drop_probability": "0"'),), odd=(('"green_drop_probability": "5"', '"green_drop_probability": "0"'),), unknown="ECN marking by a profile"),
    Row("colour-off-on-one", "sonic", (("warning ECN008", '"wred_green_enable": "false",'),), odd=(('"wred_green_enable": "true"', '"wred_green_enable": "false"'),), unknown="ECN marking by a profile"),
    Row("policed-by-the-class", "iosxr", (("error CLS008", "police rate 10 gbps"),), odd=(("  set traffic-class 3\n", "  set traffic-class 3\n  police rate 10 gbps\n  !\n"),)),
    Row("marked-down-by-the-class", "iosxr", odd=(("  set traffic-class 3\n", "  set traffic-class 3\n  police rate 10 gbps\n   conform-action transmit\n   exceed-action transmit\n  !\n"),)),
    Row("pause-of-the-link", "comware", (("warning PFC008", "flow-control"),), odd=(("priority-flow-control enable\n", "priority-flow-control enable\n flow-control\n"),)),
    Row("marking-with-no-chance", "sonic", (("warning ECN003", '"green_drop_probability": "0"'),), alike=(*UNSTOPPED, ('"green_drop_probability": "5"', '"green_drop_probability": "0"')), classes=()),
    Row("every-queue-marks", "sonic", alike=(*UNSTOPPED, *EVERY_QUEUE), classes=("RoCE DSCP 26",)),
    Row("every-queue-marks-but-one", "sonic", (("error ECN001", '"Ethernet0|3": {'),), odd=(IN_VAIN,), alike=(*UNSTOPPED, *EVERY_QUEUE), classes=("RoCE DSCP 26",)),
    Row("srlinux-marks-only", "srlinux", (("info MAP005", "set / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue rdma-pfc forwarding-class [ fc3 ]"), ("info MAP005", "set / qos buffer-management buffer-allocation-profile gpu queues pfc-queue rdma-pfc maximum-burst-size 52110640")), alike=(*NO_PAUSE_SRLINUX, *NO_DEADLOCK), classes=("RoCE DSCP 26",)),
    Row("srlinux-code-point-not-listed", "srlinux", (("error MAP001", "set / qos classifiers dscp-policy gpu dscp 27 forwarding-class fc3"),), odd=(("gpu dscp 26", "gpu dscp 27"),)),
    Row("iosxr-priority-beside-code-point", "iosxr", alike=((" match dscp 26\n", " match cos 3\n match dscp 26\n"),), classes=("RoCE DSCP 26",)),
    Row("iosxr-other-code-point-beside-priority", "iosxr", (("error MAP001", "match dscp 27"),), odd=((" match dscp 26\n", " match dscp 27\n"),), alike=((" match dscp 26\n", " match cos 3\n match dscp 26\n"),)),
    Row("J1-one-leaf-other-class", "eos", (("error MAP001", "qos map dscp 20 to traffic-class 2"),), odd=(("dscp 20 to traffic-class 3", "dscp 20 to traffic-class 2"),), alike=(BY_20,)),
    Row("J1-second-class-lost", "nxos", (("error MAP001", "match dscp 37"),), odd=(("match dscp 36", "match dscp 37"),), alike=SECOND),
    Row("J1-short-list", "nxos", (("error MAP001", "match dscp 20"),), odd=(("match dscp 20,26", "match dscp 20"),), alike=(("match dscp 26", "match dscp 20,26"),)),
    Row("J1-default-beside-named", "eos", (("error MAP001", "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 1"),), odd=(("qos map dscp 48", ALL_OF_3 + "qos map dscp 48"),), alike=BESIDE_DEFAULT),
    Row("J2-marks-only-and-drops", "nxos", (("error ECN002", "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0"),), odd=(("weight 0 ecn", "weight 0"),), alike=NO_PAUSE_NXOS),
    Row("J2-marks-only-and-does-not", "eos", (("error ECN001", "uc-tx-queue 3"),), odd=(("      random-detect ecn minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 20 weight 0\n", ""),), alike=NO_PAUSE_EOS),
    Row("J4-control-in-data", "eos", (("warning CLS025", "qos map dscp 48 to traffic-class 3"),), odd=(("48 to traffic-class 6", "48 to traffic-class 3"),)),
    Row("J4-control-in-data-by-name", "nxos", (("warning CLS025", "set qos-group 3"),), odd=(("set qos-group 7", "set qos-group 3"),)),
    Row("J4-control-in-bulk", "eos", (("warning CLS025", "qos map dscp 48 to traffic-class 1"),), odd=(("48 to traffic-class 6", "48 to traffic-class 1"),)),
    Row("J5-priority-that-one-pauses", "eos", (("info PFC006", "priority-flow-control priority 6 no-drop"),), odd=((PAUSED, PAUSED + "   priority-flow-control priority 6 no-drop\n"),), alike=(("48 to traffic-class 6", "48 to traffic-class 7"),)),
    Row("J7-priority-alone", "nxos", (("error MAP001", "match cos 3"),), odd=(("match-any ROCE\n  match dscp 26", "match-any ROCE\n  match cos 3"),)),
    Row("J7-priority-beside-code-point", "nxos", (("error MAP001", "match dscp 27"),), odd=(("  match cos 3\n  match dscp 26", "  match cos 3\n  match dscp 27"),), alike=(("  match dscp 26", "  match cos 3\n  match dscp 26"),)),
    Row("J10-eos-refuses-seconds", "eos", (("error SRC007", "priority-flow-control pause watchdog default timeout 250"),), odd=(("default timeout 0.2", "default timeout 250"),)),
    Row("J10-nxos-refuses-milliseconds", "nxos", (("error SRC007", "priority-flow-control watch-dog-interval 500"),), odd=(("\n\npriority-flow", "\npriority-flow"), ("QUEUES\npriority-flow-control watch-dog-interval on", "QUEUES\npriority-flow-control watch-dog-interval 500")), alike=(("QUEUES\npriority", "QUEUES\n\npriority"),)),
    Row("J10-junos-inet-too-large", "junos", (("error SRC007", "mtu 9170;"), ("info MTU006", "mtu 9100;")), odd=(("mtu 9216;", "mtu 9100;"),)),
    Row("J11-junos-port-without-classifier", "junos", (("error MAP004", "dscp ROCE {"),), odd=(("""            unit * {
                classifiers {
                    dscp ROCE;
                }
            }
""", ""),)),
    Row("J11-junos-other-code-point", "junos", (("error MAP001", "loss-priority low code-points 011011;"),), odd=(("loss-priority low code-points 011010", "loss-priority low code-points 011011"),)),
    Row("J13-group-without-room", "sonic", (("error MAP006", '"3": "0",'),), odd=(('"3": "3",\n   "4": "0"', '"3": "0",\n   "4": "0"'),)),
    Row("J14-junos-nothing-to-mark-by", "junos", (("error ECN001", "explicit-congestion-notification;"),), odd=(("            drop-profile-map loss-priority any protocol any drop-profile ROCE-ECN;\n", ""),)),
    Row("J16-headroom-below-need", "sonic", (("error BUF012", '"xoff": "14000",'),), odd=(('"xoff": "300990"', '"xoff": "14000"'),)),
    Row("J18-above-the-asic", "eos", (("error ECN010", "random-detect ecn minimum-threshold 300000 kbytes maximum-threshold 400000 kbytes max-mark-probability 20 weight 0"),), odd=(("minimum-threshold 2000 kbytes maximum-threshold 10000", "minimum-threshold 300000 kbytes maximum-threshold 400000"),)),
    Row("J18-thresholds-far-apart", "eos", (("warning ECN004", "random-detect ecn minimum-threshold 100 kbytes maximum-threshold 500 kbytes max-mark-probability 20 weight 0"),), odd=(("minimum-threshold 2000 kbytes maximum-threshold 10000", "minimum-threshold 100 kbytes maximum-threshold 500"),), at="spine1"),
    Row("J18-all-below-a-microsecond", "eos", (("warning ECN012", "random-detect ecn minimum-threshold 20 kbytes maximum-threshold 30 kbytes max-mark-probability 20 weight 0"),), alike=(("minimum-threshold 2000 kbytes maximum-threshold 10000", "minimum-threshold 20 kbytes maximum-threshold 30"), ("   mtu 9214\n", "   mtu 9214\n   speed 400g-8\n"))),
    Row("J18-junos-mru-by-default", "junos"),
    Row("J18-cumulus-without-lossless-part", "cumulus", (("warning BUF020", "nv set qos pfc default-global switch-priority 3"), ("warning ECN004", "nv set qos congestion-control default-global traffic-class 3 min-threshold 153600")), odd=(("nv set qos roce enable on\nnv set qos roce mode lossless\n", """\
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos mapping default-global dscp 48 switch-priority 6
nv set qos pfc default-global switch-priority 3
nv set qos pfc default-global tx enable
nv set qos pfc default-global rx enable
nv set qos congestion-control default-global traffic-class 3 ecn enable
nv set qos congestion-control default-global traffic-class 3 min-threshold 153600
nv set qos congestion-control default-global traffic-class 3 max-threshold 1536000
nv set qos congestion-control default-global traffic-class 3 probability 100
nv set qos egress-scheduler default-global traffic-class 0 bw-percent 50
nv set qos egress-scheduler default-global traffic-class 3 bw-percent 50
nv set qos egress-scheduler default-global traffic-class 6 mode strict
"""),)),
    Row("J19-port-without-watchdog-row", "sonic", (("info PFC020", '"Ethernet8": {'),), odd=(("""  "Ethernet8": {
   "action": "drop",
   "detection_time": "200",
   "restoration_time": "200"
  }
""", ""), ("""   "restoration_time": "200"
  },
 },""", """   "restoration_time": "200"
  }
 },"""))),
    Row("J20-group-that-nobody-applies", "junos", (("info CLS031", "et-0/0/0 {"), ("error MAP012", "COS {")), odd=(("class-of-service {", "groups {\n    COS {\n        class-of-service {"), ("            transmit-rate percent 35;\n        }\n    }\n}\n", "            transmit-rate percent 35;\n        }\n    }\n}\n    }\n}\n"))),
    Row("J20-own-traffic", "junos", (("warning CLS030", "forwarding-class NO-LOSS;"),), odd=(("    forwarding-classes {", "    host-outbound-traffic {\n        forwarding-class NO-LOSS;\n    }\n    forwarding-classes {"),)),
)  # fmt: skip
