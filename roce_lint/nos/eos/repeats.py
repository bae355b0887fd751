"""Ports that repeat another port's stanza, and their interfaces."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from ipaddress import ip_interface

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos import copies
from roce_lint.nos.copies import Copy, move_of, signature
from roce_lint.nos.eos import naming
from roce_lint.nos.eos.queues import Egress
from roce_lint.nos.switch_ports import address
from roce_lint.text.match import Record
from roce_lint.text.numbers import whole_number

KINDS = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.VLAN})
"""Kinds with many identical stanzas."""

VARYING = copies.VARYING | {"address"}

LINK_LOCAL = ""
"""Marks a link-local address, which does not identify neighbours."""


@lru_cache(maxsize=8192)
def address_of(text: str) -> str | None:
    """An address with its prefix length; None if the text is not an address."""
    found = address(text)
    if found is not None and ":" in found and ip_interface(found).is_link_local:
        return LINK_LOCAL
    return found


def vlan_of(name: str) -> int | None:
    """The VLAN of a VLAN interface."""
    return whole_number(name.removeprefix("Vlan"), high=9999)


def likeness_key(name: str, kind: InterfaceKind, records: list[Record]) -> Hashable:
    """Key under which identical port stanzas are parsed once; None to parse this one separately."""
    record = records[0]
    if kind not in KINDS or len(records) > 1 or "channel" in record.values:
        return None
    if kind is InterfaceKind.VLAN and "filter" in record.values:
        return None  # its access lists apply to its own VLAN's ports
    shapes = [address_of(text) != LINK_LOCAL for text in _addresses(record)]
    numbered = kind is InterfaceKind.VLAN and vlan_of(name) is not None
    return kind, numbered, tuple(shapes), signature(record, VARYING)


def repeat(name: str, copy: Copy, model: Interface, own: Egress | None) -> Interface:
    """Interface of a port with the same stanza as `model`.

    `own` builds the egress policy if the port's own lines state one.
    """
    record = copy.record
    move = move_of(copy)
    made = move.interface(model)
    made.name = name
    made.aliases = naming.aliases(name)
    if made.description is not None:
        made.description = record.values["description"][-1][0]
    if made.addresses:
        made.addresses = tuple(filter(None, map(address_of, _addresses(record))))
    if made.kind is InterfaceKind.VLAN and made.untagged_vlan is not None:
        made.untagged_vlan = vlan_of(name)
    qos = made.qos
    if own is not None and qos is not None and qos.egress is not None:
        if qos is model.qos:  # of another port of the same range
            qos = made.qos = move(qos)
        qos.egress = own.repeat(name, str(qos.egress), move)
    return made


def _addresses(record: Record) -> list[str]:
    return [child.values["address"][0][0] for child in record.children.get("address", ())]
