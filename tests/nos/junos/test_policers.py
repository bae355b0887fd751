"""Policers on arriving packets of a port, in the model and in CLS008."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.qos import Match, MatchKind
from roce_lint.text.source import LineState
from tests.nos.junos.fabric import Edit, add, drop, judged, sub, summaries
from tests.nos.junos.reading import qos, read, whole
from tests.nos.reader import line, notes, states

F = "firewall family inet filter F term"
REST = f"{F} Z then accept"
BOUND = "interfaces et-0/0/1 unit 0 family inet filter input F"
DROPS = (
    "firewall policer P if-exceeding bandwidth-limit 10g",
    "firewall policer P if-exceeding burst-size-limit 1m",
    "firewall policer P then discard",
)
POLICED = f"error CLS008: {F} A then policer P"


def policing(*statements: str) -> list[Match]:
    """The entries that police the port; the statements begin in line 3."""
    found = whole("".join(f"set {each}\n" for each in statements))
    assert notes(found) == []
    key = qos(found).policing
    return found.qos.policing[key].matches if key else []


def test_a_filter_is_read_with_its_lines() -> None:
    statements = (
        f"{F} A from dscp [ 26 af31 cs3 011011 ]",
        f"{F} A then policer P",
        f"{F} B from protocol icmp",
        f"{F} B then policer P",
        f"{F} C then accept",
        BOUND.replace("0/1", "0/0"),
        *DROPS,
    )
    device = whole("".join(f"set {each}\n" for each in statements))
    port = qos(device)
    assert line(port, "policing") == 8
    a, c = device.qos.policing[port.policing or ""].matches
    assert (a.kind, a.values, a.text) == (
        MatchKind.DSCP,
        frozenset({24, 26, 27}),
        "term A of filter F",
    )
    assert (a.police_bps, a.police_drops, line(a, "police_bps")) == (10**10, True, 4)
    assert (c.kind, c.stated("police_bps"), line(c)) == (MatchKind.ANY, False, 7)


def test_a_filter_without_policer_does_not_police() -> None:
    assert policing(f"{F} A then accept", BOUND.replace("0/1", "0/0"), *DROPS) == []


def test_a_policer_of_three_colours() -> None:
    bound = BOUND.replace("0/1", "0/0")
    colours = f"{F} A then three-color-policer two-rate T"
    rates = "firewall three-color-policer T two-rate committed-information-rate 1g"
    drops = "firewall three-color-policer T action loss-priority high then discard"
    (found,) = policing(colours, bound, rates, drops)
    assert (found.kind, found.police_drops, found.police_bps) == (MatchKind.ANY, True, None)
    assert policing(colours, bound, rates) == []


FOUND: dict[str, tuple[list[Edit], list[str]]] = {
    "everything": ([add(f"{F} A then policer P", BOUND, *DROPS)], [POLICED]),
    "its code point": (
        [add(f"{F} A from dscp 26", f"{F} A then policer P", BOUND, *DROPS)],
        [POLICED],
    ),
    "its port": (
        [
            add(
                f"{F} A from protocol udp",
                f"{F} A from destination-port 4791",
                f"{F} A then policer P",
                BOUND,
                *DROPS,
            )
        ],
        [POLICED],
    ),
    "a filter of no family": (
        [add("firewall filter F term A then policer P", BOUND, *DROPS)],
        ["error CLS008: firewall filter F term A then policer P"],
    ),
    "a policer of the family": (
        [add("interfaces et-0/0/1 unit 0 family inet policer input P", *DROPS)],
        ["error CLS008: interfaces et-0/0/1 unit 0 family inet policer input P"],
    ),
    "behind a term that goes on": (
        [
            add(
                f"{F} Z from source-address 10.0.0.0/8",
                f"{F} Z then count Z",
                f"{F} Z then next term",
                f"{F} A then policer P",
                BOUND,
                *DROPS,
            )
        ],
        [POLICED],
    ),
    "on a channel": (
        [
            add(f"{F} A then policer P", BOUND.replace("et-0/0/1", "ae1"), *DROPS),
            sub("et-0/0/30 unit 0", "ae1 unit 0"),
            sub("et-0/0/30 mtu", "ae1 mtu"),
            add(
                "interfaces et-0/0/30 ether-options 802.3ad ae1",
                "class-of-service interfaces ae1 unit 0 classifiers dscp ROCE",
            ),
        ],
        [POLICED],
    ),
    "another code point": (
        [add(f"{F} A from dscp 46", f"{F} A then policer P", REST, BOUND, *DROPS)],
        [],
    ),
    "another protocol": (
        [add(f"{F} A from protocol icmp", f"{F} A then policer P", REST, BOUND, *DROPS)],
        [],
    ),
    "behind the acceptance of RoCE": (
        [
            add(
                f"{F} Z from dscp af31",
                f"{F} Z then accept",
                f"{F} A then policer P",
                BOUND,
                *DROPS,
            )
        ],
        [],
    ),
    "a policer that marks": (
        [
            add(
                f"{F} A then policer P",
                BOUND,
                "firewall policer P if-exceeding bandwidth-limit 10g",
                "firewall policer P then loss-priority high",
            )
        ],
        [],
    ),
    "a filter on output": (
        [add(f"{F} A then policer P", BOUND.replace("input", "output"), *DROPS)],
        [POLICED],
    ),
    "a policer of the family on output": (
        [add("interfaces et-0/0/1 unit 0 family inet policer output P", *DROPS)],
        ["error CLS008: interfaces et-0/0/1 unit 0 family inet policer output P"],
    ),
    "a policer of layer 2": (
        [add("interfaces et-0/0/1 unit 0 layer2-policer input-policer P", *DROPS)],
        ["error CLS008: interfaces et-0/0/1 unit 0 layer2-policer input-policer P"],
    ),
    "its code point is discarded": (
        [add(f"{F} A from dscp 26", f"{F} A then discard", REST, BOUND)],
        [f"error CLS008: {F} A then discard"],
    ),
    "its code point is rejected as it leaves": (
        [
            add(
                f"{F} A from dscp 26",
                f"{F} A then reject",
                REST,
                BOUND.replace("input", "output"),
            )
        ],
        [f"error CLS008: {F} A then reject"],
    ),
    "another code point is discarded": (
        [add(f"{F} A from dscp 46", f"{F} A then discard", REST, BOUND)],
        [],
    ),
    "what no term takes": (
        [add(f"{F} A from dscp 46", f"{F} A then accept", BOUND)],
        [f"error CLS008: {F} A from dscp 46"],
    ),
    "what no term takes, behind one that may discard": (
        [add(f"{F} A from source-address 10.0.0.0/8", f"{F} A then discard", BOUND)],
        [f"error CLS008: {F} A from source-address 10.0.0.0/8"],
    ),
    "what no term of two filters takes": (
        [
            add(
                f"{F} A from dscp 46",
                f"{F} A then accept",
                f"{REST.replace('filter F', 'filter G')}",
                BOUND.replace("input F", "input-list F"),
                BOUND.replace("input F", "input-list G"),
            )
        ],
        [],
    ),
    "a filter that is bound nowhere": ([add(f"{F} A then policer P", *DROPS)], []),
}

BRIDGED = "ethernet-switching"
SWITCHED = (
    "interfaces et-0/0/1 unit 0 family ethernet-switching vlan members V",
    "interfaces irb unit 7 family inet address 10.7.0.1/24",
    "vlans V vlan-id 7",
    "vlans V l3-interface irb.7",
)
"""The second host port in a VLAN that is routed."""

IRB = "interfaces irb unit 7 family inet filter input F"

OPEN: dict[str, list[Edit]] = {
    "a filter of the IRB": [
        drop("et-0/0/1 unit 0 family inet"),
        add(*SWITCHED, f"{F} A then policer P", IRB, *DROPS),
    ],
    "a filter of the IRB on output": [
        drop("et-0/0/1 unit 0 family inet"),
        add(*SWITCHED, f"{F} A then policer P", IRB.replace("input", "output"), *DROPS),
    ],
    "a filter of the VLAN": [
        drop("et-0/0/1 unit 0 family inet"),
        add(
            *SWITCHED,
            f"{F} A then policer P".replace("inet", "ethernet-switching"),
            "vlans V forwarding-options filter input F",
            *DROPS,
        ),
    ],
    "some addresses": [
        add(f"{F} A from source-address 10.0.0.0/8", f"{F} A then policer P", BOUND, *DROPS)
    ],
    "behind a term that may accept": [
        add(
            f"{F} Z from source-address 10.0.0.0/8",
            f"{F} Z then accept",
            f"{F} A then policer P",
            BOUND,
            *DROPS,
        )
    ],
    "one family of two": [
        add(
            f"{F} A then policer P",
            BOUND,
            "interfaces et-0/0/1 unit 0 family inet6 address 2001:db8::1/64",
            *DROPS,
        )
    ],
    "a policer that is not here": [add(f"{F} A then policer P", BOUND)],
    "a code point that is none": [
        add(f"{F} A from dscp 99", f"{F} A then policer P", BOUND, *DROPS)
    ],
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(tmp_path: Path, name: str) -> None:
    edits, expected = FOUND[name]
    report, lines = judged(tmp_path, *edits)
    assert [each for each in summaries(report, lines) if "CLS008" in each] == expected
    assert [each for each in report.unknowns if each.rule == "CLS008"] == []


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_known(tmp_path: Path, name: str) -> None:
    report, lines = judged(tmp_path, *OPEN[name])
    assert [each for each in summaries(report, lines) if "CLS008" in each] == []
    (found,) = [each for each in report.unknowns if each.rule == "CLS008"]
    assert (found.device, found.subjects) == ("leaf1", ("et-0/0/1",))
    said_at = [lines[place.line - 1] for place in found.locations]
    assert said_at in (
        [f"set {F} A then policer P"],
        [f"set {F.replace('inet', BRIDGED)} A then policer P"],
    )


def test_dedicated_buffers_are_known_and_passed_over() -> None:
    found = whole("""
        set class-of-service dedicated-buffer ingress percent 15
        set class-of-service dedicated-buffer egress percent 30
        set class-of-service dedicated-buffer-profile D ingress percent 20
        set class-of-service dedicated-buffer-profile D egress
        set class-of-service interfaces et-0/0/0 dedicated-buffer-profile D
        set class-of-service schedulers S buffer-size percent 20
        set class-of-service schedulers S buffer-dynamic-threshold 7
    """)
    assert states(found, LineState.IGNORED)[:6] == [3, 4, 5, 6, 8, 9]
    assert states(found, LineState.UNRECOGNISED) == []
    assert [(s.name, s.defined) for s in found.structures if s.kind == "buffer profile"] == [
        ("D", True)
    ]


def test_the_form_in_braces() -> None:
    device = read("""
        system { host-name leaf1; }
        interfaces {
            et-0/0/0 {
                unit 0 {
                    family ethernet-switching {
                        filter {
                            input F;
                        }
                    }
                }
            }
        }
        firewall {
            family ethernet-switching {
                filter F {
                    term A {
                        from { dscp [ 26 48 ]; }
                        then {
                            policer P;
                            accept;
                        }
                    }
                }
            }
            policer P {
                if-exceeding { bandwidth-limit 5m; burst-size-limit 5m; }
                then discard;
            }
        }
    """)
    (made,) = device.qos.policing.values()
    found, rest = made.matches
    assert (rest.kind, rest.police_bps, line(rest)) == (MatchKind.ANY, 0, 16)
    assert (found.kind, found.values) == (MatchKind.DSCP, frozenset({26, 48}))
    assert (found.police_bps, found.police_drops) == (5_000_000, True)
    assert (line(qos(device), "policing"), line(found, "police_bps")) == (7, 19)
