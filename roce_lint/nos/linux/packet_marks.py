"""Code points that a host's kernel writes into packets: iptables, nftables and tc."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roce_lint.model.units import parse_dscp
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value

MARKS = "packet mark"
"""Kind of thing: a rule of the kernel that writes a code point, by tool and place."""

ROCE_PORT = "4791"
SENDING = ("output", "postrouting", "forward")
"""Hooks that packets pass on their way out."""


@dataclass(slots=True, frozen=True)
class PacketMark:
    """A rule that gives packets of the kernel a code point."""

    dscp: int
    what: str  # "TCP to port 2049"
    out: str | None  # the network interface they leave by; None: any


@dataclass(slots=True)
class _Match:
    """What a rule takes, as far as it matters here."""

    dscp: int | None = None
    protocol: str = ""
    port: str = ""
    out: str | None = None

    def mark(self) -> PacketMark | None:
        """What it does; None for one that writes nothing, or takes RoCE itself."""
        if self.dscp is None or (self.port == ROCE_PORT and self.protocol != "tcp"):
            return None
        what = self.protocol.upper() if self.protocol else "all that the kernel sends"
        return PacketMark(self.dscp, f"{what} to port {self.port}" if self.port else what, self.out)


def say(host: Host, tool: str, mark: PacketMark | None, position: int, who: Witness) -> None:
    """`who` states a rule; one that writes no code point says nothing."""
    if mark is not None:
        host.claims.say(MARKS, f"{tool} {position}", tool, Value(mark, position), who)
        host.reading.take(position)


def _pairs(words: Sequence[str | None]) -> Iterator[tuple[str, str]]:
    """Options with the word behind each; what is negated takes anything else, and is left out."""
    for before, (option, value) in zip(
        (None, *words), itertools.pairwise((*words, None)), strict=False
    ):
        if before != "!" and option is not None:
            yield option, value or ""


def of_iptables(words: Sequence[str | None]) -> PacketMark | None:
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
        elif option == "--set-dscp":
            match.dscp = whole(value, 0, 63)
        elif option == "--set-dscp-class":
            match.dscp = parse_dscp(value)
        elif option == "--set-tos":
            byte = whole(value.partition("/")[0], 0, 255)
            match.dscp = None if byte is None else byte >> 2
    return match.mark() if chain in SENDING else None


def of_nft(text: str) -> PacketMark | None:
    """One rule of nftables: `oifname "ens1" tcp dport 2049 ip dscp set af31`."""
    match = _Match()
    written = re.search(r"\bip6? dscp set (\w+)", text)
    if written:
        number = whole(written[1], 0, 63)
        match.dscp = parse_dscp(written[1]) if number is None else number
    protocol = re.search(r"\b(?:l4proto|ip protocol|ip6 nexthdr) (\w+)|\b(tcp|udp) dport\b", text)
    if protocol:
        match.protocol = protocol[1] or protocol[2]
    port = re.search(r"\bdport (\d+)\b", text)
    match.port = port[1] if port else ""
    out = re.search(r'\boif(?:name)? "?([\w.@-]+)"?', text)
    match.out = out[1] if out else None
    return match.mark()


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
        mark = of_iptables(line.split()) if line.startswith("-A ") else None
        say(
            host,
            "iptables",
            mark,
            host.reading.src.files[entry.file].first + number,
            witness(entry),
        )


_HOOK = re.compile(r"type \w+ hook (?P<hook>\w+)")


def read_nft(host: Host, entry: Input) -> None:
    """Take in `nft list ruleset`: only chains that packets pass on their way out count."""
    hook = ""
    for number, line in lines_of(entry):
        found = _HOOK.match(line)
        if line.startswith(("table ", "chain ")):
            hook = ""
        elif found:
            hook = found["hook"]
        elif hook in SENDING:
            first = host.reading.src.files[entry.file].first
            say(host, "nft", of_nft(line), first + number, witness(entry))


def set_iptables(setter: Setter, words: Words) -> None:
    """`iptables -t mangle -A ...`."""
    say(setter.host, setter.tool, of_iptables(words), setter.position, setter.who)


def set_nft(setter: Setter, words: Words) -> None:
    """`nft add rule inet mangle output ...`: the chain is called like its hook."""
    if len(words) > 5 and words[0] in ("add", "insert") and words[1] == "rule":
        text = " ".join(word or "" for word in words[2:])
        if any(word in SENDING for word in words[2:6]):
            say(setter.host, "nft", of_nft(text), setter.position, setter.who)


def set_tc(setter: Setter, words: Words) -> None:
    """`tc filter add ...`."""
    say(setter.host, "tc", of_tc(words), setter.position, setter.who)
