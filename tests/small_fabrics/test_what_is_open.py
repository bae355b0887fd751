"""Faults and gaps that a verdict has to respect: each beside the same fabric without it, which is
silent and READY.

The fabrics are three leaves under a spine, all of one system, six pairs of host ports; links are
known by a plan, by addresses (`bare`), or by descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from roce_lint.engine.finding import Answer, Severity
from roce_lint.pipeline import Report
from tests.bench import check
from tests.small_fabrics.made import EVERY, LEAVES, Made, made

Change = Callable[[Made], object]


def as_it_is(_: Made) -> None:
    """The fabric is sound without a change."""


@dataclass(frozen=True)
class Case:
    """A sound fabric, its fault or gap, and the result.

    `found` are all findings of the fault: severity and rule; `bare`: links by addresses only.
    """

    name: str
    system: str
    fault: Change
    answer: Answer
    pairs: tuple[int, int, int]  # expected, judged, broken
    found: tuple[str, ...] = ()
    sound: Change = field(default=as_it_is, kw_only=True)
    bare: bool = field(default=False, kw_only=True)
    incomplete: tuple[str, ...] = field(default=(), kw_only=True)  # kinds of diagnostics
    ports_left_out: int = field(default=0, kw_only=True)  # host ports without QoS

    def __str__(self) -> str:
        return self.name

    def write(self) -> Made:
        """The sound fabric."""
        own = made(self.system)
        self.sound(own)
        return own.remove("links.yaml") if self.bare else own


def found(report: Report) -> tuple[str, ...]:
    """Severity and rule of each finding."""
    return tuple(sorted(f"{f.severity.label} {f.rule}" for f in report.findings))


def on(*devices: str, pairs: tuple[tuple[str, str], ...], every: bool = False) -> Change:
    """Replace texts on some switches."""

    def change(own: Made) -> None:
        for device in devices:
            own.change(device, *pairs, every=every)

    return change


def remade(device: str, pattern: str, text: str) -> Change:
    """Replace the first match of a pattern on a switch."""

    def change(own: Made) -> None:
        old = own.texts[own.files[device]]
        own.texts[own.files[device]] = re.sub(pattern, text, old, count=1)
        assert own.texts[own.files[device]] != old

    return change


def both(*changes: Change) -> Change:
    """Apply changes in turn."""
    return lambda own: [change(own) for change in changes]


def described(own: Made) -> None:
    """Ports of NX-OS without addresses; descriptions name the ends of links."""
    ends = {"spine1": [f"{leaf} Ethernet1/2" for leaf in LEAVES]}
    ends |= {leaf: ["a host", f"spine1 Ethernet1/{n}"] for n, leaf in enumerate(LEAVES, 1)}
    for device, name in own.files.items():
        for far in ends[device]:
            line = f"  description {far}\n"
            own.texts[name] = re.sub(r"  ip address .*\n", line, own.texts[name], count=1)


def channels(own: Made) -> None:
    """Links of NX-OS as channels of one member, with the address and policy on the channel."""

    def split(found: re.Match[str]) -> str:
        number, body = found[1], found[2]
        member = re.sub(r"  (?:no switchport|ip address|service-policy|mtu).*\n", "", body)
        channel = re.sub(r"  priority-flow-control.*\n", "", body)
        return (
            f"interface port-channel{number}\n{channel}\n"
            f"interface Ethernet1/{number}\n{member}  channel-group {number} mode active\n"
        )

    for name in own.files.values():
        port = r"interface Ethernet1/(\d+)\n((?:  .*\n)*?  ip address 10\.1\..*\n(?:  .*\n)*)"
        own.texts[name] = re.sub(port, split, own.texts[name])


def no_spine(own: Made) -> None:
    """Leaves of SONiC whose neighbour tables name a spine without a configuration."""
    for leaf in LEAVES:
        own.change(leaf, ('"INTERFACE": {', NEIGHBOR))
    own.remove(own.files["spine1"])


NEIGHBOR = """"DEVICE_NEIGHBOR": {
  "Ethernet8": {
   "name": "spine1",
   "port": "Ethernet0"
  }
 },
 "INTERFACE": {"""
NARROW = ("mtu 9216\n  ip address 10.1", "mtu 1500\n  ip address 10.1")
ONE_NARROW = remade("leaf3", r'("lanes": "9,10(?:.*\n)*?.*"mtu": )"9100"', r'\1"1500"')
PORT2 = r"(interface Ethernet2/1\n)"
FEC = "   mtu 9214\n   error-correction encoding reed-solomon\n"
TO_PRIORITY_4 = (("pfc-priority 3", "pfc-priority 4"), ("code-point 011 {", "code-point 100 {"))
BY_TAG = (
    (
        "dscp {\n                    code-point 011010",
        "ieee-802.1 {\n                    code-point 011",
    ),
)
TO_2 = (("dscp 26 to traffic-class 3", "dscp 12 to traffic-class 2"), ("uc-tx-queue 3", "uc-tx-queue 2"),
        ("priority 3 no-drop", "priority 2 no-drop"))  # fmt: skip
DENY = """nv set acl EDGE type ipv4
nv set acl EDGE rule 5 match ip protocol udp
nv set acl EDGE rule 5 match ip udp dest-port 4791
nv set acl EDGE rule 5 action {}
nv set interface swp2 acl EDGE inbound
nv set system hostname"""
LANES = "".join(
    f"interface Ethernet1/{n}\n   speed 100g-1\n   mtu 9214\n   no switchport\n   service-profile ROCE\n!\n"
    for n in (1, 2, 3, 4)
)
BROKEN_OUT = remade("leaf1", r"interface Ethernet1/1\n(?:   .*\n)*!\n", LANES)

CASES = [
    Case("MTU of all uplinks", "nxos", on(*EVERY, pairs=(NARROW,), every=True),
         Answer.NOT_READY, (6, 6, 6), ("error MTU001",), bare=True),
    Case("MTU of one uplink", "sonic", ONE_NARROW, Answer.NOT_READY, (6, 6, 4),
         ("error MTU001",), bare=True),
    Case("MTU of one uplink, links by descriptions", "nxos",
         remade("leaf3", r"mtu 9216(\n  description spine1)", r"mtu 1500\1"),
         Answer.NOT_PROVED, (6, 2, 0), ("warning MTU001",), sound=described, bare=True),
    Case("PFC priority of one leaf", "junos", on("leaf2", pairs=TO_PRIORITY_4),
         Answer.NOT_READY, (6, 6, 4), ("error PFC002",), bare=True),
    Case("FEC of one end", "eos", remade("leaf2", PORT2 + r"((?:   .*\n)*?.*encoding) reed-solomon", r"\1\2 fire-code"),
         Answer.NOT_READY, (6, 6, 4), ("error LNK002",), bare=True,
         sound=on(*EVERY, pairs=(("   mtu 9214\n", FEC),), every=True)),
    Case("a code point that is named, marked and not paused", "eos",
         on(*EVERY, pairs=(("priority 2 no-drop", "priority 4 no-drop"),)),
         Answer.NOT_PROVED, (6, 6, 0), ("warning ECN001",), sound=on(*EVERY, pairs=TO_2)),
    Case("as many with one code point as with another", "eos",
         both(on("leaf2", "leaf3", pairs=(("dscp 26 to", "dscp 21 to"),)), on("leaf1", "spine1", pairs=(("dscp 26 to", "dscp 20 to"),))),
         Answer.NOT_PROVED, (6, 6, 0), ("warning CLS020",)),
    Case("an uplink in another VRF", "eos",
         both(remade("leaf2", PORT2, r"\1   vrf STORAGE\n"), remade("leaf2", "qos profile", "vrf instance STORAGE\n!\nqos profile")),
         Answer.NOT_PROVED, (6, 2, 0), bare=True),
    Case("a host port without QoS", "nxos",
         remade("leaf3", r"(interface Ethernet1/1\n  no switchport\n)(?:  priority-flow.*\n)+((?:  .*\n)*?)  service-policy.*\n", r"\1\2"),
         Answer.READY, (2, 2, 0), ("info CLS031",), ports_left_out=1),
    Case("a lane without QoS", "eos", remade("leaf1", r"(Ethernet1/4\n(?:   .*\n)*?)   service-profile.*\n", r"\1"),
         Answer.READY, (20, 20, 0), ("info CLS031",), sound=BROKEN_OUT, ports_left_out=1),
    Case("a narrow channel", "nxos", remade("leaf3", r"(port-channel2\n(?:  .*\n)*?  mtu) 9216", r"\1 1500"),
         Answer.NOT_READY, (6, 6, 4), ("error MTU001",), sound=channels, bare=True),
    Case("a list that drops RoCE", "cumulus", remade("leaf2", DENY.format("permit"), DENY.format("deny")),
         Answer.NOT_READY, (6, 6, 2), ("error CLS008",),
         sound=on("leaf2", pairs=(("nv set system hostname", DENY.format("permit")),))),
    Case("storm control on a host port", "eos", remade("leaf2", r"(interface Ethernet1/1\n)", r"\1   storm-control all level 3\n"),
         Answer.NOT_PROVED, (6, 2, 0), ("info SRC001",)),
    Case("a line about marking that is not read", "eos",
         remade("leaf2", r"( +random-detect ecn min.*\n)", r"\1      random-detect ecn latency 3 milliseconds\n"),
         Answer.NOT_PROVED, (6, 2, 0), ("info SRC001",)),
    Case("pause by the tag of untagged packets", "junos", on(*EVERY, pairs=BY_TAG),
         Answer.NOT_READY, (6, 6, 6), ("error PFC003",)),
    Case("an action that the device lacks", "eos", on("leaf2", pairs=(("watchdog port action drop", "watchdog port action no-drop"),)),
         Answer.NOT_READY, (6, 6, 0), ("error SRC007",)),
    Case("a headroom pool smaller than one group", "sonic", remade("leaf2", r'("xoff": )"(?:\d{7,})"', r'\1"150000"'),
         Answer.READY, (6, 6, 0), ("warning BUF010",)),
    Case("an uplink in no network instance", "srlinux", remade("leaf2", r"set / network-instance default interface ethernet-1/2.0\n", ""),
         Answer.NOT_PROVED, (6, 2, 0)),
    Case("an uplink in another network instance", "srlinux",
         remade("leaf2", r"network-instance default interface ethernet-1/2.0", "network-instance STORAGE interface ethernet-1/2.0"),
         Answer.NOT_PROVED, (6, 2, 0)),
    Case("a drop profile of another loss priority", "junos", on("leaf2", pairs=(("loss-priority any protocol", "loss-priority high protocol"),)),
         Answer.NOT_READY, (6, 6, 4), ("error ECN001",)),
    Case("a profile on the member of a channel", "eos",
         remade("leaf2", r"interface Ethernet2/1\n((?:   .*\n)*?)   service-profile ROCE\n",
                r"interface Port-Channel7\n\1!\ninterface Ethernet2/1\n   channel-group 7 mode active\n   service-profile ROCE\n"),
         Answer.NOT_READY, (6, 6, 4), ("error PFC001",)),
    Case("a class of another queue mode", "nxos", on("leaf2", pairs=(("c-out-8q-q3", "c-out-q3"),)),
         Answer.NOT_PROVED, (6, 2, 0), ("warning SRC002",)),
    Case("an address on a switched port", "eos", remade("leaf2", r"(interface Ethernet2/1\n   mtu 9214\n)   no switchport\n", r"\1"),
         Answer.READY, (6, 6, 0), ("warning LNK013",)),
    Case("marking by delay", "eos", remade("leaf2", r"random-detect ecn min.*", "random-detect ecn delay threshold 3 milliseconds"),
         Answer.READY, (6, 6, 0)),
    Case("headroom for peers that are faster than any", "sonic", on("leaf2", pairs=(('"xoff": "300990"', '"xoff": "36000"'),)),
         Answer.READY, (6, 6, 0), ("warning BUF012",)),
    Case("a single switch", "nxos", lambda own: own.remove(*(own.files[each] for each in EVERY[1:])),
         Answer.NOT_PROVED, (2, 2, 0), bare=True),
    Case("a spine that neighbour tables name", "sonic", no_spine, Answer.NOT_PROVED, (6, 0, 0), bare=True),
    Case("a text without its end", "eos", remade("spine1", r"qos map(?:.*\n)*", ""),
         Answer.NOT_PROVED, (6, 0, 0), incomplete=("cut-off",), bare=True),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fault(case: Case) -> None:
    own = case.write()
    case.fault(own)
    report = check(own.texts)
    verdict = report.verdict
    assert (verdict.answer, verdict.pairs, verdict.judged, verdict.broken) == (
        case.answer,
        *case.pairs,
    )
    assert found(report) == case.found
    assert verdict.bare == case.ports_left_out
    assert tuple(entry.kind for entry in report.diagnostics if entry.incomplete) == case.incomplete
    if case.answer is Answer.NOT_PROVED:
        assert verdict.missing


SOUND = {(case.system, case.bare, case.sound): case for case in CASES}


@pytest.mark.parametrize("case", SOUND.values(), ids=str)
def test_the_same_fabric_without_it(case: Case) -> None:
    report = check(case.write().texts)
    assert [f for f in report.findings if f.severity > Severity.INFO] == []
    assert [entry for entry in report.diagnostics if entry.incomplete] == []
    assert report.verdict.answer is Answer.READY
    assert report.verdict.pairs == report.verdict.judged > 0
    assert len(report.fabric.links if report.fabric is not None else ()) == 3
