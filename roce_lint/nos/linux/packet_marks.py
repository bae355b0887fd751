"""Treatment of packets by a host's kernel: code points that iptables, nftables and tc write, and
rules of iptables and nftables that drop RoCE by its port.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roce_lint.model.units import parse_dscp
from roce_lint.nos.access_lists import ROCE_PORT
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value

MARKS = "packet mark"
"""Kind of thing: a rule of the kernel that writes a code point, by tool and place."""

FILTERS = "packet filter"
"""Kind of thing: a rule of the kernel that names the port of RoCE, by tool and place."""

SENDING = ("output", "postrouting", "forward")
"""Hooks that packets pass on their way out."""

WAYS = {
    "input": "policing",
    "prerouting": "policing",
    "output": "policing_out",
    "postrouting": "policing_out",
}
"""Hooks of the host's own packets, and the field of a port that has what drops them there."""

VERDICTS = {"drop": True, "reject": True, "accept": False}


@dataclass(slots=True, frozen=True)
class PacketMark:
    """A rule that gives packets of the kernel a code point."""

    dscp: int
    what: str  # "TCP to port 2049"
    out: str | None  # the network interface they leave by; None: any


@dataclass(slots=True, frozen=True)
class PacketFilter:
    """A rule of the kernel that drops RoCE, or lets it pass, by its port and nothing else."""

    drops: bool
    field: str  # of a port: what drops packets that arrive, or that leave
    port: str | None  # the network interface; None: any


Rule = PacketMark | PacketFilter


@dataclass(slots=True)
class _Match:
    """What a rule takes, as far as it matters here."""

    dscp: int | None = None
    protocol: str = ""
    port: str = ""
    out: str | None = None
    into: str | None = None
    verdict: bool | None = None  # True: drops
    asks_more: bool = False  # for addresses, or the state of a connection

    def rule(self, hook: str) -> Rule | None:
        """Its effect; None for one that does nothing of interest."""
        meets = self.protocol != "tcp" and _has_roce(self.port)
        if meets and self.verdict is not None and hook in WAYS and not self.asks_more:
            return PacketFilter(self.verdict, WAYS[hook], self.out or self.into)
        return self.mark() if hook in SENDING else None

    def mark(self) -> PacketMark | None:
        """The code point that it writes; None for one that writes nothing, or takes RoCE itself."""
        if self.dscp is None or (self.protocol != "tcp" and _has_roce(self.port)):
            return None
        what = self.protocol.upper() if self.protocol else "all that the kernel sends"
        return PacketMark(self.dscp, f"{what} to port {self.port}" if self.port else what, self.out)


def _has_roce(ports: str) -> bool:
    """Whether ports as rules list them (`80,4791`, `{ 4000-5000 }`) have that of RoCE."""
    for entry in re.findall(r"[\d:-]+", ports):
        low, _, high = entry.replace(":", "-").partition("-")
        ends = whole(low or "0", 0, 65535), whole(high or low, 0, 65535)
        if None not in ends and (ends[0] or 0) <= ROCE_PORT <= (ends[1] or 0):
            return True
    return False


def say(host: Host, tool: str, rule: Rule | None, position: int, who: Witness) -> None:
    """`who` states a rule; one that does nothing of interest says nothing."""
    if rule is not None:
        kind = MARKS if isinstance(rule, PacketMark) else FILTERS
        host.claims.say(kind, f"{tool} {position}", tool, Value(rule, position), who)
        host.reading.take(position)


def roce_dropped(host: Host, port: str) -> dict[str, tuple[str, int]]:
    """Tool and line of the rule that drops RoCE of a port, by the field that has it.

    Where another rule lets RoCE pass, the order of the rules decides, and nothing is said.
    """
    found: dict[str, tuple[str, int]] = {}
    passing: set[str] = set()
    for name in host.claims.names(FILTERS):
        tool = name.split(" ")[0]
        for _, value in host.claims.values(FILTERS, name, tool):
            rule = value.value
            if rule is None or rule.port not in (None, port):
                continue
            if rule.drops:
                found.setdefault(rule.field, (tool, value.position))
            else:
                passing.add(rule.field)
    return {field: place for field, place in found.items() if field not in passing}


def _pairs(words: Sequence[str | None]) -> Iterator[tuple[str, str]]:
    """Options with the word behind each; what is negated takes anything else, and is left out."""
    for before, (option, value) in zip(
        (None, *words), itertools.pairwise((*words, None)), strict=False
    ):
        if before != "!" and option is not None:
            yield option, value or ""


