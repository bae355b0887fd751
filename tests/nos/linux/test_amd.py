"""AMD adapters: nicctl output as text and JSON, and its settings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Fec
from roce_lint.model.qos import PfcConfig, PfcMode, SchedulerKind, Trust
from tests.nos.linux.reading import notes, read
from tests.nos.reader import line

LINKS = (
    "ip -j link show",
    (
        '[{"ifindex":2,"ifname":"ens1","flags":["UP"],"mtu":9000,"linkmode":"DEFAULT",'
        '"link_type":"ether","address":"04:90:81:30:a7:a0"}]'
    ),
)
QOS = """
NIC  : 42424650-4c32-3531-3230-303443000000 (0000:f6:00.0)

Port : 04908130-a7a0-4242-4242-000011010000

  Classification type         : DSCP

  DSCP-to-priority :
    DSCP bitmap               : 0xffffbffffeffffff ==> priority : 0
    DSCP                      : 0-23, 25-45, 47-63 ==> priority : 0
    DSCP                      : 24 ==> priority : 3
    DSCP                      : 46 ==> priority : 6


  PFC :
    PFC priority bitmap       : 0x8
    PFC no-drop priorities    : 3

  Scheduling :
    --------------------------------------------
    Priority  Scheduling  Bandwidth Rate-limit
              Type        (in %age) (in Gbps)
    --------------------------------------------
    0         DWRR        1         N/A
    3         DWRR        99        N/A
    6         strict      N/A       10
