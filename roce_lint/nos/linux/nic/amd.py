"""AMD Pensando and Pollara adapters: `nicctl` outputs and commands."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Table, placed
from roce_lint.nos.linux.dcb import DSCPS, PRIORITIES, percent, priority
from roce_lint.nos.linux.declared.network import with_mac
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import NIC, PORT, Host, lines_of, whole, witness
from roce_lint.nos.linux.links import FECS
from roce_lint.nos.linux.nic.mlnx_qos import GBPS
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import real, whole_of

DRIVER = "ionic"

_PORT_ID = re.compile(r"Port\s*:\s*(?P<id>[0-9a-f-]{36})", re.IGNORECASE)
_DSCPS = re.compile(
    r"DSCP\s*+: ++(?P<dscps>[\d,-]++(?: +[\d,-]++)*+)\s*+==> priority : (?P<priority>[0-7])$"
)
_BITMAP = re.compile(r"DSCP bitmap\s*:")
_ROW = re.compile(
    r"(?P<priority>[0-7])\s+(?P<kind>DWRR|strict)\s+(?P<share>\d+|N/A)\s+(?P<rate>[\d.]+|N/A)$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"Classification type|DSCP|PFC")
_FIELD = re.compile(r"(?P<key>[A-Za-z][\w()-]*+(?: +[\w()-]++)*+)\s*+:\s*+(?P<value>\S.*)$")


def port_of_id(host: Host, identity: str | None) -> str | None:
    """Interface of a port id, which begins with its MAC address in published outputs."""
    digits = (identity or "").replace("-", "").lower()[:12]
    mac = ":".join(digits[i : i + 2] for i in range(0, 12, 2))
    return next(iter(with_mac(host, mac)), None) if identity else None


def read_qos(host: Host, entry: Input) -> None:
    """Read `nicctl show qos`: one block per port."""
    for identity, lines in _blocks(entry):
        if any(_SUBJECT.match(line) for _, line in lines):
            port = port_of_id(host, identity) or host.port_of(entry)
            if port is None:
                return
            _read_block(host, entry, port, lines)


def _blocks(entry: Input) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Lines of each port, by its id; without any id all lines are one block."""
    identity, lines = "", list[tuple[int, str]]()
    for number, line in lines_of(entry):
        head = _PORT_ID.match(line)
        if head:
            if identity:
                yield identity, lines
            identity, lines = head["id"], []
        lines.append((number, line))
    if lines:
        yield identity, lines


_QOS_FIELDS = ("Classification type", "PFC priority bitmap")


def _read_block(host: Host, entry: Input, port: str, lines: list[tuple[int, str]]) -> None:
    """Record the QoS of one port."""
    who = witness(entry)
    found: dict[str, dict[int, tuple[Any, int]]] = defaultdict(dict)  # values with positions
    bitmap: Value[int] = ABSENT
    for number, line in lines:
        mapped, row, field = _DSCPS.match(line), _ROW.match(line), _FIELD.match(line)
        no_drop = line.startswith("PFC no-drop priorities")
        key, value = (field["key"], field["value"].strip()) if field else ("", "")
        repeated = _BITMAP.match(line) or _PORT_ID.match(line)  # by a line in words
        if not (mapped or row or no_drop or repeated or key in _QOS_FIELDS):
            continue
        position = host.line(entry, number)
        if mapped:
            level = whole_of(mapped["priority"])
            dscps = numbers_in(mapped["dscps"], DSCPS - 1)
            found["DSCP to priority"] |= dict.fromkeys(dscps, (level, position))
        elif row:
            # A priority has its own queue, with the same number.
            level, rate = whole_of(row["priority"]), whole(row["rate"], 1, 10_000)
            for what, stated in (
                ("class scheduling", "ets" if row["kind"].upper() == "DWRR" else "strict"),
                ("class bandwidth", percent(row["share"])),
                ("class rate limit", None if rate is None else rate * GBPS),
                ("priority to class", level),
            ):
                found[what].pop(level, None)
                if stated is not None:
                    found[what][level] = (stated, position)
        elif key == "Classification type":
            trust = {"DSCP": "dscp", "PCP": "pcp"}.get(value)
            host.port(port, "trust", Value(trust, position), who)
        elif key == "PFC priority bitmap":
            bitmap = Value(whole(value, 0, (1 << PRIORITIES) - 1), position)
        elif no_drop:
            table = _pfc(line.partition(":")[2].strip(), position, bitmap)
            host.port_table(port, "PFC", table, who)
    for what, entries in found.items():
        if entries:
            host.port_table(port, what, placed(entries, whole=len(entries) == DSCPS), who)


