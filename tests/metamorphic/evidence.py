"""Evidence for the links of a fabric: the cable plan, LLDP outputs, addresses, descriptions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from tests.bench import Files, check
from tests.metamorphic.weaker import fabric

End = tuple[str, str]
Neighbors = Mapping[str, End]
"""Device and port at the other end, by local port."""


def _lldpcli(neighbors: Neighbors) -> str:
    entries = [
        {
            port: {
                "via": "LLDP",
                "chassis": {device: {"id": {"type": "mac", "value": "28:99:3a:22:00:01"}}},
                "port": {"id": {"type": "ifname", "value": far}, "ttl": "120"},
            }
        }
        for port, (device, far) in neighbors.items()
    ]
    return json.dumps({"lldp": {"interface": entries}}, indent=1) + "\n"


def _eos(neighbors: Neighbors) -> str:
    rows = [
        {"port": port, "neighborDevice": device, "neighborPort": far, "ttl": 120}
        for port, (device, far) in neighbors.items()
    ]
    return json.dumps({"lldpNeighbors": rows}, indent=1) + "\n"


def _nxos(neighbors: Neighbors) -> str:
    rows = [
        {"chassis_id": device, "l_port_id": port.replace("Ethernet", "Eth"), "port_id": far}
        for port, (device, far) in neighbors.items()
    ]
    return json.dumps({"TABLE_nbor": {"ROW_nbor": rows}, "neigh_count": str(len(rows))}) + "\n"


def _srlinux(neighbors: Neighbors) -> str:
    rows = [
        {
            "name": port,
            "neighbor": [{"id": device, "system-name": device, "port-id": far}],
        }
        for port, (device, far) in neighbors.items()
    ]
    return json.dumps({"system": {"lldp": {"interface": rows}}}, indent=1) + "\n"


def _lines(head: str, row: str) -> Callable[[Neighbors], str]:
    """Renderer of a table or a list of stanzas, from its head and a row per neighbour."""

    def write(neighbors: Neighbors) -> str:
        ends = neighbors.items()
        return head + "".join(row.format(port=p, device=d, far=far) for p, (d, far) in ends)

    return write


LLDP: dict[str, tuple[str, Callable[[Neighbors], str]]] = {
    "linux": ("lldpcli -f json show neighbors", _lldpcli),
    "cumulus": ("lldpcli -f json show neighbors", _lldpcli),
    "sonic": ("docker exec -i lldp lldpcli -f json show neighbors", _lldpcli),
    "eos": ("show lldp neighbors | json", _eos),
    "nxos": ("show lldp neighbors | json", _nxos),
    "srlinux": ("info from state system lldp | as json", _srlinux),
    "junos": ("show lldp neighbors | no-more", _lines(
        "Local Interface    Parent Interface    Chassis Id          Port info          System Name\n",
        "{port:<19}-                   28:99:3a:22:00:01   {far:<19}{device}\n")),
    "esonic": ("show lldp table", _lines(
        "LocalPort           RemoteDevice           RemotePortID        Capability\n"
        + "-" * 80 + "\n",
        "{port:<20}{device:<23}{far:<20}BR\n")),
    "os10": ("show lldp neighbors", _lines(
        "Loc PortID          Rem Host Name          Rem Port Id                    Rem Chassis Id\n"
        + "-" * 87 + "\n",
        "{port:<20}{device:<23}{far:<31}28:99:3a:22:00:01\n")),
    "iosxr": ("show lldp neighbors", _lines(
        "Device ID               Local Intf               Hold-time  Capability     Port ID\n",
        "{device:<24}{port:<25}120        B,R             {far}\n")),
    "aoscx": ("show lldp neighbor-info", _lines(
        "LLDP Neighbor Information\n=========================\n\n"
        "LOCAL-PORT  CHASSIS-ID         PORT-ID              PORT-DESC        TTL      SYS-NAME\n"
        + "-" * 92 + "\n",
        "{port:<12}28:99:3a:22:00:01  {far:<21}                 120      {device}\n")),
    "vrp": ("display lldp neighbor brief", _lines(
        "Local Interface         Exptime(s) Neighbor Interface            Neighbor Device\n"
        + "-" * 79 + "\n",
        "{port:<24}       105 {far:<30}{device}\n")),
    "comware": ("display lldp neighbor-information verbose", _lines("",
        "LLDP neighbor-information of port 1[{port}]:\nLLDP agent nearest-bridge:\n"
        " LLDP neighbor index : 1\n Chassis type        : MAC address\n"
        " Chassis ID          : 2899-3a22-0001\n Port ID type        : Interface name\n"
        " Port ID             : {far}\n System name         : {device}\n\n")),
}  # fmt: skip
"""By system, a command for neighbours and its output (after tests/nos/lldp)."""


@cache
def neighbors_of(name: str) -> dict[str, dict[str, End]]:
    """Neighbours by device of a fabric."""
    found: dict[str, dict[str, End]] = {}
    links = check(fabric(name)).fabric
    assert links is not None
    for link in links.links:
        for end in link.ends:
            other = link.other(end)
            far = other.device.hostname, other.interface.name
            found.setdefault(end.device.hostname, {})[end.interface.name] = far
    return found


def lldp_file(device: str) -> str:
    """Name of the LLDP output of a device."""
    return f"hosts/{device}/lldp.txt" if device.startswith("gpu") else f"switches/{device}-lldp.txt"


def lldp_output(name: str, device: str, without: str = "") -> str:
    """LLDP output of a device, complete or without one of its ports."""
    system = "linux" if device.startswith("gpu") else name.partition("/")[0]
    command, write = LLDP[system]
    rows = {port: far for port, far in neighbors_of(name)[device].items() if port != without}
    return f"# command: {command}  host: {device}  time: 2026-10-07T06:13:11Z\n{write(rows)}"


@dataclass(frozen=True)
class Describe:
    """Set the description of each port to the name of its other end."""

    name: str

    def __call__(self, device: Device, port: Interface) -> None:
        far = neighbors_of(self.name).get(device.hostname, {}).get(port.name)
        port.addresses, port.description = (), " ".join(far) if far is not None else None


def without_plan_of_switches(files: Files) -> Files:
    """The fabric with a plan of host cables only."""
    lines = files["links.yaml"].splitlines(keepends=True)
    return {**files, "links.yaml": "".join(line for line in lines if "gpu" in line)}
