"""Switches beside their peers, and the first line for a DSCP in the wrong class."""

from __future__ import annotations

from tests.small_fabrics.rows import Row

NO_PAUSE = (
    ("    pause pfc-cos 3\n", ""),
    ("  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on\n", ""),
    ("priority-flow-control watch-dog-interval on\n", ""),
)
BULK = (
    ("class-map type qos match-any ROCE", "class-map type qos match-any BULK\n  match dscp 10,26\nclass-map type qos match-any ROCE"),
    ("  class ROCE\n", "  class BULK\n    set qos-group 0\n  class ROCE\n"),
)  # fmt: skip
STORAGE = (
    ("class-map type qos match-any CNP", "class-map type qos match-any STO\n  match dscp 12\nclass-map type qos match-any CNP"),
    ("  class CNP\n", "  class STO\n    set qos-group 4\n  class CNP\n"),
)  # fmt: skip
LOAD = "forwarding-options {\n    enhanced-hash-key {\n        ecmp-dlb {\n            per-packet;\n        }\n    }\n}\n"
BY_LOAD = (("class-of-service {", LOAD + "class-of-service {"),)
ADAPTIVE = "nv set router adaptive-routing enable on\nnv set interface swp2 router adaptive-routing enable on\n"
BY_PORT = (("nv set system hostname", ADAPTIVE + "nv set system hostname"),)
MRU = (
    "code-point 011010 {\n                        pfc;",
    "code-point 011010 {\n                        mru 9216;\n                        pfc;",
)
OTHER_PRIORITY = (("pfc-priority 3", "pfc-priority 4"), ("code-point 011 {", "code-point 100 {"))

