"""No offered fix unbinds, deletes, hides or invents anything.

Tested on the bad examples of all rule pages and on made fabrics with one fault each. Of these a
change that silences the check and fixes nothing is known: `harms` has to see it, so that it is known
to see something.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from roce_lint.fix.offers import Answer
from roce_lint.fix.prove import corrected_tree
from roce_lint.text.splice import splice
from tests.bench import write_files
from tests.fix.harm import answer_of, harms, proof_of
from tests.rules.examples import Example, examples
from tests.sampling import sampled
from tests.small_fabrics.made import EVERY, made


def harms_of_offers(answer: Answer, folder: Path) -> dict[str, set[str]]:
    """Damage of each offered fix alone, by its change; harmless ones are left out.

    The corrected files are checked anew; of devices without files, their corrected models.
    """
    found = {}
    for offer in answer.offers:
        after = answer.at([offer])
        made = answer.made([offer]).values()
        if all(each.splices for each in made):
            texts = {
                name: splice(answer.files[name].text, own)
                for each in made
                for name, own in each.splices.items()
            }
            with corrected_tree(folder, texts) as top:
                after = proof_of(top)[0].as_it_is()
        found[str(offer.changes[0])] = harms(answer.before, after, offer)
    return {change: harm for change, harm in found.items() if harm}


@pytest.mark.parametrize(
    "example",
    sampled(examples("bad"), 9, lambda example: (example.rule[:3], len(example.files) > 1)),
    ids=str,
)
def test_what_is_offered_for_an_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    assert harms_of_offers(answer_of(tmp_path), tmp_path) == {}


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

    def silence(self, folder: Path) -> None:
        """Make the change on each device with the fault."""
        for name in EVERY if self.everywhere else EVERY[:1]:
            (file,) = folder.glob(f"*/{name}.*")
            lines = file.read_text().split("\n")
            lines[lines.index(self.line)] = self.instead
            file.write_text("\n".join(lines))


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
RED = "    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"  # fmt: skip
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
          offered=("  mtu 9216",)),
    Wrong("a policy unbound", "nxos", "ECN002", "  service-policy type queuing output QUEUES", "",
          "statement", everywhere=((" weight 0 ecn", " weight 0"),), offered=(RED,) * 2),  # then CNPs of hosts nobody knows matter
    Wrong("a pool deleted by doubling", "cumulus", "SRC007",
          "nv set qos traffic-pool roce-lossless memory-percent 90",
          "nv set interface swp1 type swp", "pool", everywhere=(POOLS,)),
    Wrong("the host name overwritten", "cumulus", "CLS025", f"{NAME} leaf1", MAP30, "identity",
          others=((NAME, f"{MAP30}\n{NAME}"),), offered=(MAP30,)),
    Wrong("the queue of the class deleted", "os10", "ECN002", " queue 3 qos-group 3",
          " queue 0 qos-group 0-2", "queue", ((" random-detect ecn\n", ""),), offered=(" random-detect ecn",)),
    Wrong("a partition deleted by doubling", "junos", "BUF020", "                percent 0;",
          "                dynamic-threshold 10;", "statement",
          everywhere=(("                percent 66;\n                dynamic", "                percent 0;\n                dynamic"),)),
    Wrong("a priority as a share", "nxos", "CLS006", "    bandwidth remaining percent 0",
          "    bandwidth remaining percent 3", "value", everywhere=(("percent 60", "percent 0"),)),
    Wrong("a priority as the class of all the rest", "nxos", "MAP001", "    set qos-group 0",
          "    set qos-group 3", "value", (DSCP27,), offered=("  match dscp 26",)),
)  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_change_that_silences_a_check(wrong: Wrong, tmp_path: Path) -> None:
    before = proof_of(wrong.write(tmp_path))[0].as_it_is()
    assert wrong.rule in {finding.rule for finding in before.report.findings}
    wrong.silence(tmp_path)
    after = proof_of(tmp_path)[0].as_it_is()
    assert wrong.rule not in {finding.rule for finding in after.report.findings}
    assert wrong.harm in harms(before, after)


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_is_offered_for_a_fault(wrong: Wrong, tmp_path: Path) -> None:
    answer = answer_of(wrong.write(tmp_path))
    assert harms_of_offers(answer, tmp_path) == {}
    made = answer.made(answer.offers).values()
    edits = [each for one in made for own in one.splices.values() for each in own]
    assert tuple(line for each in edits for line in each.lines) == wrong.offered
