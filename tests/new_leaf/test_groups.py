"""Ports in ranges and lists, pairs of leaves, and leaves without spines."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench import Files
from tests.new_leaf.fabrics import fabric
from tests.new_leaf.runs import changed, written

SETTINGS = {
    "cumulus": re.compile(
        r"        link:\n(?:          .*\n)+        qos:\n(?:          .*\n)+        type: swp\n"
    ),
    "junos": re.compile(r"        speed 400g;\n        mtu 9216;\n"),
}


def number_of(name: str) -> int:
    """The number of a leaf by its file; 0 for a spine."""
    found = re.search(r"leaf(\d+)[./]", name)
    return int(found[1]) if found else 0


def every(files: Files, change: Callable[[str, int], str]) -> Files:
    return {name: change(text, number_of(name)) for name, text in files.items()}


def in_yaml(ports: Callable[[int], str]) -> Callable[[str, int], str]:
    """Common settings of all used ports, stated once."""

    def change(text: str, leaf: int) -> str:
        common = SETTINGS["cumulus"].search(text)
        assert common is not None
        text = text.replace(common[0], "")
        head = f"      {ports(4 if leaf else 8)}:\n{common[0]}"
        return text.replace("      swp1:\n", f"{head}      swp1:\n", 1)

    return change


def in_junos(text: str, leaf: int) -> str:
    last = 3 if leaf else 7
    text = SETTINGS["junos"].sub("", text)
    members = f"member-range et-0/0/0 to et-0/0/{last};"
    group = f"    interface-range FABRIC {{\n        {members}\n        speed 400g;\n"
    return text.replace("interfaces {\n", f"interfaces {{\n{group}        mtu 9216;\n    }}\n", 1)


CASES = [
    ("cumulus", in_yaml(lambda last: f"swp1-{last}"), "swp1-8:", "swp1-9:"),
    (
        "cumulus",
        in_yaml(lambda last: ",".join(f"swp{n}" for n in range(1, last + 1))),
        "swp7,swp8:",
        "swp7,swp8,swp9:",
    ),
    ("junos", in_junos, "to et-0/0/7;", "to et-0/0/8;"),
]


@pytest.mark.parametrize("case", CASES, ids=["range", "list", "member-range"])
def test_ports_of_a_group(
    tmp_path: Path, case: tuple[str, Callable[[str, int], str], str, str]
) -> None:
    system, change, old, new = case
    run = written(tmp_path, every(fabric(system), change), "leaf9", "leaf8")
    (spine,) = [name for name in run.configs if "spine1" in name]
    before = (run.root / spine).read_text(encoding="utf-8")
    assert old in before
    lost, added = changed(before, run.configs[spine])
    assert any(line.endswith(old) for line in lost)
    assert any(line.endswith(new) for line in added)


PAIR = """interface Port-Channel1000
   description peer link to leaf{other}
   mtu 9214
   switchport mode trunk
   service-profile LOSSLESS
!
interface Ethernet5/1
   description leaf{other} Ethernet5/1
   speed 400g-8
   error-correction encoding reed-solomon
   channel-group 1000 mode active
   service-profile LOSSLESS
"""
MLAG = """
mlag configuration
   domain-id PAIR{pair}
   peer-address 10.3.{pair}.{far}
   peer-link Port-Channel1000
!
ip virtual-router mac-address 00:1c:73:00:00:{pair:02x}
!
ip routing
"""


def paired(text: str, leaf: int) -> str:
    """Leaves in pairs: a peer link, an AS number and a VTEP for each pair."""
    text = re.sub(r"\b650(0[1-9]|10)\b", lambda asn: str(65000 + (int(asn[1]) + 1) // 2), text)
    if not leaf:
        return text
    pair, other = (leaf + 1) // 2, leaf + 1 if leaf % 2 else leaf - 1
    far = 2 * pair + leaf % 2
    text = text.replace("interface Ethernet5/1\n   shutdown\n", PAIR.format(other=other))
    vtep = f"interface Loopback1\n   ip address 10.254.1.{pair}/32\n!\ninterface Management1"
    text = text.replace("interface Management1", vtep)
    return text.replace("\nip routing\n", MLAG.format(pair=pair, far=far))


def test_a_pair(tmp_path: Path) -> None:
    run = written(tmp_path, every(fabric("eos"), paired), "leaf9,leaf10", "leaf7,leaf8")
    whole = every(fabric("eos", 10), paired)
    for leaf in ("switches/leaf9.cfg", "switches/leaf10.cfg"):
        lost, added = changed(whole[leaf], run.configs[leaf])
        assert [*lost, *added] == []
    assert frozenset(("leaf9:Ethernet5/1", "leaf10:Ethernet5/1")) in run.links


def test_without_spines(tmp_path: Path) -> None:
    """A fabric of rails: leaves with hosts alone."""
    files = {
        name: re.sub(r"interface Ethernet[34]/1\n(?:   .*\n)+!\n", "", text)
        for name, text in fabric("eos", hosts=2).items()
        if "spine" not in name
    }
    files = {name: re.sub(r"   neighbor .*\n", "", text) for name, text in files.items()}
    run = written(tmp_path, files, "leaf9", "leaf8", "--hosts", 2)
    assert frozenset(("leaf9:Ethernet1/1", "gpu17:ens1np0")) in run.links


def test_a_free_port_with_a_stanza(tmp_path: Path) -> None:
    """In braces: it loses what shut it, and gets all that an equal port has below it."""

    def change(text: str, leaf: int) -> str:
        free = "    et-0/0/8 {\n        disable;\n    }\n"
        return text if leaf else text.replace("    lo0 {\n", f"{free}    lo0 {{\n", 1)

    run = written(tmp_path, every(fabric("junos"), change), "leaf9", "leaf8")
    (spine,) = [name for name in run.configs if "spine1" in name]
    before = (run.root / spine).read_text(encoding="utf-8")
    lost, added = changed(before, run.configs[spine])
    assert lost == ["disable;"]
    assert added.count("unit 0 {") == 2
    assert "address 10.1.1.18/31;" in added
