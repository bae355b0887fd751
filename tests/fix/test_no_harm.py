"""No offered fix unbinds, deletes, hides or invents anything.

Tested on the bad examples of all rule pages and on made fabrics with one fault each: first the
fixes that `fix` offers, then those it accepts when its candidates are the deletion of every
statement, and every statement overwritten by others that begin with the same word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.fix import offers
from roce_lint.fix.files import Files
from roce_lint.fix.peers import Deviation
from tests.bench import write_files
from tests.fix.harm import harms, line_of, overwritten, proof_of
from tests.rules.examples import Example, examples
from tests.sampling import sampled
from tests.small_fabrics.made import EVERY, made

OVERWRITTEN = 4
"""Other statements tried in the place of one."""


def harms_of_offers(answer: offers.Answer) -> dict[str, set[str]]:
    """Damage of each offered fix alone, by its change; harmless ones are left out."""
    states = {str(offer.way): (answer.at([offer]), offer.cases) for offer in answer.offers}
    found = {way: harms(answer.before, after, of) for way, (after, of) in states.items()}
    return {way: harm for way, harm in found.items() if harm}


BAD = examples("bad")


@pytest.mark.parametrize(
    "example", sampled(BAD, 9, lambda example: (example.rule[:3], len(example.files) > 1)), ids=str
)
def test_what_is_offered_for_an_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    proof = proof_of(tmp_path)
    assert harms_of_offers(offers.search(proof, proof.as_it_is())) == {}


HARMFUL = {
    "NIC018-bad-mtu": "a policy for adapters without its resource names no host: no pair sees it"
}
"""Examples of which a deleted statement passes the proof, with the reason."""


class Candidates:
    """Replaces the comparison with peers: offers changes of every statement."""

    def __init__(self, _analysis: Analysis, files: Files):
        self._files = files

    def deviations(self, device: str) -> list[Deviation]:
        """Each statement deleted, or overwritten."""
        return list(self._all(device))

    def _all(self, device: str) -> Iterator[Deviation]:
        for file in self._files.of(device):
            for one in file.statements:
                count = one.last - one.line + 1
                yield overwritten(file, one.line, count)
                comma = "," if file.is_json and file.ends_in_comma(one.last) else ""
                others = (
                    each.text
                    for each in file.statements
                    if count == 1 and each.last == each.line and each.text != one.text
                    if each.text.split()[0] == one.text.split()[0]
                )
                for text, _ in zip(dict.fromkeys(others), range(OVERWRITTEN), strict=False):
                    yield overwritten(file, one.line, 1, one.indent + text + comma)


@pytest.fixture
def no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable values of checks: only the candidates of a test are tried."""
    monkeypatch.setattr(offers, "restatements", lambda *_: [])


@pytest.mark.usefixtures("no_values")
@pytest.mark.parametrize("example", sampled(BAD, 25, lambda example: example.rule[:3]), ids=str)
def test_what_is_accepted_for_an_example(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "Peers", Candidates)
    example.write(tmp_path)
    proof = proof_of(tmp_path)
    found = harms_of_offers(offers.search(proof, proof.as_it_is()))
    # A number of another meaning is not offered since none is looked for; here it is a candidate.
    harmful = {way: harm for way, harm in found.items() if harm - {"value"}}
    assert bool(harmful) is (str(example) in HARMFUL), harmful


@dataclass(frozen=True)
class Wrong:
    """A fabric with a fault, and a change of one line that silences the check and fixes nothing.

    The fault is `fault` on leaf1, `others` on the rest, or `everywhere`; the change is made on
    leaf1, or there; `harm` is what it does; `offered` are the lines that may be offered instead.
    """

    name: str
    system: str
    rule: str
    line: str
    instead: str
    harm: str
    fault: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    everywhere: tuple[tuple[str, str], ...] = ()
    offered: tuple[str, ...] = ()
    is_planned: bool = True  # whether the links are in a plan

    def __str__(self) -> str:
        return self.name

    def write(self, folder: Path) -> Path:
        """The fabric as files."""
        own = made(self.system)
        own.everywhere(*self.everywhere)
        for device in EVERY:
            own.change(device, *(self.fault if device == "leaf1" else self.others))
        if not self.is_planned:
            own.remove("links.yaml")
        return write_files(own.texts, folder)

    def changes(self, files: Files) -> dict[str, Deviation]:
        """The change on each device with the fault."""
        lines = [self.instead] if self.instead else []
        found = {}
        for device in EVERY if self.everywhere else EVERY[:1]:
            file, line = line_of(files, device, self.line)
            found[device] = overwritten(file, line, 1, *lines)
        return found


SUBNET = ("10.1.0.0/31", "10.7.0.0/31")
LOOPBACK = ("hostname leaf1\n!\n",
            "hostname leaf1\n!\ninterface Loopback0\n   ip address 10.255.0.1/32\n!\n")  # fmt: skip