"""


def pfc_of(device: Device, port: str = "ens1") -> PfcConfig:
    qos = device.interfaces[port].qos
    assert qos is not None
    assert qos.pfc is not None
    return qos.pfc


def test_the_qos_of_a_port() -> None:
    device = read(LINKS, ("nicctl show qos", QOS))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert (qos.trust, line(qos, "trust")) == (Trust.DSCP, 6)
    pfc = pfc_of(device)
    assert (pfc.mode, pfc.generate, line(pfc, "generate")) == (PfcMode.ON, frozenset({3}), 17)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert [(d, codes.get(d), line(codes, d)) for d in (0, 24, 46, 63)] == [
        (0, 0, 10),
        (24, 3, 11),
        (46, 6, 12),
        (63, 0, 10),
    ]
    queues = device.qos.egress["ens1"].queues
    found = {key[1]: queue.scheduler for key, queue in queues.items()}
    assert {n: (s.kind, s.share, s.shape_bps) for n, s in found.items() if s} == {
        0: (SchedulerKind.WEIGHTED, 1, None),
        3: (SchedulerKind.WEIGHTED, 99, None),
        6: (SchedulerKind.STRICT, None, 10_000_000_000),
    }
    assert device.notes == []


def test_a_port_that_nothing_places_is_the_only_one() -> None:
    link = ("rdma link", "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev ens7\n")
    assert pfc_of(read(link, ("nicctl show qos", QOS)), "ens7").generate == frozenset({3})
    other = link[1] + "link ionic_1/1 state ACTIVE physical_state LINK_UP netdev ens8\n"
    device = read((link[0], other), ("nicctl show qos", QOS))
    assert [port.qos for port in device.interfaces.values()] == [None, None]
    assert len(device.notes) == 1


@pytest.mark.parametrize(
    ("bitmap", "listed", "paused", "place"),
    [
        ("0x8", "3", {3}, 17),
        ("0x0", "3", set(), 16),  # PFC is not enabled for the no-drop priority
        ("0x8", "3,4", {3}, 17),
        ("0x18", "3,4", {3, 4}, 17),
        ("0x8", "", set(), 17),
        ("garbage", "3", {3}, 17),
        ("0x8", "5", set(), 17),  # the list is another one
    ],
)
def test_a_no_drop_priority_needs_its_bit(
    bitmap: str, listed: str, paused: set[int], place: int
) -> None:
    shown = QOS.replace(": 0x8", f": {bitmap}").replace(
        "priorities    : 3", f"priorities    : {listed}"
    )
    pfc = pfc_of(read(LINKS, ("nicctl show qos", shown)))
    assert (pfc.generate, line(pfc, "generate")) == (paused, place)


NIC_JSON = '{"nic": [{"id": "42424650-4c32-3530-3330-303439000000", "port": [{"spec": {}%s}]}]}'


@pytest.mark.parametrize(
    ("output", "what", "place"),
    [
        ("nicctl show qos -j", "the JSON form of `nicctl show qos`", 1),
        ("nicctl show dcqcn --card 42 --json", "the JSON form of `nicctl show dcqcn`", 1),
        ("nicctl_show_qos.json", "the JSON form of `nicctl show qos`", 1),
        ("nicctl-dcqcn-ionic_0.json", "the JSON form of `nicctl show dcqcn`", 1),
        ("adapters.json", "this JSON form of nicctl", 1),
    ],
)
def test_json_with_undocumented_fields(output: str, what: str, place: int) -> None:
    device = read(LINKS, RDMA, (output, NIC_JSON % ', "qos": {"pfc": {"no_drop": "3"}}'))
    assert notes(device, NoteKind.UNRECOGNISED) == [
        f"{what} is not read, as no document tells its fields: save the output without `-j`"
    ]
    assert line(device.notes[0]) == place
    assert device.interfaces["ens1"].qos is None


def test_json_of_counters_has_no_settings() -> None:
    device = read(LINKS, ("rates.json", NIC_JSON % ',\n "statistics": {"frames_rx_pause": "0"}'))
    assert device.notes == []


def test_json_beside_text_takes_nothing_away() -> None:
    output = ("nicctl show qos -j", NIC_JSON % "")
    device = read(LINKS, ("nicctl show qos", QOS), output)
    assert pfc_of(device).generate == frozenset({3})
    assert len(notes(device, NoteKind.UNRECOGNISED)) == 1


@pytest.mark.parametrize("command", ["qos", "dcqcn", "port"])
def test_the_words_of_a_refusal_are_reported(command: str) -> None:
    device = read(LINKS, RDMA, (f"nicctl show {command}", "Permission denied\n"))
    assert [(n.message, line(n)) for n in device.notes] == [
        ("nothing of this output is understood: Permission denied", 2)
    ]


def test_congestion_control() -> None:
    shown = """
    NIC : 42424650-4c32-3531-3230-303443000000 (0000:f6:00.0)
    ----------------------------------------------------------
    Lif id                                     : 43000070-0100-0000-4242-04908130a7a0
    ROCE device                                : ionic_7
      DCQCN profile id                         : 1
      Status                                   : Disabled
      DSCP value used for CNP                  : 46
    """
    nic = read(("nicctl show dcqcn", shown)).nics["ionic_7"]
    assert (nic.cnp_dscp, line(nic, "cnp_dscp")) == (46, 8)
    assert (nic.rp_priorities, line(nic, "rp_priorities")) == (frozenset(), 7)


PORT = {
    "id": "04908130-a7a0-4242-4242-000011010000",
    "port_speed": "400G",
    "fec_type": "RS",
    "pause_type": "PFC",
    "tx_pause": "enabled",
    "rx_pause": "enabled",
    "auto_negotiation": "disabled",
}


def port_json(**changes: str) -> tuple[str, str]:
    tree: dict[str, Any] = {"nic": [{"id": "42", "port": [{"spec": {**PORT, **changes}}]}]}
    return ("nicctl show port -j", json.dumps(tree, indent=1))


def test_a_port_as_json() -> None:
    port = read(LINKS, port_json()).interfaces["ens1"]
    assert (port.fec, port.speed_gbps, port.autoneg) == (Fec.RS, 400.0, False)
    assert port.qos is not None
    assert port.qos.pfc is not None
    assert (port.qos.pfc.link_pause_rx, port.qos.pfc.link_pause_tx) == (False, False)


@pytest.mark.parametrize(("kind", "link_pause"), [("LINK", True), ("NONE", False)])
def test_another_kind_of_pause_leaves_pfc_off(kind: str, link_pause: bool) -> None:
    pfc = pfc_of(read(LINKS, ("nicctl show qos", QOS), port_json(pause_type=kind)))
    assert (pfc.mode, pfc.generate, pfc.named) == (PfcMode.OFF, frozenset(), frozenset({3}))
    assert pfc.link_pause_rx is link_pause
    where = pfc.where("generate")
    assert pfc.src.files[pfc.src.file_of(where.position)].source == "nicctl-port-json"


@pytest.mark.parametrize(
    ("off", "sends", "obeys"),
    [("tx_pause", set(), {3}), ("rx_pause", {3}, set())],
)
def test_pfc_in_one_direction(off: str, sends: set[int], obeys: set[int]) -> None:
    changes = {"pause_type": "PFC", "tx_pause": "enabled", "rx_pause": "enabled", off: "disabled"}
    pfc = pfc_of(read(LINKS, ("nicctl show qos", QOS), port_json(**changes)))
    assert (pfc.mode, pfc.generate, pfc.honour) == (None, sends, obeys)
    assert (pfc.link_pause_rx, pfc.link_pause_tx) == (False, False)


def test_a_port_as_text() -> None:
    shown = """
    Port : 04908130-a7a0-4242-4242-000011010000 (eth1/1)
      Spec:
        speed                                    : 400G
        FEC type                                 : RS
        Pause type                               : NONE
        TX pause                                 : enabled
        RX pause                                 : enabled
      Status:
        FEC type                                 : FC
    """
    device = read(LINKS, ("nicctl show port", shown), ("nicctl show qos", QOS))
    pfc = pfc_of(device)
    assert (pfc.generate, line(pfc, "generate"), pfc.link_pause_tx) == (frozenset(), 6, False)
    assert device.interfaces["ens1"].fec is Fec.RS


SCRIPT = """\
#!/bin/bash
data=24
for i in $(nicctl show port | grep Port | awk '{print $3}'); do
  nicctl update port -p $i --pause-type pfc --rx-pause enable --tx-pause enable
