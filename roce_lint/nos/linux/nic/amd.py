"""AMD Pensando and Pollara adapters: `nicctl` outputs and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.dcb import DSCPS, PRIORITIES, percent, priority
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import NIC, PORT, Host, lines_of, whole, witness
from roce_lint.nos.linux.links import FECS
from roce_lint.nos.linux.tables import Table
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import real, whole_of

DRIVER = "ionic"
GBPS = 1_000_000_000

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


def mac_of(identity: str) -> str:
    """MAC address that begins a port id in published outputs."""
    digits = identity.replace("-", "").lower()[:12]
    return ":".join(digits[i : i + 2] for i in range(0, 12, 2))


def port_by_mac(host: Host, mac: str) -> str | None:
    """MAC address that begins a port id in published outputs."""
    for port in host.claims.names(PORT):
        macs = host.claims.values(PORT, port, "MAC")
        if any(str(value.value).lower() == mac for _, value in macs):
            return port
    return None


def read_qos(host: Host, entry: Input) -> None:
    """Read `nicctl show qos`: one block per port."""
    for identity, lines in _blocks(entry):
        if not any(_SUBJECT.match(line) for _, line in lines):
            continue
        port = port_by_mac(host, mac_of(identity)) if identity else None
        if port is None:
            port = host.port_of(entry)
        if port is None:
            return
        _Qos(host, entry, port).read(lines)


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


class _Qos:
    """QoS of one port while it is read."""

    def __init__(self, host: Host, entry: Input, port: str):
        self.host = host
        self.entry = entry
        self.port = port
        self.who: Witness = witness(entry)

    def read(self, lines: list[tuple[int, str]]) -> None:
        """Record the whole block."""
        dscps: dict[int, tuple[int, int]] = {}
        rows: dict[int, tuple[re.Match[str], int]] = {}
        bitmap: Value[int] = Value(None)
        for number, line in lines:
            mapped, row, field = _DSCPS.match(line), _ROW.match(line), _FIELD.match(line)
            if mapped:
                position = self._line(number)
                for dscp in numbers_in(mapped["dscps"], DSCPS - 1):
                    dscps[dscp] = (whole_of(mapped["priority"]), position)
            elif row:
                rows[whole_of(row["priority"])] = (row, self._line(number))
            elif _BITMAP.match(line) or _PORT_ID.match(line):
                self._line(number)  # repeated by the line in words
            elif field and field["key"] == "Classification type":
                trust = {"DSCP": "dscp", "PCP": "pcp"}.get(field["value"].strip())
                self.host.port(self.port, "trust", Value(trust, self._line(number)), self.who)
            elif field and field["key"] == "PFC priority bitmap":
                bitmap = Value(whole(field["value"], 0, (1 << PRIORITIES) - 1), self._line(number))
            elif line.startswith("PFC no-drop priorities"):
                self._pfc(line.partition(":")[2].strip(), self._line(number), bitmap)
        if dscps:
            self._state("DSCP to priority", dscps, whole_table=len(dscps) == DSCPS)
        self._rows(rows)

    def _line(self, number: int) -> int:
        return self.host.line(self.entry, number)

    def _state(self, what: str, found: dict[int, tuple[Any, int]], *, whole_table: bool) -> None:
        values = {key: value for key, (value, _) in found.items()}
        places = {key: place for key, (_, place) in found.items()}
        table = Table(values, places.__getitem__, whole_table)
        self.host.port_table(self.port, what, table, self.who)

    def _pfc(self, text: str, position: int, bitmap: Value[int]) -> None:
        """Read `3`, `3,4` or nothing. A no-drop priority outside the bitmap has PFC off."""
        listed = numbers_in(text, PRIORITIES - 1) if text[:1].isdigit() else ()
        on = (1 << PRIORITIES) - 1 if bitmap.value is None else bitmap.value
        bits = {n: 1 if n in listed and on >> n & 1 else 0 for n in range(PRIORITIES)}
        # The shorter of the two lines is the reason for a disabled priority.
        less = any(not bits[n] for n in listed) and not on & ~sum(1 << n for n in set(listed))
        table = Table(bits, lambda n: bitmap.position if less and not bits[n] else position)
        self.host.port_table(self.port, "PFC", table, self.who)

    def _rows(self, rows: dict[int, tuple[re.Match[str], int]]) -> None:
        """Read the scheduling table. A priority has its own queue, with the same number."""
        kinds: dict[int, tuple[Any, int]] = {}
        shares: dict[int, tuple[Any, int]] = {}
        rates: dict[int, tuple[Any, int]] = {}
        for level, (row, position) in rows.items():
            kinds[level] = ("ets" if row["kind"].upper() == "DWRR" else "strict", position)
            share, rate = percent(row["share"]), whole(row["rate"], 1, 10_000)
            if share is not None:
                shares[level] = (share, position)
            if rate is not None:
                rates[level] = (rate * GBPS, position)
        for what, found in (
            ("class scheduling", kinds),
            ("class bandwidth", shares),
            ("class rate limit", rates),
            ("priority to class", {level: (level, at) for level, (_, at) in kinds.items()}),
        ):
            if found:
                self._state(what, found, whole_table=False)


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
        elif nic and key == "Status":
            on = {"Enabled": True, "Disabled": False}.get(value)
            host.nic(nic, "CC", Value(on, host.line(entry, number)), who)
        elif nic and key == "DSCP value used for CNP":
            dscp = whole(value, 0, DSCPS - 1)
            host.nic(nic, "CNP DSCP", Value(dscp, host.line(entry, number)), who)


PAUSES = {"PFC": "PFC", "LINK": "link", "NONE": "none"}
"""Flow control of a port, by its pause type."""


def read_port_text(host: Host, entry: Input) -> None:
    """Read `nicctl show port` as text: blocks of a port with Spec and Status."""
    for identity, lines in _blocks(entry):
        spec: dict[str, Value[str]] = {}
        part = ""
        for number, line in lines:
            if line in ("Spec:", "Status:"):
                part = line
            field = _FIELD.match(line)
            if field and part == "Spec:" and field["key"] in SPEC:
                position = host.line(entry, number)
                spec[SPEC[field["key"]]] = Value(field["value"].strip(), position)
        _state_port(host, entry, identity, spec)


SPEC = {
    "Pause type": "pause_type",
    "TX pause": "tx_pause",
    "RX pause": "rx_pause",
    "FEC type": "fec_type",
    "Auto negotiation": "auto_negotiation",
    "speed": "port_speed",
}
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
    port = port_by_mac(host, mac_of(identity)) if identity else None
    if port is None or not settings:
        return
    who = witness(entry)
    none: Value[str] = Value(None)
    kind = settings.get("pause_type", none).map(lambda text: PAUSES.get(text.upper()))
    host.port(port, "pause kind", kind, who)
    for direction in ("RX", "TX"):
        switch = settings.get(f"{direction.lower()}_pause", none)
        if kind:
            on = kind.value == "link" and switch.value == "enabled"
            host.port(port, f"{direction} pause", Value(on, switch.position or kind.position), who)
        if kind.value == "PFC" and switch.value == "disabled":
            host.port(port, f"{direction} PFC", Value(value=False, position=switch.position), who)
    fec = settings.get("fec_type", none).map(lambda text: FECS.get(text.lower()))
    host.port(port, "FEC", fec, who)
    autoneg = settings.get("auto_negotiation", none)
    host.port(port, "autonegotiation", autoneg.map(lambda text: text == "enabled"), who)
    speed = settings.get("port_speed", none).map(
        lambda text: whole(text.upper().rstrip("G"), 1, 3200)
    )
    host.port(port, "speed", speed.map(real), who)


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
            if not isinstance(spec.get(key), str):
                continue
            stated: Value[Any] = Value(spec[key], host.at(entry, *keys, "spec", key))
            if key == "rdma_mtu":
                stated = stated.map(lambda text: whole(text, 256, 4096))
            host.port(name, what, stated, who)


def leave_json(host: Host, entry: Input) -> None:
    """Note JSON output of nicctl that is not read: no output and no field list of `show qos` and
    `show dcqcn` is published.
    """
    subject = entry.args.get("subject")
    what = f"the JSON form of `nicctl show {subject}`" if subject else "this JSON form of nicctl"
    host.reading.note(
        NoteKind.UNRECOGNISED,
        f"{what} is not read, as no document tells its fields: save the output without `-j`",
        host.reading.src.files[entry.file].first + 1,
    )


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
    return {
        word: words[at + 1] if at + 1 < len(words) else None
        for at, word in enumerate(words)
        if word is not None and word.startswith("-")
    }


def _ports(host: Host, options: dict[str, str | None]) -> list[str]:
    """Interfaces of a command. An id known only to the script comes from a loop over all ports."""
    identity = options.get("-p", options.get("--port"))
    if identity:
        port = port_by_mac(host, mac_of(identity))
        return [port] if port else []
    if {"-b", "-c", "--card"} & options.keys():
        return []
    return ports_of(host)


def ports_of(host: Host) -> list[str]:
    """Interfaces with this vendor's driver, or of RDMA devices named after it."""
    claims = host.claims
    found = [
        port
        for port in claims.names(PORT)
        if any(value.value == DRIVER for _, value in claims.values(PORT, port, "driver"))
    ]
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
        entries: dict[int, object] = dict.fromkeys(dscps, level)
        setter.port_table(port, "DSCP to priority", entries, whole_table=len(entries) == DSCPS)
    elif "pfc" in words and level is not None:
        bits = {"enable": 1, "disable": 0}.get
        bit = setter.take("--no-drop", options.get("--no-drop"), bits, "enable or disable")
        if bit is not None:
            setter.port_table(port, "PFC", {level: bit}, whole_table=False)


def _set_scheduling(setter: Setter, port: str, options: dict[str, str | None]) -> None:
    """`--priority 0,3,6 --dwrr 1,99,0 --rate-limit 0,0,10`: a share of 0 is strict priority."""
    levels = [priority(text) for text in (options.get("--priority") or "").split(",")]
    shares = [percent(text) for text in (options.get("--dwrr") or "").split(",")]
    if len(levels) != len(shares) or None in levels or None in shares:
        return
    pairs = [(level, share) for level, share in zip(levels, shares, strict=True)]
    kinds: dict[int, object] = {
        n: "ets" if share else "strict" for n, share in pairs if n is not None
    }
    weights: dict[int, object] = {n: share for n, share in pairs if n is not None and share}
    setter.port_table(port, "class scheduling", kinds, whole_table=False)
    setter.port_table(port, "class bandwidth", weights, whole_table=False)
