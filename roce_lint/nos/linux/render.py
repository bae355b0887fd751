"""The files that set up a host: a script, the unit that runs it at boot, addresses, and NCCL's.

The script states each value, so that to run it twice changes nothing. Which tools and files take
which values is told in docs/nos/linux.md, with the sources.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.qos import PortQos, QueueKind, SchedulerKind
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.base import WHOLE, RenderedFiles, RenderRequest
from roce_lint.nos.render import printable
from roce_lint.nos.selection import whole

NVIDIA = "nvidia"
SCRIPT, UNIT, NETPLAN, NCCL = "roce-setup.sh", "roce-setup.service", "60-roce.yaml", "nccl.conf"
PLACE = "/usr/local/sbin"
"""Where the unit expects the script."""

ROCE_V2 = 2
HIGHEST_DSCP = 63

A_LINE = 8
"""Code points that one command is given."""


def render(asked: RenderRequest) -> RenderedFiles:
    """The files of a host, in a folder of its name.

    Raises:
        RenderError: nothing is printed for NICs of this family yet, or a wish has a value that no
            tool takes.
    """
    device = asked.device
    for nic in device.nics.values():
        if nic.family != NVIDIA:
            raise RenderError(f"hosts with NICs of {nic.family} are designed, and not printed yet")
    files = {SCRIPT: _script(device), UNIT: _unit(device)}
    if nccl := _nccl(device):
        files[NCCL] = nccl
    if asked.part == WHOLE:
        files[NETPLAN] = _netplan(device)
    head = [f"# {line}" for line in asked.header]
    made = {}
    for name, lines in files.items():
        first = ["#!/bin/sh"] if name == SCRIPT else []
        text = [printable(line) for line in [*first, *head, *lines]]
        made[f"{device.hostname}/{name}"] = "".join(f"{line}\n" for line in text)
    return RenderedFiles(made)


def _script(device: Device) -> list[str]:
    lines = ["# Sets up RDMA interfaces; to run it again changes nothing.", "set -eu"]
    for nic in device.nics.values():
        port = device.interfaces.get(nic.port or "")
        if port is not None and port.qos is not None:
            lines += ["", f"# {nic.name} at {port.name}"]
            lines += [_command(words) for words in _port(device, port, port.qos)]
            lines += _nic(nic, port.name)
    return lines


def _command(words: Iterable[str]) -> str:
    return shlex.join(words)


def _port(device: Device, port: Interface, qos: PortQos) -> Iterator[list[str]]:
    """The commands for an interface: MTU, then classes, turns and pause."""
    if port.ip_mtu is not None:
        yield ["ip", "link", "set", "dev", port.name, "mtu", str(port.ip_mtu)]
    tool = ["mlnx_qos", "-i", port.name]
    yield [*tool, "--dcbx", "os"]
    yield [*tool, "--trust", "dscp"]
    yield from ([*tool, *options] for options in _codes(device, qos))
    if qos.pfc is not None:
        paused = qos.pfc.generate or frozenset()
        yield [*tool, "--pfc", ",".join("1" if n in paused else "0" for n in PRIORITIES)]
    yield [*tool, *_turns(device, qos)]


def _codes(device: Device, qos: PortQos) -> Iterator[list[str]]:
    """The priorities of code points that `--trust dscp` puts elsewhere (DSCP / 8)."""
    classifier = device.qos.classifiers.get(qos.classifier or "")
    if classifier is None:
        return
    options = []
    for dscp in range(HIGHEST_DSCP + 1):
        priority = classifier.dscp_to_tc.get(dscp)
        if priority is not None and priority != dscp >> 3:
            options.append(f"--dscp2prio=set,{dscp},{priority}")
    for first in range(0, len(options), A_LINE):
        yield options[first : first + A_LINE]


def _turns(device: Device, qos: PortQos) -> list[str]:
    """Which priority has which class, and how classes take turns; one without a wish gets 0."""
    policy = device.qos.egress.get(qos.egress or "")
    kinds, shares = ["ets"] * len(PRIORITIES), [0] * len(PRIORITIES)
    for (kind, number), queue in policy.queues.items() if policy is not None else ():
        made = queue.scheduler
        if kind is not QueueKind.UNICAST or made is None:
            continue
        if made.shape_percent is not None or made.shape_bps is not None:
            raise RenderError("a cap of a class is not printed for hosts yet")
        if made.kind is SchedulerKind.STRICT:
            kinds[number] = "strict"
        else:
            shares[number] = whole(made.share) or 0
    return [
        f"--prio_tc={_list(PRIORITIES)}",
        f"--tsa={_list(kinds)}",
        f"--tcbw={_list(shares)}",
    ]


def _list(items: Iterable[object]) -> str:
    return ",".join(map(str, items))


def _nic(nic: Nic, port: str) -> Iterator[str]:
    """The commands for an RDMA device: what it marks, and how it answers marks."""
    net = f"/sys/class/net/{port}"
    yield _command(["cma_roce_mode", "-d", nic.name, "-p", "1", "-m", str(ROCE_V2)])
    if nic.cma_tos is not None:
        yield _command(["cma_roce_tos", "-d", nic.name, "-t", str(nic.cma_tos)])
    if nic.traffic_class is not None:
        # By way of the interface, so that the script ends where it has another RDMA device.
        yield _set(f"{net}/device/infiniband/{nic.name}/tc/1/traffic_class", nic.traffic_class)
    if nic.cnp_dscp is not None:
        yield _set(f"{net}/ecn/roce_np/cnp_dscp", nic.cnp_dscp)
    if nic.cnp_priority is not None:
        yield _set(f"{net}/ecn/roce_np/cnp_802p_prio", nic.cnp_priority)
    for side, priorities in (("roce_np", nic.np_priorities), ("roce_rp", nic.rp_priorities)):
        for number in PRIORITIES if priorities is not None else ():
            yield _set(f"{net}/ecn/{side}/enable/{number}", int(number in (priorities or ())))


def _set(path: str, value: int) -> str:
    return f"echo {value} > {shlex.quote(path)}"


def _unit(device: Device) -> list[str]:
    """Runs the script at boot, when the interfaces are there and before the network is up."""
    waits = [
        f"sys-subsystem-net-devices-{_escape(nic.port)}.device"
        for nic in device.nics.values()
        if nic.port
    ]
    return [
        "[Unit]",
        "Description=RDMA settings of this host",
        *(f"Requires={name}" for name in waits),
        *(f"After={name}" for name in waits),
        "Before=network-online.target",
        "",
        "[Service]",
        "Type=oneshot",
        "RemainAfterExit=yes",
        f"ExecStart={PLACE}/{SCRIPT}",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    ]


def _escape(name: str) -> str:
    r"""A name as systemd writes it in that of a unit: what is no letter, digit, ":", "_" or "."
    as \x and its number (systemd.unit(5)).
    """
    return "".join(c if c.isalnum() or c in ":_." else f"\\x{ord(c):02x}" for c in name)


def _netplan(device: Device) -> list[str]:
    lines = ["network:", "  version: 2", "  ethernets:"]
    for port in device.interfaces.values():
        lines.append(f'    "{port.name}":')
        if port.ip_mtu is not None:
            lines.append(f"      mtu: {port.ip_mtu}")
        if port.addresses:
            lines.append("      addresses:")
            lines += [f'        - "{address}"' for address in port.addresses]
        elif port.ip_mtu is None:
            lines.append("      dhcp4: false")
    return lines


def _nccl(device: Device) -> list[str]:
    """What NCCL is told: the byte that marks packets. Which devices it takes is up to the job."""
    marks = {nic.traffic_class for nic in device.nics.values() if nic.traffic_class is not None}
    return [f"NCCL_IB_TC={mark}" for mark in sorted(marks)]
