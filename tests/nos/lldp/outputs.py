"""One leaf of every system, made: its configuration, and the LLDP outputs beside this file.

Each output is named `<system>-<form>.txt`, begins with its command, and shows two neighbours: spine1
Ethernet1/1 on the first port, and on the second a NIC of gpu1 that may be known by its MAC address
alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from roce_lint.nos.pull import Kind
from roce_lint.nos.registry import all_nos

HERE = Path(__file__).resolve().parent
OUTPUTS = sorted(HERE.glob("*.txt"))
MAC = "b8:3f:d2:01:00:00"

PORTS = {
    "eos": ("Ethernet1/1", "Ethernet2/1"),
    "nxos": ("Ethernet1/1", "Ethernet1/2"),
    "sonic": ("Ethernet0", "Ethernet8"),
    "cumulus": ("swp1", "swp2"),
    "junos": ("et-0/0/0", "et-0/0/1"),
    "esonic": ("Eth1/1", "Eth1/2"),
    "os10": ("ethernet1/1/1", "ethernet1/1/2"),
    "iosxr": ("HundredGigE0/0/0/0", "HundredGigE0/0/0/1"),
    "srlinux": ("ethernet-1/1", "ethernet-1/2"),
    "vrp": ("100GE1/0/1", "100GE1/0/2"),
    "comware": ("HundredGigE1/0/1", "HundredGigE1/0/2"),
    "aoscx": ("1/1/1", "1/1/2"),
    "linux": ("enp65s0f0np0", "enp66s0f0np0"),
}

FRAMES = {
    "eos": ("! device: leaf1 (DCS-7060DX5-64S, EOS-4.32.2F)\nhostname leaf1\n", "   mtu 9214\n", "end\n"),
    "nxos": ("!Command: show running-config\nversion 10.3(2)\nhostname leaf1\nfeature lldp\n", "  mtu 9216\n", ""),
    "iosxr": ("!! IOS XR Configuration 7.9.2\nhostname leaf1\n", " mtu 9216\n!\n", "end\n"),
    "esonic": ("hostname leaf1\n!\ninterface-naming standard\n", " mtu 9100\n!\n", ""),
    "os10": ("! Version 10.5.4.0\nhostname leaf1\n", " no switchport\n mtu 9216\n!\n", ""),
    "vrp": ("#\nsysname leaf1\n#\n", " undo portswitch\n#\n", "return\n"),
    "comware": ("#\n version 7.1.070, Release 6710\n#\n sysname leaf1\n#\n", " port link-mode route\n#\n", "return\n"),
    "aoscx": ("!Version ArubaOS-CX FL.10.13.1000\nhostname leaf1\n", "    no shutdown\n    mtu 9198\n", ""),
}  # fmt: skip
"""Lines above, in and below the stanzas of ports."""


def configuration(system: str) -> str:
    """The configuration of the leaf."""
    ports = PORTS[system]
    if system in FRAMES:
        above, inside, below = FRAMES[system]
        return above + "".join(f"interface {port}\n{inside}" for port in ports) + below
    if system == "junos":
        lines = "".join(f"    {port} {{\n        mtu 9216;\n    }}\n" for port in ports)
        return f"system {{\n    host-name leaf1;\n}}\ninterfaces {{\n{lines}}}\n"
    if system == "cumulus":
        lines = "".join(f"nv set interface {port} link mtu 9216\n" for port in ports)
        return f"nv set system hostname leaf1\nnv set interface swp1-2 type swp\n{lines}"
    if system == "srlinux":
        rows = [{"name": port, "admin-state": "enable"} for port in ports]
        return json.dumps({"interface": rows, "system": {"name": {"host-name": "leaf1"}}}, indent=1)
    tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
        "PORT": {port: {"admin_status": "up", "mtu": "9100"} for port in ports},
    }
    return json.dumps(tables, indent=1)


def header(command: str, host: str = "leaf1") -> str:
    """The first line of a file that a pull writes."""
    return f"# command: {command}  host: {host}  time: 2026-03-02T08:12:03Z\n"


def needed(system: str) -> str:
    """The command of the configuration."""
    plan = all_nos()[system].pulled
    assert plan is not None
    return next(command.text for command in plan.of(Kind) if command.needed)


def system_of(output: Path) -> str:
    """The system of an output."""
    return output.name.partition("-")[0]