def _pfc(text: str, position: int, bitmap: Value[int]) -> Table:
    """PFC by `3`, `3,4` or nothing. A no-drop priority outside the bitmap has PFC off."""
    listed = numbers_in(text, PRIORITIES - 1) if text[:1].isdigit() else ()
    on = (1 << PRIORITIES) - 1 if bitmap.value is None else bitmap.value
    bits = {n: 1 if n in listed and on >> n & 1 else 0 for n in range(PRIORITIES)}
    # The shorter of the two lines is the reason for a disabled priority.
    less = any(not bits[n] for n in listed) and not on & ~sum(1 << n for n in set(listed))
    return Table(bits, lambda n: bitmap.position if less and not bits[n] else position)


def numbers_in(text: str, highest: int) -> list[int]:
    """Numbers of `0-23, 25-45`; invalid parts are left out."""
    found: list[int] = []
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        first, last = whole(low, 0, highest), whole(high or low, 0, highest)
        if first is not None and last is not None:
            found += range(first, last + 1)
    return found


def read_dcqcn(host: Host, entry: Input) -> None:
    """Read `nicctl show dcqcn`: one block per logical interface, named by its RDMA device."""
    nic = ""
    who = witness(entry)
    for number, line in lines_of(entry):
        field = _FIELD.match(line)
        if field is None:
            continue
        key, value = field["key"], field["value"].strip()
        if key == "ROCE device":
            nic = value
            host.line(entry, number)
        elif nic and key in DCQCN:
            what, convert = DCQCN[key]
            host.nic(nic, what, Value(convert(value), host.line(entry, number)), who)


DCQCN: dict[str, tuple[str, Callable[[str], object]]] = {
    "Status": ("CC", {"Enabled": True, "Disabled": False}.get),
    "DSCP value used for CNP": ("CNP DSCP", lambda text: whole(text, 0, DSCPS - 1)),
}
PAUSES = {"PFC": "PFC", "LINK": "link", "NONE": "none"}
"""Flow control of a port, by its pause type."""


def read_port_text(host: Host, entry: Input) -> None:
    """Read `nicctl show port` as text: blocks of a port with Spec and Status."""
    for identity, lines in _blocks(entry):
        spec, part = dict[str, Value[str]](), ""
        for number, line in lines:
            if line in ("Spec:", "Status:"):
                part = line
            field = _FIELD.match(line)
            if field and part == "Spec:" and field["key"] in SPEC:
                position = host.line(entry, number)
                spec[SPEC[field["key"]]] = Value(field["value"].strip(), position)
        _state_port(host, entry, identity, spec)


SPEC = {
    "Pause type": "pause_type", "TX pause": "tx_pause", "RX pause": "rx_pause",
    "FEC type": "fec_type", "Auto negotiation": "auto_negotiation", "speed": "port_speed",
}  # fmt: skip
"""Port settings that are read, by their text name; in JSON they have the other."""


def read_port_json(host: Host, entry: Input) -> None:
    """Read `nicctl show port -j`."""
    for keys, port in _entries(entry.tree, "port"):
        spec = port.get("spec")
        if isinstance(spec, dict) and isinstance(spec.get("id"), str):
            settings = {
                name: Value(str(spec[name]), host.at(entry, *keys, "spec", name))
                for name in SPEC.values()
                if name in spec
            }
            host.mark(entry, *keys, "spec", "id")
            _state_port(host, entry, spec["id"], settings)


