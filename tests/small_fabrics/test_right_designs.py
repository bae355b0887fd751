"""Correct designs without findings, and sizes and links with findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.small_fabrics.made import EVERY, LEAVES, made

Tables = dict[str, Any]
BIND = "            congestion-notification-profile ROCE;\n"
PAUSED_INPUT = """\
            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
"""


def tables(how: Callable[[Tables], object]) -> Callable[[str], str]:
    """A change of the tables of a SONiC file."""

    def remade(text: str) -> str:
        found = json.loads(text)
        how(found)
        return json.dumps(found, indent=1) + "\n"

    return remade


def not_loaded(found: Tables) -> None:
    """A file of the static model before the buffer manager loads it."""
    for name in ("BUFFER_PG", "BUFFER_PROFILE"):
        found[name] = {
            key: row
            for key, row in found[name].items()
            if not key.endswith("|3") and not key.startswith("pg_lossless")
        }


def no_pause(found: Tables) -> None:
    """ECN marking only; a table from class to group exists all the same."""
    for row in found["PORT_QOS_MAP"].values():
        for key in ("pfc_enable", "pfcwd_sw_enable", "pfc_to_queue_map"):
            del row[key]
    for name in ("PFC_WD", "MAP_PFC_PRIORITY_TO_QUEUE"):
        del found[name]
    not_loaded(found)


@pytest.mark.parametrize("how", [not_loaded, no_pause])
def test_a_right_design_of_sonic(how: Callable[[Tables], None]) -> None:
    own = made("sonic")
    for name in EVERY:
        own.remake(name, tables(how))
    assert own.outcomes() == []
    assert [c.dscps for c in own.report().classes] == [(26,)]


def test_rows_that_lack_where_the_manager_ran_are_a_fault() -> None:
    own = made("sonic")
    own.remake("leaf2", tables(lambda found: found["BUFFER_PG"].pop("Ethernet8|3")))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "BUF001", "leaf2")


def test_a_spine_by_its_own_word_has_no_hosts() -> None:
    own = made("sonic")

    def alone(found: Tables) -> None:
        del found["PFC_WD"]
        for row in found["PORT_QOS_MAP"].values():
            del row["pfcwd_sw_enable"]

    own.remake("spine1", tables(alone))
    for name in LEAVES:
        own.remove(own.files[name])
    own.remove("links.yaml")
    assert own.outcomes() == []


JUNOS = {
    "the rewrite rule that is built in": (
        ("                classifiers {\n                    dscp ROCE;\n                }\n",
         ("                classifiers {\n                    dscp ROCE;\n                }\n"
         "                rewrite-rules {\n                    dscp default;\n                }\n")),
    ),
    "every port obeys pause and none sends it": ((PAUSED_INPUT, ""),),
    "a class that some platforms bring": (
        ("            forwarding-class best-effort scheduler BULK;\n",
         ("            forwarding-class best-effort scheduler BULK;\n"
         "            forwarding-class mcast-be scheduler BULK;\n")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JUNOS)
def test_a_right_design_of_junos(name: str) -> None:
    assert made("junos").everywhere(*JUNOS[name]).outcomes() == []


def test_pause_at_the_host_edge_only() -> None:
    """One static block on all switches, attached to host ports only."""
    own = made("junos")
    edge = f"        et-0/0/0 {{\n{BIND}        }}\n        et-* {{\n"
    for name in EVERY:
        own.change(
            name, (f"        et-* {{\n{BIND}", "        et-* {\n" if name == "spine1" else edge)
        )
    assert own.outcomes() == []


def plain_pfc(pool: bool, tx: str = "enable", more: str = "") -> tuple[str, str]:
    """Cumulus without `qos roce`: each part has its own line."""
    lines = [
        "mapping default-global trust l3",
        "mapping default-global dscp 26 switch-priority 3",
        "pfc default-global switch-priority 3",
        f"pfc default-global tx {tx}",
        "pfc default-global rx enable",
        *(["traffic-pool default-lossless switch-priority 3",
           "traffic-pool default-lossless memory-percent 50",
           "traffic-pool default-lossy memory-percent 50"] if pool else []),
        "congestion-control default-global traffic-class 3 ecn enable",
        "congestion-control default-global traffic-class 3 min-threshold 200000",
        "congestion-control default-global traffic-class 3 max-threshold 1500000",
        "congestion-control default-global traffic-class 3 probability 10",
    ]  # fmt: skip
    text = "".join(f"nv set qos {line}\n" for line in lines)
    return "nv set qos roce enable on\nnv set qos roce mode lossless\n", text + more


def test_cumulus_pauses_without_a_pool_to_hold_it() -> None:
    own = made("cumulus").everywhere(plain_pfc(pool=False))
    assert {outcome[:2] for outcome in own.outcomes()} == {("warning", "BUF020")}


def test_cumulus_with_its_pool() -> None:
    assert made("cumulus").everywhere(plain_pfc(pool=True)).outcomes() == []


def test_every_port_of_cumulus_honours_pfc_and_none_sends_it() -> None:
    own = made("cumulus").everywhere(plain_pfc(pool=False, tx="disable"))
    assert own.outcomes() == []


def test_one_length_for_a_device_is_not_that_of_a_cable() -> None:
    """The switch is sized for its longest cable; the NIC has its own length."""
    own = made("cumulus", hosts=True)
    own.everywhere(plain_pfc(pool=True, more="nv set qos pfc default-global cable-length 40\n"))
    own.everywhere(("dscp 26 switch", "dscp 48 switch-priority 6\nnv set qos mapping default-global dscp 26 switch"))  # fmt: skip
    assert [outcome for outcome in own.outcomes() if outcome[1] in ("LNK005", "BUF011")] == []


# ------------------------------------------------------------------ sizes


def test_a_plan_with_a_longer_cable() -> None:
    own = made("sonic")
    own.texts["links.yaml"] = (
        "- {a: 'leaf1:Ethernet8', b: 'spine1:Ethernet0', cable_m: 250}\n"
        "- [leaf2:Ethernet8, spine1:Ethernet8]\n- [leaf3:Ethernet8, spine1:Ethernet16]\n"
    )
    assert {outcome[:2] for outcome in own.outcomes()} == {("warning", "BUF011")}
    assert own.devices("BUF011") == {"leaf1", "spine1"}


def test_headroom_below_what_no_peer_can_avoid() -> None:
    own = made("sonic").change("leaf3", ('"xoff": "300990"', '"xoff": "14000"'))
    assert own.outcomes() == [("error", "BUF012", "leaf3", '"xoff": "14000",')]


def test_a_port_without_a_row_of_the_watchdog() -> None:
    own = made("sonic")
    own.remake("leaf3", tables(lambda found: found["PFC_WD"].pop("Ethernet0")))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("warning", "PFC020", "leaf3")


def test_marking_that_begins_above_the_buffer_of_the_chip() -> None:
    own = made("eos")
    old = "minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes"
    own.change("leaf1", (old, "minimum-threshold 300 mbytes maximum-threshold 350 mbytes"))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "ECN010", "leaf1")
    assert outcome[3].startswith("random-detect ecn minimum-threshold 300 mbytes")


def test_thresholds_of_the_core_far_from_those_of_the_leaves() -> None:
    own = made(["eos", "nxos", "nxos", "nxos"])
    old = "minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes"
    own.change("spine1", (old, "minimum-threshold 15 kbytes maximum-threshold 25 kbytes"))
    assert "ECN011" in {outcome[1] for outcome in own.outcomes()}
