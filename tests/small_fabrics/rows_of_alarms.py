"""Correct designs without findings, links, and reports from the field: rows J17 and J24 to J42."""

from __future__ import annotations

from tests.small_fabrics.rows import NO_PAUSE_SONIC, NO_WATCHDOG, Row

NEVER_LOADED = (
    ('|3": {\n   "profile": "pg_lossless_400000_40m_profile"', '|4": {\n   "profile": "ingress_lossy_profile"'),
    ('  "pg_lossless_400000_40m_profile": {', '  "egress_lossy_profile": {'),
    ('   "xon": "0",\n   "xoff": "300990",\n   "xon_offset": "3556",\n', ""),
)  # fmt: skip
OBEYS = (("""            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
""", ""),)  # fmt: skip
APPLIED_OUT = (
    "  service-policy type qos input CLASSIFY\n",
    "  service-policy type qos input CLASSIFY\n  service-policy type qos output MARK\n",
)
OUT_POLICY = (
    "system qos\n",
    "policy-map type qos MARK\n  class class-default\n    set dscp 0\nsystem qos\n",
)
SHUT = ("interface Ethernet2/1\n", "interface Ethernet2/1\n   shutdown\n")
DENY = "ip access-list EDGE\n  10 deny udp any any eq 4791\n  20 permit ip any any\n"

