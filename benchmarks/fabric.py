"""Writes fabrics of any size as configuration files, for benchmarks: pods of leaves and spines of
every format, and hosts as snapshots. The texts are shaped like what devices print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import clis
import srlinux
from eos import eos
from hosts import RAILS, Cable, host
from junos import junos, junos_set
from nvue import cumulus, cumulus_yaml
from nxos import nxos
from ports import PORTS, Port
from sonic import sonic

FORMATS = ("eos", "nxos", "sonic", "cumulus", "junos")


@dataclass(frozen=True)
class Shape:
    """How big a fabric is; hosts are spread evenly over the pods' leaves."""

    pods: int = 4
    leaves: int = 48  # per pod
    spines: int = 16  # per pod
    hosts: int = 256  # per pod
    formats: tuple[str, ...] = FORMATS

    @property
    def switches(self) -> int:
        """Switches of the whole fabric."""
        return self.pods * (self.leaves + self.spines)


def write(root: Path, shape: Shape) -> int:
    """Write the fabric below `root`; return the number of bytes written."""
    total = 0
    for pod in range(shape.pods):
        for name, text, suffix in _switches(pod, shape):
            total += _write(root / "switches" / f"{name}.{suffix}", text)
        for number in range(shape.hosts):
            total += _write_host(root, pod, number, shape)
    return total


def _write(path: Path, text: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_text(text, encoding="utf-8")


def _switches(pod: int, shape: Shape) -> Iterator[tuple[str, str, str]]:
    for leaf in range(shape.leaves):
        ports = [
            *(
                Port(s + 1, f"p{pod}s{s}", _uplink(pod, s, leaf, 1), faces_host=False)
                for s in range(shape.spines)
            ),
            *(
                Port(
                    shape.spines + k + 1, "host", f"10.{128 + pod}.{leaf}.{2 * k}", faces_host=True
                )
                for k in range(PORTS - shape.spines)
            ),
        ]
        yield _switch(f"p{pod}l{leaf}", leaf, ports, shape)
    for spine in range(shape.spines):
        ports = [
            Port(leaf + 1, f"p{pod}l{leaf}", _uplink(pod, spine, leaf, 0), faces_host=False)
            for leaf in range(shape.leaves)
        ]
        yield _switch(f"p{pod}s{spine}", spine, ports, shape)


def _uplink(pod: int, spine: int, leaf: int, end: int) -> str:
    return f"10.{pod}.{spine}.{2 * leaf + end}"


def _switch(name: str, number: int, ports: list[Port], shape: Shape) -> tuple[str, str, str]:
    text, suffix = WRITERS[shape.formats[number % len(shape.formats)]]
    return name, text(name, ports), suffix


def _write_host(root: Path, pod: int, number: int, shape: Shape) -> int:
    name = f"p{pod}h{number}"
    total = 0
    for file, command, text in host(pod, number, list(_cables(number, shape))):
        head = f"# command: {command}  host: {name}  time: 2026-10-07T06:13:11Z\n"
        total += _write(root / "hosts" / name / file, head + text)
    return total


def _cables(number: int, shape: Shape) -> Iterator[Cable]:
    """Where a host is attached; without leaves, where it would be."""
    leaves = shape.leaves or Shape.leaves
    for rail in range(RAILS):
        place, leaf = divmod(number * RAILS + rail, leaves)
        index = shape.spines + place + 1
        port = {
            "eos": f"Ethernet{index}/1",
            "nxos": f"Ethernet1/{index}",
            "sonic": f"Eth1/{index}",
            "cumulus": f"swp{index}",
            "junos": f"et-0/0/{index - 1}",
        }[shape.formats[leaf % len(shape.formats)]]
        yield Cable(leaf, place, port)


def _of_all(text: Callable[[str, list[Port], int], str]) -> Callable[[str, list[Port]], str]:
    """A writer that is told how many ports a switch has."""
    return lambda name, ports: text(name, ports, PORTS)


WRITERS: dict[str, tuple[Callable[[str, list[Port]], str], str]] = {
    "eos": (eos, "cfg"),
    "nxos": (nxos, "cfg"),
    "sonic": (sonic, "json"),
    "cumulus": (_of_all(cumulus), "txt"),
    "cumulus-yaml": (_of_all(cumulus_yaml), "yaml"),
    "junos": (_of_all(junos), "conf"),
    "junos-set": (_of_all(junos_set), "conf"),
    "os10": (_of_all(clis.OS10.text), "cfg"),
    "esonic": (_of_all(clis.ESONIC.text), "cfg"),
    "iosxr": (_of_all(clis.IOSXR.text), "cfg"),
    "aoscx": (_of_all(clis.AOSCX.text), "cfg"),
    "srlinux": (_of_all(srlinux.SRLINUX.text), "cfg"),
    "srlinux-json": (_of_all(srlinux.srlinux_json), "json"),
    "vrp": (_of_all(clis.VRP.text), "cfg"),
    "comware": (_of_all(clis.COMWARE.text), "cfg"),
}
"""How each format is written, and the ending of its files."""
