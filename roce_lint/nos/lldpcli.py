"""Neighbours received by lldpd, in the forms of `lldpcli`: text, JSON, keys with values."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.nos.declare import Form, Signature, Source
from roce_lint.nos.heard import IEEE_8021, Heard, Places, frame_size, spell_id
from roce_lint.nos.lldp import neighbors
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import whole_of

Keys = tuple[Hashable, ...]

COMMAND = r"(?:sudo (?:-\S+ )*)?(?:docker exec (?:-\S+ )*\S+ )?lldpc(?:li|tl)\b"


def lldpcli_sources(port: str) -> tuple[Source, Source, Source]:
    """Sources of lldpcli outputs on a switch with port names like the regex `port`. Hosts have the
    same outputs: without such a port, the other files of the device decide.
    """
    named = (  # the port of a neighbour is a value, or has no "via"
        rf'\A\s*\{{\s*"lldp":[\s\S]{{0,4000}}?(?:"{port}":\s*\{{|"name":\s*"{port}",)\s*"via"'
    )
    return (
        neighbors(
            "lldpcli-json",
            rf"{COMMAND}(?=.* -f ?json).*",
            read_tree,
            Signature(r'\A\s*\{\s*"lldp":\s*[\[{]', 7, "neighbours of lldpcli"),
            Signature(named, 8, "a port of the switch"),
            form=Form.JSON,
        ),
        neighbors(
            "lldpcli-text",
            rf"{COMMAND}(?!.* -f).*",
            read_text,
            Signature(r"^Interface:\s+\S+, via: LLDP", 7, "neighbour of lldpcli"),
            Signature(rf"^Interface:\s+{port}, via: LLDP", 8, "a port of the switch"),
        ),
        neighbors(
            "lldpcli-keyvalue",
            rf"{COMMAND}(?=.* -f ?keyvalue).*",
            read_keys,
            Signature(r"^lldp\.\S+\.via=LLDP", 7, "neighbour of lldpcli"),
            Signature(rf"^lldp\.{port}\.via=LLDP", 8, "a port of the switch"),
        ),
    )


# -------------------------------------------------------------------------------------- JSON, JSON0


def read_tree(places: Places, entry: Input) -> Iterator[Heard]:
    """The neighbours in `-f json` or `-f json0`, with or without details."""
    data = entry.tree.get("lldp") if isinstance(entry.tree, dict) else None
    for name, neighbor, keys in _interfaces(data, ("lldp",)):
        heard = _heard(places, entry, neighbor, keys)
        if heard is not None:
            heard.port = Value(name, heard.device.position)
            yield heard


def _each(data: Any, keys: Keys) -> Iterator[tuple[Any, Keys]]:
    """Elements that json0 prints as a list, and json as a list only if there are several."""
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


def _heard(places: Places, entry: Input, data: dict[str, Any], keys: Keys) -> Heard | None:
    heard = Heard()
    device = _device(data.get("chassis"), (*keys, "chassis"))
    if device is None:
        return None
    name, name_keys = device
    heard.device = Value(name, places.at(entry, *name_keys))
    for port, port_keys in _each(data.get("port"), (*keys, "port")):
        for key in ("id", "descr", "mfs") if isinstance(port, dict) else ():
            if leaf := _leaf(port.get(key), (*port_keys, key)):
                value = Value(leaf[0], places.at(entry, *leaf[1]))
                if key == "mfs":
                    heard.max_frame = frame_size(value)
                else:
                    (heard.add_name if key == "id" else heard.add_description)(value)
    _elements(places, entry, data.get("unknown-tlvs"), (*keys, "unknown-tlvs"), heard)
    return heard


def _device(data: Any, keys: Keys) -> tuple[str, Keys] | None:
    """System name, else chassis id; json uses the name as key of the chassis if there is one."""
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


def _elements(places: Places, entry: Input, data: Any, keys: Keys, heard: Heard) -> None:
    """Read the DCBX elements among those that lldpd does not decode."""
    for group, group_keys in _each(data, keys):
        if not isinstance(group, dict):
            continue
        for tlv, tlv_keys in _each(group.get("unknown-tlv"), (*group_keys, "unknown-tlv")):
            if not isinstance(tlv, dict) or str(tlv.get("oui", "")).upper() != IEEE_8021:
                continue
            place = (*tlv_keys, "value")
            kind, octets = _subtype(str(tlv.get("subtype", ""))), str(tlv.get("value", ""))
            if heard.take(kind, octets, places.spot(entry, *place)):
                places.mark(entry, *place)


def _subtype(text: str) -> int:
    return whole_of(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


# --------------------------------------------------------------------------------------------- text


_HEAD = re.compile(r"Interface:\s+(?P<port>[^,\s]+), via: LLDP")
_KEYED = re.compile(r"(?P<key>ChassisID|SysName|PortID|PortDescr|MFS):\s+(?P<value>.*\S)")
_TLV = re.compile(
    r"TLV:\s+OUI: (?P<oui>[0-9A-F,]+), SubType: (?P<subtype>\d+), Len: \d+ (?P<octets>\S+)"
)


def read_text(places: Places, entry: Input) -> Iterator[Heard]:
    """The neighbours in the text of `lldpcli show neighbors` or `lldpctl`."""
    port: Value[str] = ABSENT
    heard = Heard()
    values: dict[str, Value[str]] = {}
    for number, line in [*places.lines(entry), (0, "")]:
        head = _HEAD.match(line)
        if head or not number:
            if _finish(heard, port, values):
                yield heard
            port, values, heard = ABSENT, {}, Heard()
            if head:
                port = Value(head["port"], places.spot_of_line(entry, number))
            continue
        keyed = _KEYED.match(line)
        if keyed:
            values[keyed["key"]] = Value(keyed["value"], places.line(entry, number))
            continue
        tlv = _TLV.match(line)
        if tlv and tlv["oui"] == IEEE_8021:
            position = places.spot_of_line(entry, number)
            if heard.take(_subtype(tlv["subtype"]), tlv["octets"], position):
                places.line(entry, number)


def _finish(heard: Heard, port: Value[str], values: dict[str, Value[str]]) -> bool:
    """Set the collected values; ids have the word for their kind before them."""
    bare = {key: value.map(lambda text: text.split(" ", 1)[-1]) for key, value in values.items()}
    heard.port = port
    heard.device = values.get("SysName") or bare.get("ChassisID") or ABSENT
    heard.add_name(bare.get("PortID", ABSENT))
    heard.add_description(values.get("PortDescr", ABSENT))
    heard.max_frame = frame_size(values.get("MFS", ABSENT))
    return bool(port and heard.device)


# ---------------------------------------------------------------------------------- keys and values


_IDS = ("mac", "ifname", "ifalias", "local", "ip", "component", "port")
"""Kinds of ids: the last word of a key."""

_KEY = re.compile(
    r"lldp\.(?P<port>.+?)\.(?P<key>via|(?:chassis|port|unknown-tlvs)\.[^=]+)=(?P<value>.*)"
)


def read_keys(places: Places, entry: Input) -> Iterator[Heard]:
    """Neighbours in `-f keyvalue`; each begins with its discovery protocol."""
    heard: Heard | None = None
    tlv: dict[str, str] = {}
    for number, line in places.lines(entry):
        found = _KEY.fullmatch(line)
        if found is None:
            continue
        value = Value(found["value"].strip(), places.spot_of_line(entry, number))
        if found["key"] == "via":
            if heard is not None and heard.device:
                yield heard
            port = Value(found["port"], value.position)
            heard, tlv = Heard(port=port) if value.value == "LLDP" else None, {}
        elif heard is not None and _takes(heard, found["key"], value, tlv):
            places.line(entry, number)
    if heard is not None and heard.device:
        yield heard


def _takes(heard: Heard, key: str, value: Value[str], tlv: dict[str, str]) -> bool:
    """Read the value of a key; False for an unsupported key. The id comes first."""
    group, _, word = key.partition(".")
    if group == "unknown-tlvs":
        tlv[word] = value.value or ""
        ours = word == "unknown-tlv" and tlv.get("unknown-tlv.oui", "").upper() == IEEE_8021
        subtype = _subtype(tlv.get("unknown-tlv.subtype", ""))
        return ours and heard.take(subtype, tlv[word], value.position)
    if key == "port.mfs":
        heard.max_frame = frame_size(value)
    elif key == "port.descr":
        heard.add_description(value)
    elif group == "port" and word in _IDS:
        heard.add_name(value)
    elif group == "chassis" and word in (*_IDS, "name"):
        heard.device = spell_id(value) or heard.device
    else:
        return False
    return True
