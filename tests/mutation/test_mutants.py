"""Every stated RoCE value of the clean fabric, changed once: found at its line, or listed.

The list (unseen.txt) may only shrink. A newly unseen mutant fails; so does a line of the list that
covers a mutant which a rule now finds.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.bench import check, load
from tests.mutation.answers import (
    CLEAN,
    GROUPS,
    Part,
    checked,
    everything,
    parts,
    sampled,
    unchanged,
    whole_parts,
)
from tests.mutation.mutants import Mutant, found
from tests.mutation.unseen import FILE, Entry, entries, expression

MOST_LINES = 108
"""Current length of the list: it may only shrink."""


@cache
def listed() -> tuple[Entry, ...]:
    return tuple(entries(FILE.read_text(encoding="utf-8")))


def is_found(mutant: Mutant) -> bool:
    return checked(mutant)[0] == "found"


def test_the_sample_itself_is_clean() -> None:
    assert unchanged() == frozenset()


def test_the_mutants_are_many_and_of_every_kind() -> None:
    made = {(mutant.device, mutant.kind) for mutant in everything()}
    for switch in ("leaf1", "leaf2", "leaf3", "spine1", "spine2"):
        kinds = {kind for device, kind in made if device == switch}
        assert kinds == {"digit", "word", "delete", "double", "move"}
    for other in ("leaf5", "leaf6", "gpu01", "gpu09", "gpu10", "gpu11"):
        kinds = {kind for device, kind in made if device == other}
        assert kinds == {"digit", "word", "delete", "double"}


def test_a_device_without_mutants_is_like_another_one() -> None:
    """leaf4 is configured like leaf2, and the hosts like gpu01; gpu05 has other neighbours."""
    own = {mutant.device for mutant in everything()}
    assert own == {device for group in GROUPS for device in group}
    assert {device.hostname for device in load(CLEAN).devices} - own == {
        "leaf4", "gpu02", "gpu03", "gpu04", "gpu06", "gpu07", "gpu08",
    }  # fmt: skip


def test_the_sample_has_every_kind_of_every_device_and_every_stage() -> None:
    chosen = sampled(everything())
    assert len(chosen) < len(everything()) / 12
    assert {(m.device, m.kind) for m in chosen} == {(m.device, m.kind) for m in everything()}
    assert {m.stage for m in chosen} == {m.stage for m in everything()}


@parts
def test_every_mutant_is_found_or_listed(part: Part) -> None:
    unseen = [mutant for mutant in part.mutants if not is_found(mutant)]
    unlisted = [str(m) for m in unseen if not any(entry.covers(m) for entry in listed())]
    assert unlisted == [], "these were found before, or are new: no reason is listed for them"


@parts
def test_no_line_of_the_list_hides_what_is_found(part: Part) -> None:
    hidden = [
        (str(entry), str(mutant))
        for mutant in part.mutants
        for entry in listed()
        if entry.covers(mutant) and is_found(mutant)
    ]
    assert hidden == [], "found now: narrow the line, or take it off the list"


@whole_parts
def test_every_line_of_the_list_covers_something(part: Part) -> None:
    """Each of its devices and kinds, each mutant in one line only."""
    unseen = [mutant for mutant in part.mutants if not is_found(mutant)]
    used: dict[Entry, set[str]] = {}
    for mutant in unseen:
        for entry in (covering := [e for e in listed() if e.covers(mutant)]):
            used.setdefault(entry, set()).update((mutant.device, mutant.kind))
        assert len(covering) < 2, (str(mutant), [str(entry) for entry in covering])
    for entry in listed():
        mine = {device for device in entry.devices if device in part.devices}
        assert mine <= used.get(entry, set()), f"{entry}: no mutant of {mine} is like that"
        if set(entry.devices) <= set(part.devices):
            assert set(entry.kinds) <= used[entry], f"{entry}: not all kinds are met"


def test_every_device_and_kind_of_the_list_exists() -> None:
    known = {(mutant.device, mutant.kind) for mutant in everything()}
    for entry in listed():
        assert {(d, k) for d in entry.devices for k in entry.kinds} <= known, entry


def test_the_list_is_short_and_gives_reasons() -> None:
    assert len(listed()) <= MOST_LINES, "the list may only shrink"
    assert [str(entry) for entry in listed() if len(entry.reason) < 40] == []


def test_a_line_of_the_list() -> None:
    text = "# what it is\n\n## because it is so\na1 b2 digit move: x|{0-2,5,y} / *\n"
    (entry,) = entries(text)
    assert (entry.number, entry.reason) == (4, "because it is so")
    assert (entry.devices, entry.kinds) == (("a1", "b2"), ("digit", "move"))
    assert expression(entry.pattern) == r"x\|(?:0|1|2|5|y)\ /\ .*"


FOUND = [
    # The digit of a RoCE value, on each operating system.
    ("digit leaf1: qos profile ROCE-HOST / priority-flow-control priority 3 no-drop #1", "PFC001"),
    ("digit leaf2: policy-map type qos ROCE-CLASSIFY / class ROCE / set qos-group 5 #1", "MAP001"),
    ("digit leaf3: DSCP_TO_TC_MAP|AZURE|26 / 3", "MAP001"),
    ("digit leaf3: DSCP_TO_TC_MAP|AZURE|48 / 6", "CLS011"),
    ("digit leaf2: class-map type qos match-all CNP / match dscp 48 #1", "CLS004"),
    ("digit gpu01: ecn-PORT.txt / /sys/class/net/PORT/ecn/roce_np/enable/3:1 #1", "NIC007"),
    ("digit gpu01: ecn-PORT.txt / /sys/class/net/PORT/ecn/roce_rp/enable/3:1 #1", "NIC007"),
    ("digit gpu01: ecn-PORT.txt / /sys/class/net/PORT/ecn/roce_np/cnp_dscp:48 #1", "CLS004"),
    ("digit gpu01: nccl.conf / NCCL_IB_TC=106 #1", "NIC015"),
    ("digit gpu01: nccl.conf / NCCL_IB_GID_INDEX=3 #1", "NIC005"),
    ("digit gpu01: nccl.conf / NCCL_IB_HCA==PORT,PORT #2", "NIC013"),
    # Another word: a pool of the other side, a profile that does not fit, a switch turned.
    ("word leaf3: BUFFER_POOL|ingress_lossless_pool|type / ingress", "SRC002"),
    ("word leaf3: QUEUE|PORT|3|scheduler / scheduler.1", "CLS005"),
    ("word gpu01: ethtool-a-PORT.txt / RX: off ~off", "PFC008"),
    # What is gone.
    ("delete leaf3: PORT_QOS_MAP|PORT|pfc_enable / 3,4", "PFC001"),
    ("delete leaf3: BUFFER_PG|PORT|3-4|profile / pg_lossless_400000_5m_profile", "BUF001"),
    ("move leaf3: BUFFER_PG|PORT|3-4|profile / pg_lossless_400000_40m_profile", "BUF001"),
    ("delete spine1: BUFFER_PG|PORT|3-4|profile / NULL", "CLS012"),
    ("delete leaf3: BUFFER_QUEUE|PORT|3-4|profile / egress_lossless_profile", "BUF008"),
    ("move leaf3: BUFFER_QUEUE|PORT|0-2|profile / egress_lossy_profile", "BUF008"),
    ("delete leaf3: BUFFER_POOL|ingress_lossless_pool|xoff / 19066880", "BUF010"),
    ("delete leaf3: DSCP_TO_TC_MAP|AZURE|48 / 6", "CLS011"),
    ("delete leaf1: qos profile ROCE-HOST / uc-tx-queue 3 / bandwidth percent 60", "CLS006"),
    ("move spine2: qos profile ROCE-FABRIC / uc-tx-queue 3 / bandwidth percent 60", "CLS006"),
    ("delete leaf2: class-map type qos match-all CNP / match dscp 48", "MAP008"),
    ("delete leaf2: class-map type qos match-all ROCE / match dscp 26", "MAP008"),
    # Twice.
    ("double leaf3: DSCP_TO_TC_MAP|AZURE|0 / 1", "SRC003"),
    ("double leaf1: qos profile ROCE-HOST / uc-tx-queue 3 / bandwidth percent 60 #1", "SRC003"),
]


@pytest.mark.parametrize(("name", "rule"), FOUND)
def test_some_that_are_found_by_the_rule_for_them(name: str, rule: str) -> None:
    """Otherwise `found` might be true of anything."""
    mutant = next(mutant for mutant in everything() if str(mutant) == name)
    findings = check(mutant.planted(CLEAN)).findings
    assert found(mutant, [finding for finding in findings if finding.rule == rule])
    assert not found(mutant, [])