def _entries(tree: Any, name: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Elements of the lists `name` of all adapters, with their paths."""
    nics = tree.get("nic") if isinstance(tree, dict) else None
    for row, nic in enumerate(nics if isinstance(nics, list) else ()):
        listed = nic.get(name) if isinstance(nic, dict) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(each, dict):
                yield ("nic", row, name, index), each


def _state_port(host: Host, entry: Input, identity: str, settings: dict[str, Value[str]]) -> None:
    port = port_of_id(host, identity)
    if port is None or not settings:
        return
    who = witness(entry)
    kind = settings.get("pause_type", ABSENT).map(lambda text: PAUSES.get(text.upper()))
    host.port(port, "pause kind", kind, who)
    for direction in ("RX", "TX"):
        switch = settings.get(f"{direction.lower()}_pause", ABSENT)
        if kind:
            on = kind.value == "link" and switch.value == "enabled"
            host.port(port, f"{direction} pause", Value(on, switch.position or kind.position), who)
        if kind.value == "PFC" and switch.value == "disabled":
            host.port(port, f"{direction} PFC", Value(value=False, position=switch.position), who)
    for name, what, convert in (
        ("fec_type", "FEC", lambda text: FECS.get(text.lower())),
        ("auto_negotiation", "autonegotiation", lambda text: text == "enabled"),
        ("port_speed", "speed", lambda text: whole(text.upper().rstrip("G"), 1, 3200)),
    ):
        stated = settings.get(name, ABSENT).map(convert)
        host.port(port, what, stated.map(real) if what == "speed" else stated, who)


def read_lif_json(host: Host, entry: Input) -> None:
    """Read `nicctl show lif -j`: logical interfaces with their RDMA MTU."""
    who = witness(entry)
    for keys, lif in _entries(entry.tree, "lif"):
        spec, status = lif.get("spec"), lif.get("status")
        name = status.get("name") if isinstance(status, dict) else None
        if not isinstance(spec, dict) or not isinstance(name, str):
            continue
        host.mark(entry, *keys, "status", "name")
        for key, what in (("mac_address", "MAC"), ("rdma_mtu", "RDMA MTU")):
            if isinstance(text := spec.get(key), str):
                stated = whole(text, 256, 4096) if key == "rdma_mtu" else text
                host.port(name, what, Value(stated, host.at(entry, *keys, "spec", key)), who)


def leave_json(host: Host, entry: Input) -> None:
    """Note JSON output of nicctl that is not read: no output and no field list of `show qos` and
    `show dcqcn` is published.
    """
    subject = entry.args.get("subject")
    what = f"the JSON form of `nicctl show {subject}`" if subject else "this JSON form of nicctl"
    message = f"{what} is not read, as no document tells its fields: save the output without `-j`"
    host.reading.note(NoteKind.UNRECOGNISED, message, host.spot_of_line(entry, 1))


def set_up(setter: Setter, words: Words) -> None:
    """`nicctl update qos|port|dcqcn ...`: for all adapters, or the one that `-p` names."""
    if len(words) < 3 or words[0] != "update":
        return
    options = _options(words[2:])
    if words[1] == "dcqcn":
        nic = options.get("-r", options.get("--roce-device"))
        given = options.get("--cnp-dscp")
        dscp = setter.take("--cnp-dscp", given, lambda text: whole(text, 0, DSCPS - 1), "0 to 63")
        setter.nic(nic, "CNP DSCP", dscp)
        setter.nic(nic, "CC", "--disable" not in words)
        return
    if words[1] not in ("qos", "port"):
        return
    for port in _ports(setter.host, options):
        if words[1] == "port":
            given = (options.get("--pause-type") or "").upper() or None
            kind = setter.take("--pause-type", given, PAUSES.get, "PFC, link or none")
            setter.port(port, "pause kind", kind)
        else:
            _set_qos(setter, port, words, options)


def _options(words: Words) -> dict[str, str | None]:
    """Options with the word after them."""
    pairs = itertools.pairwise((*words, None))
    return {word: after for word, after in pairs if word is not None and word.startswith("-")}


def _ports(host: Host, options: dict[str, str | None]) -> list[str]:
    """Interfaces of a command. An id known only to the script comes from a loop over all ports."""
    identity = options.get("-p", options.get("--port"))
    if identity:
        port = port_of_id(host, identity)
        return [port] if port else []
    return [] if {"-b", "-c", "--card"} & options.keys() else ports_of(host)


def ports_of(host: Host) -> list[str]:
    """Interfaces with this vendor's driver, or of RDMA devices named after it."""
    claims = host.claims
    found = claims.where(PORT, "driver", lambda stated: stated == DRIVER)
    for nic in claims.names(NIC):
        if nic.startswith(f"{DRIVER}_"):
            found += [str(value.value) for _, value in claims.values(NIC, nic, "port")]
    return list(dict.fromkeys(found))


def _set_qos(setter: Setter, port: str, words: Words, options: dict[str, str | None]) -> None:
    if "scheduling" in words:
        _set_scheduling(setter, port, options)
        return
    level = setter.take("--priority", options.get("--priority"), priority, "0 to 7")
    given = (options.get("--classification-type") or "").lower() or None
    trusts = {"dscp": "dscp", "pcp": "pcp"}.get
    setter.port(port, "trust", setter.take("--classification-type", given, trusts, "dscp or pcp"))
    if "dscp-to-priority" in words and level is not None:
        dscps = numbers_in(options.get("--dscp") or "", DSCPS - 1)
        setter.take("--dscp", options.get("--dscp"), lambda _: dscps or None, "DSCPs up to 63")
        entries = dict.fromkeys(dscps, level)
        setter.port_table(port, "DSCP to priority", entries, whole_table=len(entries) == DSCPS)
    elif "pfc" in words and level is not None:
        bits = {"enable": 1, "disable": 0}.get
        bit = setter.take("--no-drop", options.get("--no-drop"), bits, "enable or disable")
        if bit is not None:
            setter.port_table(port, "PFC", {level: bit})


def _set_scheduling(setter: Setter, port: str, options: dict[str, str | None]) -> None:
    """`--priority 0,3,6 --dwrr 1,99,0 --rate-limit 0,0,10`: a share of 0 is strict priority."""
    levels = [priority(text) for text in (options.get("--priority") or "").split(",")]
    shares = [percent(text) for text in (options.get("--dwrr") or "").split(",")]
    if len(levels) != len(shares) or None in levels or None in shares:
        return
    pairs = {n: share for n, share in zip(levels, shares, strict=True) if n is not None}
    kinds = {n: "ets" if share else "strict" for n, share in pairs.items()}
    setter.port_table(port, "class scheduling", kinds)
    setter.port_table(port, "class bandwidth", {n: share for n, share in pairs.items() if share})
    setter.port_table(port, "priority to class", {n: n for n in kinds})
