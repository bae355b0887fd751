"""Treatment of packets by a host's kernel: DSCPs that iptables, nftables and tc write, and drop
rules for the RoCE port or a DSCP. Other rules (a policy, one for all of UDP) do not affect RoCE,
whose packets bypass the kernel.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from roce_lint.model.units import parse_dscp
from roce_lint.nos.access_lists import ALL, ROCE_PORT, Takes
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import GID, Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value

MARKS = "packet mark"
"""Kind of object: a kernel rule that writes a code point, by tool and place."""

FILTERS = "packet filter"
"""Kind of object: a kernel rule for the RoCE port, by tool and place."""

SENDING = ("output", "postrouting", "forward")
"""Hooks that outgoing packets pass."""

WAYS = {
    **dict.fromkeys(("input", "prerouting", "ingress"), "policing"),
    **dict.fromkeys(("output", "postrouting", "egress"), "policing_out"),
}
"""Hooks of the host's own packets, and the port field for their drops."""

ANYWHERE = "?"
"""Hook of a chain reached by jumps: its packets are unknown."""

VERDICTS = {"drop": True, "reject": True, "accept": False}


@dataclass(slots=True, frozen=True)
class PacketMark:
    """A kernel rule that writes a code point."""

    dscp: int
    what: str  # "TCP to port 2049"
    out: str | None  # the network interface they leave by; None: any


@dataclass(slots=True, frozen=True)
class PacketFilter:
    """A rule of the kernel or of a port's queues that drops RoCE or accepts all of it."""

    drops: bool
    field: str  # of a port: drops of arriving or leaving packets
    port: str | None  # the network interface; None: any
    takes: Takes = ALL  # exact if it requires only its port or a code point
    moved: bool = False  # put before those that the text has before it


Rule = PacketMark | PacketFilter


@dataclass(slots=True)
class _Match:
    """Relevant match conditions of a rule."""

    dscp: int | None = None
    protocol: str = ""
    port: str = ""
    out: str | None = None
    into: str | None = None
    verdict: bool | None = None  # True: drops
    asks_more: bool = False  # for addresses, or the state of a connection
    code: int | None = None  # the code point that it matches
    moved: bool = False  # as PacketFilter has it

    def rule(self, hook: str) -> Rule | None:
        """Effect of the rule; None if it is irrelevant."""
        meets = self.protocol != "tcp" and _has_roce(self.port)
        by_code = self.code is not None and self.protocol in ("", "udp", "ipv4") and not self.port
        if self.verdict is not None and (meets or by_code) and hook not in ("forward", ""):
            codes = None if self.code is None else frozenset({self.code})
            takes = Takes(codes, exact=hook in WAYS and not self.asks_more)
            port, field = self.out or self.into, WAYS.get(hook, "policing")
            return PacketFilter(self.verdict, field, port, takes, self.moved)
        return self.mark() if hook in SENDING else None

    def mark(self) -> PacketMark | None:
        """The code point that it writes; None without one, or if it matches RoCE itself."""
        if self.dscp is None or (self.protocol != "tcp" and _has_roce(self.port)):
            return None
        what = self.protocol.upper() if self.protocol else "all that the kernel sends"
        return PacketMark(self.dscp, f"{what} to port {self.port}" if self.port else what, self.out)


def _has_roce(ports: str) -> bool:
    """Whether ports in rule syntax (`80,4791`, `{ 4000-5000 }`) include that of RoCE."""
    for entry in re.findall(r"[\d:-]+", ports):
        low, _, high = entry.replace(":", "-").partition("-")
        ends = whole(low or "0", 0, 65535), whole(high or low, 0, 65535)
        if None not in ends and (ends[0] or 0) <= ROCE_PORT <= (ends[1] or 0):
            return True
    return False


def state_rule(host: Host, tool: str, rule: Rule | None, position: int, who: Witness) -> None:
    """Record a rule stated by `who`; one without an effect of interest is skipped."""
    if rule is not None:
        kind = MARKS if isinstance(rule, PacketMark) else FILTERS
        host.claims.state(kind, f"{tool} {position}", tool, Value(rule, position), who)
        host.reading.take(position)