done
nicctl update qos --classification-type dscp
nicctl update qos dscp-to-priority --dscp 0-63 --priority 0
nicctl update qos dscp-to-priority --dscp $data --priority 3
nicctl update qos pfc --priority 3 --no-drop enable
nicctl update qos scheduling --priority 0,3,6 --dwrr 1,99,0 --rate-limit 0,0,10
nicctl update dcqcn -r ionic_0 -i 1 --cnp-dscp 46
"""
RDMA = ("rdma link", "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")


def test_what_a_script_sets_on_all_adapters() -> None:
    device = read(LINKS, RDMA, ("qos.sh", SCRIPT))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert (qos.trust, line(qos, "trust")) == (Trust.DSCP, 6)
    codes = device.qos.classifiers["ens1"].dscp_to_tc
    assert [(d, codes.get(d), line(codes, d)) for d in (23, 24, 25)] == [
        (23, 0, 7),
        (24, 3, 8),
        (25, 0, 7),
    ]
    assert pfc_of(device).generate is None  # the other priorities are unknown
    nic = device.nics["ionic_0"]
    assert (nic.cnp_dscp, line(nic, "cnp_dscp"), nic.rp_priorities) == (46, 11, frozenset(range(8)))
    assert device.qos.forwardings["ens1"].tc_to_queue.entries == {0: 0, 3: 3, 6: 6}


def test_a_script_that_switches_congestion_control_off() -> None:
    script = "#!/bin/sh\nnicctl update dcqcn -r ionic_0 -i 1 --disable\n"
    nic = read(LINKS, RDMA, ("qos.sh", script)).nics["ionic_0"]
    assert (nic.rp_priorities, line(nic, "rp_priorities")) == (frozenset(), 2)


def test_a_map_without_its_classification() -> None:
    script = "#!/bin/sh\nnicctl update qos dscp-to-priority --dscp 24 --priority 3\n"
    device = read(LINKS, RDMA, ("qos.sh", script))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.trust is None  # adapters of AMD have the map beside their trust
    assert device.qos.classifiers["ens1"].dscp_to_tc.entries == {24: 3}


def test_a_script_beside_the_live_state() -> None:
    device = read(LINKS, RDMA, ("nicctl show qos", QOS), ("qos.sh", SCRIPT.replace("$data", "30")))
    assert notes(device, NoteKind.DRIFT) == [
        (
            "ens1 DSCP to priority is not what qos.sh sets (DSCP 24 = 3 and 0;"
            " DSCP 30 = 0 and 3; DSCP 46 = 6 and 0; first what is now), lost at reboot or never applied"
        )
    ]


def test_the_mtu_of_a_logical_interface() -> None:
    tree = {
        "nic": [
            {
                "id": "42",
                "lif": [
                    {
                        "spec": {"mac_address": "04:90:81:30:a7:a0", "rdma_mtu": "2048"},
                        "status": {"name": "ens1"},
                    }
                ],
            }
        ]
    }
    nic = read(LINKS, RDMA, ("nicctl show lif -j", json.dumps(tree))).nics["ionic_0"]
    assert nic.rdma_mtu == 2048
