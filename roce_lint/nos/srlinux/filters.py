"""Filters of SR Linux: which of their entries drop RoCE, and the subinterfaces that have them."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.access_lists import ARRIVING, IPV6, KINDS, LEAVING, AccessLists, Dialect
from roce_lint.nos.reading import Value
from roce_lint.nos.srlinux.tree import Node

LAYERS = ("ipv4", "ipv6", "transport", "l2")

WAYS = {"input": ARRIVING, "output": LEAVING}


def read_filters(root: Node) -> AccessLists:
    """All filters; what no entry takes is accepted (docs/nos/srlinux.md)."""
    found = AccessLists(root.reading, Dialect(passes_rest=True))
    acl = root.child("acl")
    for (name, kind), node in acl.keyed_entries("acl-filter"):
        found.define(KINDS.get(kind, kind), name, list(_rules(node)))
    for kind in ("ipv4", "ipv6"):
        for name, node in acl.entries(f"{kind}-filter"):
            found.define(KINDS.get(kind, kind), name, list(_rules(node)))
    return found


def bind_filters(root: Node, lists: AccessLists, interfaces: dict[str, Interface]) -> None:
    """Give ports the filters that their packets meet. Of a port with several subinterfaces some
    packets may pass by another one, and of a bridged port some meet those of an IRB interface.
    """
    alone = {
        name: len([*node.entries("subinterface")]) == 1 for name, node in root.entries("interface")
    }
    for name, way, kind, bound in [*_bound_in_acl(root), *_bound_below(root)]:
        made = interfaces.get(name)
        if made is None:
            continue
        of_vlan = made.kind is InterfaceKind.VLAN
        for port in interfaces.values():
            own = port.name == made.parent
            if port.qos is not None and (own or (of_vlan and port.routed is False)):
                sure = own and alone[port.name]
                lists.bind(port.qos, way, kind, bound, made.addresses, sure=sure)


def _bound_in_acl(root: Node) -> Iterator[tuple[str, str, str, Value[str]]]:
    """By `acl interface ethernet-1/1.0 input acl-filter EDGE type ipv4`, since release 24.3."""
    for ident, node in root.child("acl").entries("interface"):
        ref = node.child("interface-ref")
        port, index = ref.text("interface").value, ref.text("subinterface").value
        name = f"{port}.{index or 0}" if port else ident
        for way, field in WAYS.items():
            for (bound, kind), below in node.child(way).keyed_entries("acl-filter"):
                yield name, field, KINDS.get(kind, kind), Value(bound, below.begin)


def _bound_below(root: Node) -> Iterator[tuple[str, str, str, Value[str]]]:
    """By lines below the subinterface, before that release."""
    for port, node in root.entries("interface"):
        for index, below in node.entries("subinterface"):
            for way, field in WAYS.items():
                for kind in ("ipv4", IPV6, "mac"):
                    for bound in below.child("acl", way).all(f"{kind}-filter"):
                        yield f"{port}.{index}", field, KINDS.get(kind, kind), bound


def _rules(node: Node) -> Iterator[Value[str]]:
    """The entries in their order, in the words of the access lists of other systems."""
    for _, entry in sorted(node.entries("entry"), key=lambda each: each[0].zfill(10)):
        action = entry.child("action")
        asked, done = dict(_words(entry.child("match"))), dict(_words(action))
        limited = any(name.endswith("rate-limit") for name in done)
        codes = asked.pop("dscp-set", [""])
        text = "deny" if limited or "drop" in action.below else "permit"
        text = f"{text} {_spell(asked)}{' rate-limit' if limited else ''}"
        position = action.child("drop").begin or action.begin or entry.begin
        for code in codes:
            yield Value(f"{text} dscp {code}" if code else text, position)


def _words(node: Node, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every word below a node by its path, without the layer it belongs to, and its values."""
    for name in list(node.leaves):
        yield f"{path}{name}", [each.value or "" for each in node.all(name)]
    for name, below in node.below.items():
        yield from _words(below, path if name in LAYERS else f"{path}{name} ")


def _spell(asked: dict[str, list[str]]) -> str:
    """What an entry asks for; what is not known here stays behind the rest."""

    def take(name: str) -> str:
        return asked.pop(name, [""])[0]

    words = [take("protocol") or take("next-header") or "ip"]
    for end in ("source", "destination"):
        address = [take(name) for name in list(asked) if name.startswith(f"{end}-ip ")]
        words += ["host", address[0]] if address else ["any"]
        low, high = take(f"{end}-port range start"), take(f"{end}-port range end")
        value, operator = take(f"{end}-port value"), take(f"{end}-port operator")
        if value and operator in ("", "eq"):
            words += ["eq", value]
        elif value or low or high:
            at_least, at_most = {"ge": (value, ""), "le": ("", value)}.get(operator, (low, high))
            words += ["range", at_least or "0", at_most or "65535"]
    return " ".join([*words, *asked])