def roce_dropped(host: Host, port: str) -> dict[str, tuple[str, int, Takes]]:
    """Tool, line and packets of the rule that drops RoCE of a port, by port field; a certain one
    first. A packet accepted by an earlier rule of the same tool is not dropped by a later one.
    """
    found: dict[str, tuple[str, int, Takes]] = {}
    passing: set[tuple[str, str]] = set()
    rules = [
        (value.position, name.split(" ")[0], value.value)
        for name in host.claims.names(FILTERS)
        for _, value in host.claims.values(FILTERS, name, name.split(" ")[0])
        if value.value is not None and value.value.port in (None, port)
        if not name.startswith("ip6tables") or _may_have_ipv6(host)
    ]
    rules.sort(key=lambda each: (0, -each[0]) if each[2].moved else (1, each[0]))
    for position, tool, rule in rules:
        if not rule.drops and rule.takes == ALL:
            passing.add((tool, rule.field))
        elif rule.drops and (tool, rule.field) not in passing:
            known = found.get(rule.field)
            if known is None or (rule.takes.exact and not known[2].exact):
                found[rule.field] = tool, position, rule.takes
    return found


def _may_have_ipv6(host: Host) -> bool:
    """Whether a GID may be a routable IPv6 address."""
    gids = [str(host.claims.get(GID, name, "GID").value) for name in host.claims.names(GID)]
    return not gids or not all(gid.startswith(("::ffff:", "fe80")) for gid in gids)


def _pairs(words: Sequence[str | None]) -> Iterator[tuple[str, str]]:
    """Options with the word after each; negated ones match anything else, and are left out."""
    for before, (option, value) in zip(
        (None, *words), itertools.pairwise((*words, None)), strict=False
    ):
        if before != "!" and option is not None:
            yield option, value or ""


def of_iptables(words: Sequence[str | None]) -> Rule | None:
    """A rule of iptables: `-A OUTPUT -p tcp --dport 2049 -j DSCP --set-dscp 26`."""
    match, chain = _Match(), ""
    for option, value in _pairs(words):
        if option in ("-A", "-I", "--append", "--insert"):
            chain = value.lower() if value.lower() in (*WAYS, *SENDING) else ANYWHERE
            match.moved = option in ("-I", "--insert")
        elif option in _CONDITIONS:
            match.asks_more = True
        elif option in _OPTIONS:
            field, convert = _OPTIONS[option]
            setattr(match, field, convert(value))
    return match.rule(chain)


def _dscp(text: str) -> int | None:
    return whole(text, 0, 63)


def _dscp_of_byte(text: str) -> int | None:
    byte = whole(text, 0, 255)
    return None if byte is None else byte >> 2


_OPTIONS: dict[str, tuple[str, Callable[[str], object]]] = {
    **dict.fromkeys(("-p", "--protocol", "--ip-proto", "--ip-protocol"), ("protocol", str.lower)),
    **dict.fromkeys(("--dport", "--destination-port", "--dports", "--ip-dport"), ("port", str)),
    **dict.fromkeys(("-o", "--out-interface"), ("out", str)),
    **dict.fromkeys(("-i", "--in-interface"), ("into", str)),
    **dict.fromkeys(("-j", "--jump"), ("verdict", lambda text: VERDICTS.get(text.lower()))),
    "--set-dscp": ("dscp", _dscp),
    "--set-dscp-class": ("dscp", parse_dscp),
    "--set-tos": ("dscp", lambda text: _dscp_of_byte(text.partition("/")[0])),
    "--dscp": ("code", _dscp),
    "--dscp-class": ("code", parse_dscp),
}
"""Options of a rule: the condition, and the parser of the word after it."""


_CONDITIONS = (
    *("-s", "--source", "-d", "--destination", "--ctstate", "--state", "--mark", "--limit"),
    *("src_ip", "dst_ip", "src_mac", "dst_mac", "vlan_id", "ip_tos", "src_port"),
)


def of_nft(text: str, hook: str, *, moved: bool = False) -> Rule | None:
    """One rule of nftables: `oifname "ens1" tcp dport 2049 ip dscp set af31`."""
    match = _Match(moved=moved)
    written = _word(r"\bip6? dscp set (\w+)", text)
    number = whole(written, 0, 63)
    match.dscp = parse_dscp(written) if number is None else number
    protocol = _word(r"\b(?:l4proto|ip protocol|ip6 nexthdr) (\w+)", text)
    match.protocol = protocol or _word(r"\b(tcp|udp) dport\b", text)
    match.code = parse_dscp(_word(r"\bip6? dscp (?!set)(\w+)", text))
    match.port = _word(r"\bdport (\d[\d-]*|\{[^}]*\})", text)
    match.out = _word(r'\boif(?:name)? "?([\w.@-]+)"?', text) or None
    match.into = _word(r'\biif(?:name)? "?([\w.@-]+)"?', text) or None
    match.verdict = VERDICTS.get(_word(r"\b(drop|reject|accept)\b", text))
    match.asks_more = bool(re.search(r"\b(?:[sd]addr|ct|mark|limit)\b|!=", text))
    return match.rule(hook)


def _word(pattern: str, text: str) -> str:
    """The first group of a pattern, empty if it is not found."""
    found = re.search(pattern, text)
    return found[1] if found else ""


