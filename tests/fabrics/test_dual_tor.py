"""The dual-ToR design of SONiC: packets that a standby ToR tunnels to its peer use other classes
and PFC priorities than those of hosts. That is correct and not a finding.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from roce_lint.analysis.paths import Paths
from roce_lint.analysis.walk import walk
from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.fabrics.mixed import KINDS
from tests.nos.pair import HOSTS
from tests.unit.checks.judging import values

TORS = ("leaf1", "leaf2")
UPLINK = {"pfc_enable": "2,3,4,6", "pfcwd_sw_enable": "3,4", "dscp_to_tc_map": "AZURE_UPLINK"}
DOWN = {"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4", "dscp_to_tc_map": "AZURE"}
MAPS = {
    "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE",
}  # fmt: skip


def sonic(name: str, addresses: list[str], uplinks: list[str]) -> dict[str, Any]:
    """A switch with the stock maps, DSCP 3 and 4 in separate classes."""
    tables: dict[str, Any] = json.loads(KINDS["sonic"].write(name, addresses))
    plain = {str(n): "1" for n in range(64)} | {"3": "3", "4": "4", "46": "5", "48": "6"}
    tables["DSCP_TO_TC_MAP"] = {
        "AZURE": plain,
        "AZURE_UPLINK": plain | {"2": "2", "6": "6", "48": "7"},
        "AZURE_TUNNEL": plain | {"2": "2", "6": "6"},
    }
    groups = {str(n): "0" for n in range(8)} | {"2": "2", "3": "3", "4": "4", "6": "6", "7": "7"}
    same = {str(n): str(n) for n in range(8)}
    bounced = {"3": "2", "4": "6"}
    tables["TC_TO_QUEUE_MAP"] = {"AZURE": same, "AZURE_TUNNEL": same | bounced}
    tables["TC_TO_PRIORITY_GROUP_MAP"] = {"AZURE": groups, "AZURE_TUNNEL": groups | bounced}
    tables["MAP_PFC_PRIORITY_TO_QUEUE"] = {"AZURE": same}
    tables["PORT_QOS_MAP"] = {
        port: {**(UPLINK if port in uplinks else DOWN), **MAPS} for port in tables["PORT"]
    }
    marked = {"scheduler": "scheduler.1", "wred_profile": "LOSSLESS"}
    profile = "pg_lossless_400000_40m_profile"
    for port in tables["PORT"]:
        lossless = "2346" if port in uplinks else "34"
        tables["QUEUE"].update({f"{port}|{n}": marked for n in lossless})
        if port not in uplinks:
            tables["QUEUE"][f"{port}|6"] = {"scheduler": "scheduler.0"}
        del tables["BUFFER_PG"][f"{port}|3"]
        tables["BUFFER_PG"].update({f"{port}|{n}": {"profile": profile} for n in lossless})
    return tables


def tunnel() -> dict[str, Any]:
    return {
        "MuxTunnel0": {
            "tunnel_type": "IPINIP",
            "dst_ip": "10.255.0.1",
            "dscp_mode": "pipe",
            "ecn_mode": "copy_from_outer",
            "ttl_mode": "pipe",
            "encap_ecn_mode": "standard",
            "decap_dscp_to_tc_map": "AZURE_TUNNEL",
            "decap_tc_to_pg_map": "AZURE_TUNNEL",
            "encap_tc_to_dscp_map": "AZURE_TUNNEL",
            "encap_tc_to_queue_map": "AZURE_TUNNEL",
        }
    }


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    links = []
    for number, name in enumerate(TORS):
        addresses = [f"10.0.{number}.0/31", f"10.1.{number}.0/31"]
        tables = sonic(name, addresses, ["Ethernet8"])
        tables["TUNNEL"] = tunnel()
        tables["MUX_CABLE"] = {"Ethernet0": {"server_ipv4": "192.168.0.2/32", "state": "auto"}}
        tables["PEER_SWITCH"] = {TORS[1 - number]: {"address_ipv4": f"10.255.0.{1 - number}"}}
        tables["TC_TO_DSCP_MAP"] = {"AZURE_TUNNEL": {"3": "2", "4": "6"}}
        (tmp_path / f"{name}.json").write_text(json.dumps(tables, indent=1))
        links.append(f"- [{name}:Ethernet8, spine1:Ethernet{8 * number}]")
    below = ["Ethernet0", "Ethernet8"]
    spine = sonic("spine1", [f"10.1.{n}.1/31" for n in range(2)], below)
    (tmp_path / "spine1.json").write_text(json.dumps(spine, indent=1))
    (tmp_path / "links.yaml").write_text("\n".join(links) + "\n")
    return tmp_path


def judged(folder: Path) -> Report:
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def grave(report: Report) -> list[tuple[str, str]]:
    return [(f.rule, f.message) for f in report.findings if f.severity >= Severity.WARNING]


def test_classes_of_bounced_traffic_are_no_fault(fabric: Path) -> None:
    report = judged(fabric)
    assert [found.dscps for found in report.classes] == [(3,), (4,)]
    assert report.judged_ports == 6
    assert grave(report) == []


def test_without_the_maps_of_the_tunnel_it_is_not_known(fabric: Path) -> None:
    assert [u for u in judged(fabric).unknowns if u.rule == "MAP011"] == []
    path = fabric / "leaf2.json"
    tables = json.loads(path.read_text())
    del tables["TUNNEL"]
    path.write_text(json.dumps(tables, indent=1))
    unknowns = [u for u in judged(fabric).unknowns if u.rule == "MAP011"]
    assert {(u.device, u.subjects) for u in unknowns} == {(tor, ("Ethernet0",)) for tor in TORS}
    assert {u.missing.partition(":")[0] for u in unknowns} == {
        "the QoS maps of the tunnel between the two switches of a dual-ToR cable"
    }


def test_the_walk_names_the_missing_input_before_the_host(fabric: Path) -> None:
    analysis = judged(fabric).analysis
    assert analysis is not None
    paths = Paths(analysis)
    source, target = paths.ends_of("leaf1")[0], paths.ends_of("leaf2")[0]
    (way,) = walk(analysis, paths, source, target, 3, lambda hop: hop.dscp)
    lacks = [hop.treated.egress.missing for hop in way.hops]
    assert lacks[:2] == ["", ""]
    assert lacks[2].startswith("the active switch, leaf2 or leaf1, on the cable of Ethernet0 ")
    assert way.hops[2].treated.ingress.lossless is True


def test_a_host_on_both_switches_contradicts_nobody(fabric: Path) -> None:
    shutil.copytree(HOSTS / "gpu1", fabric / "gpu1")
    plan = fabric / "links.yaml"
    legs = "".join(f"- [{tor}:Ethernet0, gpu1:ens1np0]\n" for tor in TORS)
    plan.write_text(plan.read_text() + legs)
    report = judged(fabric)
    assert [f.rule for f in report.findings if f.rule.startswith(("LNK", "TOP"))] == []
    assert report.analysis is not None
    (end,) = Paths(report.analysis).ends_of("gpu1")
    assert [str(wire.leaf) for wire in end.wires] == [f"{tor} Ethernet0" for tor in TORS]


def test_the_tunnel_uses_separate_classes(fabric: Path) -> None:
    """DSCP 3 of a host of the first switch: if that switch is standby, the packet is tunnelled."""
    for name in ("gpu1", "gpu2"):
        shutil.copytree(HOSTS / name, fabric / name)
    own = json.loads((fabric / "leaf1.json").read_text())
    for table in ("PORT", "PORT_QOS_MAP"):
        own[table]["Ethernet16"] = dict(own[table]["Ethernet0"])
    own["QUEUE"] |= {f"Ethernet16|{n}": own["QUEUE"][f"Ethernet0|{n}"] for n in "34"}
    (fabric / "leaf1.json").write_text(json.dumps(own))
    plan = fabric / "links.yaml"
    legs = "".join(f"- [{tor}:Ethernet0, gpu1:ens1np0]\n" for tor in TORS)
    plan.write_text(plan.read_text() + legs + "- [leaf1:Ethernet16, gpu2:ens1np0]\n")
    analysis = judged(fabric).analysis
    assert analysis is not None
    paths = Paths(analysis)
    (source,), (target,) = paths.ends_of("gpu2"), paths.ends_of("gpu1")
    ways = walk(analysis, paths, source, target, 3, lambda hop: (hop.device.hostname, hop.dscp))
    by_route = {tuple(hop.device.hostname for hop in way.hops): way.hops for way in ways}
    bounced = ("gpu2", "leaf1", "spine1", "leaf2", "gpu1")
    assert set(by_route) == {("gpu2", "leaf1", "gpu1"), bounced}
    _, begin, middle, end, host = by_route[bounced]
    codes = [(hop.dscp, hop.dscp_out) for hop in (begin, middle, end, host)]
    assert codes == [(3, 2), (2, 2), (2, 3), (3, 3)]
    into = [hop.treated.ingress for hop in (begin, middle, end)]
    assert [(i.tc, i.pg, i.priority, i.lossless) for i in into] == [
        (3, 3, 3, True),
        (2, 2, 2, True),
        (3, 2, 2, True),
    ]
    assert [hop.treated.egress.queue for hop in (begin, middle, end)] == [2, 2, 3]
    lacks = {hop.treated.egress.missing for hops in by_route.values() for hop in hops}
    assert lacks == {""}


def test_a_fault_in_the_class_itself_is_found_beside_them(fabric: Path) -> None:
    path = fabric / "leaf1.json"
    tables = json.loads(path.read_text())
    tables["DSCP_TO_TC_MAP"]["AZURE_UPLINK"]["3"] = "1"
    path.write_text(json.dumps(tables, indent=1))
    found = grave(judged(fabric))
    ((rule, message),) = found
    assert rule == "MAP001"
    assert values(message).startswith("leaf1 Ethernet8 3 1")
