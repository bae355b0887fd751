"""Intel adapters (ice, irdma): iWARP or RoCE, and congestion control through configfs."""

from __future__ import annotations

from typing import Any

from roce_lint.nos.linux.host import MODULE, NIC, PCI, PORT, Host, lines_of, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Value

DRIVERS = ("ice", "i40e", "idpf")
"""Ethernet drivers below irdma."""

SWITCHES = {"enable_roce": True, "enable_iwarp": False}
"""devlink parameters, and whether an enabled one makes the device a RoCE device."""


def read_devlink(host: Host, entry: Input) -> None:
    """Read `devlink -j dev param show`: the protocol of a PCI function."""
    tree: Any = entry.tree.get("param") if isinstance(entry.tree, dict) else None
    if not isinstance(tree, dict):
        return
    who = witness(entry)
    for device, listed in tree.items():
        for row, param in enumerate(listed if isinstance(listed, list) else ()):
            name = param.get("name") if isinstance(param, dict) else None
            values = param.get("values") if name in SWITCHES else None
            first = values[0] if isinstance(values, list) and values else None
            on = first.get("value") if isinstance(first, dict) else None
            if isinstance(on, bool):
                place = host.at(entry, "param", device, row, "values", 0, "value")
                host.mark(entry, "param", device, row, "name")
                bus = str(device).removeprefix("pci/")
                host.claims.state(PCI, bus, str(name), Value(on, place), who)


def read_devlink_text(host: Host, entry: Input) -> None:
    """Read `devlink dev param show` as text: a device, its parameters, their values."""
    bus = name = ""
    for number, line in lines_of(entry):
        words = line.split()
        if line.startswith("pci/"):
            bus, name = words[0].removeprefix("pci/").rstrip(":"), ""
        elif words[0] == "name" and len(words) > 1:
            name = words[1]
            if bus and name in SWITCHES:
                host.line(entry, number)
        elif words[0] == "cmode" and "value" in words[:-1] and bus and name in SWITCHES:
            on = {"true": True, "false": False}.get(words[words.index("value") + 1])
            value = Value(on, host.line(entry, number))
            host.claims.state(PCI, bus, name, value, witness(entry))


def roce_state(host: Host, nic: str, port: str | None) -> Value[bool]:
    """False for a device set to iWARP: by its own output, devlink, or the module."""
    claims = host.claims
    drivers = claims.values(PORT, port, "driver") if port is not None else ()
    module: Value[int] = ABSENT
    if any(value.value in DRIVERS for _, value in drivers):
        module = claims.get(MODULE, "irdma", "roce_ena")
    reported: Value[bool] = claims.get(NIC, nic, "RoCE")
    bus = str(claims.get(PORT, port, "bus").value or "") if port and not reported else ""
    for name, means in SWITCHES.items() if bus else ():
        switch: Value[bool] = claims.get(PCI, bus, name)
        if switch.value:
            return Value(means, switch.position)
    return reported or (claims.get(PCI, bus, "enable_roce") if bus else ABSENT) or module.map(bool)


def transport(text: str) -> bool | None:
    """Transport of a device in `ibv_devinfo`: `InfiniBand (0)` is RoCE on Ethernet."""
    number = whole(text.partition("(")[2].rstrip(")"), 0, 100)
    return {0: True, 1: False}.get(number if number is not None else -1)
