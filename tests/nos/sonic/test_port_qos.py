from __future__ import annotations

from typing import Any

import pytest

from roce_lint.analysis.treatment import treatment
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import PfcMode, PortQos, Trust, WatchdogAction
from roce_lint.nos.sonic import defaults
from roce_lint.text.source import Confidence
from tests.nos.reader import shorten
from tests.nos.sonic.making import chain, device_of, numbers, place, port, remarks


def bound(device: Device, name: str = "Ethernet0") -> PortQos:
    qos = device.interfaces[name].qos
    assert qos is not None
    return qos


def changed(**fields: Any) -> Device:
    """The chain with other fields in the port's row; None removes one."""
    config = chain()
    row = config["PORT_QOS_MAP"]["Ethernet0"] | fields
    config["PORT_QOS_MAP"]["Ethernet0"] = {k: v for k, v in row.items() if v is not None}
    return device_of(config)


def test_the_chain_of_a_lossless_class() -> None:
    device = device_of(chain())
    found = treatment(device, device.interfaces["Ethernet0"], 26)
    into, out = found.ingress, found.egress
    assert (into.tc, into.pg, into.priority, into.lossless) == (3, 3, 3, True)
    assert (out.queue, out.marks, out.stopped_by) == (3, True, {3})
    places = [where.src.keys_of(where.position)[1] for where in into.tc_where]
    assert places == [
        ("DSCP_TO_TC_MAP", "M", "26"),
        ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map"),
    ]


def test_a_code_point_that_the_map_lacks_is_class_0_unconfirmed() -> None:
    device = device_of(chain())
    classifier = device.qos.classifiers["M"]
    assert classifier.dscp_to_tc.get(24) == 0
    where = classifier.dscp_to_tc.where(classifier.dscp_to_tc.key(24))
    assert where.confirmed is False
    assert place(classifier.dscp_to_tc, 26) == "DSCP_TO_TC_MAP|M|26"


def test_missing_entries_of_a_map_with_a_wrong_entry_are_unknown() -> None:
    device = device_of(chain(DSCP_TO_TC_MAP={"M": {"26": "3", "24": "x", "64": "1"}}))
    assert device.qos.classifiers["M"].dscp_to_tc.get(24) is None
    assert device.qos.classifiers["M"].dscp_to_tc.get(26) == 3
    assert remarks(device, NoteKind.BAD_VALUE) == [
        "DSCP_TO_TC_MAP class 'x', takes 0 to 15",
        "DSCP_TO_TC_MAP code point '64', takes 0 to 63",
    ]


def test_a_port_without_map_trusts_nothing() -> None:
    qos = bound(changed(dscp_to_tc_map=None))
    assert (qos.trust, qos.classifier, qos.default_tc) == (Trust.NONE, None, 0)
    assert place(qos, "trust").startswith("SONiC default: a port without dscp_to_tc_map")
    assert place(qos, "default_tc").startswith("SAI default")


def test_what_a_global_map_does_for_such_a_port_is_unknown() -> None:
    config = chain()
    config["PORT_QOS_MAP"]["global"] = {"dscp_to_tc_map": "M"}
    del config["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"]
    qos = bound(device_of(config))
    assert (qos.trust, qos.classifier, qos.default_tc) == (None, None, None)


def test_trust_by_the_maps_that_are_bound() -> None:
    pcp = chain(DOT1P_TO_TC_MAP={"P": numbers()})
    pcp["PORT_QOS_MAP"]["Ethernet0"]["dot1p_to_tc_map"] = "P"
    both = device_of(pcp)
    assert (bound(both).trust, bound(both).classifier) == (Trust.BOTH, "M + P (802.1p)")
    assert both.qos.classifiers["M + P (802.1p)"].dscp_to_tc.get(26) == 3
    assert both.qos.classifiers["M + P (802.1p)"].pcp_to_tc.get(5) == 5
    del pcp["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"]
    only = device_of(pcp)
    assert (bound(only).trust, bound(only).classifier, bound(only).default_pcp) == (
        Trust.PCP,
        "P (802.1p)",
        0,
    )
    assert place(bound(only), "trust") == "PORT_QOS_MAP|Ethernet0|dot1p_to_tc_map"


@pytest.mark.parametrize(
    "field", ["dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map"]
)
def test_a_map_that_is_not_defined_leaves_the_class_unknown(field: str) -> None:
    device = changed(**{field: "GONE"})
    found = treatment(device, device.interfaces["Ethernet0"], 26)
    assert found.ingress.lossless is None
    undefined = [(s.kind, s.references) for s in device.structures if not s.defined]
    assert len(undefined) == 1
    position = undefined[0][1][0]
    keys = device.src.keys_of(position)[1]
    assert keys == ("PORT_QOS_MAP", "Ethernet0", field)


