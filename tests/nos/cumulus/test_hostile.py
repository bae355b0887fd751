"""Reading any file ends with a Device of plain values, or with an error about the file."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ReadError
from roce_lint.model.dump import dump
from tests.nos.cumulus.reading import (
    COMMANDS,
    DOCUMENT,
    FLAT,
    INTERFACES,
    NCLU,
    PORT,
    commands,
    read,
)
from tests.nos.hostile import kinds_of_text, mixed
from tests.nos.reader import notes

LINES = f"""\
{PORT.strip()}
nv set interface swp1-4,6 link mtu 9000
nv set interface swp1 link breakout 4x lanes-per-port 2
nv set interface bond1 bond member swp2-3
nv set interface bond1 bridge domain br_default vlan 10-12
nv set interface swp1 qos pfc profile P
nv set interface swp1 qos pfc-watchdog state enable
nv set interface swp1 qos egress-shaper profile S
nv set qos roce mode lossless
nv set qos roce mode lossy-multi-tc
nv set qos mapping default-global dscp 24-31 switch-priority 3
nv set qos pfc P switch-priority 3,5
nv set qos pfc-watchdog robustness 5
nv set qos congestion-control default-global traffic-class 3 min-threshold 150000
nv set qos egress-scheduler default-global traffic-class 3 bw-percent 50
nv set qos egress-shaper S traffic-class 3 max-rate 100
nv set qos remark default-global rewrite l3
nv set qos traffic-pool default-lossy memory-percent 50
nv set vrf default router bgp neighbor swp1-2 type unnumbered
nv unset interface swp1 link
nv unset qos""".splitlines()
FLAT_LINES = """\
traffic.packet_priority_source_set = [dscp]
traffic.cos_3.priority_source.dscp = [24-31]
pfc.port_group_list = [A,B]
pfc.A.port_set = swp1-swp4
pfc.A.cos_list = [3]
pfc_watchdog.A.port_set = allports
default_egress_sched.egr_queue_0.bw_percent = 50
ecn_red.A.egress_queue_list = [3]
shaping.A.egr_queue_3.shaper = [1, 2]
priority_group.A.cos_list = [3]
priority_group.A.weight = 16""".splitlines()
ODD = [
    "99999999999999999999",
    "-1",
    "٣",
    "1-",
    "-",
    ",",
    "swp1-9999999",
    "\x00",
    "'",
    '"',
    "=",
    "[",
]


@given(mixed(LINES, ODD))
def test_any_word_anywhere_in_commands(text: str) -> None:
    dump(read((COMMANDS, text)))


@given(mixed(FLAT_LINES, ODD))
def test_any_word_anywhere_in_flat_files(text: str) -> None:
    dump(read((FLAT, text), (INTERFACES, "iface swp1\n  mtu 9000\n")))


@given(st.sampled_from([COMMANDS, FLAT, INTERFACES, NCLU]), st.text(max_size=300))
def test_any_text(source: str, text: str) -> None:
    start = {COMMANDS: "nv set ", NCLU: "net add ", INTERFACES: "iface swp1\n "}.get(source, "")
    dump(read((source, start + text)))


TREES = st.recursive(
    st.sampled_from(["3", "lossy", "swp1-2", "on", "''", "{}", "[]", "enable", "pfc"]),
    lambda below: st.dictionaries(
        st.sampled_from(
            ["set", "interface", "swp1-2", "qos", "roce", "mode", "pfc", "default-global", "link"]
        ),
        below,
        max_size=4,
    ).map(lambda members: "{" + ", ".join(f"{k}: {v}" for k, v in members.items()) + "}"),
    max_leaves=20,
)


@given(TREES)
def test_any_tree(text: str) -> None:
    dump(read((DOCUMENT, text)))


@given(st.text(max_size=200))
def test_any_document(text: str) -> None:
    with contextlib.suppress(ReadError):
        dump(read((DOCUMENT, "set:\n  qos:\n    roce:\n" + text)))


def test_a_device_holds_plain_text() -> None:
    assert kinds_of_text(read((COMMANDS, "\n".join(LINES[:-2])))) == {str}


@pytest.mark.parametrize(
    "text",
    [
        "nv set interface swp1 " + "link " * 20_000,
        "nv set interface "
        + ",".join(f"swp{n}-{n + 4000}" for n in range(1000))
        + " link mtu 9000",
        "nv set qos pfc P switch-priority " + ",".join("3" for _ in range(100_000)),
        "nv set system message pre-login '" + "\n#" * 5000,
        "nv set interface swp1 bridge domain br_default vlan " + "1-4094," * 5000 + "1",
    ],
)
def test_what_is_too_long(text: str) -> None:
    assert commands(text).interfaces["swp1"].addresses == ("10.0.0.0/31",)


def test_many_faults_are_not_all_listed() -> None:
    text = "\n".join(f"nv set interface swp{n} link mtu {n}" for n in range(10_000, 12_000))
    assert len(notes(commands(text))) == 1000