def of_tc(words: Words) -> Rule | None:
    """`tc filter add dev ens1 egress ... action pedit ex munge ip dsfield set 0x68`."""
    arrives = "ingress" in words or "ffff:" in words
    match = _Match(verdict=True if {"drop", "police"} & {*words} else None)
    for before, option, value in zip(words, words[1:], (*words[2:], None), strict=False):
        if option == "dev":
            match.out = value
        elif option == "ip_proto":
            match.protocol = (value or "").lower()
        elif option in ("dst_port", "dport"):
            match.port = value or ""
        elif option in _CONDITIONS:
            match.asks_more = True
        elif option == "set" and before in ("dsfield", "tos", "traffic_class"):
            match.dscp = _dscp_of_byte(value or "")
    if "filter" in words and match.verdict is None:
        return None if arrives else match.mark()
    spoils = "qdisc" in words and not {"netem", "tbf"}.isdisjoint(words)
    whole_class = match.protocol != "tcp" and (_has_roce(match.port) or not match.port)
    if {"del", "delete", "show"} & {*words} or not (spoils or (match.verdict and whole_class)):
        return None
    exact = _has_roce(match.port) and not match.asks_more and "police" not in words
    field = WAYS["ingress" if arrives else "egress"]
    return PacketFilter(drops=True, field=field, port=match.out, takes=Takes(exact=exact))


def _drop(setter: Setter, tool: str, port: str | None, *, exact: bool) -> None:
    rule = PacketFilter(drops=True, field="policing", port=port, takes=Takes(exact=exact))
    state_rule(setter.host, tool, rule, setter.position, setter.who)


def set_steering(setter: Setter, words: Words) -> None:
    """`ethtool -N ens1 flow-type udp4 dst-port 4791 action -1`: -1 drops."""
    pairs = dict(zip(words[2::2], words[3::2], strict=False))
    port, tcp = pairs.get("dst-port") or "", (pairs.get("flow-type") or "").startswith("tcp")
    if pairs.get("action") == "-1" and not tcp and (not port or _has_roce(port)):
        exact = bool(port) and pairs.keys() <= {"flow-type", "dst-port", "action", "loc"}
        _drop(setter, "ethtool", words[1], exact=exact)


def set_firewall(setter: Setter, words: Words) -> None:
    """`ufw deny 4791/udp`, a rich rule of `firewall-cmd`: their order among rules is unknown."""
    text = " ".join(word or "" for word in words)
    if re.search(r"\b4791\b", text) and re.search(r"\b(?:deny|reject|drop)\b", text):
        _drop(setter, setter.tool, None, exact=False)


def read_iptables(host: Host, entry: Input) -> None:
    """Read `iptables-save`, or `iptables -t mangle -S`."""
    for number, line in lines_of(entry):
        if line.startswith("-A "):
            place = host.spot_of_line(entry, number)
            state_rule(host, "iptables", of_iptables(line.split()), place, witness(entry))


_HOOK = re.compile(r"type \w+ hook (?P<hook>\w+)")
_NAMED = re.compile(r"(?:set|elements =) (?P<what>\w+|\{.*)")


def read_nft(host: Host, entry: Input) -> None:
    """Read `nft list ruleset` with named sets; chains of other hooks are only jump targets."""
    hook, named, sets = "", "", dict[str, str]()
    for number, line in lines_of(entry):
        found = _HOOK.match(line)
        if line.startswith(("table ", "chain ")):
            hook = ANYWHERE if line.startswith("chain ") else ""
        elif found:
            hook = found["hook"]
        elif part := _NAMED.match(line):
            named = named if part["what"].startswith("{") else part["what"]
            sets[f"@{named}"] = part["what"]
        elif hook:
            place = host.spot_of_line(entry, number)
            text = re.sub(r"@\w+", lambda name: sets.get(name[0], name[0]), line)
            state_rule(host, "nft", of_nft(text, hook), place, witness(entry))


def set_rule(read: Callable[[Words], Rule | None], setter: Setter, words: Words) -> None:
    """`iptables -t mangle -A ...`, `tc filter add ...`."""
    state_rule(setter.host, setter.tool, read(words), setter.position, setter.who)


def set_nft(setter: Setter, words: Words) -> None:
    """`nft add rule inet mangle output ...`: the chain is named like its hook."""
    if len(words) > 5 and words[0] in ("add", "insert") and words[1] == "rule":
        text = " ".join(word or "" for word in words[2:])
        hook = next((word for word in words[2:6] if word in (*SENDING, *WAYS)), None)
        if hook is not None:
            rule = of_nft(text, hook, moved=words[0] == "insert")
            state_rule(setter.host, "nft", rule, setter.position, setter.who)