def test_without_class_maps_everything_is_queue_0_and_group_0() -> None:
    device = changed(tc_to_queue_map=None, tc_to_pg_map=None, pfc_to_queue_map=None)
    maps = device.qos.forwardings[bound(device).forwarding]
    assert (maps.name, maps.tc_to_queue.get(3), maps.tc_to_pg.get(3)) == ("no maps", 0, 0)
    assert maps.tc_to_queue.where("otherwise").confirmed is True
    assert maps.tc_to_pg.where("otherwise").confirmed is False
    assert maps.tc_to_queue.where("otherwise").position == bound(device).at[""]
    assert maps.pfc_priority_to_queue.get(3) is None


def test_the_pause_priority_follows_the_group() -> None:
    config = chain(
        TC_TO_PRIORITY_GROUP_MAP={"M": {"0": "0", "3": "5", "6": "4"}},
        PFC_PRIORITY_TO_PRIORITY_GROUP_MAP={"G": {"2": "5", "6": "5", "4": "4"}},
    )
    config["PORT_QOS_MAP"]["Ethernet0"]["pfc_to_pg_map"] = "G"
    device = device_of(config)
    maps = device.qos.forwardings["M + G"]
    assert maps.tc_to_pfc_priority.entries == {3: 2, 6: 4}
    assert place(maps.tc_to_pfc_priority, 3) == "TC_TO_PRIORITY_GROUP_MAP|M|3"
    assert maps.pfc_priority_to_pg.entries == {2: 5, 6: 5, 4: 4}
    without = device_of(chain()).qos.forwardings["M"]
    assert without.tc_to_pfc_priority.entries == {0: 0, 3: 3, 6: 0}
    assert without.pfc_priority_to_pg.entries == {n: n for n in range(8)}
    citation = without.pfc_priority_to_pg.where(3).citation
    assert citation is not None
    assert citation.confidence is Confidence.UNCONFIRMED


def test_ports_with_the_same_maps_share_them() -> None:
    config = chain(PORT={"Ethernet0": port(), "Ethernet4": port()})
    config["PORT_QOS_MAP"]["Ethernet4"] = config["PORT_QOS_MAP"]["Ethernet0"]
    device = device_of(config)
    assert list(device.qos.forwardings) == ["M"]
    assert place(bound(device, "Ethernet4").pfc, "generate") == "PORT_QOS_MAP|Ethernet4|pfc_enable"


def test_remarking() -> None:
    config = chain(TC_TO_DSCP_MAP={"R": {"3": "26"}})
    config["PORT_QOS_MAP"]["Ethernet0"]["tc_to_dscp_map"] = "R"
    device = device_of(config)
    assert bound(device).rewrite == "R"
    assert device.qos.rewrites["R"].active is True
    assert device.qos.rewrites["R"].tc_to_dscp.entries == {3: 26}


@pytest.mark.parametrize(
    ("text", "priorities", "mode", "notes"),
    [
        ("3,4", {3, 4}, PfcMode.ON, {}),
        ("3", {3}, PfcMode.ON, {}),
        ("", set(), PfcMode.OFF, {}),
        ("3,3", {3}, PfcMode.ON, {}),
        ("3, 4", {3, 4}, PfcMode.ON, {NoteKind.LEXICAL: "pfc_enable: blanks in the list"}),
        ("3,8", None, None, {NoteKind.REFUSED: "pfc_enable '3,8', takes"}),
        ("3-4", None, None, {NoteKind.REFUSED: "pfc_enable '3-4', takes"}),
        ("3,", None, None, {NoteKind.REFUSED: "pfc_enable '3,', takes"}),
    ],
)
def test_pfc_enable(
    text: str, priorities: Any, mode: PfcMode | None, notes: dict[NoteKind, str]
) -> None:
    device = changed(pfc_enable=text)
    pfc = bound(device).pfc
    assert (pfc.generate, pfc.honour, pfc.mode) == (priorities, priorities, mode)
    if priorities is not None:
        assert place(pfc, "generate") == "PORT_QOS_MAP|Ethernet0|pfc_enable"
    found = {note.kind: shorten(note.message) for note in device.notes}
    assert found.keys() == notes.keys()
    assert all(words in found[kind] for kind, words in notes.items())


def test_no_pfc_by_default_where_the_table_is_there() -> None:
    absent = bound(changed(pfc_enable=None)).pfc
    assert (absent.generate, absent.mode) == (frozenset(), PfcMode.OFF)
    assert place(absent, "generate") == defaults.NO_PFC.says
    config = chain(PORT={"Ethernet0": port(), "Ethernet4": port()})
    assert bound(device_of(config), "Ethernet4").pfc.generate == frozenset()
    assert bound(device_of(config), "Ethernet4").pfc.where("generate").position > 0


