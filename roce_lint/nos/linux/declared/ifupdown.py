"""ifupdown's /etc/network/interfaces and the ifcfg files of Red Hat and SUSE."""

from __future__ import annotations

import re
from collections import defaultdict

from roce_lint.nos.linux.declared.network import YES, Declaration, leaf_of, match_interfaces
from roce_lint.nos.linux.declared.scripts import ScriptReader
from roce_lint.nos.linux.host import Host, lines_of, witness
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.environment import parse_env
from roce_lint.text.shell import parse_script

_IFACE = re.compile(r"iface (?P<name>\S+)(?: (?P<family>inet6?|ipx|can)(?: (?P<method>\w+))?)?")
COMMANDS = ("pre-up", "up", "post-up")
HEADS = ("auto", "allow-hotplug", "mapping", "source", "source-directory", "rename")


def read_interfaces(host: Host, entry: Input) -> None:
    """Read /etc/network/interfaces: interface stanzas, with the commands they run."""
    declaration = Declaration(host, "ifupdown")
    reader = ScriptReader(host, witness(entry), entry.lines)
    first = host.reading.src.files[entry.file].first
    name, mask = "", dict[str, str]()
    plain: list[tuple[str, Value[str]]] = []
    for number, line in lines_of(entry):
        if line.startswith("#"):
            continue
        iface = _IFACE.match(line)
        key, _, value = line.partition(" ")
        value = value.strip()
        if iface:
            name = iface["name"]
            declaration.state(name, "declared", True, host.line(entry, number))
            if iface["method"] == "dhcp":
                declaration.state(name, "DHCP", True, host.line(entry, number))
        elif key.startswith(HEADS) and key not in COMMANDS:
            name = ""
        elif name and key == "address":
            plain.append((name, Value(value, first + number)))
        elif name and key == "netmask":
            mask[name] = value
        elif name and key in COMMANDS:
            command = parse_script([f"IFACE={name}", value])
            reader.run(command.commands, first, number)
        elif name:
            _option(declaration, name, key, Value(value, first + number))
    for port, address in plain:
        text = address.value or ""
        length = f"/{mask[port]}" if "/" not in text and port in mask else ""
        declaration.address(port, text + length, address.position)
    declaration.finish()
    reader.finish()


def _option(declaration: Declaration, name: str, key: str, value: Value[str]) -> None:
    text, position = value.value or "", value.position
    key = key.replace("_", "-")
    if key == "mtu":
        declaration.mtu(name, value)
    elif key == "vlan-raw-device":
        declaration.named_vlan(name, text, position)
    elif key == "bond-slaves" and text != "none":
        declaration.bond(name, position, *text.split())
    elif key == "bond-master":
        declaration.bond(text, position, name)


def read_ifcfg(host: Host, entry: Input) -> None:
    """Read one ifcfg file; its name gives the interface if DEVICE does not."""
    first = host.reading.src.files[entry.file].first
    lines = parse_env(entry.lines)
    found: defaultdict[str, Value[str]] = defaultdict(lambda: ABSENT)
    found |= {e.name: Value(e.value, first + e.number) for e in lines if e.value is not None}
    declaration = Declaration(host, "ifcfg")
    device, mac = found["DEVICE"], found["HWADDR"]
    if device.value:
        ports = [device.value]
    elif mac.value:
        ports = match_interfaces(host, [], mac.value)
    else:
        match = re.match(r"ifcfg-(?P<name>[\w.@-]+?)(?:\.txt)?$", leaf_of(entry))
        ports = [match["name"]] if match else []
    for port in ports:
        declaration.state(port, "declared", True, device.position or mac.position or first + 1)
        declaration.mtu(port, found["MTU"])
        for unclear in (each for each in lines if each.name == "MTU" and each.value is None):
            message = "the value of MTU is not understood"
            declaration.unclear_mtu(port, message, first + unclear.number)
        if found["BOOTPROTO"].value == "dhcp":
            declaration.state(port, "DHCP", True, found["BOOTPROTO"].position)
        address = found["IPADDR"] or found["IPADDR0"]
        length = (found["PREFIX"] or found["PREFIX0"] or found["NETMASK"]).value
        if text := address.value:
            text = f"{text}/{length}" if length and "/" not in text else text
            declaration.address(port, text, address.position)
        if found["VLAN"].value in YES:
            parent = (found["PHYSDEV"] or Value(port.rpartition(".")[0] or None)).value
            declaration.named_vlan(port, parent, found["VLAN"].position)
        if found["TYPE"].value == "Bond":
            declaration.bond(port, found["TYPE"].position)
        master = found["MASTER"]
        if master.value:
            declaration.bond(master.value, master.position, port)
    declaration.finish()
