"""LLDP and DCBX of a host: `lldptool` and `lldpcli` output, and the settings file of lldpad."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.heard import Heard, Places
from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import AGENT, Host, lines_of, whole, witness
from roce_lint.nos.linux.tables import Table, line_of, placed
from roce_lint.nos.linux.tlv_text import TlvText, read_tlv_text
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import whole_of

T = TypeVar("T")

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
        begin = host.spot_of_line(entry, lines_of(entry)[0][0])
        host.port(port, "lldpad", Value(True, begin), witness(entry))
    state(host, entry, port, found, who)


def state(host: Host, entry: Input, port: str, found: TlvText, who: Witness) -> None:
    """Record the elements of a port."""
    for number in found.lines:
        host.line(entry, number)
    host.port(port, "PFC willing", _placed(host, entry, found.willing), who)
    if found.pfc.value is not None:
        bits = {n: int(n in found.pfc.value) for n in range(dcb.PRIORITIES)}
        place = line_of(host.spot_of_line(entry, found.pfc.position))
        host.port_table(port, "PFC", Table(bits, place), who)
    if found.cut:
        message = "the output ends within this APP entry: others may be missing"
        host.reading.note(NoteKind.UNRECOGNISED, message, host.spot_of_line(entry, found.cut))
    for dscp, one, other, number in found.doubled:
        host.note_two_priorities(port, dscp, one, other, host.spot_of_line(entry, number))
    for what, entries in found.maps.items():
        of_dscps = what == "DSCP to priority"
        values = {n: (value, host.spot_of_line(entry, at)) for n, (value, at) in entries.items()}
        is_whole = dcb.is_all(values) or (of_dscps and not found.cut)
        doubtful = frozenset(dscp for dscp, *_ in found.doubled if of_dscps)
        host.port_table(port, what, placed(values, whole=is_whole, doubtful=doubtful), who)


def _placed(host: Host, entry: Input, value: Value[T]) -> Value[T]:
    """A value whose position is a line number of its file, at the position of that line."""
    return value and Value(value.value, host.spot_of_line(entry, value.position))


def _state_keys(host: Host, entry: Input, port: str, who: Witness) -> None:
    """`lldptool -t -i DEV -V TLV -c`: `willing=no`, `up2tc=0:0,...`, `0:(3,5,26) local hw`."""
    tlv = entry.args["tlv"].upper()
    dscps: dict[int, object] = {}
    begin = 0
    for number, line in lines_of(entry):
        key, _, value = line.partition("=")
        app = _APP_C.match(line)
        if app:
            dscp = whole(app["dscp"], 0, 63)
            if dscp is not None:
                dscps[dscp] = whole_of(app["priority"])
                position = host.line(entry, number)
                begin = begin or position
        elif tlv == "PFC" and key == "willing":
            willing = {"yes": True, "no": False}.get(value)
            host.port(port, "PFC willing", Value(willing, host.line(entry, number)), who)
        elif tlv == "PFC" and key == "enabled":
            listed = [] if value == "none" else [dcb.priority(each) for each in value.split(",")]
            if None not in listed:
                bits = {n: int(n in listed) for n in range(dcb.PRIORITIES)}
                host.port_table(port, "PFC", Table(bits, line_of(host.line(entry, number))), who)
        elif tlv == "ETS-CFG" and key in ETS_KEYS:
            state_table(host, port, key, Value(value, host.spot_of_line(entry, number)), who)
    if dscps:
        host.port_table(port, "DSCP to priority", Table(dscps, line_of(begin)), who)


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
    known = {title: found.texts[title] for title in _TITLES if title in found.texts}
    found.lines.update(text.position for text in known.values())
    for number in found.lines:
        host.line(entry, number)
    texts = {title: _placed(host, entry, text) for title, text in known.items()}
    heard.device = texts.get("System Name") or texts.get("Chassis ID", ABSENT).map(_without_kind)
    for title in ("Port ID", "Port Description"):
        heard.add_name(texts.get(title, ABSENT).map(_without_kind))
    frame = texts.get("Maximum Frame Size", ABSENT)
    heard.max_frame = frame.map(lambda text: whole(text, 64, 1 << 17))
    heard.pfc = _placed(host, entry, found.pfc)
    heard.willing = _placed(host, entry, found.willing)
    doubtful = {dscp for dscp, *_ in found.doubled}
    heard.dscps = _placed(host, entry, _map(found.maps.get("DSCP to priority"), doubtful))
    heard.classes = _placed(host, entry, _map(found.maps.get("priority to class"), set()))
    if heard.device:
        host.port(port, "heard", Value(True, heard.device.position), witness(entry))
        host.hear(port, heard)


_TITLES = ("System Name", "Chassis ID", "Port ID", "Port Description", "Maximum Frame Size")


def _without_kind(text: str) -> str:
    """`swp1` of `Ifname: swp1`."""
    match = _ID.match(text)
    return match["id"] if match else text


def _map(entries: dict[int, tuple[Any, int]] | None, doubtful: set[int]) -> Value[dict[int, int]]:
    if not entries:
        return ABSENT
    values = {key: value for key, (value, _) in entries.items() if key not in doubtful}
    return Value(values, min(number for _, number in entries.values()))


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
        valid = {dscp: each for dscp, each in entries.items() if each[0] < dcb.PRIORITIES}
        host.port_table(port, "DSCP to priority", placed(valid), who)


def _setting(
    host: Host, entry: Input, port: str, name: tuple[str, str], given: Value[str], who: Witness
) -> None:
    """Record one setting of an element; the position of `given` is a line number of the file."""
    tlv, key = name
    text = given.value or ""
    if tlv == ETS and key in ETS_KEYS:
        state_table(host, port, key, Value(text, host.line(entry, given.position)), who)
    if tlv != PFC or key not in ("enabled", "willing"):
        return
    record_settings(host, port, who)
    position = host.line(entry, given.position)
    mask = whole(text, 0, 255)
    if key == "willing":
        willing = {"0": False, "1": True}.get(text)
        host.port(port, "PFC willing", Value(willing, position), who)
    elif mask is None:
        message = f"enabled = {text[:40]} is no bit map of 8 priorities"
        host.bad(message, position)
    else:
        bits = {n: mask >> n & 1 for n in range(dcb.PRIORITIES)}
        host.port_table(port, "PFC", Table(bits, line_of(position)), who)


# Neighbours of a host's ports in `lldpcli` output.


def hear(read: Callable[[Places, Input], Iterator[Heard]], host: Host, entry: Input) -> None:
    """Read `lldpcli show neighbors` in an output form, with or without details.

    lldpd, which answers lldpcli, is an agent that advertises on every port.
    """
    tree, who = entry.tree, witness(entry)
    if isinstance(tree, dict) and tree.get("lldp") is not None:
        host.claims.state(AGENT, "lldpd", "line", Value(True, host.spot(entry, "lldp")), who)
    for heard in read(host, entry):
        found = host.hear(str(heard.port.value), heard)
        if found is not None:
            begin = Value(True, found.at[""])
            if tree is None:
                host.claims.state(AGENT, "lldpd", "line", begin, who)
            host.port(str(heard.port.value), "heard", begin, who)


def leave_other(host: Host, entry: Input) -> None:
    """Note that neighbours in another output form are not read; links and DCBX depend on them."""
    message = "this form of lldpcli is not read; save `lldpcli -f json0 show neighbors details`"
    host.reading.note(NoteKind.UNRECOGNISED, message, host.spot_of_line(entry, 1))
