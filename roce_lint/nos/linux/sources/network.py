"""The files of network configuration that are read, and how each is recognised."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.linux.sources.output import GOOD, PROOF

NETWORK = (
    Source(
        "netplan",
        Form.YAML,
        Plane.CONFIG,
        command=r"cat (?P<path>(?:/\S*)?/netplan/\S+\.ya?ml)|netplan get(?: all)?",
        signatures=(
            Signature(
                r"^network:[ \t]*\n(?:[ \t]+[^#\s].*\n|[ \t]*(?:#.*)?\n)*?"
                r"[ \t]+(?:ethernets|bonds|vlans):",
                PROOF,
                "netplan",
            ),
        ),
    ),
    Source(
        "networkd",
        Form.INI,
        Plane.CONFIG,
        command=r"cat (?P<path>\S+\.(?:network|netdev|link))",
        file_name=r"\.(?:network|netdev|link)$",
        signatures=(
            Signature(r"^\[Match\]\s*$", GOOD, "section of networkd"),
            Signature(r"^\[NetDev\]\s*$", PROOF, "section of networkd"),
            Signature(r"^(?:MTUBytes|OriginalName|VLAN|Bond)=", GOOD, "setting of networkd"),
        ),
    ),
    Source(
        "keyfile",
        Form.INI,
        Plane.CONFIG,
        command=r"cat (?P<path>\S*/system-connections/\S+)",
        file_name=r"\.nmconnection$",
        signatures=(
            Signature(r"^\[connection\]\s*\n(?:[^\[\n].*\n)*?(?:type|uuid)=", PROOF, "connection"),
        ),
    ),
    Source(
        "interfaces",
        Form.RAW,
        Plane.CONFIG,
        signatures=(
            Signature(
                # Switches with this tool have ports called swp1. The command tells nothing, since
                # they print the same file by it.
                r"\A(?![\s\S]*^\s*(?:auto|iface) swp)[\s\S]*?^iface \S+ inet6?(?: \w+)?\s*$",
                PROOF,
                "stanza of ifupdown",
            ),
        ),
    ),
    Source(
        "ifcfg",
        Form.ENV,
        Plane.CONFIG,
        command=r"cat (?P<path>\S*/ifcfg-\S+)",
        file_name=r"^ifcfg-",
        signatures=(
            Signature(r"^(?:BOOTPROTO|ONBOOT|STARTMODE)=", GOOD, "setting of ifcfg"),
            Signature(r"^(?:DEVICE|HWADDR|IPADDR0?|MTU)=", GOOD, "setting of ifcfg"),
        ),
    ),
)
