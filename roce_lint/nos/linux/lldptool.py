"""LLDP and DCBX of a host: `lldptool` and `lldpcli` output, and the settings file of lldpad."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from roce_lint.model.device import NoteKind
from roce_lint.nos.heard import Heard, Places
from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import AGENT, Host, lines_of, whole, witness
from roce_lint.nos.linux.tables import Table, line_of
from roce_lint.nos.linux.tlv_text import TlvText, read_tlv_text
from roce_lint.nos.lldpcli import read_keys, read_text, read_tree
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

FRAME = "Maximum Frame Size"

SETTINGS = "settings of lldpad"
"""Kind of object known by port: lldpad settings, from its outputs, its file or commands."""


def record_settings(host: Host, port: str, who: Witness) -> None:
    """Record that the lldpad settings of a port are known."""
    host.claims.state(SETTINGS, port, "known", Value(value=True), who)


_ID = re.compile(
    r"(?:MAC|Ifname|Local|IPv4|IPv6|Name|Network Address): *(?P<id>\S.*)$", re.IGNORECASE
)
_APP_C = re.compile(r"\d+:\((?P<priority>[0-7]),5,(?P<dscp>\d+)\)")


def read_local(host: Host, entry: Input) -> None:
    """Read `lldptool -t -i DEV`: elements that lldpad advertises, and applies if the driver allows.

    The driver's own state wins: a setting of lldpad may never reach the driver.
    """
    port = entry.args.get("port")
    if port is None:
        host.note_unplaced(entry, "network interface, and at which end,")
        return
    who = Witness("lldpad", live=False, file=entry.file)
    record_settings(host, port, who)
    if "tlv" in entry.args:
        _state_keys(host, entry, port, who)
        return
    found = read_tlv_text(lines_of(entry))
    if found.texts or found.elements:
        begin = host.reading.src.files[entry.file].first + lines_of(entry)[0][0]
        host.port(port, "lldpad", Value(value=True, position=begin), witness(entry))
    state(host, entry, port, found, who)


def state(host: Host, entry: Input, port: str, found: TlvText, who: Witness) -> None:
    """Record the elements of a port."""
    first = host.reading.src.files[entry.file].first
    for number in sorted(found.lines):
        host.line(entry, number)
    if found.willing is not None:
        willing, number = found.willing
        host.port(port, "PFC willing", Value(willing, first + number), who)
    if found.pfc is not None:
        enabled, number = found.pfc
        bits = {n: int(n in enabled) for n in range(dcb.PRIORITIES)}
        host.port_table(port, "PFC", Table(bits, line_of(first + number)), who)
    if found.cut:
        message = "the output ends within this APP entry: others may be missing"
        host.reading.note(NoteKind.UNRECOGNISED, message, first + found.cut)
    for dscp, one, other, number in found.doubled:
        host.claims.ambiguous(
            f"{port}: DSCP {dscp} is mapped to priority {one} and {other};"
            " which one the NIC uses is not known",
            first + number,
        )
    doubtful = frozenset(dscp for dscp, *_ in found.doubled)
    for what, entries in found.maps.items():
        values = {key: value for key, (value, _) in entries.items()}
        places = {key: first + number for key, (_, number) in entries.items()}
        is_whole = dcb.is_all(values) or (what == "DSCP to priority" and not found.cut)
        table = Table(values, places.__getitem__, is_whole)
        if what == "DSCP to priority":
            table.doubtful = doubtful
        host.port_table(port, what, table, who)


def _state_keys(host: Host, entry: Input, port: str, who: Witness) -> None:
    """`lldptool -t -i DEV -V TLV -c`: `willing=no`, `up2tc=0:0,...`, `0:(3,5,26) local hw`."""
    tlv = entry.args["tlv"].upper()
    dscps: dict[int, object] = {}
    first = host.reading.src.files[entry.file].first
    begin = 0
    for number, line in lines_of(entry):
        key, _, value = line.partition("=")
        app = _APP_C.match(line)
        if app:
            dscp = whole(app["dscp"], 0, 63)
            if dscp is not None:
                dscps[dscp] = whole_of(app["priority"])
                begin = begin or host.line(entry, number)
                host.line(entry, number)
        elif tlv == "PFC" and key == "willing":
            willing = {"yes": True, "no": False}.get(value)
            host.port(port, "PFC willing", Value(willing, host.line(entry, number)), who)
        elif tlv == "PFC" and key == "enabled":
            bits = priorities(value)
            if bits is not None:
                table = Table(bits, line_of(host.line(entry, number)))
                host.port_table(port, "PFC", table, who)
        elif tlv == "ETS-CFG" and key in ETS_KEYS:
            state_table(host, port, key, Value(value, first + number), who)
    if dscps:
        table = Table(dscps, line_of(begin))
        host.port_table(port, "DSCP to priority", table, who)


def priorities(text: str) -> dict[int, int] | None:
    """Bits of a list such as `3,4` or `none`."""
    listed = [] if text == "none" else [dcb.priority(each) for each in text.split(",")]
    if None in listed:
        return None
    return {n: int(n in listed) for n in range(dcb.PRIORITIES)}


ETS_KEYS = {
    "up2tc": ("priority to class", dcb.priority),
    "tcbw": ("class bandwidth", dcb.percent),
    "tsa": ("class scheduling", dcb.scheduling),
}
"""Keys of the ETS configuration, in lldptool and in the lldpad file."""


def state_table(host: Host, port: str, key: str, stated: Value[str], who: Witness) -> None:
    """Record a list such as `0:0,1:0,2:0`, or `50,0,0,50` by position."""
    what, convert = ETS_KEYS[key]
    words = (stated.value or "").split(",")[: dcb.PRIORITIES]
    pairs = [word.split(":", 1) if ":" in word else [str(n), word] for n, word in enumerate(words)]
    entries = {
        whole_of(left): value
        for left, right in pairs
        if dcb.priority(left) is not None and (value := convert(right)) is not None
    }
    if entries:
        table = Table(entries, line_of(stated.position), dcb.is_all(entries))
        host.port_table(port, what, table, who)
        host.reading.take(stated.position)


def read_neighbor(host: Host, entry: Input) -> None:
    """Read `lldptool -t -n -i DEV`: the elements of the neighbour."""
    port = entry.args.get("port")
    if port is None:
        host.note_unplaced(entry, "network interface")
        return
    found = read_tlv_text(lines_of(entry))
    heard = Heard()
    chassis, name = _text(host, entry, found, "Chassis ID"), found.texts.get("System Name")
    heard.device = Value(name[0], host.line(entry, name[1])) if name else chassis
    for title in ("Port ID", "Port Description"):
        text = _text(host, entry, found, title)
        if text.value:
            heard.names.setdefault(text.value, text.position)
    if FRAME in found.texts:
        text_, number = found.texts[FRAME]
        heard.max_frame = Value(whole(text_, 64, 1 << 17), host.line(entry, number))
    first = host.reading.src.files[entry.file].first
    for number in sorted(found.lines):
        host.line(entry, number)
    if found.pfc is not None:
        heard.pfc = Value(found.pfc[0], first + found.pfc[1])
    if found.willing is not None:
        heard.willing = Value(found.willing[0], first + found.willing[1])
    heard.dscps = _heard_map(found, "DSCP to priority", first)
    heard.classes = _heard_map(found, "priority to class", first)
    if heard.device:
        position = heard.device.position
        host.port(port, "heard", Value(value=True, position=position), witness(entry))
        host.hear(port, heard)


def _text(host: Host, entry: Input, found: TlvText, title: str) -> Value[str]:
    if title not in found.texts:
        return Value(None)
    text, number = found.texts[title]
    match = _ID.match(text)
    return Value(match["id"] if match else text, host.line(entry, number))


def _heard_map(found: TlvText, what: str, first: int) -> Value[dict[int, int]]:
    entries = found.maps.get(what)
    doubtful = {dscp for dscp, *_ in found.doubled} if what == "DSCP to priority" else set()
    if not entries:
        return Value(None)
    values = {key: value for key, (value, _) in entries.items() if key not in doubtful}
    return Value(values, first + min(number for _, number in entries.values()))


# Settings file of lldpad (/var/lib/lldpad/lldpad.conf, libconfig).

ETS, PFC, APP = "tlvid0080c209", "tlvid0080c20b", "tlvid0080c20c"
"""Groups of the IEEE 802.1 elements: organisation 00-80-C2 and the subtype."""

_GROUP = re.compile(r"(?P<name>[\w.@-]++)\s*+[:=]\s*+(?P<open>\{)?\s*+$")
_SETTING = re.compile(r"(?P<key>\w++)\s*+[=:]\s*+\"?(?P<value>[^\";]*+)\"?\s*+;?\s*+$")
_APP_KEY = re.compile(r"APP\d+$")

DEPTH = 3
"""Levels of a setting: `lldp`, the interface, the element."""


def read_lldpad(host: Host, entry: Input) -> None:
    """Read lldpad.conf. The older group `dcbx` (CEE) is skipped."""
    who = witness(entry)
    path: list[str] = []
    pending = ""
    dscps: dict[str, dict[int, tuple[int, int]]] = {}
    for number, line in lines_of(entry):
        group = _GROUP.match(line)
        if group:
            pending = group["name"]
        if line.endswith("{"):
            path.append(pending)
        elif line.startswith("}"):
            del path[-1:]
        elif group is None and len(path) == DEPTH and path[0] == "lldp":
            setting = _SETTING.match(line)
            if setting is None:
                continue
            port, key, value = path[1], setting["key"], setting["value"].strip()
            if path[2] == APP and _APP_KEY.match(key):
                numbers = [whole(word.strip(), 0, 65535) for word in value.split(",")]
                if len(numbers) == 3 and numbers[1] == 5 and None not in numbers:
                    position = host.line(entry, number)
                    dscp, level = numbers[2] or 0, numbers[0] or 0
                    dscps.setdefault(port, {})[dscp] = (level, position)
            else:
                _setting(host, entry, port, (path[2], key), Value(value, number), who)
    for port, entries in dscps.items():
        values = {dscp: level for dscp, (level, _) in entries.items() if level < dcb.PRIORITIES}
        places = {dscp: position for dscp, (_, position) in entries.items()}
        host.port_table(port, "DSCP to priority", Table(values, places.__getitem__), who)


def _setting(
    host: Host, entry: Input, port: str, name: tuple[str, str], given: Value[str], who: Witness
) -> None:
    """Record one setting of an element; the position of `given` is a line number of the file."""
    tlv, key = name
    text = given.value or ""
    if tlv == PFC and key in ("enabled", "willing"):
        record_settings(host, port, who)
    if tlv == PFC and key == "enabled":
        mask = whole(text, 0, 255)
        if mask is None:
            message = f"enabled = {text[:40]} is no bit map of 8 priorities"
            host.reading.note(NoteKind.BAD_VALUE, message, host.line(entry, given.position))
        else:
            bits = {n: mask >> n & 1 for n in range(dcb.PRIORITIES)}
            host.port_table(
                port, "PFC", Table(bits, line_of(host.line(entry, given.position))), who
            )
    elif tlv == PFC and key == "willing":
        willing = {"0": False, "1": True}.get(text)
        host.port(port, "PFC willing", Value(willing, host.line(entry, given.position)), who)
    elif tlv == ETS and key in ETS_KEYS:
        position = host.line(entry, given.position)
        state_table(host, port, key, Value(text, position), who)


# Neighbours of a host's ports in `lldpcli` output.


def read_neighbors(host: Host, entry: Input) -> None:
    """Read `lldpcli -f json` or `-f json0 show neighbors`, with or without details."""
    if isinstance(entry.tree, dict) and entry.tree.get("lldp") is not None:
        _record_agent(host, entry, host.spot(entry, "lldp"))
    _hear(host, entry, read_tree)


def read_lines(host: Host, entry: Input) -> None:
    """Read `lldpcli show neighbors` or `lldpctl` as text."""
    _hear(host, entry, read_text)


def read_keyvalue(host: Host, entry: Input) -> None:
    """Read `lldpcli -f keyvalue show neighbors`, with or without details."""
    _hear(host, entry, read_keys)


def leave_other(host: Host, entry: Input) -> None:
    """Note that neighbours in another output form are not read; links and DCBX depend on them."""
    host.reading.note(
        NoteKind.UNRECOGNISED,
        "this form of lldpcli is not read; save `lldpcli -f json0 show neighbors details`",
        host.reading.src.files[entry.file].first + 1,
    )


def _hear(host: Host, entry: Input, read: Callable[[Places, Input], Iterator[Heard]]) -> None:
    for heard in read(host, entry):
        found = host.hear(str(heard.port.value), heard)
        if found is not None:
            begin = found.at[""]
            if entry.tree is None:
                _record_agent(host, entry, begin)
            value = Value(value=True, position=begin)
            host.port(str(heard.port.value), "heard", value, witness(entry))


def _record_agent(host: Host, entry: Input, position: int) -> None:
    """Record lldpd, which answers lldpcli, as an agent that advertises on every port."""
    host.claims.state(AGENT, "lldpd", "line", Value(value=True, position=position), witness(entry))
