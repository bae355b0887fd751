"""Who is at the other end: `lldpcli` neighbours, with the DCBX elements it leaves undecoded."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.dcbx.tlv import IEEE_8021, Heard, hear
from roce_lint.nos.linux.host import AGENT, Host, lines_of, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import whole_of

Keys = tuple[Hashable, ...]


def read_neighbors(host: Host, entry: Input) -> None:
    """Take in `lldpcli -f json` or `-f json0 show neighbors`, with or without details."""
    data = entry.tree.get("lldp") if isinstance(entry.tree, dict) else None
    if data is not None:
        _agent(host, host.spot(entry, "lldp"), witness(entry))
    for name, neighbor, keys in _interfaces(data, ("lldp",)):
        found = hear(host, name, _heard(host, entry, neighbor, keys))
        if found is not None:
            host.port(name, "heard", Value(value=True, position=found.at[""]), witness(entry))


def _agent(host: Host, position: int, who: Witness) -> None:
    """An answer of lldpcli comes from lldpd, which tells neighbours of every port itself."""
    host.claims.say(AGENT, "lldpd", "line", Value(value=True, position=position), who)


def leave_other(host: Host, entry: Input) -> None:
    """Say that neighbours in another form are not read: links and DCBX would come from them."""
    host.reading.note(
        NoteKind.UNRECOGNISED,
        "this form of lldpcli is not read; save `lldpcli -f json0 show neighbors details`",
        host.reading.src.files[entry.file].first + 1,
    )


def _each(data: Any, keys: Keys) -> Iterator[tuple[Any, Keys]]:
    """An element that json0 prints as a list, and json as a list only where it is several."""
    if isinstance(data, list):
        for index, each in enumerate(data):
            yield each, (*keys, index)
    elif data is not None:
        yield data, keys


def _interfaces(data: Any, keys: Keys) -> Iterator[tuple[str, dict[str, Any], Keys]]:
    for top, top_keys in _each(data, keys):
        if not isinstance(top, dict):
            continue
        for each, each_keys in _each(top.get("interface"), (*top_keys, "interface")):
            if not isinstance(each, dict):
                continue
            if isinstance(each.get("name"), str):
                yield each["name"], each, each_keys
                continue
            for name, inner in each.items():
                for one, one_keys in _each(inner, (*each_keys, name)):
                    if isinstance(one, dict):
                        yield str(name), one, one_keys


def _leaf(data: Any, keys: Keys) -> tuple[str, Keys] | None:
    """The text of `x`, `{"value": x}` or a list of either."""
    for each, each_keys in _each(data, keys):
        if isinstance(each, dict):
            if isinstance(each.get("value"), str | int):
                return str(each["value"]), (*each_keys, "value")
        elif isinstance(each, str | int):
            return str(each), each_keys
    return None


def _heard(host: Host, entry: Input, data: dict[str, Any], keys: Keys) -> Heard:
    heard = Heard()
    device = _device(data.get("chassis"), (*keys, "chassis"))
    if device is None:
        return heard
    name, name_keys = device
    heard.device = Value(name, host.at(entry, *name_keys))
    for port, port_keys in _each(data.get("port"), (*keys, "port")):
        if not isinstance(port, dict):
            continue
        for key in ("id", "descr"):
            leaf = _leaf(port.get(key), (*port_keys, key))
            if leaf and leaf[0] not in heard.names:
                heard.names[leaf[0]] = host.at(entry, *leaf[1])
        leaf = _leaf(port.get("mfs"), (*port_keys, "mfs"))
        if leaf:
            heard.max_frame = Value(whole(leaf[0]), host.at(entry, *leaf[1]))
    _elements(host, entry, data.get("unknown-tlvs"), (*keys, "unknown-tlvs"), heard)
    return heard


def _device(data: Any, keys: Keys) -> tuple[str, Keys] | None:
    """System name, else chassis id; json keys the chassis by the name when there is one."""
    for chassis, chassis_keys in _each(data, keys):
        if not isinstance(chassis, dict):
            continue
        if "id" in chassis:
            for key in ("name", "id"):
                leaf = _leaf(chassis.get(key), (*chassis_keys, key))
                if leaf:
                    return leaf
        for name, inner in chassis.items():
            if isinstance(inner, dict):
                leaf = _leaf(inner.get("id"), (*chassis_keys, name, "id"))
                return str(name), leaf[1] if leaf else (*chassis_keys, name)
    return None


def _elements(host: Host, entry: Input, data: Any, keys: Keys, heard: Heard) -> None:
    """The DCBX elements among those that lldpd does not decode."""
    for group, group_keys in _each(data, keys):
        if not isinstance(group, dict):
            continue
        for tlv, tlv_keys in _each(group.get("unknown-tlv"), (*group_keys, "unknown-tlv")):
            if not isinstance(tlv, dict) or str(tlv.get("oui", "")).upper() != IEEE_8021:
                continue
            subtype = whole(str(tlv.get("subtype", "")), 0, 255)
            place = (*tlv_keys, "value")
            if heard.take(subtype or 0, str(tlv.get("value", "")), host.spot(entry, *place)):
                host.mark(entry, *place)


_HEAD = re.compile(r"Interface:\s+(?P<port>[^,\s]+), via: LLDP")
_KEYED = re.compile(r"(?P<key>ChassisID|SysName|PortID|PortDescr|MFS):\s+(?P<value>.*\S)")
_TLV = re.compile(
    r"TLV:\s+OUI: (?P<oui>[0-9A-F,]+), SubType: (?P<subtype>\d+), Len: \d+ (?P<octets>\S+)"
)


def read_text(host: Host, entry: Input) -> None:
    """Take in `lldpcli show neighbors` or `lldpctl` as text."""
    port = ""
    heard = Heard()
    said: dict[str, Value[str]] = {}
    for number, line in [*lines_of(entry), (0, "")]:
        head = _HEAD.match(line)
        if head or not number:
            _finish(host, entry, port, said, heard)
            port, said, heard = head["port"] if head else "", {}, Heard()
            continue
        keyed = _KEYED.match(line)
        if keyed:
            said[keyed["key"]] = Value(keyed["value"], host.line(entry, number))
            continue
        tlv = _TLV.match(line)
        if tlv and tlv["oui"] == IEEE_8021:
            position = host.reading.src.files[entry.file].first + number
            if heard.take(whole_of(tlv["subtype"]), tlv["octets"], position):
                host.line(entry, number)


def _finish(host: Host, entry: Input, port: str, said: dict[str, Value[str]], heard: Heard) -> None:
    """One neighbour is told to its end; ids come with the word for their kind before them."""
    bare = {key: value.map(lambda text: text.split(" ", 1)[-1]) for key, value in said.items()}
    heard.device = said.get("SysName") or bare.get("ChassisID") or ABSENT
    if not port or not heard.device:
        return
    for name in (bare.get("PortID"), said.get("PortDescr")):
        if name is not None:
            heard.names.setdefault(str(name.value), name.position)
    _agent(host, heard.device.position, witness(entry))
    heard.max_frame = said.get("MFS", ABSENT).map(whole)
    host.port(port, "heard", Value(value=True, position=heard.device.position), witness(entry))
    hear(host, port, heard)
