"""LLDP and DCBX of a host: `lldptool` and `lldpcli` output, and the settings file of lldpad."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.heard import Heard, Places
from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.claims import Table, Witness, line_of, placed
from roce_lint.nos.linux.host import AGENT, Host, lines_of, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.text.numbers import whole_of

# TLVs as text: DCBX elements in output of `lldptool` and Broadcom's tools.

_TITLE = re.compile(r"(?P<title>\S.*\S) TLV:?$")
_APP_LINE = re.compile(r"App#\s*\d+\s+Prio (?P<priority>\d)\s+Sel (?P<selector>\d)\s")
_APP_DSCP = re.compile(r"Prio:(?P<priority>\d)\s+dscp:\s*+(?P<dscps>[\d, ]*)$")
_APP_BLOCK = re.compile(r"APP#\d+:$")
_FIELD = re.compile(r"(?P<key>[A-Za-z]\w*+(?: +\w++)*+)\s*+:\s*+(?P<value>\S.*)$")

ETS_TITLE, PFC_TITLE, APP_TITLE = (
    f"IEEE 8021QAZ {name}" for name in ("ETS Configuration", "PFC", "APP")
)

WHOLE_BLOCK = 3
"""Lines of an APP entry: priority, selector, and selected value."""


@dataclass(slots=True)
class TlvText:
    """Values of the elements."""

    reading: Reading
    texts: dict[str, Value[str]] = field(default_factory=dict)  # by title
    pfc: Value[frozenset[int]] = ABSENT
    willing: Value[bool] = ABSENT
    maps: dict[str, dict[int, tuple[Any, int]]] = field(default_factory=dict)
    elements: bool = False  # a DCBX element was among them
    cut: int = 0  # line of an APP entry that the text ends within
    doubled: list[tuple[int, int, int, int]] = field(default_factory=list)
    """A DSCP under two priorities: the DSCP, both priorities, and the line of the first."""

    def pair(self, what: str, key: int, value: object, position: int) -> None:
        """Add one entry of a map; a DSCP under a second priority is noted."""
        first, line = self.maps.setdefault(what, {}).setdefault(key, (value, position))
        if first != value and what == "DSCP to priority":
            self.doubled.append((key, first, whole_of(str(value)), line))
        self.reading.take(position)


def read_tlv_text(host: Host, entry: Input) -> TlvText:
    """Read the elements of an output."""
    found = TlvText(host.reading)
    title = ""
    opened = 0
    block: dict[str, Value[str]] = {}
    for number, line in lines_of(entry):
        position = host.spot_of_line(entry, number)
        head = _TITLE.match(line)
        if head or (title == APP_TITLE and _APP_BLOCK.match(line)):
            _app_block(found, block)
            title, block = head["title"] if head else title, {}
            opened = opened if head else position
            if title in (ETS_TITLE, PFC_TITLE, APP_TITLE):
                found.elements = True
                host.reading.take(position)
        elif title == APP_TITLE:
            _app(found, block, line, position)
        elif title in (PFC_TITLE, ETS_TITLE):
            if match := _FIELD.match(line):
                read = _pfc if title == PFC_TITLE else _ets
                read(found, match["key"], match["value"], position)
        elif title and title not in found.texts:
            found.texts[title] = Value(line, position)
    _app_block(found, block)
    if title == APP_TITLE and opened and len(block) < WHOLE_BLOCK:
        found.cut = opened
    return found


def _pfc(found: TlvText, key: str, value: str, position: int) -> None:
    if key == "PFC enabled":
        words = value.replace(",", " ").split()
        numbers = [] if words == ["none"] else [dcb.priority(word) for word in words]
        if None not in numbers:
            found.pfc = Value(frozenset(n for n in numbers if n is not None), position)
            found.reading.take(position)
    elif key == "Willing" and value in ("yes", "no"):
        found.willing = Value(value == "yes", position)
        found.reading.take(position)


def _ets(found: TlvText, key: str, value: str, position: int) -> None:
    words = value.split()
    if key == "TC Bandwidth":
        words = [f"{tc}:{word.rstrip('%')}" for tc, word in enumerate(words[: dcb.PRIORITIES])]
    what, convert = _ETS_MAPS.get(key, ("", dcb.priority))
    for word in words if what else ():
        left, _, right = word.partition(":")
        index, stated = dcb.priority(left), convert(right)
        if index is not None and stated is not None:
            found.pair(what, index, stated, position)


_ETS_MAPS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "TC Bandwidth": ("class bandwidth", dcb.percent),
    "PRIO_MAP": ("priority to class", dcb.priority),
    "TSA_MAP": ("class scheduling", dcb.scheduling),
}


def _app(found: TlvText, block: dict[str, Value[str]], line: str, position: int) -> None:
    """Read one line below the APP title, in lldptool form or in a block of Broadcom's."""
    dscps = _APP_DSCP.match(line)
    if dscps:
        for word in dscps["dscps"].replace(",", " ").split():
            if (dscp := whole(word, 0, 63)) is not None:
                found.pair("DSCP to priority", dscp, whole_of(dscps["priority"]) & 7, position)
    elif _APP_LINE.match(line):
        found.reading.take(position)
    elif match := _FIELD.match(line):
        block[match["key"]] = Value(match["value"], position)