def of_iptables(words: Sequence[str | None]) -> Rule | None:
    """`-A OUTPUT -p tcp --dport 2049 -j DSCP --set-dscp 26`, as commands and listings have it."""
    match, chain = _Match(), ""
    for option, value in _pairs(words):
        if option in ("-A", "-I", "--append", "--insert"):
            chain = value.lower()
        elif option in ("-p", "--protocol"):
            match.protocol = value.lower()
        elif option in ("--dport", "--destination-port", "--dports"):
            match.port = value
        elif option in ("-o", "--out-interface"):
            match.out = value
        elif option in ("-i", "--in-interface"):
            match.into = value
        elif option in ("-j", "--jump"):
            match.verdict = VERDICTS.get(value.lower())
        elif option in _CONDITIONS:
            match.asks_more = True
        elif option == "--set-dscp":
            match.dscp = whole(value, 0, 63)
        elif option == "--set-dscp-class":
            match.dscp = parse_dscp(value)
        elif option == "--set-tos":
            byte = whole(value.partition("/")[0], 0, 255)
            match.dscp = None if byte is None else byte >> 2
    return match.rule(chain)


_CONDITIONS = ("-s", "--source", "-d", "--destination", "--ctstate", "--state", "--mark", "--limit")


def of_nft(text: str, hook: str) -> Rule | None:
    """One rule of nftables: `oifname "ens1" tcp dport 2049 ip dscp set af31`."""
    match = _Match()
    written = re.search(r"\bip6? dscp set (\w+)", text)
    if written:
        number = whole(written[1], 0, 63)
        match.dscp = parse_dscp(written[1]) if number is None else number
    protocol = re.search(r"\b(?:l4proto|ip protocol|ip6 nexthdr) (\w+)|\b(tcp|udp) dport\b", text)
    if protocol:
        match.protocol = protocol[1] or protocol[2]
    port = re.search(r"\bdport (\d[\d-]*|\{[^}]*\})", text)
    match.port = port[1] if port else ""
    for field, word in (("out", "oif"), ("into", "iif")):
        device = re.search(rf'\b{word}(?:name)? "?([\w.@-]+)"?', text)
        setattr(match, field, device[1] if device else None)
    verdict = re.search(r"\b(drop|reject|accept)\b", text)
    match.verdict = VERDICTS[verdict[1]] if verdict else None
    match.asks_more = bool(re.search(r"\b(?:[sd]addr|ct|mark|limit)\b|!=", text))
    return match.rule(hook)


def of_tc(words: Words) -> PacketMark | None:
    """`tc filter add dev ens1 egress ... action pedit ex munge ip dsfield set 0x68`."""
    if "filter" not in words or "ingress" in words or "ffff:" in words:
        return None
    match = _Match()
    for before, option, value in zip(words, words[1:], (*words[2:], None), strict=False):
        if option == "dev":
            match.out = value
        elif option == "ip_proto":
            match.protocol = (value or "").lower()
        elif option in ("dst_port", "dport"):
            match.port = value or ""
        elif option == "set" and before in ("dsfield", "tos", "traffic_class"):
            byte = whole(value or "", 0, 255)
            match.dscp = None if byte is None else byte >> 2
    return match.mark()


def read_iptables(host: Host, entry: Input) -> None:
    """Take in `iptables-save`, or `iptables -t mangle -S`."""
    for number, line in lines_of(entry):
        rule = of_iptables(line.split()) if line.startswith("-A ") else None
        say(
            host,
            "iptables",
            rule,
            host.reading.src.files[entry.file].first + number,
            witness(entry),
        )


_HOOK = re.compile(r"type \w+ hook (?P<hook>\w+)")


def read_nft(host: Host, entry: Input) -> None:
    """Take in `nft list ruleset`: only chains of the hooks that are known here count."""
    hook = ""
    for number, line in lines_of(entry):
        found = _HOOK.match(line)
        if line.startswith(("table ", "chain ")):
            hook = ""
        elif found:
            hook = found["hook"]
        elif hook:
            first = host.reading.src.files[entry.file].first
            say(host, "nft", of_nft(line, hook), first + number, witness(entry))


def set_iptables(setter: Setter, words: Words) -> None:
    """`iptables -t mangle -A ...`."""
    say(setter.host, setter.tool, of_iptables(words), setter.position, setter.who)


def set_nft(setter: Setter, words: Words) -> None:
    """`nft add rule inet mangle output ...`: the chain is called like its hook."""
    if len(words) > 5 and words[0] in ("add", "insert") and words[1] == "rule":
        text = " ".join(word or "" for word in words[2:])
        hook = next((word for word in words[2:6] if word in (*SENDING, *WAYS)), None)
        if hook is not None:
            say(setter.host, "nft", of_nft(text, hook), setter.position, setter.who)


def set_tc(setter: Setter, words: Words) -> None:
    """`tc filter add ...`."""
    say(setter.host, "tc", of_tc(words), setter.position, setter.who)
