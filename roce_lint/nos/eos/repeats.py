"""Ports whose stanzas say what another's says: which these are, and what becomes of them."""

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
from roce_lint.text.numbers import whole_of
from roce_lint.text.records import Record

KINDS = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.VLAN})
"""Kinds of which there are many that say the same."""

VARYING = copies.VARYING | {"address"}

LINK_LOCAL = ""
"""What stands for an address that says nothing about neighbours."""


@lru_cache(maxsize=8192)
def address_of(text: str) -> str | None:
    """An address with its prefix length; None where the text is none."""
    found = address(text)
    if found is not None and ":" in found and ip_interface(found).is_link_local:
        return LINK_LOCAL
    return found


def vlan_of(name: str) -> int | None:
    """The VLAN of a VLAN interface."""
    number = name.removeprefix("Vlan")
    return whole_of(number) if number.isascii() and number.isdigit() and len(number) < 5 else None


def likeness_key(name: str, kind: InterfaceKind, records: list[Record]) -> Hashable:
    """What the stanza of a port has in common with those that mean the same; None: it is alone."""
    record = records[0]
    if kind not in KINDS or len(records) > 1 or "channel" in record.values:
        return None
    if kind is InterfaceKind.VLAN and "filter" in record.values:
        return None  # its access lists are those of its own VLAN's ports
    shapes = [address_of(text) != LINK_LOCAL for text in _addresses(record)]
    numbered = kind is InterfaceKind.VLAN and vlan_of(name) is not None
    return kind, numbered, tuple(shapes), signature(record, VARYING)


def repeat(name: str, copy: Copy, model: Interface, own: Egress | None) -> Interface:
    """The interface of a port whose stanza says what the stanza of `model` says.

    `own` makes the egress policy, where the port's own lines state one.
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