ROWS = (
    Row("bulk-on-the-spine", "eos", (("info CLS025", "qos map dscp 48 to traffic-class 1"),), odd=(("48 to traffic-class 6", "48 to traffic-class 1"),), at="spine1"),
    Row("marked-on-the-spine", "nxos", (("info CLS025", "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"),), odd=(("c-out-8q-q7\n    priority level 1", "c-out-8q-q7\n    priority level 1\n    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"),), at="spine1"),
    Row("turn-on-the-spine", "nxos", odd=(("c-out-8q-q7\n    priority level 1", "c-out-8q-q7\n    bandwidth remaining percent 5"), ("remaining percent 60", "remaining percent 55")), at="spine1"),
    Row("by-load", "junos", alike=BY_LOAD),
    Row("not-by-load", "junos", (("warning TOP005", "et-0/0/1 {"),), odd=((LOAD, ""),), alike=BY_LOAD),
    Row("by-load-alone", "junos", (("warning TOP005", "per-packet;"),), odd=BY_LOAD),
    Row("by-other-bursts", "junos", (("warning TOP005", "flowlet;"),), odd=(("per-packet;", "flowlet;"),), alike=BY_LOAD),
    Row("by-load-on-the-spine", "junos", odd=BY_LOAD, at="spine1"),
    Row("not-adaptive", "cumulus", (("warning TOP005", "nv set interface swp2 type swp"),), odd=((ADAPTIVE, ""),), alike=BY_PORT),
    Row("adaptive-off", "cumulus", (("warning TOP005", "nv set router adaptive-routing enable off"),), odd=((ADAPTIVE, "nv set router adaptive-routing enable off\n"),), alike=BY_PORT),
    Row("adaptive-on-ports-alone", "cumulus", (("warning TOP005", "nv set router adaptive-routing enable off"),), odd=(("adaptive-routing enable on\nnv set interface", "adaptive-routing enable off\nnv set interface"),), alike=BY_PORT),
    Row("headroom-more", "sonic", (("warning BUF013", '"xoff": "352000",'),), odd=(('"xoff": "300990"', '"xoff": "352000"'),)),
    Row("headroom-less", "sonic", (("warning BUF013", '"xoff": "250000",'),), odd=(('"xoff": "300990"', '"xoff": "250000"'),)),
    Row("mru-left-out", "junos", (("info MTU006", "input {"),), odd=((MRU[1], MRU[0]),), alike=(MRU,)),
    Row("mru-by-an-equal-default", "junos", (("info MTU006", "input {"),), odd=((MRU[1], MRU[0]),), alike=(*OTHER_PRIORITY, MRU)),
    Row("mru-of-another-size", "junos", (("info MTU006", "mru 8000;"),), odd=(("mru 9216;", "mru 8000;"),), alike=(MRU,)),
    Row("mru-everywhere", "junos", alike=(MRU,)),
    Row("control-in-list-of-data", "nxos", (("warning CLS025", "match dscp 26,48"),), odd=(("match-any ROCE\n  match dscp 26", "match-any ROCE\n  match dscp 26,48"), ("class-map type qos match-any CNP\n  match dscp 48\n", ""), ("  class CNP\n    set qos-group 7\n", ""))),
    Row("control-in-list-of-data", "iosxr", (("warning CLS025", "match dscp 26 48"),), odd=(("RDMA\n match dscp 26", "RDMA\n match dscp 26 48"), ("class-map match-any CNP\n match dscp cs6\n end-class-map\n!\n", ""), (" class CNP\n  set traffic-class 6\n !\n", ""))),
    Row("control-in-list-of-data", "junos", (("warning CLS025", "loss-priority low code-points [ 011010 110000 ];"),), odd=(("code-points 011010;", "code-points [ 011010 110000 ];"), ("            forwarding-class CNP {\n                loss-priority low code-points 110000;\n            }\n", ""))),
    Row("control-in-list-of-data", "os10", (("warning CLS025", "qos-group 3 dscp 26,48"),), odd=((" qos-group 3 dscp 26\n", " qos-group 3 dscp 26,48\n"), (" qos-group 6 dscp 48\n", ""))),
    Row("control-with-data", "esonic", (("warning CLS025", "dscp 48 traffic-class 3"),), odd=((" dscp 48 traffic-class 6", " dscp 48 traffic-class 3"),)),
    Row("control-with-data", "vrp", (("warning CLS025", "ip-dscp-inbound 48 phb af3 green"),), odd=(("48 phb cs6", "48 phb af3"),)),
    Row("control-with-data", "comware", (("warning CLS025", "import 48 export 3"),), odd=(("import 48 export 6", "import 48 export 3"),)),
    Row("control-with-data", "aoscx", (("info ECN006", "queue 3 action ecn all threshold 400 kbytes"), ("warning CLS025", "qos dscp-map 48 local-priority 3")), odd=(("dscp-map 48 local-priority 6", "dscp-map 48 local-priority 3"),)),
    Row("control-with-data", "srlinux", (("warning CLS025", "set / qos classifiers dscp-policy gpu dscp 48 forwarding-class fc3"),), odd=(("dscp 48 forwarding-class cnp", "dscp 48 forwarding-class fc3"),)),
    Row("control-with-data", "cumulus", (("warning CLS025", "nv set qos mapping default-global dscp 48 switch-priority 3"),), odd=(("nv set system hostname", "nv set qos mapping default-global dscp 48 switch-priority 3\nnv set system hostname"),)),
    Row("control-with-data", "sonic", (("warning CLS025", '"48": "3",'),), odd=(('"48": "6"', '"48": "3"'),)),
    Row("storage-in-list-of-data", "nxos", (("warning CLS025", "match dscp 12,26"),), odd=(("  match dscp 26", "  match dscp 12,26"), ("class-map type qos match-any STO\n  match dscp 12\n", ""), ("  class STO\n    set qos-group 4\n", "")), alike=STORAGE),
    Row("storage-class-with-data", "nxos", (("warning CLS025", "set qos-group 3"),), odd=(("set qos-group 4", "set qos-group 3"),), alike=STORAGE),
    Row("extra-priority", "nxos", (("info PFC006", "class type network-qos c-8q-nq6"),), odd=(("  class type network-qos c-8q-nq-default", "  class type network-qos c-8q-nq6\n    mtu 9216\n    pause pfc-cos 6\n  class type network-qos c-8q-nq-default"),)),
    Row("extra-priority", "esonic", (("info PFC006", "priority-flow-control priority 5"),), odd=((" priority-flow-control priority 3\n", " priority-flow-control priority 5\n priority-flow-control priority 3\n"),)),
    Row("extra-priority", "os10", (("info PFC006", "pfc-cos 5"),), odd=(("class-map type queuing Q-RDMA", "class-map type network-qos NQ-X\n match qos-group 5\n!\nclass-map type queuing Q-RDMA"), ("  pfc-cos 3\n!", "  pfc-cos 3\n !\n class NQ-X\n  pause buffer-size 100 pause-threshold 50 resume-threshold 10\n  pfc-cos 5\n!"))),
    Row("extra-priority", "srlinux", (("info PFC006", "set / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue x-pfc pfc-pause-frame-priority 5"),), odd=(("set / qos pfc-mapping-profile gpu received-pfc-pause-frames queue rdma-q pfc-pause-frame-priority 3", "set / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue x-pfc forwarding-class [ fc5 ]\nset / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue x-pfc pfc-pause-frame-priority 5\nset / qos pfc-mapping-profile gpu received-pfc-pause-frames queue rdma-q pfc-pause-frame-priority 3"), ("pfc-queue rdma-pfc queue-index 2", "pfc-queue rdma-pfc queue-index 2\nset / qos queues pfc-queue x-pfc queue-index 3\nset / qos queues queue x-q queue-index 5\nset / qos forwarding-classes forwarding-class fc5 output unicast-queue x-q"))),
    Row("extra-priority", "vrp", (("info PFC006", "priority 5"),), odd=(("dcb pfc\n priority 3\n", "dcb pfc\n priority 3\n priority 5\n"),)),
    Row("taken-by-an-earlier-class", "nxos", (("error MAP001", "match dscp 10,26"),), odd=BULK, alike=NO_PAUSE),
    Row("taken-by-an-earlier-class-of-its-own", "nxos", (("error MAP001", "match dscp 26"),), odd=((BULK[0][0], BULK[0][1].replace("10,26", "26")), BULK[1]), alike=NO_PAUSE),
    Row("taken-before-the-paused-class", "nxos", (("error MAP001", "match dscp 10,26"),), odd=BULK),
    Row("class-with-another-group", "nxos", (("error MAP001", "set qos-group 0"),), odd=(("set qos-group 3", "set qos-group 0"),), alike=NO_PAUSE),
)  # fmt: skip