SERVICES = (
    '"PORT": {',
    '"PORT": {\n  "Ethernet512": {\n   "alias": "etp65",\n   "lanes": "513",\n   "speed": "10000",\n   "mtu": "9100",\n   "admin_status": "up"\n  },',
)
SERVICES_OF_THEIR_OWN = (
    SERVICES,
    ('"PORT_QOS_MAP": {', '"DEVICE_NEIGHBOR": {\n  "Ethernet512": {\n   "name": "oob1",\n   "port": "Ethernet1"\n  }\n },\n "PORT_QOS_MAP": {\n  "Ethernet512": {\n   "dscp_to_tc_map": "ROCE",\n   "tc_to_queue_map": "ROCE",\n   "tc_to_pg_map": "LOSSY"\n  },'),
    ('"TC_TO_PRIORITY_GROUP_MAP": {', '"TC_TO_PRIORITY_GROUP_MAP": {\n  "LOSSY": {\n   "0": "0",\n   "3": "0",\n   "6": "0"\n  },'),
)  # fmt: skip
PEER_LINK = "vlt-domain 1\n discovery-interface ethernet1/1/5\n!\ninterface ethernet1/1/5\n no shutdown\n no switchport\n mtu 9216\n flowcontrol receive off\n flowcontrol transmit off\n priority-flow-control mode on\n!\n"
ROWS = (
    Row("J24-marks-only-and-groups-are-no-pause", "sonic", alike=(*NO_PAUSE_SONIC, *NO_WATCHDOG)),
    Row("J25-one-length-for-the-box-and-one-for-the-nic", "sonic", hosts={"hosts/*/mlnx_qos-ens1np0.txt": (("Cable len: 5", "Cable len: 7"),)}),
    Row("J26-obeys-pause-and-sends-none", "junos", alike=OBEYS),
    Row("J27-never-loaded", "sonic", alike=NEVER_LOADED),
    Row("J28-pause-at-the-edge-only", "junos", alike=(("        et-* {\n            congestion-notification-profile ROCE;", "        et-0/0/0 {\n            congestion-notification-profile ROCE;\n        }\n        et-* {"),), odd=(("        et-0/0/0 {\n            congestion-notification-profile ROCE;\n        }\n", ""),), at="spine1"),
    Row("J29-rewrite-by-the-default-map", "junos", alike=(("                    dscp ROCE;\n                }\n", "                    dscp ROCE;\n                }\n                rewrite-rules {\n                    dscp default;\n                }\n"),)),
    Row("J30-classes-for-multicast", "junos", alike=(("            forwarding-class best-effort scheduler BULK;\n", "            forwarding-class best-effort scheduler BULK;\n            forwarding-class mcast-be scheduler BULK;\n"),)),
    Row("J31-group-named-by-a-variable", "junos", alike=(("interfaces {\n    et-0/0/0", 'apply-groups "${node}";\ninterfaces {\n    et-0/0/0'),)),
    Row("J32-the-leaves-are-not-here", "sonic", without=("switches/leaf*", "links.yaml"), alike=(('"PFC_WD": {', '"PFC_WD_OLD": {'),)),
    Row("J33-ports-for-services", "sonic", alike=(SERVICES,)),
    Row("J33-ports-for-services-with-maps-of-their-own", "sonic", alike=SERVICES_OF_THEIR_OWN),
    Row("J34-nobody-knows-the-models", "sonic", alike=(('   "hwsku": "Arista-7060X6-64PE-O128S2",\n', ""), ('"PORT": {', '"PORTS_OF_ANOTHER_FILE": {')), odd=(("1048576", "524288"), ("2097152", "1048576"))),
    Row("J35-link-between-two-of-a-pair", "os10", odd=(("interface ethernet1/1/1\n", PEER_LINK + "interface ethernet1/1/1\n"),)),
    Row("J36-output-policy-that-is-bound", "nxos", alike=(OUT_POLICY, APPLIED_OUT)),
    Row("J37-loopback-of-a-box", "sonic", alike=(('"INTERFACE": {', '"INTERFACE": {\n  "Loopback0": {},\n  "Vlan100": {},\n  "PortChannel1": {},'),)),
    Row("J38-words-of-no-system", "eos", (("warning SRC010", "roce enable"), ("info SRC001", "pfc priority 3 on"), ("info SRC001", "ecn enable queue 3"), ("info SRC001", "qos-profile apply roce-ai")), more=(("switches/leaf4.cfg", "! Command: show running-config\n! device: leaf4 (DCS-7060X6-64PE, EOS-4.32.2F)\n!\nhostname leaf4\nroce enable\nroce lossless priority 3\n!\ninterface Ethernet1/1\n   mtu 9214\n   no switchport\n   pfc priority 3 on\n   ecn enable queue 3\n   qos-profile apply roce-ai\n!\nend\n"),)),
    Row("J39-list-that-drops", "nxos", (("error CLS008", "10 deny udp any any eq 4791"),), odd=(("system qos\n", DENY + "system qos\n"), ("interface Ethernet1/1\n", "interface Ethernet1/1\n  ip access-group EDGE in\n"))),
    Row("J40-one-end-shut", "eos", (("warning LNK004", "shutdown"),), odd=(SHUT,)),
    Row("J41-different-subnets", "eos", (("warning LNK009", "ip address 10.7.1.0/31"),), odd=(("10.1.1.0/31", "10.7.1.0/31"),)),
    Row("J42-neighbours-exchanged", "sonic", (("warning LNK010", '"port": "Ethernet8"'),), without=("links.yaml",), alike=(('"INTERFACE": {', '"DEVICE_NEIGHBOR": {},\n "INTERFACE": {'),), odd=(('"DEVICE_NEIGHBOR": {}', '"DEVICE_NEIGHBOR": {\n  "Ethernet0": {\n   "name": "leaf2",\n   "port": "Ethernet8"\n  },\n  "Ethernet8": {\n   "name": "leaf1",\n   "port": "Ethernet8"\n  }\n }'),), at="spine1"),
    Row("J17-plan-longer-than-headroom", "sonic", (("warning BUF011", '"Ethernet8": "40m"'),), without=("links.yaml",), more=(("links.yaml", "- {a: 'leaf1:Ethernet8', b: 'spine1:Ethernet0', cable_m: 250}\n- [leaf2:Ethernet8, spine1:Ethernet8]\n- [leaf3:Ethernet8, spine1:Ethernet16]\n"),)),
)  # fmt: skip