def _app_block(found: TlvText, block: dict[str, Value[str]]) -> None:
    """Close a block: `Priority: 3`, `Sel: 5`, `DSCP: 26`."""
    if {"Priority", "Sel"} <= block.keys():
        for _, position in block.values():
            found.reading.take(position)
        level = block["Priority"].map(dcb.priority)
        dscp = block.get("DSCP", ABSENT).map(lambda text: whole(text, 0, 63)).value
        if block["Sel"].value == "5" and dscp is not None and level.value is not None:
            found.pair("DSCP to priority", dscp, level.value, level.position)


# Output of `lldptool`.

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
    if (port := entry.args.get("port")) is None:
        host.note_unplaced(entry, "network interface, and at which end,")
        return
    who = Witness("lldpad", live=False, file=entry.file)
    record_settings(host, port, who)
    if "tlv" in entry.args:
        _state_keys(host, entry, port, who)
        return
    found = read_tlv_text(host, entry)
    if found.texts or found.elements:
        begin = host.spot_of_line(entry, lines_of(entry)[0][0])
        host.port(port, "lldpad", Value(True, begin), witness(entry))
    state(host, port, found, who)


def state(host: Host, port: str, found: TlvText, who: Witness) -> None:
    """Record the elements of a port."""
    host.port(port, "PFC willing", found.willing, who)
    if found.pfc.value is not None:
        bits = {n: int(n in found.pfc.value) for n in range(dcb.PRIORITIES)}
        host.port_table(port, "PFC", Table(bits, line_of(found.pfc.position)), who)
    if found.cut:
        message = "the output ends within this APP entry: others may be missing"
        host.reading.note(NoteKind.UNRECOGNISED, message, found.cut)
    for doubled in found.doubled:
        host.note_two_priorities(port, *doubled)
    for what, entries in found.maps.items():
        of_dscps = what == "DSCP to priority"
        is_whole = dcb.is_all(entries) or (of_dscps and not found.cut)
        doubtful = frozenset(dscp for dscp, *_ in found.doubled if of_dscps)
        host.port_table(port, what, placed(entries, whole=is_whole, doubtful=doubtful), who)


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
    if (port := entry.args.get("port")) is None:
        host.note_unplaced(entry, "network interface")
        return
    found = read_tlv_text(host, entry)
    texts: dict[str, Value[str]] = {each: found.texts.get(each, ABSENT) for each in _TITLES}
    for text in texts.values():
        host.reading.take(text.position)
    heard = Heard(pfc=found.pfc, willing=found.willing)
    heard.device = texts["System Name"] or texts["Chassis ID"].map(_without_kind)
    for title in ("Port ID", "Port Description"):
        heard.add_name(texts[title].map(_without_kind))
    heard.max_frame = texts["Maximum Frame Size"].map(lambda text: whole(text, 64, 1 << 17))
    doubtful = {dscp for dscp, *_ in found.doubled}
    heard.dscps = _map(found.maps.get("DSCP to priority"), doubtful)
    heard.classes = _map(found.maps.get("priority to class"), set())
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
        host.bad(f"enabled = {text[:40]} is no bit map of 8 priorities", position)
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
