"""Access lists of NVUE: rules that drop RoCE, in order, and the ports they are bound to."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import MatchKind
from tests.nos.cumulus.reading import DOCUMENT, commands, qos, read
from tests.nos.reader import line

UDP = "match ip protocol udp"
PORT = "match ip udp dest-port"


def listed(*rules: str, kind: str = "ipv4", way: str = "inbound") -> Device:
    """A device with a list of these rules, each of them `NUMBER WORDS`, bound to swp1."""
    lines = [f"nv set acl EDGE rule {rule}" for rule in rules]
    return commands(
        f"nv set acl EDGE type {kind}\n"
        + "\n".join(lines)
        + f"\nnv set interface swp1 acl EDGE {way}\nnv set qos roce mode lossless\n"
    )


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ((f"5 {UDP}", f"5 {PORT} 4791", "5 action deny"), 5),
        ((f"5 {UDP}", f"5 {PORT} 4000:5000", "5 action deny"), 5),
        (("5 match ip dest-port 4791", f"5 {UDP}", "5 action drop"), 5),
        (("5 match ip protocol tcp", "5 action permit", "100 action deny", f"100 {UDP}"), 5),
        ((f"100 {UDP}", "100 action deny", f"20 {PORT} 53", "20 action permit"), 4),  # by number
    ],
)
def test_a_list_that_drops_roce(rules: tuple[str, ...], place: int) -> None:
    device = listed(*rules)
    (key,) = device.qos.policing
    assert (qos(device).policing, qos(device).policing_out) == (key, None)
    last = device.qos.policing[key].matches[-1]
    assert (last.police_bps, line(last, "police_bps")) == (0, place)
    assert line(qos(device), "policing") == len(rules) + 3


def test_a_list_for_what_leaves() -> None:
    device = listed(f"5 {UDP}", "5 action deny", way="outbound")
    assert (qos(device).policing, bool(qos(device).policing_out)) == (None, True)


@pytest.mark.parametrize(
    "rules",
    [
        (f"5 {PORT} 53", f"5 {UDP}", "5 action deny"),  # what no rule takes passes
        ("5 match ip protocol tcp", "5 action deny"),
        (f"5 {UDP}", f"5 {PORT} 4791", "5 action permit", "9 action deny", f"9 {UDP}"),
        (f"5 {UDP}", "5 action set dscp 10"),
    ],
)
def test_a_list_that_lets_roce_pass(rules: tuple[str, ...]) -> None:
    assert listed(*rules).qos.policing == {}


@pytest.mark.parametrize(
    ("kind", "way", "some"),
    [
        ("ipv4", "inbound control-plane", False),
        ("ipv6", "inbound", False),
        ("mac", "inbound", True),
    ],
)
def test_a_list_that_roce_may_not_meet(kind: str, way: str, *, some: bool) -> None:
    device = listed(f"5 {UDP}", "5 action deny", kind=kind, way=way)
    matches = [m.kind for each in device.qos.policing.values() for m in each.matches]
    assert (bool(qos(device).policing), set(matches) == {MatchKind.ACL}) == (some, some)


def test_a_list_of_a_vlan_may_take_what_its_ports_carry() -> None:
    device = commands(
        f"nv set acl EDGE type ipv4\nnv set acl EDGE rule 5 {UDP}\nnv set acl EDGE rule 5 action deny\n"
        "nv set interface vlan10 type svi\nnv set interface vlan10 acl EDGE inbound\n"
        "nv set interface vlan10 vlan 10\n"
        "nv set interface swp1 bridge domain br_default access 10\nnv set qos roce mode lossless\n"
    )
    assert qos(device).policing == "some packets: access list EDGE"


def test_a_rule_by_addresses_may_take_roce() -> None:
    device = listed(f"5 {UDP}", "5 match ip source-ip 10.9.0.0/16", "5 action deny")
    (found,) = device.qos.policing.values()
    assert found.matches[0].kind.value == "acl"


def test_a_list_of_a_document() -> None:
    device = read(
        (
            DOCUMENT,
            """
            - header:
                nvue-api-version: nvue_v1
            - set:
                acl:
                  EDGE:
                    rule:
                      '5':
                        action:
                          deny: {}
                        match:
                          ip:
                            protocol: udp
                            udp:
                              dest-port:
                                '4791': {}
                    type: ipv4
                interface:
                  swp1:
                    acl:
                      EDGE:
                        inbound: {}
                    ip:
                      address:
                        10.0.0.0/31: {}
                    type: swp
                qos:
                  roce:
                    mode: lossless
            """,
        )
    )
    (found,) = device.qos.policing.values()
    assert (found.matches[0].police_bps, line(found.matches[0], "police_bps")) == (0, 9)
    assert line(qos(device), "policing") == 21
