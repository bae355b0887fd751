"""A fabric with one side missing: its LLDP elements replace its configuration.

The elements are those that lldpd leaves undecoded, as octets, with the lldptool output for them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings

HOST = {
    "rdma_link.txt": """\
# command: rdma link show  host: gpu1
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1np0
""",
    "ip_link.json": """\
# command: ip -d -j link show  host: gpu1
[{"ifname": "ens1np0", "flags": ["UP", "LOWER_UP"], "mtu": 9000, "operstate": "UP",
  "link_type": "ether", "address": "94:6d:ae:00:00:01"}]
""",
    "nccl.conf": "NCCL_IB_TC=106\n",
    "mlnx_qos.txt": """\
# command: mlnx_qos -i ens1np0  host: gpu1
DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
	prio:3 dscp:31,30,29,28,27,26,25,24,
PFC configuration:
	priority    0   1   2   3   4   5   6   7
	enabled     0   0   0   1   0   0   0   0
""",
}

PFC, APP, ETS = "08,08", "00,65,00,1A", "02,00,01,00,00,32,32,00,00,00,00,00,00,02,02" + ",00" * 6
"""PFC for 3 of eight; DSCP 26 has priority 3; priority 3 has class 1, the others class 0."""


def tlv(subtype: int, octets: str) -> dict[str, str]:
    length = str(len(octets.split(",")))
    return {"oui": "00,80,C2", "subtype": str(subtype), "len": length, "value": octets}


def heard(pfc: str = PFC, app: str = APP, ets: str = ETS, frame: int = 9236) -> str:
    """`lldpcli -f json0 show neighbors details`, a value a line."""
    unknown = [tlv(9, ets), tlv(11, pfc), tlv(12, app)]
    neighbor = {
        "name": "ens1np0",
        "via": "LLDP",
        "chassis": [{"id": [{"type": "mac", "value": "28:99:3a:00:00:01"}], "name": [{"value": "leaf1"}]}],
        "port": [
            {
                "id": [{"type": "ifname", "value": "Ethernet1/1"}],
                "mfs": [{"value": str(frame)}],
            }
        ],
        "unknown-tlvs": [{"unknown-tlv": unknown}],
    }  # fmt: skip
    head = "# command: lldpcli -f json0 show neighbors details  host: gpu1\n"
    return head + json.dumps({"lldp": [{"interface": [neighbor]}]}, indent=1) + "\n"


SWITCH = """\
! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.2F)
hostname leaf1
qos map dscp 26 to traffic-class 3
interface Ethernet1/1
   no switchport
   mtu 9214
   ip address 10.0.0.0/31
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""

OTHER = {
    "pfc": ("08,10", "PFC010", "warning", "mlnx_qos.txt:8"),
    "app": ("00,85,00,1A", "MAP010", "warning", "mlnx_qos.txt:5"),
    "ets": ("02,00,00,11,11,32,32,00,00,00,00,00,00,02,02" + ",00" * 6, "CLS023", "info", "ets"),
    "frame": (1518, "MTU008", "warning", "frame"),
}
"""Differing elements of the switch, and the resulting findings."""

FROM_LLDP = {"PFC010", "MAP010", "CLS023", "MTU008"}


def found(tmp_path: Path, lldp: str, *switches: str) -> list[tuple[str, str, str]]:
    """Rule, severity and deciding line of findings that rest on the neighbour's elements."""
    (tmp_path / "gpu1").mkdir()
    for name, text in {**HOST, "lldp.json": lldp}.items():
        (tmp_path / "gpu1" / name).write_text(text)
    for number, text in enumerate(switches):
        (tmp_path / f"switch{number}.cfg").write_text(text)
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    assert [d.message for d in report.diagnostics] == []
    return [
        (f.rule, f.severity.label, f"{Path(f.location.file).name}:{f.location.line}")
        for f in report.findings
        if f.rule in FROM_LLDP or f.severity >= Severity.ERROR
    ]


def test_an_agreeing_neighbour_gives_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, heard()) == []


@pytest.mark.parametrize("what", OTHER)
def test_a_difference_of_the_missing_side_is_found(tmp_path: Path, what: str) -> None:
    value, rule, severity, place = OTHER[what]
    lldp = heard(**{what: value})
    if what in ("ets", "frame"):  # the line of the answer that says it
        lines = lldp.split("\n")
        number = next(n for n, line in enumerate(lines, 1) if f'"{value}"' in line)
        place = f"lldp.json:{number}"
    assert found(tmp_path, lldp) == [(rule, severity, place)]


@pytest.mark.parametrize("what", OTHER)
def test_with_both_sides_in_the_folder_the_configuration_counts(tmp_path: Path, what: str) -> None:
    assert found(tmp_path, heard(**{what: OTHER[what][0]}), SWITCH) == []


def test_a_willing_neighbour_gives_no_finding(tmp_path: Path) -> None:
    willing = heard(pfc="88,10", app=str(OTHER["app"][0]), ets=str(OTHER["ets"][0]))
    assert found(tmp_path, willing) == []
