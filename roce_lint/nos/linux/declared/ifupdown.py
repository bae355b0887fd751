"""ifupdown's /etc/network/interfaces and the ifcfg files of Red Hat and SUSE."""

from __future__ import annotations

import ipaddress
import re

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.declared.network import (
    Declaration,
    leaf_of,
    match_interfaces,
    tool_witness,
)
from roce_lint.nos.linux.declared.scripts import ScriptReader
from roce_lint.nos.linux.host import Host, lines_of, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell import parse_script
from roce_lint.text.shell_env import parse_env

_IFACE = re.compile(r"iface (?P<name>\S+)(?: (?P<family>inet6?|ipx|can)(?: (?P<method>\w+))?)?")
COMMANDS = ("pre-up", "up", "post-up")
HEADS = ("auto", "allow-hotplug", "mapping", "source", "source-directory", "rename")


def read_interfaces(host: Host, entry: Input) -> None:
    """Take in /etc/network/interfaces: stanzas of an interface, with commands that are run."""
    said = Declaration(host, tool_witness("ifupdown"))
    reader = ScriptReader(host, witness(entry), entry.lines)
    first = host.reading.src.files[entry.file].first
    name = ""
    mask: dict[str, str] = {}
    plain: list[tuple[str, Value[str]]] = []
    for number, line in lines_of(entry):
        if line.startswith("#"):
            continue
        iface = _IFACE.match(line)
        key, _, value = line.partition(" ")
        value = value.strip()
        if iface:
            name = iface["name"]
            said.port(name, host.line(entry, number))
            if iface["method"] == "dhcp":
                said.follow_dhcp(name, host.line(entry, number))
        elif key.startswith(HEADS) and key not in COMMANDS:
            name = ""
        elif name and key == "address":
            plain.append((name, Value(value, first + number)))
        elif name and key == "netmask":
            mask[name] = value
        elif name and key in COMMANDS:
            command = parse_script([f"IFACE={name}", value])
            reader.run(command.commands, first, 0, number)
        elif name:
            _option(said, name, key, Value(value, first + number))
    for port, address in plain:
        text = address.value or ""
        length = f"/{mask[port]}" if "/" not in text and port in mask else ""
        said.address(port, text + length, address.position)
    said.finish()
    reader.finish()


def _option(said: Declaration, name: str, key: str, value: Value[str]) -> None:
    text = value.value or ""
    if key == "mtu":
        said.mtu(name, text, value.position)
    elif key in ("vlan-raw-device", "vlan_raw_device"):
        number = re.search(r"(?<!\d)(\d+)$", name)
        said.vlan(name, text, number[1] if number else None, value.position)
    elif key in ("bond-slaves", "bond_slaves") and text != "none":
        said.bond(name, text.split(), value.position)
    elif key in ("bond-master", "bond_master"):
        said.bond(text, [name], value.position)


YES = ("yes", "true", "on")


def read_ifcfg(host: Host, entry: Input) -> None:
    """Take in one ifcfg file; its name tells the interface where DEVICE does not."""
    first = host.reading.src.files[entry.file].first
    lines = parse_env(entry.lines)
    found = {e.name: Value(e.value, first + e.number) for e in lines if e.value is not None}
    none: Value[str] = Value(None)
    said = Declaration(host, tool_witness("ifcfg"))
    device, mac = found.get("DEVICE", none), found.get("HWADDR", none)
    if device.value:
        ports = [device.value]
    elif mac.value:
        ports = match_interfaces(host, [], mac.value)
    else:
        match = re.match(r"ifcfg-(?P<name>[\w.@-]+?)(?:\.txt)?$", leaf_of(entry))
        ports = [match["name"]] if match else []
    for port in ports:
        said.port(port, device.position or mac.position or first + 1)
        mtu = found.get("MTU", none)
        if mtu.value:
            said.mtu(port, mtu.value, mtu.position)
        for unclear in (each for each in lines if each.name == "MTU" and each.value is None):
            message = "the value of MTU is not understood"
            host.reading.note(NoteKind.BAD_VALUE, message, first + unclear.number)
            said.unclear_mtu(port, first + unclear.number)
        if found.get("BOOTPROTO", none).value == "dhcp":
            said.follow_dhcp(port, found["BOOTPROTO"].position)
        _ifcfg_address(said, port, found)
        _ifcfg_stack(said, port, found)
    said.finish()


def _ifcfg_address(said: Declaration, port: str, found: dict[str, Value[str]]) -> None:
    address = found.get("IPADDR", found.get("IPADDR0", Value(None)))
    if not address.value:
        return
    text = address.value
    length = found.get("PREFIX", found.get("PREFIX0", found.get("NETMASK", Value(None)))).value
    if "/" not in text and length:
        try:
            text = str(ipaddress.ip_interface(f"{text}/{length}"))
        except ValueError:
            text = f"{text}/{length}"
    said.address(port, text, address.position)


def _ifcfg_stack(said: Declaration, port: str, found: dict[str, Value[str]]) -> None:
    """VLAN interfaces, bonds and their members."""
    none: Value[str] = Value(None)
    if found.get("VLAN", none).value in YES:
        number = re.search(r"(?<!\d)(\d+)$", port)
        parent = found.get("PHYSDEV", Value(port.rpartition(".")[0] or None)).value
        said.vlan(port, parent, number[1] if number else None, found["VLAN"].position)
    if found.get("TYPE", none).value == "Bond":
        said.bond(port, [], found["TYPE"].position)
    master = found.get("MASTER", none)
    if master.value:
        said.bond(master.value, [port], master.position)
