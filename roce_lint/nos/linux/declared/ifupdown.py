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
from roce_lint.text.environment import parse_env
from roce_lint.text.shell import parse_script

_IFACE = re.compile(r"iface (?P<name>\S+)(?: (?P<family>inet6?|ipx|can)(?: (?P<method>\w+))?)?")
COMMANDS = ("pre-up", "up", "post-up")
HEADS = ("auto", "allow-hotplug", "mapping", "source", "source-directory", "rename")


def read_interfaces(host: Host, entry: Input) -> None:
    """Read /etc/network/interfaces: interface stanzas, with the commands they run."""
    declaration = Declaration(host, tool_witness("ifupdown"))
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
            declaration.port(name, host.line(entry, number))
            if iface["method"] == "dhcp":
                declaration.follow_dhcp(name, host.line(entry, number))
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
            _option(declaration, name, key, Value(value, first + number))
    for port, address in plain:
        text = address.value or ""
        length = f"/{mask[port]}" if "/" not in text and port in mask else ""
        declaration.address(port, text + length, address.position)
    declaration.finish()
    reader.finish()


def _option(declaration: Declaration, name: str, key: str, value: Value[str]) -> None:
    text = value.value or ""
    if key == "mtu":
        declaration.mtu(name, text, value.position)
    elif key in ("vlan-raw-device", "vlan_raw_device"):
        number = re.search(r"(?<!\d)(\d+)$", name)
        declaration.vlan(name, text, number[1] if number else None, value.position)
    elif key in ("bond-slaves", "bond_slaves") and text != "none":
        declaration.bond(name, text.split(), value.position)
    elif key in ("bond-master", "bond_master"):
        declaration.bond(text, [name], value.position)


YES = ("yes", "true", "on")


def read_ifcfg(host: Host, entry: Input) -> None:
    """Read one ifcfg file; its name gives the interface if DEVICE does not."""
    first = host.reading.src.files[entry.file].first
    lines = parse_env(entry.lines)
    found = {e.name: Value(e.value, first + e.number) for e in lines if e.value is not None}
    none: Value[str] = Value(None)
    declaration = Declaration(host, tool_witness("ifcfg"))
    device, mac = found.get("DEVICE", none), found.get("HWADDR", none)
    if device.value:
        ports = [device.value]
    elif mac.value:
        ports = match_interfaces(host, [], mac.value)
    else:
        match = re.match(r"ifcfg-(?P<name>[\w.@-]+?)(?:\.txt)?$", leaf_of(entry))
        ports = [match["name"]] if match else []
    for port in ports:
        declaration.port(port, device.position or mac.position or first + 1)
        mtu = found.get("MTU", none)
        if mtu.value:
            declaration.mtu(port, mtu.value, mtu.position)
        for unclear in (each for each in lines if each.name == "MTU" and each.value is None):
            message = "the value of MTU is not understood"
            host.reading.note(NoteKind.BAD_VALUE, message, first + unclear.number)
            declaration.unclear_mtu(port, first + unclear.number)
        if found.get("BOOTPROTO", none).value == "dhcp":
            declaration.follow_dhcp(port, found["BOOTPROTO"].position)
        _ifcfg_address(declaration, port, found)
        _ifcfg_stack(declaration, port, found)
    declaration.finish()


def _ifcfg_address(declaration: Declaration, port: str, found: dict[str, Value[str]]) -> None:
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
    declaration.address(port, text, address.position)


def _ifcfg_stack(declaration: Declaration, port: str, found: dict[str, Value[str]]) -> None:
    """VLAN interfaces, bonds and their members."""
    none: Value[str] = Value(None)
    if found.get("VLAN", none).value in YES:
        number = re.search(r"(?<!\d)(\d+)$", port)
        parent = found.get("PHYSDEV", Value(port.rpartition(".")[0] or None)).value
        declaration.vlan(port, parent, number[1] if number else None, found["VLAN"].position)
    if found.get("TYPE", none).value == "Bond":
        declaration.bond(port, [], found["TYPE"].position)
    master = found.get("MASTER", none)
    if master.value:
        declaration.bond(master.value, [port], master.position)
