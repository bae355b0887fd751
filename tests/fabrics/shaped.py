"""Fabrics of every shape with switches of five operating systems, in the format of their devices.

The shapes are those of the bench of the walk (`tests/unit/analysis/clos.py`); the switches use the
texts of the mixed fabric in turn, and the hosts are snapshots with one NIC per rail.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from roce_lint.model.device import Device
from tests.bench import Files
from tests.fabrics.mixed import HERE, HOST, KINDS
from tests.unit.analysis.clos import SHAPES, Bench

NOSES = ("eos", "sonic", "nxos", "junos", "cumulus")
BONDED = HERE / "dual-homed-bond" / "fabric" / "hosts" / "gpu1"
ROLES = {"l*": "leaf", "r*": "leaf", "s*": "spine", "x*": "superspine"}


def nos_of(bench: Bench, first: int) -> dict[str, str]:
    """Operating system of every switch, beginning with the one numbered `first`."""
    return {name: NOSES[(first + n) % len(NOSES)] for n, name in enumerate(bench.switches)}


def build(shape: str, first: int = 0) -> tuple[Files, dict[str, str]]:
    """Files of a fabric, and the operating system of every switch."""
    bench = SHAPES[shape]()
    nos = nos_of(bench, first)
    ports: dict[str, dict[str, str]] = defaultdict(dict)  # by switch: of our names, those it prints
    addresses: dict[str, list[str]] = defaultdict(list)
    nics = {name: _nics(host) for name, host in bench.hosts.items()}
    links = []
    for number, ends in enumerate(bench.links):
        named = []
        for side, (device, port) in enumerate(ends):
            if device.is_host:
                named.append(f"{device.hostname}:{nics[device.hostname][port]}")
                continue
            own = ports[device.hostname]
            own[port] = KINDS[nos[device.hostname]].port(len(own))
            addresses[device.hostname].append(f"10.{number // 256}.{number % 256}.{side}/31")
            named.append(f"{device.hostname}:{own[port]}")
        links.append(f"- [{named[0]}, {named[1]}]")
    files = {"links.yaml": "\n".join(links) + "\n"}
    for name, system in nos.items():
        text = KINDS[system].write(name, addresses[name])
        files[f"switches/{name}.{KINDS[system].suffix}"] = _unranked(text, system)
    for name, host in bench.hosts.items():
        files |= {f"hosts/{name}/{leaf}": text for leaf, text in _host_files(name, host)}
    return files, nos


def _unranked(text: str, system: str) -> str:
    """The text without the role in SONiC's metadata: the settings state it for all."""
    if system != "sonic":
        return text
    tables = json.loads(text)
    del tables["DEVICE_METADATA"]["localhost"]["type"]
    return json.dumps(tables, indent=1) + "\n"


def _nics(host: Device) -> dict[str, str]:
    """Names of a host's interfaces in its snapshot."""
    bonded = [name for name, port in host.interfaces.items() if port.lag]
    plain = [name for name in host.interfaces if name.startswith("eth")]
    return {name: f"ens1f{n}np{n}" for n, name in enumerate(bonded)} | {
        name: f"ens{n + 1}np0" for n, name in enumerate(plain)
    }


def _host_files(name: str, host: Device) -> Iterator[tuple[str, str]]:
    """Snapshot of a host: one bond of two ports, or one NIC per rail."""
    if any(port.lag for port in host.interfaces.values()):
        for path in BONDED.iterdir():
            yield path.name, path.read_text().replace("gpu1", name)
        return
    rails = range(len(_nics(host)))
    for path in sorted(HOST.iterdir()):
        text = path.read_text().replace("gpu1", name).replace("tclass=98", "tclass=106")
        if "ens1np0" in path.name or "mlx5_0" in path.name:
            yield from ((_of_rail(path.name, rail), _of_rail(text, rail)) for rail in rails)
            continue
        head, *lines = text.splitlines(keepends=True)
        kept = lines[:2] if path.name.startswith("ip-link") else []  # the loopback
        block = "".join(lines[len(kept) :])
        yield path.name, "".join((head, *kept, *(_of_rail(block, rail) for rail in rails)))


def _of_rail(text: str, rail: int) -> str:
    """The text of the first NIC, rewritten for another rail."""
    text = text.replace("ens1np0", f"ens{rail + 1}np0").replace("mlx5_0", f"mlx5_{rail}")
    text = text.replace("2: ens", f"{rail + 2}: ens")
    return text.replace("94:6d:ae:00:00:01", f"94:6d:ae:00:00:{rail + 1:02x}")
