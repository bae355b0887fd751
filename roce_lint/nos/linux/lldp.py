"""Who is at the other end: `lldpcli` neighbours, with the DCBX elements it leaves undecoded."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.model.interface import Neighbor
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Value

IEEE_8021 = "00,80,C2"
PFC_SUBTYPE = 11
"""Organisation and subtype of the PFC configuration TLV (IEEE 802.1Q annex D.2.10)."""

WILLING = 0x80
"""Bit of the first byte of a PFC TLV."""

Keys = tuple[Hashable, ...]


def read_neighbors(host: Host, entry: Input) -> None:
    """Take in `lldpcli -f json` or `-f json0 show neighbors`, with or without details."""
    data = entry.tree.get("lldp") if isinstance(entry.tree, dict) else None
    for name, neighbor, keys in _interfaces(data, ("lldp",)):
        found = _neighbor(host, entry, neighbor, keys)
        if found is not None:
            host.port(name, "heard", Value(value=True, position=found.at[""]), witness(entry))
            known = host.neighbors.setdefault(name, [])
            if found not in known:
                known.append(found)


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


def _neighbor(host: Host, entry: Input, data: dict[str, Any], keys: Keys) -> Neighbor | None:
    device = _device(data.get("chassis"), (*keys, "chassis"))
    if device is None:
        return None
    name, name_keys = device
    begin = host.at(entry, *name_keys)
    names: dict[str, int] = {}
    frame: Value[int] = ABSENT
    for port, port_keys in _each(data.get("port"), (*keys, "port")):
        if not isinstance(port, dict):
            continue
        for key in ("id", "descr"):
            leaf = _leaf(port.get(key), (*port_keys, key))
            if leaf and leaf[0] not in names:
                names[leaf[0]] = host.at(entry, *leaf[1])
        leaf = _leaf(port.get("mfs"), (*port_keys, "mfs"))
        if leaf:
            frame = Value(whole(leaf[0]), host.at(entry, *leaf[1]))
    priorities, willing = _pfc(host, entry, data.get("unknown-tlvs"), (*keys, "unknown-tlvs"))
    return host.reading.build(
        Neighbor,
        begin,
        device=Value(name, begin),
        names=Value(tuple(names), next(iter(names.values()), 0)),
        max_frame=frame,
        pfc_priorities=priorities,
        pfc_willing=willing,
    )


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


def _pfc(
    host: Host, entry: Input, data: Any, keys: Keys
) -> tuple[Value[frozenset[int]], Value[bool]]:
    """Priorities and willing bit of the PFC TLV among those that lldpd does not decode."""
    for group, group_keys in _each(data, keys):
        if not isinstance(group, dict):
            continue
        for tlv, tlv_keys in _each(group.get("unknown-tlv"), (*group_keys, "unknown-tlv")):
            if not isinstance(tlv, dict) or str(tlv.get("oui", "")).upper() != IEEE_8021:
                continue
            if str(tlv.get("subtype")) != str(PFC_SUBTYPE):
                continue
            position = host.at(entry, *tlv_keys, "value")
            return _pfc_tlv(str(tlv.get("value", "")), position)
    return ABSENT, ABSENT


def _pfc_tlv(octets: str, position: int) -> tuple[Value[frozenset[int]], Value[bool]]:
    """A byte of flags, willing first, and a byte with a bit for each priority."""
    numbers = [whole(f"0x{text}", 0, 255) for text in octets.split(",")]
    if len(numbers) < 2 or numbers[0] is None or numbers[1] is None:
        return ABSENT, ABSENT
    enabled = numbers[1]
    bits = frozenset(n for n in range(8) if enabled >> n & 1)
    return Value(bits, position), Value(bool(numbers[0] & WILLING), position)


_HEAD = re.compile(r"Interface:\s+(?P<port>[^,\s]+), via: LLDP")
_KEYED = re.compile(r"(?P<key>ChassisID|SysName|PortID|PortDescr|MFS):\s+(?P<value>.*\S)")
_TLV = re.compile(
    r"TLV:\s+OUI: (?P<oui>[0-9A-F,]+), SubType: (?P<subtype>\d+), Len: \d+ (?P<octets>\S+)"
)


def read_text(host: Host, entry: Input) -> None:
    """Take in `lldpcli show neighbors` or `lldpctl` as text."""
    port = ""
    said: dict[str, Value[str]] = {}
    pfc: tuple[Value[frozenset[int]], Value[bool]] = (ABSENT, ABSENT)
    for number, line in [*lines_of(entry), (0, "")]:
        head = _HEAD.match(line)
        if head or not number:
            _finish(host, entry, port, said, pfc)
            port, said, pfc = head["port"] if head else "", {}, (ABSENT, ABSENT)
            continue
        keyed = _KEYED.match(line)
        if keyed:
            said[keyed["key"]] = Value(keyed["value"], host.line(entry, number))
            continue
        tlv = _TLV.match(line)
        if tlv and tlv["oui"] == IEEE_8021 and int(tlv["subtype"]) == PFC_SUBTYPE:
            pfc = _pfc_tlv(tlv["octets"], host.line(entry, number))


def _finish(
    host: Host,
    entry: Input,
    port: str,
    said: dict[str, Value[str]],
    pfc: tuple[Value[frozenset[int]], Value[bool]],
) -> None:
    """One neighbour is told to its end; ids come with the word for their kind before them."""
    bare = {key: value.map(lambda text: text.split(" ", 1)[-1]) for key, value in said.items()}
    device = said.get("SysName") or bare.get("ChassisID")
    if not port or device is None:
        return
    names = [name for name in (bare.get("PortID"), said.get("PortDescr")) if name]
    frame = said.get("MFS", ABSENT).map(whole)
    neighbor = host.reading.build(
        Neighbor,
        device.position,
        device=device,
        names=Value(
            tuple(dict.fromkeys(str(name.value) for name in names)),
            names[0].position if names else 0,
        ),
        max_frame=frame,
        pfc_priorities=pfc[0],
        pfc_willing=pfc[1],
    )
    host.port(port, "heard", Value(value=True, position=device.position), witness(entry))
    known = host.neighbors.setdefault(port, [])
    if neighbor not in known:
        known.append(neighbor)