FILTER = (
    ("qos map dscp 26", "ip access-list HOSTS\n   10 deny udp any any eq 4791\n   20 permit ip any any\n!\nqos map dscp 26"),
    ("   service-profile ROCE\n", "   service-profile ROCE\n   ip access-group HOSTS in\n"),
)  # fmt: skip
SLOW = ("interface Ethernet2/1\n",
        "interface Ethernet2/1\n   description spine1 Ethernet1/1\n   speed 200g-4\n")  # fmt: skip
FAST = ("interface Ethernet1/1\n", "interface Ethernet1/1\n   speed 400g-8\n")
NAME, MAP30 = (
    "nv set system hostname",
    "nv set qos mapping default-global dscp 30 switch-priority 4",
)
POOL = "nv set qos traffic-pool {} memory-percent {}\n"
POOLS = (NAME, POOL.format("default-lossy", 40) + POOL.format("roce-lossless", 90) + NAME)
MARKS = "      random-detect ecn minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 20 weight 0"  # fmt: skip
CROSSED = MARKS.replace("2000", "20000")
DSCP27 = ("match dscp 26", "match dscp 27")

WRONG = (
    Wrong("address of the own loopback", "eos", "LNK009", "   ip address 10.7.0.0/31",
          "   ip address 10.255.0.1/32", "identity", (SUBNET, LOOPBACK)),
    Wrong("address of the peer", "eos", "LNK009", "   ip address 10.7.0.0/31",
          "   ip address 10.1.0.1/31", "identity", (SUBNET,)),
    Wrong("a filter unbound", "eos", "CLS008", "   ip access-group HOSTS in", "", "binding",
          FILTER),
    Wrong("a filter overwritten", "eos", "CLS008", "   ip access-group HOSTS in",
          "   ip address 10.255.0.1/32", "binding", (*FILTER, LOOPBACK)),
    Wrong("a link unknown", "eos", "LNK002", "   description spine1 Ethernet1/1", "", "links",
          (SUBNET, SLOW), others=(FAST,), is_planned=False),
    Wrong("marking deleted by doubling", "eos", "ECN003", CROSSED, "      bandwidth percent 60",
          "statement", ((MARKS, CROSSED),), offered=(MARKS,)),
    Wrong("a port shut", "nxos", "MTU001", "  no shutdown", "  shutdown", "identity",
          (("mtu 9216\n  ip address 10.0.0.0", "mtu 1500\n  ip address 10.0.0.0"),),
          offered=("  mtu 9214",)),
    Wrong("a policy unbound", "nxos", "ECN002", "  service-policy type queuing output QUEUES", "",
          "statement", everywhere=((" weight 0 ecn", " weight 0"),)),
    Wrong("a pool deleted by doubling", "cumulus", "SRC007",
          "nv set qos traffic-pool roce-lossless memory-percent 90",
          "nv set interface swp1 type swp", "pool", everywhere=(POOLS,)),
    Wrong("the host name overwritten", "cumulus", "CLS025", f"{NAME} leaf1", MAP30, "identity",
          others=((NAME, f"{MAP30}\n{NAME}"),), offered=(MAP30,)),
    Wrong("the queue of the class deleted", "os10", "ECN002", " queue 3 qos-group 3",
          " queue 0 qos-group 0-2", "queue", ((" random-detect ecn\n", ""),)),
    Wrong("a partition deleted by doubling", "junos", "BUF020", "                percent 0;",
          "                dynamic-threshold 10;", "statement",
          everywhere=(("                percent 66;\n                dynamic", "                percent 0;\n                dynamic"),)),
    Wrong("a priority as a share", "nxos", "CLS006", "    bandwidth remaining percent 0",
          "    bandwidth remaining percent 3", "value", everywhere=(("percent 60", "percent 0"),)),
    Wrong("a priority as the class of all the rest", "nxos", "MAP001", "    set qos-group 0",
          "    set qos-group 3", "value", (DSCP27,), offered=("  match dscp 26",)),
)  # fmt: skip


@pytest.mark.usefixtures("no_values")
@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_change_that_silences_a_check(
    wrong: Wrong, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = proof_of(wrong.write(tmp_path))
    before = proof.as_it_is()
    assert wrong.rule in {finding.rule for finding in before.report.findings}
    files = Files(before.devices.values())
    changes = wrong.changes(files)
    after = proof.with_changes(changes.values(), dict(files.by_name()))
    assert wrong.rule not in {finding.rule for finding in after.report.findings}
    assert wrong.harm in harms(before, after)
    if wrong.harm != "value":  # such a candidate is never looked for
        monkeypatch.setattr(
            Candidates, "deviations", lambda _, device: [changes[device]] * (device in changes)
        )
        monkeypatch.setattr(offers, "Peers", Candidates)
        assert offers.search(proof, before).offers == []


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_is_offered_for_a_fault(wrong: Wrong, tmp_path: Path) -> None:
    proof = proof_of(wrong.write(tmp_path))
    answer = offers.search(proof, proof.as_it_is())
    assert harms_of_offers(answer) == {}
    lines = [line for o in answer.offers for each in o.way for line in each.splice.lines]
    assert tuple(lines) == wrong.offered
