"""A filter on an uplink: a rule that drops RoCE is found or leaves the result open, on every
system, and one that passes it is not mentioned.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from roce_lint.engine.finding import Answer
from tests.bench import Files, check
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import build, switches
from tests.sampling import sampled

DROPPED = {
    "port": "udp {any} {any} eq 4791",
    "udp": "udp {any} {any}",
    "dscp": "{ip} {any} {any} dscp 26",
}
"""Entries that certainly drop RoCE."""

OPEN = {"subnet": "udp {any} {net} eq 4791", "frames": ""}
"""Entries with an unknown effect, and a list of another kind."""

PASSED = {"other port": "udp {any} {any} eq 53", "other protocol": "tcp {any} {any}"}
EVERY = "{ip} {any} {any}"


@dataclass(frozen=True)
class Lines:
    """Syntax of a list, its entries, and its binding to a port."""

    head: str
    entry: str
    bind: str
    port: str
    ip: str = "ip"
    net: str = "10.0.0.0/8"
    indent: str = " "

    def text(self, entries: list[tuple[str, str]]) -> str:
        """The list of entries, each with action and match."""
        words = {"any": "any", "ip": self.ip, "net": self.net}
        summary = (
            self.entry.format(n=10 * n, action=action, what=what.format(**words))
            for n, (action, what) in enumerate(entries, 1)
        )
        return self.head + "".join(f"{self.indent}{line}\n" for line in summary) + "!\n"


NUMBERED, SEQ = "{n} {action} {what}", "seq {n} {action} {what}"
INDENTED = {
    "eos": Lines("ip access-list EDGE\n", NUMBERED, "   ip access-group EDGE in\n", "interface Ethernet2/1\n", indent="   "),
    "nxos": Lines("ip access-list EDGE\n", NUMBERED, "  ip access-group EDGE in\n", "interface Ethernet1/2\n", indent="  "),
    "os10": Lines("ip access-list EDGE\n", SEQ, " ip access-group EDGE in\n", "interface ethernet1/1/2\n"),
    "esonic": Lines("ip access-list EDGE\n", SEQ, " ip access-group EDGE in\n", "interface Eth 1/2\n"),
    "iosxr": Lines("ipv4 access-list EDGE\n", NUMBERED, " ipv4 access-group EDGE ingress\n",
                   "interface FourHundredGigE0/0/0/1\n", ip="ipv4", net="10.0.0.0 0.255.255.255"),
    "aoscx": Lines("access-list ip EDGE\n", NUMBERED, "    apply access-list ip EDGE in\n", "interface 1/1/2\n",
                   ip="any", net="10.0.0.0/255.0.0.0", indent="    "),
    "vrp": Lines("acl number 3000\n", "rule {n} {action} {what}", " traffic-filter acl 3000 inbound\n", "interface 400GE1/0/2\n"),
    "comware": Lines("acl advanced 3000\n", "rule {n} {action} {what}", " packet-filter 3000 inbound\n",
                     "interface FourHundredGigE1/0/2\n"),
}  # fmt: skip
KEYED = {
    "udp any any eq 4791": "udp destination-port eq 4791", "udp any any eq 53": "udp destination-port eq 53",
    "udp any any": "udp", "tcp any any": "tcp", "ip any any dscp 26": "ip dscp 26", "ip any any": "ip",
    "udp any 10.0.0.0/8 eq 4791": "udp destination 10.0.0.0 0.255.255.255 destination-port eq 4791",
}  # fmt: skip
FRAMES = {
    "eos": ("mac access-list M\n   10 deny any any\n!\n", "   mac access-group M in\n"),
    "nxos": ("mac access-list M\n  10 deny any any\n", "  mac port access-group M\n"),
    "os10": ("mac access-list M\n seq 10 deny any any\n!\n", " mac access-group M in\n"),
    "esonic": ("mac access-list M\n seq 10 deny any any\n!\n", " mac access-group M in\n"),
    "iosxr": ("", " ipv4 access-group common M ingress\n"),
    "aoscx": (
        "access-list mac M\n    10 deny any any any\n!\n",
        "    apply access-list mac M in\n",
    ),
    "vrp": ("", " traffic-policy P inbound\n"),
    "comware": ("acl mac 4000\n rule 0 deny\n#\n", " packet-filter mac 4000 inbound\n"),
}

Entries = list[tuple[str, str]]


def written(text: str, nos: str, entries: Entries) -> str:
    """The text of a switch with an input list of these entries on its uplink."""
    if nos in INDENTED:
        lines = INDENTED[nos]
        listed = lines.text(entries)
        if nos in ("vrp", "comware"):
            listed = "\n".join(spell(line) for line in listed.split("\n")).replace("!", "#")
        assert lines.port in text
        return text.replace(lines.port, listed + lines.port + lines.bind, 1)
    return TREES[nos](text, entries)


def spell(line: str) -> str:
    """An entry of consecutive words, with a keyword before each condition."""
    head, sep, what = line.partition("deny ") if "deny " in line else line.partition("permit ")
    return head + sep + KEYED.get(what, what)


def words_of(what: str) -> tuple[str, str, str]:
    """Protocol, port and DSCP of an entry."""
    words = what.split()
    port = words[-1] if "eq" in words else ""
    return words[0].strip("{}"), port, "26" if "dscp" in words else ""


def sonic(text: str, entries: Entries) -> str:
    tables = json.loads(text)
    port = KINDS["sonic"].port(1)
    tables["ACL_TABLE"] = {"EDGE": {"type": "L3", "stage": "ingress", "ports": [port]}}
    rules = tables["ACL_RULE"] = {}
    for n, (action, what) in enumerate(entries):
        protocol, number, code = words_of(what)
        rule = {
            "PRIORITY": str(900 - n),
            "PACKET_ACTION": "DROP" if action == "deny" else "FORWARD",
        }
        rule |= {"IP_PROTOCOL": {"udp": "17", "tcp": "6"}[protocol]} if protocol != "ip" else {}
        rule |= ({"L4_DST_PORT": number} if number else {}) | ({"DSCP": code} if code else {})
        rules[f"EDGE|R{n}"] = rule | ({"DST_IP": "10.0.0.0/8"} if "{net}" in what else {})
    return json.dumps(tables, indent=1) + "\n"


def junos(text: str, entries: Entries) -> str:
    terms = ""
    for n, (action, what) in enumerate(entries):
        protocol, number, code = words_of(what)
        conditions = f"protocol {protocol}; " if protocol != "ip" else ""
        conditions += (f"destination-port {number}; " if number else "") + (
            f"dscp {code}; " if code else ""
        )
        conditions += "destination-address { 10.0.0.0/8; } " if "{net}" in what else ""
        conditions = f"from {{ {conditions}}} " if conditions else ""
        terms += (
            f"term t{n} {{ {conditions}then {'discard' if action == 'deny' else 'accept'}; }}\n"
        )
    port = text.index("et-0/0/1 {")
    family = text.index("family inet {\n", port) + len("family inet {\n")
    bound = text[:family] + "filter { input EDGE; }\n" + text[family:]
    return bound + f"firewall {{ family inet {{ filter EDGE {{\n{terms}}} }} }}\n"


def cumulus(text: str, entries: Entries) -> str:
    lines = ["type ipv4"]
    for n, (action, what) in enumerate(entries, 1):
        protocol, number, code = words_of(what)
        lines += [f"rule {n} match ip protocol {protocol}"] if protocol != "ip" else []
        lines += [f"rule {n} match ip {protocol} dest-port {number}"] if number else []
        lines += [f"rule {n} match ip dscp {code}"] if code else []
        lines += [f"rule {n} match ip dest-ip 10.0.0.0/8"] if "{net}" in what else []
        lines += [f"rule {n} action {action}"]
    listed = "".join(f"nv set acl EDGE {line}\n" for line in lines)
    return text + listed + "nv set interface swp2 acl EDGE inbound\n"


def srlinux(text: str, entries: Entries) -> str:
    lines = []
    for n, (action, what) in enumerate(entries, 1):
        protocol, number, code = words_of(what)
        lines += [f"{n} match ipv4 protocol {protocol}"] if protocol != "ip" else []
        lines += (
            [f"{n} match transport destination-port operator eq value {number}"] if number else []
        )
        lines += [f"{n} match ipv4 dscp-set [ {code} ]"] if code else []
        lines += [f"{n} match ipv4 destination-ip prefix 10.0.0.0/8"] if "{net}" in what else []
        lines += [f"{n} action {'drop' if action == 'deny' else 'accept'}"]
    listed = "".join(f"set / acl acl-filter EDGE type ipv4 entry {line}\n" for line in lines)
    bound = "set / acl interface ethernet-1/2.0 "
    return (
        f"{text}{listed}{bound}interface-ref interface ethernet-1/2\n{bound}interface-ref subinterface 0\n"
        f"{bound}input acl-filter EDGE type ipv4\n"
    )


TREES: dict[str, Callable[[str, Entries], str]] = {
    "sonic": sonic, "junos": junos, "cumulus": cumulus, "srlinux": srlinux,
}  # fmt: skip


def fabric(nos: str, change: Callable[[str], str]) -> Files:
    """Three leaves under a spine; the text of the second leaf is changed."""
    files = build([nos] * 4)
    name = switches(files)["leaf2"]
    return {**files, name: change(files[name])}


CASES = [f"{nos}/{what}" for nos in KINDS for what in (*DROPPED, *OPEN, *PASSED, "first")]


@pytest.mark.parametrize(
    "case",
    sampled(CASES, 6, lambda case: case.partition("/")[0], lambda case: case.partition("/")[2]),
)
def test_a_filter_on_an_uplink(case: str) -> None:
    nos, _, what = case.partition("/")
    if what == "frames":
        if nos not in FRAMES:
            return
        listed, bind = FRAMES[nos]
        port = INDENTED[nos].port
        files = fabric(nos, lambda text: text.replace(port, listed + port + bind, 1))
    else:
        entries = [("permit", DROPPED["port"]), ("deny", EVERY)]
        if what != "first":
            entries = [("deny", {**DROPPED, **OPEN, **PASSED}[what]), ("permit", EVERY)]
        files = fabric(nos, lambda text: written(text, nos, entries))
    report, before = check(files), check(build([nos] * 4))
    found = [f for f in report.findings if f.rule == "CLS008"]
    assert report.verdict is not None
    assert before.verdict is not None
    new = {words for words, _ in report.verdict.missing} - {
        words for words, _ in before.verdict.missing
    }
    if what in DROPPED:
        assert [(f.severity.label, f.device) for f in found] == [("error", "leaf2")]
        assert report.verdict.answer is Answer.NOT_READY
    elif what in OPEN:
        assert (found, report.verdict.answer, len(new)) == ([], Answer.NOT_PROVED, 1)
    else:
        assert (found, report.verdict.answer, new) == ([], before.verdict.answer, set())
