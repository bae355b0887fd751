"""The file in which lldpad keeps its settings (/var/lib/lldpad/lldpad.conf, libconfig)."""

from __future__ import annotations

import re

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux import dcb
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.dcbx.lldptool import ETS_KEYS, state_table, tell_settings
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.linux.tables import Table, line_of
from roce_lint.nos.reading import Input, Value

ETS, PFC, APP = "tlvid0080c209", "tlvid0080c20b", "tlvid0080c20c"
"""Groups of the IEEE 802.1 elements: organisation 00-80-C2 and the subtype."""

_GROUP = re.compile(r"(?P<name>[\w.@-]++)\s*+[:=]\s*+(?P<open>\{)?\s*+$")
_SETTING = re.compile(r"(?P<key>\w++)\s*+[=:]\s*+\"?(?P<value>[^\";]*+)\"?\s*+;?\s*+$")
_APP_KEY = re.compile(r"APP\d+$")

DEPTH = 3
"""Names that lead to a setting: `lldp`, the interface, the element."""


def read_lldpad(host: Host, entry: Input) -> None:
    """Take in lldpad.conf. The older group `dcbx` (CEE) is passed over."""
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
    host: Host, entry: Input, port: str, name: tuple[str, str], said: Value[str], who: Witness
) -> None:
    """One setting of an element; the position of `said` is a line number of the file."""
    tlv, key = name
    text = said.value or ""
    if tlv == PFC and key in ("enabled", "willing"):
        tell_settings(host, port, who)
    if tlv == PFC and key == "enabled":
        mask = whole(text, 0, 255)
        if mask is None:
            message = f"enabled = {text[:40]} is no bit map of 8 priorities"
            host.reading.note(NoteKind.BAD_VALUE, message, host.line(entry, said.position))
        else:
            bits = {n: mask >> n & 1 for n in range(dcb.PRIORITIES)}
            host.port_table(port, "PFC", Table(bits, line_of(host.line(entry, said.position))), who)
    elif tlv == PFC and key == "willing":
        willing = {"0": False, "1": True}.get(text)
        host.port(port, "PFC willing", Value(willing, host.line(entry, said.position)), who)
    elif tlv == ETS and key in ETS_KEYS:
        position = host.line(entry, said.position)
        state_table(host, port, key, Value(text, position), who)
