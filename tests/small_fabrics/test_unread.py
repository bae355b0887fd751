"""An unread line leaves open what its section lacks, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest

from roce_lint.engine.finding import Answer, Severity
from roce_lint.nos.states import QOS_WORD
from tests.bench import Files, check, edit, load
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import build, switches
from tests.sampling import sampled
from tests.small_fabrics.rows import Row, made, observed

BY_WORDS = {"junos", "srlinux", "cumulus"}
"""Systems where a statement is read as far as its words are known."""

LEAST = {"cumulus": 1, "junos": 7, "iosxr": 5}
"""Minimum number of spoilt lines of a leaf that stay unread, where it is below 8."""

OTHER_FAULTS = ("junos-9", "junos-19")
"""If the MTU of a port is unread, Junos rejects that of its family (SRC007)."""


@dataclass(frozen=True)
class Spoilt:
    """A leaf with one unreadable line about QoS."""

    nos: str
    line: int
    text: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.nos}-{self.line}"

    def files(self) -> Files:
        """Three leaves, this one the second, and a spine."""
        files = build([self.nos] * 4)
        return {**files, switches(files)["leaf2"]: self.text}


def spoilt(nos: str) -> list[Spoilt]:
    files = build([nos] * 4)
    lines = files[switches(files)["leaf2"]].splitlines(keepends=True)
    return [
        Spoilt(nos, n + 1, "".join((*lines[:n], bad, *lines[n + 1 :])))
        for n, line in enumerate(lines)
        if QOS_WORD.search(line) and (bad := spoil(nos, line)) is not None
    ]


def spoil(nos: str, line: str) -> str | None:
    """The line with a word of no system in it; None for a line without a statement."""
    text = line.rstrip("\n")
    if nos == "sonic":
        return re.sub(r'"([^"]+)":(?! \{)', r'"\1_zz":', text, count=1) + "\n"
    if nos not in BY_WORDS:
        return None if text.strip()[0] in "!#" else f"{text} zz-unreadable\n"
    words = [m.end() for m in re.finditer(r"[a-z][\w-]*", text) if QOS_WORD.search(m[0])]
    return f"{text[: words[-1]]}-zz{text[words[-1] :]}\n" if words else None


CASES = [each for nos in sorted(KINDS) for each in spoilt(nos)]


def is_unread(one: Spoilt) -> bool:
    return any(device.unread for device in load(one.files()).devices)


@pytest.mark.parametrize("one", sampled(CASES, 6, lambda one: one.nos), ids=str)
def test_no_error_rests_on_what_was_not_read(one: Spoilt) -> None:
    """Nor is the fabric ready."""
    if is_unread(one):
        report = check(one.files())
        wrong = [f.message for f in report.findings if f.severity is Severity.ERROR]
        assert bool(wrong) is (str(one) in OTHER_FAULTS), wrong
        assert report.verdict.answer is not Answer.READY


@pytest.mark.deep
@pytest.mark.parametrize("nos", sorted(KINDS))
def test_most_spoilt_lines_are_not_understood(nos: str) -> None:
    assert sum(map(is_unread, spoilt(nos))) >= LEAST.get(nos, 8)


MARKS = "      random-detect ecn minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 20 weight 0\n"
BY_LATENCY = "      random-detect ecn latency threshold 5 milliseconds\n"
UNREAD = ("info SRC001", BY_LATENCY.strip())
QUEUE_0 = "   uc-tx-queue 0\n"
ROWS = (
    Row("in-the-queue", "eos", (UNREAD,), odd=((MARKS, BY_LATENCY),), unknown="an unread line about ECN marking"),
    Row("in-another-queue", "eos", (("error ECN001", "uc-tx-queue 3"), UNREAD), odd=((MARKS, ""), (QUEUE_0, QUEUE_0 + BY_LATENCY))),
    Row("beside-a-stated-value", "eos", (("error MTU001", "mtu 1500"), ("warning MTU001", "mtu 1500"), ("info SRC001", "storm-control all level 3")), odd=(("   mtu 9214\n", "   mtu 1500\n   storm-control all level 3\n"),)),
    Row("may-drop-and-states-no-pause", "eos", (("error PFC003", "priority-flow-control on"), ("info SRC001", "ip verify unicast source reachable-via rx")), odd=(("   priority-flow-control priority 3 no-drop\n", "   ip verify unicast source reachable-via rx\n"),)),
    Row("word-within-a-word", "eos", (("info SRC001", "uc-txqueue 0"), ("info SRC001", "no priority"), ("info SRC001", "bandwidth percent 40")), odd=(("uc-tx-queue 0", "uc-txqueue 0"),), unknown="an unread line about classes"),
    Row("depths-of-a-level", "comware", (("info MAP005", "qos wred queue table ROCE"), ("info SRC001", "qos wred queue 3 drop-evel 0 low-limit 1000 high-limit 4000")), odd=(("qos wred apply ROCE", "qos wred queue 3 drop-evel 0 low-limit 1000 high-limit 4000\n qos wred queue 3 ecn"),), unknown="an unread line about ECN marking"),
    Row("deadlock", "comware", (("info SRC001", "priority-flow-control deadlock enale"),), odd=(("deadlock enable", "deadlock enale"),), unknown="an unread line about the watchdog"),
    Row("policy-of-a-queue", "vrp", (("info SRC001", "qos queue 3 wrd rdma-ecn"),), odd=(("queue 3 wred", "queue 3 wrd"),), unknown="an unread line about ECN marking"),
    Row("port-named-behind-the-word", "srlinux", (("info SRC001", "set / qos interfaces inteface ethernet-1/2 pfc pfc-enable true"),), odd=(("qos interfaces interface ethernet-1/2 pfc pfc-enable", "qos interfaces inteface ethernet-1/2 pfc pfc-enable"),), unknown="an unread line about PFC"),
    Row("profile-of-a-scheduler", "junos", (("info SRC001", "drop-proile-map loss-priority any protocol any drop-profile ROCE-ECN;"),), odd=(("drop-profile-map", "drop-proile-map"),), unknown="an unread line about ECN marking"),
    Row("code-point-of-output", "junos", (("info SRC001", "flow-control-queue 4;"),), odd=(("code-point 011 {", "code-oint 011 {"),), unknown="an unread line about the watchdog"),
    Row("of-the-policy", "nxos", (("info SRC001", "service-policy type qos input CLASSIFY now"),), odd=(("input CLASSIFY\n", "input CLASSIFY now\n"),), unknown="an unread line about classes"),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_what_the_line_could_state_is_unknown(row: Row) -> None:
    report = check(made(row))
    assert sorted(observed(report)) == sorted(row.found)
    assert report.verdict.answer is not Answer.READY
    assert any(row.unknown in unknown.missing for unknown in report.unknowns)


@pytest.mark.parametrize(
    ("old", "new"),
    [("watchdog mode on", "watchdog moe on"), ("service-policy output QUEUES", "service-policy outut QUEUES")],
)  # fmt: skip
def test_a_word_of_a_port_that_is_not_known_is_not_passed_over(old: str, new: str) -> None:
    files = build(["iosxr"] * 4)
    files = edit(files, switches(files)["leaf2"], (old, new), every=True)
    assert {line.text for d in load(files).devices for line in d.unread} == {
        new if "outut" in new else f"priority-flow-control {new}"
    }
    assert check(files).verdict.answer is Answer.NOT_PROVED


@pytest.mark.parametrize(
    ("nos", "line"),
    [("eos", "alias pfc show priority-flow-control\n"), ("nxos", "cli alias name pfc show interface priority-flow-control\n")],
)  # fmt: skip
def test_a_line_that_names_something_leaves_nothing_open(nos: str, line: str) -> None:
    files = build([nos] * 4)
    files = edit(files, switches(files)["leaf2"], ("hostname leaf2\n", f"{line}hostname leaf2\n"))
    assert check(files).verdict.answer is Answer.READY


def test_what_a_script_sets_of_devices_that_it_alone_knows_leaves_the_host_open() -> None:
    loop = "for f in /sys/class/infiniband/*/tc/1/traffic_class; do\n  echo 26 > $f\ndone\n"
    row = Row("host", "eos nxos", hosts={}, more=(("hosts/gpu-eos/set.sh", f"#!/bin/sh\n{loop}"),))
    assert check(made(row)).verdict.answer is Answer.READY  # an output shows it of every device
    report = check(made(replace(row, without=("hosts/gpu-eos/traffic_class-mlx5_0.txt",))))
    assert observed(report) == [("info SRC001", "echo 26 > $f")]
    assert report.verdict.answer is Answer.NOT_PROVED


def test_one_on_a_port_that_is_shut_leaves_the_verdict() -> None:
    files = build(["eos"] * 4)
    port = "interface Ethernet9/1\n   shutdown\n   queue-monitor by zz\n!\nend\n"
    files = edit(files, switches(files)["leaf2"], ("end\n", port))
    assert [d.hostname for d in load(files).devices if d.unread] == ["leaf2"]
    assert check(files).verdict.answer is Answer.READY
