"""What `ethtool` shows of a port: speed, driver, global pause, FEC."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from roce_lint.model.interface import Fec
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

FECS = {
    "auto": Fec.AUTO,
    "rs": Fec.RS,
    "llrs": Fec.RS,
    "baser": Fec.FC,
    "off": Fec.NONE,
    "none": Fec.NONE,
}
"""FEC encodings as ethtool prints them (ethtool(8), --show-fec)."""

ON_OFF = {"on": True, "off": False}

_OWNER = re.compile(
    r"(?:Settings for|Pause parameters for|FEC parameters for|Private flags for) (\S+):$"
)


def _rows(entry: Input) -> Iterator[tuple[int, str, str]]:
    """Number, key and value of every `Key: value` line."""
    for number, line in lines_of(entry):
        key, colon, value = line.partition(":")
        if colon:
            yield number, key.strip(), value.strip()


def _owner(host: Host, entry: Input) -> str | None:
    """The port that the first line names, else the command or the file name."""
    for _, line in lines_of(entry):
        owner = _OWNER.match(line)
        if owner and owner[1] != "interface":
            return owner[1]
        break
    return host.port_of(entry)


def _is_wanted(rows: Iterable[tuple[int, str, str]], keys: Iterable[str]) -> bool:
    return bool({key for _, key, _ in rows} & set(keys))


def read_settings(host: Host, entry: Input) -> None:
    """Take in `ethtool DEV`."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("Speed", "Auto-negotiation")) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    for number, key, value in rows:
        if key == "Speed":
            speed = re.fullmatch(r"(\d{1,9})Mb/s", value)
            gbps = whole_of(speed[1]) / 1000 if speed else None
            host.port(port, "speed", Value(gbps, host.line(entry, number)), who)
        elif key == "Auto-negotiation":
            position = host.line(entry, number)
            host.port(port, "autonegotiation", Value(ON_OFF.get(value), position), who)


def read_driver(host: Host, entry: Input) -> None:
    """Take in `ethtool -i DEV`, which does not name the port itself."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("driver",)) or (port := host.port_of(entry)) is None:
        return
    who = witness(entry)
    for number, key, value in rows:
        if key == "driver":
            host.port(port, "driver", Value(value, host.line(entry, number)), who)
        elif key == "bus-info" and value:
            host.port(port, "bus", Value(value.lower(), host.line(entry, number)), who)
        elif key == "firmware-version" and value not in ("", "N/A"):
            _firmware(host, port, Value(value, host.line(entry, number)), entry)


def _firmware(host: Host, port: str, value: Value[str], entry: Input) -> None:
    """`28.39.1002 (MT_0000000838)`: version and, for NVIDIA, the board."""
    match = re.fullmatch(r"(\S+?),?(?: .*?\((\w+)\))?(?: .*)?", str(value.value))
    if match:
        who = witness(entry)
        host.port(port, "firmware", Value(match[1], value.position), who)
        host.port(port, "board", Value(match[2], value.position), who)


def read_pause(host: Host, entry: Input) -> None:
    """Take in `ethtool -a DEV`. The JSON form of ethtool 6.1 is wrong and not read."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("RX", "TX")) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    stated = {key: (number, ON_OFF.get(value)) for number, key, value in rows}
    for key in ("RX", "TX"):
        # With autonegotiation on, what was negotiated is in effect.
        number, state = stated.get(f"{key} negotiated", stated.get(key, (0, None)))
        if number:
            position = host.line(entry, number)
            host.port(port, f"{key} pause", Value(state, position), who)


def read_fec(host: Host, entry: Input) -> None:
    """Take in `ethtool --show-fec DEV`."""
    rows = list(_rows(entry))
    configured = next((row for row in rows if row[1].endswith("onfigured FEC encodings")), None)
    active = next((row for row in rows if row[1].startswith("Active FEC encoding")), None)
    if not (configured or active) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    words = configured[2].lower().split() if configured else []
    if configured and ("auto" in words or len(words) == 1):
        fec = Fec.AUTO if "auto" in words else FECS.get(words[0])
        host.port(port, "FEC", Value(fec, host.line(entry, configured[0])), who)
    elif active:
        fec = FECS.get(active[2].lower().split()[0]) if active[2] else None
        host.port(port, "FEC", Value(fec, host.line(entry, active[0])), who)


def read_flags(host: Host, entry: Input) -> None:
    """Take in `ethtool --show-priv-flags DEV`: whether the firmware's LLDP agent runs."""
    rows = [row for row in _rows(entry) if row[1] == "fw-lldp-agent"]
    if not rows or not (port := _owner(host, entry)):
        return
    for number, _, value in rows:
        state = Value(ON_OFF.get(value), host.line(entry, number))
        host.port(port, "firmware LLDP agent", state, witness(entry))


def megabits(text: str) -> float | None:
    """Gb/s of a sysfs speed in Mb/s; None for the -1 of a link that is down."""
    number = whole(text)
    return number / 1000 if number else None