def test_a_table_that_is_missing_beside_the_maps_binds_nothing() -> None:
    """A table without rows is not saved."""
    config = chain()
    del config["PORT_QOS_MAP"]
    qos = bound(device_of(config))
    assert (qos.trust, qos.pfc.mode, qos.pfc.generate) == (Trust.NONE, PfcMode.OFF, frozenset())


@pytest.mark.parametrize("table", ["PORT", "DSCP_TO_TC_MAP"])
def test_what_is_bound_is_unknown_in_a_part_of_a_configuration(table: str) -> None:
    config = chain()
    del config["PORT_QOS_MAP"], config[table]
    qos = bound(device_of(config))
    assert (qos.pfc, qos.trust, qos.forwarding) == (None, None, None)


def test_an_asymmetric_port_honours_every_priority() -> None:
    pfc = bound(device_of(chain(PORT={"Ethernet0": port(pfc_asym="on")}))).pfc
    assert (pfc.generate, pfc.honour) == ({3}, set(range(8)))
    assert place(pfc, "honour") == "PORT|Ethernet0|pfc_asym"


def test_rows_for_port_channels_are_noted() -> None:
    config = chain(PORTCHANNEL={"PortChannel1": {"admin_status": "up"}})
    config["PORT_QOS_MAP"]["PortChannel1"] = {"pfc_enable": "3"}
    device = device_of(config)
    assert device.interfaces["PortChannel1"].qos is None
    assert remarks(device, NoteKind.BAD_VALUE) == [
        "PORT_QOS_MAP|PortChannel1: QoS is bound to member ports, never to PortChannel1"
    ]


def watched(row: Any = None, enabled: str | None = "3", **tables: Any) -> Device:
    config = chain(**tables)
    config["PFC_WD"] = {"GLOBAL": {"POLL_INTERVAL": "200"}} | ({"Ethernet0": row} if row else {})
    if enabled is not None:
        config["PORT_QOS_MAP"]["Ethernet0"]["pfcwd_sw_enable"] = enabled
    return device_of(config)


def test_a_watched_port() -> None:
    device = watched({"action": "forward", "detection_time": "400", "restoration_time": "800"})
    found = bound(device).watchdog
    assert (found.enabled, found.priorities, found.action) == (True, {3}, WatchdogAction.FORWARD)
    assert (found.polling_ms, found.detection_ms, found.restoration_ms) == (200, 400, 800)
    assert place(found, "polling_ms") == "PFC_WD|GLOBAL|POLL_INTERVAL"
    assert device.system.watchdog.polling_ms == 200


def test_the_default_action_is_drop() -> None:
    found = bound(watched({"detection_time": "400"})).watchdog
    assert (found.action, place(found, "action")) == (
        WatchdogAction.DROP,
        defaults.WATCHDOG_ACTION.says,
    )


def test_watchdog_row_without_its_time_watches_nothing() -> None:
    found = bound(watched({"action": "drop"})).watchdog
    assert found is not None
    assert found.enabled is False


def test_a_row_without_pfcwd_sw_enable_watches_nothing() -> None:
    found = bound(watched({"detection_time": "400"}, enabled=None)).watchdog
    assert (found.enabled, found.priorities) == (False, frozenset())
    assert "without pfcwd_sw_enable" in place(found, "enabled")


def test_without_a_row_the_watchdog_is_off_unless_the_device_starts_it() -> None:
    assert bound(watched()).watchdog.enabled is False
    assert place(bound(watched()).watchdog, "enabled").endswith("without a PFC_WD row")
    metadata = {"localhost": {"default_pfcwd_status": "enable"}}
    assert bound(watched(DEVICE_METADATA=metadata)).watchdog is None


def test_the_big_red_switch_and_the_old_table_name() -> None:
    config = chain(PFC_WD_TABLE={"GLOBAL": {"BIG_RED_SWITCH": "enable", "POLL_INTERVAL": "400"}})
    device = device_of(config)
    assert device.system.pfc_killed is True
    assert place(device.system, "pfc_killed") == "PFC_WD_TABLE|GLOBAL|BIG_RED_SWITCH"
    into = treatment(device, device.interfaces["Ethernet0"], 26).ingress
    assert into.lossless is False


def test_tunnels_refer_to_maps() -> None:
    tunnel = {"decap_dscp_to_tc_map": "M", "encap_tc_to_queue_map": "[TC_TO_QUEUE_MAP|GONE]"}
    device = device_of(chain(TUNNEL={"MuxTunnel0": tunnel}))
    named = {(s.kind, s.name): s for s in device.structures}
    assert named[("tunnel", "MuxTunnel0")].defined
    assert len(named[("dscp map", "M")].references) == 2
    assert not named[("queue map", "GONE")].defined
