"""The ends of VXLAN tunnels: `tunnel-interface vxlan0`, and who is in a network instance with it.

A network instance names its subinterfaces and its `vxlan-interface`. Traffic of a port that is
bridged in one instance and routed by its IRB in another is carried by the tunnel of either. Which
DSCP the outer header has, no line that is read says.
"""

from __future__ import annotations

from collections import defaultdict

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.port_names import parent_of
from roce_lint.nos.reading import Value
from roce_lint.nos.segments import end_of_tunnels, some
from roce_lint.nos.srlinux.tree import Node

IRB = "irb"


def add_tunnels(root: Node, interfaces: dict[str, Interface]) -> None:
    """Add the ends of tunnels with the ports that they carry."""
    inside = {
        name: [each for each, _ in node.entries("interface")]
        for name, node in root.entries("network-instance")
    }
    bridged: dict[str, set[str]] = defaultdict(set)  # ports by the IRB beside them
    for beside in inside.values():
        for irb in (each for each in beside if each.startswith(IRB)):
            bridged[irb] |= {each for each in beside if not each.startswith(IRB)}
    carried: dict[str, dict[str, int]] = defaultdict(dict)
    for name, node in root.entries("network-instance"):
        for end, place in node.entries("vxlan-interface"):
            for each in inside[name]:
                for member in bridged[each] if each.startswith(IRB) else (each,):
                    carried[parent_of(end) or end].setdefault(member, place.begin)
    for name, node in root.entries("tunnel-interface"):
        for _, below in node.entries("vxlan-interface"):
            below.child("ingress").text("vni")
        carried.setdefault(name, {})
    everything: dict[str, set[str]] = defaultdict(set)  # subinterfaces by port
    for port, node in root.entries("interface"):
        everything[port] = {f"{port}.{index}" for index, _ in node.entries("subinterface")}
    begins = {name: node.begin for name, node in root.entries("tunnel-interface")}
    for name, members in carried.items():
        line = next(iter(members.values()), 0)
        touched = {parent_of(member) or member for member in members}
        full = {port for port in touched if everything[port] <= members.keys()}
        begin = begins.get(name) or line
        tunnel = root.reading.build(
            Tunnel,
            begin,
            vlans=Value(frozenset(), begin),
            ports=some(full, line),
            partly=some(touched - full, line),
        )
        interfaces[name] = end_of_tunnels(root.reading, begin, name, tunnel)
