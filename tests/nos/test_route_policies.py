"""Route policies in forms that no device prints: only odd parts are lost."""

from __future__ import annotations

import importlib

import pytest

from roce_lint.model.routing import MatchOn
from roce_lint.nos.base import Nos
from tests.nos.reader import read

LONG = "9" * 5000

EOS = f"""\
hostname leaf1
ip prefix-list A seq {LONG} permit 10.0.0.0/{LONG}
ip prefix-list B
   seq 10 permit 10.0.0.0/8 ge
   seq 20 permit
ip prefix-list C permit 10.0.0.0/8 le 24
ip as-path access-list D permit
ip as-path access-list E permit ^$ egp
ip community-list F permit GSHUT
ip community-list regexp
route-map OUT permit {LONG}
   match as-path E
route-map OUT permit 10
   match
   match as-path NONE
   match community F exact-match
   set community community-list X delete
   set as-path prepend 65001
   continue
router bgp 65001
   neighbor 10.0.0.1 remote-as 65002
   neighbor 10.0.0.1 allowas-in {LONG}
   neighbor 10.0.0.1 route-map OUT out
   neighbor 10.0.0.1 prefix-list C in
"""

NVUE = f"""\
nv set system hostname leaf1
nv set router policy prefix-list A rule 10 match 10.0.0.0/{LONG}
nv set router policy prefix-list A rule {LONG} action permit
nv set router policy as-path-list B rule 10 aspath-exp
nv set router policy route-map OUT rule 10 match
nv set router policy route-map OUT rule 10 match ip-prefix-list A
nv set router policy route-map OUT rule 10 exit-policy exit-next
nv set vrf default router bgp neighbor 10.0.0.1 remote-as 65002
nv set vrf default router bgp neighbor 10.0.0.1 address-family ipv4-unicast policy outbound route-map OUT
"""

JUNOS = f"""\
set system host-name leaf1
set policy-options policy-statement OUT term a from route-filter 10.0.0.0/{LONG} orlonger
set policy-options policy-statement OUT term a from route-filter 10.0.0.0/8 upto /{LONG}
set policy-options policy-statement OUT term b from as-path E
set policy-options policy-statement OUT term b then
set policy-options as-path E "( 1 | {LONG} )"
set policy-options community F members {LONG}:1
set protocols bgp group g neighbor 10.0.0.1 peer-as 65002
set protocols bgp group g export ( OUT || ! OUT )
"""


@pytest.mark.parametrize(
    ("nos", "source", "text"),
    [
        ("eos", "running-config", EOS),
        ("nxos", "running-config", EOS),
        ("cumulus", "nvue-commands", NVUE),
        ("junos", "configuration", JUNOS),
    ],
)
def test_odd_forms_are_not_followed(nos: str, source: str, text: str) -> None:
    found: Nos = importlib.import_module(f"roce_lint.nos.{nos}").NOS
    device = read(found, text, source)
    assert device.hostname == "leaf1"
    for policy in device.routing.policies.values() if device.routing else ():
        kinds = {match.on for term in policy.terms for match in term.matches}
        assert kinds <= {MatchOn.OTHER, MatchOn.PREFIX}


def test_what_is_odd_makes_its_term_unclear() -> None:
    device = read(importlib.import_module("roce_lint.nos.eos").NOS, EOS)
    assert device.routing is not None
    policies = device.routing.policies
    (term,) = policies["route-map OUT"].terms
    assert {match.on for match in term.matches} == {MatchOn.OTHER}
    assert (term.adds, term.removes, term.changes_path) == ((), True, True)
    (only,) = policies["prefix-list C"].terms
    assert [entry.what for entry in only.matches[0].entries] == ["10.0.0.0/8 8 24"]
