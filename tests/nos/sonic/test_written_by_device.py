"""Rows that SONiC generates: meaning of their absence, and a device without hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings

Tables = dict[str, dict[str, Any]]

PORTS = ("Ethernet0", "Ethernet4")
MADE = "pg_lossless_100000_40m_profile"
LOOKUP = "# speed cable size xon xoff threshold\n100000 40m 19456 19456 44032 0\n"


def tables(**metadata: str) -> Tables:
    """A complete saved configuration of the static model."""
    bound = {
        "dscp_to_tc_map": "M",
        "tc_to_pg_map": "M",
        "tc_to_queue_map": "M",
        "pfc_to_queue_map": "M",
        "pfc_enable": "3",
        "pfcwd_sw_enable": "3",
    }
    box = {"hostname": "leaf1", "hwsku": "Made-Up", "default_pfcwd_status": "enable"}
    return {
        "DEVICE_METADATA": {"localhost": box | {"type": "ToRRouter"} | metadata},
        "PORT": {
            name: {"lanes": str(n), "speed": "100000", "mtu": "9100", "admin_status": "up"}
            for n, name in enumerate(PORTS)
        },
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(PORTS, "40m")},
        "DSCP_TO_TC_MAP": {"M": {"0": "0", "26": "3", "48": "6"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"M": {"0": "0", "3": "3", "6": "0"}},
        "TC_TO_QUEUE_MAP": {"M": {"0": "0", "3": "3", "6": "6"}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"M": {"3": "3"}},
        "PORT_QOS_MAP": dict.fromkeys(PORTS, bound),
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"mode": "dynamic", "size": "30000000", "type": "ingress"}
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {
                "pool": "ingress_lossless_pool",
                "size": "0",
                "dynamic_th": "3",
            },
            MADE: {
                "pool": "ingress_lossless_pool",
                "size": "19456",
                "xon": "19456",
                "xoff": "44032",
                "dynamic_th": "0",
            },
        },
        "BUFFER_PG": {f"{name}|3": {"profile": MADE} for name in PORTS}
        | {f"{name}|0": {"profile": "ingress_lossy_profile"} for name in PORTS},
        "PFC_WD": {
            name: {"action": "drop", "detection_time": "200", "restoration_time": "200"}
            for name in PORTS
        },
    }


def judge(folder: Path, made: Tables, lookup: str = "") -> Report:
    (folder / "config_db.json").write_text(json.dumps(made, indent=4))
    if lookup:
        (folder / "pg_profile_lookup.ini").write_text(lookup)
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def found(report: Report, rule: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(f.severity.label, f.subjects) for f in report.findings if f.rule == rule]


def unknown(report: Report, rule: str) -> list[str]:
    return [group.missing for group in report.unknowns if group.rule == rule]


def test_all_rows_are_there(tmp_path: Path) -> None:
    report = judge(tmp_path, tables())
    assert found(report, "BUF001") == found(report, "PFC020") == []
    assert unknown(report, "BUF001") == []


def never_loaded() -> Tables:
    made = tables()
    del made["BUFFER_PROFILE"][MADE]
    made["BUFFER_PG"] = {key: row for key, row in made["BUFFER_PG"].items() if key.endswith("|0")}
    return made


def test_a_file_that_was_never_loaded_is_not_a_fault(tmp_path: Path) -> None:
    report = judge(tmp_path, never_loaded())
    assert found(report, "BUF001") == []
    (missing,) = unknown(report, "BUF001")
    assert "pg_profile_lookup.ini" in missing


def test_with_the_lookup_table_it_is_right(tmp_path: Path) -> None:
    report = judge(tmp_path, never_loaded(), LOOKUP)
    assert found(report, "BUF001") == []
    assert unknown(report, "BUF001") == []


def test_a_lookup_table_without_the_row_is_known_by_its_length(tmp_path: Path) -> None:
    report = judge(tmp_path, never_loaded(), LOOKUP.replace("40m", "5m"))
    assert found(report, "BUF001") == []
    assert found(report, "BUF004") != []


def named_only() -> Tables:
    """Never loaded, with rows that name the profile that the device would generate."""
    made = tables()
    del made["BUFFER_PROFILE"][MADE]
    return made


@pytest.mark.parametrize(
    ("lookup", "missing"), [(LOOKUP, 0), ("", 1), (LOOKUP.replace("40m", "5m"), 1)]
)
def test_a_name_of_the_devices_own_making(tmp_path: Path, lookup: str, missing: int) -> None:
    """Correct with the row of the table, and unknown without one."""
    report = judge(tmp_path, named_only(), lookup)
    assert found(report, "MAP003") == found(report, "BUF001") == []
    assert len(unknown(report, "MAP003")) == missing
    groups = report.fabric.devices["leaf1"].qos.ingress_buffers if report.fabric else {}
    assert (groups["Ethernet0"].groups[3].xoff_bytes == 44032) is (not missing)


def test_a_name_that_dangles_where_the_device_has_made_others(tmp_path: Path) -> None:
    made = named_only()
    made["BUFFER_PROFILE"]["pg_lossless_100000_5m_profile"] = tables()["BUFFER_PROFILE"][MADE]
    assert [level for level, _ in found(judge(tmp_path, made, LOOKUP), "MAP003")] == ["error"]


def test_a_port_without_a_row_beside_names_that_are_not_yet_made(tmp_path: Path) -> None:
    made = named_only()
    del made["BUFFER_PG"]["Ethernet4|3"]
    assert found(judge(tmp_path, made, LOOKUP), "BUF001") == []


@pytest.mark.parametrize(("lookup", "level"), [(LOOKUP, "warning"), ("", "error")])
def test_a_lossy_row_that_the_device_may_make_up_for(
    tmp_path: Path, lookup: str, level: str
) -> None:
    made = named_only()
    for name in PORTS:
        made["BUFFER_PG"][f"{name}|3"] = {"profile": "ingress_lossy_profile"}
    assert {each for each, _ in found(judge(tmp_path, made, lookup), "BUF001")} == {level}


@pytest.mark.parametrize(("speed", "level"), [("10000", "warning"), ("40000", "error")])
def test_a_speed_that_the_table_of_the_board_lacks(tmp_path: Path, speed: str, level: str) -> None:
    """A port far slower than those of the table is hardly used for RoCE."""
    made = never_loaded()
    made["PORT"]["Ethernet4"] = made["PORT"]["Ethernet4"] | {"speed": speed}
    report = judge(tmp_path, made, LOOKUP)
    assert found(report, "BUF004") == [(level, ("Ethernet4",))]
    assert found(report, "BUF001") == []


@pytest.mark.parametrize(
    ("version", "reported"), [("", 0), ("version_2_0_0", 0), ("version_3_0_3", 1)]
)
def test_digits_of_autoneg_are_words_of_old_releases(
    tmp_path: Path, version: str, reported: int
) -> None:
    made = tables()
    made["PORT"]["Ethernet0"]["autoneg"] = "1"
    if version:
        made["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    report = judge(tmp_path, made)
    assert len(found(report, "SRC002")) == reported
    assert report.fabric is not None
    assert report.fabric.devices["leaf1"].interfaces["Ethernet0"].autoneg is (
        None if reported else True
    )


def test_blanks_around_numbers_are_none(tmp_path: Path) -> None:
    made = tables()
    made["PORT"]["Ethernet0"] |= {"speed": " 100000", "mtu": "9100 "}
    made["DSCP_TO_TC_MAP"]["M"] = {"0": "0", " 26": "3 ", "48": "6"}
    report = judge(tmp_path, made)
    plain = judge(tmp_path, tables())
    assert [f.rule for f in report.findings] == [f.rule for f in plain.findings]
    assert [traffic.dscps for traffic in report.analysis.data_classes] == [(26,)]  # type: ignore[union-attr]


def test_a_number_with_more_behind_it_is_not_called_refused(tmp_path: Path) -> None:
    """Some daemons accept the leading number for a profile; none does for a port."""
    made = tables()
    made["WRED_PROFILE"] = {"W": {"ecn": "ecn_all", "green_drop_probability": "5%"}}
    made["PORT"]["Ethernet0"]["mtu"] = "9100 bytes"
    noted = {(f.rule, "9100" in f.message) for f in judge(tmp_path, made).findings}
    assert {("SRC002", False), ("SRC007", True)} <= noted


@pytest.mark.parametrize("keep", ["profile", "row"])
def test_what_shows_that_the_device_has_written(tmp_path: Path, keep: str) -> None:
    """A generated profile, or a lossless row of another port."""
    made = tables()
    gone = PORTS if keep == "profile" else PORTS[1:]
    for name in gone:
        del made["BUFFER_PG"][f"{name}|3"]
    report = judge(tmp_path, made)
    assert found(report, "BUF001") == [("error", gone)]


@pytest.mark.parametrize(
    ("rows", "status", "expected"),
    [
        (PORTS[:1], "enable", [("warning", PORTS[1:])]),
        ((), "enable", []),  # it may write them after the file was saved
        ((), "disable", [("warning", PORTS)]),
    ],
)
def test_a_port_without_a_watchdog_row(
    tmp_path: Path, rows: tuple[str, ...], status: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    made = tables(default_pfcwd_status=status)
    made["PFC_WD"] = {"GLOBAL": {"POLL_INTERVAL": "200"}} | {
        name: row for name, row in made["PFC_WD"].items() if name in rows
    }
    assert found(judge(tmp_path, made), "PFC020") == expected


@pytest.mark.parametrize(
    ("kind", "hosts"), [("ToRRouter", True), ("LeafRouter", True), ("SpineRouter", False)]
)
def test_a_spine_whose_leaves_are_not_among_the_files(
    tmp_path: Path, kind: str, *, hosts: bool
) -> None:
    made = tables(type=kind, default_pfcwd_status="disable")
    made["PFC_WD"] = {"GLOBAL": {"POLL_INTERVAL": "200"}}
    report = judge(tmp_path, made)
    assert bool(found(report, "PFC020")) is hosts
    assert report.judged_ports == len(PORTS)
